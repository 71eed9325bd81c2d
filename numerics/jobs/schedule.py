"""The schedule of a set of jobs: which is begun when and where, and how far all of them are."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import closing
from heapq import heappop, heappush
from itertools import count
from threading import Event

import numpy as np
from numpy.typing import NDArray

from numerics.jobs.job import Attempt, Job, Progress
from numerics.jobs.store import Store

__all__ = ["Elsewhere", "Follow", "Schedule"]

Floats = NDArray[np.float64]
#: Seconds between two looks at what is running, and at the jobs of another process.
LOOK = 0.5
#: Of a job and its array: further jobs that these call for.
Follow = Callable[[Job, Floats], Sequence[Job]]
#: Computes jobs outside this process: reads them as fast as it needs them, and gives back the key
#: and the array of each, in any order.
Elsewhere = Callable[[Iterator[Job]], Generator[tuple[str, Floats], None, None]]


class Schedule:
    """Which jobs wait, which are computed in this process, and which another process computes:
    ``jobs`` are all of them, ``arrays`` those of the ones that are done, by key.
    """

    def __init__(self, store: Store, threads: int, follow: Follow) -> None:
        self.store, self.threads, self.follow, self.stop = store, threads, follow, Event()
        self.jobs: dict[str, Job] = {}
        self.arrays: dict[str, Floats] = {}
        self.reused = 0
        self._waiting: list[tuple[float, int, Job]] = []  # a heap with the longest chain first
        self._chains: dict[str, float] = {}  # work of a job and of the longest chain of jobs that wait for it
        self._numbers = count()  # break ties in it, so that jobs of equal work keep their order
        self._held: dict[str, list[Job]] = {}  # jobs that need one which is not done, by the key of that
        self._taken: list[Job] = []  # jobs that another process was at when this one asked
        self._running: dict[Future[tuple[Floats, float | None] | None], Attempt] = {}
        self._asked = 0.0
        # Work is in the seconds that the jobs estimate, `_busy` in seconds by the clock.
        self._work = self._left = self._worked = self._busy = 0.0

    def add(self, jobs: Iterable[Job]) -> None:
        """Take in new jobs and those that they need; stored ones are done, and call for others."""
        new: dict[str, Job] = {}
        for job in jobs:
            wanted: Job | None = job
            chain = 0.0
            while wanted is not None:
                chain += wanted.work
                self._chains[wanted.key] = max(chain, self._chains.get(wanted.key, 0.0))
                if wanted.key not in self.jobs:
                    self.jobs[wanted.key] = new[wanted.key] = wanted
                wanted = wanted.needs
        found = self.store.get(new)
        self.reused += len(found)
        for key, job in new.items():
            if key in found:
                continue
            self._work += job.work
            self._left += job.work
            if job.needs is None or job.needs.key in self.arrays:
                self._push(job)
            else:
                self._held.setdefault(job.needs.key, []).append(job)
        for key, array in found.items():
            self._finish(new[key], array)

    def on_threads(self) -> Generator[None, None, None]:
        """Compute what waits; the kernels release the global lock of Python. Yields when something
        has moved. After an error, or when the generator is closed, no job is begun; those that are
        running come to an end, or to their next checkpoint, before it goes on.
        """
        with ThreadPoolExecutor(self.threads) as pool:
            try:
                while len(self.arrays) < len(self.jobs):
                    while self._waiting and len(self._running) < self.threads:
                        self._begin(pool, self._pop())
                    if not self._running:
                        time.sleep(LOOK)
                    for future in wait(self._running, timeout=LOOK, return_when=FIRST_COMPLETED).done:
                        self._collect(future)
                        yield
                    self._ask_again()
                    yield
            except BaseException:
                self.stop.set()
                raise

    def run_elsewhere(self, elsewhere: Elsewhere) -> Generator[None, None, None]:
        """Have the jobs computed outside this process. Yields after every job."""
        if not self._waiting:
            return
        began = time.monotonic()
        with closing(elsewhere(self._still_missing())) as finished:
            for key, array in finished:
                job = self.jobs[key]
                self.store.put(key, array, job.about())
                self._worked += job.work
                self._busy = self.threads * (time.monotonic() - began)
                self._left -= job.work
                self._finish(job, array)
                yield

    def progress(self) -> Progress:
        """How far all of it is."""
        attempts = sorted(self._running.values(), key=lambda attempt: -attempt.job.work * (1 - attempt.share))
        now = time.monotonic()
        # The running sum of what is left carries rounding errors; at the end exactly nothing is.
        finished = len(self.arrays) == len(self.jobs)
        left = 0.0 if finished else max(0.0, self._left - sum(a.job.work * a.share for a in attempts))
        longest = [-work for work, _, _ in self._waiting[:1]] + [
            a.job.work * (1 - a.share) for a in attempts[:1]
        ]
        worked = self._worked + sum(a.job.work * (a.share - a.inherited) for a in attempts)
        busy = self._busy + sum(now - a.began for a in attempts if a.share > 0)
        slower = busy / worked if worked > 0 and busy > LOOK else 1.0
        return Progress(
            done=len(self.arrays),
            total=len(self.jobs),
            reused=self.reused,
            share=max(0.0, 1 - left / self._work) if self._work > 0 else 1.0,
            seconds_left=slower * max([left / self.threads, *longest, *(job.work for job in self._taken)]),
            running=tuple(attempt.job.label for attempt in attempts),
        )

    def _push(self, job: Job) -> None:
        heappush(self._waiting, (-self._chains[job.key], next(self._numbers), job))

    def _pop(self) -> Job:
        return heappop(self._waiting)[2]

    def _finish(self, job: Job, array: Floats) -> None:
        """Keep an array, let go what needs it, and add what follows from it."""
        self.arrays[job.key] = array
        for held in self._held.pop(job.key, ()):
            self._push(held)
        if following := self.follow(job, array):
            self.add(following)

    def _reuse(self, job: Job, array: Floats) -> None:
        """Finish a job that another process has computed in the meantime."""
        self.reused += 1
        self._work -= job.work
        self._left -= job.work
        self._finish(job, array)

    def _begin(self, pool: ThreadPoolExecutor, job: Job) -> None:
        needed = None if job.needs is None else self.arrays[job.needs.key]
        attempt = Attempt(job, needed, self.store.checkpoint(job.key), self.stop)
        self._running[pool.submit(_compute, attempt, self.store)] = attempt

    def _collect(self, future: Future[tuple[Floats, float | None] | None]) -> None:
        attempt = self._running.pop(future)
        outcome, job = future.result(), attempt.job
        if outcome is None:
            self._taken.append(job)
            return
        array, seconds = outcome
        if seconds is None:
            self._reuse(job, array)
            return
        self._worked += job.work * (1 - attempt.inherited)
        self._busy += seconds
        self._left -= job.work
        self._finish(job, array)

    def _ask_again(self) -> None:
        """Now and then, while a thread is idle: is another process done with its jobs, or gone?"""
        now = time.monotonic()
        if self._taken and len(self._running) < self.threads and now - self._asked >= LOOK:
            self._asked = now
            while self._taken:
                self._push(self._taken.pop())

    def _still_missing(self) -> Iterator[Job]:
        """What waits, without the jobs that another process has stored in the meantime."""
        while self._waiting:
            job = self._pop()
            if found := self.store.get([job.key]):
                self._reuse(job, found[job.key])
            else:
                yield job


def _compute(attempt: Attempt, store: Store) -> tuple[Floats, float | None] | None:
    """Compute and store the array of a job, on a thread.

    Returns the array, and the seconds by the clock if it was computed here; None if another process
    is at it.
    """
    job = attempt.job
    with store.turn(job.key) as mine:
        if not mine:
            return None
        if found := store.get([job.key]):
            return found[job.key], None
        began = time.thread_time()
        array = job.compute(attempt)
        store.put(job.key, array, job.about(time.thread_time() - began))
        return array, time.monotonic() - attempt.began
