"""The search for the worst law: an evolution in floating point, and then short rational numbers
near the worst point, which exact arithmetic judges.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import sympy as sp

from numerics.counterexamples.worst_case.maximise import maximise
from numerics.evidence import plain
from numerics.lemmas.laws.batch import NOTHING, score
from numerics.lemmas.laws.counts import Law, Undefined, Values
from numerics.lemmas.laws.space import Numbers, Points, Space
from numerics.lemmas.laws.statement import LawStatement
from numerics.provers.exact.exact_numbers import Undecided, sign
from numerics.provers.statements.floating_point import Array
from numerics.seeds import shared_generator

__all__ = ["Found", "Judged", "judged", "searched", "shown", "simplest"]

#: A score above this is judged exactly; above the second one the verdict is OPEN if that fails.
WORTH, CLEAR = 1e-10, 1e-7
#: How many laws near a point are judged exactly.
MOST_EXACT = 12
#: So many laws are evaluated at once.
BLOCK = 2000
#: Longer numbers are shown as decimals.
DIGITS = 40
#: Simple laws that are tried before the evolution, and how many of those that fail are looked at.
SIMPLE, FEW = 2000, 3
#: What is added to the sides against cancellation, where the first search found nothing but that.
AGAIN = 1e-6


@dataclass(frozen=True)
class Judged:
    """A law with the exact values of the two sides."""

    law: Law
    small: sp.Expr
    big: sp.Expr
    #: -1 where the statement fails, None where it is not decided.
    gap: int | None
    fails: bool
    #: Whether no irrational number occurs.
    exact: bool

    @property
    def ratio(self) -> float:
        """The larger side over the smaller one, where both are positive; else nan."""
        if sign(self.small) == 1 and sign(self.big) == 1:
            return float(sp.N(self.big / self.small, 20))
        return math.nan


@dataclass(frozen=True)
class Found:
    """The worst point of a space, and what exact arithmetic says near it."""

    score: float
    point: Points
    worst: Judged | None
    #: Laws that fail in floating point, and of which exact arithmetic decides nothing.
    unconfirmed: bool


def judged(space: Space, law: Law | None) -> Judged | None:
    """The statement under a law that surely meets every hypothesis, else nothing."""
    if law is None:
        return None
    values = Values(space.st, law)
    if not values.meets():
        return None
    try:
        small, big = values.sides()
        gap = sign(big - small)
    except Undefined:
        return None
    except Undecided:
        return Judged(law, sp.nan, sp.nan, None, False, False)
    return Judged(
        law, small, big, gap, gap is not None and gap <= (0 if space.st.strict else -1), values.rational
    )


def simplest(space: Space, point: Points, least: float) -> tuple[Judged | None, float]:
    """The simplest law near a point that fails, else one of those whose score is the largest; and
    the largest score of those that were not decided.
    """
    arrays, exact = space.short(point)
    if not exact:
        return None, -np.inf
    blocks = range(0, len(exact), BLOCK)
    parts = [(score(b), score(b, solid=True)) for i in blocks for b in [space.batch(arrays.at(i, BLOCK))]]
    scores, solid = (np.concatenate(part) for part in zip(*parts))
    lengths = np.array([_length(e) for e in exact])
    clear = _clear((scores, solid), lengths, least, MOST_EXACT)
    best = np.lexsort((lengths, -np.round(scores, 9)))[:MOST_EXACT]
    held: Judged | None = None
    doubtful, decided = -np.inf, False
    for i in dict.fromkeys((*clear, *best.tolist())):
        found = judged(space, space.law(*exact[i]))
        if found is not None and found.fails:
            return found, doubtful
        if scores[i] > CLEAR and found is not None and found.gap is None:
            return held, float(scores[i])
        if scores[i] > CLEAR:  # where it holds exactly, it was rounding that failed
            decided, doubtful = decided or found is not None, float(scores[i])
        if held is None and found is not None and found.gap is not None:
            held = found
            if not clear:
                break
    return held, -np.inf if decided else doubtful


def _length(numbers: Numbers) -> int:
    return sum(q.numerator.bit_length() + q.denominator.bit_length() for part in numbers for q in part)


def searched(space: Space, stream: int) -> Found:
    """The worst law of a space."""
    rng = shared_generator(f"laws {space.size} {space.kinds}", stream)
    least = -1e-9 if space.st.strict else WORTH
    found: Found | None = None
    for point in _worst_points(space, least, rng):
        top = float(score(space.batch(point))[0])
        worst, doubtful = simplest(space, point, least)
        now = Found(top, point, worst, top > CLEAR and doubtful > -np.inf)
        if worst is not None and worst.fails:
            return now
        if found is None or (now.unconfirmed, _tightness(now)) > (found.unconfirmed, _tightness(found)):
            found = now
    assert found is not None
    return found


def _tightness(found: Found) -> float:
    """How near the sides of the judged law are: -oo without one, and little where they are not
    positive.
    """
    if found.worst is None:
        return -math.inf
    ratio = found.worst.ratio
    return -1e300 if math.isnan(ratio) else -ratio


def _scored(space: Space, floor: float, solid: bool, u: Array) -> Array:
    """The scores of points of the cube."""
    return score(space.batch(space.points(u)), floor, solid)


def _clear(each: Sequence[Array], cost: Array, least: float, number: int) -> list[int]:
    """By each of several scores the simplest that fail by a twentieth of what the worst does, or by
    more; together the simplest first.
    """
    found: set[int] = set()
    for scores in each:
        worst = float(scores.max())
        clear = np.flatnonzero(scores >= min(worst, worst / 20)) if worst > least else np.zeros(0, dtype=int)
        found |= set(clear[np.argsort(cost[clear], kind="stable")][:number].tolist())
    return sorted(found, key=lambda i: (cost[i], i))


def _worst_points(space: Space, least: float, rng: np.random.Generator) -> Iterator[Points]:
    """The simplest of many simple laws if some fail, the worst of them, and then what evolution
    finds in each part of the space.
    """
    points, cost = space.simple(SIMPLE, rng)
    batch = space.batch(points)
    scores = score(batch)
    for i in _clear((scores, score(batch, solid=True)), cost, least, FEW):
        yield points.at(i)
    yield points.at(int(scores.argmax()))
    for cube in space.cubes:
        for floor, solid in ((NOTHING, False), (AGAIN, True)):
            top, at = maximise(partial(_scored, space, floor, solid), cube, rng)
            yield space.points(at[:, None])
            if not top > CLEAR:
                break


def shown(st: LawStatement, w: Judged) -> dict[str, Any]:
    """A law with both sides, by names that a reader knows."""
    law = w.law
    sides = (w.small, w.big) if st.op[0] == "<" else (w.big, w.small)
    parameters = {str(s): plain(q) for s, q in law.parameters.items() if not isinstance(s, sp.Dummy)}
    parameters |= {str(s): _number(Values(st, law).number(f)) for s, f in st.named}
    name = str(st.size) if st.size else "n" if "n" not in parameters else "sample size"
    size = {name: law.size} if st.sized else {}
    return {
        **size,
        "atoms": ", ".join(str(a) for a in law.atoms),
        "weights": ", ".join(str(v) for v in law.weights),
        **parameters,
        "left": _number(sides[0]),
        "right": _number(sides[1]),
    }


def _number(v: sp.Expr) -> Any:
    if v.is_Rational and len(str(v)) <= DIGITS:
        return plain(Fraction(int(v.p), int(v.q)))
    return str(sp.N(v, 12))
