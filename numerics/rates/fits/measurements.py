"""Checks of what the fits are given: prompt lengths, and positive values with their errors."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from theory.inputs.arrays import real_array

__all__ = ["measurements", "read_lengths"]

Floats = NDArray[np.float64]
#: Least and largest relative error of a measurement; its square must be a float.
RELATIVE_ERRORS = (1e-100, 1e100)


def measurements(
    lengths: ArrayLike, values: ArrayLike, standard_errors: ArrayLike, least: int
) -> tuple[Floats, Floats, Floats]:
    """The three arrays as floats, or an error that says what is wrong with them."""
    L, y, e = (
        read_lengths(lengths),
        real_array("values", values),
        real_array("standard_errors", standard_errors),
    )
    if L.ndim != 1 or L.shape != y.shape or L.shape != e.shape:
        raise ValueError(
            f"lengths, values and standard errors have shapes {L.shape}, {y.shape}, {e.shape}; give three "
            "vectors of one size"
        )
    if L.size < least:
        raise ValueError(f"{L.size} lengths determine no exponent here; measure at {least} or more")
    if not np.all(np.diff(np.log(L)) > 0):
        raise ValueError(
            f"the lengths {_shown(L)} must be increasing, each further from the last than rounding; sort and "
            "join them"
        )
    if not (np.all(np.isfinite(y)) and np.all(y > 0)):
        raise ValueError(
            f"the values {_shown(y)} must be positive and finite: a power law is fitted to their logarithms"
        )
    if not (np.all(np.isfinite(e)) and np.all(e > 0)):
        raise ValueError(
            f"the standard errors {_shown(e)} must be positive and finite: they are the weights of the fit;"
            " where nothing varies, give its rounding"
        )
    with np.errstate(over="ignore", under="ignore"):
        relative = e / y
    small, large = RELATIVE_ERRORS
    if not np.all((relative >= small) & (relative <= large)):
        raise ValueError(
            f"the standard errors relative to the values are {_shown(relative)}; their squares, the weights "
            f"of the fit, are floats from {small:g} to {large:g} only: give errors nearer to the values, at "
            "least their rounding"
        )
    return L, y, e


def read_lengths(lengths: ArrayLike, *, of_log: bool = False) -> Floats:
    """Prompt lengths as floats of any shape: at least 1, and above 1 if powers of ln L are meant.

    >>> read_lengths([10, 100])
    array([ 10., 100.])
    """
    L = real_array("lengths", lengths)
    if not np.all(np.isfinite(L) & (L >= 1)):
        raise ValueError(
            f"the lengths {_shown(L)} must be finite and at least 1: a prompt has at least one token"
        )
    if of_log and not np.all(L > 1):
        raise ValueError("one of the lengths is 1; powers of ln L need lengths above 1")
    return L


def _shown(array: Floats) -> str:
    few = ", ".join(f"{x:g}" for x in array.flat[:8])
    return f"[{few}, ... ({array.size} numbers)]" if array.size > 8 else f"[{few}]"
