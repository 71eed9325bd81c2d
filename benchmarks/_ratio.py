"""Time two programs alternately in one run, so that whatever else the machine does falls on
both.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable


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

    `theirs` may do a share of its work only, where that is proportional to time. The clock may be
    `time.process_time` where one thread does all the work: on a busy machine it leaves out what
    others do.
    """
    ours(), theirs()
    ratios, times = [], []
    for _ in range(repeats):
        a, b = _seconds(ours, clock), _seconds(theirs, clock) / share
        ratios.append(b / a)
        times.append((a, b))
    fast, slow = (statistics.median(t) for t in zip(*times, strict=True))
    spread, of = f"{min(ratios):.1f} to {max(ratios):.1f}", "CPU time" if clock is time.process_time else "wall time"
    return f"{statistics.median(ratios):8.1f} times  ({spread};  {1e3 * fast:.3g} ms of {of} against {1e3 * slow:.3g} ms)"


def _seconds(program: Callable[[], object], clock: Callable[[], float]) -> float:
    start = clock()
    program()
    return clock() - start
