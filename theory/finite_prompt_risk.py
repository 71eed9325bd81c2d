"""The in-context risk of softmax attention at a finite prompt length, exactly (our R6), and how far it is from its limit.

Tasks ``w ~ N(0, I)``, covariates ``x ~ N(0, Sigma)``, labels ``w'x`` plus noise of variance ``tau2`` in the prompt and at the
query; parameters on the block manifold, ``U`` the query-key block and ``u`` the value scalar. At a query x write ``h = Sigma U x``
and ``s = x'U' Sigma U x``; the softmax weights enter through ``P2, P3, Q`` at (s, L), as in `theory.sharp_rates`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from theory._arguments import read
from theory.arrays import read_covariance

__all__ = ["GRADIENT_CONSTANT", "error_at_query", "excess_at_query", "gap_bounds", "ridge_penalty"]

Scalar = Any  # float, array of floats or sympy.Expr
#: Sum of the absolute coefficients of d/ds E(-pi_2 - 6 pi_3 + 6 pi_2^2) as a polynomial in power sums of the weights.
GRADIENT_CONSTANT = 294


def error_at_query(
    P2: Scalar, P3: Scalar, Q: Scalar, *, trace: Scalar, h2: Scalar, xh: Scalar, x2: Scalar, u: Scalar, noise: Scalar = 0
) -> Scalar:
    """Mean squared error at a query without label noise, over task, prompt and its noise; half its mean over x is the risk.

    Parameters
    ----------
    P2, P3, Q : float, array or Expr
        Moments of the softmax weights at ``(s, L)``.
    trace : float or Expr
        ``tr Sigma``.
    h2, xh, x2 : float, array or Expr
        ``|h|^2``, ``x.h`` and ``|x|^2``.
    u : float or Expr
        The value scalar.
    noise : float or Expr
        Variance of the label noise in the prompt, in units of the variance of an entry of w.

    Returns
    -------
    float, array or Expr
        ``u^2 ((tr Sigma + noise) P2 + (1 - P2 - 6 P3 + 6 Q)|h|^2) - 2u (1 - P2) x.h + |x|^2``.

    Raises
    ------
    TypeError, ValueError
        If an argument is not real, a moment is outside [0, 1], or a square or a variance is negative.

    Examples
    --------
    A single token is the answer whatever its score, ``E(u w'x_1 - w'x)^2 = u^2 tr Sigma + |x|^2``:

    >>> error_at_query(1, 1, 1, trace=2, h2=5, xh=1, x2=3, u=1)
    5.0
    """
    _, P2, P3, Q, trace, h2, x2, noise = read(P2=P2, P3=P3, Q=Q, trace=trace, h2=h2, x2=x2, noise=noise)
    return u**2 * ((trace + noise) * P2 + (1 - P2 - 6 * P3 + 6 * Q) * h2) - 2 * u * (1 - P2) * xh + x2


def excess_at_query(
    P2: Scalar, P3: Scalar, Q: Scalar, *, trace: Scalar, h2: Scalar, xh: Scalar, u: Scalar, noise: Scalar = 0
) -> Scalar:
    """What the finite prompt adds to the infinite-prompt error ``|u h - x|^2``.

    Parameters
    ----------
    P2, P3, Q, trace, h2, xh, u, noise
        As in `error_at_query`.

    Returns
    -------
    float, array or Expr
        ``u^2 ((tr Sigma + noise) P2 - (P2 + 6 P3 - 6 Q)|h|^2) + 2 u P2 x.h``: every term carries a moment that vanishes as L grows.

    Raises
    ------
    TypeError, ValueError
        As in `error_at_query`.

    Examples
    --------
    >>> excess_at_query(0, 0, 0, trace=2, h2=5, xh=1, u=1)
    0.0
    """
    _, P2, P3, Q, trace, h2, noise = read(P2=P2, P3=P3, Q=Q, trace=trace, h2=h2, noise=noise)
    return u**2 * ((trace + noise) * P2 - (P2 + 6 * P3 - 6 * Q) * h2) + 2 * u * P2 * xh


def gap_bounds(Sigma: Any, rho: Scalar, L: Scalar, noise: Scalar = 0) -> tuple[Scalar, Scalar]:
    """Bounds of ``|R_L - R_inf|`` and of ``|grad(R_L - R_inf)|`` for every ``|U|_op <= rho``, ``|u| <= rho`` and every L >= 1.

    With ``k = |Sigma|_op``, ``t = tr Sigma`` and ``r = min(1, 1/(4 k^2 rho^2))`` both are constants times ``L^-r``: the exponent
    of a ball, not of a point.

    Parameters
    ----------
    Sigma : array (d, d)
        Covariance of the covariates.
    rho : float
        Radius, positive.
    L : float or array
        Prompt length.
    noise : float
        Variance of the label noise.

    Returns
    -------
    tuple
        Bound of the risk and bound of the norm of the gradient in (U, u).

    Raises
    ------
    TypeError, ValueError
        If an argument is not real, Sigma is no covariance or zero, or rho is not positive.

    Examples
    --------
    >>> risk, gradient = gap_bounds(np.eye(1), 0.5, 100)
    >>> round(float(risk), 9), bool(gradient > risk)
    (0.015026019, True)
    """
    _, L, noise = read(L=L, noise=noise)
    S = read_covariance("Sigma", Sigma)
    d, k, t = len(S), float(np.linalg.norm(S, 2)), float(np.trace(S))
    if not (k > 0 and rho > 0):
        raise ValueError(f"|Sigma| = {k} and rho = {rho}: both have to be positive")
    T, c, r = t + noise, 2 ** (d / 2), min(1.0, 1 / (4 * k**2 * rho**2))
    risk = c / 2 * rho**2 * (T + 2 * (7 * k**2 * rho**2 + 2 * k) * t)
    in_u = c * rho * (T + 2 * (7 * k**2 * rho**2 + k) * t)
    fourth = 12 * t**2 * k * rho**2 * (GRADIENT_CONSTANT * k * rho**2 + 6)  # where |x|^4 occurs
    in_U = c * k * rho * (2 * t * (3 * rho**2 * T + 7 * k * rho**2 + 1) + fourth)
    return risk * L ** (-r), (in_u + in_U) * L ** (-r)


def ridge_penalty(noise: Scalar, task_variance: Scalar) -> Scalar:
    """The penalty with which ridge regression is the posterior mean of ``w ~ N(0, task_variance I)``.

    Parameters
    ----------
    noise : float or Expr
        Variance of the label noise.
    task_variance : float or Expr
        Variance of an entry of w, positive.

    Returns
    -------
    float or Expr
        ``noise / task_variance``: d times the noise for ``w ~ N(0, I/d)``.

    Raises
    ------
    TypeError, ValueError
        If an argument is not real, the noise negative or the task variance not positive.

    Examples
    --------
    >>> ridge_penalty(0.1, 0.2)
    0.5
    """
    _, noise, task_variance = read(noise=noise, task_variance=task_variance)
    return noise / task_variance
