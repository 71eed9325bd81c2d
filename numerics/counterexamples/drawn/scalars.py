"""Inequalities between expressions of a few variables, tried at rational points. A variable is
drawn by a whole number, its code, which walks through its range on a logarithmic scale towards each
end: the simplest value has the code 0, to which examples shrink, and closed ends have the extreme
codes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from numerics.counterexamples.drawn.codes import MOST, OCTAVE
from numerics.counterexamples.drawn.equations.running_error import Program, Unknown
from numerics.counterexamples.drawn.holds import ROUNDING, Tried
from numerics.evidence import Evidence, Verdict
from numerics.provers.enclosures.boxes import Side
from numerics.provers.statements.statement import Statement
from numerics.rationals import fraction, sympy_rational

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

__all__ = ["MOST", "OCTAVE", "Codes", "ScalarInequality", "decoded", "simplest_or_worst", "table"]

#: The code of 0 where a variable takes all real values: those above are positive, 1 has the code 0.
ZERO = -MOST // 3
#: Beside a point the same point is tried with one code changed by that much.
STEPS = (1, -1, 8, -8, 32, -32, 96, -96, 256, -256, 768, -768, 2048, -2048, MOST, -MOST)
#: How often an example climbs from a point to the best one beside it.
ROUNDS = 8
#: Sides below this may be 0 or may have underflowed.
UNDERFLOW = 1e-280


@dataclass(frozen=True)
class Codes:
    """The strategy of `count` codes."""

    count: int

    def strategy(self) -> SearchStrategy[Any]:
        from numerics.counterexamples.drawn.rows import Row

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
        out = np.where(
            codes == ZERO, 0.0, np.where(codes < ZERO, -1, 1) * np.ldexp(1 + step / OCTAVE, octave)
        )
    if lo is not None and not side.lo_open:
        out[0] = lo
    if hi is not None and not side.hi_open:
        out[-1] = hi
    return np.full_like(out, lo) if lo is not None and lo == hi else out


@cache
def _beside(k: int) -> NDArray[np.int_]:
    """Nothing, and each step at each of k codes; shape (1 + k steps, k)."""
    return np.vstack([np.zeros((1, k), dtype=int), np.kron(np.eye(k, dtype=int), np.array(STEPS)[:, None])])


def simplest_or_worst(codes: NDArray[np.int_], ratio: NDArray[np.float64]) -> list[Tried]:
    """Of several points in each row that with the largest ratio; where the statement fails the
    simplest point at which it does so clearly, that is by a twentieth of what it does at the worst.
    """
    worst, row = ratio.max(1), np.arange(len(ratio))
    clearly = ratio > 1 + (np.minimum(worst, 3.0)[:, None] - 1) / 20
    simplest = np.where(clearly, np.abs(codes).sum(2), np.inf).argmin(1)
    place = np.where(worst > 1 + ROUNDING, simplest, ratio.argmax(1))
    found = np.where(worst > -np.inf, ratio[row, place], np.nan)
    return [Tried(r, tuple(c)) for r, c in zip(found.tolist(), codes[row, place].tolist())]


@dataclass(frozen=True)
class ScalarInequality:
    """A statement of `numerics.provers.forall` at points of its domain."""

    statement: Statement
    count: int

    @property
    def drawn(self) -> Codes:
        return Codes(self.count)

    def strategy(self) -> SearchStrategy[Any]:
        return self.drawn.strategy()

    @property
    def covered(self) -> str:
        return "rational points over twelve decades of each range"

    def tried(self, example: tuple[int, ...]) -> Tried:
        """The worst ratio on a short climb from the point: at those with one code changed, around
        the point at which all codes are the best of these, and so on. Where the statement fails
        somewhere it is that at the simplest of the points at which it fails clearly, that is by a
        twentieth of what it does at the worst one.
        """
        return self.tried_together([example])[0]

    def tried_together(self, examples: Sequence[tuple[int, ...]]) -> list[Tried]:
        """The same for several points, which climb at once."""
        k = len(self.statement.box)
        at = np.array([example[:k] for example in examples], dtype=int)
        steps = _beside(k)
        codes = np.zeros((ROUNDS, len(at), len(steps), k), dtype=int)
        ratio = np.full(codes.shape[:3], -np.inf)
        rows = 1 + np.arange(k * len(STEPS)).reshape(-1, len(STEPS))
        climbing = np.arange(len(at))
        for step in range(ROUNDS):
            around = np.clip(at[climbing, None] + steps, -MOST, MOST)
            found = self._ratios(around.reshape(-1, k)).reshape(around.shape[:2])
            codes[step, climbing], ratio[step, climbing] = around, found
            best = rows[np.arange(k), found[:, rows].argmax(2)]
            best = np.where(np.take_along_axis(found, best, 1) > found[:, :1], best, 0)
            at[climbing] = around[np.arange(len(around))[:, None], best, np.arange(k)]
            climbing = climbing[best.any(1)]
            if not len(climbing):
                break
        codes, ratio = (x.swapaxes(0, 1).reshape(len(at), -1, *x.shape[3:]) for x in (codes, ratio))
        return simplest_or_worst(codes, ratio)

    @cached_property
    def _program(self) -> Program | None:
        """Both sides and the hypotheses; nothing if something has no value in floating point."""
        try:
            return Program([self.statement.small, self.statement.big, *(g for g, _ in self.statement.where)])
        except Unknown:
            return None

    def _ratios(self, codes: NDArray[np.int_]) -> NDArray[np.float64]:
        """The smaller side over the larger one in each row, -oo where a hypothesis fails or a side
        has no value; 0 where both are so small that they may have underflowed.
        """
        st = self.statement
        if self._program is None:
            return np.full(len(codes), -np.inf)
        columns = {x: table(s)[codes[:, i] + MOST] for i, (x, s) in enumerate(zip(st.symbols, st.box))}
        with np.errstate(all="ignore"):
            small, big, *where = self._program.values(columns)
            small, big = (np.broadcast_to(side, len(codes)) for side in (small, big))
            size = np.abs(small) + np.abs(big)
            gap = np.where(size < UNDERFLOW, 0.0 if st.strict else np.nan, (big - small) / size)
            below = np.where((small < 0) & (big < 0), big / small, np.where(gap < 0, np.inf, 0.0))
            ratio = np.where((small > 0) & (big > 0), small / big, below)
            met = np.isfinite(gap) & np.isfinite(size)
            for g, (_, strict) in zip(where, st.where):
                met &= g > 0 if strict else g >= 0
        if st.strict:  # equality fails, and rounding can hide it
            ratio = np.where(gap <= 1e-13, np.maximum(ratio, 1 + 2 * ROUNDING), ratio)
        return np.where(met, ratio, -np.inf)

    def _point(self, at: tuple[int, ...]) -> tuple[Fraction, ...]:
        return tuple(decoded(s, c) for s, c in zip(self.statement.box, at))

    def exactly(self, example: tuple[int, ...], at: tuple[int, ...]) -> Evidence:
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
        return Evidence(
            verdict=Verdict.OPEN, reason="neither side could be shown to be the larger one", **common
        )

    def scaled(self, factor: Fraction) -> ScalarInequality:
        big = sympy_rational(factor) * self.statement.big
        checked = rf"\text{{the same with the larger side times }}{factor}:\; {self.statement.checked}"
        return replace(self, statement=replace(self.statement, big=big, checked=checked))

    def shown(self, example: tuple[int, ...], at: tuple[int, ...]) -> Mapping[str, Any]:
        return self.statement.named(self._point(at))


def _float(q: Fraction) -> float:
    return float(min(max(q, Fraction(-(10**300))), Fraction(10**300)))
