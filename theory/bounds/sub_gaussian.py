"""Moments, tails and maxima of sub-Gaussian vectors: the bounds of Boursier & Boyer, Appendix D,
and our bounds R3, which are sharper. A law is sigma-sub-Gaussian when
``E e^{v.Z} <= e^{sigma^2 |v|^2 / 2}`` for every v. Functions take numbers, arrays or SymPy
expressions, and answer in kind.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import sympy as sp

from theory.inputs.arguments import read

__all__ = [
    "M_R3",
    "C_p",
    "c_p",
    "c_p_explicit",
    "fourth_moment_d1",
    "lemma_d1",
    "maximum_R3",
    "maximum_d2",
    "maximum_explicit",
    "tail_R3",
    "tail_d2",
    "tilted_moment_R3",
]

Scalar = Any  # float, array of floats or sympy.Expr


def lemma_d1(sigma: Scalar, V_norm: Scalar, U_norm: Scalar, d: Scalar, c: Scalar = 4) -> Scalar:
    """The bound ``4 sigma^2 |V| |U| sqrt(d)`` of Lemma D.1 on the ``L^4(nu)`` norm of attention
    with an infinite prompt, for a 1-sub-Gaussian query.
    """
    m, sigma, V_norm, U_norm, d, c = read(sigma=sigma, V_norm=V_norm, U_norm=U_norm, d=d, c=c)
    return c * sigma**2 * V_norm * U_norm * m.sqrt(d)


def fourth_moment_d1(d: Scalar, c: Scalar = 2) -> Scalar:
    """The bound ``2 sqrt(d)`` on ``(E|z|^4)^{1/4}`` of a 1-sub-Gaussian vector in the proof of
    Lemma D.1.

    >>> fourth_moment_d1(9)
    6.0
    """
    m, d, c = read(d=d, c=c)
    return c * m.sqrt(d)


def tail_d2(threshold: Scalar, d: Scalar, c: Scalar = 2) -> Scalar:
    """The bound ``e^{2d - t^2/16}`` of Lemma D.2, item 1, on ``P(|z| >= t)``, z 1-sub-Gaussian."""
    m, t, d, c = read(threshold=threshold, d=d, c=c)
    return m.exp(c * d - t**2 / 16)


def c_p(p: Scalar) -> Scalar:
    """The least constant with ``Gamma(p/2, x) <= c_p e^{-x} x^{p/2}`` for every x >= 1/16, p >= 2,
    whose existence Lemma D.2 uses: ``16^{p/2} e^{1/16} Gamma(p/2, 1/16)``, since the ratio of the
    two sides decreases in x.
    """
    _, p = read(p=p)
    if isinstance(p, sp.Basic):
        return 16 ** (p / 2) * sp.exp(sp.Rational(1, 16)) * sp.uppergamma(p / 2, sp.Rational(1, 16))
    from scipy.special import gamma, gammaincc

    value = 16 ** (p / 2) * math.exp(1 / 16) * gamma(p / 2) * gammaincc(p / 2, 1 / 16)
    return value if isinstance(p, np.ndarray) else float(value)


def c_p_explicit(p: Scalar) -> Scalar:
    """A constant ``(16 p)^{p/2}`` in closed form for `c_p`.

    >>> c_p_explicit(2), c_p_explicit(4)
    (32.0, 4096.0)
    """
    _, p = read(p=p)
    return (16 * p) ** (p / 2)


def C_p(p: Scalar) -> Scalar:
    """The constant ``(1 + p c_p / 2) 64^{p/2}`` of Lemma D.2, item 2, p >= 2, by its proof."""
    _, p = read(p=p)
    return (1 + p * c_p(p) / 2) * 64 ** (p / 2)


def maximum_d2(L: Scalar, d: Scalar, p: Scalar) -> Scalar:
    """The bound ``C_p (d^{p/2} + ln(L)^{p/2})`` of Lemma D.2, item 2, on ``E max |z_l|^p`` over L
    1-sub-Gaussian vectors, with the constant of its proof.
    """
    m, L, d, p = read(L=L, d=d, p=p)
    return C_p(p) * (d ** (p / 2) + m.log(L) ** (p / 2))


def maximum_explicit(L: Scalar, d: Scalar, p: Scalar) -> Scalar:
    """The bound of Lemma D.2, item 2, with our constant ``C_p = (4p + 3)^{p/2}``, which is smaller
    than that of its proof. The vectors need not be independent.

    >>> maximum_explicit(1, 2, 2)
    22.0
    """
    m, L, d, p = read(L=L, d=d, p=p)
    return (4 * p + 3) ** (p / 2) * (d ** (p / 2) + m.log(L) ** (p / 2))


def tail_R3(threshold: Scalar, d: Scalar, sigma: Scalar = 1) -> Scalar:
    """Our bound ``2^{d/2} e^{-t^2/(4 sigma^2)}`` on ``P(|Z| >= t)``, from
    ``E e^{|Z|^2/(4 sigma^2)} <= 2^{d/2}``; at most the bound of Lemma D.2 for every d and t.
    """
    m, t, d, sigma = read(threshold=threshold, d=d, sigma=sigma)
    return 2 ** (d / 2) * m.exp(-(t**2) / (4 * sigma**2))


def maximum_R3(L: Scalar, d: Scalar, p: Scalar, sigma: Scalar = 1) -> Scalar:
    """Our bound ``sigma^p (4 (ln L + (d/2) ln 2 + p/2 - 1))^{p/2}`` on ``E max |Z_l|^p``, p >= 2,
    over L sigma-sub-Gaussian vectors, which need not be independent.
    """
    m, L, d, p, sigma = read(L=L, d=d, p=p, sigma=sigma)
    return sigma**p * (4 * (m.log(L) + d * m.log(2) / 2 + p / 2 - 1)) ** (p / 2)


def tilted_moment_R3(sigma: Scalar, a_norm: Scalar, d: Scalar, p: Scalar) -> Scalar:
    """Our bound R3, ``sigma^{2p} 8^{p/2} (|a|^2 + d/5 + p/2)^{p/2}`` and 1 for p = 0, on ``E|Z|^p``
    under the law tilted by ``e^{a.Z}``, ``a = Uz``. For sigma < 1 the power ``sigma^{2p}`` is too
    small.
    """
    if p == 0:
        return 1
    _, sigma, a, d, p = read(sigma=sigma, a_norm=a_norm, d=d, p=p)
    if (sigma - 1).is_negative if isinstance(sigma, sp.Basic) else np.any(sigma < 1):
        raise ValueError(f"sigma = {sigma} is below 1, where R3 has the power sigma^p instead of sigma^(2p)")
    return sigma ** (2 * p) * (8 * (a**2 + d / 5 + p / 2)) ** (p / 2)


def M_R3(p: int, q: int, U_norm: Scalar, d: Scalar) -> Scalar:
    """A constant ``M_{p,q}`` of Assumption 3.3, for even p and q, that serves every
    sigma-sub-Gaussian mu (sigma >= 1) and every 1-sub-Gaussian nu:
    ``8^{p/2} E[(|U|^2 |z|^2 + d/5 + p/2)^{p/2} |z|^q]`` with the bound `maximum_R3` (L = 1) for
    each moment of the query.
    """
    for name, value in (("p", p), ("q", q)):
        if value not in range(0, 101, 2):
            raise ValueError(
                f"{name} = {value!r} is no even number from 0 to 100; Assumption 3.3 has 0, 4 and 8"
            )
    _, u, d = read(U_norm=U_norm, d=d)
    k = d / 5 + p // 2
    total: Any = 0
    for j in range(p // 2 + 1):
        moment = maximum_R3(1, d, 2 * j + q) if 2 * j + q else 1
        total = total + math.comb(p // 2, j) * u ** (2 * j) * k ** (p // 2 - j) * moment
    return 8 ** (p // 2) * total
