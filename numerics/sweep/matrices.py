"""The matrices and vectors that a grid names: lists of numbers, the shorthands ``diagonal`` and
``identity``, or files.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from numerics.terminal.arrays import read_array
from numerics.terminal.inputs import InputError

__all__ = ["LARGEST_DIMENSION", "SHAPES", "number", "read_matrix", "read_vector", "scaled"]

Floats = NDArray[np.float64]
#: A single number in a grid may ask for no larger dimension.
LARGEST_DIMENSION = 1024
SHAPES = ("matrix", "diagonal", "identity", "file")
#: How an error tells to write a matrix.
SPELLINGS = (
    "matrix = [[1, 0], [0, 2]], diagonal = [1, 2], identity = 2 (each with scale = 0.5, if you like) or file "
    "= 'U.npy'"
)


def number(value: Any, what: str) -> float:
    """A finite real number."""
    if isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= sys.float_info.max:
        return float(value)
    raise InputError(f"{what} = {value!r:.80} is not a finite number; write one such as 0.5")


def read_vector(value: Any, folder: Path, inputs: dict[str, str], what: str) -> Floats:
    """A list of numbers, or the name of a file in `folder` as `numerics.terminal.arrays` reads it,
    whose SHA-256 goes into `inputs`. `what` is what an error calls it.
    """
    array = _from_file(value, folder, inputs, what) if isinstance(value, str) else value
    if isinstance(array, list):
        array = np.array([number(v, f"{what}[{i}]") for i, v in enumerate(array)])
    if not isinstance(array, np.ndarray) or array.ndim != 1 or array.size == 0:
        raise InputError(
            f"{what} must be a list of numbers such as [1.0, -1.0], or the name of a file with one"
        )
    return array


def read_matrix(value: Any, folder: Path, inputs: dict[str, str], what: str) -> Floats:
    """A matrix as `read_vector` reads vectors: nested lists, a table with one of the keys `SHAPES`
    and perhaps ``scale``, or the name of a file.
    """
    if not isinstance(value, dict):
        return _rows(value, folder, inputs, what)
    given = [key for key in value if key != "scale"]
    if len(given) != 1 or given[0] not in SHAPES:
        has = f"has {', '.join(given)}" if given else "has no entries"
        raise InputError(f"{what} {has}; give exactly one of {SPELLINGS}")
    key, content = given[0], value[given[0]]
    if key == "identity":
        if isinstance(content, bool) or not isinstance(content, int) or not 1 <= content <= LARGEST_DIMENSION:
            raise InputError(
                f"{what}: identity = {content!r:.80} is no dimension; give an integer from 1 "
                f"to {LARGEST_DIMENSION}"
            )
        array: Floats = np.eye(content)
    elif key == "diagonal":
        entries = read_vector(content, folder, inputs, f"{what}: diagonal")
        if entries.size > LARGEST_DIMENSION:
            raise InputError(
                f"{what}: diagonal has {entries.size} entries; at most {LARGEST_DIMENSION} are possible"
            )
        array = np.diag(entries)
    else:
        array = _rows(content, folder, inputs, f"{what}: {key}")
    return scaled(array, number(value.get("scale", 1.0), f"{what}: scale"), f"{what}: scale")


def scaled(array: Floats, factor: float, what: str) -> Floats:
    """The array times a number; an `InputError` if that overflows."""
    with np.errstate(over="ignore"):
        product = factor * array
    if not np.all(np.isfinite(product)):
        raise InputError(f"{what} = {factor:g} makes entries too large for floats; take a smaller one")
    return product


def _rows(value: Any, folder: Path, inputs: dict[str, str], what: str) -> Floats:
    array = _from_file(value, folder, inputs, what) if isinstance(value, str) else value
    if (
        isinstance(array, list)
        and array
        and all(isinstance(row, list) and len(row) == len(array[0]) > 0 for row in array)
    ):
        array = np.array(
            [[number(v, f"{what}[{i}][{j}]") for j, v in enumerate(row)] for i, row in enumerate(array)]
        )
    if not isinstance(array, np.ndarray) or array.ndim != 2 or array.size == 0:
        raise InputError(f"{what} must be a matrix with rows of equal length; give {SPELLINGS}")
    return array


def _from_file(name: str, folder: Path, inputs: dict[str, str], what: str) -> Floats:
    try:
        array, digest = read_array(folder / name)
    except InputError as error:
        raise InputError(f"{what}: {str(error).replace(str(folder / name), f'{name:.80}')}") from error
    inputs[Path(name).name] = digest
    return np.asarray(array)
