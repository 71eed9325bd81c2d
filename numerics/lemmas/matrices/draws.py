"""The search for matrices that break a statement: numbers of which the matrices are made, small
whole ones first, and then a climb on the gap of the two sides. Floating point only searches; what
it finds is evaluated exactly by others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp
from flint import fmpq
from numpy.typing import NDArray

from numerics.lemmas.matrices.built import Built, built
from numerics.lemmas.matrices.comparisons import Comparison
from numerics.lemmas.matrices.heads import (
    FrobeniusNorm,
    LargestEigenvalue,
    Matrices,
    OperatorNorm,
    SmallestEigenvalue,
)
from numerics.lemmas.matrices.values import EXACT, FLOATS, Arithmetic
from numerics.lemmas.matrices.words import Sized
from numerics.provers.enclosures.boxes import Side
from numerics.rationals import fraction
from numerics.seeds import shared_generator

__all__ = ["CLEAR", "Search"]

Floats = NDArray[np.float64]
#: A relative gap below this is no rounding.
CLEAR = 1e-10
#: Hypotheses may fail by that much in floating point.
NEARLY = 1e-12
#: How many points are drawn, how many of the best ones climb, and how often, to how many points
#: around each.
DRAWN, CLIMBING, ROUNDS, AROUND = 4000, 24, 40, 24
#: Numbers are multiples of one over this.
GRID = 64


@dataclass(frozen=True)
class Search:
    """A statement at points that are made of `count` numbers each."""

    st: Sized

    @cached_property
    def order(self) -> list[Built]:
        return built(self.st)[0]

    @cached_property
    def _pieces(self) -> list[tuple[Any, int, int]]:
        """Each variable with the place of its first number, and how many it has."""
        out, first = [], 0
        for b in self.order:
            n, m = map(int, b.symbol.shape)
            number = 0 if b.part is None else n * m + (b.part is Matrices.DEFINITE)
            out.append((b, first, number))
            first += number
        for s in self.st.scalars:
            out.append((s, first, 1))
            first += 1
        return out

    @property
    def count(self) -> int:
        return sum(number for *_, number in self._pieces)

    def made(self, leaves: Mapping[int, Any], arithmetic: Arithmetic) -> dict[Any, Any]:
        """The variables, from the numbers in the arithmetic."""
        at: dict[Any, Any] = {}
        for s, first, number in self._pieces:
            if isinstance(s, Built):
                at[s.symbol] = _made(s, [leaves[first + k] for k in range(number)], at, arithmetic)
            else:
                at[s] = leaves[first]
        return at

    def exactly(self, row: Floats) -> dict[Any, Any]:
        """The point of these numbers, which are rational ones rounded."""
        leaves: dict[int, Any] = {}
        for s, first, number in self._pieces:
            for k in range(first, first + number):
                x = fmpq(round(float(row[k]) * GRID), GRID)
                leaves[k] = x if isinstance(s, Built) else _inside(self.st.scalars[s], x)
        return self.made(leaves, EXACT)

    def floats(self, rows: Floats) -> dict[Any, Any]:
        leaves: dict[int, Any] = {}
        for s, first, number in self._pieces:
            for k in range(first, first + number):
                column = rows[:, k]
                leaves[k] = column if isinstance(s, Built) else _inside(self.st.scalars[s], column)
        return self.made(leaves, FLOATS)

    def gaps(self, rows: Floats) -> Floats:
        """The relative gap of the conclusion at each point, negative where it fails, and oo where a
        hypothesis does or a side is undefined.
        """
        with np.errstate(all="ignore"):
            at = self.floats(rows)
            gap = self._gap(self.st.goal, at, len(rows))
            gap = np.where(np.isfinite(gap), gap, np.inf)
            for c in self.st.where:
                own = self._gap(c, at, len(rows))
                least = NEARLY if c.op in ("<", ">") else -NEARLY
                met = np.abs(own) > CLEAR if c.op == "!=" else own >= least
                gap = np.where(np.isfinite(own) & met, gap, np.inf)
            for b in self.order:
                if not b.sure:
                    values = np.linalg.eigvalsh(np.nan_to_num(at[b.symbol]))[..., 0]
                    size = NEARLY * (1 + np.abs(at[b.symbol]).sum((-1, -2)))
                    kind = self.st.matrices[b.symbol]
                    free = kind in (Matrices.SYMMETRIC, Matrices.ANY)
                    least = -np.inf if free else size if kind is Matrices.DEFINITE else -size
                    gap = np.where(values >= least, gap, np.inf)
        return gap

    def _gap(self, c: Comparison, at: Mapping[Any, Any], n: int) -> Floats:
        if not c.matrices:
            values = {s: np.broadcast_to(_atom(a, at), n) for a, s in c.atoms.items()}
            values |= {s: np.broadcast_to(v, n) for s, v in at.items() if isinstance(s, sp.Symbol)}
            small, big = (np.broadcast_to(side, n) for side in self._program(c)(values))
            gap = (big - small) / (np.abs(big) + np.abs(small) + 1e-300)
            return gap if c.ordered else -np.abs(gap)
        big, small = (
            np.broadcast_to(FLOATS.matrix(e, at), (n, *map(int, e.shape))) for e in (c.big, c.small)
        )
        size = np.abs(big).sum((-1, -2)) + np.abs(small).sum((-1, -2)) + 1e-300
        fine = np.isfinite(size)
        m = np.where(fine[:, None, None], big - small, 0.0)
        if not c.ordered:
            return np.where(fine, -np.abs(m).sum((-1, -2)) / size, np.nan)
        return np.where(fine, np.linalg.eigvalsh((m + m.swapaxes(-1, -2)) / 2)[:, 0] / size, np.nan)

    @cached_property
    def _programs(self) -> dict[Comparison, Any]:
        return {}

    def _program(self, c: Comparison) -> Any:
        """Both scalar sides in floating point."""
        if c not in self._programs:
            from numerics.counterexamples.drawn.equations.running_error import Program

            program = Program(list(c.values))
            self._programs[c] = program.values
        return self._programs[c]

    def drawn(self, stream: int = 0) -> Floats:
        """Points of small whole numbers, many of them 0, and some multiplied by powers of two."""
        rng = shared_generator("matrices that break a statement", stream)
        n = (DRAWN, self.count)
        rows = rng.integers(-2, 3, n).astype(float)
        rows[DRAWN // 2 :] = rng.integers(-4, 5, (DRAWN - DRAWN // 2, self.count))
        rows *= rng.random(n) < rng.choice((0.3, 0.6, 1.0), (DRAWN, 1))
        scales = 2.0 ** (rng.integers(-3, 5, n) * (rng.random((DRAWN, 1)) < 0.3))
        for _, first, number in self._pieces:
            rows[:, first : first + number] *= scales[:, first : first + 1]
        rows[0] = 0
        return rows

    def candidates(self, stream: int = 0) -> Iterator[tuple[Floats, Floats]]:
        """Points with their gaps: those that were drawn, and those to which the best ones climb."""
        if not self.count:
            rows = np.zeros((1, 0))
            yield rows, self.gaps(rows)
            return
        rows = self.drawn(stream)
        gaps = self.gaps(rows)
        yield rows, gaps
        yield self.climbed(rows, gaps, stream)

    def climbed(
        self, rows: Floats, gaps: Floats, stream: int = 0, *, best: int = CLIMBING, rounds: int = ROUNDS
    ) -> tuple[Floats, Floats]:
        """Where the points with the smallest gaps get by steps that grow smaller."""
        chosen = np.argsort(gaps, kind="stable")[:best]
        rows, gaps = rows[chosen].copy(), gaps[chosen].copy()
        rng = shared_generator("matrices that climb", stream)
        for r in range(rounds):
            step = rng.normal(size=(len(rows), AROUND, self.count))
            step *= rng.random(step.shape) < rng.choice((0.3, 1.0), (len(rows), AROUND, 1))
            step *= 2.0 ** -rng.integers(0, 2 + r // 4, (len(rows), AROUND, 1))
            step *= np.where(rng.random((len(rows), AROUND, 1)) < 0.5, 1.0, 0.2 + np.abs(rows[:, None]))
            around = np.round((rows[:, None] + step) * GRID) / GRID
            found = self.gaps(around.reshape(-1, self.count)).reshape(around.shape[:2])
            k = found.argmin(1)
            row = np.arange(len(rows))
            better = found[row, k] < gaps
            rows[better], gaps[better] = around[row, k][better], found[row, k][better]
        return rows, gaps


def _inside(side: Side, x: Any) -> Any:
    """A number of a range from any number; 0 gives the end of a closed range, 1 a middle."""
    exact = isinstance(x, fmpq)
    end = (lambda e: e) if exact else (lambda e: float(fraction(e)))
    if side.integer:
        near = x if exact else np.floor(np.abs(x))
        near = fmpq(abs(int(near.p)) // int(near.q)) if exact else near
        if side.lo is None and side.hi is None:
            return near * (1 if x >= 0 else -1) if exact else near * np.sign(x + (x == 0))
        out = end(side.lo) + near if side.lo is not None else end(side.hi) - near
        if side.lo is not None and side.hi is not None:
            return min(out, side.hi) if exact else np.minimum(out, end(side.hi))
        return out
    if side.lo is not None and side.hi is not None:
        width, far = end(side.hi) - end(side.lo), x * x / (1 + x * x)
        if side.lo_open and side.hi_open:
            return end(side.lo) + width * (1 + x / (1 + abs(x))) / 2
        if not side.lo_open and not side.hi_open:  # both ends are reached
            far = min(x * x, fmpq(1)) if exact else np.minimum(x * x, 1.0)
        return end(side.lo) + width * far if side.hi_open else end(side.hi) - width * far
    if side.lo is not None:
        return end(side.lo) + (x * x if not side.lo_open else _positive(x))
    return x if side.hi is None else end(side.hi) - (x * x if not side.hi_open else _positive(x))


def _positive(x: Any) -> Any:
    """A positive number, 1 for 0, large for positive and small for negative ones."""
    if isinstance(x, fmpq):
        return (1 + x * x) if x >= 0 else 1 / (1 + x * x)
    return np.where(x >= 0, 1 + x * x, 1 / (1 + x * x))


def _made(b: Built, leaves: list[Any], at: Mapping[Any, Any], a: Arithmetic) -> Any:
    """A variable from its base and the numbers of its part."""
    base = None if b.base is None else a.matrix(b.base, at)
    if b.part is None:
        return base
    n, m = map(int, b.symbol.shape)
    place = max if b.part is Matrices.SYMMETRIC else lambda i, j: i
    other = min if b.part is Matrices.SYMMETRIC else lambda i, j: j
    part = a.explicit([[leaves[place(i, j) * m + other(i, j)] for j in range(m)] for i in range(n)])
    if b.part in (Matrices.PSD, Matrices.DEFINITE):
        part = a.product(part, a.transpose(part))
    if b.part is Matrices.DEFINITE:
        one = a.matrix(sp.Identity(n), {})
        small = _positive(leaves[-1])
        part = part + (one * small if isinstance(small, fmpq) else a.scaled(one, small))
    if base is None:
        return part
    return base + part if b.sign == 1 else base - part


def _atom(a: sp.Expr, at: Mapping[Any, Any]) -> Any:
    """What belongs to a matrix in a scalar side."""
    if not isinstance(a, (FrobeniusNorm, OperatorNorm, LargestEigenvalue, SmallestEigenvalue)):
        return FLOATS.number(a, at)
    m = np.asarray(FLOATS.matrix(a.args[0], at))
    bad = ~np.isfinite(m).all((-1, -2))
    m = np.where(bad[..., None, None], 0.0, m)
    if isinstance(a, FrobeniusNorm):
        out = np.sqrt((m * m).sum((-1, -2)))
    elif isinstance(a, OperatorNorm):
        out = np.linalg.norm(m, 2, axis=(-2, -1))
    else:
        values = np.linalg.eigvalsh((m + m.swapaxes(-1, -2)) / 2)
        out = values[..., -1 if isinstance(a, LargestEigenvalue) else 0]
    return np.where(bad, np.nan, out)
