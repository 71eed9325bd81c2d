"""What a job is: a function whose array is kept under a digest of everything that determines it.

The blocks of a sweep and the trainings behind the figures are jobs; `numerics.jobs.runner.perform`
computes them, and a `numerics.jobs.store.Store` keeps their arrays.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
from numpy.typing import NDArray

from numerics.jobs.content import content_digest

__all__ = ["Attempt", "Interrupted", "Job", "Progress", "Stopped"]

Floats = NDArray[np.float64]


class Interrupted(KeyboardInterrupt):
    """Ctrl-C while jobs were computed: what is stored stays stored, and the message says how to go
    on.
    """


class Stopped(Exception):
    """Raised inside the work of a job that is to end at its next checkpoint."""


@dataclass(frozen=True, eq=False)
class Job:
    """A piece of work with an array as its result.

    Parameters
    ----------
    label : str
        What it is, for people.
    content : mapping
        JSON-able: everything that determines the array, the digest of the code included.
    work : float
        Seconds that it takes, roughly: long jobs are begun first, and the time left follows from
        it.
    compute : callable
        Of an `Attempt`; returns the array, a function of the content alone.
    needs : Job, optional
        A job that is computed before, and whose array the attempt finds in ``needed``.
    """

    label: str
    content: Mapping[str, Any]
    work: float
    compute: Callable[[Attempt], Floats]
    needs: Job | None = None

    @cached_property
    def key(self) -> str:
        """The digest of the content, under which the array is stored.

        Examples
        --------
        >>> job = lambda label: Job(label, {"L": 10}, 1.0, lambda attempt: np.zeros(1))
        >>> job("one").key == job("the same").key
        True
        """
        return content_digest(dict(self.content))

    def about(self, seconds: float | None = None) -> dict[str, Any]:
        """What a store says about the array, with the processor time that it took where that is
        known.
        """
        took = {} if seconds is None else {"seconds": round(seconds, 3)}
        return {"label": self.label, "content": dict(self.content)} | took


class Attempt:
    """A job while it is computed: what it is given, and how far it is.

    Parameters
    ----------
    job : Job
    needed : ndarray or None
        The array of ``job.needs``.
    checkpoint : Path or None
        Where unfinished work may be kept; it may lie there already, from an attempt that was ended.
    stop : Event
        Set when every attempt is to end at its next checkpoint.

    Attributes
    ----------
    share : float
        The part of the job that is done, from 0 to 1.
    inherited : float
        The part that was done already in the checkpoint from which this attempt went on.
    """

    def __init__(self, job: Job, needed: Floats | None, checkpoint: Path | None, stop: Event) -> None:
        self.job, self.needed, self.checkpoint = job, needed, checkpoint
        self.began, self.share, self.inherited = time.monotonic(), 0.0, 0.0
        self._stop, self._asked = stop, False

    def advance(self, done: int, total: int) -> None:
        """To be called by long work, the first time before anything is done and then just after
        each checkpoint.

        Raises
        ------
        Stopped
            If the work is to end here; let it through.
        """
        if self._stop.is_set():
            raise Stopped
        self.share = done / max(total, 1)
        if not self._asked and self.share < 1:
            self._asked, self.inherited = True, self.share


@dataclass(frozen=True)
class Progress:
    """How far a set of jobs is.

    Parameters
    ----------
    done, total : int
        Jobs whose arrays are stored, and all of them.
    reused : int
        Of those done, the ones that were not computed now: they were stored before, or another
        process has stored them since.
    share : float
        Of the work that was left at the beginning, in time: from 0 to 1.
    seconds_left : float
        What is left by the clock, from the speed measured so far; at the beginning, from the jobs'
        own estimates.
    running : tuple of str
        The labels of what is being computed in this process, the longest first.
    """

    done: int
    total: int
    reused: int
    share: float
    seconds_left: float
    running: tuple[str, ...] = ()

    @property
    def computed(self) -> int:
        """Jobs that were computed now."""
        return self.done - self.reused

    def show(self, advance: Callable[[float, float, str, float], None]) -> None:
        """Show this on a `numerics.terminal.progress.progress_bar`.

        Examples
        --------
        >>> Progress(3, 8, reused=1, share=0.25, seconds_left=60.0).show(print)
        0.25 1.0 3 of 8 jobs 60.0
        """
        advance(self.share, 1.0, f"{self.done} of {self.total} jobs", self.seconds_left)
