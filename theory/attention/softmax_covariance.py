"""Second moments of the softmax covariance of Gaussian tokens, exactly and for every prompt length:
the error of the gradient in U (our R4), in the notation of `theory.attention.gaussian_errors`.

Scores are ``sqrt(s) g_k`` with ``g`` standard normal, ``gbar = sum p_k g_k``,
``pi_k = sum_i p_i^k``. By Stein's lemma the moments of the spread of g are polynomials in these
power sums, without terms of order 1 that cancel: the direct expansion loses a factor L of accuracy.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from theory.inputs.arguments import read

__all__ = ["GRAD_U_MOMENTS", "SpreadMoments", "softmax_covariance_second_moment", "spread_moments"]

Scalar = Any  # float, array of floats or sympy.Expr
Key = tuple[int, ...]
#: The moments E[pi_a pi_b ...], pi_k = sum_i p_i^k, in `spread_moments`; the first three are P2, P3
#: and Q.
GRAD_U_MOMENTS: tuple[Key, ...]
GRAD_U_MOMENTS = ((2,), (3,), (2, 2), (4,), (2, 3), (2, 2, 2), (5,), (2, 4), (3, 3), (2, 2, 3), (2, 2, 2, 2))


class SpreadMoments(NamedTuple):
    """What the error of the gradient in U needs to know of the scores, with
    ``D = sum p (g - gbar)^2 - 1``.
    """

    #: ``E D^2``.
    D2: Scalar
    #: ``E sum p^2 (g - gbar)^2``.
    Sc: Scalar
    #: ``E[D pi_2]``.
    D_pi2: Scalar
    #: ``E[pi_2 - 2 pi_3 + pi_2^2]``.
    T2: Scalar
    #: ``E pi_2^2``.
    Q: Scalar


def spread_moments(s: Scalar, moments: Mapping[Key, Scalar]) -> SpreadMoments:
    """The moments of the spread of scores of variance s, from ``E[pi_a pi_b ...]`` at the key
    ``(a, b, ...)`` for every key in `GRAD_U_MOMENTS`.
    """
    _, s = read(s=s)
    P2, P3, Q, P4, P23, P222, P5, P24, P33, P223, P2222 = (moments[key] for key in GRAD_U_MOMENTS)
    T2 = P2 - 2 * P3 + Q
    Sc = T2 + s * (P2 + 7 * Q - 14 * P3 + 38 * P4 - 52 * P23 + 20 * P222)
    D_pi2 = -Q + s * (-4 * Q + 4 * P3 - 20 * P4 + 40 * P23 - 20 * P222)
    D2 = (
        (2 * P2 + 3 * Q - 4 * P3)
        + s * (4 * P2 + 36 * Q - 64 * P3 + 192 * P4 - 288 * P23 + 120 * P222)
        + s**2
        * (P2 + 27 * Q - 62 * P3 + 594 * P4 - 680 * P23 + 240 * P222 - 1580 * P5 + 2480 * P24 + 1020 * P33)
        + s**2 * (-2880 * P223 + 840 * P2222)
    )
    return SpreadMoments(D2, Sc, D_pi2, T2, Q)


def softmax_covariance_second_moment(
    spread: SpreadMoments, *, along: Scalar, across: Scalar, mixed: Scalar, square: Scalar, product: Scalar
) -> Scalar:
    """``E (u'(C_L - Gamma)v)^2`` for the softmax covariance ``C_L`` of the tokens, linear in five
    products. With ``l = h / sqrt(s)`` (0 for s = 0) and ``G = Gamma - l l'`` these are
    ``along = (u'l)^2 (v'l)^2``, ``across = (v'l)^2 u'Gu + (u'l)^2 v'Gv``,
    ``mixed = (u'l)(v'l) u'Gv``, ``square = (u'Gv)^2`` and ``product = (u'Gu)(v'Gv)``.

    In their place may stand their sums over an orthonormal basis of u and over the rows v of V,
    which gives ``E|(C_L - Gamma) V'|_F^2``; times ``|z|^2`` that is the mean squared error of the
    gradient in U.
    """
    D2, Sc, D_pi2, T2, Q = spread
    return along * D2 + (across + 2 * mixed) * Sc - 2 * mixed * D_pi2 + square * (Q + T2) + product * T2
