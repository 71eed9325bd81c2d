"""Decides an inequality at points of its own: ends, hints, random ones, then downhill."""

import itertools
import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import sympy as sp

from numerics.provers import Closed, Integers
from tests.numerics.provers.soundness.values import Function, Out, Point, order

__all__ = ["Axis", "Hypothesis", "Terms"]

Hypothesis = tuple[Any, str, Any]
#: Whether a relation holds, by the sign of the difference of its sides.
HOLDS = {">=": lambda d: d >= 0, ">": lambda d: d > 0, "==": lambda d: d == 0, "!=": lambda d: d != 0}


@dataclass(frozen=True)
class Axis:
    """Exact ends (None is infinite), whether they belong, whether only whole numbers do."""

    lo: Fraction | None = None
    hi: Fraction | None = None
    left: bool = False
    right: bool = False
    whole: bool = False

    def spec(self) -> Any:
        lo, hi = (
            infinite if e is None else sp.Rational(e) for e, infinite in ((self.lo, -sp.oo), (self.hi, sp.oo))
        )
        if self.whole:
            return sp.S.Integers if (self.lo, self.hi) == (None, None) else Integers(lo, hi)
        if not self.left and not self.right:
            return sp.S.Reals if (self.lo, self.hi) == (None, None) else (lo, hi)
        return (
            Closed(lo, hi) if self.left and self.right else sp.Interval(lo, hi, not self.left, not self.right)
        )

    def holds(self, x: Fraction | float) -> bool:
        if self.whole and x != int(x):
            return False
        lo, hi = self.lo, self.hi
        return (lo is None or x > lo or (self.left and x == lo)) and (
            hi is None or x < hi or (self.right and x == hi)
        )

    def assumptions(self) -> dict[str, bool]:
        if self.lo is not None and (self.lo > 0 or (self.lo == 0 and not self.left)):
            return {"positive": True}
        if self.hi is not None and (self.hi < 0 or (self.hi == 0 and not self.right)):
            return {"negative": True}
        return {"real": True}

    def draw(self, rng: random.Random) -> float:
        if self.whole:
            lo = int(self.lo) if self.lo is not None else -30 if self.hi is None else int(self.hi) - 30
            return float(rng.randint(lo, int(self.hi) if self.hi is not None else lo + 60))
        if self.lo is not None and self.hi is not None:
            return float(self.lo) + (float(self.hi) - float(self.lo)) * rng.random()
        far = math.exp(rng.uniform(-9, 9))
        if self.lo is not None:
            return float(self.lo) + far
        return float(self.hi) - far if self.hi is not None else far * rng.choice((1, -1))

    def special(self) -> Iterator[Fraction]:
        ends = [e for e in (self.lo, self.hi) if e is not None]
        near = [e + s * d for d in (0, Fraction(1, 10**9), Fraction(1, 1000)) for e in ends for s in (1, -1)]
        simple = [Fraction(n) for n in (0, 1, -1, 2, 3, 10, -10, 1000)]
        yield from (q for q in dict.fromkeys([*near, *simple, Fraction(1, 2)]) if self.holds(q))


class Terms:
    """``small <= big`` (``<``, if strict) under hypotheses, as functions of numbers."""

    def __init__(self, small, big, axes, where=(), strict=False):
        self.axes, self.strict, symbols = axes, strict, tuple(axes)
        self.small, self.big = Function(small, symbols), Function(big, symbols)
        above = [(b, a, o.replace("<", ">")) if o[0] == "<" else (a, b, o) for a, o, b in where]
        self.where = [(Function(a, symbols), Function(b, symbols), o) for a, b, o in above]

    def meets(self, point: Point) -> bool | None:
        """In the domain with every hypothesis; False without a value, None if too close to tell."""
        if not all(a.holds(x) for a, x in zip(self.axes.values(), point)):
            return False
        for greater, less, op in self.where:
            try:
                sign = order(greater, less, point)
            except OverflowError:
                return None
            except Out:
                return False
            if sign is None:
                return None
            if not HOLDS[op](sign):
                return False
        return True

    def order(self, point: Point) -> int | None:
        """The sign of ``big - small``; raises one of `Out` where a side is no real number."""
        return order(self.big, self.small, point)

    def broken(self, point: Point) -> bool:
        """Whether the point surely breaks the statement: it fails there, or a side has no value."""
        if not self.meets(point):
            return False
        try:
            sign = self.order(point)
            return sign == -1 or (self.strict and sign == 0)
        except OverflowError:
            return False
        except Out:
            return True

    def counterexample(self, hints: Sequence[Point], rng: random.Random) -> Point | None:
        axes = list(self.axes.values())
        values = [list(a.special()) for a in axes]
        corners = itertools.islice(itertools.product(*(v[:2] for v in values)), 4)
        points = [*hints, *corners]
        points += [[rng.choice(v) for v in values] for _ in range(5 if all(values) else 0)]
        found = next((p for p in points if self.broken(p)), None)
        if found is None:
            starts = (self._float(p) for p in (*([a.draw(rng) for a in axes] for _ in range(40)), *points))
            best = [x for v, x in sorted(starts)[:2] if abs(v) < math.inf]
            ends = ([Fraction(c) for c in self._downhill(x)] for x in best)
            found = next((p for p in ends if self.broken(p)), None)
        return found

    def _float(self, point: Sequence[Fraction | float]) -> tuple[float, list[float]]:
        """The gap and the point in floating point; infinite where it does not count."""
        x = [float(c) for c in point]
        if not all(abs(c) < math.inf for c in x):
            return math.inf, x
        try:
            v = self.big.rough(x) - self.small.rough(x)
            fine = not isinstance(v, complex) and abs(v) < math.inf
            fine = fine and all(HOLDS[op](a.rough(x) - b.rough(x)) for a, b, op in self.where)
            fine = fine and all(a.holds(c) for a, c in zip(self.axes.values(), x))
            return float(v) if fine else math.inf, x
        except Out:
            return math.inf, x

    def _downhill(self, start: list[float]) -> list[float]:
        """The least value nearby, by steps along the axes that shrink where they do not help."""
        (value, x), step = self._float(start), 0.25
        for _ in range(300):
            trials = []
            for i, axis in enumerate(self.axes.values()):
                by = max(1.0, round(step * abs(x[i]))) if axis.whole else step * (abs(x[i]) or 1.0)
                trials += [self._float([*x[:i], x[i] + s * by, *x[i + 1 :]]) for s in (1, -1)]
            lowest = min(trials)
            if lowest[0] < value:
                value, x = lowest
            else:
                step /= 3
            if step < 1e-9:
                break
        return x
