"""Refutes "there is a constant": along a curve that defeats every constant, or at a point.

Where a statement with larger constants follows from that with smaller ones, as for ``f <= C g``
with ``g >= 0``, it fails for all constants if it fails along a curve with ``C = h(n)`` for every n
from some n on, and h tends to infinity: a given constant is below h(n) for some n, where already
h(n) is too small. Constants of which it needs small ones, as in ``f >= c g``, are ``1/h(n)``. That
is one inequality in n, which `forall` shows; no ratio is formed, and no limit is taken.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from numerics.evidence import Evidence, Verdict
from numerics.lemmas.asymptotics.constant_statement import Quantified
from numerics.lemmas.asymptotics.curves import Along, Floats, Table, growths
from numerics.provers.exact.exact_numbers import Undecided, put
from numerics.provers.statements.floating_point import values_of

__all__ = ["defeating", "directions"]

#: Constants, or their reciprocals, at which curves are tried in floating point.
SIZES: Floats = 4.0 ** np.arange(31, dtype=np.float64)
#: The same for a point that defeats all of them.
ALL_SIZES: Floats = 10.0 ** np.arange(-12, 13, 4, dtype=np.float64)
#: Factors of what constants are compared with.
FACTORS = [sp.Rational(t) for t in ("1", "1/2", "1/4", "1/10", "1/100", "1/1000")]
#: How many curves `forall` is asked about, where a curve may begin, and how far out the first
#: member is looked for that defeats constants equal to 1.
MOST, LATEST, FARTHEST = 6, 1000, 300
#: Up to which places floats are believed, at first and where that shows nothing: far out nothing
#: may be left of a difference, such as log(1 + 1/n).
HORIZONS = (float("inf"), 1e6, 1e4)
#: Sides below this may be 0 or may have underflowed.
UNDERFLOW = 1e-280
#: Functions whose slopes SymPy's derivatives do not tell.
BENT = (sp.Abs, sp.Max, sp.Min, sp.sign, sp.Heaviside, sp.floor, sp.ceiling, sp.frac, sp.Mod)


class Growing(NamedTuple):
    """A curve along which constants have to be larger than `above`, from `start` on."""

    row: int
    start: int
    above: sp.Expr
    ways: tuple[int, ...]


def directions(q: Quantified) -> list[tuple[int, ...]]:
    """For each constant whether it helps to make it larger (1) or smaller (-1); the likeliest
    choice first, and nothing impossible.
    """
    found = []
    for c in q.fresh:
        slope = q.table.values(sp.diff(q.st.difference, c), dict.fromkeys(q.fresh, 1.0))
        seen = slope[q.table.met & np.isfinite(slope)]
        up, down = (seen > 0).any(), (seen < 0).any()
        found.append((1, -1) if up and down else (-1,) if down else (1,))
    return list(itertools.product(*found))[:4]


def defeating(q: Quantified, effort: int) -> tuple[Evidence | None, str]:
    """The refutation, or nothing and what was tried."""
    tried = 0
    if q.st.difference.has(*q.fresh) and any(b.has(c) for c in q.fresh for b in q.st.difference.atoms(*BENT)):
        return None, "the constants stand inside of a function with a bend, so that no curve was tried"
    for refute in (_at_a_point, _along_a_curve):
        for attempt in itertools.islice(refute(q, effort), MOST):
            tried += 1
            if attempt is not None:
                return attempt, ""
    return (
        None,
        f"{len(q.table.curves)} curves were looked at, of which {tried} seemed to defeat every constant",
    )


def _gaps(q: Quantified, sizes: Floats, ways: Sequence[int]) -> Floats:
    """The gap of the statement with constants of each size, along every curve; nan where both sides
    may have underflowed.
    """
    out = []
    for t in sizes:
        at = {c: t ** float(w) for c, w in zip(q.fresh, ways)}
        small, big = (q.table.values(e, at) for e in (q.st.small, q.st.big))
        with np.errstate(all="ignore"):
            out.append(np.where(np.abs(small) + np.abs(big) < UNDERFLOW, np.nan, big - small))
    return np.array(out)


def _at_a_point(q: Quantified, effort: int) -> Iterator[Evidence | None]:
    """Members at which the statement fails for all constants; in a regime whole curves of them."""
    t = q.table
    fails = t.met & (_gaps(q, ALL_SIZES, [1] * len(q.fresh)) < 0).all(0)
    far = t.grid.searchsorted(LATEST, side="right")
    constants = dict.fromkeys(q.fresh, (0, sp.oo))
    rows = np.flatnonzero(fails[:, far:].all(1) if q.regime.to else fails[:, :far].any(1))
    for row in map(int, rows):
        first = int(t.grid[np.argmax(fails[row])])
        along = Along(q.st, t.n, t.at(row), first, effort)
        if not q.regime.to:
            try:
                point = along.member(first)
            except Undecided:
                continue
            along = Along(q.st, t.n, dict(zip(along.curve, point)), first, effort)
        shown = along.shows(-q.st.difference, ">", constants) and along.stays(constants)
        by = along.violated(first, [1] * len(q.fresh)) if shown else ""
        every = f"fails, too, for {along.words}" if q.regime.to else "fails, too, at this point"
        if q.regime.to:
            every += f" and every {t.n} >= {first}"
        yield _refuted(q, along, first, by, every) if by else None


def _along_a_curve(q: Quantified, effort: int) -> Iterator[Evidence | None]:
    for c in _growing(q):
        t, n = q.table, q.table.n
        at = {x: c.above**w for x, w in zip(q.fresh, c.ways)}
        if not all(v < 0 for v in t.far(c.row, put(q.st.difference, at))):
            continue  # floats were wrong
        along = Along(q.st, n, t.at(c.row), c.start, effort)
        main = Along(q.st, n, {**along.curve, **at}, c.start, effort)
        every = dict.fromkeys(q.fresh, (0, sp.oo))
        shown = (
            main.shows(-q.st.difference, ">")
            and along.stays(every)
            and all(
                along.shows(w * sp.diff(q.st.difference, x), ">=", every) for x, w in zip(q.fresh, c.ways)
            )
        )
        first = _first(along, len(q.fresh)) if shown else None
        if first is None:
            yield None
            continue
        names = q.constants
        small = ", ".join(f"{name} = {at[x]}" for name, x in zip(names, q.fresh))
        words = f"{small} fails for {along.words} and every {n} >= {c.start}"
        yield _refuted(q, along, *first, words)


def _first(along: Along, constants: int) -> tuple[int, str] | None:
    """The first member at which constants equal to 1 fail, and how that is known."""
    near = range(along.start, along.start + 40)
    for i in (*near, *(along.start * 2**j for j in range(4, FARTHEST))):
        try:
            if by := along.violated(i, [1] * constants):
                return i, by
        except (Undecided, ValueError, OverflowError):
            return None
    return None


def _refuted(q: Quantified, along: Along, i: int, by: str, every: str) -> Evidence:
    ones = {str(c): 1 for c in q.constants}
    return Evidence(
        verdict=Verdict.REFUTED,
        engine="exact arithmetic" if by == "exact" else "interval arithmetic",
        witness={**along.named(i), **ones, "every other choice": every},
        witness_by=by,
    )


def _growing(q: Quantified) -> Iterator[Growing]:
    """Curves along which no constant seems to be enough, simplest first."""
    t = q.table
    limit = t.grid.searchsorted(LATEST, side="right")
    for ways in directions(q):
        gaps = _gaps(q, SIZES, ways)
        enough = np.logical_and.accumulate(gaps < 0, axis=0).sum(0)
        known = t.met & np.isfinite(gaps[0])
        rows = map(int, np.flatnonzero((enough >= 2).any(1)))
        done = set()
        for horizon, row in itertools.product(HORIZONS, rows):
            good = ((enough[row] >= 1) | ~known[row])[t.grid <= horizon]
            if row in done or not good[-1]:
                continue
            begin = len(good) - int(np.argmin(good[::-1])) if not good.all() else 0
            places = begin + np.flatnonzero(known[row, begin : len(good)])
            if begin >= limit or len(places) < 5:
                continue
            size = np.where(enough[row] == len(SIZES), np.inf, SIZES[enough[row] - 1])[places]
            for s, h in _above(t, places, size):
                done.add(row)
                yield Growing(row, s, h, ways)


def _above(t: Table, places: Any, size: Floats) -> Iterator[tuple[int, sp.Expr]]:
    """Growing functions that stay below the constants that are too small, the fastest first, with
    the place from which they do.
    """
    n, number = t.n, 0
    half = len(size) // 2
    if not (size[-1] >= 16 * size[0] or np.isinf(size[half:]).all()):
        return
    for h in growths(n):
        start = next((i for i in range(len(places)) if t.grid[places[i]] >= 3 or not h.has(sp.log)), None)
        if start is None or len(places) - start < 4:
            continue
        with np.errstate(all="ignore"):
            ratio = size[start:] / values_of(h, {n: t.grid[places[start:]]}, {})
        tail, head = ratio[len(ratio) // 2 :].min(), ratio[: max(1, len(ratio) // 2)].min()
        if tail < head / 4 or number == 2:
            continue
        factor = next((f for f in FACTORS if f <= min(tail, head)), None)
        if factor is not None:
            number += 1
            yield int(t.grid[places[start]]), factor * h
