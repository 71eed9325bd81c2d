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
    """Ctrl-C while jobs were computed: what is stored stays, and the message says how to go on."""


class Stopped(Exception):
    """Raised inside the work of a job that is to end at its next checkpoint."""


@dataclass(frozen=True, eq=False)
class Job:
    """A piece of work with an array as its result."""

    #: What it is, for people.
    label: str
    #: JSON-able: everything that determines the array, the digest of the code included.
    content: Mapping[str, Any]
    #: Seconds that it takes, roughly: long jobs are begun first, and the time left follows from it.
    work: float
    #: Returns the array, a function of the content alone.
    compute: Callable[[Attempt], Floats]
    #: A job that is computed before, and whose array the attempt finds in ``needed``.
    needs: Job | None = None

    @cached_property
    def key(self) -> str:
        """The digest of the content, under which the array is stored."""
        return content_digest(dict(self.content))

    def about(self, seconds: float | None = None) -> dict[str, Any]:
        """What a store says about the array, with its processor time where that is known."""
        took = {} if seconds is None else {"seconds": round(seconds, 3)}
        return {"label": self.label, "content": dict(self.content)} | took


class Attempt:
    """A job while it is computed: what it is given, and how far it is. ``needed`` is the array of
    ``job.needs``; in ``checkpoint`` unfinished work may be kept, and may lie already from an
    attempt that was ended; ``stop`` is set when every attempt is to end at its next checkpoint.

    ``share`` of the job is done, from 0 to 1; ``inherited`` was done already in the checkpoint from
    which this attempt went on.
    """

    def __init__(self, job: Job, needed: Floats | None, checkpoint: Path | None, stop: Event) -> None:
        self.job, self.needed, self.checkpoint = job, needed, checkpoint
        self.began, self.share, self.inherited = time.monotonic(), 0.0, 0.0
        self._stop, self._asked = stop, False

    def advance(self, done: int, total: int) -> None:
        """To be called by long work, the first time before anything is done and then just after
        each checkpoint. Raises `Stopped`, to be let through, if the work is to end here.
        """
        if self._stop.is_set():
            raise Stopped
        self.share = done / max(total, 1)
        if not self._asked and self.share < 1:
            self._asked, self.inherited = True, self.share


@dataclass(frozen=True)
class Progress:
    """How far a set of jobs is."""

    #: Jobs whose arrays are stored, of ``total``.
    done: int
    total: int
    #: Of those done, the ones that were stored before, or by another process since.
    reused: int
    #: Of the work that was left at the beginning, in time: from 0 to 1.
    share: float
    #: By the clock, from the speed measured so far; at the beginning, from the jobs' own estimates.
    seconds_left: float
    #: The labels of what is being computed in this process, the longest first.
    running: tuple[str, ...] = ()

    @property
    def computed(self) -> int:
        """Jobs that were computed now."""
        return self.done - self.reused

    def show(self, advance: Callable[[float, float, str, float], None]) -> None:
        """Show this on a `numerics.terminal.progress.progress_bar`.

        >>> Progress(3, 8, reused=1, share=0.25, seconds_left=60.0).show(print)
        0.25 1.0 3 of 8 jobs 60.0
        """
        advance(self.share, 1.0, f"{self.done} of {self.total} jobs", self.seconds_left)
