"""Checks that the exact engines share: prompt lengths, and entries so large that products of four
of them exceed the range of floats.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from numerics.quadrature.softmax_weights import check_lengths
from theory.inputs.arrays import real_array

__all__ = ["overflow_refused", "read_lengths"]

Floats = NDArray[np.float64]
#: Largest entry; the fourth power of a larger one may exceed the range of floats.
LARGEST = 1e30


def read_lengths(lengths: ArrayLike) -> Floats:
    """The prompt lengths as a vector of floats: whole numbers from 1 to 1e100."""
    L = np.atleast_1d(real_array("lengths", lengths))
    if L.ndim != 1 or not L.size:
        raise TypeError(f"lengths must be a whole number or a sequence of them, not {lengths!r:.200}")
    check_lengths(L)
    return L


def overflow_refused(arrays: Mapping[str, Floats]) -> None:
    """Refuse arrays with entries whose products of four may exceed the range of floats, by a
    ValueError.
    """
    for name, array in arrays.items():
        if not (np.isfinite(array).all() and np.abs(array).max() <= LARGEST):
            raise ValueError(f"{name} makes products that overflow a float; choose other units")
