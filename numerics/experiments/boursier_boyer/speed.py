"""How long a step of SGD takes, as on an ordinary processor or timed on this machine: from this the
runs of a plan are ordered, and the time left is told.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

__all__ = ["Speed", "ordinary", "seconds_per_step"]

#: Of the attention and the prompt length: seconds that a step takes.
Speed = Callable[[str, int], float]
#: Microseconds that a step takes on an ordinary processor, and each token of a prompt in it.
MICROSECONDS = {"softmax": (3.0, 0.11), "linear": (4.0, 0.0), "coupled": (6.0, 0.36)}
#: A timing that takes this many seconds is exact enough.
LONG_ENOUGH = 0.1


def ordinary(attention: str, L: int) -> float:
    """Seconds of a step where nothing was measured; good enough to begin with the longest runs."""
    step, token = MICROSECONDS[attention]
    return 1e-6 * (step + token * L)


def seconds_per_step(
    train: Callable[..., Any],
    wanted: Iterable[tuple[str, int]],
    clock: Callable[[], float] = time.perf_counter,
) -> Speed:
    """The seconds of a step, of attention and prompt length: the shortest and the longest prompts
    of each attention are timed; what lies between is interpolated.

    >>> now = iter([0.0, 0.8, 0.0, 3.2])
    >>> train = lambda *args, **kwargs: None
    >>> speed = seconds_per_step(train, [("softmax", 10), ("softmax", 30)], lambda: next(now))
    >>> round(speed("softmax", 20), 3)
    0.25
    """
    lengths: dict[str, set[int]] = {}
    for attention, L in wanted:
        lengths.setdefault(attention, set()).add(L)
    known = {
        attention: {L: _timed(train, attention, L, clock) for L in sorted({min(of), max(of)})}
        for attention, of in lengths.items()
    }
    return lambda attention, L: (
        float(np.interp(L, list(known[attention]), list(known[attention].values())))
        if attention in known
        else ordinary(attention, L)
    )


def _timed(train: Callable[..., Any], attention: str, L: int, clock: Callable[[], float]) -> float:
    train(attention, L, steps=1)  # compiles
    steps = 8
    while True:
        began = clock()
        train(attention, L, steps=steps, every=steps)
        took = clock() - began
        if took > LONG_ENOUGH:
            return took / steps
        steps *= 2
