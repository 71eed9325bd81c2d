"""How the exact output approaches its limit and linear attention: the errors and the local slope at
any length, and the lengths from which they stay below a tolerance, or fall as the law says.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from numerics.attention.curve import exact_error
from numerics.attention.exponents import log_power, next_order, sharp_exponent
from numerics.attention.setting import AttentionSetting

__all__ = ["FAR", "LAW_SHARE", "NEAR", "Curve", "Law", "OutOfReach", "ends", "law_of", "onsets", "refined"]

Floats = NDArray[np.float64]
Excess = Callable[[Mapping[str, Floats]], Mapping[str, Floats]]
#: How far the local slope may be from that of the law, as a share of the exponent.
LAW_SHARE = 0.1
#: Slopes are taken from a tenth fewer tokens to a tenth more.
STEP = 0.1
#: Longest prompt that the exact engines reach.
LONGEST = 1e100
#: Relative width to which a length is narrowed down, unless it is a whole number before.
RESOLUTION = 1e-3
#: Where lengths are tried between two lengths, as shares of their distance in ln L: in the middle,
#: and around the place where a straight line through what was found says that the edge is.
AROUND, MIDDLE = np.array([-0.15, -0.02, 0.0, 0.02, 0.15]), 0.5
#: Lengths at which the curve is looked at first: every one up to 32, four for each power of ten up
#: to 1e12, and one for every fifth power of ten beyond.
NEAR: Floats = np.unique(
    np.concatenate([np.arange(1.0, 33.0), np.round(10.0 ** (np.arange(6, 49) / 4))])
).astype(np.float64)
FAR: Floats = np.logspace(15, 100, 18)
#: Where the lengths are split that one quadrature serves.
APART = 10.0 ** np.array([4, 8, 13, 27, 41, 55, 69, 83])
#: A curve without rare queries or atoms that has done what is asked from here on is not followed
#: beyond 1e12.
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
        power = "" if f"{self.exponent:.4g}" == "1" else f"^{self.exponent:.4g}"
        logs = "" if not self.log_power else "ln L" if self.log_power == 1 else f"(ln L)^{self.log_power:g}"
        return f"{logs or '1'}{' ' if logs else ''}/{' ' if logs else ''}L{power}"


def law_of(setting: AttentionSetting) -> Law | None:
    """The law of the error of the output; None where theory has none, or not its power of ln L."""
    exponent = sharp_exponent(setting)
    if exponent is None:
        return None
    power = log_power(setting, "output")
    if power is None and setting.averaged and next_order(setting) is None:
        return None  # the error has no part along the top eigenspace: theory leaves the power of ln L open
    return Law(exponent, power or 0.0)


class Curve:
    """The exact mean squared errors of the output over the prompt length, against its limit and
    against linear attention, of which the limit is `apart`. What was computed is kept.
    """

    def __init__(self, setting: AttentionSetting, apart: float = 0.0) -> None:
        self._setting, self._apart = setting, apart
        self._known: dict[float, tuple[float, float]] = {}

    def error(self, lengths: Floats) -> Floats:
        """``E|T_L - T|^2`` at some lengths; `OutOfReach` where the exact engine has no value."""
        return self._values(lengths)[:, 0]

    def from_linear(self, lengths: Floats) -> Floats:
        """``E|T_L - V Gamma U z|^2`` at some lengths, as far as `error` reaches."""
        found: Floats = self._values(lengths)[:, 1]
        if np.isnan(found).any():
            raise OutOfReach
        return found

    def at_most_from_linear(self, lengths: Floats) -> Floats:
        """As `from_linear`, or where rounding leaves no digit of it what it is at most."""
        error, found = self._values(lengths).T
        return np.where(np.isnan(found), (np.sqrt(error) + self._apart) ** 2, found)

    def _values(self, lengths: Floats) -> Floats:
        """Both errors, shape (n, 2)."""
        missing = np.array(sorted(set(lengths.tolist()) - set(self._known)))
        # On average over queries one quadrature for all lengths would have to be fine for each.
        groups = np.split(missing, np.searchsorted(missing, APART)) if self._setting.averaged else [missing]
        for group in groups:
            if group.size:
                values = [exact_error(self._setting, "output", group)]
                values.append(
                    values[0] if self._setting.gaussian else exact_error(self._setting, "from_linear", group)
                )
                if values[0] is None or values[1] is None:
                    raise OutOfReach
                self._known |= zip(group.tolist(), zip(values[0].tolist(), values[1].tolist()))
        return np.array([self._known[L] for L in lengths.tolist()]).reshape(-1, 2)

    def slope(self, lengths: Floats) -> Floats:
        """The slope of ``ln E|T_L - T|^2`` over ln L, from a tenth fewer tokens to a tenth more."""
        low, high = ends(lengths)
        below, above = self.error(np.concatenate([low, high])).reshape(2, -1)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(np.log(above / below) / np.log(high / low))


class OutOfReach(Exception):
    """The exact engine has no value at a length."""


def ends(lengths: Floats) -> tuple[Floats, Floats]:
    """The lengths between which a slope is taken.

    >>> [end.tolist() for end in ends(np.array([1.0, 100.0]))]
    [[1.0, 90.0], [2.0, 110.0]]
    """
    low = np.maximum(np.round((1 - STEP) * lengths), 1.0)
    return low, np.minimum(np.maximum(np.round((1 + STEP) * lengths), lengths + 1), LONGEST)


def refined(excess: Excess, tried: Floats, found: Mapping[str, Floats]) -> dict[str, float]:
    """The least length from which on each of several conditions holds, also at every longer one
    that was tried; infinity if it fails at the longest. `excess` says by how much each is missed at
    given lengths (at most 0: it holds), `found` what it said at the increasing lengths `tried`, of
    which the first is 1.
    """
    # Between the last length at which a condition fails and the next one tried, more lengths are
    # tried, until the two are neighbours or differ by `RESOLUTION`.
    edges = {
        name: _last_edge(tried, values, 0.0, math.inf, math.inf, math.inf) for name, values in found.items()
    }
    while points := {name: between for name, edge in edges.items() if (between := _between(edge)).size}:
        for name, values in excess(points).items():
            edges[name] = _last_edge(points[name], values, *edges[name])
    return {name: edge.high for name, edge in edges.items()}


class _Edge(NamedTuple):
    """The last length at which a condition fails, or 0, and the next one, with their excesses."""

    low: float
    high: float
    excess_low: float
    excess_high: float


def _last_edge(
    tried: Floats, values: Floats, low: float, high: float, excess_low: float, excess_high: float
) -> _Edge:
    """The edge after some lengths between its ends were tried."""
    L, known = [low, *tried.tolist(), high], [excess_low, *values.tolist(), excess_high]
    last = max(i for i in range(len(L) - 1) if i == 0 or not known[i] <= 0)
    return _Edge(L[last], L[last + 1], known[last], known[last + 1])


def _between(edge: _Edge) -> Floats:
    """The whole numbers to try next between the ends of an edge; none if they are close."""
    low, high = edge.low, edge.high
    if low < 1 or not high - low > 1 or high <= (1 + RESOLUTION) * low or math.isinf(high):
        return np.empty(0)
    drop = edge.excess_low - edge.excess_high
    guess = edge.excess_low / drop if math.isfinite(drop) and drop > 0 else MIDDLE
    shares = np.clip(np.append(guess + AROUND, MIDDLE), 0.01, 0.99)
    inner = np.clip(np.round(low * (high / low) ** shares), low + 1, high - 1)
    return np.unique(inner[(inner > low) & (inner < high)])


def onsets(
    curve: Curve, size: float, tolerances: Mapping[str, tuple[bool, float]], law: Law | None, *, far: bool
) -> dict[str, float] | None:
    """From which length on the errors relative to ``size = E|V Gamma U z|^2`` (0 for none) are
    within tolerances (whether against linear attention, and how much), and the local slope close to
    that of the law, under ``"law"``. Infinity: 1e100 tokens are not enough; nan: there is no law or
    no relative error; None: the exact engine does not reach.
    """
    # `far` says that the error is followed up to 1e100 always: on average over queries and for
    # tokens on atoms, of which rare ones may come into play late.
    wanted = dict(tolerances) if size > 0 else {}
    names = [*wanted, *(["law"] if law is not None else [])]

    def excess(points: Mapping[str, Floats]) -> dict[str, Floats]:
        slopes = [part for name, L in points.items() if name == "law" for part in ends(L)]
        curve.error(
            np.concatenate([*(L for name, L in points.items() if name != "law"), *slopes])
        )  # in one call
        found = {}
        for name, L in points.items():
            with np.errstate(divide="ignore", invalid="ignore"):
                if name == "law" and law is not None:
                    found[name] = np.abs(curve.slope(L) - law.slope(L)) - LAW_SHARE * law.exponent
                else:
                    linear, tolerance = wanted[name]
                    found[name] = np.log(
                        (curve.at_most_from_linear(L) if linear else curve.error(L)) / (tolerance**2 * size)
                    )
        return found

    unknown = dict.fromkeys((*tolerances, "law"), math.nan)
    if not names:
        return unknown
    try:
        tried, found = NEAR, excess(dict.fromkeys(names, NEAR))
        if far or not all((values[NEAR >= EARLY] <= 0).all() for values in found.values()):
            more = excess(dict.fromkeys(names, FAR))
            tried, found = (
                np.concatenate([NEAR, FAR]),
                {name: np.concatenate([found[name], more[name]]) for name in names},
            )
        return unknown | refined(excess, tried, found)
    except OutOfReach:
        return None
