"""How far a long computation is: a bar on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["block_progress", "duration", "progress_bar"]

#: Seconds between two lines in a log.
EVERY = 10.0


@contextmanager
def progress_bar(quiet: bool, doing: str) -> Iterator[Callable[[int, int], None]]:
    """A bar on stderr, if somebody is looking at it; a function of (done, total) that moves it.

    Parameters
    ----------
    quiet : bool
        Show nothing.
    doing : str
        What takes the time.

    Examples
    --------
    >>> with progress_bar(True, "drawing prompts") as advance:
    ...     advance(1, 2)
    """
    if quiet or not sys.stderr.isatty():
        yield lambda done, total: None
        return
    with _bar() as bar:
        task = bar.add_task(doing, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextmanager
def block_progress(quiet: bool, clock: Callable[[], float] = time.monotonic) -> Iterator[Callable[[int, int, int, int], None]]:
    """The same for work in blocks, with lines on stderr where it is no terminal.

    Parameters
    ----------
    quiet : bool
        Show nothing.
    clock : callable
        Seconds.

    Yields
    ------
    callable
        Of (blocks done, blocks, tokens done, tokens): the time left is told from the tokens, the
        work that takes it. Call it at the beginning too, when blocks may be done that took no time.

    Examples
    --------
    >>> with block_progress(True) as advance:
    ...     advance(1, 2, 1000, 11000)
    """
    if quiet:
        yield lambda blocks, of_blocks, tokens, of_tokens: None
    elif sys.stderr.isatty():
        with _bar() as bar:
            task = bar.add_task("", total=None)
            yield lambda blocks, of_blocks, tokens, of_tokens: bar.update(
                task, description=f"{blocks} of {of_blocks} blocks", completed=tokens, total=max(tokens, of_tokens, 1)
            )
    else:
        yield _lines(clock)


def _bar() -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    return Progress(*columns, console=Console(stderr=True), transient=True)


def _lines(clock: Callable[[], float]) -> Callable[[int, int, int, int], None]:
    """A line at most every `EVERY` seconds; a short computation prints none."""
    started = last = clock()

    def advance(blocks: int, of_blocks: int, tokens: int, of_tokens: int) -> None:
        nonlocal last
        now = clock()
        if now - last < EVERY or tokens == 0:
            return
        last = now
        left = (now - started) * (of_tokens - tokens) / tokens
        share = 100 * tokens // of_tokens
        print(f"{blocks} of {of_blocks} blocks, {share} % of the tokens, about {duration(left)} left", file=sys.stderr, flush=True)

    return advance


def duration(seconds: float) -> str:
    """A rough time for people.

    Examples
    --------
    >>> duration(14.2), duration(100), duration(4000)
    ('14 s', '1 min 40 s', '1 h 7 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    minutes = round(seconds / 60)
    return f"{minutes // 60} h {minutes % 60} min"
