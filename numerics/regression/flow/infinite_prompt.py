"""The gradient flow of in-context linear regression (Boursier & Boyer, Section 5), integrated in
the original coordinates: of linear attention at any prompt length, and of softmax attention at the
infinite one. It is the second route to `theory.limit_parameters`: it knows nothing of limits,
conserved quantities or eigenbases, and follows the vector field of `theory.regression.risk`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from numerics.regression.flow.integrator import check_positive, check_start, follow_compiled
from theory.inputs.arrays import read_arrays, read_covariance
from theory.inputs.spectrum import spectrum
from theory.regression.risk import effective_covariance, risk_and_gradient
from theory.shown.result import Drawn, in_a_line, in_a_table

__all__ = ["Flow", "integrate_flow"]

Floats = NDArray[np.float64]
#: The default last time in units of the slowest mode, and the least one in units of the fastest.
LONG, SHORTEST = 1e4, 1e9


@dataclass(frozen=True, eq=False)
class Flow(Drawn):
    """A trajectory."""

    #: Times at which the integrator stopped.
    t: Floats
    #: Query-key block at these times.
    U: Floats
    #: Value scalar.
    u: Floats
    #: The risk along the way.
    risk: Floats
    #: Whether the speed fell below the tolerance at a point that is no saddle; if not, the last
    #: time came first.
    converged: bool

    __repr__ = in_a_line
    _repr_html_ = in_a_table

    def _draw(self, ax: Any) -> None:
        self._curves(ax, self.t, [("risk", self.risk, None, "exact")])
        ax.set_xscale("linear")
        ax.set_xlabel("time")
        ax.set_ylabel("risk")


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


def _long_after(l: Floats, m: Floats, A: Floats, u0: float) -> float:
    """Long after the slowest mode has settled; l and time are in units of |Sigma|. The flow
    conserves ``|U|^2 - u^2`` and ends where U is ``1 / (m u)``.
    """
    T, excess = float((1 / m**2).sum()), float((A**2).sum()) - u0**2
    root = math.hypot(excess, 2 * math.sqrt(T))
    square = 2 * T / (excess + root) if excess > 0 else (root - excess) / 2
    return min(max(SHORTEST, LONG / float(l[0] ** 2 * min(1.0, m[0] * square))), 1e300)


@np.errstate(
    over="ignore", invalid="ignore", divide="ignore"
)  # the start is checked, and trial steps may leave the floats
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
        Last time; by default 1e4 times the time scale ``1 / min(l^2, u^2 l^2 m)`` of the slowest
        mode, for l and m as below and the u at which conservation of ``|U|^2 - u^2`` lets the flow
        end.
    tolerance : float
        Converged means: the distance to the minimum is at most this multiple of the state's norm,
        the distance being bounded by the speed over ``u^2 l^2 m``, ``l`` and ``m`` the least
        positive eigenvalues of Sigma and of S_L (the least positive curvature of the risk at a
        minimum). What cannot be told from rounding errors of Sigma counts as zero, see
        `theory.inputs.spectrum`.
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
    S_L, modes = effective_covariance(S, prompt_length, noise), spectrum(S)
    l, added = modes.values, 0.0 if prompt_length is None else (float(np.trace(S)) + noise) / prompt_length
    m = l + added if prompt_length is None else l * (1 + 1 / prompt_length) + added
    curvature = (l[0] / top) ** 2 * m[0]

    t, y, stopped = np.zeros(1), np.append(A.ravel(), v)[None, :], True
    check_start(
        pace,
        1 / pace if pace else np.inf,
        curvature,
        *map(np.asarray, gradient(A, v)),
        np.asarray(risk(A, v)),
    )
    # Time runs in units of 1 / |Sigma|^2, so that no covariance is too small or too large.
    constants = np.concatenate([[d, pace, tolerance * curvature], S.ravel(), S_L.ravel()])
    size = float(np.abs(y[0]).max())
    end = (
        _long_after(l / top, m, modes.vectors.T @ A @ modes.vectors, float(v))
        if t_max is None
        else t_max * pace
    )
    if size > 0:
        try:
            t, y, stopped = follow_compiled(_field, constants, y[0], end, rtol=rtol, size=size, unit=1 / pace)
        except RuntimeError as error:
            raise RuntimeError(
                f"{error}; theory.limit_parameters has the end of the flow without following it"
            ) from None
    U, u = y[:, :-1].reshape(-1, d, d), y[:, -1]
    # As `icl_risk`, of all states at once: tr(U S U' S S_L) sums the entries of (S S_L U S) * U.
    squares, lines = (((S @ S_L) @ U @ S) * U).sum((1, 2)), ((S @ S) * U).sum((1, 2))
    risks = (u**2 * squares - 2 * u * lines + np.trace(S)) / 2
    return Flow(t / pace, U, u, risks, stopped and bool(risks[-1] < np.trace(S) / 2 * (1 - 1e-9)))
