"""The loss of an attention window, exactly, for every prompt length and class of tasks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betainc, betaincinv, gammaln, hyp0f1

from numerics.attention.window.kernel import REACH, gaps_kernel, window_kernel
from theory.attention.window.classes import SPHERE, Spectrum, TaskClass
from theory.attention.window.gegenbauer import scaled_bessel
from theory.attention.window.own_class import from_spectrum
from theory.inputs.arrays import read_arrays, real_array
from theory.inputs.whole_numbers import read_whole
from theory.shown.result import in_a_line, in_a_table

__all__ = ["WindowLoss", "read_spectrum", "window_loss"]

Floats = NDArray[np.float64]
#: Step of the integral over v = log r, whose integrand is analytic for |Im v| < pi/2.
STEP = 0.25
#: Nodes of a panel, and the largest length of a panel in x = 2 w D.
PANEL, LENGTH = 16, 4.0
RULE = np.polynomial.legendre.leggauss(PANEL)
#: The largest number of nodes times degrees in a call.
MOST = 40_000_000
#: The same of the wider window from which the loss of a narrower one follows, the share of the loss
#: up to which that is near the limit, and the share that may be open then.
FAR_WORK, NEAR, WELL_ENOUGH = 400_000, 0.05, 1e-3
#: Nodes of the mean over the nearest token, in the logarithm of an exponential variable.
LEAST_LOG, LARGEST_LOG, LOG_STEP = -45.0, 4.0, 0.05
#: The largest dimension: the density of an angle loses digits like d.
LARGEST_DIMENSION = 10_000
#: Integrands are followed down to e^{-2 BELOW} of their scale.
BELOW = 18.0


@dataclass(frozen=True)
class WindowLoss:
    """The loss of an attention window and its parts, arrays of one shape."""

    #: Mean squared error; ``signal`` and ``noise`` are its parts by the task and by the label
    #: noise.
    loss: Floats
    signal: Floats
    noise: Floats
    #: Of the loss in w.
    derivative: Floats
    #: Estimate of the absolute error of the loss.
    error: Floats

    __repr__ = in_a_line
    _repr_html_ = in_a_table


def read_spectrum(spectrum: TaskClass | Spectrum | Sequence[float] | Floats, d: int) -> Spectrum:
    """A spectrum in dimension d from a class, a spectrum, or a list b_0, b_1, ..."""
    d = read_whole("d", d, SPHERE, least=2, most=LARGEST_DIMENSION)
    if isinstance(spectrum, Spectrum):
        if spectrum.d != d:
            raise ValueError(
                f"the spectrum is that of dimension {spectrum.d}, and d = {d}; ask the class for "
                f".spectrum({d})"
            )
        return spectrum
    if isinstance(spectrum, str) or (callable(spectrum) and not isinstance(spectrum, TaskClass)):
        raise TypeError(
            f"{spectrum!r} is no class of tasks; give one such as theory.relu(1) or theory.from_rho(rho), "
            "or b_0, b_1, ..."
        )
    return (spectrum if isinstance(spectrum, TaskClass) else from_spectrum(spectrum)).spectrum(d)


def window_loss(
    spectrum: TaskClass | Spectrum | Sequence[float] | Floats,
    d: int,
    n: ArrayLike,
    w: ArrayLike,
    noise: float = 0.0,
) -> WindowLoss:
    """The in-context loss of softmax attention with ``M = 2 w I`` on the sphere, exactly.

    The weights are ``e^{-w|x_i-x|^2}``, the tokens and the query independent and uniform. Only the
    mean of ``f(x) f(y)`` over the class enters (our R13).

    Parameters
    ----------
    spectrum : TaskClass, Spectrum or array_like
        Such as ``theory.relu(1)``, or the coefficients b_0, b_1, ...
    d : int
        Dimension of the tokens, at least 2.
    n : int or array_like of int
        Prompt lengths, at least 1; broadcast against w.
    w : float or array_like
        Widths, not negative.
    noise : float
        The variance sigma^2 of the label noise.

    Returns
    -------
    WindowLoss

    Raises
    ------
    TypeError, ValueError
        If an argument is out of range, with what to do.

    Examples
    --------
    >>> from theory.attention.window.classes import affine
    >>> found = window_loss(affine(1), 3, [1, 20], 2.0, noise=0.01)
    >>> found.loss.round(6).tolist()
    [0.232222, 0.017723]
    """
    known = read_spectrum(spectrum, d)
    lengths, widths = _lengths(n), _widths(w)
    sigma2 = _noise(noise)
    try:
        shape = np.broadcast_shapes(lengths.shape, widths.shape)
    except ValueError:
        raise ValueError(
            f"n has shape {lengths.shape} and w {widths.shape}, which do not go together; give n as a column"
        ) from None
    lengths, widths = np.broadcast_to(lengths, shape).ravel(), np.broadcast_to(widths, shape).ravel()
    out = np.empty((5, lengths.size))
    for width in np.unique(widths):
        at = np.flatnonzero(widths == width)
        for length in np.unique(lengths[at]):
            found = one_window(known, float(width), int(length), sigma2)
            out[:, at[lengths[at] == length]] = np.array(found)[:, None]
    return WindowLoss(*(row.reshape(shape) for row in out))


class OneLoss(NamedTuple):
    """As `WindowLoss`, at one width and length."""

    loss: float
    signal: float
    noise: float
    derivative: float
    error: float


def one_window(spectrum: Spectrum, w: float, n: int, noise: float, share: float = 1.0) -> OneLoss:
    """The loss at one width and length; arguments are taken as they are.

    With a share of 1/2 of the steps, nodes and degrees, for a search, the derivative times w is
    right to some 1e-5 of the loss, and windows that take too many nodes are refused.
    """
    if n == 1:
        signal = 2 * spectrum.varying
        return OneLoss(signal + noise, signal, noise, 0.0, 1e-15 * (signal + noise) + spectrum.tail * 1e-13)
    first, end = _range(spectrum.d, w, n)
    top = min(end + REACH, 4 * w)
    if (work := top / LENGTH * PANEL * max(len(spectrum.b), 10)) > MOST:
        if share < 1:
            raise ValueError(
                f"w = {w}: so narrow a window attends to one of {n} tokens only; take a smaller width"
            )
        return _narrow(spectrum, w, n, noise, w * (FAR_WORK / work))
    degrees = _degrees(spectrum, w, end, share)
    x, D, omega, beyond = _nodes(spectrum.d, w, top, degrees, share)
    b, q, s, rest = _terms(spectrum, D, degrees)
    out = np.empty((2, 5))
    window_kernel()(x, D, omega, beyond, s, q, b, rest, float(n), first, STEP / share, end, out)
    squares, signal, d_squares, d_signal = (float(y) for y in out[0, :4])
    loss = signal + noise * squares
    coarse = abs(out[0, 1] - out[1, 1]) + noise * abs(out[0, 0] - out[1, 0])
    # The sum of the degrees that are left out is a difference of rho(1) and the sum of the others.
    rounding = 5e-16 * spectrum.total if rest else 0.0
    error = (
        min(coarse, coarse * (coarse / max(loss, 1e-300)))
        + float(out[0, 4])
        + rounding
        + (5e-13 + 1e-15 * spectrum.d) * loss
    )
    return OneLoss(loss, signal, noise * squares, d_signal + noise * d_squares, error)


def _narrow(spectrum: Spectrum, w: float, n: int, noise: float, wide: float) -> OneLoss:
    """The loss of a window that nearly always attends to the nearest token alone: the limits of its
    parts for w -> oo, less c/w as in a wider window. How much c changes from that window to one
    four times as wide says how much it may change yet, like a logarithm for d = 2 and less
    otherwise. Where that window is still far from the limit, the number of pairs of tokens that may
    share the attention says it.
    """
    nearest = nearest_token_signal(spectrum, n)
    limits = np.array([nearest, noise])
    one, two = (one_window(spectrum, wide / ratio, n, noise) for ratio in (1, 4))
    c, before = (limits - [one.signal, one.noise]) * wide, (limits - [two.signal, two.noise]) * wide / 4
    error = float(np.abs(c - before).sum()) * (1 + math.log(w / wide) / math.log(4)) / w + one.error
    if float(np.abs(c).sum()) > NEAR * wide * (nearest + noise):
        error += n * n * (1 + math.log(w)) / w * (nearest + noise)
    if error > WELL_ENOUGH * (nearest + noise):
        raise ValueError(
            f"w = {w}: so narrow a window takes too many nodes, and its loss is not yet near its limit "
            f"{nearest + noise:.6g}, in which it attends to the nearest of {n} tokens alone; take a smaller "
            "width"
        )
    signal, variance = (limits - c / w).tolist()
    return OneLoss(signal + variance, signal, variance, float(c.sum()) / w / w, error)


def nearest_token_signal(spectrum: Spectrum, n: int) -> float:
    """The signal where the query is answered by the label of the nearest of n tokens: ``2 E s(D)``
    for the variogram s and the least of n values of ``D = 1 - x'x_i``. For tasks that are linear
    and d = 3, where D is uniform on (0, 2), it is 4 / (n + 1):

    >>> round(nearest_token_signal(read_spectrum([0, 1], 3), 7), 12)
    0.5
    """
    half = (spectrum.d - 1) / 2
    # -n ln(1 - F(D)) is exponential, and its logarithm has no singular end.
    log_y = np.arange(LEAST_LOG, LARGEST_LOG, LOG_STEP)
    D = 2 * betaincinv(half, half, -np.expm1(-np.exp(log_y) / n))
    s = _terms(spectrum, D, len(spectrum.b) - 1)[2]
    return float(2 * LOG_STEP * (np.exp(log_y - np.exp(log_y)) @ s))


def _lengths(n: ArrayLike) -> NDArray[np.int64]:
    values = real_array("n", n)
    if not np.all(np.isfinite(values)) or np.any(values != np.floor(values)) or np.any(values < 1):
        raise ValueError(f"n = {n!r}: a prompt has a whole number of tokens, at least one")
    if np.any(values > 2**53):
        raise ValueError(
            f"n = {n!r} is above 2^53; theory.attention.window.laws has the limit for long prompts"
        )
    return values.astype(np.int64)


def _widths(w: ArrayLike) -> Floats:
    values = real_array("w", w)
    if not (np.isfinite(values) & (values >= 0)).all():
        raise ValueError(
            f"w = {w!r}: a width is a finite number, at least 0, since weights are e^(-w|x_i-x|^2)"
        )
    return values


def _noise(noise: float) -> float:
    sigma2 = float(read_arrays(noise=(noise, ""))[0])
    if not 0 <= sigma2 <= 1e150:
        raise ValueError(
            f"noise = {noise!r} is no variance up to 1e150; give sigma^2, a number that is not negative"
        )
    return sigma2


def _range(d: int, w: float, n: int) -> tuple[float, float]:
    """Where the integral over v begins and ends. It begins where n r^2 E W^2 is negligible. It ends
    where no token is left: e^{-rW} is below e^{-1} for tokens with x <= v, and their share leaves
    nothing of the power n - 2.
    """
    log_square = _log_mean(d, 4 * w)
    start = -math.log(n) - max(0.5 * log_square, -4 * w) - BELOW
    last = 4 * w + 4.6
    if n > 2:
        share = (60 + 2 * math.log(n)) / ((n - 2) * (1 - math.exp(-1)))
        if share < 1:
            last = min(last, 4 * w * float(betaincinv((d - 1) / 2, (d - 1) / 2, share)) + 5)
    return start, last


def _log_mean(d: int, kappa: float) -> float:
    """The logarithm of E e^{-kappa D}, for D = 1 - t."""
    if kappa < 1e-8:
        return 0.0
    nu = d / 2 - 1
    scaled = float(scaled_bessel(nu, kappa))
    if scaled < 1e-290:  # in a high dimension it underflows where its series is short
        return math.log(float(hyp0f1(d / 2, kappa**2 / 4))) - kappa
    return math.log(scaled) + float(gammaln(d / 2)) + nu * math.log(2 / kappa)


@lru_cache(maxsize=8)
def _nodes(d: int, w: float, top: float, degrees: int, share: float) -> tuple[Floats, Floats, Floats, float]:
    """Nodes in x = 2 w D up to top with their weights, by panels in the angle, in which the law of
    a token has the density sin^{d-2}; and the mass beyond. On a panel P_k, k <= degrees, turns by
    no more than 16, up to which the rule integrates it to rounding.
    """
    largest = math.pi if top >= 4 * w else 2 * math.asin(math.sqrt(top / (4 * w)))
    reached = math.sin(largest / 2) ** 2
    # In a high dimension nearly all tokens lie within 1/sqrt(d) of a right angle.
    turning = max(4.0, largest * math.sqrt(max(w, 1.0)), largest * math.sqrt(d) / 8)
    enough = max(4 * w * reached / LENGTH, share * turning, largest * degrees / 16)
    panels = math.ceil(enough)
    # Panels of equal length in x away from the query, and in the angle near it.
    inner = np.linspace(0, 1, panels + 1)
    edges = np.unique(np.concatenate([2 * np.arcsin(np.sqrt(reached * inner)), largest * inner]))
    y, weight = RULE
    half = np.diff(edges)[:, None] / 2
    angle = (edges[:-1, None] + half * (1 + y)).ravel()
    sines = np.sin(angle / 2) ** 2
    log_area = math.lgamma(d / 2) - math.lgamma((d - 1) / 2) - 0.5 * math.log(math.pi)
    omega = (half * weight).ravel() * np.sin(angle) ** (d - 2) * math.exp(log_area)
    beyond = float(1 - betainc((d - 1) / 2, (d - 1) / 2, reached)) if reached < 1 else 0.0
    return 4 * w * sines, 2 * sines, omega, beyond


def _degrees(spectrum: Spectrum, w: float, end: float, share: float) -> int:
    """The degrees that are averaged one by one. The weights change over angles of at least the
    order ``1/sqrt(w end)``, or of 1/w where all tokens have weights, and means of P_k under them
    vanish for degrees far above the inverse. The sum of such degrees is taken at once where the
    spectrum does not end but falls.
    """
    K = len(spectrum.b) - 1
    if spectrum.tail:
        enough = 16 + int(6 * share * math.sqrt(w * min(max(end, 1.0), 4 * w)))
        left = spectrum.b[enough:][spectrum.b[enough:] > 0]
        if np.all(np.diff(left) <= 0):
            return min(K, enough)
    return K


def _terms(spectrum: Spectrum, D: Floats, K: int) -> tuple[Floats, Floats, Floats, float]:
    """The coefficients up to degree K, ``1 - P_k`` at the nodes, the variogram there, and the sum
    of the coefficients left out.
    """
    d = spectrum.d
    used = np.flatnonzero(spectrum.b[1 : K + 1]) + 1
    b, q = np.ascontiguousarray(spectrum.b[used]), np.empty((len(D), len(used)))
    if len(used):
        gaps_kernel()(D, d, used, q)
    rest = spectrum.tail + float(spectrum.b[K + 1 :].sum())
    s = q @ b if spectrum.variogram is None else np.asarray(spectrum.variogram(D))
    return b, q, np.ascontiguousarray(s, dtype=float), rest
