"""Runs the trainings behind the figures of a paper, of which finished ones are kept in a folder."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Hashable, Mapping
from typing import Any, NamedTuple, TypeVar

from threadpoolctl import threadpool_limits

from numerics.jobs.job import Job, Progress
from numerics.jobs.runner import perform, thread_count
from numerics.jobs.store import Store
from numerics.jobs.workspace import Workspace

__all__ = ["Runs", "run_jobs"]

K = TypeVar("K", bound=Hashable)


class Runs(NamedTuple):
    """The numbers of each job, and the seconds by the clock and of processor time."""

    numbers: Mapping[Any, Any]
    seconds: float
    work_seconds: float


def run_jobs(
    jobs: Mapping[K, Job],
    folder: str | os.PathLike[str] | None,
    threads: int | None,
    progress: Callable[[Progress], None],
) -> Runs:
    """Run every job that the folder does not hold; finished runs are kept there, and the same call
    goes on where a killed one was. The numbers do not depend on the threads.

    >>> import numpy as np
    >>> job = Job("one", {"n": 1}, 1.0, lambda attempt: np.ones((1, 1)))
    >>> run_jobs({"a": job}, None, 1, lambda state: None).numbers
    {'a': array([[1.]])}
    """
    began = time.monotonic()
    # Products of matrices as small as these take many times as long on several threads of BLAS.
    with threadpool_limits(1, user_api="blas"), Store() if folder is None else Workspace(folder) as store:
        numbers = perform(jobs.values(), store, threads=thread_count(threads), progress=progress)
        work = math.fsum(float(store.about(key)["seconds"]) for key in numbers)
    return Runs({key: numbers[job.key] for key, job in jobs.items()}, time.monotonic() - began, work)
