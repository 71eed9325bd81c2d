"""Says on stderr that a kernel is about to be compiled, before the silent seconds begin.

Nothing is said of a kernel that Numba finds in its cache, in worker processes (of which the first
to come would each say it), and within `hushed`.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

__all__ = ["QUADRATURE", "SAMPLING", "SAMPLING_QUANTILE", "TRAINING", "announced", "hushed"]

T = TypeVar("T")
TRAINING = "compiling the training kernels: about a quarter of a minute; this happens once"
SAMPLING = "compiling the sampling kernels: some seconds; this happens once"
QUADRATURE = "compiling the quadrature kernels: some seconds; this happens once"
SAMPLING_QUANTILE = (
    "compiling the sampling kernel of your quantile function: some seconds; this happens in every process"
)
#: What to say before a dispatcher of Numba is compiled.
_SAYINGS: dict[Any, str] = {}
#: What has been said in this process: kernels of one kind share their line.
_SAID: set[str] = set()
_hushes = 0


def announced(kernel: T, line: str) -> T:
    """The kernel itself; when Numba begins to compile it, the line is printed on stderr, once in a
    process: what is compiled, how long that takes, and how often.
    """
    if not _SAYINGS:
        _listen()
    _SAYINGS[kernel] = line
    return kernel


@contextmanager
def hushed() -> Iterator[None]:
    """Say nothing meanwhile: for commands that were asked to be quiet."""
    global _hushes
    _hushes += 1
    try:
        yield
    finally:
        _hushes -= 1


def _listen() -> None:
    """Ask Numba to be told when it compiles, which it does only where its cache has nothing."""
    from numba.core import event

    class Begin(event.Listener):
        def on_start(self, event: Any) -> None:
            _say(_SAYINGS.get((event.data or {}).get("dispatcher")))

        def on_end(self, event: Any) -> None:
            pass

    event.register("numba:compile", Begin())


def _say(line: str | None) -> None:
    worker = multiprocessing.parent_process() is not None or "PYTEST_XDIST_WORKER" in os.environ
    if line is None or line in _SAID or worker or _hushes or sys.stderr is None:
        return
    _SAID.add(line)
    print(line, file=sys.stderr, flush=True)
