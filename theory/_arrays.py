"""The door for real arrays: shapes are written with letters, and one letter means one size in all arguments of a call."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["read_arrays"]

Floats = NDArray[np.float64]


def read_arrays(**arguments: tuple[ArrayLike, str]) -> tuple[Floats, ...]:
    """Real arrays of floats whose shapes fit together.

    Parameters
    ----------
    **arguments : (array_like, str)
        Value and shape, such as ``U=(U, "d d")``.

    Returns
    -------
    tuple of ndarray

    Raises
    ------
    TypeError
        If an argument does not consist of real numbers.
    ValueError
        If an entry is not finite, an array is empty, or shapes do not fit.

    Examples
    --------
    >>> x, M = read_arrays(x=([1, 2], "d"), M=([[1, 0]], "n d"))
    >>> M @ x
    array([1.])
    """
    sizes: dict[str, tuple[int, str]] = {}
    out = []
    for name, (value, shape) in arguments.items():
        array = _floats(name, value)
        letters = shape.split()
        wanted = f"({', '.join(letters)}{',' * (len(letters) == 1)})"
        if array.ndim != len(letters):
            hint = f"; write it as {name}[None, :]" if (array.ndim, len(letters)) == (1, 2) else ""
            raise ValueError(f"{name} has shape {array.shape}, but {wanted} is needed{hint}")
        for letter, size in zip(letters, array.shape):
            if size == 0:
                raise ValueError(f"{name} is empty: its shape is {array.shape}, and {letter} is at least 1")
            known, where = sizes.setdefault(letter, (size, name))
            if known != size:
                raise ValueError(
                    f"{name} has shape {array.shape}, but {wanted} with {letter} = {known} is needed, as {where} has it"
                )
        out.append(array)
    return tuple(out)


def _floats(name: str, value: ArrayLike) -> Floats:
    try:
        raw = np.asarray(value)
        if raw.dtype.kind in "cSUMmb":
            raise TypeError
        array = np.asarray(raw, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be an array of real numbers, not {value!r}") from None
    if not np.isfinite(array).all():
        raise ValueError(f"{name} has the entry {array[~np.isfinite(array)].flat[0]}; every entry must be finite")
    return array
