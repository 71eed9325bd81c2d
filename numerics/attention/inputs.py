"""Checks that the exact engines share: prompt lengths, and sizes of entries whose products are floats."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from numerics.quadrature.softmax_weights import LARGEST_LENGTH

__all__ = ["overflow_refused", "read_lengths"]

Floats = NDArray[np.float64]
#: Entries beyond this have no fourth powers of products in a float.
LARGEST = 1e30


def read_lengths(lengths: ArrayLike) -> Floats:
    """A vector of whole numbers from 1 to 1e100, as floats."""
    try:
        raw = np.atleast_1d(np.asarray(lengths))
        if raw.ndim != 1 or not raw.size or raw.dtype.kind in "bcSUMm":
            raise TypeError
        L = raw.astype(float)
    except OverflowError:
        raise ValueError("a length is beyond the range of floats; prompt lengths go up to 1e100") from None
    except (TypeError, ValueError):
        raise TypeError(f"lengths must be a whole number or a sequence of them, not {lengths!r:.200}") from None
    bad = L[~((L >= 1) & (L <= LARGEST_LENGTH) & (np.floor(L) == L))]
    if bad.size:
        raise ValueError(f"lengths contain {bad[0]:g}; a prompt has at least one token, and L is a whole number up to 1e100")
    return L


def overflow_refused(arrays: Mapping[str, Floats]) -> None:
    """ValueError for entries whose products of four factors may be no floats."""
    for name, array in arrays.items():
        if not (np.isfinite(array).all() and np.abs(array).max() <= LARGEST):
            raise ValueError(f"{name} makes products that overflow a float; choose other units")
