"""A cache for the making of kernels."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cache, wraps
from typing import ParamSpec, TypeVar, cast

__all__ = ["once"]

P = ParamSpec("P")
T = TypeVar("T")


def once(make: Callable[P, T]) -> Callable[P, T]:
    """`functools.cache` that makes each kernel once also if several threads ask for it at the same
    time.

    Two makings would be two kernels, and each would be compiled.

    Examples
    --------
    >>> once(int)("7")
    7
    """
    cached, lock = cast("Callable[P, T]", cache(make)), threading.Lock()

    @wraps(make)
    def locked(*args: P.args, **kwargs: P.kwargs) -> T:
        with lock:
            return cached(*args, **kwargs)

    return locked
