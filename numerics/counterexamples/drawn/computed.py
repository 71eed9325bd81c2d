"""Statements between numbers that quadrature or linear algebra computes, tried at drawn values of
what they speak of. A statement is given as a function from these values to its two sides, and a
refutation needs the left side by a second route.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from numerics.counterexamples.by_sequences import refuted_by_two_routes
from numerics.counterexamples.drawn.holds import ROUNDING, Tried
from numerics.counterexamples.drawn.scalars import MOST, Codes
from numerics.evidence import Evidence, Verdict

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

__all__ = ["Computed", "Decades", "Drawn", "Entries", "OneOf", "Several", "Share"]

#: Codes beyond this stand for the end of a range.
END = MOST * 9 // 10
#: How often an example climbs by default, where many points are tried at once.
ROUNDS = 12


@dataclass(frozen=True)
class Decades:
    """A positive number from `low` to `high`, on a logarithmic scale; many codes stand for its
    simplest value, which is `simple`, and for its ends. With `zero` the lowest codes stand for 0.
    """

    low: float
    high: float
    simple: float = 1.0
    zero: bool = False
    codes: int = 1

    def value(self, code: int) -> float:
        if code <= -END and self.zero:
            return 0.0
        end, share = self.high if code > 0 else self.low, _share(code)
        return (
            _short(self.simple * (end / self.simple) ** share)
            if 0 < share < 1
            else (end if share else self.simple)
        )


@dataclass(frozen=True)
class Share:
    """A number between two ends, each of which many codes stand for; its simplest value is the
    lower one.
    """

    low: float = 0.0
    high: float = 1.0
    codes: int = 1

    def value(self, code: int) -> float:
        share = _share(code)
        return (
            _short(self.low + (self.high - self.low) * share)
            if 0 < share < 1
            else (self.high if share else self.low)
        )


@dataclass(frozen=True)
class OneOf:
    """One of a few values, which follow each other code by code, since small codes are drawn more
    often than large ones; the first is the simplest.
    """

    values: tuple[Any, ...]
    codes: int = 1

    def value(self, code: int) -> Any:
        return self.values[abs(code) % len(self.values)]


@dataclass(frozen=True)
class Entries:
    """A vector of numbers of both signs and of size from ``1/high`` to `high`; a quarter of the
    codes stand for 0.
    """

    codes: int
    high: float = 16.0

    def value(self, *codes: int) -> Any:
        at = np.array(codes) * 4 / MOST
        return np.where(
            np.abs(at) < 1, 0.0, np.sign(at) * np.round(self.high ** ((2 * np.abs(at) - 5) / 3), 3)
        )


@dataclass(frozen=True)
class Several:
    """A vector of independent numbers of one range."""

    of: Decades | Share
    codes: int

    def value(self, *codes: int) -> Any:
        return np.array([self.of.value(code) for code in codes])


Drawn = Decades | Share | OneOf | Entries | Several


def _share(code: int) -> float:
    """How far a code is on the way from the simplest value to an end: 0 for the least tenth of the
    codes, and 1 for the largest.
    """
    return max(0.0, min((abs(code) - MOST + END) / (2 * END - MOST), 1.0))


def _plain(x: Any) -> Any:
    """Whole numbers without a point, and arrays as lists."""
    if isinstance(x, np.ndarray):
        return str([_plain(y) for y in x.tolist()]) if x.ndim == 1 else str(x.tolist())
    x = float(x) if isinstance(x, np.floating) else x
    return int(Decimal(repr(x))) if isinstance(x, float) and x.is_integer() else x


def _ratios(left: Any, right: Any) -> Any:
    """Left over right, and how far it fails where a side vanishes."""
    with np.errstate(all="ignore"):
        ratio = np.where(
            left <= right, np.where(left > 0, left / right, 0.0), np.where(right > 0, left / right, np.inf)
        )
    return np.where(np.isnan(left) | np.isnan(right), np.nan, ratio)


def _short(x: float) -> float:
    """Three digits are enough for a point."""
    return float(f"{x:.3g}")


@dataclass(frozen=True, eq=False)
class Computed:
    """``left <= right`` between two computed sides."""

    #: What is drawn, in words.
    covered: str
    #: The ranges of the quantities, by their names.
    drawn_from: Mapping[str, Drawn]
    #: Both sides from the quantities: arrays along `along`, or numbers; nan if a hypothesis fails.
    sides: Callable[..., tuple[ArrayLike, ArrayLike]]
    #: The left side at a value along `along` by a second route, from the same names.
    again: Callable[..., float]
    #: The name of a quantity of which all values are tried at once, and these values.
    along: tuple[str, Sequence[Any]] | None = None
    #: Relative error of the left side, which may exceed the right side by as much.
    accuracy: float = ROUNDING
    #: Of how many usual examples one costs the time: as many fewer are drawn.
    each: int = 1
    #: Beside a point the same point is tried with one code changed by each of these.
    steps: tuple[int, ...] = ()
    #: How often an example climbs at most, where many points are tried at once.
    rounds: int = ROUNDS
    #: Whether `sides` takes many points, as arrays whose first axis is the point. Then `along` is
    #: not used, and an example climbs from a point to the worst one beside it.
    vector: bool = False
    #: From the quantities to what a reader is shown of them, where this is something else.
    where: Callable[..., Mapping[str, Any]] = field(default=lambda **at: at)
    factor: float = 1.0

    @property
    def drawn(self) -> Codes:
        return Codes(sum(r.codes for r in self.drawn_from.values()))

    def strategy(self) -> SearchStrategy[Any]:
        return self.drawn.strategy()

    def tried(self, example: tuple[int, ...]) -> Tried:
        """The worst ratio at the point and at those beside it; in vectors on a short climb."""
        best, at = Tried(float("nan")), example
        for round in range(self.rounds if self.vector else 1):
            around = self._around(at) if round or not self.vector else [at]
            both = (
                [self._both(self._points(around))]
                if self.vector
                else [self._both(self._point(codes)) for codes in around]
            )
            ratios = np.concatenate([_ratios(*sides) for sides in both])
            if np.isnan(ratios).all():
                break
            k = int(np.nanargmax(ratios))
            if round > 1 and ratios[k] <= best.ratio:
                break
            row, place = (k, 0) if self.vector else divmod(k, len(ratios) // len(around))
            best, at = Tried(float(ratios[k]), (around[row], place)), around[row]
            if best.ratio > 1 + ROUNDING:
                break
        return best

    def _around(self, codes: tuple[int, ...]) -> list[tuple[int, ...]]:
        """These codes, and copies with one of them changed."""
        first, out = 0, [codes]
        for of in self.drawn_from.values():
            for i in range(first, first + of.codes) if not (self.vector and isinstance(of, OneOf)) else ():
                changed = [max(-MOST, min(MOST, codes[i] + step)) for step in self.steps]
                out += [(*codes[:i], code, *codes[i + 1 :]) for code in changed]
                if self.steps and isinstance(of, Entries) and codes[i]:
                    out.append((*codes[:i], 0, *codes[i + 1 :]))
            first += of.codes
        return out

    def _points(self, around: list[tuple[int, ...]]) -> dict[str, Any]:
        """The quantities of all copies: arrays whose first axis is the copy, but for the values of
        `OneOf`, which the copies share.
        """
        out, first, codes = {}, 0, np.array(around)
        for name, of in self.drawn_from.items():
            own = codes[:, first : first + of.codes]
            if isinstance(of, OneOf):
                out[name] = of.value(int(own[0, 0]))
            elif isinstance(of, Entries):
                out[name] = of.value(*own.T).T
            else:
                out[name] = np.array([of.value(*row) for row in own.tolist()])
            first += of.codes
        return out

    def _point(self, codes: tuple[int, ...]) -> dict[str, Any]:
        out, first = {}, 0
        for name, of in self.drawn_from.items():
            out[name] = of.value(*codes[first : first + of.codes])
            first += of.codes
        return out

    def _both(self, point: Mapping[str, Any]) -> tuple[Any, Any]:
        left, right = self.sides(**point)
        right = np.asarray(right, dtype=float) * self.factor
        right = right + self.accuracy * np.abs(right)
        left, right = np.broadcast_arrays(np.atleast_1d(np.asarray(left, dtype=float)), np.atleast_1d(right))
        return left, right

    def exactly(self, example: tuple[int, ...], at: tuple[tuple[int, ...], int]) -> Evidence:
        """The statement at this place, where the second route has to agree."""
        point, k = self._point(at[0]), at[1]
        left, right = (float(side[k]) for side in self._both(self._points([at[0]]) if self.vector else point))
        if not left > right:
            return Evidence(verdict=Verdict.SUPPORTED, engine="property test", covered="one point")
        again = float(self.again(**point, **self._place(k)))
        return refuted_by_two_routes(
            "property test", {**self.shown(example, at), "left": left, "right": right}, left, right, again
        )

    def scaled(self, factor: Fraction) -> Computed:
        return replace(self, factor=self.factor * float(factor))

    def _place(self, k: int) -> dict[str, Any]:
        return {} if self.along is None else {self.along[0]: self.along[1][k]}

    def shown(self, example: tuple[int, ...], at: tuple[tuple[int, ...], int]) -> Mapping[str, Any]:
        """The quantities by their names; whole numbers without a point."""
        place = {**self.where(**self._point(at[0])), **self._place(at[1])}
        return {name: _plain(x) for name, x in place.items()}
