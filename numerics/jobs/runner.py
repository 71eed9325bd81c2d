"""The one runner of jobs: it computes what a store does not have, and stores each array at once."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextlib import closing

import numpy as np
from numpy.typing import NDArray

from numerics.jobs.job import Interrupted, Job, Progress
from numerics.jobs.schedule import Elsewhere, Follow, Schedule
from numerics.jobs.store import Store, StoreError
from theory.inputs.whole_numbers import read_whole

__all__ = ["perform", "thread_count"]

Floats = NDArray[np.float64]
#: Systems refuse to start some thousands of threads.
MOST_THREADS = 1024


def perform(
    jobs: Iterable[Job],
    store: Store,
    *,
    threads: int = 1,
    elsewhere: Elsewhere | None = None,
    progress: Callable[[Progress], None] = lambda state: None,
    follow: Follow = lambda job, array: (),
) -> dict[str, Floats]:
    """Compute and store the arrays of all jobs that the store does not have, and of those that they
    need; returns the array of every job by its key. Long jobs are begun first, each counted with
    the longest chain of those that wait for it; those of equal work in this order. Other processes
    may work with the same store: a `numerics.jobs.workspace.Workspace` lets only one of them begin
    a job, with a plain store a job may be computed twice, to the same bits.

    The arrays do not depend on the number of threads. ``elsewhere`` computes the jobs instead of
    these threads, if there is one to compute, and only jobs that need no other one. ``progress`` is
    called at the beginning, about twice a second, and after every job. At Ctrl-C, and where a job
    raises an error, what was running is brought to its end or to its next checkpoint; a note on the
    error says how many jobs are stored.
    """
    schedule = Schedule(store, threads, follow)
    schedule.add(jobs)
    try:
        progress(schedule.progress())
        with closing(
            schedule.on_threads() if elsewhere is None else schedule.run_elsewhere(elsewhere)
        ) as steps:
            for _ in steps:
                progress(schedule.progress())
    except BaseException as error:
        # The jobs that were running have stored their arrays without having been counted.
        try:
            stored = len(store.get(schedule.jobs))
        except StoreError:
            stored = len(schedule.arrays)
        kept = f"{stored} of {len(schedule.jobs)} jobs are stored; the same command goes on"
        if isinstance(error, KeyboardInterrupt):
            raise Interrupted(f"interrupted; {kept}") from None
        error.add_note(kept)
        raise
    return {key: schedule.arrays[key] for key in schedule.jobs}


def thread_count(threads: int | None, name: str = "threads") -> int:
    """A number of threads from 1 to 1024; where none is given, one for every processor."""
    if threads is None:
        return min(os.cpu_count() or 1, MOST_THREADS)
    return read_whole(name, threads, "leave it out for one per processor", most=MOST_THREADS)
