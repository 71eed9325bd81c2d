"""The width of the attention window that minimises the in-context loss."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import betaincinv

from numerics.attention.window.loss import OneLoss, one_window, read_spectrum, window_loss
from theory.attention.window.classes import Spectrum, TaskClass
from theory.inputs.whole_numbers import read_whole

__all__ = ["BestWindow", "optimal_window"]

#: Positive widths that are tried first, where weights hardly vary.
SMALL = 2.0 ** np.arange(-10, -3)
#: Ratio of neighbouring widths above, and how many of them in a row must have a rising loss before
#: the search ends.
RATIO, RISING = 1.25, 8
#: Share of nodes, steps and degrees in the search, and the logarithmic derivative below which the
#: sign needs all of them.
ROUGH, FLAT = 0.5, 1e-4
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
    local minima between widths a quarter apart are found (a factor of two apart below 1/8), and the
    best of them and of w = 0 is returned.

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
        As of `window_loss`; or if the loss does not rise before a window holds one token, as for
        very long prompts without noise on the circle.

    Examples
    --------
    >>> from theory.attention.window.classes import affine, cosine
    >>> round(optimal_window(affine(1), 5, 20, noise=1e-4).w, 4)
    3.3403
    >>> optimal_window(cosine(10), 5, 20, noise=1e-4).exists
    False
    """
    known = read_spectrum(spectrum, d)
    n = read_whole("n", n, "it is the number of tokens in a prompt", most=2**53)
    start, noise = window_loss(known, d, n, 0.0, noise), float(noise)
    at_zero = float(start.loss)
    if n == 1 or (known.varying == 0 and noise == 0):
        return BestWindow(0.0, at_zero, (0.0, math.inf))
    # From here on the window holds less than one token on average: the nearest one decides. The
    # noise part never falls, so that no wider search is needed once it alone exceeds a loss seen.
    empty = 1 / (4 * float(betaincinv((d - 1) / 2, (d - 1) / 2, min(0.5 / n, 0.5))))
    grid, found, best = list(SMALL), [_searched(known, w, n, noise) for w in SMALL], at_zero
    while not (all(at.derivative > 0 for at in found[-RISING:]) and (grid[-1] > empty or found[-1].noise > best)):
        grid.append(grid[-1] * RATIO)
        try:
            found.append(_searched(known, grid[-1], n, noise))
        except ValueError as error:
            raise ValueError(
                f"at w = {grid[-1]:.2g} a window attends to one of {n} tokens, and no width was found beyond which the loss rises; "
                f"give more noise than {noise}, or fewer tokens"
            ) from error
        best = min(best, found[-1].loss)
    slopes = np.array([at.derivative for at in found])
    minima: list[tuple[float, float, tuple[float, float]]] = []
    if slopes[0] > 0 or not np.any(slopes < 0):
        minima.append((at_zero, 0.0, (0.0, float(SMALL[0]))))
    for i in np.flatnonzero((slopes[:-1] < 0) & (slopes[1:] >= 0)):
        w = float(
            brentq(lambda w: _searched(known, w, n, noise).derivative, grid[i], grid[i + 1], xtol=CLOSE * grid[i] / 4, rtol=1e-12)
        )
        minima.append((one_window(known, w, n, noise).loss, w, (w * (1 - CLOSE), w * (1 + CLOSE))))
    least, width, interval = min(minima)
    return BestWindow(width, least, interval, tuple(sorted(w for _, w, _ in minima if w != width)))


def _searched(spectrum: Spectrum, w: float, n: int, noise: float) -> OneLoss:
    """As `one_window`, roughly where the derivative is large enough to have the right sign."""
    found = one_window(spectrum, float(w), n, noise, ROUGH)
    return found if abs(w * found.derivative) > FLAT * found.loss else one_window(spectrum, float(w), n, noise)
