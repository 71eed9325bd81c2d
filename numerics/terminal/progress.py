"""Shows on stderr how far a long computation is: trainings, sweeps, figures and rate reports share
this bar.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

from numerics.compiled.announce import hushed

__all__ = ["Advance", "counted", "duration", "progress_bar"]

#: Seconds between two lines where stderr is no terminal.
LINE_INTERVAL = 30.0


class Advance(Protocol):
    """Moves a bar. `numerics.train` and other engines take it as their ``progress``."""

    def __call__(self, done: float, total: float, doing: str = "", seconds_left: float | None = None) -> None:
        """Say how far the computation is: what it does now, and how long it will take if that is
        known better than from the time so far.
        """
        ...


@contextmanager
def progress_bar(quiet: bool, doing: str, clock: Callable[[], float] = time.monotonic) -> Iterator[Advance]:
    """A bar on a terminal. Elsewhere a line every half minute, and one at the beginning if the
    computation says that it takes longer than that. A quiet one shows nothing and announces no
    kernel that is compiled; `doing` says what takes the time, until the computation says it.
    """
    if quiet:
        with hushed():
            yield lambda done, total, doing="", seconds_left=None: None
        return
    began, before = clock(), 0.0

    def sentence(share: float, now: str, seconds_left: float | None) -> str:
        nonlocal began, before
        if share < before:  # another computation begins, whose pace is its own
            began = clock()
        before = share
        if seconds_left is None and share > 0:
            seconds_left = (clock() - began) * (1 - share) / share
        left = "" if seconds_left is None else f", about {duration(seconds_left)} left"
        return f"{now or doing}: {100 * share:.0f} % done{left}"

    if not sys.stderr.isatty():
        yield _lines(clock, sentence)
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    with Progress(
        TextColumn("{task.description}"), BarColumn(), console=Console(stderr=True), transient=True
    ) as bar:
        task = bar.add_task(doing, total=1.0)

        def move(done: float, total: float, doing: str = "", seconds_left: float | None = None) -> None:
            share = done / total if total > 0 else 0.0
            bar.update(task, completed=share, description=sentence(share, doing, seconds_left))

        yield move


def counted(advance: Advance, items: Sequence[str], doing: str) -> Iterator[str]:
    """The items one after the other, while a bar says which one is worked on.

    >>> show = lambda done, total, doing="", seconds_left=None: print(done, total, doing)
    >>> list(counted(show, ["BB:1", "BB:2"], "judging"))
    0 2 judging BB:1
    1 2 judging BB:2
    ['BB:1', 'BB:2']
    """
    for i, item in enumerate(items):
        advance(i, len(items), f"{doing} {item}")
        yield item


def _lines(clock: Callable[[], float], sentence: Callable[[float, str, float | None], str]) -> Advance:
    last, estimated = clock(), False

    def advance(done: float, total: float, doing: str = "", seconds_left: float | None = None) -> None:
        nonlocal last, estimated
        share = done / total if total > 0 else 0.0
        said = sentence(share, doing, seconds_left)
        estimate = not estimated and seconds_left is not None and seconds_left > LINE_INTERVAL
        if share < 1 and (estimate or clock() - last >= LINE_INTERVAL):
            last, estimated = clock(), True
            print(said, file=sys.stderr, flush=True)

    return advance


def duration(seconds: float) -> str:
    """A rough time for people."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    minutes = round(seconds / 60)
    return f"{minutes // 60} h {minutes % 60} min"
