"""The gradient flow of in-context linear regression (Boursier & Boyer, Section 5), integrated in
the original coordinates: of linear attention at any prompt length, and of softmax attention at the
infinite one.

It is the second route to `theory.limit_parameters`: it knows nothing of limits, conserved
quantities or eigenbases, and follows the vector field of `theory.regression.risk` until it stands
still.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from numerics.regression.flow.integrator import check_positive, check_start, follow_compiled
from theory.inputs.arrays import read_arrays, read_covariance
from theory.regression.risk import effective_covariance, risk_and_gradient
from theory.shown.result import in_a_line

__all__ = ["Flow", "integrate_flow"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Flow:
    """A trajectory.

    Attributes
    ----------
    t : array (n,)
        Times at which the integrator stopped.
    U : array (n, d, d)
        Query-key block at these times.
    u : array (n,)
        Value scalar.
    risk : array (n,)
        The risk along the way.
    converged : bool
        Whether the speed fell below the tolerance at a point that is no saddle.
    """

    t: Floats
    U: Floats
    u: Floats
    risk: Floats
    converged: bool

    __repr__ = in_a_line


def _field(y: Floats, constants: Floats, out: Floats) -> float:
    """Minus `icl_risk_gradient` over |Sigma|^2, compiled; see `Field`."""
    d, pace, limit = int(constants[0]), constants[1], constants[2]
    S, S_L = constants[3 : 3 + d * d].reshape(d, d), constants[3 + d * d :].reshape(d, d)
    u, bracket, slope, size = y[d * d], np.empty((d, d)), 0.0, 0.0
    half = np.empty((d, d))
    for i in range(d):
        for j in range(d):
            entry = 0.0
            for k in range(d):
                entry += S_L[i, k] * y[k * d + j]
            bracket[i, j] = u * entry - (1.0 if i == j else 0.0)
    for i in range(d):
        for j in range(d):
            entry = 0.0
            for k in range(d):
                entry += S[i, k] * bracket[k, j]
            half[i, j] = entry
    for i in range(d):
        for j in range(d):
            entry = 0.0
            for k in range(d):
                entry += half[i, k] * S[k, j]
            out[i * d + j] = -u * entry / pace
            slope += entry * y[i * d + j]
            size += y[i * d + j] ** 2
    out[d * d] = -slope / pace
    return limit * u * u * math.sqrt(size + u * u)


@np.errstate(over="ignore", invalid="ignore", divide="ignore")  # the start is checked, and trial steps may leave the floats
def integrate_flow(
    Sigma: Any,
    U0: Any,
    u0: float,
    *,
    prompt_length: int | None = None,
    noise: float = 0.0,
    t_max: float | None = None,
    tolerance: float = 1e-8,
    rtol: float = 1e-11,
) -> Flow:
    """Integrate the flow on the block manifold until it stands still.

    Parameters
    ----------
    Sigma, U0 : array (d, d)
        Covariance of the covariates and start of the query-key block.
    u0 : float
        Start of the value scalar.
    prompt_length : int, optional
        Tokens in a prompt, for linear attention; infinite if left out.
    noise : float
        Variance of the label noise.
    t_max : float, optional
        Last time; by default far beyond the slowest mode of the covariance.
    tolerance : float
        Converged means: the distance to the minimum is at most this multiple of the state's norm,
        the distance being bounded by the speed over ``u^2 l^2 m``, ``l`` and ``m`` the least
        positive eigenvalues of Sigma and of S_L (the least positive curvature of the risk at a
        minimum).
    rtol : float
        Relative tolerance of the integrator.

    Returns
    -------
    Flow

    Raises
    ------
    TypeError, ValueError
        As in `theory.icl_risk`, and if Sigma is zero, or a time or a tolerance not positive.
    RuntimeError
        If the integrator fails.

    Examples
    --------
    >>> flow = integrate_flow(np.eye(2), np.eye(2), 1.0)
    >>> flow.converged, round(float(flow.u[-1] * flow.U[-1][0, 0]), 9)
    (True, 1.0)
    """
    S, A, v = read_arrays(Sigma=(read_covariance("Sigma", Sigma), "d d"), U0=(U0, "d d"), u0=(u0, ""))
    check_positive(tolerance=tolerance, rtol=rtol, **({} if t_max is None else {"t_max": t_max}))
    tolerance, rtol, t_max = float(tolerance), float(rtol), None if t_max is None else float(t_max)
    if rtol < 1e-13:
        raise ValueError(f"rtol = {rtol} is below 1e-13; floats have no more digits")
    d, top = S.shape[0], float(np.linalg.norm(S, 2))
    pace = top * top
    if top == 0:
        raise ValueError("Sigma is the zero matrix: the flow stands still; pass a Sigma != 0")
    risk, gradient = risk_and_gradient(S, prompt_length=prompt_length, noise=noise)
    moving = np.linalg.eigvalsh(S) > 1e-12 * top
    S_L = effective_covariance(S, prompt_length, noise)
    # Sigma and S_L have the same eigenvectors and their eigenvalues the same order.
    slowest = [np.linalg.eigvalsh(M)[moving][0] / top for M in (S, S_L)]
    curvature = slowest[0] ** 2 * slowest[1] * top

    t, y, stopped = np.zeros(1), np.append(A.ravel(), v)[None, :], True
    check_start(pace, 1 / pace if pace else np.inf, curvature, *map(np.asarray, gradient(A, v)), np.asarray(risk(A, v)))
    # Time runs in units of 1 / |Sigma|^2, so that no covariance is too small or too large.
    constants = np.concatenate([[d, pace, tolerance * curvature], S.ravel(), S_L.ravel()])
    size, end = float(np.abs(y[0]).max()), 1e9 if t_max is None else t_max * pace
    if size > 0:
        t, y, stopped = follow_compiled(_field, constants, y[0], end, rtol=rtol, size=size)
    U, u = y[:, :-1].reshape(-1, d, d), y[:, -1]
    # As `icl_risk`, of all states at once: tr(U S U' S S_L) sums the entries of (S S_L U S) * U.
    squares, lines = (((S @ S_L) @ U @ S) * U).sum((1, 2)), ((S @ S) * U).sum((1, 2))
    risks = (u**2 * squares - 2 * u * lines + np.trace(S)) / 2
    return Flow(t / pace, U, u, risks, stopped and bool(risks[-1] < np.trace(S) / 2 * (1 - 1e-9)))
