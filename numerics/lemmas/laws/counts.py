"""One law on few atoms, exactly: every sample is a vector of counts, and what depends on the sample
is summed over them. Nothing here is rounded; what is not decided raises `Undecided`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from itertools import accumulate
from math import factorial, prod
from typing import Any

import sympy as sp

from numerics.lemmas.laws.statement import Event, Formula, LawStatement, Piece
from numerics.lemmas.laws.words import CdfGap, E, P, Var, of_sample
from numerics.provers.exact.exact_numbers import Undecided, put, sign
from numerics.rationals import sympy_rational

__all__ = ["Law", "Undefined", "Values", "count_vectors"]

FINE = {"<=": (-1, 0), "<": (-1,), ">=": (0, 1), ">": (1,), "==": (0,), "!=": (-1, 1)}


class Undefined(ValueError):
    """A side of the statement has no value under this law."""


@dataclass(frozen=True)
class Law:
    """Atoms with positive weights, the size of a sample, and the parameters by their symbols."""

    size: int
    atoms: tuple[Fraction, ...]
    weights: tuple[Fraction, ...]
    parameters: Mapping[sp.Symbol, Fraction]

    @classmethod
    def of(
        cls,
        size: int,
        atoms: Sequence[Fraction],
        weights: Sequence[Fraction],
        parameters: Mapping[sp.Symbol, Fraction],
    ) -> Law | None:
        """The law with equal atoms put together and without those of weight 0; nothing if the
        weights are none.
        """
        if sum(weights) != 1 or min(weights) < 0:
            return None
        kept = {a: sum((w for b, w in zip(atoms, weights) if a == b), Fraction(0)) for a in sorted(atoms)}
        kept = {a: w for a, w in kept.items() if w}
        return cls(size, tuple(kept), tuple(kept.values()), parameters)


def count_vectors(size: int, kinds: int) -> Iterator[tuple[int, ...]]:
    """All ways in which a sample falls on the atoms."""
    if kinds == 1:
        yield (size,)
        return
    for first in range(size + 1):
        yield from ((first, *rest) for rest in count_vectors(size - first, kinds - 1))


class Values:
    """The two sides and the hypotheses of a statement under one law."""

    def __init__(self, st: LawStatement, law: Law) -> None:
        self.st, self.law = st, law
        self.at: dict[sp.Expr, sp.Expr] = {s: sympy_rational(q) for s, q in law.parameters.items()}
        if st.size is not None:
            self.at[st.size] = sp.Integer(law.size)
        self.atoms = [sympy_rational(a) for a in law.atoms]
        self.weights = [sympy_rational(w) for w in law.weights]
        self.known: dict[sp.Symbol, Any] = {}

    @cached_property
    def samples(self) -> list[tuple[tuple[int, ...], sp.Rational]]:
        """Every vector of counts with its probability."""
        n = self.law.size
        return [
            (c, factorial(n) // prod(map(factorial, c)) * sp.Mul(*(w**i for w, i in zip(self.weights, c))))
            for c in count_vectors(n, len(self.atoms))
        ]

    def meets(self) -> bool:
        """Whether the law surely meets every hypothesis and lies in its range."""
        st, law = self.st, self.law
        inside = all(map(st.on.contains, law.atoms)) and all(
            side.contains(law.parameters[s]) for s, side in st.parameters
        )
        try:
            return inside and all(sign(self.number(g)) in FINE[kind] for g, kind in st.where)
        except (Undefined, Undecided):
            return False

    @property
    def rational(self) -> bool:
        """Whether no irrational number occurs in the sides and hypotheses."""
        return all(v.is_Rational for v in (*self.sides(), *(self.number(g) for g, _ in self.st.where)))

    def sides(self) -> tuple[sp.Expr, sp.Expr]:
        """The two sides, the smaller one first as it should be."""
        return self.number(self.st.small), self.number(self.st.big)

    def number(self, f: Formula) -> sp.Expr:
        """A formula without X and statistics."""
        return self.formula(f, {})

    def formula(self, f: Formula, here: Mapping[sp.Expr, sp.Expr], place: int = -1) -> sp.Expr:
        """A formula at a point: `here` says what X is, and `place` which sample it is."""
        values = {**self.at, **here}
        for w in f.words:
            v = self.word(w)
            values[w] = v[place] if self.st.pieces[w].space == "statistic" else v
        try:
            if not all(sign(put(g, values)) in FINE[kind] for g, kind in f.conditions):
                raise Undefined
            return put(f.value, values)
        except Undecided:
            raise
        except ValueError:  # it is not real, or divides by 0
            raise Undefined from None

    def word(self, w: sp.Symbol) -> Any:
        """The value of a word: one for each sample if it is a statistic."""
        if w not in self.known:
            piece = self.st.pieces[w]
            self.known[w] = self.statistic(piece) if piece.space == "statistic" else self.expected(piece)
        return self.known[w]

    def statistic(self, piece: Piece) -> list[sp.Expr]:
        """A statistic of every sample."""
        assert isinstance(piece.of, Formula)
        f, n = [self.formula(piece.of, {self.st.x: a}) for a in self.atoms], self.law.size
        order = cache(lambda: _sorted(f))

        def at(counts: tuple[int, ...]) -> sp.Expr:
            if piece.head is CdfGap:  # the atoms are in order, and both functions are steps at them
                steps = accumulate(sp.Rational(c, n) - w for c, w in zip(counts, self.weights))
                return max(map(abs, steps))
            total = lambda k: sp.Add(*(c * v**k for c, v in zip(counts, f)))
            rank = lambda r: [f[i] for i in order() for _ in range(counts[i])][r]
            return of_sample(piece.head, n, total, rank)

        return [at(c) for c, _ in self.samples]

    def expected(self, piece: Piece) -> sp.Expr:
        """A number of the law or of the sample."""
        if piece.space == "law":
            points = [({self.st.x: a}, -1, w) for a, w in zip(self.atoms, self.weights)]
        else:
            points = [({}, i, p) for i, (_, p) in enumerate(self.samples)]
        if piece.head is P:
            assert isinstance(piece.of, Event)
            return sum((p for here, i, p in points if self.happens(piece.of, here, i)), sp.S.Zero)
        assert isinstance(piece.of, Formula)
        f = [self.formula(piece.of, here, i) for here, i, _ in points]
        p = [p for *_, p in points]
        if piece.head in (E, Var):
            mean = sp.Add(*(q * v for q, v in zip(p, f)))
            return mean if piece.head is E else sp.Add(*(q * (v - mean) ** 2 for q, v in zip(p, f)))
        assert piece.level is not None
        level, reached = self.number(piece.level), sp.S.Zero
        if _sign(level) <= 0 or _sign(1 - level) < 0:
            raise Undefined
        for i in _sorted(f):
            reached += p[i]
            if _sign(reached - level) >= 0:
                return f[i]
        raise Undecided("the weights do not add up to 1; report the statement")

    def happens(self, e: Event, here: Mapping[sp.Expr, sp.Expr], place: int) -> bool:
        """Whether an event happens at a point; every part must be defined there."""
        if e.gap is not None:
            return _sign(self.formula(e.gap, here, place)) in FINE[e.kind]
        parts = [self.happens(p, here, place) for p in e.parts]
        return {"and": all(parts), "or": any(parts), "not": not any(parts), "true": True, "false": False}[
            e.kind
        ]


def _sign(number: sp.Expr) -> int:
    s = sign(number)
    if s is None:
        raise Undecided(f"the sign of {number} is not decided")
    return s


def _sorted(f: list[sp.Expr]) -> list[int]:
    """The places of numbers in their order, by exact comparisons."""
    out: list[int] = []
    for i, v in enumerate(f):
        j = len(out)
        while j and _sign(f[out[j - 1]] - v) > 0:
            j -= 1
        out.insert(j, i)
    return out
