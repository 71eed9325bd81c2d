"""Moments up to order four of samples that can be joined: a block leaves behind six numbers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["central_sums", "joined"]

Floats = NDArray[np.float64]


def central_sums(values: ArrayLike) -> Floats:
    """Number, mean, Σ (x − mean)^k for k = 2, 3, 4 and the largest of values (..., n)."""
    x = np.asarray(values, dtype=np.float64)
    sums = np.empty((*x.shape[:-1], 6))
    n, mean, two, three, four, largest = (sums[..., k] for k in range(6))  # views
    n[...] = x.shape[-1]
    np.divide(x.sum(axis=-1), x.shape[-1], out=mean)
    gap = x - mean[..., None]
    square = gap * gap
    square.sum(axis=-1, out=two)
    np.multiply(gap, square, out=gap).sum(axis=-1, out=three)
    np.multiply(square, square, out=square).sum(axis=-1, out=four)
    x.max(axis=-1, out=largest)
    return sums


def joined(sums: Sequence[ArrayLike]) -> Floats:
    """The six numbers of `central_sums` for the union of samples (Pébay, Sandia report
    SAND2008-6212, 2008), joined in the order given: sums of floats are not associative, and another
    order may change the last bits.
    """
    if len(sums) == 0:
        raise ValueError("no sums to join; give those of at least one block")
    arrays = np.stack([np.asarray(s, dtype=np.float64) for s in sums])
    # Plain numbers are used, since an operation on a short array costs fifty times one on a number.
    rows = zip(*arrays.reshape(len(arrays), -1, 6).tolist())
    return np.array([reduce(_join, row) for row in rows]).reshape(arrays.shape[1:])


def _join(first: Sequence[float], second: Sequence[float]) -> Sequence[float]:
    a, mean, a2, a3, a4, largest = first
    b, other, b2, b3, b4, other_largest = second
    n, gap, product = a + b, other - mean, a * b
    step = gap / n
    square = step * step
    two = a2 + b2 + gap * gap * product / n
    three = a3 + b3 + gap * square * product * (a - b) + 3 * step * (a * b2 - b * a2)
    four = a4 + b4 + gap * step * square * product * (a * a - product + b * b)
    four += 6 * square * (a * a * b2 + b * b * a2) + 4 * step * (a * b3 - b * a3)
    return n, mean + gap * b / n, two, three, four, max(largest, other_largest)
