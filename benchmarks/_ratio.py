"""Time two programs alternately in one run, so that whatever else the machine does falls on
both.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

#: Seconds of a run of a program.
LEAST = 0.02


def ratio(
    ours: Callable[[], object],
    theirs: Callable[[], object],
    *,
    repeats: int = 7,
    share: float = 1.0,
    clock: Callable[[], float] = time.perf_counter,
) -> str:
    """How many times faster `ours` is: median, least and greatest ratio of neighbouring runs, after
    one run of each to warm up.

    In each run a program is called as often in a row as takes LEAST seconds: a single call of a
    millisecond would time what the other program left in the caches. `theirs` may do a share of its
    work only, where that is proportional to time. The clock may be `time.process_time` where one
    thread does all the work: on a busy machine it leaves out what others do.
    """
    calls = [1 + int(LEAST / max(min(_seconds(p, 1, clock) for _ in range(2)), 1e-6)) for p in (ours, theirs)]
    ratios, times = [], []
    for _ in range(repeats):
        a, b = _seconds(ours, calls[0], clock), _seconds(theirs, calls[1], clock) / share
        ratios.append(b / a)
        times.append((a, b))
    fast, slow = (statistics.median(t) for t in zip(*times, strict=True))
    spread, of = (
        f"{min(ratios):.1f} to {max(ratios):.1f}",
        "wall time" if clock is time.perf_counter else "CPU time",
    )
    return (
        f"{statistics.median(ratios):8.1f} times  ({spread};  {1e3 * fast:.3g} ms of {of} against "
        f"{1e3 * slow:.3g} ms)"
    )


def typical(
    program: Callable[[], object], *, repeats: int = 5, clock: Callable[[], float] = time.process_time
) -> float:
    """Median seconds of a call after one to warm up, called as often in a row as takes LEAST."""
    program()
    calls = 1 + int(LEAST / max(_seconds(program, 1, clock), 1e-6))
    return statistics.median(_seconds(program, calls, clock) for _ in range(repeats))


def _seconds(program: Callable[[], object], calls: int, clock: Callable[[], float]) -> float:
    start = clock()
    for _ in range(calls):
        program()
    return (clock() - start) / calls
