"""Inequalities between expressions of a few variables, tried at rational points.

A variable of a range is drawn by a whole number, its code, which walks through the range on a
logarithmic scale towards each end: the simplest value has the code 0, to which examples shrink, and
closed ends have the extreme codes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from numerics.evidence import Evidence, Verdict
from numerics.properties.holds import Tried
from numerics.provers.enclosures.boxes import Side
from numerics.provers.statements.search import gaps
from numerics.provers.statements.statement import Statement
from numerics.rationals import fraction

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

__all__ = ["Codes", "ScalarInequality"]

#: The largest code: 20 powers of two, in eighths.
MOST = 160
#: Beside a point the same point is tried with one code changed by that much.
STEPS = (1, -1, 3, -3, 8, -8, 24, -24, 64, -64, MOST, -MOST)


@dataclass(frozen=True)
class Codes:
    """The strategy of `count` numbers from -160 to 160."""

    count: int

    def strategy(self) -> SearchStrategy[Any]:
        from hypothesis import strategies as st

        return st.tuples(*[st.integers(-MOST, MOST)] * self.count)


@cache
def _power(code: int) -> Fraction:
    """2^(code/8) up to a few percent: exact at multiples of 8, where the code 0 is 1."""
    octave, eighth = divmod(code, 8)
    return Fraction(8 + eighth, 8) * Fraction(2) ** octave


def decoded(side: Side, code: int) -> Fraction:
    """The number of a range that has this code."""
    lo, hi = (None if e is None else fraction(e) for e in (side.lo, side.hi))
    if side.integer:
        return _whole(lo, hi, code)
    if lo is not None and not side.lo_open and (code <= -MOST or lo == hi):
        return lo
    if hi is not None and not side.hi_open and code >= MOST:
        return hi
    x = _power(max(-MOST, min(MOST, code)))
    if lo is not None and hi is not None:
        return lo + (hi - lo) * x / (1 + x)
    if lo is not None:
        return lo + x
    if hi is not None:
        return hi - 1 / x
    if code == 0:
        return Fraction(0)
    return _power(2 * abs(code) - MOST) * (1 if code > 0 else -1)


def _whole(lo: Fraction | None, hi: Fraction | None, code: int) -> Fraction:
    """Whole numbers from the lower end on: the first 33 one by one, then in steps of a tenth."""
    n = abs(code)
    step = Fraction(n if n <= 32 else int(4 * _power(n - 8)))
    if lo is None:
        x = step if code >= 0 else -step
        return x if hi is None else min(x, hi)
    return lo + step if hi is None else min(lo + step, hi)


@dataclass(frozen=True)
class ScalarInequality:
    """A statement of `numerics.provers.forall` at points of its domain.

    Parameters
    ----------
    statement : Statement
    count : int
        How many codes an example has: at least one for each variable.
    """

    statement: Statement
    count: int

    @property
    def drawn(self) -> Codes:
        """Properties with as many codes share their examples."""
        return Codes(self.count)

    def strategy(self) -> SearchStrategy[Any]:
        """Codes of the variables."""
        return self.drawn.strategy()

    @property
    def covered(self) -> str:
        """The domain."""
        return "rational points over twelve decades of each range"

    @cached_property
    def _tables(self) -> list[np.ndarray[Any, np.dtype[np.float64]]]:
        return [np.array([_float(decoded(s, c)) for c in range(-MOST, MOST + 1)]) for s in self.statement.box]

    def tried(self, example: tuple[int, ...]) -> Tried:
        """The worst ratio at the point and at those with one code changed."""
        k = len(self.statement.box)
        codes = np.tile(np.array(example[:k], dtype=int), (1 + k * len(STEPS), 1))
        for i in range(k):
            codes[1 + i * len(STEPS) : 1 + (i + 1) * len(STEPS), i] += STEPS
        codes = np.clip(codes, -MOST, MOST)
        points = np.stack([t[codes[:, i] + MOST] for i, t in enumerate(self._tables)], axis=1)
        gap, small, big = gaps(self.statement, points)
        met = np.isfinite(gap)
        if not met.any():
            return Tried(float("nan"))
        with np.errstate(all="ignore"):
            ratio = np.where(
                (small > 0) & (big > 0), small / big, np.where((small < 0) & (big < 0), big / small, np.where(gap < 0, np.inf, 0.0))
            )
        ratio = np.where(met, ratio, -np.inf)
        at = int(ratio.argmax())
        return Tried(float(ratio[at]), tuple(codes[at].tolist()))

    def _point(self, at: tuple[int, ...]) -> tuple[Fraction, ...]:
        return tuple(decoded(s, c) for s, c in zip(self.statement.box, at))

    def exactly(self, example: tuple[int, ...], at: tuple[int, ...]) -> Evidence:
        """The statement at this point, exactly or by Arb."""
        st, point = self.statement, self._point(at)
        common: dict[str, Any] = {"engine": "property test", "checked": st.checked}
        by = st.violated(point)
        if by:
            return Evidence(verdict=Verdict.REFUTED, witness=st.named(point), witness_by=by, **common)
        if st.holds(point) or not st.meets(point):
            return Evidence(verdict=Verdict.SUPPORTED, covered="one point", **common)
        return Evidence(verdict=Verdict.OPEN, reason="neither side could be shown to be the larger one", **common)

    def shown(self, example: tuple[int, ...], at: tuple[int, ...]) -> Mapping[str, Any]:
        """The point under the names of the statement."""
        return self.statement.named(self._point(at))


def _float(q: Fraction) -> float:
    return float(min(max(q, Fraction(-(10**300))), Fraction(10**300)))
