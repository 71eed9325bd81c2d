"""Arrays as nested lists of hexadecimal floats, so that JSON keeps every bit of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["as_hex", "from_hex"]


def as_hex(array: ArrayLike) -> Any:
    """Hexadecimal floats of real numbers, nested as the array is: every bit, in one spelling."""
    # Adding 0.0 turns -0.0 into 0.0, so that equal arrays have one spelling.
    return _spelled((np.asarray(array, dtype=float) + 0.0).tolist())


def from_hex(nested: Any) -> NDArray[np.float64]:
    """The array that `as_hex` spelled."""
    return np.array(_read(nested), dtype=float)


def _spelled(value: Any) -> Any:
    return [_spelled(v) for v in value] if isinstance(value, list) else value.hex()


def _read(value: Any) -> Any:
    return [_read(v) for v in value] if isinstance(value, list) else float.fromhex(value)
