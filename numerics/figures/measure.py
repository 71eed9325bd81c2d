"""The runs behind Figures 1 to 8: what the folder has is taken from there, the rest is trained and kept."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from numerics.figures.plan import Plan
from numerics.figures.results import Measurements

__all__ = ["Interrupted", "Progress", "measure"]


@dataclass(frozen=True)
class Progress:
    """How far a measurement is.

    Parameters
    ----------
    done, total : int
        Pieces of work that are finished, and all of them.
    reused : int
        Of those finished, the ones that lay in the folder.
    share : float
        Of the work that was left at the beginning, in time: from 0 to 1.
    seconds_left : float
        What is left by the clock, from the speed measured so far.
    running : tuple of str
        What is being computed, the longest first.
    """

    done: int
    total: int
    reused: int
    share: float
    seconds_left: float
    running: tuple[str, ...]


class Interrupted(KeyboardInterrupt):
    """Ctrl-C in the middle of a measurement; what is stored stays so, and the message says how to go on."""


def measure(
    plan: Plan,
    *,
    folder: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    progress: Callable[[Progress], None] | None = None,
    _train: Callable[..., Any] | None = None,
) -> Measurements:
    """Train what the plan says and measure what the figures show.

    Parameters
    ----------
    plan : Plan
    folder : str or path-like, optional
        Where finished work and checkpoints are kept; made if missing. The same call goes on where a killed one was; several at the
        same time share the work. Results of other code or other settings stay there unused.
    threads : int, optional
        One for every processor by default. The numbers do not depend on it.
    progress : callable, optional
        Called with a `Progress` at the beginning, about every second, and after every piece of work.

    Returns
    -------
    Measurements

    Raises
    ------
    Interrupted
        At Ctrl-C.
    TypeError, ValueError
        If `plan` is none, `threads` is no integer from 1 to 1024, or the folder cannot be used.
    """
    raise NotImplementedError
