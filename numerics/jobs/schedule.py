"""Pieces of work on threads: the longest first, each stored at once, with the time that is left."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
from numpy.typing import NDArray

from numerics.jobs.workspace import Folder, Memory
from numerics.sweep.blocks import canonical

__all__ = ["Interrupted", "Progress", "Task", "perform"]

Floats = NDArray[np.float64]
#: Seconds between two looks at what is running, and at the work of another process.
LOOK = 0.5
BEGUN = "what was begun is kept up to its last checkpoint"


@dataclass(frozen=True)
class Progress:
    """How far a measurement is.

    Parameters
    ----------
    done, total : int
        Pieces of work that are finished, and all of them.
    reused : int
        Of those finished, the ones that were not computed here: they lay in the folder, or another
        process has put them there.
    share : float
        Of the work that was left at the beginning, in time: from 0 to 1.
    seconds_left : float
        What is left by the clock, from the speed measured so far.
    running : tuple of str
        What is being computed here, the longest first.
    """

    done: int
    total: int
    reused: int
    share: float
    seconds_left: float
    running: tuple[str, ...]


class Interrupted(KeyboardInterrupt):
    """Ctrl-C in the middle of a measurement; what is stored stays so, and the message says how to
    go on.
    """


class _Stopped(Exception):
    """Raised inside work that is to end at its next checkpoint."""


@dataclass(frozen=True, eq=False)
class Task:
    """A piece of work.

    Parameters
    ----------
    says : str
        What it is, for people.
    content : mapping
        JSON-able: everything that determines the numbers.
    work : float
        Seconds that it takes, roughly.
    compute : callable
        Of the numbers of `needs` (or None), the path of a checkpoint (or None) and a function of
        (done, total) that is to be called now and then, just after a checkpoint; gives the numbers.
    needs : Task, optional
        Computed before.
    """

    says: str
    content: Mapping[str, Any]
    work: float
    compute: Callable[[Floats | None, Path | None, Callable[[int, int], None]], Floats]
    needs: Task | None = None

    @cached_property
    def key(self) -> str:
        """SHA-256 of the content.

        Examples
        --------
        >>> task = lambda says: Task(says, {"L": 10}, 1.0, lambda need, path, advance: np.zeros(1))
        >>> task("one").key == task("the same").key
        True
        """
        return hashlib.sha256(canonical(dict(self.content)).encode()).hexdigest()


#: Of a task and its numbers: tasks that these call for.
Follow = Callable[[Task, Floats], Sequence[Task]]


class _Job:
    """A task on a thread: when it began, which part of it is done, and which part its checkpoint
    had.
    """

    def __init__(self, task: Task, stop: Event) -> None:
        self.task, self.began, self.done, self.before, self._stop = task, time.monotonic(), 0.0, 0.0, stop
        self._said = False

    def advance(self, done: int, total: int) -> None:
        """What the work calls just after a checkpoint."""
        if self._stop.is_set():
            raise _Stopped
        self.done = done / max(total, 1)
        if not self._said and self.done < 1:
            self._said, self.before = True, self.done

    def run(self, folder: Folder | Memory, needed: Floats | None) -> tuple[Floats, float | None] | None:
        """The numbers, and the seconds by the clock if it was here; None if another process is at
        them.
        """
        task = self.task
        with folder.turn(task.key) as mine:
            if not mine:
                return None
            if found := folder.get([task.key]):
                return found[task.key], None
            began = time.thread_time()
            numbers = task.compute(needed, folder.checkpoint(task.key), self.advance)
            about = {"says": task.says, "content": task.content, "seconds": round(time.thread_time() - began, 3)}
            folder.put(task.key, numbers, about)
            return numbers, time.monotonic() - self.began


class _Crew:
    """Tasks that wait, that run here, and that another process is at."""

    def __init__(self, tasks: Sequence[Task], folder: Folder | Memory, threads: int, follow: Follow) -> None:
        self.folder, self.threads, self.follow, self.stop = folder, threads, follow, Event()
        self.waiting: list[Task] = []
        self.elsewhere: list[Task] = []
        self.running: dict[Future[tuple[Floats, float | None] | None], _Job] = {}
        self.results: dict[str, Floats] = {}
        self.known: set[str] = set()
        self.reused = 0
        self.work = self.worked = self.busy = self.asked = 0.0
        self.add(tasks)

    def add(self, tasks: Sequence[Task]) -> None:
        """New tasks; those whose numbers are there already are done, and so may be what follows
        from them.
        """
        new = {task.key: task for task in tasks if task.key not in self.known}
        self.known |= new.keys()
        found = self.folder.get(new)
        self.reused += len(found)
        missing = [task for key, task in new.items() if key not in found]
        self.waiting = sorted([*self.waiting, *missing], key=lambda task: -task.work)
        self.work += sum(task.work for task in missing)
        for key, numbers in found.items():
            self.finish(new[key], numbers)

    def finish(self, task: Task, numbers: Floats) -> None:
        """Keep the numbers of a task, and add what follows from them."""
        self.results[task.key] = numbers
        self.add(self.follow(task, numbers))

    def begin(self, pool: ThreadPoolExecutor) -> None:
        """Give every idle thread the longest task whose need is met."""
        ready = (task for task in list(self.waiting) if task.needs is None or task.needs.key in self.results)
        for task in islice(ready, self.threads - len(self.running)):
            self.waiting.remove(task)
            job = _Job(task, self.stop)
            needed = None if task.needs is None else self.results[task.needs.key]
            self.running[pool.submit(job.run, self.folder, needed)] = job

    def collect(self) -> None:
        """Take what is ready, after `LOOK` seconds at most."""
        for future in wait(self.running, timeout=LOOK, return_when=FIRST_COMPLETED).done:
            job = self.running.pop(future)
            outcome = future.result()
            if outcome is None:
                self.elsewhere.append(job.task)
                continue
            numbers, seconds = outcome
            if seconds is None:
                self.reused += 1
                self.work -= job.task.work
            else:
                self.worked += job.task.work * (1 - job.before)
                self.busy += seconds
            self.finish(job.task, numbers)

    def ask_again(self) -> None:
        """Now and then, while a thread is idle: is another process done with its tasks, or gone?"""
        now = time.monotonic()
        if len(self.running) < self.threads and now - self.asked >= LOOK:
            self.waiting, self.elsewhere, self.asked = [*self.elsewhere, *self.waiting], [], now

    def progress(self) -> Progress:
        """How far all of it is."""
        jobs = sorted(self.running.values(), key=lambda job: -job.task.work * (1 - job.done))
        now = time.monotonic()
        left = [job.task.work * (1 - job.done) for job in jobs] + [task.work for task in (*self.waiting, *self.elsewhere)]
        worked = self.worked + sum(job.task.work * (job.done - job.before) for job in jobs)
        busy = self.busy + sum(now - job.began for job in jobs if job.done > 0)
        slower = busy / worked if worked > 0 and busy > LOOK else 1.0
        return Progress(
            done=len(self.results),
            total=len(self.known),
            reused=self.reused,
            share=max(0.0, 1 - sum(left) / self.work) if self.work > 0 else 1.0,
            seconds_left=slower * max([sum(left) / self.threads, *left]),
            running=tuple(job.task.says for job in jobs),
        )


def perform(
    tasks: Sequence[Task],
    folder: Folder | Memory,
    *,
    threads: int,
    progress: Callable[[Progress], None] = lambda done: None,
    follow: Follow = lambda task, numbers: (),
) -> dict[str, Floats]:
    """The numbers of every task, from the folder or computed.

    Parameters
    ----------
    tasks : sequence of Task
        With everything that they need.
    folder : Folder or Memory
        Other processes may work in the same folder: a task is begun by one of them only.
    threads : int
    progress : callable
        Called with a `Progress` at the beginning, about twice a second, and at the end.
    follow : callable
        Of a task and its numbers: tasks that these call for.

    Returns
    -------
    dict
        By the key of the task.

    Raises
    ------
    Interrupted
        At Ctrl-C: what was running has been brought to its next checkpoint.

    Examples
    --------
    >>> halves = [Task(f"half of {n}", {"n": n}, 1.0, lambda need, path, advance, n=n: np.array([n / 2])) for n in (1, 2)]
    >>> [numbers.tolist() for numbers in perform(halves, Memory(), threads=2).values()]
    [[0.5], [1.0]]
    """
    crew = _Crew(tasks, folder, threads, follow)
    try:
        with ThreadPoolExecutor(threads) as pool:
            try:
                progress(crew.progress())
                while crew.waiting or crew.running or crew.elsewhere:
                    crew.begin(pool)
                    if crew.running:
                        crew.collect()
                    else:
                        time.sleep(LOOK)
                    crew.ask_again()
                    progress(crew.progress())
            except BaseException:
                crew.stop.set()
                raise
    except KeyboardInterrupt:
        ready = len(folder.get(crew.known))
        raise Interrupted(
            f"interrupted; {ready} of {len(crew.known)} pieces are stored, {BEGUN}; the same command goes on"
        ) from None
    return {task.key: crew.results[task.key] for task in tasks} | crew.results
