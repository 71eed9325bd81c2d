"""The runs behind Figures 1 to 8: what the folder has is taken from there, the rest is trained and
kept.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from numerics.figures.plan import Plan
from numerics.figures.results import Gaps, Measurements
from numerics.figures.speed import ordinary, seconds_per_step
from numerics.figures.tasks import Engines, Work, engines
from numerics.jobs.schedule import Interrupted, Progress, perform
from numerics.jobs.workspace import Folder, Memory

__all__ = ["Interrupted", "Progress", "measure"]

Floats = NDArray[np.float64]
MOST_THREADS = 1024  # systems refuse some thousands


def measure(
    plan: Plan,
    *,
    folder: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    progress: Callable[[Progress], None] | None = None,
    _engines: Engines | None = None,
) -> Measurements:
    """Train what the plan says and measure what the figures show.

    Parameters
    ----------
    plan : Plan
    folder : str or path-like, optional
        Where finished work and checkpoints are kept; made if missing. The same call goes on where a
        killed one was; several at the same time share the work. Results of other code or other
        settings stay there unused.
    threads : int, optional
        One for every processor by default. The numbers do not depend on it.
    progress : callable, optional
        Called with a `Progress` at the beginning, about twice a second, and at the end. The time
        left that it says at the beginning comes from steps timed on this machine, later ones from
        the work itself.

    Returns
    -------
    Measurements

    Raises
    ------
    Interrupted
        At Ctrl-C.
    TypeError, ValueError
        If `plan` is none, `threads` is no integer from 1 to 1024, or the folder cannot be used.
    """
    if not isinstance(plan, Plan):
        raise TypeError(f"plan = {plan!r} is no Plan; take Plan.full(), or a Plan of your own")
    threads = min(os.cpu_count() or 1, MOST_THREADS) if threads is None else threads
    if isinstance(threads, bool) or not isinstance(threads, int):
        raise TypeError(f"threads = {threads!r} is no whole number")
    if not 1 <= threads <= MOST_THREADS:
        raise ValueError(f"threads = {threads} is outside 1 ... {MOST_THREADS}; leave it out for one per processor")
    began = time.monotonic()
    by = engines() if _engines is None else _engines
    kept = Memory() if folder is None else Folder(folder)
    try:
        work = Work(plan, by, ordinary)
        if progress is not None:
            stored = kept.get(task.key for task in work.runs.values())
            missing = [key for key, task in work.runs.items() if task.key not in stored]
            work = Work(plan, by, seconds_per_step(by.train, [(key.attention, key.L) for key in missing]))
        numbers = perform(work.tasks, kept, threads=threads, progress=progress or (lambda done: None), follow=work.follow)
        work_seconds = math.fsum(float(kept.about(key)["seconds"]) for key in numbers)
    except KeyboardInterrupt as stop:
        if isinstance(stop, Interrupted):
            raise
        raise Interrupted("interrupted before anything was begun; the same command starts again") from None
    finally:
        kept.close()
    return _assembled(work, numbers, time.monotonic() - began, work_seconds)


def _assembled(work: Work, numbers: Mapping[str, Floats], seconds: float, work_seconds: float) -> Measurements:
    plan, of = work.plan, lambda task: numbers[task.key]
    gaps = {}
    for covariance, variant in dict.fromkeys((c, v) for c, v, _ in work.gaps):
        rows = np.stack([of(work.gaps[covariance, variant, seed]) for seed in range(plan.gap_seeds)], axis=1)
        gaps[covariance, variant] = Gaps(np.array(plan.gap_lengths), *rows)
    # Where a coupled run diverged, the finals of the two alone have taken the place of its own.
    final = {key: (float(of(task)[0]), float(of(task)[1])) for key, task in work.final.items() if of(task).size}
    return Measurements(
        plan=plan,
        runs={key: work.training(key, of(task)) for key, task in work.runs.items()},
        gaps=gaps,
        final=final,
        exact={key: float(of(task)[0]) for key, task in work.exact.items()},
        bayes={key: (float(of(task)[0]), float(of(task)[1])) for key, task in work.bayes.items()},
        seconds=seconds,
        work_seconds=work_seconds,
    )
