"""The one runner of jobs, for sweeps and for figures: it computes what a store does not have, and
stores each array at once.
"""

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
    """Compute and store the arrays of all jobs that the store does not have.

    Parameters
    ----------
    jobs : iterable of Job
        Those that they need are computed too. Long jobs are begun first, each counted with the
        longest chain of those that wait for it; those of equal work in this order.
    store : Store
        Other processes may work with the same one. A `numerics.jobs.workspace.Workspace` lets only
        one of them begin a job; with a plain store a job may be computed twice, to the same bits.
    threads : int
        In this process. The arrays do not depend on it.
    elsewhere : callable, optional
        Computes the jobs instead of these threads, if there is one to compute. Only for jobs that
        need no other one.
    progress : callable
        Called with a `Progress` at the beginning, about twice a second, and after every job.
    follow : callable
        Of a job and its array: further jobs that these call for.

    Returns
    -------
    dict of str to ndarray
        The array of every job, by its key, whether it was stored before or computed now.

    Raises
    ------
    Interrupted
        At Ctrl-C: what was running has been brought to its end, or to its next checkpoint.
    Exception
        Whatever the computation of a job raises, once the others have come to an end in the same
        way; a note on it says how many jobs are stored.

    Examples
    --------
    >>> def half(n):
    ...     return Job(f"half of {n}", {"n": n}, 1.0, lambda attempt: np.array([n / 2]))
    >>> with Store() as store:
    ...     [array.tolist() for array in perform([half(1), half(2)], store, threads=2).values()]
    [[0.5], [1.0]]
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
    """A number of threads, checked; where none is given, one for every processor.

    Parameters
    ----------
    threads : int or None
    name : str
        What an error calls it.

    Raises
    ------
    TypeError, ValueError
        If it is no integer from 1 to 1024.

    Examples
    --------
    >>> thread_count(2), thread_count(None) >= 1
    (2, True)
    """
    if threads is None:
        return min(os.cpu_count() or 1, MOST_THREADS)
    return read_whole(name, threads, "leave it out for one per processor", most=MOST_THREADS)
