"""Curves in a domain, such as ``x = n, y = 1 + 1/n`` for whole n: floats find those along which a
statement fails, and `forall` shows that they stay in the domain and meet every hypothesis. No limit
is taken on SymPy's word.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp
from flint import arb
from numpy.typing import NDArray

from numerics.evidence import Evidence
from numerics.provers.enclosures.balls import NoBall, value
from numerics.provers.enclosures.boxes import Side
from numerics.provers.exact.exact_numbers import Undecided, put, sign
from numerics.provers.inequalities import forall_without_z3 as forall
from numerics.provers.statements.floating_point import values_of
from numerics.provers.statements.statement import Integers, Statement
from numerics.rationals import fraction, sympy_rational

__all__ = ["GRID", "Along", "Table", "growths", "index_for", "stays", "table"]

Floats = NDArray[np.float64]
#: Places n at which curves are looked at.
GRID = np.array(
    [*(1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 1000)]
    + [10.0**k for k in (4, 5, 6, 9, 12, 18, 30, 60, 100)]
)
#: Beyond this place floats do not tell odd from even, nor the phase of a sine.
PHASES = 1e6
#: Values at which a variable rests, simplest first.
SIMPLE = [
    sp.Rational(t) for t in ("1", "2", "1/2", "0", "-1", "3", "1/3", "-2", "10", "-1/2", "1/10", "3/4", "1/4")
]
#: What is larger, or nearer to a limit, than the first floats say too little of: what is left of a
#: difference. What is less near than the second does not count in a limit.
FAR, CLOSE = 1e4, 50.0
#: Members of curves at which enclosures look.
PLACES, BITS = (10**6, 10**30, 10**300), 4096
#: Most curves into which sines are put one by one.
ROWS = 64
#: Curves of each variable, by the number of variables.
TRIED = {1: 40, 2: 16, 3: 8, 4: 5, 5: 4, 6: 3}


def index_for(names: Iterable[sp.Symbol], whole: bool = True) -> sp.Symbol:
    """A number n that runs along curves, under a name that nobody bears. SymPy is told that it is
    whole only where that is needed, because it rewrites log Gamma then.
    """
    taken = {str(s) for s in names}
    name = next(t for t in ("n", "k", "m", "N", *(f"n_{i}" for i in range(99))) if t not in taken)
    return sp.Symbol(name, positive=True, **({"integer": True} if whole else {}))


def growths(n: sp.Expr) -> list[sp.Expr]:
    """Functions of n that tend to infinity, the fastest first."""
    root = sp.sqrt(n)
    return [n, root, sp.sqrt(root), sp.log(n), sp.sqrt(sp.log(n))]


def _family(side: Side, to: sp.Expr | None, n: sp.Symbol, phases: bool) -> Iterator[sp.Expr]:
    """The curves of one variable, simplest first: towards a limit, or towards every end and at
    rest.
    """
    far = [n, n**2, *((2 * n, 2 * n + 1, 2**n) if side.integer else (n**3, sp.sqrt(n)))]
    if phases and not side.integer:
        turns = (2 * sp.pi * n, 2 * sp.pi * n + sp.pi / 2, 2 * sp.pi * n + sp.pi, 2 * sp.pi * n - sp.pi / 2)
        far += [*turns, sp.pi * n]
    lo, hi = (None if e is None else sympy_rational(e) for e in (side.lo, side.hi))
    upwards, downwards = list(far), [-e for e in far]
    near = [] if side.integer else [1 / e for e in far]
    if to is not None:
        yield from {sp.oo: upwards, -sp.oo: downwards}.get(to, [e for t in near for e in (to + t, to - t)])
        return
    ends = [upwards] if hi is None else [[hi - t for t in near]]
    ends += [downwards] if lo is None else [[lo + t for t in near]]
    inner = [q for q in SIMPLE if side.contains(fraction(q))]
    mid = [(lo + hi) / 2] if lo is not None and hi is not None else [] if lo is None else [lo + 1, lo + 2]
    attained = [e for e, is_open in ((lo, side.lo_open), (hi, side.hi_open)) if e is not None and not is_open]
    rest = [q for q in dict.fromkeys([*inner, *attained, *mid]) if side.contains(fraction(q))]
    beside = [] if side.integer else [e for q in rest[:2] for e in (q + 1 / n, q - 1 / n)]
    lists = [ends[0], rest, *ends[1:], beside]
    yield from (e for row in itertools.zip_longest(*lists) for e in row if e is not None)


@dataclass(frozen=True)
class Table:
    """Many curves at many places, in floating point."""

    st: Statement
    n: sp.Symbol
    curves: Sequence[tuple[sp.Expr, ...]]
    columns: Mapping[sp.Symbol, Floats]
    #: Whether the curve is in the domain there and meets the hypotheses, as far as floats tell.
    met: NDArray[np.bool_]
    grid: Floats
    #: What each variable tends to, if anything.
    limits: Sequence[sp.Expr | None] = ()
    #: Whether sines occur, and few enough curves that each is put into them.
    phases: bool = False
    known: dict[tuple[int, sp.Expr], sp.Expr] = field(default_factory=dict, compare=False, repr=False)

    def values(self, e: sp.Expr, constants: Mapping[sp.Symbol, float] = {}) -> Floats:
        """Values of an expression, one row a curve, one column a place."""
        at: dict[sp.Symbol, Any] = {**self.columns, **{c: np.float64(v) for c, v in constants.items()}}
        with np.errstate(all="ignore"):
            if self.phases:  # else sin(pi*n) would not be 0
                rows = [self._row(i, e, constants) for i in range(len(self.curves))]
                return np.array(rows).reshape(self.met.shape)
            v = np.asarray(values_of(e, at, {}), dtype=np.float64)
        return np.broadcast_to(v, self.met.shape)

    @cached_property
    def clear(self) -> NDArray[np.bool_]:
        """Where floats may be believed, and what tends to a limit is near."""
        out = self.met.copy()
        for x, a in zip(self.st.symbols, self.limits):
            to = 0.0 if a is None or a.is_infinite else float(a)
            v = np.abs(self.columns[x] - to)
            out &= (v <= FAR) & ((v >= 1 / FAR) | (v == 0))
            if a is not None:
                out &= v >= CLOSE if a.is_infinite else v <= 1 / CLOSE
        return out

    def far(self, i: int, e: sp.Expr) -> list[arb]:
        """Enclosures of an expression far out on a curve, of as many as there are."""
        out, along = [], self._put(i, e)
        for place in PLACES:
            with sp.evaluate(False):  # SymPy would write long powers out
                number = along.xreplace({self.n: sp.Integer(place)})
            try:
                v = value(number, BITS)
            except (NoBall, ValueError, OverflowError):
                continue
            if v.is_finite():
                out.append(v.real)
        return out

    def _row(self, i: int, e: sp.Expr, constants: Mapping[sp.Symbol, float]) -> Floats:
        """Values along one curve, which is put into the expression."""
        at: dict[sp.Symbol, Any] = {self.n: self.grid, **{c: np.float64(v) for c, v in constants.items()}}
        v = np.asarray(values_of(self._put(i, e), at, {}), dtype=np.float64)
        return np.broadcast_to(v, self.grid.shape)

    def _put(self, i: int, e: sp.Expr) -> sp.Expr:
        if (i, e) not in self.known:
            try:
                self.known[i, e] = put(e, self.at(i))
            except ValueError:
                self.known[i, e] = sp.nan
        return self.known[i, e]

    def at(self, row: int) -> dict[sp.Symbol, sp.Expr]:
        return dict(zip(self.st.symbols, self.curves[row]))


def table(st: Statement, limits: Sequence[sp.Expr | None]) -> Table:
    """The curves for the first variables of a statement, of which each tends to its limit, if it
    has one.
    """
    sides = (st.small, st.big, *(g for g, _ in st.where))
    phases = any(e.has(sp.sin, sp.cos, sp.tan) for e in sides)
    odd = phases or any(p.base.is_negative for e in sides for p in e.atoms(sp.Pow))
    grid, n = GRID[GRID <= PHASES] if odd else GRID, index_for(st.names, whole=odd)
    k = len(limits)
    most = TRIED.get(k, 2)
    families = [
        list(dict.fromkeys(itertools.islice(_family(s, a, n, phases), most))) for s, a in zip(st.box, limits)
    ]
    places = sorted(
        itertools.product(*(range(len(f)) for f in families)), key=lambda at: (sum(at), max(at, default=0))
    )
    with np.errstate(all="ignore"):
        values = [[np.asarray(values_of(e, {n: grid}, {}), float) + 0 * grid for e in f] for f in families]
    curves = [tuple(f[i] for f, i in zip(families, at)) for at in places]
    columns = {
        x: np.array([v[at[j]] for at in places]).reshape(len(places), len(grid))
        for j, (x, v) in enumerate(zip(st.symbols, values))
    }
    out = Table(
        st,
        n,
        curves,
        columns,
        np.ones((len(places), len(grid)), bool),
        grid,
        limits,
        phases and len(places) <= ROWS,
    )
    met = out.met.copy()
    for x, s in zip(st.symbols, st.box[:k]):
        for gap, is_open in s.gaps(x):
            v = out.values(gap)
            # 1/n is lost beside 1 where n is large
            met &= (v >= 0) if not is_open else (v > 0) | ((v == 0) & (grid > 1e15))
    for g, strict in st.where:
        v = out.values(g)
        met &= (v > 0) if strict else (v >= -1e-9)
    return replace(out, met=met)


@dataclass
class Along:
    """A curve from one of its members on, and what `forall` shows there."""

    st: Statement
    n: sp.Symbol
    curve: Mapping[sp.Symbol, sp.Expr]
    start: int
    effort: int

    @cached_property
    def whole(self) -> dict[sp.Symbol, sp.Symbol]:
        """The index as a whole number."""
        return {self.n: sp.Dummy(integer=True, positive=True)}

    def put(self, e: sp.Expr) -> sp.Expr:
        return put(e, self.curve)

    @cached_property
    def index(self) -> dict[sp.Symbol, Any]:
        return {self.n: Integers(self.start, sp.oo)}

    def shows(self, e: sp.Expr, kind: str, also: Mapping[sp.Symbol, Any] = {}) -> bool:
        """Whether ``e > 0``, ``>= 0`` or ``!= 0`` (by `kind`) for the whole curve."""
        return self.evidence(e, kind, also) is not None

    def evidence(self, e: sp.Expr, kind: str, also: Mapping[sp.Symbol, Any] = {}) -> Evidence | bool | None:
        """What shows it; True for a number, None if nothing does."""
        try:
            value = self.put(e)
            if value.is_number:
                return sign(value) in {">": (1,), ">=": (0, 1), "!=": (1, -1)}[kind] or None
            for side in (value,) if kind != "!=" else (value, -value):
                domain = {x: r for x, r in {**self.index, **also}.items() if value.has(x)}
                found = forall(side, ">=" if kind == ">=" else ">", 0, domain, effort=self.effort)
                if found.verdict.executed:
                    return found
        except (TypeError, ValueError, Undecided):
            pass
        return None

    def stays(self, constants: Mapping[sp.Symbol, Any] = {}) -> bool:
        """Whether the curve stays in the domain and meets every hypothesis, and whether the sides
        are defined there, for all constants.
        """
        st, k = self.st, len(self.curve)
        ranges = [
            (g, ">" if strict else ">=") for x, s in zip(st.symbols, st.box[:k]) for g, strict in s.gaps(x)
        ]
        where = [(g, ">" if strict else ">=") for g, strict in st.where]
        whole = all(
            self.put(x).xreplace(self.whole).is_integer for x, s in zip(st.symbols, st.box[:k]) if s.integer
        )
        needs = (c for c in (*st.where_needs, *st.needs) if not self._whole_power(c))
        return whole and all(self.shows(g, kind, constants) for g, kind in (*ranges, *where, *needs))

    def _whole_power(self, condition: tuple[sp.Expr, str]) -> bool:
        """Whether it asks for a positive base of powers that are whole along the curve."""
        g, kind = condition
        if kind != ">" or not (g.is_Rational and g < 0):
            return False
        sides = (self.st.small, self.st.big, *(h for h, _ in self.st.where))
        powers = {p for e in sides for p in e.atoms(sp.Pow) if p.base == g}
        return bool(powers) and all(self.put(p.exp).xreplace(self.whole).is_integer for p in powers)

    def member(self, i: int) -> tuple[sp.Expr, ...]:
        """The i-th point of the curve."""
        return tuple(put(e, {self.n: sp.Integer(i)}) for e in self.curve.values())

    def violated(self, i: int, constants: Sequence[int] = ()) -> str:
        """How the i-th member surely breaks the statement with these constants, or nothing."""
        point = (*self.member(i), *map(sp.Integer, constants))
        if all(q.is_Rational for q in point):
            return self.st.violated(tuple(Fraction(int(q.p), int(q.q)) for q in point))
        gap = put(self.st.difference, dict(zip(self.st.symbols, point)))
        return "Arb" if sign(gap) == -1 else ""

    @property
    def words(self) -> str:
        names = self.st.names
        return ", ".join(f"{name} = {self.curve[x]}" for name, x in zip(names, self.curve))

    def named(self, i: int) -> dict[str, Any]:
        return {str(name): value for name, value in zip(self.st.names, self.member(i))}


def stays(t: Table, effort: int, most: int = 4) -> bool:
    """Whether one of the curves surely stays in the domain and meets the hypotheses from some
    member on: then they can be met near the limit. What the sides need is not asked.
    """
    rows = np.flatnonzero(t.met[:, -8:].all(1))[:most]
    for row in rows:
        start = int(t.grid[len(t.grid) - np.argmin(t.met[row][::-1])]) if not t.met[row].all() else 1
        along = Along(t.st, t.n, t.at(row), start, effort)
        ranges = (
            (g, s) for x, side in zip(t.st.symbols, t.st.box) for g, s in side.gaps(x) if x in along.curve
        )
        asked = [*((g, ">" if s else ">=") for g, s in (*ranges, *t.st.where)), *t.st.where_needs]
        if all(along.shows(g, kind) for g, kind in asked):
            return True
    return False
