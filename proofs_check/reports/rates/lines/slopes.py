"""Exponents of exact quantities, with their local slopes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

__all__ = ["Exponent", "exponent"]


class Exponent(NamedTuple):
    """A fitted exponent of exact numbers, so that its interval is that of the local slopes."""

    value: float
    low: float
    high: float


def exponent(x: ArrayLike, y: ArrayLike) -> Exponent:
    """The slope of log y over log x by least squares, with the least and largest local slope; x
    increases.
    """
    log_x, log_y = (np.log(np.asarray(values, dtype=float)) for values in (x, y))
    slopes = np.diff(log_y) / np.diff(log_x)
    return Exponent(float(np.polyfit(log_x, log_y, 1)[0]), float(slopes.min()), float(slopes.max()))
