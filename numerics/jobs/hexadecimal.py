"""Arrays as nested lists of hexadecimal floats, so that JSON keeps every bit of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["as_hex", "from_hex"]


def as_hex(array: ArrayLike) -> Any:
    """Nested lists of hexadecimal floats: every bit, in one spelling.

    Parameters
    ----------
    array : array_like
        Real numbers, of any shape.

    Returns
    -------
    list or str
        Nested as the array is; one string for a single number.

    Examples
    --------
    >>> as_hex([[0.5, -0.0]])
    [['0x1.0000000000000p-1', '0x0.0p+0']]
    """
    # Adding 0.0 turns -0.0 into 0.0, so that equal arrays have one spelling.
    return _spelled((np.asarray(array, dtype=float) + 0.0).tolist())


def from_hex(nested: Any) -> NDArray[np.float64]:
    """The array that `as_hex` spelled.

    Examples
    --------
    >>> from_hex(as_hex([0.1, 3.0])).tolist()
    [0.1, 3.0]
    """
    return np.array(_read(nested), dtype=float)


def _spelled(value: Any) -> Any:
    return [_spelled(v) for v in value] if isinstance(value, list) else value.hex()


def _read(value: Any) -> Any:
    return [_read(v) for v in value] if isinstance(value, list) else float.fromhex(value)
