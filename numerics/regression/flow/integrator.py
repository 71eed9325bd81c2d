"""The integrators of the gradient flows of the in-context risk, up to a last time or until the flow
stands still. A compiled field is followed by the compiled method of Dormand and Prince. That method
is explicit: where parts of a flow differ so much in speed that it would need too many steps, LSODA,
which has an implicit method, follows the flow instead.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theory.inputs.arrays import read_arrays

__all__ = ["Field", "by_python", "check_positive", "check_start", "follow", "follow_compiled"]

Floats = NDArray[np.float64]
#: ``field(y, constants, out)`` writes the motion of the state y into out and returns the speed
#: below which the flow counts as standing still there; Numba compiles it.
Field = Callable[[Floats, Floats, Floats], float]
#: Steps after which a compiled flow counts as stiff: those of the claims take less.
MOST_STEPS = 20_000
#: Steps for which room is made at a time.
ROOM = 2048
#: Evaluations of the field after which the integrator gives up: the flows of the claims take some
#: thousands.
MOST_EVALUATIONS = 100_000
TOO_STIFF = (
    "parts of the flow differ too much in speed; give a covariance, a noise and a start of like sizes, a "
    "larger rtol, or an earlier last time"
)


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
    """Integrate ``y' = motion(y)`` from ``start`` at time 0: times (k,), states (k, n), and whether
    the flow stood still before the end. `still` is the speed of a state less that below which it
    counts as standing still. The absolute tolerance is a thousandth of ``rtol`` times ``size``, the
    size of entries.

    >>> slow = lambda y: abs(y[0]) - 1e-3
    >>> t, y, stopped = follow(lambda y: -y, slow, np.ones(1), 100.0, rtol=1e-8)
    >>> stopped, bool(abs(t[-1] - np.log(1000)) < 1e-4)
    (True, True)
    """
    # If `times` are given they are reported up to the end, whether or not the flow stands still; by
    # default these are the integrator's own steps, until it does. `unit` is that of time in an
    # error message.
    from scipy.integrate import solve_ivp

    event: Any = lambda _, y: still(y)
    event.terminal = True
    evaluations = count(1)

    def counted(t: float, y: Floats) -> Floats:
        if next(evaluations) > MOST_EVALUATIONS:
            raise RuntimeError(
                f"the integrator gave up at t = {t * unit:.3g} after {MOST_EVALUATIONS} steps: {TOO_STIFF}"
            )
        return motion(y)

    with warnings.catch_warnings():
        warnings.filterwarnings(
            "ignore", message="lsoda", category=UserWarning
        )  # the error below says the same
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
        raise RuntimeError(
            f"the integrator gave up at t = {path.t[-1] * unit:.3g}: {path.message} {TOO_STIFF}"
        )
    return path.t, path.y.T, times is None and bool(path.t_events[0].size)


def by_python(
    field: Field, constants: Floats
) -> tuple[Callable[[Floats], Floats], Callable[[Floats], float]]:
    """A compiled field as `follow` asks for it: its motion, and what says when it stands still.

    >>> from numerics.regression.flow.dormand_prince import a_decay
    >>> motion, still = by_python(a_decay, np.array([2.0]))
    >>> motion(np.ones(1)).tolist(), still(np.ones(1))
    ([-2.0], 1.999)
    """
    from numerics.regression.flow.dormand_prince import python_field

    compiled = python_field(field)

    def motion(y: Floats) -> Floats:
        out = np.empty(len(y))
        compiled(y, constants, out)
        return out

    def still(y: Floats) -> float:
        out = np.empty(len(y))
        limit = compiled(y, constants, out)
        return math.hypot(*out) - float(limit)

    return motion, still


def follow_compiled(
    field: Field,
    constants: Floats,
    start: Floats,
    end: float,
    *,
    rtol: float,
    size: float = 1.0,
    times: Floats | None = None,
    unit: float = 1.0,
) -> tuple[Floats, Floats, bool]:
    """Integrate as `follow` does, for a compiled field (see `Field`), a function at the top of a
    module in what Numba compiles, which is handed the constants besides the state.
    """
    from numerics.regression.flow.dormand_prince import FULL, STILL, STUCK, compiled_field, steps

    y, clock, left = np.array(start, dtype=float), np.zeros(2), MOST_STEPS
    constants, atol = np.array(constants, dtype=float), 1e-3 * rtol * size
    at, states = ([np.zeros(1)], [y[None, :].copy()]) if times is None else ([times], [])
    room, found, motion = (np.empty(ROOM), np.empty((ROOM, len(y)))), FULL, compiled_field(field)
    for until in [end] if times is None else times:
        found = FULL
        while found == FULL:
            found, stored, tried = steps(
                motion, constants, y, clock, until, rtol, atol, times is None, left, *room
            )
            left -= tried
            if times is None:
                at.append(room[0][:stored].copy())
                states.append(room[1][:stored].copy())
        if found == STUCK:
            break
        if times is not None:
            states.append(y[None, :].copy())
    if found == STUCK:
        return follow(*by_python(field, constants), start, end, rtol=rtol, size=size, times=times, unit=unit)
    return np.concatenate(at), np.concatenate(states), found == STILL


def check_positive(**numbers: float) -> None:
    """Refuse times and tolerances that are not above 0.

    >>> check_positive(rtol=1e-8)
    """
    for name, number in numbers.items():
        (value,) = read_arrays(**{name: (number, "")})
        if value <= 0:
            raise ValueError(
                f"{name} = {number} is not positive; the integration needs a time and tolerances above 0"
            )


def check_start(*numbers: float | Floats) -> None:
    """Refuse a flow whose speed at the start, or whose unit of time, is no float.

    >>> check_start(2.0, np.ones(3))
    """
    if not all(np.isfinite(x).all() for x in numbers):
        raise ValueError(
            "the flow leaves the range of floats at its start; give Sigma, the noise and "
            "the start in other units"
        )
