"""Second moments of the softmax covariance of Gaussian tokens, exactly and for every prompt length:
the error of the gradient in U (our R4).

Scores are ``sqrt(s) g_k`` with ``g`` standard normal, ``gbar = sum p_k g_k`` is their softmax mean,
and ``pi_k = sum_i p_i^k``. By Stein's lemma the moments of the spread of g are polynomials in these
power sums. They have no terms of order 1 that cancel, so that they keep their accuracy where the
direct expansion loses a factor L. Other notation is that of `theory.attention.gaussian_errors`.
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
    """What the error of the gradient in U needs to know of the scores.

    Attributes
    ----------
    D2, Sc, D_pi2 : float, array or Expr
        ``E D^2``, ``E sum p^2 (g - gbar)^2`` and ``E[D pi_2]`` for ``D = sum p (g - gbar)^2 - 1``.
    T2, Q : float, array or Expr
        ``E[pi_2 - 2 pi_3 + pi_2^2]`` and ``E pi_2^2``.
    """

    D2: Scalar
    Sc: Scalar
    D_pi2: Scalar
    T2: Scalar
    Q: Scalar


def spread_moments(s: Scalar, moments: Mapping[Key, Scalar]) -> SpreadMoments:
    """The moments of the spread of the scores, from those of the power sums of the weights.

    Parameters
    ----------
    s : float or Expr
        Variance of the scores.
    moments : mapping of tuple of int to float, array or Expr
        ``E[pi_a pi_b ...]`` at the key ``(a, b, ...)``, for every key in `GRAD_U_MOMENTS`.

    Returns
    -------
    SpreadMoments

    Raises
    ------
    TypeError, ValueError
        If s is no variance.
    KeyError
        If a moment is missing.

    Examples
    --------
    A single token has no spread, so that D = -1:

    >>> spread_moments(2, dict.fromkeys(GRAD_U_MOMENTS, 1))
    SpreadMoments(D2=1.0, Sc=0.0, D_pi2=-1.0, T2=0, Q=1)
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
    """``E (u'(C_L - Gamma)v)^2`` for the softmax covariance ``C_L`` of the tokens.

    With ``l = h / sqrt(s)`` (0 for s = 0) and ``G = Gamma - l l'`` it is linear in the five
    products below. In their place may stand their sums over an orthonormal basis of u and over the
    rows v of V, which gives ``E|(C_L - Gamma) V'|_F^2``; times ``|z|^2`` that is the mean squared
    error of the gradient in U.

    Parameters
    ----------
    spread : SpreadMoments
        For the variance ``s`` of the scores.
    along : float, array or Expr
        ``(u'l)^2 (v'l)^2``.
    across : float, array or Expr
        ``(v'l)^2 u'Gu + (u'l)^2 v'Gv``.
    mixed : float, array or Expr
        ``(u'l)(v'l) u'Gv``.
    square : float, array or Expr
        ``(u'Gv)^2``.
    product : float, array or Expr
        ``(u'Gu)(v'Gv)``.

    Returns
    -------
    float, array or Expr

    Examples
    --------
    A single token has no spread, so that this is ``(u'Gamma v)^2``:

    >>> one = spread_moments(2, dict.fromkeys(GRAD_U_MOMENTS, 1))
    >>> softmax_covariance_second_moment(one, along=1, across=6, mixed=3, square=9, product=9)
    16.0
    """
    D2, Sc, D_pi2, T2, Q = spread
    return along * D2 + (across + 2 * mixed) * Sc - 2 * mixed * D_pi2 + square * (Q + T2) + product * T2
