from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from numba import njit

__all__ = ["called"]


@cache
def called(part: Any) -> Callable[..., Any]:
    """A part of a kernel as a function that Python can call."""
    kernel: Callable[..., Any] = njit(lambda *args: part(*args))
    return kernel
