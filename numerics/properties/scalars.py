"""Inequalities between expressions of a few variables, tried at rational points.

A variable of a range is drawn by a whole number, its code, which walks through the range on a
logarithmic scale towards each end: the simplest value has the code 0, to which examples shrink, and
closed ends have the extreme codes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from numerics.evidence import Evidence, Verdict
from numerics.properties.holds import ROUNDING, Tried
from numerics.provers.enclosures.boxes import Side
from numerics.provers.statements.search import gaps
from numerics.provers.statements.statement import Statement
from numerics.rationals import fraction, sympy_rational

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

__all__ = ["Codes", "ScalarInequality", "decoded", "table"]

#: Codes between a power of two and the next; the largest code stands for 20 powers of two.
OCTAVE, MOST = 256, 5120
#: The code of 0 where a variable takes all real values: those above are positive, 1 has the code 0.
ZERO = -MOST // 3
#: Beside a point the same point is tried with one code changed by that much.
STEPS = (1, -1, 8, -8, 32, -32, 96, -96, 256, -256, 768, -768, 2048, -2048, MOST, -MOST)
#: How often an example climbs from a point to the best one beside it.
ROUNDS = 4


@dataclass(frozen=True)
class Codes:
    """The strategy of `count` codes."""

    count: int

    def strategy(self) -> SearchStrategy[Any]:
        from numerics.properties.rows import Row

        return Row(*[(-MOST, MOST)] * self.count)


@cache
def _power(code: int) -> Fraction:
    """The number of the code: 1 for 0, twice as much for each `OCTAVE`, in even steps between."""
    octave, step = divmod(code, OCTAVE)
    return Fraction(OCTAVE + step, OCTAVE) * Fraction(2) ** octave


def decoded(side: Side, code: int) -> Fraction:
    """The number of a range that has this code."""
    lo, hi = (None if e is None else fraction(e) for e in (side.lo, side.hi))
    if side.integer:
        return _whole(lo, hi, code)
    if lo is not None and not side.lo_open and (code <= -MOST or lo == hi):
        return lo
    if hi is not None and not side.hi_open and code >= MOST:
        return hi
    x = _power(code)
    if lo is not None and hi is not None:
        return lo + (hi - lo) * x / (1 + x)
    if lo is not None:
        return lo + x
    if hi is not None:
        return hi - 1 / x
    if code == ZERO:
        return Fraction(0)
    return -_power(3 * (ZERO - code) - MOST) if code < ZERO else _power(code if code >= 0 else 3 * code)


def _whole(lo: Fraction | None, hi: Fraction | None, code: int) -> Fraction:
    """Whole numbers from the lower end on: the first 33 one by one, then in growing steps."""
    n = abs(code) // 8
    step = Fraction(n if n <= 32 else int(32 * _power(8 * (n - 32))))
    if lo is None:
        x = step if code >= 0 else -step
        return x if hi is None else min(x, hi)
    return lo + step if hi is None else min(lo + step, hi)


@cache
def table(side: Side) -> NDArray[np.float64]:
    """The numbers of all codes, rounded."""
    codes = np.arange(-MOST, MOST + 1)
    if side.integer:
        return np.array([_float(decoded(side, int(c))) for c in codes])
    octave, step = np.divmod(codes, OCTAVE)
    x = np.ldexp(1 + step / OCTAVE, octave)
    lo, hi = (None if e is None else _float(fraction(e)) for e in (side.lo, side.hi))
    if lo is not None and hi is not None:
        out = lo + (hi - lo) * x / (1 + x)
    elif lo is not None:
        out = lo + x
    elif hi is not None:
        out = hi - 1 / x
    else:
        size = np.where(codes < ZERO, 3 * (ZERO - codes) - MOST, np.where(codes < 0, 3 * codes, codes))
        octave, step = np.divmod(size, OCTAVE)
        out = np.where(codes == ZERO, 0.0, np.where(codes < ZERO, -1, 1) * np.ldexp(1 + step / OCTAVE, octave))
    if lo is not None and not side.lo_open:
        out[0] = lo
    if hi is not None and not side.hi_open:
        out[-1] = hi
    return np.full_like(out, lo) if lo is not None and lo == hi else out


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

    def tried(self, example: tuple[int, ...]) -> Tried:
        """The worst ratio on a short climb from the point: at those with one code changed, around
        the point at which all codes are the best of these, and so on. Where the statement fails
        somewhere it is that at the simplest of the points at which it fails clearly, that is by a
        twentieth of what it does at the worst one.
        """
        tried = []
        at = np.array(example[: len(self.statement.box)], dtype=int)
        for _ in range(ROUNDS):
            codes = self._around(at)
            ratio = self._ratios(codes)
            tried.append((codes, ratio))
            rows = 1 + np.arange(len(at) * len(STEPS)).reshape(-1, len(STEPS))
            best = np.take_along_axis(rows, ratio[rows].argmax(1)[:, None], 1)[:, 0]
            best = np.where(ratio[best] > ratio[0], best, 0)
            if not best.any():
                break
            at = codes[best, np.arange(len(at))]
        codes, ratio = (np.concatenate(x) for x in zip(*tried))
        k = int(ratio.argmax())
        if ratio[k] > 1 + ROUNDING:
            failing = ratio > 1 + (min(ratio[k], 3.0) - 1) / 20
            k = int(np.where(failing, np.abs(codes).sum(1), np.inf).argmin())
        return Tried(float(ratio[k]) if ratio[k] > -np.inf else float("nan"), tuple(codes[k].tolist()))

    def _around(self, codes: NDArray[np.int_]) -> NDArray[np.int_]:
        """These codes, and copies with one of them changed by each step; shape (copies, k)."""
        k = len(codes)
        out = np.tile(codes, (1 + k * len(STEPS), 1))
        for i in range(k):
            out[1 + i * len(STEPS) : 1 + (i + 1) * len(STEPS), i] += STEPS
        return np.clip(out, -MOST, MOST)

    def _ratios(self, codes: NDArray[np.int_]) -> NDArray[np.float64]:
        """The smaller side over the larger one in each row, -oo where a hypothesis fails."""
        points = np.stack([table(s)[codes[:, i] + MOST] for i, s in enumerate(self.statement.box)], axis=1)
        strict = self.statement.strict
        gap, small, big = gaps(self.statement, points, vanishing=strict)
        with np.errstate(all="ignore"):
            both = np.where((small < 0) & (big < 0), big / small, np.where(gap < 0, np.inf, 0.0))
            ratio = np.where((small > 0) & (big > 0), small / big, both)
        if strict:  # equality fails, and rounding can hide it
            ratio = np.where(gap <= 1e-13, np.maximum(ratio, 1 + 2 * ROUNDING), ratio)
        return np.where(np.isfinite(gap), ratio, -np.inf)

    def _point(self, at: tuple[int, ...]) -> tuple[Fraction, ...]:
        return tuple(decoded(s, c) for s, c in zip(self.statement.box, at))

    def exactly(self, example: tuple[int, ...], at: tuple[int, ...]) -> Evidence:
        """The statement at this point, exactly or by Arb."""
        st, point = self.statement, self._point(at)
        common: dict[str, Any] = {"engine": "property test", "checked": st.checked}
        by = st.violated(point)
        if by:
            return Evidence(verdict=Verdict.REFUTED, witness=st.named(point), witness_by=by, **common)
        if not st.meets(point):
            why = "the point does not meet the hypotheses"
            return Evidence(verdict=Verdict.SUPPORTED, covered="one point", vacuous=why, **common)
        if st.holds(point):
            return Evidence(verdict=Verdict.SUPPORTED, covered="one point", **common)
        return Evidence(verdict=Verdict.OPEN, reason="neither side could be shown to be the larger one", **common)

    def scaled(self, factor: Fraction) -> ScalarInequality:
        """The same statement with its larger side multiplied."""
        big = sympy_rational(factor) * self.statement.big
        checked = rf"\text{{the same with the larger side times }}{factor}:\; {self.statement.checked}"
        return replace(self, statement=replace(self.statement, big=big, checked=checked))

    def shown(self, example: tuple[int, ...], at: tuple[int, ...]) -> Mapping[str, Any]:
        """The point under the names of the statement."""
        return self.statement.named(self._point(at))


def _float(q: Fraction) -> float:
    return float(min(max(q, Fraction(-(10**300))), Fraction(10**300)))
