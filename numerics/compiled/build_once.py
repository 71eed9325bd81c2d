"""Builds each compiled kernel once, also when several threads ask for it at the same time."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cache, wraps
from typing import ParamSpec, TypeVar, cast

__all__ = ["once"]

P = ParamSpec("P")
T = TypeVar("T")


def once(make: Callable[P, T]) -> Callable[P, T]:
    """A `functools.cache` that calls the function once for each argument, also when several threads
    call it at the same time: without the lock two could build the same kernel, and each would be
    compiled.
    """
    cached, lock = cast("Callable[P, T]", cache(make)), threading.Lock()

    @wraps(make)
    def locked(*args: P.args, **kwargs: P.kwargs) -> T:
        with lock:
            return cached(*args, **kwargs)

    return locked
