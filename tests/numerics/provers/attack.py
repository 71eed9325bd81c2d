"""Attacks answers of the prover, sharing no code with it: exact random points, points near every
end, and a zooming minimisation whose best points mpmath evaluates with 60 digits.
"""

import random
from fractions import Fraction
from typing import Any

import mpmath
import sympy as sp

from numerics.evidence import Evidence
from tests.numerics.provers.statement import R, Random, Range
from tests.numerics.provers.values import mp_value, search

DIGITS = 60
#: Functions whose values far out cannot be told apart with so many digits.
_SATURATED = (sp.tanh, sp.coth, sp.sech, sp.csch, sp.erf, sp.erfc, sp.exp, sp.atan)
Point = tuple[Fraction, ...]


def exact_gap(st: Random, point: Point) -> tuple[Any, Any] | None:
    """``big - small`` by mpmath (nan: undefined) and their size; None where a hypothesis fails."""
    rational = {s: R(q.numerator, q.denominator) for s, q in zip(st.ranges, point)}
    for a, op, b in st.where:  # polynomials: exact
        gap = (b - a if op[0] == "<" else a - b).xreplace(rational)
        if not (gap > 0 if op in "<>" else gap >= 0):
            return None
    found = []
    for digits in (DIGITS, 3 * DIGITS):
        with mpmath.workdps(digits):
            env = {s: mpmath.mpf(q.numerator) / q.denominator for s, q in zip(st.ranges, point)}
            try:
                small, big = mp_value(st.small, env), mp_value(st.big, env)
            except (ZeroDivisionError, ValueError):
                return mpmath.nan, mpmath.mpf(1)
            found.append((big - small, abs(big) + abs(small)))
    (rough, _), (gap, size) = found
    # What cancels within a side leaves no size behind; what more digits change is not known.
    return gap, size + 2 * abs(gap - rough) * mpmath.mpf(10) ** (DIGITS - 20)


def _broken(gap: Any, size: Any) -> bool:
    """Whether a gap is surely negative, for values that are known to `DIGITS` digits less 20."""
    return bool(mpmath.isnan(gap) or gap < -size * mpmath.mpf(10) ** (20 - DIGITS))


def counterexample(st: Random, rng: random.Random) -> Point | None:
    """A point of the domain that surely breaks an accepted statement, or where it is undefined."""
    found, values = search(st.big - st.small, st.ranges, st.where, rng, 8)
    candidates: list[Point] = [tuple(rng.choice(r.ends()) for r in st.ranges.values()) for _ in range(4)]
    for row in found[:3]:
        point = [r.exact(float(c)) for r, c in zip(st.ranges.values(), row)]
        if None not in point:
            candidates.append(tuple(point))
    gaps = {p: g for p in candidates if (g := _reachable(st, p)) is not None}
    broken = [p for p, g in gaps.items() if _broken(*g)]
    if broken or not gaps:
        return broken[0] if broken else None
    lowest = min(gaps, key=lambda p: gaps[p][0])
    return _descended(st, lowest, gaps[lowest][0]) if values[0] < 1e-3 else None


def _descended(st: Random, point: Point, gap: Any) -> Point | None:
    """From an almost-equality downhill, below floating point: to parabolas' vertices."""
    for h in (Fraction(1, 10**k) for k in (3, 5, 7, 9, 12, 16)):
        for i, r in enumerate(st.ranges.values()):
            step = h * max(abs(point[i]), Fraction(1, 100))
            around = [_moved(st, r, point, i, d) for d in (-step, step)]
            if None in around:
                continue
            (_, a), (_, b) = around
            curvature = a[0] + b[0] - 2 * gap
            if curvature > 0:
                vertex = _moved(
                    st, r, point, i, step * Fraction(str(mpmath.nstr((a[0] - b[0]) / (2 * curvature), 30)))
                )
                around.append(vertex)
            for trial, lower in filter(None, around):
                if _broken(*lower):
                    return trial
                if lower[0] < gap:
                    gap, point = lower[0], trial
    return None


def _moved(st: Random, r: Range, point: Point, i: int, by: Fraction) -> tuple[Point, tuple[Any, Any]] | None:
    if not r.contains(point[i] + by):
        return None
    trial = (*point[:i], point[i] + by, *point[i + 1 :])
    gap = _reachable(st, trial)
    return None if gap is None else (trial, gap)


def _reachable(st: Random, point: Point) -> tuple[Any, Any] | None:
    try:
        return exact_gap(st, point)
    except OverflowError:
        return None


def fault(st: Random, e: Evidence, rng: random.Random) -> str:
    if e.verdict.accepted:
        point = counterexample(st, rng)
        said = f"{e.verdict} by {e.engine}, but false at {[str(q) for q in point or ()]}: {st}"
        return "" if point is None else said
    if e.verdict.value == "REFUTED":
        point = tuple(Fraction(str(e.witness[str(s)])) for s in st.ranges)
        if not all(r.contains(q) for r, q in zip(st.ranges.values(), point)):
            return f"the witness {dict(e.witness)} lies outside of the domain: {st}"
        try:
            gap = exact_gap(st, point)
        except OverflowError:
            return ""
        if gap is None:
            return f"the witness {dict(e.witness)} does not meet the hypotheses: {st}"
        close = abs(gap[0]) <= gap[1] * mpmath.mpf(10) ** (20 - DIGITS)
        if close and st.big.has(*_SATURATED) | st.small.has(*_SATURATED):
            return ""  # coth(200) and coth(201) differ in the hundreds of digits
        if not gap[0] < 0 and not (st.strict and close):
            return f"the witness {dict(e.witness)} does not break {st}: gap {mpmath.nstr(gap[0], 5)}"
    return ""
