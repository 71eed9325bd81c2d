"""How far a measurement is, for people: a bar on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from numerics.terminal.progress import duration

if TYPE_CHECKING:
    from numerics.jobs.schedule import Progress

__all__ = ["EVERY", "in_words", "shown"]

#: Seconds between two lines in a log.
EVERY = 30.0


@contextmanager
def shown(quiet: bool, clock: Callable[[], float] = time.monotonic) -> Iterator[Callable[[Progress], None]]:
    """What `measure` takes as its `progress`; it writes to stderr.

    Parameters
    ----------
    quiet : bool
        Show nothing.
    clock : callable
        Seconds.

    Examples
    --------
    >>> from numerics.jobs.schedule import Progress
    >>> with shown(True) as progress:
    ...     progress(Progress(0, 404, 0, 0.0, 1000.0, ()))
    """
    if quiet:
        yield lambda done: None
    elif sys.stderr.isatty():
        with _bar() as show:
            yield show
    else:
        yield _lines(clock)


def in_words(done: Progress) -> str:
    """How far, and how long it will still take.

    Examples
    --------
    >>> from numerics.jobs.schedule import Progress
    >>> in_words(Progress(12, 404, 10, 0.25, 700.0, ()))
    '12 of 404 pieces, 25 % of the work, about 11 min 40 s left'
    """
    return f"{done.done} of {done.total} pieces, {100 * done.share:.0f} % of the work, about {duration(done.seconds_left)} left"


@contextmanager
def _bar() -> Iterator[Callable[[Progress], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as Bar

    with Bar(TextColumn("{task.description}"), BarColumn(), console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("timing a step", total=1.0)
        yield lambda done: bar.update(task, completed=done.share, description=in_words(done))


def _lines(clock: Callable[[], float]) -> Callable[[Progress], None]:
    """The estimate at the beginning, unless there is nothing to do, and then a line at most every
    `EVERY` seconds.
    """
    last = -float("inf")

    def show(done: Progress) -> None:
        nonlocal last
        if done.share < 1 and clock() - last >= EVERY:
            last = clock()
            print(in_words(done), file=sys.stderr, flush=True)

    return show
