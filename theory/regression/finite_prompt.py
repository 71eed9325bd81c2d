"""The in-context risk of softmax attention at a finite prompt length given the moments of its
weights, exactly, and bounds on how far it is from its limit (our R6 and Theorem 5.2 with
constants).

Tasks ``w ~ N(0, I)``, covariates ``x ~ N(0, Sigma)``, labels ``w'x`` plus noise of variance
``tau2`` in the prompt and at the query; parameters on the block manifold, ``U`` the query-key block
and ``u`` the value scalar. At a query x write ``h = Sigma U x`` and ``s = x'U' Sigma U x``; the
softmax weights enter through ``P2, P3, Q`` at (s, L), as in `theory.attention.gaussian_errors`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from theory.inputs.arguments import read
from theory.inputs.arrays import read_arrays, read_covariance
from theory.inputs.spectrum import spectrum
from theory.regression.risk import icl_risk

__all__ = [
    "GRADIENT_CONSTANT",
    "FlowConstants",
    "error_at_query",
    "excess_at_query",
    "flow_constants",
    "gap_bounds",
    "log_length",
    "ridge_penalty",
]

Scalar = Any  # float, array of floats or sympy.Expr
#: Sum of the absolute coefficients of d/ds E(-pi_2 - 6 pi_3 + 6 pi_2^2) as a polynomial in power
#: sums of the weights.
GRADIENT_CONSTANT = 294


def error_at_query(
    P2: Scalar,
    P3: Scalar,
    Q: Scalar,
    *,
    trace: Scalar,
    h2: Scalar,
    xh: Scalar,
    x2: Scalar,
    u: Scalar,
    noise: Scalar = 0,
) -> Scalar:
    """Mean squared error at a query without label noise, over task, prompt and its noise; half its
    mean over x is the risk. The noise is that in the prompt, in units of the variance of an entry
    of w.

        u^2 ((tr Sigma + noise) P2 + (1 - P2 - 6 P3 + 6 Q)|h|^2) - 2u (1 - P2) x.h + |x|^2
    """
    _, P2, P3, Q, trace, h2, x2, noise = read(P2=P2, P3=P3, Q=Q, trace=trace, h2=h2, x2=x2, noise=noise)
    return u**2 * ((trace + noise) * P2 + (1 - P2 - 6 * P3 + 6 * Q) * h2) - 2 * u * (1 - P2) * xh + x2


def excess_at_query(
    P2: Scalar, P3: Scalar, Q: Scalar, *, trace: Scalar, h2: Scalar, xh: Scalar, u: Scalar, noise: Scalar = 0
) -> Scalar:
    """What the finite prompt adds to the infinite-prompt error ``|u h - x|^2``:
    ``u^2 ((tr Sigma + noise) P2 - (P2 + 6 P3 - 6 Q)|h|^2) + 2 u P2 x.h``. Every term carries a
    moment that vanishes as L grows.
    """
    _, P2, P3, Q, trace, h2, noise = read(P2=P2, P3=P3, Q=Q, trace=trace, h2=h2, noise=noise)
    return u**2 * ((trace + noise) * P2 - (P2 + 6 * P3 - 6 * Q) * h2) + 2 * u * P2 * xh


def gap_bounds(Sigma: Any, rho: Scalar, L: Scalar, noise: Scalar = 0) -> tuple[Scalar, Scalar]:
    """Bounds of ``|R_L - R_inf|`` and of ``|grad(R_L - R_inf)|`` in (U, u), for every
    ``|U|_op <= rho``, ``|u| <= rho`` and every L >= 1. With ``k = |Sigma|_op``, ``t = tr Sigma``
    and ``r = min(1, 1/(4 k^2 rho^2))`` both are constants times ``L^-r``: the exponent of a ball,
    not of a point.
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


class FlowConstants(NamedTuple):
    """What Theorem 4.3 asks of the infinite-prompt flow, for the start of Assumption 5.1."""

    #: The flow stays in the ball of this radius.
    rho: float
    #: Bound of the gradient of the risk on the ball of radius 2 rho.
    kappa: float
    #: Lipschitz constant of that gradient.
    beta: float
    #: The risk is at most ``excess e^{-mu t}`` above its least value.
    excess: float
    mu: float


def flow_constants(Sigma: Any, Theta: Any, alpha: float) -> FlowConstants:
    """Constants of the infinite-prompt flow from ``U(0) = alpha Theta Theta'``,
    ``u(0) = alpha > 0``, where ``|Theta Theta'|_F = 1``, ``Sigma Theta != 0`` and
    ``alpha^2 |Sigma|_op < 2``.

    ``rho = sqrt(2 (b + K))``, ``b = alpha^2 |P(Theta Theta')|_F^2``,
    ``K = (sqrt(2 R(0)) + sqrt(tr Sigma)) / l^{3/2}``, l the least positive eigenvalue. With
    ``k = |Sigma|_op`` and ``a = 2 rho`` for the ball, ``kappa = sqrt(2) a k (a^2 k^2 + |Sigma|_F)``
    and ``beta = 3 a^2 k^3 + k |Sigma|_F``; mu as in `polyak_lojasiewicz`.
    """
    S, B, scale = read_arrays(
        Sigma=(read_covariance("Sigma", Sigma), "d d"), Theta=(Theta, "d k"), alpha=(alpha, "")
    )
    a0, start = float(scale), B @ B.T
    modes = spectrum(S)
    k, least = (float(modes.values[i]) for i in (-1, 0)) if modes.values.size else (0.0, 0.0)
    if not (k > 0 and a0 > 0 and a0**2 * k < 2):
        raise ValueError(f"alpha = {alpha} and |Sigma| = {k}: alpha^2 |Sigma| has to lie between 0 and 2")
    reach = float(((S @ B) ** 2).sum())
    if abs(float(np.linalg.norm(start)) - 1) > 1e-9 or reach == 0:
        raise ValueError("Theta has to have |Theta Theta'|_F = 1 and Sigma Theta != 0; scale it")
    onto = modes.vectors @ modes.vectors.T
    excess = max(0.0, float(icl_risk(S, a0 * start, a0)))  # at a minimum rounding may leave it below 0
    outside = a0**2 * float(((start - onto @ start @ onto) ** 2).sum())
    rho = float(np.sqrt(2 * (outside + (np.sqrt(2 * excess) + np.sqrt(np.trace(S))) / least**1.5)))
    a, size = 2 * rho, float(np.linalg.norm(S))
    mu = least**3 * a0**2 * reach * (2 - a0**2 * k) / float(np.linalg.norm(S @ S))
    return FlowConstants(
        rho, float(np.sqrt(2)) * a * k * (a**2 * k**2 + size), 3 * a**2 * k**3 + k * size, excess, mu
    )


def log_length(Sigma: Any, Theta: Any, alpha: float, epsilon: float, noise: float = 0.0) -> float:
    """The logarithm of an explicit L(epsilon) in Theorem 5.2: `gap_bounds` and `flow_constants` put
    into Theorem 4.3. Sufficient, and far beyond what the flow needs.
    """
    c = flow_constants(Sigma, Theta, alpha)
    if not epsilon > 0:
        raise ValueError(f"epsilon = {epsilon} is not positive")
    k = float(np.linalg.norm(read_covariance("Sigma", Sigma), 2))
    r = min(1.0, 1 / (4 * k**2 * (2 * c.rho) ** 2))
    risk, gradient = (np.log(x) for x in gap_bounds(Sigma, 2 * c.rho, 1, noise))
    # ln g2 has to be below that of Theorem 4.3, and below mu rho, from where on the horizon grows
    # faster than the time needed.
    excess = max(c.excess, epsilon)  # a start at the minimum has none; any larger one serves
    highest, rate = float(np.log(excess * c.mu / c.kappa)), c.mu / c.beta
    wanted = highest + (1 + 1 / rate) * min(0.0, float(np.log(epsilon / (2 * excess * (1 + rate)))))
    log_g2 = min(wanted, float(np.log(c.mu * c.rho)), float(gradient - risk + np.log(epsilon / 2)))
    while (highest - log_g2) / (c.mu + c.beta) > np.logaddexp(0, np.log(c.beta * c.rho) - log_g2) / c.beta:
        log_g2 -= 1.0
    return max(0.0, float(gradient - log_g2) / r)


def ridge_penalty(noise: Scalar, task_variance: Scalar) -> Scalar:
    """The penalty ``noise / task_variance`` with which ridge regression is the posterior mean of
    ``w ~ N(0, task_variance I)``: d times the noise for ``w ~ N(0, I/d)``.
    """
    _, noise, task_variance = read(noise=noise, task_variance=task_variance)
    return noise / task_variance
