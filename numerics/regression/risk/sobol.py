"""Scrambled Sobol' points, from any thread."""

from __future__ import annotations

import threading

import numpy as np
from numpy.typing import NDArray

__all__ = ["sobol_points"]

_FIRST = threading.Lock()


def sobol_points(dimension: int, points: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Scrambled Sobol' points of the unit cube, shape (points, dimension).

    >>> sobol_points(2, 8, np.random.default_rng(0)).shape
    (8, 2)
    """
    from scipy.stats.qmc import Sobol

    with _FIRST:  # SciPy up to 1.14 reads its tables at the first call, and two threads spoil them
        made = Sobol(dimension, scramble=True, seed=rng)
    return np.asarray(made.random(points))
