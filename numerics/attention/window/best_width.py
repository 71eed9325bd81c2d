"""The width of the attention window that minimises the in-context loss."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import betaincinv

from numerics.attention.window.loss import OneLoss, one_window, read_spectrum, window_loss
from theory.attention.window.classes import Spectrum, TaskClass
from theory.attention.window.laws import expansion_without_window
from theory.inputs.whole_numbers import read_whole
from theory.shown.result import in_a_table

__all__ = ["BestWindow", "optimal_window"]

#: Positive widths that are tried first, where weights hardly vary.
SMALL = 2.0 ** np.arange(-10, -3)
#: Ratio of neighbouring widths above, and how many of them in a row must have a rising loss before
#: the search ends.
RATIO, RISING = 1.25, 8
#: Share of nodes, steps and degrees in the search, and the logarithmic derivative below which the
#: sign needs all of them.
ROUGH, FLAT = 0.5, 1e-4
#: Relative width of the interval, and of one below the widths that are tried.
CLOSE, CLOSE_BELOW = 1e-9, 1e-7
#: Below this width the expansion of the loss at 0 is exact to rounding after its third order.
TINY = 1e-5
#: The curvature at 0 has a sign if it exceeds this share of what it is the difference of.
CANCELLED = 1e-13


@dataclass(frozen=True)
class BestWindow:
    """The best width of an attention window."""

    #: The width of least loss; 0 means no window: a uniform average over all tokens is best.
    w: float
    loss: float
    #: Between its ends the derivative changes its sign; the whole half-line if the loss does not
    #: depend on w.
    interval: tuple[float, float]
    #: Further local minima, 0 among them if it is one.
    others: tuple[float, ...] = ()
    #: Those of them whose loss is that of w but for the error of the quadrature: any may be best.
    undecided: tuple[float, ...] = ()

    _repr_html_ = in_a_table

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

    Whether the loss falls from w = 0 on is decided by the expansion of our R13.window: a class with
    a linear part (b_1 > 0) always has a window, however small it is and however little it gains. A
    window below 2^-10 is the zero of the derivative less what the expansion says it is at 0, known
    to a share of 1e-7 where its gain is far below rounding. For b_1 = 0 and a curvature that
    cancels to rounding the derivative at 2^-10 decides.

    Parameters
    ----------
    spectrum, d, n, noise
        As of `window_loss`, for one n.

    Returns
    -------
    BestWindow

    Raises
    ------
    TypeError, ValueError
        As of `window_loss`; or if windows that hold one token cannot be computed, as for ReLU tasks
        in very long prompts without noise on the circle.

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
    while not (
        all(at.derivative > 0 for at in found[-RISING:]) and (grid[-1] > empty or found[-1].noise > best)
    ):
        grid.append(grid[-1] * RATIO)
        try:
            found.append(_searched(known, grid[-1], n, noise))
        except ValueError as error:
            raise ValueError(
                f"at w = {grid[-1]:.2g} a window attends to one of {n} tokens, and no width was found "
                f"beyond which the loss rises; give more noise than {noise}, or fewer tokens"
            ) from error
        best = min(best, found[-1].loss)
    slopes = np.array([at.derivative for at in found])
    minima: list[tuple[OneLoss, float, float]] = []
    if not _falls(known, n, noise, slopes[0]):
        minima.append((one_window(known, 0.0, n, noise), 0.0, CLOSE))
    elif slopes[0] >= 0:
        w = _below(known, n, noise)
        minima.append((one_window(known, w, n, noise), w, CLOSE_BELOW))
    for i in np.flatnonzero((slopes[:-1] < 0) & (slopes[1:] >= 0)):
        w = float(
            brentq(
                lambda w: _searched(known, w, n, noise).derivative,
                grid[i],
                grid[i + 1],
                xtol=CLOSE * grid[i] / 4,
                rtol=1e-12,
            )
        )
        minima.append((one_window(known, w, n, noise), w, CLOSE))
    least, width, close = min(minima)
    interval = (width * (1 - close), width * (1 + close)) if width else (0.0, float(SMALL[0]))
    same = [w for at, w, _ in minima if w != width and at.loss - least.loss <= at.error + least.error]
    return BestWindow(
        width, least.loss, interval, tuple(sorted(w for _, w, _ in minima if w != width)), tuple(sorted(same))
    )


def _falls(spectrum: Spectrum, n: int, noise: float, first: float) -> bool:
    """Whether the loss falls from w = 0 on; ``first`` is its slope at the least width tried."""
    slope, curvature = expansion_without_window(spectrum, n, noise)
    if slope == 0 and abs(curvature) <= CANCELLED * (spectrum.varying + noise) / (n * spectrum.d):
        return first < 0
    return slope < 0 or curvature < 0


def _below(spectrum: Spectrum, n: int, noise: float) -> float:
    """The width below the least tried at which a loss that falls from w = 0 on starts to rise."""
    slope, curvature = expansion_without_window(spectrum, n, noise)
    unit = spectrum.varying + noise
    at_zero = one_window(spectrum, 0.0, n, noise).derivative

    @lru_cache
    def bend(w: float) -> float:
        """What the derivative has beyond its first two orders, over w^2; of the quadrature only a
        difference is used, in which what nodes leave out cancels.
        """
        return (one_window(spectrum, w, n, noise).derivative - at_zero - 2 * curvature * w) / w**2

    def derivative(w: float) -> float:
        """Over w where the slope at 0 vanishes, so that there is one zero."""
        rest = 2 * curvature + bend(max(w, TINY)) * w
        return (slope + rest * w if slope else rest) / unit

    top = float(SMALL[0])
    if derivative(top) <= 0:
        return top
    return float(brentq(derivative, 0.0, top, xtol=1e-300, rtol=1e-12))


def _searched(spectrum: Spectrum, w: float, n: int, noise: float) -> OneLoss:
    """As `one_window`, roughly where the derivative is large enough to have the right sign."""
    found = one_window(spectrum, float(w), n, noise, ROUGH)
    return (
        found if abs(w * found.derivative) > FLAT * found.loss else one_window(spectrum, float(w), n, noise)
    )
