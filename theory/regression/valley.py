"""The excess risk of softmax attention along the valley of long prompts, to first order in 1/L, and
the point of the valley at which it is least (our R6).

The model is that of `theory.regression.finite_prompt`, Sigma invertible, ``T = tr Sigma + tau2``;
excess and tau2 are in units of the variance of an entry of w. The infinite-prompt risk is least
where ``u Sigma U = I``: one line, with the parameter ``lam = 1/u^2``, on which the scores have
variance ``lam |xi|^2`` at the query ``Sigma^{1/2} xi``. There the excess is at most ``F(lam)/(2L)``
at every length, by Theorem A, and asymptotic to it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from theory.inputs.arguments import read

__all__ = ["best_score_variance", "linear_excess", "valley_excess", "valley_speed"]

Scalar = Any  # float, array of floats or sympy.Expr


def valley_excess(lam: Scalar, *, trace: Scalar, d: Scalar, noise: Scalar = 0) -> Scalar:
    """``F(lam) = (1 - 2 lam)^(-d/2 - 1) (T (1 - 2 lam)/lam + tr Sigma)``, twice the limit of L
    times the excess risk of softmax attention at a point of the valley; from lam = 1/2 on it is not
    bounded.
    """
    _, lam, trace, d, noise = read(lam=lam, trace=trace, d=d, noise=noise)
    rest = _rest(lam)
    return rest ** (-d / 2 - 1) * ((trace + noise) * rest / lam + trace)


def _rest(lam: Scalar) -> Scalar:
    """``1 - 2 lam``, of a lam below 1/2."""
    rest = 1 - 2 * lam
    if rest.is_zero if isinstance(rest, sp.Basic) else not np.all(rest > 0):
        raise ValueError("lam = 1/2: from there on L times the excess is not bounded; pass a lam below 1/2")
    return rest


def best_score_variance(*, trace: Scalar, d: Scalar, noise: Scalar = 0) -> Scalar:
    """The lam at which `valley_excess` is least, and the least risk is in the limit: the only root
    below 1/2 of ``(d + 2)(2T - tr Sigma) lam^2 - (d + 4) T lam + T``.
    """
    m, trace, d, noise = read(trace=trace, d=d, noise=noise)
    T = trace + noise
    if not isinstance(T, sp.Basic) and not np.all(T > 0):
        raise ValueError("trace and noise are both 0: pass the trace of a covariance that is not 0")
    return 2 / (d + 4 + m.sqrt((d + 4) ** 2 - 4 * (d + 2) * (2 - trace / T)))


def valley_speed(
    lam: Scalar, *, trace: Scalar, d: Scalar, inverse_square: Scalar, noise: Scalar = 0
) -> Scalar:
    """Derivative of lam by ``t/L`` along the gradient flow in the valley, to first order in 1/L. On
    the valley ``|dU|_F^2 + du^2 = (1 + tr(Sigma^-2) lam^2) du^2``, and the excess is
    ``F(lam)/(2L)``; ``inverse_square`` is ``tr(Sigma^-2)``.
    """
    _, lam, trace, d, inverse_square, noise = read(
        lam=lam, trace=trace, d=d, inverse_square=inverse_square, noise=noise
    )
    T, rest = trace + noise, _rest(lam)
    fall = rest ** (-d / 2 - 2) * ((d + 2) * (2 * T - trace) * lam**2 - (d + 4) * T * lam + T)  # -F' lam^2
    return 2 * lam * fall / (1 + inverse_square * lam**2)


def linear_excess(*, trace: Scalar, d: Scalar, noise: Scalar = 0) -> Scalar:
    """Twice the limit of L times the excess risk of trained linear attention, ``tr Sigma + d T``;
    for the best predictor of all it is ``d tau2``.
    """
    _, trace, d, noise = read(trace=trace, d=d, noise=noise)
    return trace + d * (trace + noise)
