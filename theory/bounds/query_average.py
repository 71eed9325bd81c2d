"""Our explicit bounds on the error averaged over the query: they replace Propositions 3.1 and 3.4
and Lemmas C.6 and C.9.

Tokens are centred and sigma-sub-Gaussian, the query is 1-sub-Gaussian, ``kappa = sigma^2 |U|^2``
and ``h = (d/2) ln 2``. At a fixed query the error is at most ``A x`` with ``x = e^{4 a2}/L`` (R1),
and at most a bound that holds however long the prompt is: so at most the larger constant times
``x^theta`` for every theta in [0, 1], chosen such that the average over the query is finite. The
bounds hold for every L >= 1, sigma > 0 and U, zero included, in numbers, arrays or SymPy
expressions.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
import sympy as sp

from theory.inputs.arguments import read

__all__ = [
    "exponent",
    "gradient_U_average",
    "gradient_V_average",
    "h",
    "lemma_c6_average",
    "lemma_c9_average",
    "ln_2",
    "output_average",
    "output_average_long",
    "output_average_short",
    "tilted_moment",
    "weighted_query_moment",
]

Scalar = Any  # float, array of floats or sympy.Expr


def _number(value: Any, like: Scalar) -> Any:
    """A rational constant, exact where `like` is an expression."""
    f = Fraction(value)
    return sp.Rational(f.numerator, f.denominator) if isinstance(like, sp.Basic) else float(f)


def ln_2(like: Scalar) -> Any:
    """ln 2, exact where `like` is an expression.

    >>> round(ln_2(1), 6), ln_2(sp.Integer(1))
    (0.693147, log(2))
    """
    return sp.log(2) if isinstance(like, sp.Basic) else float(np.log(2))


def h(d: Scalar) -> Scalar:
    """``h = (d/2) ln 2``: the logarithm of the bound on ``E e^{|Z|^2/(4 sigma^2)}``.

    >>> h(2) == ln_2(2), h(sp.Integer(4))
    (True, 2*log(2))
    """
    return d / 2 * ln_2(d)


def _sqrt_e(like: Scalar) -> Any:
    """The root of e, exact where `like` is an expression."""
    return sp.sqrt(sp.E) if isinstance(like, sp.Basic) else float(np.exp(0.5))


def exponent(sigma: Scalar, U_norm: Scalar, c: Scalar = 16) -> Scalar:
    """The exponent ``min(1, 1/(c sigma^2 |U|^2))`` of 1/L in our bounds, 1 where U = 0. c is 16 for
    the output and the gradient in V, 32 for the gradient in U and Lemma C.6, 128 for Lemma C.9,
    where the exponent is doubled.

    >>> exponent(1, 0), exponent(1, 1), exponent(sp.Integer(2), sp.Rational(1, 2), 32)
    (1.0, 0.0625, 1/32)
    """
    m, sigma, U_norm, c = read(sigma=sigma, U_norm=U_norm, c=c)
    return 1 / m.maximum(1, c * sigma**2 * U_norm**2)


def tilted_moment(sigma: Scalar, a2: Scalar, d: Scalar, q: int) -> Scalar:
    """A bound ``(4 sigma^2)^q (q - 1 + h + a2)^q`` on ``E|Z|^{2q}``, q >= 1, under the law of the
    tokens tilted by ``e^{Z'Uz}``, with ``a2 = sigma^2 |Uz|^2``.

    >>> round(tilted_moment(1, 0.5, 2, 1), 6)                            # 4 ln 2 + 2
    4.772589
    """
    _, sigma, a2, d = read(sigma=sigma, a2=a2, d=d)
    return (4 * sigma**2) ** q * (q - 1 + h(d) + a2) ** q


@lru_cache(maxsize=64)
def _rest(lam: Fraction) -> Fraction:
    """``1 - 2 lambda`` for an admitted lambda."""
    if not 0 <= lam < Fraction(1, 2):
        raise ValueError(
            f"lambda = {lam} is outside [0, 1/2); a standard Gaussian query has E exp(lambda |z|^2) "
            "infinite beyond"
        )
    return 1 - 2 * Fraction(lam)


def weighted_query_moment(d: Scalar, j: int, lam: Fraction = Fraction(1, 4)) -> Scalar:
    """A bound ``(1 - 2 lambda)^{-d/2} (2 (d + j) / ((1 - 2 lambda) sqrt(e)))^j`` on
    ``E |z|^{2j} e^{lambda |z|^2}`` for a 1-sub-Gaussian query; a Gaussian one has no such moment
    for lambda outside [0, 1/2).
    """
    _, d = read(d=d)
    rest = _number(_rest(lam), d)
    return rest ** (-d / 2) * (2 * (d + j) / (rest * _sqrt_e(d))) ** j


def output_average(L: Scalar, sigma: Scalar, U_norm: Scalar, V_norm: Scalar, d: Scalar) -> Scalar:
    """Our replacement of Proposition 3.1, on ``E|T_L - T|^2`` averaged over prompt and query:
    ``|V|^2 sigma^2 2^{d/2} (300 (1 + h) + 8 ln L + 20 (d + 1) sigma^2 |U|^2) / L^theta``,
    ``theta = min(1, 1/(16 sigma^2 |U|^2))``; the constant is 300 = 4 * 75, from R1.
    """
    m, L, sigma, U_norm, V_norm, d = read(L=L, sigma=sigma, U_norm=U_norm, V_norm=V_norm, d=d)
    bracket = 300 * (1 + h(d)) + 8 * m.log(L) + 20 * (d + 1) * sigma**2 * U_norm**2
    return V_norm**2 * sigma**2 * weighted_query_moment(d, 0) * bracket * L ** -exponent(sigma, U_norm)


def output_average_long(
    L: Scalar, sigma: Scalar, U_norm: Scalar, V_norm: Scalar, d: Scalar, lam: Fraction
) -> Scalar:
    """`output_average` with another weight lambda in (0, 1/2) of the query, there 1/4: the exponent
    ``theta = min(1, lambda/(4 kappa))`` comes as close to ``1/(8 kappa)`` as one likes.

        |V|^2 sigma^2 (1-2 lambda)^{-d/2}
        (300 (1+h) + 8 ln L + 16 (d+1) kappa/((1-2 lambda) sqrt(e))) / L^theta

    >>> output_average_long(100, 1, 0.5, 1, 1, Fraction(9, 20)) < output_average(100, 1, 0.5, 1, 1)
    True
    """
    m, L, sigma, U_norm, V_norm, d = read(L=L, sigma=sigma, U_norm=U_norm, V_norm=V_norm, d=d)
    front, kappa = weighted_query_moment(d, 0, lam), sigma**2 * U_norm**2
    bracket = 300 * (1 + h(d)) * front + 8 * m.log(L) * front + 8 * kappa * weighted_query_moment(d, 1, lam)
    return V_norm**2 * sigma**2 * bracket * L ** -exponent(sigma, U_norm, _number(4 / Fraction(lam), d))


def output_average_short(L: Scalar, sigma: Scalar, U_norm: Scalar, V_norm: Scalar, d: Scalar) -> Scalar:
    """For ``kappa = sigma^2 |U|^2 < 1/8`` the average of R1 itself,
    ``300 (1 + h) |V|^2 sigma^2 (1 - 8 kappa)^{-d/2} / L``: the rate 1/L without a logarithm. From
    1/8 on ``e^{4 a2}`` has no average over a Gaussian query.

    >>> round(output_average_short(100, 1, 0, 1, 1), 4)
    4.0397
    """
    _, L, sigma, U_norm, V_norm, d = read(L=L, sigma=sigma, U_norm=U_norm, V_norm=V_norm, d=d)
    left = 1 - 8 * sigma**2 * U_norm**2
    if left.is_nonpositive if isinstance(left, sp.Basic) else np.any(np.asarray(left) <= 0):
        raise ValueError(
            f"kappa = sigma^2 |U|^2 is {(1 - left) / 8}, at least 1/8: e^(4 kappa |z|^2) has no average "
            "over N(0, I)"
        )
    return 300 * (1 + h(d)) * V_norm**2 * sigma**2 * left ** (-d / 2) / L


def gradient_V_average(L: Scalar, sigma: Scalar, U_norm: Scalar, d_out: Scalar, d: Scalar) -> Scalar:
    """Our replacement of Proposition 3.4, gradient in V: each row is the output for V = I."""
    return d_out * output_average(L, sigma, U_norm, 1, d)


def gradient_U_average(L: Scalar, sigma: Scalar, U_norm: Scalar, V_norm: Scalar, d: Scalar) -> Scalar:
    """Our replacement of Proposition 3.4, gradient in U (squared Frobenius norm over all rows of
    V), with ``theta = min(1, 1/(32 kappa))``; 61000 and 78 are ``3 (75 + 8000 + 300)`` and 32,
    times ``4/sqrt(e)``:

        |V|^2 sigma^4 2^{d/2}
        [(d + 1) (61000 (12 + 4 h)^2 + 78 ln^2 L) + 460 (d + 3)^3 kappa^2] / L^theta
    """
    m, L, sigma, U_norm, V_norm, d = read(L=L, sigma=sigma, U_norm=U_norm, V_norm=V_norm, d=d)
    kappa = sigma**2 * U_norm**2
    bracket = (d + 1) * (61000 * (12 + 4 * h(d)) ** 2 + 78 * m.log(L) ** 2) + 460 * (d + 3) ** 3 * kappa**2
    return V_norm**2 * sigma**4 * weighted_query_moment(d, 0) * bracket * L ** -exponent(sigma, U_norm, 32)


def lemma_c6_average(
    L: Scalar, sigma: Scalar, U_norm: Scalar, C_f: Scalar, d: Scalar, p: int, g4: Scalar = 1
) -> Scalar:
    """Our replacement of Lemma C.6, for ``|f(z)| <= C_f |z|^p``, p in {1, 2}, and every g with
    ``g4 = sqrt(E|g(z)|^4)`` finite; Assumption C.5 (ii) is not needed. With 75 from R1 and
    ``theta = min(1, 1/(32 kappa))``:

        C_f^2 (4 sigma^2)^p g4 2^{d/4}
        [75 (2p-1+h)^p + 2p ln(L)^p + 2p (4 kappa (d+2p)/sqrt(e))^p] / L^theta
    """
    if p not in (1, 2):
        raise ValueError(f"p = {p!r} is neither 1 nor 2, the only cases of Lemma C.6")
    m, L, sigma, U_norm, C_f, d = read(L=L, sigma=sigma, U_norm=U_norm, C_f=C_f, d=d)
    kappa = sigma**2 * U_norm**2
    bracket = (
        75 * (2 * p - 1 + h(d)) ** p
        + 2 * p * m.log(L) ** p
        + 2 * p * (4 * kappa * (d + 2 * p) / _sqrt_e(d)) ** p
    )
    scale = C_f**2 * (4 * sigma**2) ** p * g4 * m.sqrt(weighted_query_moment(d, 0))
    return scale * bracket * L ** -exponent(sigma, U_norm, 32)


def lemma_c9_average(
    L: Scalar, sigma: Scalar, U_norm: Scalar, C_f: Scalar, d: Scalar, g8: Scalar = 1
) -> Scalar:
    """Our replacement of Lemma C.9, for ``|f(z)| <= C_f |z|`` and every g with
    ``g8 = sqrt(E|g(z)|^8)`` finite. With 8000 from R2 and ``theta = 2 min(1, 1/(128 kappa))``:

        16 C_f^4 sigma^4 g8 2^{d/4}
        [8000 (3+h)^2 + 16 ln^2 L + 16 (4 kappa (d+4)/sqrt(e))^2] / L^theta
    """
    m, L, sigma, U_norm, C_f, d = read(L=L, sigma=sigma, U_norm=U_norm, C_f=C_f, d=d)
    kappa = sigma**2 * U_norm**2
    bracket = 8000 * (3 + h(d)) ** 2 + 16 * m.log(L) ** 2 + 16 * (4 * kappa * (d + 4) / _sqrt_e(d)) ** 2
    scale = 16 * C_f**4 * sigma**4 * g8 * m.sqrt(weighted_query_moment(d, 0))
    return scale * bracket * L ** (-2 * exponent(sigma, U_norm, 128))
