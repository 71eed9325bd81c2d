"""The gradient flow of in-context linear regression, integrated in the original coordinates.

This is the route that knows nothing of limits, invariants or eigenbases: it follows the vector field until it stops.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theory.regression_risk import effective_covariance, full_risk, full_risk_gradient, icl_risk, vector_field

__all__ = ["Flow", "integrate_flow", "integrate_full_flow"]

Floats = NDArray[np.float64]
Field = Callable[[float, Floats], Floats]
Threshold = Callable[[Floats], float]


@dataclass(frozen=True, eq=False)
class Flow:
    """A trajectory.

    Attributes
    ----------
    t : array (n,)
        Times at which the integrator stopped.
    U : array (n, d, d), or (n, d + 1, d + 1) for the full flow
        Query-key parameters at these times.
    u : array (n,), or (n, d + 1) for the full flow
        Value scalar, or last row of the value matrix.
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


def _checked(Sigma: Any, U: Any, u: Any, full: bool) -> tuple[Floats, Floats, Floats]:
    S, A, v = (np.asarray(x, dtype=np.float64) for x in (Sigma, U, u))
    n = S.shape[0] + full if S.ndim == 2 else 0
    if S.ndim != 2 or S.shape[0] != S.shape[1] or A.shape != (n, n) or v.shape != ((n,) if full else ()):
        raise ValueError(
            f"Sigma, U, u have the shapes {S.shape}, {A.shape}, {v.shape}; expected (d, d), "
            + ("(d + 1, d + 1), (d + 1,)" if full else "(d, d) and a scalar")
        )
    if not all(np.isfinite(x).all() for x in (S, A, v)):
        raise ValueError("Sigma, U and u must be finite; remove nan and infinity")
    return S, A, v


def _integrate(field: Field, start: Floats, t_max: float, threshold: Threshold, rtol: float) -> tuple[Floats, Floats, bool]:
    """States at the integrator's own steps, stopped when the speed falls below ``threshold(state)``."""
    from scipy.integrate import solve_ivp

    def still(t: float, y: Floats) -> float:
        return float(np.linalg.norm(field(t, y))) - threshold(y)

    event: Any = still
    event.terminal = True
    if still(0.0, start) <= 0:
        return np.zeros(1), start[None, :], True
    size = float(np.abs(start).max())
    path = solve_ivp(field, (0.0, t_max), start, method="LSODA", rtol=rtol, atol=1e-3 * rtol * size, events=event)
    if path.status < 0:
        raise RuntimeError(f"the integrator gave up at t = {path.t[-1]:.3g}: {path.message}; loosen rtol or rescale Sigma")
    return path.t, path.y.T, bool(path.t_events[0].size)


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
        Converged means: the distance to the minimum is at most this multiple of the state's norm, the distance being bounded by
        the speed over ``u^2 l^2 m``, ``l`` and ``m`` the least positive eigenvalues of Sigma and of S_L (the least positive
        curvature of the risk at a minimum).
    rtol : float
        Relative tolerance of the integrator.

    Returns
    -------
    Flow

    Raises
    ------
    ValueError
        For shapes that do not fit, or entries that are not finite.
    RuntimeError
        If the integrator fails.

    Examples
    --------
    >>> flow = integrate_flow(np.eye(2), np.eye(2), 1.0)
    >>> flow.converged, round(float(flow.u[-1] * flow.U[-1][0, 0]), 9)
    (True, 1.0)
    """
    S, A, v = _checked(Sigma, U0, u0, full=False)
    d, top = S.shape[0], float(np.linalg.norm(S, 2))

    def field(_: float, y: Floats) -> Floats:
        # Time runs in units of 1 / |Sigma|^2, so that no covariance is too small or too large.
        motion, speed = vector_field(S, y[:-1].reshape(d, d), y[-1], prompt_length=prompt_length, noise=noise)
        return np.append(motion.ravel(), speed) / top**2

    moving = np.linalg.eigvalsh(S) > 1e-12 * top
    # Sigma and S_L have the same eigenvectors and their eigenvalues the same order.
    slowest = [np.linalg.eigvalsh(M)[moving][0] / top for M in (S, effective_covariance(S, prompt_length, noise))]
    curvature = slowest[0] ** 2 * slowest[1] * top

    def threshold(y: Floats) -> float:
        return float(tolerance * curvature * y[-1] ** 2 * np.linalg.norm(y))

    t, y, stopped = _integrate(field, np.append(A.ravel(), v), 1e9 if t_max is None else t_max * top**2, threshold, rtol)
    U, u = y[:, :-1].reshape(-1, d, d), y[:, -1]
    risk = np.array([icl_risk(S, a, b, prompt_length=prompt_length, noise=noise) for a, b in zip(U, u)])
    return Flow(t / top**2, U, u, risk, stopped and bool(risk[-1] < np.trace(S) / 2 * (1 - 1e-9)))


def integrate_full_flow(
    Sigma: Any, U0: Any, v0: Any, *, noise: float = 0.0, t_max: float = 1e6, tolerance: float = 1e-10, rtol: float = 1e-11
) -> Flow:
    """Integrate the infinite-prompt flow of all parameters, without assuming any block structure.

    Parameters
    ----------
    Sigma : array (d, d)
        Covariance of the covariates.
    U0 : array (d + 1, d + 1)
        Start of the query-key matrix.
    v0 : array (d + 1,)
        Start of the last row of the value matrix.
    noise, t_max, rtol
        As in `integrate_flow`.
    tolerance : float
        The flow counts as converged when its speed is below this multiple of the state's norm.

    Returns
    -------
    Flow

    Raises
    ------
    ValueError, RuntimeError
        As in `integrate_flow`.

    Examples
    --------
    >>> flow = integrate_full_flow(np.eye(1), np.diag([1.0, 0.0]), np.array([0.0, 0.5]))
    >>> flow.converged, bool(abs(flow.risk[-1]) < 1e-9)
    (True, True)
    """
    S, A, v = _checked(Sigma, U0, v0, full=True)
    n = len(v)

    def field(_: float, y: Floats) -> Floats:
        to_U, to_v = full_risk_gradient(S, y[:-n].reshape(n, n), y[-n:], noise=noise)
        return -np.append(to_U.ravel(), to_v)

    t, y, stopped = _integrate(field, np.append(A.ravel(), v), t_max, lambda y: tolerance * float(np.linalg.norm(y)), rtol)
    U, w = y[:, :-n].reshape(-1, n, n), y[:, -n:]
    risk = np.array([full_risk(S, a, b, noise=noise) for a, b in zip(U, w)])
    return Flow(t, U, w, risk, stopped and bool(risk[-1] < np.trace(S) / 2 * (1 - 1e-9)))
