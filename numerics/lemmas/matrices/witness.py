"""Points at which a statement fails: found in floating point, evaluated exactly, made simple."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import lcm
from typing import Any

import numpy as np
from flint import fmpq, fmpq_mat

from numerics.evidence import plain
from numerics.lemmas.matrices.draws import CLEAR, Floats, Search
from numerics.lemmas.matrices.exact import Seen, compared, meets, seen
from numerics.lemmas.matrices.heads import Matrices
from numerics.lemmas.matrices.words import Sized
from numerics.rationals import fraction

__all__ = ["At", "broken", "feasible", "found", "named", "simple"]

At = dict[Any, Any]
#: So many points are evaluated exactly.
LOOKED_AT = 40
#: Changes that are tried to make a witness simple.
CHANGES = 1500
#: Matrices are multiplied by that at most, to make their entries whole.
LARGEST_FACTOR = 64


def broken(st: Sized, at: At) -> Seen | None:
    """What shows the statement false at a point that surely meets the hypotheses."""
    met, said = seen(st, at)
    return said if met and said.holds is False else None


def found(search: Search, stream: int = 0) -> At | None:
    """A point that breaks the statement; of those that were drawn a simple one."""
    for rows, gaps in search.candidates(stream):
        if (at := first(search, rows, gaps)) is not None:
            return at
    return None


def first(search: Search, rows: Floats, gaps: Floats) -> At | None:
    """The first point that breaks the statement: simple ones, then those that break it most."""
    equal = CLEAR if search.st.goal.strict else -CLEAR
    failing = np.flatnonzero(gaps < equal)
    size = _size(rows[failing])
    simplest = failing[np.argsort(size, kind="stable")][: LOOKED_AT // 2]
    worst = failing[np.argsort(gaps[failing], kind="stable")][: LOOKED_AT // 2]
    points = (search.exactly(rows[k]) for k in dict.fromkeys([*simplest.tolist(), *worst.tolist()]))
    return next((at for at in _distinct(points) if broken(search.st, at) is not None), None)


def feasible(search: Search) -> tuple[At | None, int]:
    """A point that surely meets the hypotheses and at which the conclusion is defined, and how many
    seem to do so.
    """
    rows = search.drawn() if search.count else np.zeros((1, 0))
    gaps = search.gaps(rows)
    met = np.flatnonzero(np.isfinite(gaps))
    size = _size(rows[met])
    ranked = met[np.argsort(size, kind="stable")].tolist()
    for k in dict.fromkeys([*ranked[:LOOKED_AT], *ranked[:: 1 + len(ranked) // LOOKED_AT]]):
        at = search.exactly(rows[k])
        if meets(search.st, at) and compared(search.st.goal, at).holds is not None:
            return at, len(met)
    return None, len(met)


def _size(rows: Floats) -> Floats:
    """How far numbers are from simple ones."""
    out: Floats = (np.abs(rows) + (rows != 0) + 6 * (rows != np.round(rows))).sum(1)
    return out


def _distinct(points: Iterable[At]) -> Iterator[At]:
    known: set[str] = set()
    for at in points:
        if (text := str(at)) not in known:
            known.add(text)
            yield at


def simple(st: Sized, at: At) -> At:
    """A simpler point that breaks the statement."""
    return min((_simplified(st, start) for start in (at, _whole(st, at))), key=_total)


def _simplified(st: Sized, at: At) -> At:
    """Each entry in turn becomes a simpler number, if the statement still fails."""
    tries = 0
    for _ in range(4):
        before = at
        for place in _places(st, at):
            for x in _simpler(_entry(at, place)):
                tries += 1
                if tries > CHANGES:
                    return at
                changed = _changed(st, at, place, x)
                if broken(st, changed) is not None:
                    at = changed
                    break
        if at is before:
            return at
    return at


def _total(at: At) -> tuple[int, int]:
    entries = [x for v in at.values() for x in (v.entries() if isinstance(v, fmpq_mat) else [v])]
    costs = [_cost(x) for x in entries]
    return sum(c for c, _ in costs), sum(s for _, s in costs)


def _whole(st: Sized, at: At) -> At:
    """The point with all matrices multiplied so that their entries are whole, if it breaks the
    statement, too.
    """
    k = lcm(*(int(x.q) for v in at.values() if isinstance(v, fmpq_mat) for x in v.entries()))
    scaled = {s: v * fmpq(k) if isinstance(v, fmpq_mat) else v for s, v in at.items()}
    return scaled if 1 < k <= LARGEST_FACTOR and broken(st, scaled) is not None else at


Place = tuple[Any, int, int]


def _places(st: Sized, at: At) -> list[Place]:
    out: list[Place] = [(s, 0, 0) for s in st.scalars]
    for m, kind in st.matrices.items():
        n, k = at[m].nrows(), at[m].ncols()
        cells = [(i, j) for i in range(n) for j in range(k) if kind is Matrices.ANY or i >= j]
        out += [(m, i, j) for i, j in sorted(cells, key=lambda c: c[0] == c[1])]
    return out


def _entry(at: At, place: Place) -> fmpq:
    s, i, j = place
    return at[s][i, j] if isinstance(at[s], fmpq_mat) else at[s]


def _changed(st: Sized, at: At, place: Place, x: fmpq) -> At:
    s, i, j = place
    if not isinstance(at[s], fmpq_mat):
        return {**at, s: x}
    m = fmpq_mat(at[s])
    m[i, j] = x
    if st.matrices[s] is not Matrices.ANY:
        m[j, i] = x
    return {**at, s: m}


def _cost(x: fmpq) -> tuple[int, int]:
    return 2 * (int(x.q).bit_length() - 1) + abs(int(x.p)).bit_length(), int(x < 0)


def _simpler(x: fmpq) -> list[fmpq]:
    """Numbers that are simpler than one, the simplest first."""
    whole = round(float(fraction(x)))
    near = [fmpq(n) for n in (0, 1, -1, 2, -2, 3, -3, whole, whole // 2, 10, 100)]
    near += [fmpq(round(float(fraction(x)) * k), k) for k in (2, 3, 4, 8)] + [fmpq(1, 2), fmpq(1, 4)]
    return sorted({y for y in near if _cost(y) < _cost(x)}, key=_cost)


def named(st: Sized, at: At, said: Seen) -> dict[str, Any]:
    """The point under the caller's names, and the vector that shows an order of matrices false."""
    out: dict[str, Any] = {str(s): n for s, n in st.sizes.items()}
    for s in (*st.matrices, *st.scalars):
        v = at[s]
        if not isinstance(v, fmpq_mat):
            out[str(s)] = plain(fraction(v))
        else:
            rows: list[list[Any]] = [[plain(fraction(x)) for x in row] for row in v.tolist()]
            out[str(s)] = "[" + ", ".join("[" + ", ".join(map(str, r)) + "]" for r in rows) + "]"
    if said.vector:
        name = next(n for n in ("v", "u", "w", "vector") if n not in out)
        out[name] = "[" + ", ".join(str(plain(x)) for x in map(_plain, said.vector)) + "]"
    return out


def _plain(x: Any) -> Any:
    return fraction(x) if isinstance(x, fmpq) else x
