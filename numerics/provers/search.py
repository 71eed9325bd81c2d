"""Look for counterexamples and for the tightest point, in floating point; nothing found here counts before `Statement.violated` agrees.

Simple points come first: least integer variables, then short rationals. Afterwards a zooming search drives the two sides together.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import inf, isfinite
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import NDArray

from numerics.provers.boxes import Side
from numerics.provers.statement import Statement

__all__ = ["Scan", "scan", "simplest", "values_of"]

Array = NDArray[np.float64]
Point = tuple[Fraction, ...]

_SIMPLE = [
    Fraction(p, q)
    for p, q in ((0, 1), (1, 1), (-1, 1), (1, 2), (2, 1), (-1, 2), (3, 1), (-2, 1), (1, 3), (4, 1), (2, 3), (1, 4), (3, 2))
]
_SIMPLE += [
    Fraction(p, q)
    for p, q in ((3, 4), (-3, 1), (5, 1), (1, 5), (1, 8), (8, 1), (-4, 1), (10, 1), (1, 10), (9, 10), (16, 1), (1, 16))
]
_SIMPLE += [
    Fraction(p, q) for p, q in ((-10, 1), (100, 1), (1, 100), (99, 100), (1000, 1), (1, 1000), (-100, 1), (10**6, 1), (1, 10**6))
]
_WHOLE = [*range(1, 41), 0, -1, -2, *(50, 64, 75, 100, 128, 200, 256, 500, 512, 1000, 1024, 10**4, 10**5, 10**6, 10**9)]


def _functions() -> dict[str, Callable[..., Any]]:
    from scipy import special

    return {
        "exp": np.exp,
        "log": np.log,
        "sinh": np.sinh,
        "cosh": np.cosh,
        "tanh": np.tanh,
        "coth": lambda x: 1 / np.tanh(x),
        "sech": lambda x: 1 / np.cosh(x),
        "csch": lambda x: 1 / np.sinh(x),
        "asinh": np.arcsinh,
        "acosh": np.arccosh,
        "atanh": np.arctanh,
        "atan": np.arctan,
        "sin": np.sin,
        "cos": np.cos,
        "erf": special.erf,
        "erfc": special.erfc,
        "Abs": np.abs,
        "sign": np.sign,
        "gamma": special.gamma,
        "factorial": lambda x: special.gamma(x + 1),
        "loggamma": special.gammaln,
        "polygamma": special.polygamma,
        "uppergamma": lambda s, x: special.gammaincc(s, x) * special.gamma(s),
        "lowergamma": lambda s, x: special.gammainc(s, x) * special.gamma(s),
        "besselk": special.kv,
        "besseli": special.iv,
        "Max": lambda *a: np.maximum.reduce(np.broadcast_arrays(*a)),
        "Min": lambda *a: np.minimum.reduce(np.broadcast_arrays(*a)),
    }


_TABLE: dict[str, Callable[..., Any]] = {}


def values_of(e: sp.Expr, env: Mapping[sp.Symbol, Array], memo: dict[sp.Expr, Any]) -> Any:
    """Floating-point values of `e`, nan where it is not defined or its function is not known."""
    if e in memo:
        return memo[e]
    if e.is_Symbol:
        return env[e]
    if not _TABLE:
        _TABLE.update(_functions())
    args = [values_of(a, env, memo) for a in e.args] if not e.is_number or e.is_Function else []
    if e.is_number and not e.is_Function:
        try:
            v: Any = float(e)
        except (TypeError, OverflowError):
            v = np.nan
    elif e.is_Add:
        v = sum(args[1:], args[0])
    elif e.is_Mul:
        v = args[0]
        for a in args[1:]:
            v = v * a
    elif e.is_Pow:
        v = np.power(args[0], args[1])
    else:
        f = _TABLE.get(type(e).__name__)
        v = np.nan if f is None else f(*args)
    memo[e] = v
    return v


@dataclass
class Scan:
    """What a search saw: a confirmed counterexample, the tightest point and ratio (larger side over smaller side), some feasible point."""

    witness: Point | None = None
    witness_by: str = ""
    tightest: Point | None = None
    ratio: float | None = None
    gap: float = inf  # (big - small)/(|big| + |small|) at the tightest point
    feasible: Point | None = None
    touching: list[Point] = field(default_factory=list)


class _Search:
    def __init__(self, st: Statement) -> None:
        self.st = st

    def gaps(self, points: Array, zero: bool = False) -> tuple[Array, Array, Array]:
        """Relative gap between the sides (inf where a hypothesis fails or nothing is defined), and the sides, at rows of `points`."""
        st, n = self.st, len(points)
        env, memo = dict(zip(st.symbols, points.T)), {}  # type: ignore[var-annotated]
        with np.errstate(all="ignore"):
            small, big = (np.broadcast_to(np.asarray(values_of(e, env, memo), dtype=float), (n,)) for e in (st.small, st.big))
            gap = (big - small) / (np.abs(big) + np.abs(small))
            nothing = (
                np.abs(big) + np.abs(small) < 1e-280
            )  # underflow, unless the sides really vanish: then only a strict relation cares
            gap = np.where(nothing, 0.0 if zero else np.nan, gap)
            gap = np.where(np.isfinite(big) & np.isfinite(small), gap, np.nan)
            ok = ~np.isnan(gap)
            for g, strict in st.where:
                v = np.asarray(values_of(g, env, memo), dtype=float)
                ok &= (v > 0) if strict else (v >= 0)
        return np.where(ok, gap, inf), small, big

    def grid(self, extra: Sequence[Iterable[Fraction]] = ()) -> list[Point]:
        """Products of simple values, simplest first within each variable."""
        rows = []
        k = max(1, len(self.st.box))
        room = [0, 400, 45, 14, 8, 6, 5][k] if k < 7 else 3
        for i, side in enumerate(self.st.box):
            own = [x for x in (*(extra[i] if extra else ()), *_candidates(side))]
            rows.append(list(dict.fromkeys(own))[: room if not side.integer else max(room, 30 if k < 4 else 6)])
        return list(itertools.product(*rows))


def _candidates(side: Side) -> list[Fraction]:
    if side.integer:
        lo = 0 if side.lo is None else int(side.lo.p)
        first = [Fraction(lo + i) for i in range(20)] if side.lo is not None else []
        pool: Iterable[Fraction] = (*first, *map(Fraction, _WHOLE))
        last = [] if side.hi is None else [Fraction(int(side.hi.p) - i) for i in range(3)]
        return [x for x in (*pool, *last) if side.contains(x)]
    ends = [Fraction(int(e.p), int(e.q)) for e in (side.lo, side.hi) if e is not None]
    out = [x for x in ends if side.contains(x)]
    if len(ends) == 2:
        out += [
            ends[0] + (ends[1] - ends[0]) * t
            for t in (Fraction(1, 2), Fraction(1, 4), Fraction(3, 4), Fraction(1, 3), Fraction(2, 3))
        ]
    shifted = [s + e for e in ends if e != 0 for s in _SIMPLE[:20]]
    out += [x for x in _SIMPLE if side.contains(x)] + [x for x in shifted if side.contains(x)]
    if len(ends) == 2:
        out += [ends[0] + (ends[1] - ends[0]) * Fraction(i, 64) for i in range(1, 64)]
    return sorted(dict.fromkeys(out), key=lambda x: x.denominator + abs(x.numerator)) if len(ends) < 2 else list(dict.fromkeys(out))


def _spread(side: Side, s: Array) -> Array:
    """Map [-1, 1] onto the range, logarithmically towards its ends."""
    lo = None if side.lo is None else float(Fraction(int(side.lo.p), int(side.lo.q)))
    hi = None if side.hi is None else float(Fraction(int(side.hi.p), int(side.hi.q)))
    with np.errstate(all="ignore"):
        if lo is not None and hi is not None:
            x = lo + (hi - lo) * 0.5 * (1 + np.tanh(9 * s))
            x = np.where((s <= -1) & (not side.lo_open), lo, np.where((s >= 1) & (not side.hi_open), hi, x))
        elif lo is not None:
            x = np.where((s <= -1) & (not side.lo_open), lo, lo + np.exp(18 * s))
        elif hi is not None:
            x = np.where((s >= 1) & (not side.hi_open), hi, hi - np.exp(-18 * s))
        else:
            x = np.sinh(18 * s)
        if side.integer:
            x = np.round(x)
    return x


def _exactly(side: Side, x: float) -> Fraction:
    if side.integer:
        return Fraction(round(x))
    q = Fraction(x)
    if not side.contains(q):  # rounded onto or over an end
        for d in (10**3, 10**6, 10**9):
            r = q.limit_denominator(d)
            if side.contains(r):
                return r
    return q


def _complexity(st: Statement, p: Point) -> tuple[Any, ...]:
    whole = tuple(abs(x) for x, s in zip(p, st.box) if s.integer)
    return (
        whole,
        sum(len(str(abs(x.numerator))) + len(str(x.denominator)) for x in p),
        sum(x.denominator + abs(x.numerator) for x in p),
    )


def scan(st: Statement, effort: int = 14) -> Scan:
    """Search for a counterexample of `st`, and for its tightest point.

    Parameters
    ----------
    st : Statement
    effort : int
        Rounds of the zooming search.
    """
    out, search = Scan(), _Search(st)
    if not st.box:
        out.witness_by = st.violated(())
        out.witness = () if out.witness_by else None
        return out
    points = search.grid()
    array = np.array([[float(x) for x in p] for p in points])
    gap, small, big = search.gaps(array, zero=st.strict)
    _feasible(st, out, points, gap)
    _confirm(st, out, points, gap)
    if out.witness is None:
        array, gap, small, big = _zoom(search, array, gap, small, big, effort)
        order = np.argsort(gap)
        for i in order[:3]:
            if gap[i] < (1e-14 if st.strict else 0):
                p = tuple(_exactly(s, x) for s, x in zip(st.box, array[i]))
                out.witness_by = st.violated(p)
                if out.witness_by:
                    out.witness = p
                    break
        best = order[0]
        if isfinite(gap[best]):
            out.gap = float(gap[best])
            out.tightest = tuple(_exactly(s, x) for s, x in zip(st.box, array[best]))
            if small[best] > 0 and big[best] > 0:
                out.ratio = float(big[best] / small[best])
            out.touching = [tuple(_exactly(s, x) for s, x in zip(st.box, array[i])) for i in order[:1] if gap[i] < 1e-6]
    if out.witness is not None:
        out.witness = simplest(st, out.witness)
        out.witness_by = st.violated(out.witness)
        out.feasible = out.witness
    return out


def _feasible(st: Statement, out: Scan, points: list[Point], gap: Array) -> None:
    for i in np.flatnonzero(np.isfinite(gap))[:20]:
        if st.meets(points[i]):
            out.feasible = points[i]
            return


def _confirm(st: Statement, out: Scan, points: list[Point], gap: Array) -> None:
    """Take the simplest grid point that is surely a counterexample."""
    found = [points[i] for i in np.flatnonzero(gap < (1e-13 if st.strict else 0))]
    found.sort(key=lambda p: _complexity(st, p))
    deep = [points[i] for i in np.argsort(gap)[:4] if gap[i] < 0]
    for p in (*found[:16], *deep):
        by = st.violated(p)
        if by:
            out.witness, out.witness_by = p, by
            return


def _zoom(search: _Search, array: Array, gap: Array, small: Array, big: Array, rounds: int) -> tuple[Array, Array, Array, Array]:
    """Narrow in on the least gap around the best few starting points, on scales that are logarithmic towards the ends of the domain."""
    sides, rng = search.st.box, np.random.default_rng(7)
    k = len(sides)
    s = np.vstack([rng.uniform(-1, 1, (256 * k, k)), np.zeros((1, k))])
    radius, kept = 0.35, 6
    all_s: Array | None = None
    for r in range(rounds + 1):
        x = np.column_stack([_spread(side, s[:, i]) for i, side in enumerate(sides)])
        if all_s is None and r == 0:
            x = np.vstack([x, array])
            s = np.vstack([s, _coordinates(sides, array)])
        g, a, b = search.gaps(x)
        if all_s is not None:
            x, s = np.vstack([best_x, x]), np.vstack([all_s, s])  # type: ignore[has-type]
            g, a, b = (np.concatenate(pair) for pair in ((best_g, g), (best_a, a), (best_b, b)))  # type: ignore[has-type]
        order = np.argsort(g, kind="stable")[: kept if r < rounds // 2 else 2]
        best_x, all_s, best_g, best_a, best_b = x[order], s[order], g[order], a[order], b[order]
        if r < rounds:
            steps = rng.uniform(-1, 1, (len(order), 40 * k, k)) * radius
            if k > 1:  # along the axes too: ridges of Max and of hypotheses are often aligned
                steps[:, ::2] *= np.eye(k)[rng.integers(0, k, steps[:, ::2].shape[:2])]
            s = np.clip((all_s[:, None, :] + steps).reshape(-1, k), -1, 1)
            radius *= 0.55
    return best_x, best_g, best_a, best_b


def _coordinates(sides: Sequence[Side], x: Array) -> Array:
    """The inverse of `_spread`."""
    cols = []
    with np.errstate(all="ignore"):
        for i, side in enumerate(sides):
            lo = None if side.lo is None else float(Fraction(int(side.lo.p), int(side.lo.q)))
            hi = None if side.hi is None else float(Fraction(int(side.hi.p), int(side.hi.q)))
            if lo is not None and hi is not None:
                c = np.arctanh(2 * (x[:, i] - lo) / (hi - lo) - 1) / 9 if hi > lo else 0 * x[:, i]
            elif lo is not None:
                c = np.log(x[:, i] - lo) / 18
            elif hi is not None:
                c = -np.log(hi - x[:, i]) / 18
            else:
                c = np.arcsinh(x[:, i]) / 18
            cols.append(np.clip(np.nan_to_num(c, nan=0.0, posinf=1.0, neginf=-1.0), -1, 1))
    return np.column_stack(cols)


def simplest(st: Statement, p: Point) -> Point:
    """A counterexample near `p` (itself one) with shorter numbers: whole variables first made small, then denominators."""
    best = list(p)
    order = sorted(range(len(p)), key=lambda i: not st.box[i].integer)
    for i in order:
        for x in _simpler(st.box[i], best[i]):
            trial = (*best[:i], x, *best[i + 1 :])
            if st.violated(trial):
                best[i] = x
                break
    return tuple(best)


def _simpler(side: Side, x: Fraction) -> Iterable[Fraction]:
    if side.integer:
        lo = int(side.lo.p) if side.lo is not None else -abs(int(x))
        tries = [*range(lo, min(lo + 40, int(x))), *(int(x) * i // 16 for i in range(1, 16))]
        return [Fraction(t) for t in tries if t < x and side.contains(Fraction(t))] if x > 0 else []
    near = [
        x.limit_denominator(d)
        for d in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16, 20, 25, 32, 50, 64, 100, 128, 200, 1000, 10**4, 10**6, 10**9)
    ]
    if x:
        size = 10 ** max(0, len(str(abs(x.numerator) // x.denominator)) - 2) if abs(x) >= 1 else 1
        near = [Fraction(round(x / size)) * size, Fraction(round(x / size * 10)) * size / 10, *near]
    return [q for q in dict.fromkeys(near) if q != x and side.contains(q)]
