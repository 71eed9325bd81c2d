"""Checks of the arrays that a caller passes.

Arrays must be real and finite, and of shapes that fit together. Shapes are written with letters,
and one letter means one size in all arguments of a call.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from theory.inputs.spectrum import EPS, RankWarning, refuse_lost_rank

__all__ = ["asymmetric", "is_symbolic", "read_arrays", "read_covariance", "read_in_kind", "real_array"]

Floats = NDArray[np.float64]
#: Relative size of asymmetry and of negative eigenvalues that counts as rounding.
ROUNDING = 1e-10
#: Rounding errors of the entries and of the eigenvalues of a computed covariance, in units of its
#: dimension, eps and its largest entry or eigenvalue.
ROUNDING_OF_ENTRIES, ROUNDING_OF_EIGENVALUES = 8, 64
#: What an array of Python objects may hold that NumPy would turn into a float without asking.
NO_REAL_NUMBERS = (bool, np.bool_, str, bytes, complex, np.complexfloating, type(None))


def read_arrays(**arguments: tuple[ArrayLike, str]) -> tuple[Floats, ...]:
    """Real arrays of floats whose shapes fit together, from pairs of value and shape such as
    ``U=(U, "d d")``; the shape of a number is ``""``.

    >>> x, M = read_arrays(x=([1, 2], "d"), M=([[1, 0]], "n d"))
    >>> M @ x
    array([1.])
    """
    arrays = {name: _floats(name, value) for name, (value, _) in arguments.items()}
    _check_shapes({name: (arrays[name].shape, shape) for name, (_, shape) in arguments.items()})
    return tuple(arrays.values())


def is_symbolic(value: Any) -> bool:
    """Whether a value is a SymPy matrix or expression; SymPy is not loaded to find out.

    >>> import sympy
    >>> is_symbolic(sympy.eye(2)), is_symbolic(np.eye(2))
    (True, False)
    """
    return any(base.__module__.startswith("sympy.") for base in type(value).__mro__)


def read_in_kind(**arguments: tuple[Any, str]) -> tuple[Any, ...]:
    """`read_arrays` for functions that answer in kind: SymPy matrices and expressions if any
    argument is symbolic, where a vector of shape ``"d"`` becomes a column; arrays and floats
    otherwise.

    >>> import sympy
    >>> a = sympy.Symbol("a")
    >>> read_in_kind(A=(sympy.eye(1), "d d"), x=([a], "d"))
    (Matrix([[1]]), Matrix([[a]]))
    """
    if not any(is_symbolic(value) for value, _ in arguments.values()):
        return tuple(x if x.ndim else float(x) for x in read_arrays(**arguments))
    read = {name: _expressions(name, value, len(shape.split())) for name, (value, shape) in arguments.items()}
    sizes = {
        name: getattr(read[name], "shape", ())[: len(shape.split())] for name, (_, shape) in arguments.items()
    }
    _check_shapes({name: (sizes[name], shape) for name, (_, shape) in arguments.items()})
    return tuple(read.values())


def read_covariance(name: str, value: ArrayLike) -> Floats:
    """A covariance (d, d), freed of the asymmetry of rounding; eigenvalues may be negative by
    rounding, and a RankWarning says so where one is negative by little more. One that was given
    exactly is refused where floats cannot tell its rank.
    """
    array = _floats(name, value)
    if array.ndim != 2 or array.shape[0] != array.shape[1] or not array.size:
        raise ValueError(
            f"{name} has shape {array.shape}, but a covariance is a square matrix (d, d) with d >= 1"
        )
    scale = float(abs(array).max())
    if (found := asymmetric(array, ROUNDING, EPS)) is not None:
        i, j = found
        raise ValueError(
            f"{name} is not symmetric: {name}[{i}, {j}] = {array[i, j]} but {name}[{j}, {i}] = "
            f"{array[j, i]}; pass (M + M.T) / 2 if that is what you mean"
        )
    array = array / 2 + array.T / 2
    least, largest = (float(x) for x in np.linalg.eigvalsh(array)[[0, -1]])
    diagonal = not np.any(array - np.diag(np.diag(array)))
    if least < (0 if diagonal else -ROUNDING * scale):
        raise ValueError(f"{name} has the eigenvalue {least:.6g}; a covariance is positive semidefinite")
    if least < -ROUNDING_OF_EIGENVALUES * len(array) * EPS * largest:
        warnings.warn(
            f"{name} has the eigenvalue {least:.6g}, more than rounding errors make of 0, on which an "
            "answer may rest; project it onto the nonnegative eigenvalues",
            RankWarning,
            stacklevel=2,
        )
    refuse_lost_rank(name, value, array)
    return array


def asymmetric(array: Floats, tolerance: float, eps: float) -> tuple[int, int] | None:
    """The indices of the entry that differs most from its mirror image; None if rounding may make
    the difference. The tolerance is relative to the standard deviations of the two variables;
    rounding errors ``eps`` of the largest entry are tolerated everywhere.

    >>> asymmetric(np.array([[1.0, 1e-9], [-1e-9, 1e-18]]), 1e-10, 2.0**-52)
    (0, 1)
    """
    with np.errstate(over="ignore"):
        gap, deviations = abs(array - array.T), np.sqrt(np.maximum(np.diag(array), 0.0))
        most = np.maximum(
            ROUNDING_OF_ENTRIES * len(array) * eps * abs(array).max(),
            tolerance * np.outer(deviations, deviations),
        )
    excess = gap / np.maximum(most, np.finfo(float).tiny)
    i, j = np.unravel_index(excess.argmax(), gap.shape)
    return (int(i), int(j)) if gap[i, j] > most[i, j] else None


def _check_shapes(shapes: dict[str, tuple[tuple[int, ...], str]]) -> None:
    """Refuse shapes that do not fit the letters, with the argument that fixed a letter first."""
    sizes: dict[str, tuple[int, str]] = {}
    for name, (found, shape) in shapes.items():
        letters = shape.split()
        wanted = f"({', '.join(letters)}{',' * (len(letters) == 1)})" if letters else "that of a number"
        if len(found) != len(letters):
            hint = f"; write it as {name}[None, :]" if (len(found), len(letters)) == (1, 2) else ""
            raise ValueError(f"{name} has shape {found}, but {wanted} is needed{hint}")
        for letter, size in zip(letters, found):
            if size == 0:
                raise ValueError(f"{name} is empty: its shape is {found}, and {letter} is at least 1")
            known, where = sizes.setdefault(letter, (size, name))
            if known != size:
                raise ValueError(
                    f"{name} has shape {found}, but {wanted} with {letter} = {known} is needed, as {where} "
                    "has it"
                )


def real_array(name: str, value: ArrayLike) -> Floats:
    """An array of floats of any shape; entries may be infinite or nan, integers beyond the range of
    floats are refused.

    >>> real_array("lengths", [10, 100])
    array([ 10., 100.])
    """
    try:
        raw = np.asarray(value)
        held = raw.flat if raw.dtype.kind == "O" else ()
        if (
            raw.dtype.kind not in "iufO"
            or np.ma.is_masked(value)
            or any(isinstance(x, NO_REAL_NUMBERS) for x in held)
        ):
            raise TypeError
        with np.errstate(invalid="ignore"):  # NumPy 1 warns of a NaN of another type, which stays one
            return np.asarray(raw, dtype=np.float64)
    except OverflowError:
        raise ValueError(
            f"{name} holds an integer beyond the range of floats, which end at 1.8e308; give a smaller one"
        ) from None
    except (TypeError, ValueError):
        raise TypeError(
            f"{name} must be an array of real numbers or one number, not {value!r:.200}"
        ) from None


def _floats(name: str, value: ArrayLike) -> Floats:
    array = real_array(name, value)
    if not np.isfinite(array).all():
        raise ValueError(
            f"{name} has the entry {array[~np.isfinite(array)].flat[0]}; every entry must be finite"
        )
    return array


def _expressions(name: str, value: Any, axes: int) -> Any:
    """A SymPy matrix or expression that can be real; a vector becomes a column."""
    import sympy as sp

    if not is_symbolic(value):
        value = _floats(name, value).tolist() if isinstance(value, np.ndarray) else value
    try:
        out = sp.Matrix(value) if axes else sp.sympify(value, strict=True)
        entries = list(out) if axes else [out]
    except (TypeError, ValueError, sp.SympifyError):
        entries = [sp.nan]
    if any(not isinstance(x, sp.Expr) or x.is_real is False or x.has(sp.nan, sp.oo, sp.zoo) for x in entries):
        raise TypeError(f"{name} must consist of real numbers or expressions, not {value!r:.200}")
    if axes == 1 and out.shape[1] != 1:
        raise ValueError(f"{name} has shape {out.shape}, but a column is needed")
    return out
