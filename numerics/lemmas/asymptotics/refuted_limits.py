"""Refutes a limit: a curve towards it along which the function surely keeps a distance."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, isfinite

import numpy as np
import sympy as sp

from numerics.evidence import Evidence, Verdict
from numerics.lemmas.asymptotics.curves import Along
from numerics.lemmas.asymptotics.limit_statement import Limit, logarithms
from numerics.provers.exact.exact_numbers import Undecided, put, sign
from numerics.provers.statements.statement import Statement, statement

__all__ = ["kept_away"]

#: How often `forall` is asked, and curves on which enclosures look far out.
MOST, ENCLOSED = 6, 60
#: Members from which on f is to keep away; with the last ones no power is written out.
STARTS = (1, 2, 10, 100, 10**4, 10**6, 10**9, 10**12)
STARTS_OF_POWERS = (1, 2, 10, 100)
#: Functions that SymPy writes out at whole numbers.
WRITTEN_OUT = (sp.gamma, sp.loggamma, sp.factorial, sp.binomial, sp.polygamma, sp.harmonic)


def kept_away(q: Limit, effort: int) -> Evidence | None:
    """A curve towards the limit along which f surely keeps a distance from the value."""
    t = q.table
    gap, of = _gap(q)
    seen = t.values(gap)
    asked = 0
    for row in range(len(t.curves)):
        if not t.met[row, -8:].all():
            continue
        known = seen[row][t.clear[row] & np.isfinite(seen[row])]
        far = [float(v.mid()) for v in t.far(row, gap)] if row < ENCLOSED else []
        bound = _bound(far[-2:] if len(far) > 1 else known[-4:], q.value)
        if bound is None:
            continue
        way, distance = bound
        for start in _starts(Along(q.st, t.n, t.at(row), 1, effort), way * gap - distance):
            along = Along(q.st, t.n, t.at(row), start, effort)
            asked += 1
            if along.shows(way * gap - distance, ">=") and along.stays():
                words = f"{of} >= {distance}" if way > 0 else f"{of} <= {-distance}"
                return _away(q, along, words, _near_it(along, way * gap, distance))
        if asked >= MOST:
            break
    return None


def _starts(along: Along, gap: sp.Expr) -> list[int]:
    """A member from which on f seems to keep away, and one farther out."""
    e, found = along.put(gap), []
    for start in STARTS if not _long(e, along.n) else STARTS_OF_POWERS:
        try:
            later = (start, start + 1, start + 2, start + 3, 2 * start + 5)
            if all(sign(put(e, {along.n: sp.Integer(i)})) in (0, 1) for i in later):
                found.append(start)
        except (Undecided, ValueError, TypeError):
            continue
    return [*found[:1], *[i for i in found if i >= 100 * found[0]][:1]]


def _gap(q: Limit) -> tuple[sp.Expr, sp.Expr]:
    """What is to keep away from 0, in the symbols of the statement, and what it is called."""
    fresh = dict(zip(q.st.names, q.st.symbols))
    if q.value in (sp.oo, -sp.oo):
        return put(q.f, fresh), sp.Symbol("f")
    for f, v, _ in logarithms(q, ">="):
        return put(f - v, fresh), sp.Symbol("log(f)") - v
    return put(q.f - q.value, fresh), sp.Symbol("f") - q.value


def _long(e: sp.Expr, n: sp.Symbol) -> bool:
    """Whether SymPy would write out numbers with as many digits as n."""
    powers = any(p.exp.has(n) and p.base != sp.E for p in e.atoms(sp.Pow))
    return powers or e.has(*WRITTEN_OUT)


def _bound(tail: Sequence[float], value: sp.Expr) -> tuple[int, sp.Expr] | None:
    """The sign of a gap and what it seems to keep above, half of the least that was seen; where
    the value is infinite minus a number that f seems not to exceed.
    """
    if len(tail) < 2:
        return None
    size = [abs(v) for v in tail]
    if value in (sp.oo, -sp.oo):
        sign = -1 if value == sp.oo else 1
        if all(sign * v >= 0 for v in tail):
            return sign, sp.S.Zero
        bounded = isfinite(max(size)) and size[-1] <= 2 * size[0] + 1
        return (sign, -sp.Integer(ceil(max(size)) + 1)) if bounded else None
    sign = 1 if tail[-1] > 0 else -1
    least = min(sign * v for v in tail)
    if not (least > 0 and least >= size[0] / 5):
        return None
    nice = [*(sp.Rational(1, d) for d in (1, 2, 4, 10)), *(sp.Rational(1, 10**k) for k in range(2, 13))]
    return next(((sign, d) for d in nice if d <= least / 2 or d == least == 1), None)


def _away(q: Limit, along: Along, words: str, sides: tuple[Statement, ...]) -> Evidence:
    n, start = along.n, along.start
    member = along.member(start)
    value = put(q.f, dict(zip(q.st.names, member)))
    exact = value.is_Rational and all(v.is_Rational for v in member)
    return Evidence(
        verdict=Verdict.REFUTED,
        engine="exact arithmetic" if exact else "interval arithmetic",
        witness={**along.named(start), "keeps away": f"{words} for {along.words} and every {n} >= {start}"},
        witness_by="exact" if exact else "Arb",
        sides=sides,
    )


def _near_it(along: Along, gap: sp.Expr, distance: sp.Expr) -> tuple[Statement, ...]:
    """That f comes nearer than that along the curve, which is false."""
    try:
        f = along.put(gap)
        return (statement(f, "<", distance, along.index, ()),) if f.has(along.n) else ()
    except (TypeError, ValueError, Undecided):
        return ()
