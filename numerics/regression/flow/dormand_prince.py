"""A compiled integrator of gradient flows: the method of Dormand and Prince, which is of order 5
and estimates the error of every step. One kernel serves every flow, because a flow hands in its
field as a compiled function of the state and of one array of constants (Numba's `cfunc`), so that a
further flow costs the compilation of its field only.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import cfunc, njit
from numpy.typing import NDArray

from numerics.compiled.build_once import once

__all__ = ["ENDED", "FIELD", "FULL", "STILL", "STUCK", "a_decay", "compiled_field", "python_field", "steps"]

Floats = NDArray[np.float64]
#: ``field(y, constants, out)`` writes the motion of the state y into out and returns the speed
#: below which the flow counts as standing still there.
FIELD = "float64(float64[::1], float64[::1], float64[::1])"
#: Options of every compilation; a division by 0 is no error, as in NumPy.
OPTIONS: dict[str, Any] = {"cache": True, "error_model": "numpy"}
#: What became of a call of `steps`: the last time is reached, the flow stands still, there is room
#: for no more states, or the steps are used up or too short.
ENDED, STILL, FULL, STUCK = range(4)

#: Halvings of the step in which a flow comes to stand still.
BISECTIONS = 40

#: The coefficients of Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I, Table
#: II.5.2: of the seven stages (the last is the new state), and of the estimate of the error.
STAGES = np.array(
    [
        [0, 0, 0, 0, 0, 0],
        [1 / 5, 0, 0, 0, 0, 0],
        [3 / 40, 9 / 40, 0, 0, 0, 0],
        [44 / 45, -56 / 15, 32 / 9, 0, 0, 0],
        [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729, 0, 0],
        [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656, 0],
        [35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84],
    ]
)
ERROR = np.array([71 / 57600, 0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40])


def a_decay(y: Floats, rates: Floats, out: Floats) -> float:
    """The field ``y' = -rates y`` as an example of one: it stands still at a speed of 1/1000."""
    for i in range(len(y)):
        out[i] = -rates[i] * y[i]
    return 1e-3


@once
def compiled_field(field: Any) -> Any:
    """The field of a flow, a function at the top of a module, compiled for `steps`.

    >>> compiled_field(a_decay) is compiled_field(a_decay)
    True
    """
    return cfunc(FIELD, **OPTIONS)(field)


@once
def python_field(field: Any) -> Any:
    """The field of a flow, compiled to be called from Python."""
    return njit(FIELD, **OPTIONS)(field)


@njit(
    f"float64(FunctionType({FIELD}), float64[::1], float64[::1], float64, float64[:, ::1], float64[::1])",
    **OPTIONS,
)
def _one_step(field: Any, constants: Floats, y: Floats, step: float, k: Floats, z: Floats) -> float:
    """One step from y, whose motion is in ``k[0]``: the other stages go to k and the new state to
    z. The answer is the speed at z over that below which the flow stands still.
    """
    limit = 0.0
    for s in range(1, 7):
        for i in range(len(y)):
            w = 0.0
            for r in range(s):
                w += STAGES[s, r] * k[r, i]
            z[i] = y[i] + step * w
        limit = field(z, constants, k[s])
    speed = 0.0
    for i in range(len(y)):
        speed += k[6, i] ** 2
    return math.sqrt(speed) / limit


@njit(
    f"UniTuple(int64, 3)(FunctionType({FIELD}), float64[::1], float64[::1], float64[::1], float64, float64, "
    "float64, boolean, int64, float64[::1], float64[:, ::1])",
    **OPTIONS,
)
def steps(
    field: Any,
    constants: Floats,
    y: Floats,
    clock: Floats,
    end: float,
    rtol: float,
    atol: float,
    until_still: bool,
    most: int,
    times: Floats,
    states: Floats,
) -> tuple[int, int, int]:
    """Steps of the method from the state y (n,) at ``clock[0]`` until the end or, if wanted, until
    the flow stands still: why it returned (`ENDED`, `STILL`, `FULL` or `STUCK`), the steps stored
    in `times` (k,) and `states` (k, n), and those tried, of which there are at most `most`.

    >>> y, times, states = np.ones(1), np.empty(500), np.empty((500, 1))
    >>> field, unit, clock = compiled_field(a_decay), np.ones(1), np.zeros(2)
    >>> found, stored, _ = steps(field, unit, y, clock, 99.0, 1e-9, 1e-12, True, 500, times, states)
    >>> found == STILL, bool(abs(times[stored - 1] + np.log(y[0])) < 1e-5)
    (True, True)
    """
    # `clock` is the time and the length of the next step, 0 if it is to be found; it and y are
    # moved. The estimate of the error of each step is at most atol + rtol |y|, in the mean square
    # over the entries.
    n, stored, tried = len(y), 0, 0
    k, z, t, h = np.empty((7, n)), np.empty(n), clock[0], clock[1]
    limit = field(y, constants, k[0])
    speed = 0.0
    for i in range(n):
        speed += k[0, i] ** 2
    if until_still and math.sqrt(speed) <= limit:
        return STILL, stored, tried
    while True:
        if t >= end:
            return ENDED, stored, tried
        if stored == len(times):
            return FULL, stored, tried
        if h == 0.0:  # a first guess: the state moves by about the fifth root of the tolerance
            fast = 0.0
            for i in range(n):
                fast = max(fast, abs(k[0, i]) / (atol + rtol * abs(y[i])))
            h = 0.01 * rtol**-0.8 / fast if fast > 0 else end - t
        while True:  # until the error of a step is small enough
            if tried >= most or not t + h > t:
                return STUCK, stored, tried
            tried += 1
            last = t + h >= end
            step = end - t if last else h
            pace = _one_step(field, constants, y, step, k, z)
            total = 0.0
            for i in range(n):
                w = 0.0
                for r in range(7):
                    w += ERROR[r] * k[r, i]
                total += (step * w / (atol + rtol * max(abs(y[i]), abs(z[i])))) ** 2
            error = math.sqrt(total / n)
            if error <= 1.0:
                break
            # An error that is no number comes from a step that left the floats.
            h = step * (max(0.2, 0.9 * error**-0.2) if error < 1e300 else 0.2)
        if not last:  # a step that the end cuts short says nothing about the next
            h = step * min(5.0, max(0.2, 0.9 * (error + 1e-30) ** -0.2))
        still = until_still and pace <= 1.0
        if still:  # the flow ends where it came to stand still, which depends on no length of a step
            short, long = 0.0, step
            for _ in range(BISECTIONS):
                step = (short + long) / 2
                if _one_step(field, constants, y, step, k, z) <= 1.0:
                    long = step
                else:
                    short = step
        t = end if last and not still else t + step
        for i in range(n):
            y[i] = z[i]
            k[0, i] = k[6, i]
            states[stored, i] = z[i]
        times[stored] = t
        stored += 1
        clock[0], clock[1] = t, h
        if still:
            return STILL, stored, tried
