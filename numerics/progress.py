"""How far a long computation is: a bar on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["progress_bar"]


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
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(doing, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
