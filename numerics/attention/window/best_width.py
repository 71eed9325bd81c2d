"""The width of the attention window that minimises the in-context loss."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import betaincinv

from numerics.attention.window.loss import read_spectrum, window_loss
from theory.attention.window.classes import Spectrum, TaskClass

__all__ = ["BestWindow", "optimal_window"]

#: Least positive width that is tried, ratio of neighbouring ones, and how many of them in a row
#: must have a rising loss before the search ends.
LEAST, RATIO, RISING = 1e-3, 1.25, 8
#: Relative width of the interval.
CLOSE = 1e-9


@dataclass(frozen=True)
class BestWindow:
    """The best width of an attention window.

    Attributes
    ----------
    w : float
        The width of least loss; 0 means no window: a uniform average over all tokens is best.
    loss : float
        There.
    interval : (float, float)
        Between its ends the derivative changes its sign; the whole half-line if the loss does not
        depend on w.
    others : tuple of float
        Further local minima, 0 among them if it is one.
    """

    w: float
    loss: float
    interval: tuple[float, float]
    others: tuple[float, ...] = ()

    @property
    def exists(self) -> bool:
        """Whether there is a window: whether some width is better than the uniform average."""
        return self.w > 0


def optimal_window(
    spectrum: TaskClass | Spectrum | Sequence[float] | NDArray[np.float64], d: int, n: int, noise: float = 0.0
) -> BestWindow:
    """The width w of least in-context loss among all w >= 0, for weights ``e^{-w|x_i-x|^2}``.

    For n >= 2 it is finite: as w grows the loss tends to that of the nearest token from below,
    since an average over two tokens at nearly the same distance is better than either of them. All
    local minima between widths a quarter apart are found, and the best of them and of w = 0 is
    returned.

    Parameters
    ----------
    spectrum : TaskClass, Spectrum or array_like
        As of `window_loss`.
    d, n : int
    noise : float
        The variance sigma^2 of the label noise.

    Returns
    -------
    BestWindow

    Raises
    ------
    TypeError, ValueError
        As of `window_loss`.

    Examples
    --------
    >>> from theory.attention.window.classes import affine, cosine
    >>> round(optimal_window(affine(1), 5, 20, noise=1e-4).w, 4)
    3.3403
    >>> optimal_window(cosine(10), 5, 20, noise=1e-4).exists
    False
    """
    known = read_spectrum(spectrum, d)
    start = window_loss(known, d, n, 0.0, noise)
    at_zero = float(start.loss)
    if n == 1 or (known.varying == 0 and noise == 0):
        return BestWindow(0.0, at_zero, (0.0, math.inf))
    # From here on the window holds less than one token on average: the nearest one decides. The
    # noise part never falls, so that no wider search is needed once it alone exceeds a loss seen.
    empty = 1 / (4 * float(betaincinv((d - 1) / 2, (d - 1) / 2, min(0.5 / n, 0.5))))
    grid, slopes, best = np.empty(0), np.empty(0), at_zero
    while True:
        more = LEAST * RATIO ** np.arange(len(grid), len(grid) + RISING)
        found = window_loss(known, d, n, more, noise)
        grid, slopes = np.append(grid, more), np.append(slopes, found.derivative)
        best = min(best, float(found.loss.min()))
        if np.all(found.derivative > 0) and (grid[-1] > empty or found.noise[-1] > best):
            break
    slope = lambda w: float(window_loss(known, d, n, w, noise).derivative)
    minima: list[tuple[float, float, tuple[float, float]]] = []
    if slopes[0] > 0 or not np.any(slopes < 0):
        minima.append((at_zero, 0.0, (0.0, LEAST)))
    for i in np.flatnonzero((slopes[:-1] < 0) & (slopes[1:] >= 0)):
        w = float(brentq(slope, grid[i], grid[i + 1], xtol=CLOSE * grid[i] / 4, rtol=1e-12))
        minima.append((float(window_loss(known, d, n, w, noise).loss), w, (w * (1 - CLOSE), w * (1 + CLOSE))))
    least, width, interval = min(minima)
    return BestWindow(width, least, interval, tuple(sorted(w for _, w, _ in minima if w != width)))
