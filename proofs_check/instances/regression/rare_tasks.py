"""Hard tasks that are rare: at them a mean over tasks must not be moved under a root, as the proof
of Lemma E.4 of Boursier & Boyer does.

Tokens are (x, y) with x = -1 or 1, the parameters U = u e2 e1' and V = v e2 e2', and the loss is
(z - y)^2/4, which is jointly 1-smooth. With probability 1 - p the task is easy, y = 0: then output
and residual are 0 for every prompt. With probability p it is hard: y is independent of x, takes the
value s = 2 log2(L)/u with probability 1/L and one other value a with probability 1 - 1/L, and is
centred. The query x = 1 tilts y to s, but one prompt in four has no token with that value, so that
its output is small. Tokens have at most the norm (1 + s^2)^{1/2}, so that Assumption 4.2 (iii)
holds with M_{p,p'} = 2^{p/2} once s >= 1, for every L and p.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sympy as sp

__all__ = ["RareTasks"]

Scalar = Any


@dataclass(frozen=True)
class RareTasks:
    """The tasks of this module: the prompt length L is at least 32, p the probability of a hard
    task, and u, v the entries of U and V, positive.
    """

    log2_L: Scalar
    p: Scalar
    u: Scalar = 1
    v: Scalar = 1

    @property
    def s(self) -> Scalar:
        """The large value of y. As y lies in an interval of length s L/(L - 1) <= 2s, it is also a
        sub-Gaussian constant of the hard tasks, by Hoeffding's lemma.
        """
        return 2 * self.log2_L / self.u

    @property
    def left(self) -> Scalar:
        """A lower bound of ``|d R_L/dv - d R/dv| = (p v/2) |E m_L^2 - E m^2|``, where m is the
        tilted mean of y.

        With ``a = -s/(L - 1)`` and ``e^{us} >= L^2`` the query 1 has ``m >= s (1 - 1/L)`` and ``E
        m_L^2 <= s^2 (1 - (1 - 1/L)^L) + a^2``, the query -1 ``E m_L^2 <= 6 a^2``; and ``(1 - 1/L)^L
        >= 1/4``. So the means over both queries differ by at least ``s^2/12`` for L >= 32.
        """
        return self.p * self.v * self.s**2 / 24

    def right(self, easy: Scalar, easy_in_U: Scalar, c1: Scalar = 1, c1_in_U: Scalar = 1) -> Scalar:
        """An upper bound of the right side of Lemma E.4, from ``ln L <= log2 L``, ``E|T|^2 <= p v^2
        s^2``, ``E y^2 <= p s^2``, ``|grad T| <= s + v s^2``. The first two are ``L^{-c2/2}`` and
        ``L^{-c2'/2}``, the rates of the easy tasks, whose sub-Gaussian constant is 1; the rates of
        the hard ones are at most 1.
        """
        output = sp.sqrt(self.p) * self.s
        in_U = self.log2_L * (easy_in_U + self.p * self.s**6)
        in_V = sp.sqrt(self.log2_L) * (easy + self.p * self.s**3)
        bracket = self.v * output + sp.sqrt(c1 * in_V) + output
        return 2 * sp.sqrt(2 * c1_in_U) * in_U * bracket + sp.sqrt(c1) * in_V * output * (1 + self.v * self.s)
