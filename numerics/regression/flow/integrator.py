"""The integrator of the gradient flows of the in-context risk: LSODA up to a last time, or until
the flow stands still.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theory.inputs.arrays import read_arrays

__all__ = ["check_positive", "check_start", "follow"]

Floats = NDArray[np.float64]
#: Evaluations of the field after which the integrator gives up: the flows of the claims take some
#: thousands.
MOST_EVALUATIONS = 100_000


def follow(
    motion: Callable[[Floats], Floats],
    still: Callable[[Floats], float],
    start: Floats,
    end: float,
    *,
    rtol: float,
    size: float = 1.0,
    times: Floats | None = None,
    unit: float = 1.0,
) -> tuple[Floats, Floats, bool]:
    """Integrate ``y' = motion(y)`` from ``start`` at time 0.

    Parameters
    ----------
    motion : callable
    still : callable
        Of a state: its speed less the speed below which the flow counts as standing still.
    start : array (n,)
    end : float
        The last time.
    rtol : float
        Relative tolerance; the absolute one is a thousandth of it times ``size``.
    size : float
        Of the entries of a state.
    times : array (k,), optional
        Times to report, up to the end whether or not the flow stands still. By default the
        integrator's own steps, until it does.
    unit : float
        Of time in an error message.

    Returns
    -------
    times, states, stopped
        Shapes (k,) and (k, n), and whether the flow stood still before the end.

    Raises
    ------
    RuntimeError
        If the integrator fails, or does not arrive within `MOST_EVALUATIONS`.

    Examples
    --------
    >>> slow = lambda y: abs(y[0]) - 1e-3
    >>> t, y, stopped = follow(lambda y: -y, slow, np.ones(1), 100.0, rtol=1e-8)
    >>> stopped, bool(abs(t[-1] - np.log(1000)) < 1e-4)
    (True, True)
    """
    from scipy.integrate import solve_ivp

    event: Any = lambda _, y: still(y)
    event.terminal = True
    evaluations = count(1)

    def counted(t: float, y: Floats) -> Floats:
        if next(evaluations) > MOST_EVALUATIONS:
            raise RuntimeError(
                f"the integrator gave up at t = {t * unit:.3g} after {MOST_EVALUATIONS} steps: parts of the flow differ too much in"
                " speed; give a covariance, a noise and a start of like sizes, or a larger rtol"
            )
        return motion(y)

    path = solve_ivp(
        counted,
        (0.0, end),
        start,
        method="LSODA",
        rtol=rtol,
        atol=1e-3 * rtol * size,
        t_eval=times,
        events=event if times is None else None,
    )
    if path.status < 0:
        raise RuntimeError(f"the integrator gave up at t = {path.t[-1] * unit:.3g}: {path.message}; loosen rtol or rescale Sigma")
    return path.t, path.y.T, times is None and bool(path.t_events[0].size)


def check_positive(**numbers: float) -> None:
    """Refuse times and tolerances that are not above 0.

    Examples
    --------
    >>> check_positive(rtol=1e-8)
    """
    for name, number in numbers.items():
        (value,) = read_arrays(**{name: (number, "")})
        if value <= 0:
            raise ValueError(f"{name} = {number} is not positive; the integration needs a time and tolerances above 0")


def check_start(*numbers: float | Floats) -> None:
    """Refuse a flow whose speed at the start, or whose unit of time, is no float.

    Examples
    --------
    >>> check_start(2.0, np.ones(3))
    """
    if not all(np.isfinite(x).all() for x in numbers):
        raise ValueError("the flow leaves the range of floats at its start; give Sigma, the noise and the start in other units")
