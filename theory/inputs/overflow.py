"""Refuses answers beyond the range of floats, in place of an infinity, a nan, or an error from
within a library.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import numpy as np

__all__ = ["within_floats"]

P = ParamSpec("P")
T = TypeVar("T")


def within_floats(what: str) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Decorates a function that computes ``what``, whose products may leave the range of floats
    although every argument lies in it: a float that overflows on the way, or a returned one that is
    not finite, is then a ValueError. SymPy expressions pass.
    """

    def decorated(function: Callable[P, T]) -> Callable[P, T]:
        @wraps(function)
        def checked(*args: P.args, **kwargs: P.kwargs) -> T:
            refused = f"{what} leaves the range of floats, which end at 1.8e308; choose other units"
            try:
                with np.errstate(over="raise", invalid="raise"):
                    found = function(*args, **kwargs)
            except (OverflowError, FloatingPointError, np.linalg.LinAlgError):
                raise ValueError(refused) from None
            if not all(map(_finite, found if isinstance(found, tuple) else (found,))):
                raise ValueError(refused)
            return found

        return checked

    return decorated


def _finite(part: Any) -> bool:
    floats = isinstance(part, float) or (isinstance(part, np.ndarray) and part.dtype != object)
    return not floats or bool(np.isfinite(part).all())
