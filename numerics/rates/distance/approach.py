"""How the exact error of the output approaches 0: its size and local slope at any length, and the
lengths from which it stays below a tolerance, or falls as its law says.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from numerics.attention.curve import exact_error
from numerics.attention.setting import AttentionSetting
from numerics.rates.exponents import log_power, sharp_exponent

__all__ = ["LAW_SHARE", "Curve", "Law", "Look", "law_of", "onsets", "refined"]

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
#: How far the local slope may be from that of the law, as a share of the exponent.
LAW_SHARE = 0.1
#: Slopes are taken from a tenth fewer tokens to a tenth more.
STEP = 0.1
#: Longest prompt that the exact engines reach.
LONGEST = 1e100
#: Relative width to which a length is narrowed down, unless it is a whole number before.
RESOLUTION = 1e-3
#: Lengths tried at once between two lengths.
BETWEEN = 24
#: Lengths at which the curve is looked at first: every one up to 32, four for each power of ten up
#: to 1e12, and one for every fifth power of ten beyond.
NEAR: Floats = np.unique(np.concatenate([np.arange(1.0, 33.0), np.round(10.0 ** (np.arange(6, 49) / 4))])).astype(np.float64)
FAR: Floats = np.logspace(15, 100, 18)
#: Where the lengths are split that one quadrature serves.
APART = 10.0 ** np.array([4, 8, 13, 27, 41, 55, 69, 83])
#: A curve at one query that has done what is asked from here on is not followed beyond 1e12.
EARLY = 1e9


class Law(NamedTuple):
    """The law ``(ln L)^log_power / L^exponent`` that the error tends to."""

    exponent: float
    log_power: float

    def slope(self, L: Floats) -> Floats:
        """Its slope at L; minus infinity or more at L = 1, where ln L vanishes."""
        with np.errstate(divide="ignore"):
            return -self.exponent + (self.log_power / np.log(L) if self.log_power else np.zeros_like(L))

    def __str__(self) -> str:
        power = "" if self.exponent == 1 else f"^{self.exponent:.4g}"
        logs = "" if not self.log_power else "ln L" if self.log_power == 1 else f"(ln L)^{self.log_power:g}"
        return f"{logs or '1'}{' ' if logs else ''}/{' ' if logs else ''}L{power}"


def law_of(setting: AttentionSetting) -> Law | None:
    """The law of the error of the output; None where theory has none, or not its power of ln L.

    Parameters
    ----------
    setting : AttentionSetting

    Returns
    -------
    Law or None

    Examples
    --------
    >>> one = np.eye(1)
    >>> print(law_of(AttentionSetting(one, one, one, [1.0])))
    1/L
    >>> print(law_of(AttentionSetting(one, one, one, query_cov=[[4 / 3]])))
    (ln L)^0.5 / L^0.5
    """
    exponent = sharp_exponent(setting)
    if exponent is None:
        return None
    power = log_power(setting, "output")
    if power is None and setting.averaged and setting.score_variance >= 0.5:
        return None  # the error has no part along the top eigenspace: theory leaves the power of ln L open
    return Law(exponent, power or 0.0)


class Look(NamedTuple):
    """The curve at some lengths: the mean squared error and the local slope of its logarithm."""

    lengths: Floats
    error: Floats
    slope: Floats


class Curve:
    """The exact mean squared error of the output over the prompt length.

    Parameters
    ----------
    setting : AttentionSetting

    Examples
    --------
    >>> flat = AttentionSetting(np.eye(2), np.zeros((2, 2)), np.eye(2), np.ones(2))
    >>> look = Curve(flat).look(np.array([1.0, 100.0]))
    >>> look.error.round(9).tolist(), look.slope.round(9).tolist()
    ([2.0, 0.02], [-1.0, -1.0])
    """

    def __init__(self, setting: AttentionSetting) -> None:
        self._setting = setting

    def look(self, lengths: Floats) -> Look | None:
        """Error and slope at some lengths, in one call of the exact engine; None if it does not
        reach them.
        """
        low = np.maximum(np.floor((1 - STEP) * lengths), 1.0)
        high = np.minimum(np.maximum(np.ceil((1 + STEP) * lengths), lengths + 1), LONGEST)
        wanted, where = np.unique(np.concatenate([low, lengths, high]), return_inverse=True)
        # On average over queries one quadrature for all lengths would have to be fine for each.
        groups = np.split(wanted, np.searchsorted(wanted, APART)) if self._setting.averaged else [wanted]
        parts = [exact_error(self._setting, "output", group) for group in groups if group.size]
        known = [part for part in parts if part is not None]
        if len(known) < len(parts):
            return None
        values = np.concatenate(known)
        below, here, above = values[where].reshape(3, -1)
        with np.errstate(divide="ignore", invalid="ignore"):
            slope = np.log(above / below) / np.log(high / low)
        return Look(lengths, here, slope)


def refined(holds: Callable[[Floats], Mapping[str, Bools]], tried: Floats, found: Mapping[str, Bools]) -> dict[str, float]:
    """The least length from which on each of several conditions holds, as far as can be seen.

    Between the last length at which a condition fails and the next one tried, more lengths are
    tried, until the two are neighbours or differ by `RESOLUTION`.

    Parameters
    ----------
    holds : callable
        For lengths, where each condition holds.
    tried : array, shape (n,)
        Increasing lengths that were tried, the first of them 1.
    found : mapping of str to array, shape (n,)
        What `holds` said there.

    Returns
    -------
    dict of str to float
        The condition holds at this length and at every longer one that was tried; infinity if it
        fails at the longest.

    Examples
    --------
    >>> beyond = lambda L: {"beyond a million": L >= 1e6, "never": L < 0}
    >>> tried = 10.0 ** np.arange(9)
    >>> refined(lambda L: {"beyond": L > 1000}, tried, {"beyond": tried > 1000})
    {'beyond': 1001.0}
    """
    ends: dict[str, tuple[float, float]] = {}
    for name, good in found.items():
        bad = np.flatnonzero(~good)
        last = int(bad[-1]) if bad.size else -1
        ends[name] = (tried[last] if bad.size else 0.0, tried[last + 1] if last + 1 < tried.size else math.inf)
    while True:
        inner = {name: _between(*pair) for name, pair in ends.items()}
        points = np.unique(np.concatenate(list(inner.values())))
        if not points.size:
            return {name: float(high) for name, (_, high) in ends.items()}
        seen = holds(points)
        for name, mine in inner.items():
            good = seen[name][np.searchsorted(points, mine)]
            bad = np.flatnonzero(~good)
            low, high = ends[name]
            if mine.size:
                last = int(bad[-1]) if bad.size else -1
                ends[name] = (mine[last] if bad.size else low, mine[last + 1] if last + 1 < mine.size else high)


def _between(low: float, high: float) -> Floats:
    """Whole numbers between two lengths, evenly spread in ln L; none if the two are close."""
    if low < 1 or not high - low > 1 or high <= (1 + RESOLUTION) * low or math.isinf(high):
        return np.empty(0)
    inner = np.unique(np.round(np.geomspace(low, high, BETWEEN + 2)))
    return np.asarray(inner[(inner > low) & (inner < high)])


def onsets(curve: Curve, size: float, tolerances: tuple[float, ...], law: Law | None, *, averaged: bool) -> dict[str, float] | None:
    """From which length on the relative error is within each tolerance, and the local slope close
    to that of the law.

    Parameters
    ----------
    curve : Curve
    size : float
        ``E|T|^2``, to which errors are relative; 0 for none.
    tolerances : tuple of float
    law : Law or None
    averaged : bool
        Whether the error is averaged over queries: then it is followed up to 1e100 always, since
        rare queries may come into play late.

    Returns
    -------
    dict of str to float, or None
        Under the tolerances as text, and ``"law"``; infinity where 1e100 tokens are not enough, nan
        where there is no law or no relative error. None if the exact engine does not reach.
    """

    def conditions(look: Look) -> dict[str, Bools]:
        found = {str(t): look.error <= t**2 * size for t in tolerances if size > 0}
        if law is not None:
            with np.errstate(invalid="ignore"):
                found["law"] = np.abs(look.slope - law.slope(look.lengths)) <= LAW_SHARE * law.exponent
        return found

    def holds(L: Floats) -> dict[str, Bools]:
        look = curve.look(L)
        if look is None:
            raise _OutOfReach
        return conditions(look)

    try:
        tried, found = NEAR, holds(NEAR)
        if not found:
            return dict.fromkeys((*map(str, tolerances), "law"), math.nan)
        if averaged or not all(good[NEAR >= EARLY].all() for good in found.values()):
            more = holds(FAR)
            tried, found = np.concatenate([NEAR, FAR]), {name: np.concatenate([good, more[name]]) for name, good in found.items()}
        return dict.fromkeys((*map(str, tolerances), "law"), math.nan) | refined(holds, tried, found)
    except _OutOfReach:
        return None


class _OutOfReach(Exception):
    """The exact engine has no value at a length."""
