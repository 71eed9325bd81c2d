"""The laws that are searched: points of a cube, each a law on few atoms with its parameters, and
the short rational numbers near one of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import comb

import numpy as np
import sympy as sp

from numerics.lemmas.laws.batch import Batch, samples_of
from numerics.lemmas.laws.counts import Law, Undefined, Values
from numerics.lemmas.laws.statement import Event, Formula, LawStatement
from numerics.provers.enclosures.boxes import Side
from numerics.provers.exact.exact_numbers import Undecided
from numerics.provers.statements.floating_point import Array, values_of
from numerics.rationals import fraction, sympy_rational

__all__ = ["MOST_SAMPLES", "Numbers", "Points", "Space", "placed", "spaces"]

#: Atoms, free weights and parameters.
Numbers = tuple[list[Fraction], list[Fraction], list[Fraction]]
#: More vectors of counts than that are not enumerated.
MOST_SAMPLES = 300
#: Denominators of the short numbers near a point.
SHORT = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 50, 100, 1000, 10**5, 10**8)
#: Steps towards the place where an event begins.
STEPS = 16


def placed(side: Side, u: Array) -> Array:
    """Numbers of a range, from those of [0, 1]: closed ends are reached."""
    lo, hi = (None if e is None else float(fraction(e)) for e in (side.lo, side.hi))
    if lo is not None and hi is not None:
        u = np.clip(u, 1e-6 if side.lo_open else 0.0, 1 - 1e-6 if side.hi_open else 1.0)
        x = lo + (hi - lo) * (0.5 - 0.5 * np.cos(np.pi * u)) if lo < hi else np.full_like(u, lo)
    elif lo is not None or hi is not None:
        opened = side.lo_open if hi is None else side.hi_open
        far = np.exp(16 * u - 9) if opened else np.sinh(7 * u)
        x = lo + far if lo is not None else hi - far
    else:
        x = np.sinh(7 * (2 * u - 1))
    return np.round(x) if side.integer else x


@dataclass(frozen=True)
class Points:
    """Laws as arrays: atoms, all weights but those that the hypotheses and the sum 1 determine, and
    parameters; `jumps` says for which sample an event is to begin, -1 for none.
    """

    atoms: Array
    free: Array
    parameters: Array
    jumps: Array

    def at(self, i: int, number: int = 1) -> Points:
        """Some of them, from the i-th on."""
        return Points(*(a[i : i + number] for a in (self.atoms, self.free, self.parameters, self.jumps)))


#: Simple weights.
SHARES = [
    Fraction(*q) for q in ((1, 2), (1, 3), (2, 3), (1, 4), (3, 4), (1, 10), (9, 10), (1, 100), (99, 100))
]


def _simple(side: Side) -> list[Fraction]:
    """Simple numbers of a range, the simplest first."""
    lo, hi = (None if e is None else fraction(e) for e in (side.lo, side.hi))
    plain = [Fraction(p, q) for p, q in ((0, 1), (1, 1), (-1, 1), (1, 2), (-1, 2), (2, 1), (-2, 1))]
    plain += [
        Fraction(p, q)
        for p, q in ((3, 1), (-3, 1), (1, 3), (1, 4), (5, 1), (10, 1), (-10, 1), (1, 10), (100, 1))
    ]
    if lo is not None and hi is not None:
        plain = [lo, hi, *(lo + (hi - lo) * s for s in SHARES), *plain]
    elif lo is not None:
        plain = [lo, *(lo + q for q in plain if q > 0)]
    elif hi is not None:
        plain = [hi, *(hi - q for q in plain if q > 0)]
    plain = [Fraction(round(q)) for q in plain] if side.integer else plain
    return [q for q in dict.fromkeys(plain) if side.contains(q)]


def _inside(side: Side, x: float, denominator: int) -> Fraction:
    """A number rounded to a denominator, or the end of the range that it lies beyond."""
    q = Fraction(round(x * denominator), denominator)
    q = q if side.lo is None else max(q, fraction(side.lo))
    return q if side.hi is None else min(q, fraction(side.hi))


def spaces(st: LawStatement) -> Iterator[Space]:
    """All that is searched, the smallest samples first."""
    for n in st.sizes if st.sized else (1,):
        m = len(st.balanced)
        for k in sorted({max(2, m + 1), max(3, m + 1)}):
            if comb(n + k - 1, k - 1) <= MOST_SAMPLES:
                yield Space(st, n, k)


@dataclass(frozen=True)
class Space:
    """Laws on `kinds` atoms, and samples of one size."""

    st: LawStatement
    size: int
    kinds: int

    @property
    def loose(self) -> int:
        """How many weights are free."""
        return self.kinds - 1 - len(self.st.balanced)

    @cached_property
    def thresholds(self) -> tuple[tuple[int, tuple[tuple[Formula, sp.Expr | None], ...]], ...]:
        """The parameters at which events begin, with the gaps of these events and, where the gap is
        linear in the parameter, its root.
        """
        out = []
        pieces = self.st.pieces
        for i, (s, side) in enumerate(self.st.parameters):
            gaps = []
            for p in pieces.values():
                for r in p.of.relations() if isinstance(p.of, Event) else ():
                    f = r.gap
                    if f and s in f.value.free_symbols and not any(s in pieces[w].symbols for w in f.words):
                        slope = sp.diff(f.value, s)
                        line = not slope.has(s) and slope != 0
                        gaps.append((f, s - sp.expand(f.value) / slope if line else None))
            gaps = [(f, None if root is None else sp.expand(root)) for f, root in gaps]
            bound = any(s in g.value.free_symbols for g in self.st.balanced)
            if gaps and not side.integer and not bound:
                out.append((i, tuple(gaps)))
        return tuple(out)

    @cached_property
    def places(self) -> list[Fraction]:
        """The numbers at which an event that knows no parameter begins."""
        of_x = (
            sp.Poly(r.gap.value, self.st.x)
            for p in self.st.pieces.values()
            if isinstance(p.of, Event)
            for r in p.of.relations()
            if r.gap and not r.gap.words and r.gap.value.free_symbols == {self.st.x}
        )
        roots = dict.fromkeys(fraction(q) for f in of_x for q in f.ground_roots())
        return [q for q in roots if self.st.on.contains(q)]

    @property
    def dimension(self) -> int:
        return self.kinds + self.loose + len(self.st.parameters) + len(self.thresholds)

    @property
    def cubes(self) -> list[list[tuple[float, float]]]:
        """What is searched: everything, and then without extreme weights and parameters, which
        often make the two sides almost equal.
        """
        whole = [(0.0, 1.0)]
        inner = self.kinds * whole + (self.loose + len(self.st.parameters)) * [(0.3, 0.7)]
        events = len(self.thresholds) * [(0.2, 1.0)]
        return [whole * self.dimension, inner + events]

    def simple(self, number: int, rng: np.random.Generator) -> tuple[Points, Array]:
        """Laws of simple numbers, and how simple each is."""
        st, cost = self.st, np.zeros(number)

        def drawn(values: Sequence[Fraction], columns: int) -> Array:
            nonlocal cost
            places = rng.integers(len(values), size=(number, columns))
            cost = cost + places.sum(1)
            return np.array(list(map(float, values)))[places]

        atoms = drawn([*self.places, *_simple(st.on)], self.kinds)
        shares = drawn(SHARES, self.loose)
        left = np.hstack([np.ones((number, 1)), 1 - shares]).cumprod(1)[:, : self.loose]
        parameters = [drawn(_simple(side), 1) for _, side in st.parameters]
        jumps = np.full((number, len(self.thresholds)), -1)
        for t, (_, gaps) in enumerate(self.thresholds):
            jumps[:, t] = rng.integers(-1, len(gaps) * len(samples_of(self.size, self.kinds)[0]), number)
        return Points(atoms, shares * left, np.hstack([np.zeros((number, 0)), *parameters]), jumps), cost

    def points(self, u: Array) -> Points:
        """Points of the cube (dimension, number) as laws."""
        st, k = self.st, self.kinds
        atoms = placed(st.on, u[:k]).T
        shares = u[k : k + self.loose] ** 3
        shares = shares / (shares + (1 - u[k : k + self.loose]) ** 3)
        free, rest = np.zeros_like(shares), np.ones(u.shape[1])
        for i, share in enumerate(shares):
            free[i] = np.where(rest * share > 1e-10, rest * share, 0.0)
            rest = rest * (1 - share)
        at = k + self.loose
        each = [placed(side, u[at + i]) for i, (_, side) in enumerate(st.parameters)]
        parameters = np.array(each).reshape(len(each), -1).T if each else np.zeros((u.shape[1], 0))
        jumps = np.full((u.shape[1], len(self.thresholds)), -1)
        for t, (_, gaps) in enumerate(self.thresholds):
            number = len(gaps) * len(samples_of(self.size, k)[0])
            q = (u[at + len(each) + t] - 0.2) / 0.8
            jumps[:, t] = np.where(q < 0, -1, np.minimum((q * number).astype(int), number - 1))
        return Points(atoms, free.T, parameters, jumps)

    def batch(self, points: Points) -> Batch:
        """The laws with all their weights, and parameters put where their events begin."""
        columns = {s: points.parameters[:, i] for i, (s, _) in enumerate(self.st.parameters)}
        with np.errstate(all="ignore"):
            weights = self.weights(points.atoms, points.free, columns)
            batch = Batch(self.st, self.size, points.atoms, weights, columns)
            for t, (i, gaps) in enumerate(self.thresholds):
                if (points.jumps[:, t] >= 0).any():
                    self.begin(batch, i, gaps, points.jumps[:, t])
        return batch

    def weights(self, atoms: Array, free: Array, columns: dict[sp.Symbol, Array]) -> Array:
        """All weights: the last of them solve the equations of the hypotheses."""
        if not self.st.balanced:
            return np.hstack([free, 1 - free.sum(1, keepdims=True)])
        blank = Batch(self.st, self.size, atoms, np.full(atoms.shape, 1.0 / self.kinds), columns)
        rows = [np.ones_like(atoms)]
        rows += [np.broadcast_to(blank.formula(g), atoms.shape) for g in self.st.balanced]
        matrix = np.stack(rows, 1)
        known, unknown = matrix[:, :, : self.loose], matrix[:, :, self.loose :]
        right = np.zeros(matrix.shape[:2])
        right[:, 0] = 1
        right = right - (known @ free[:, :, None])[:, :, 0]
        fine = np.isfinite(unknown).all((1, 2)) & (np.abs(np.linalg.det(unknown)) > 1e-12)
        unknown = np.where(fine[:, None, None], unknown, np.eye(unknown.shape[1]))
        solved = np.linalg.solve(unknown, right[:, :, None])[:, :, 0]
        solved = np.where(fine[:, None], solved, -1.0)
        return np.hstack([free, np.where(np.abs(solved) < 1e-14, 0.0, solved)])

    def begin(
        self,
        batch: Batch,
        i: int,
        gaps: Sequence[tuple[Formula, sp.Expr | None]],
        jumps: Array,
    ) -> None:
        """Put a parameter where an event begins to hold for a sample, or an atom."""
        s, side = self.st.parameters[i]
        values = batch.columns[s][:, 0].copy()
        samples = len(batch.counts)
        for which, (f, root) in enumerate(gaps):
            rows = np.flatnonzero((jumps >= which * samples) & (jumps < (which + 1) * samples))
            if not len(rows):
                continue
            columns = {**batch.columns, self.st.x: batch.atoms, **{w: batch.word(w) for w in f.words}}
            place = jumps[rows] - which * samples
            picked = {
                t: np.broadcast_to(c, (len(values), c.shape[1]))[rows, place % c.shape[1]]
                for t, c in columns.items()
            }
            if root is not None:
                found = np.broadcast_to(values_of(root, picked, {}), rows.shape)
            else:
                found = self.crossed(f, s, side, picked, len(rows))
            values[rows] = np.where(np.isfinite(found), found, values[rows])
        lo, hi = (None if e is None else float(fraction(e)) for e in (side.lo, side.hi))
        tiny = lambda e, opened: 1e-6 * (1 + abs(e)) if opened else 0.0
        values = np.clip(
            values,
            -np.inf if lo is None else lo + tiny(lo, side.lo_open),
            np.inf if hi is None else hi - tiny(hi, side.hi_open),
        )
        batch.put(s, values)

    @staticmethod
    def crossed(f: Formula, s: sp.Symbol, side: Side, columns: dict[sp.Symbol, Array], number: int) -> Array:
        """Where a gap changes its sign on the range of a parameter, by false positions."""

        def gap(u: Array) -> Array:
            values = np.broadcast_to(values_of(f.value, {**columns, s: placed(side, u)}, {}), u.shape)
            return np.clip(np.nan_to_num(values), -1e3, 1e3)

        a, b = np.full(number, 1e-9), np.full(number, 1 - 1e-9)
        at_a, at_b = gap(a), gap(b)
        for _ in range(STEPS):
            share = at_a / (at_a - at_b)
            c = a + (b - a) * np.where(np.isfinite(share), np.clip(share, 0.0, 1.0), 0.5)
            at_c = gap(c)
            crossed = at_c * at_b <= 0
            a, at_a = np.where(crossed, b, a), np.where(crossed, at_b, at_a / 2)
            b, at_b = c, at_c
        return placed(side, b)

    def short(self, point: Points) -> tuple[Points, list[Numbers]]:
        """Laws of short rational numbers around one, as arrays and exactly: atoms, free weights and
        parameters.
        """
        on = self.st.on
        at = point.atoms[0].tolist()
        near = tuple(Fraction(a).limit_denominator(5000) for a in at)
        atoms = dict.fromkeys([near, *(tuple(_inside(on, a, d) for a in at) for d in SHORT)])
        free = dict.fromkeys(tuple(Fraction(round(w * d), d) for w in point.free[0].tolist()) for d in SHORT)
        exact = [(list(a), list(w)) for a, w in product(atoms, free) if all(map(on.contains, a))]
        if not exact:
            return self.points(np.zeros((self.dimension, 0))), []
        again = self.batch(
            Points(
                np.array([[float(v) for v in a] for a, _ in exact]),
                np.array([[float(v) for v in w] for _, w in exact]).reshape(len(exact), -1),
                np.repeat(point.parameters, len(exact), 0),
                np.repeat(point.jumps, len(exact), 0),
            )
        )
        columns = [again.columns[s][:, 0].tolist() for s, _ in self.st.parameters]
        out = [
            (a, w, list(p))
            for i, (a, w) in enumerate(exact)
            for p in self._parameters([c[i] for c in columns])
        ]
        arrays = Points(
            np.array([[float(v) for v in a] for a, _, _ in out]),
            np.array([[float(v) for v in w] for _, w, _ in out]).reshape(len(out), -1),
            np.array([[float(v) for v in p] for _, _, p in out]).reshape(len(out), -1),
            np.full((len(out), len(self.thresholds)), -1),
        )
        return arrays, out

    def _parameters(self, values: list[float]) -> Iterator[tuple[Fraction, ...]]:
        """Short values near those of the parameters, on both sides."""
        seen: dict[tuple[Fraction, ...], None] = {}
        number = len(values)
        if all(map(np.isfinite, values)):
            seen[tuple(Fraction(v).limit_denominator(5000) for v in values)] = None
            ways = (
                [*product((-1, 0, 1), repeat=number)] if number < 3 else [(w,) * number for w in (-1, 0, 1)]
            )
            for d in SHORT[:: 2 if number > 1 else 1] if number else ():
                seen[tuple(Fraction(round(v * d), d) for v in values)] = None
                for way in ways:
                    seen[tuple(Fraction(int(np.floor(v * d)) + w, d) for v, w in zip(values, way))] = None
        for point in seen:
            if all(side.contains(q) for (_, side), q in zip(self.st.parameters, point)):
                yield point

    def law(
        self, atoms: Sequence[Fraction], free: Sequence[Fraction], parameters: Sequence[Fraction]
    ) -> Law | None:
        """The law of these numbers, with the other weights solved exactly, if there is one."""
        at = {s: q for (s, _), q in zip(self.st.parameters, parameters)}
        weights: list[Fraction] = [*free]
        if not self.st.balanced:
            return Law.of(self.size, atoms, [*weights, 1 - sum(weights, Fraction(0))], at)
        blank = Values(self.st, Law(self.size, tuple(atoms), (Fraction(1),) * len(atoms), at))
        x = self.st.x
        try:
            rows = [[blank.formula(g, {x: sympy_rational(a)}) for a in atoms] for g in self.st.balanced]
        except (Undefined, Undecided):
            return None
        matrix = sp.Matrix([[sp.S.One] * len(atoms), *rows])
        if not all(v.is_Rational for v in matrix):
            return None
        solve = matrix[:, self.loose :]
        if solve.det() == 0:
            return None
        right = sp.Matrix([1, *[0] * len(rows)])
        if self.loose:
            right -= matrix[:, : self.loose] * sp.Matrix(list(map(sympy_rational, free)))
        return Law.of(self.size, atoms, [*weights, *map(fraction, solve.LUsolve(right))], at)
