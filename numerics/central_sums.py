"""Moments of a sample up to order four that can be joined: what a block of replicates leaves behind, whatever its size."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["central_sums", "joined"]

Floats = NDArray[np.float64]


def central_sums(values: ArrayLike) -> Floats:
    """Number, mean, Σ (x − mean)^k for k = 2, 3, 4, and the largest value of samples.

    Parameters
    ----------
    values : array_like of shape (..., n)
        n >= 1 values each.

    Returns
    -------
    ndarray of shape (..., 6)

    Examples
    --------
    >>> central_sums([1.0, 2.0, 6.0])
    array([ 3.,  3., 14., 18., 98.,  6.])
    """
    x = np.asarray(values, dtype=np.float64)
    mean = x.mean(axis=-1)
    gap = x - mean[..., None]
    squares = gap * gap
    powers = (squares.sum(axis=-1), (squares * gap).sum(axis=-1), (squares * squares).sum(axis=-1))
    return np.stack([np.full(mean.shape, float(x.shape[-1])), mean, *powers, x.max(axis=-1)], axis=-1)


def joined(sums: Sequence[ArrayLike]) -> Floats:
    """The six numbers of `central_sums` for the union of samples, joined in the order given.

    Parameters
    ----------
    sums : sequence of array_like of shape (..., 6)
        At least one. Sums of floats are not associative: another order may change the last bits.

    Returns
    -------
    ndarray of shape (..., 6)

    Raises
    ------
    ValueError
        If there is nothing to join.

    References
    ----------
    Pébay, "Formulas for robust, one-pass parallel computation of covariances and arbitrary-order statistical moments", Sandia
    report SAND2008-6212, 2008.

    Examples
    --------
    >>> joined([central_sums([1.0, 2.0]), central_sums([6.0])])
    array([ 3.,  3., 14., 18., 98.,  6.])
    """
    if len(sums) == 0:
        raise ValueError("no sums to join; give those of at least one block")
    return reduce(_join, (np.asarray(s, dtype=np.float64) for s in sums))


def _join(first: Floats, second: Floats) -> Floats:
    a, mean, a2, a3, a4, largest = np.moveaxis(first, -1, 0)
    b, other, b2, b3, b4, other_largest = np.moveaxis(second, -1, 0)
    n, gap, product = a + b, other - mean, a * b
    step = gap / n
    square = step * step
    two = a2 + b2 + gap * gap * product / n
    three = a3 + b3 + gap * square * product * (a - b) + 3 * step * (a * b2 - b * a2)
    four = a4 + b4 + gap * step * square * product * (a * a - product + b * b)
    four += 6 * square * (a * a * b2 + b * b * a2) + 4 * step * (a * b3 - b * a3)
    return np.stack([n, mean + gap * b / n, two, three, four, np.maximum(largest, other_largest)], axis=-1)
