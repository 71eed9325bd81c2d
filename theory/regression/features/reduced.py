"""The whole training of the attention as one number (our R7 and R10): equiangular features of one
norm, exchangeable tasks, classes of equal probability, and a start that treats them alike, Q = 0.

All scores of a query on its own class then exceed those on the others by one number z, which
gradient descent moves by ``c/(K-1)`` times a mean over the prompts, with
``c = eta kappa^2 sigma_f^2``: kappa is half the squared distance of two features, eta the step,
``sigma_f^2 = E (f_1 - f_2)^2 / 2`` the spread of the tasks, the unit of losses.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from theory.inputs.arrays import is_symbolic, read_in_kind
from theory.inputs.whole_numbers import read_whole
from theory.regression.features.prompts import own_class_prompts
from theory.shown.result import in_a_table

__all__ = ["ReducedAttention"]

Scalar = Any  # float, array of floats or sympy.Expr
#: Rule of Gauss and Legendre on each half unit of z; its error there is below that of rounding.
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(20)


class ReducedAttention:
    """The score gap z of training, its map and flow, and the time to an attention or a loss.

    Parameters
    ----------
    K : int or Expr
        Number of classes, at least 2.
    c : float or Expr
        ``eta kappa^2 sigma_f^2``, positive; the time counts steps of gradient descent.
    prompt_length : int, optional
        N iid tokens in a prompt, at least 2: every quantity is then a sum over the number of tokens
        of the query's class. None is the population prompt.

    Raises
    ------
    TypeError, ValueError
        If an argument is no number of its kind, or leaves its range.

    Notes
    -----
    Replaces the time laws of Li, Duan & Liang, arXiv:2507.20443, Propositions 2 to 4 and Theorems 1
    and 2, where the features are orthonormal or equiangular.

    Examples
    --------
    >>> reduced = ReducedAttention(16, 1.0)
    >>> round(reduced.attention_time(0.5), 6)
    357.495868
    >>> z = sp.Symbol("z", real=True)
    >>> ReducedAttention(2, 1).attention(z)
    1/(1 + exp(-z))
    """

    def __init__(self, K: Any, c: Any, *, prompt_length: int | None = None) -> None:
        if not hasattr(K, "is_Integer") or K.is_Integer:
            advice = "it is the number of classes; with one there is no attention"
            read_whole("K", int(K) if is_symbolic(K) else K, advice, least=2)
        elif K.is_integer is False or (K - 2).is_negative:
            raise ValueError(
                f"K = {K} is no whole number from 2 on; declare the symbol as a positive integer"
            )
        (c,) = read_in_kind(c=(c, ""))
        if c.is_nonpositive if is_symbolic(c) else not c > 0:
            raise ValueError(
                f"c = {c} is not positive, but it is eta kappa^2 sigma_f^2; pass positive eta, kappa and "
                "sigma_f"
            )
        if prompt_length is not None:
            advice = "it is the number N of tokens in a prompt; with one token there is nothing to attend to"
            prompt_length = read_whole("prompt_length", prompt_length, advice, least=2)
        self.K, self.c, self.prompt_length = K, c, prompt_length

    _repr_html_ = in_a_table

    def __repr__(self) -> str:
        return f"ReducedAttention(K={self.K}, c={self.c}, prompt_length={self.prompt_length})"

    @property
    def floor(self) -> Scalar:
        """The loss that no training falls below: that of the prompts without the query's class."""
        K, N = self.K, self.prompt_length
        if N is None:
            return sp.Integer(0) if is_symbolic(K) else 0.0
        exact = is_symbolic(K) or is_symbolic(self.c)
        K = sp.sympify(K) if exact else float(K)
        return (1 - 1 / K) ** N * (1 + (N + K - 2) / ((K - 1) * N)) / 2

    def attention(self, z: Scalar) -> Scalar:
        """Attention of a query on its own class at the score gap z, averaged over the prompts."""
        return self._sum(z, lambda w, rest, b: w, prompts_of_one_class=1)

    def loss(self, z: Scalar) -> Scalar:
        """The loss, in units of sigma_f^2."""
        return self._sum(z, lambda w, rest, b: rest**2 * b / 2) + self.floor

    def slope(self, z: Scalar) -> Scalar:
        """Speed of z under the flow, which is also what a step of gradient descent adds to z:
        ``c K e^z / (e^z + K - 1)^3`` with the population prompt.
        """
        return self._sum(z, lambda w, rest, b: w * rest**2 * b) * self.c / (self.K - 1)

    def step(self, z: Scalar) -> Scalar:
        """The score gap after one step of gradient descent."""
        (z,) = read_in_kind(z=(z, "")) if np.ndim(z) == 0 else (np.asarray(z),)
        return z + self.slope(z)

    def time(self, z: Scalar) -> Scalar:
        """Time of the flow from Q = 0 to the score gap z >= 0. With the population prompt and
        y = e^z, M = K - 1 it is ``((y^2 - 1)/2 + 3M(y - 1) + 3M^2 z + M^3 (1 - 1/y)) / (c K)``;
        otherwise the integral of 1/`slope`, to rounding, which takes no symbol.
        """
        (z,) = read_in_kind(z=(z, ""))
        if z.is_negative if is_symbolic(z) else z < 0:
            raise ValueError(
                f"z = {z} is negative, but training starts at z = 0 and increases it; pass a gap from 0 on"
            )
        M, exact = self.K - 1, is_symbolic(z) or is_symbolic(self.K) or is_symbolic(self.c)
        if self.prompt_length is not None:
            if exact:
                raise ValueError(
                    "with finite prompts the time is an integral, which has no closed form here; pass numbers"
                )
            pieces = max(1, int(np.ceil(2 * z)))
            ends = np.linspace(0, z, pieces + 1)
            half = np.diff(ends)[:, None] / 2
            points = ends[:-1, None] + half * (1 + _NODES)
            return float((half * _WEIGHTS / self.slope(points)).sum())
        less = (sp.exp(z) - 1, 1 - sp.exp(-z)) if exact else (float(np.expm1(z)), -float(np.expm1(-z)))
        # (y^2 - 1)/2 = (y - 1)(y - 1 + 2)/2
        sum_ = less[0] * (less[0] + 2) / 2 + 3 * M * less[0] + 3 * M**2 * z + M**3 * less[1]
        return sum_ / (self.c * self.K)

    def attention_time(self, eps: Scalar) -> Scalar:
        """Time of the flow until a query's attention on its own class is ``1 - eps``, for
        ``1/K <= 1 - eps``. With finite prompts the attention depends on the prompt: use
        `loss_time`.
        """
        (eps,) = read_in_kind(eps=(eps, ""))
        K = self.K
        if self.prompt_length is not None:
            raise ValueError(
                "with finite prompts the attention depends on the prompt; use loss_time, or leave "
                "prompt_length out"
            )
        least = 1 - 1 / sp.sympify(K) if is_symbolic(eps) or is_symbolic(K) else 1 - 1 / K
        if sp.sympify(eps).is_nonpositive or sp.sympify(least - eps).is_negative:
            raise ValueError(
                f"eps = {eps} lies outside (0, 1 - 1/K] = (0, {least}]; training starts at the attention 1/K"
            )
        ratio = (K - 1) * (1 - eps) / eps
        return self.time(sp.log(ratio) if is_symbolic(ratio) else max(0.0, float(np.log(ratio))))

    def loss_time(self, level: float) -> float:
        """Time of the flow until the loss has fallen to a level, in units of sigma_f^2, above
        `floor` and at most the loss at Q = 0.
        """
        from scipy.optimize import brentq

        (level,) = read_in_kind(level=(level, ""))
        start = float(self.loss(0.0))
        if not float(self.floor) < level <= start:
            span = f"({float(self.floor):.6g}, {start:.6g}], from the floor to the loss at Q = 0"
            raise ValueError(f"level = {level} lies outside {span}; pass a level between them")
        far = 1.0
        while self.loss(far) > level:
            far *= 2
        z = brentq(lambda z: self.loss(z) - level, 0.0, far, xtol=1e-15, rtol=8.9e-16)
        return float(self.time(z))

    def flow(self, t: float) -> float:
        """The score gap at a time t >= 0 of the flow, which solves ``time(z) = t``."""
        from scipy.optimize import brentq

        (t,) = read_in_kind(t=(t, ""))
        if t < 0:
            raise ValueError(f"t = {t} is negative, but the flow starts at t = 0; pass a time from 0 on")
        far = 1.0
        while self.time(far) < t:
            far *= 2
        return float(brentq(lambda z: self.time(z) - t, 0.0, far, xtol=1e-15, rtol=8.9e-16))

    def attention_law(self, eps: Scalar) -> Scalar:
        """The leading terms of `attention_time` as K grows, uniformly in eps away from 1:

            (K^2 + 3K log(K(1-eps)/eps) + 3K(1-eps)/eps + K(1-eps)^2/(2 eps^2)) / c

        >>> reduced = ReducedAttention(10**6, 1.0)
        >>> round(reduced.attention_law(0.5) / reduced.attention_time(0.5) - 1, 7)
        4e-06
        """
        (eps,) = read_in_kind(eps=(eps, ""))
        self.attention_time(eps)  # refuses what lies out of range
        K, ratio = self.K, (1 - eps) / eps
        logarithm = sp.log(K * ratio) if is_symbolic(ratio) or is_symbolic(K) else float(np.log(K * ratio))
        return (K**2 + 3 * K * logarithm + 3 * K * ratio + K * ratio**2 / 2) / self.c

    def late_loss(self, t: Scalar) -> Scalar:
        """The loss above its floor at late times, to leading order: ``(K - 1) / (4 c t)``."""
        (t,) = read_in_kind(t=(t, ""))
        if t.is_nonpositive if is_symbolic(t) else not t > 0:
            raise ValueError(f"t = {t} is not positive; the law is that of late times")
        return (self.K - 1) / (4 * self.c * t)

    def _sum(self, z: Scalar, term: Any, *, prompts_of_one_class: int = 0) -> Scalar:
        """Mean over the prompts that hold the query's class of ``term(w, 1 - w, b)``: w is the
        attention on the class, and b the sum of squares of the rest, ``(1 - w)^2 (b - 1)``.
        """
        if np.ndim(z) == 0:
            (z,) = read_in_kind(z=(z, ""))
        N, exact = self.prompt_length, any(map(is_symbolic, (z, self.K, self.c)))
        K = sp.sympify(self.K) if exact else self.K
        B, odds, b = own_class_prompts(K, N)
        alone = 0 if N is None else prompts_of_one_class * (K if exact else float(K)) ** -N
        if exact:
            shares = lambda r: (1 / (1 + r * sp.exp(-z)), 1 / (1 + sp.exp(z) / r))
            return sp.Add(*(p * term(*shares(r), x) for p, r, x in zip(B, odds, b))) + alone
        z = np.asarray(z, dtype=float)[..., None]
        with np.errstate(over="ignore"):
            w, rest = 1 / (1 + odds * np.exp(-z)), 1 / (1 + np.exp(z) / odds)
        found = (B * term(w, rest, b)).sum(axis=-1) + float(alone)
        return found if found.ndim else float(found)
