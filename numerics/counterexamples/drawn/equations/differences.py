"""Derivatives by central differences of order eight, and which of several steps to believe."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray

__all__ = ["difference_weights", "steadiest"]


@cache
def difference_weights(order: int) -> tuple[tuple[int, sp.Rational], ...]:
    """Offsets and weights of the central difference over nine points: exact for the derivative of
    that order of a polynomial of degree 8.

    >>> sum(w * (3 + k) ** 5 for k, w in difference_weights(1)) == 5 * 3**4
    True
    """
    offsets = list(range(-4, 5))
    weights = sp.finite_diff_weights(order, offsets, 0)[order][-1]
    return tuple((k, w) for k, w in zip(offsets, weights) if w != 0)


def steadiest(slopes: NDArray[Any], rounding: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Of differences with falling steps, along the first axis, the one with the smallest bound of
    its error, and that bound. A step is wrong by as much as a smaller one contradicts it, beyond
    what both may have lost to rounding. Where the two smallest steps contradict each other, all are
    too large, and the bound is infinite.

    >>> value, off = steadiest(np.array([1.1, 1.001, 0.7]), np.array([1e-9, 1e-6, 0.5]))
    >>> float(value), float(off) < 1
    (1.1, True)
    """
    n = len(slopes)
    apart = np.abs(slopes[:-1, None] - slopes[None]) - rounding
    smaller = np.triu(np.ones((n - 1, n)), 1).reshape(n - 1, n, *(1,) * (slopes.ndim - 1))
    off = rounding[:-1] + rounding[1:] + np.fmax(apart * smaller, 0.0).max(1)
    off = np.where(np.abs(slopes[-1] - slopes[-2]) <= rounding[-1] + rounding[-2], off, np.inf)
    best = np.where(np.isfinite(off), off, np.inf).argmin(0)[None]
    return np.take_along_axis(slopes, best, 0)[0], 4 * np.take_along_axis(off, best, 0)[0]
