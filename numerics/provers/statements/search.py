"""Searches in floating point for a counterexample of a statement and for its tightest point.
Nothing that is found counts before `Statement.violated` confirms it exactly or by Arb. Simple
points are tried first, least whole variables before short rationals, so that witnesses are short.
Afterwards a zooming search brings the two sides as close together as it can.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import isfinite
from typing import Any

import numpy as np

from numerics.provers.enclosures.boxes import Side
from numerics.provers.statements.floating_point import Array, values_of
from numerics.provers.statements.statement import Statement
from numerics.rationals import fraction

__all__ = ["Scan", "scan", "simplest"]

Point = tuple[Fraction, ...]

#: Values of a real variable that are tried first, simplest first.
RATIONALS_TEXT = """0 1 -1 1/2 2 -1/2 3 -2 1/3 4 2/3 1/4 3/2 3/4 -3 5 1/5 1/8 8 -4 10 1/10 9/10 16 1/16
    -10 100 1/100 99/100 1000 1/1000 -100 1000000 1/1000000"""
SIMPLE_RATIONALS = [Fraction(t) for t in RATIONALS_TEXT.split()]
#: The same for whole numbers.
SIMPLE_INTEGERS = [
    *range(1, 41),
    0,
    -1,
    -2,
    50,
    64,
    75,
    100,
    128,
    200,
    256,
    500,
    512,
    1000,
    1024,
    10**4,
    10**5,
    10**6,
    10**9,
]
#: Denominators to which a counterexample is rounded, smallest first.
DENOMINATORS = [*range(1, 11), 12, 16, 20, 25, 32, 50, 64, 100, 128, 200, 1000, 10**4, 10**6, 10**9]
#: How many values of each variable are tried, by the number of variables: at most some thousand
#: points in all.
VALUES_TRIED = {1: 400, 2: 45, 3: 14, 4: 8, 5: 6}
#: How often the zooming search narrows its range.
ZOOM_ROUNDS = 14


@dataclass(frozen=True)
class Scan:
    """What a search found: a sure counterexample, a point that surely meets the hypotheses, and the
    point at which the two sides were nearest to each other, with their ratio.
    """

    witness: Point | None = None
    feasible: Point | None = None
    tightest: Point | None = None
    ratio: float | None = None  # larger side over smaller side


def gaps(st: Statement, points: Array, vanishing: bool = False) -> tuple[Array, Array, Array, Array]:
    """The relative gap ``(big - small)/(|big| + |small|)`` at rows of points, the two sides, and
    whether the hypotheses are met.
    The gap is infinite where a hypothesis fails or a side is undefined. Where both sides are below
    1e-280 it is 0 if `vanishing`, otherwise unknown: they may be 0, but more often they
    underflowed.
    """
    columns, memo, n = dict(zip(st.symbols, points.T)), {}, len(points)  # type: ignore[var-annotated]
    column = lambda e: np.broadcast_to(np.asarray(values_of(e, columns, memo), dtype=np.float64), (n,))
    with np.errstate(all="ignore"):
        small, big = column(st.small), column(st.big)
        size = np.abs(big) + np.abs(small)
        gap = np.where(size < 1e-280, 0.0 if vanishing else np.nan, (big - small) / size)
        met = np.ones(n, bool)
        for g, strict in st.where:
            met &= column(g) > 0 if strict else column(g) >= 0
    ok = met & np.isfinite(gap) & np.isfinite(size)
    return np.where(ok, gap, np.inf), small, big, met


def scan(st: Statement) -> Scan:
    """Search for a counterexample of `st`, and for its tightest point."""
    if not st.box:
        return Scan(witness=() if st.violated(()) else None, feasible=() if st.meets(()) else None)
    tried = [_values(s, len(st.box)) for s in st.box]
    axes = np.meshgrid(*(np.array([_float(x) for x in values]) for values in tried), indexing="ij")
    array = np.stack([axis.ravel() for axis in axes], axis=1)

    def point(i: Any) -> Point:
        return tuple(values[j] for values, j in zip(tried, np.unravel_index(i, axes[0].shape)))

    # A strict inequality may fail by equality, which rounding can hide: hence 1e-13 instead of 0.
    gap, small, big, met = gaps(st, array, vanishing=st.strict)
    first = [*np.flatnonzero(np.isfinite(gap))[:20], *np.flatnonzero(met)[:20]]
    feasible = next((p for p in map(point, first) if st.meets(p)), None)
    failing = np.flatnonzero(gap <= (1e-13 if st.strict else 0))
    found = map(point, failing[_shortest(st.box, tried, np.unravel_index(failing, axes[0].shape))])
    deep = [point(i) for i in np.argsort(gap)[:4] if gap[i] < 0]
    witness = next((p for p in (*found, *deep) if st.violated(p)), None)
    if witness is not None:
        return Scan(witness=simplest(st, witness), feasible=witness)
    array, gap, small, big = _zoom(st, array)
    near = [tuple(_exactly(s, x) for s, x in zip(st.box, row)) for row in array]
    witness = next(
        (p for p, g in zip(near, gap) if g <= (1e-13 if st.strict else 0) and st.violated(p)), None
    )
    if feasible is None:
        feasible = next((p for p, g in zip(near, gap) if isfinite(g) and st.meets(p)), None)
    if witness is not None:
        return Scan(witness=simplest(st, witness), feasible=witness)
    out = Scan(feasible=feasible)
    if isfinite(gap[0]):
        ratio = float(big[0] / small[0]) if small[0] > 0 and big[0] > 0 else None
        out = replace(out, tightest=near[0], ratio=ratio)
    return out


def _values(side: Side, variables: int) -> list[Fraction]:
    """Simple numbers of a range, simplest first."""
    room = VALUES_TRIED.get(variables, 3)
    ends = [fraction(e) for e in (side.lo, side.hi) if e is not None]
    if side.integer:
        first = [] if side.lo is None else [ends[0] + i for i in range(20)]
        last = [] if side.hi is None else [ends[-1] - i for i in range(3)]
        pool: list[Fraction] = [*first, *map(Fraction, SIMPLE_INTEGERS), *last]
        room = max(room, 30 if variables < 4 else 6)
    else:
        pool = [*ends, *SIMPLE_RATIONALS, *(e + x for e in ends if e for x in SIMPLE_RATIONALS)]
        if len(ends) == 2:
            cut = [
                Fraction(p, q)
                for p, q in ((1, 2), (1, 4), (3, 4), (1, 3), (2, 3), *((i, 64) for i in range(1, 64)))
            ]
            pool = [
                *ends,
                *SIMPLE_RATIONALS[:12],
                *(ends[0] + (ends[1] - ends[0]) * t for t in cut),
                *SIMPLE_RATIONALS[12:],
            ]
    return [x for x in dict.fromkeys(pool) if side.contains(x)][:room]


def _shortest(
    box: Iterable[Side], tried: Sequence[Sequence[Fraction]], at: Sequence[Any], most: int = 16
) -> Any:
    """The places of the shortest points, shortest first, where `at` has the place of each variable
    in the values that were tried: whole variables make a witness long, then digits.
    """
    of_each = lambda f: [
        np.array([_float(Fraction(f(x))) for x in values])[i] for values, i in zip(tried, at)
    ]
    digits = sum(of_each(lambda x: len(str(abs(x.numerator))) + len(str(x.denominator))))
    size = sum(of_each(lambda x: x.denominator + abs(x.numerator)))
    whole = [column for column, side in zip(of_each(abs), box) if side.integer]
    return np.lexsort([size, digits, *whole[::-1]])[:most]


def _zoom(st: Statement, start: Array) -> tuple[Array, Array, Array, Array]:
    """A random search for the least gap: every round draws points around the best few so far, in a
    range that shrinks by 0.55 each time. Returns the best rows, least gap first.
    """
    sides, k = st.box, len(st.box)
    rng = np.random.default_rng(7)  # which points are tried is of no consequence for the verdict
    best = np.vstack([rng.uniform(-1, 1, (256 * k, k)), np.zeros((1, k)), _to_unit(sides, start)])
    radius = 0.35
    for n in range(ZOOM_ROUNDS + 1):
        x = _from_unit(sides, best)
        gap, small, big, _ = gaps(st, x)
        order = np.argsort(gap, kind="stable")[: 6 if n < ZOOM_ROUNDS // 2 else 2]
        best, x, gap, small, big = best[order], x[order], gap[order], small[order], big[order]
        if n < ZOOM_ROUNDS:
            steps = radius * rng.uniform(-1, 1, (len(best), 40 * k, k))
            # half of them along one axis
            steps[:, ::2] *= np.eye(k)[rng.integers(0, k, steps[:, ::2].shape[:2])]
            best = np.vstack([best, np.clip((best[:, None, :] + steps).reshape(-1, k), -1, 1)])
            radius *= 0.55
    return x, gap, small, big


def _float_ends(side: Side) -> tuple[float | None, float | None]:
    lo, hi = (None if e is None else _float(fraction(e)) for e in (side.lo, side.hi))
    return lo, hi


def _float(q: Fraction) -> float:
    """About `q`; numbers beyond 1e300 are held there, so that sums of two do not overflow."""
    try:
        return min(max(float(q), -1e300), 1e300)
    except OverflowError:
        return 1e300 if q > 0 else -1e300


def _from_unit(sides: Iterable[Side], t: Array) -> Array:
    """Map [-1, 1] onto each range, on a scale that is logarithmic towards its ends: the slopes 9
    and 18 reach to about 1e-8 of a finite range, and to about 1e8 on an infinite one.
    """
    columns = []
    for i, side in enumerate(sides):
        (lo, hi), u = _float_ends(side), t[:, i]
        if lo is not None and hi is not None:
            x = lo + (hi - lo) * 0.5 * (1 + np.tanh(9 * u))
        elif lo is not None:
            x = lo + np.exp(18 * u)
        elif hi is not None:
            x = hi - np.exp(-18 * u)
        else:
            x = np.sinh(18 * u)
        if lo is not None and not side.lo_open:
            x = np.where(u <= -1, lo, x)
        if hi is not None and not side.hi_open:
            x = np.where(u >= 1, hi, x)
        columns.append(np.round(x) if side.integer else x)
    return np.column_stack(columns)


def _to_unit(sides: Iterable[Side], x: Array) -> Array:
    """The inverse of `_from_unit`."""
    columns = []
    with np.errstate(all="ignore"):
        for i, side in enumerate(sides):
            (lo, hi), u = _float_ends(side), x[:, i]
            if lo is not None and hi is not None:
                t = np.arctanh(2 * (u - lo) / (hi - lo) - 1) / 9 if hi > lo else np.zeros_like(u)
            elif lo is not None:
                t = np.log(u - lo) / 18
            elif hi is not None:
                t = -np.log(hi - u) / 18
            else:
                t = np.arcsinh(u) / 18
            columns.append(np.clip(np.nan_to_num(t, nan=0.0, posinf=1.0, neginf=-1.0), -1, 1))
    return np.column_stack(columns)


def _exactly(side: Side, x: float) -> Fraction:
    """A float as a rational number of the range, rounded to a short one if the float itself lies on
    or beyond an end.
    """
    q = Fraction(round(x)) if side.integer else Fraction(x)
    if side.contains(q):
        return q
    return next((r for d in (10**3, 10**6, 10**9) if side.contains(r := q.limit_denominator(d))), q)


def simplest(st: Statement, p: Point) -> Point:
    """A counterexample near `p` (itself one) with shorter numbers: whole variables made small
    first, then denominators.
    """
    best = list(p)
    order = sorted(range(len(p)), key=lambda i: not st.box[i].integer)
    for i in order + [
        i for i in order if not st.box[i].integer
    ]:  # again: a coordinate may have waited for another
        trials = (x for x in _simpler(st.box[i], best[i]) if st.violated((*best[:i], x, *best[i + 1 :])))
        best[i] = next(trials, best[i])
    return tuple(best)


def _simpler(side: Side, x: Fraction) -> list[Fraction]:
    """Shorter numbers than `x` in its range, shortest first."""
    ends = [fraction(e) for e in (side.lo, side.hi) if e is not None]
    if side.integer:
        lo = int(ends[0]) if side.lo is not None else 0
        near = [
            Fraction(n) for n in (*range(lo, min(lo + 40, int(x))), *(int(x) * i // 16 for i in range(1, 16)))
        ]
        return [q for q in near if abs(q) < abs(x) and side.contains(q)]
    near = []
    for d in DENOMINATORS:
        near += [
            x.limit_denominator(d),
            *(e + Fraction(s, d) for e in ends for s in (1, -1) if abs(x - e) <= Fraction(1, d)),
        ]
    if abs(x) >= 100:
        size = 10 ** (len(str(int(abs(x)))) - 2)
        near = [Fraction(round(x / size / 10) * size * 10), Fraction(round(x / size) * size), *near]
    shorter = lambda q: len(str(q)) < len(str(x)) or q.denominator < x.denominator
    return [q for q in dict.fromkeys(near) if shorter(q) and side.contains(q)]
