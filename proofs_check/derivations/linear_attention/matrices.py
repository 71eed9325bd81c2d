"""Products of matrices, entry by entry in every dimension d: a matrix is a function of two indices,
and a word is a product of matrices.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import prod
from typing import NamedTuple

from numerics.derivations.derived import chain
from numerics.derivations.kernel.binding import bind
from numerics.derivations.kernel.rules import arithmetic, assume, instantiate, integrate
from numerics.derivations.kernel.sorts import Sort, whole
from numerics.derivations.kernel.terms import Function, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.tactics import show

Matrix = Callable[[Variable, Variable], Term]
Word = tuple[Matrix, ...]
d = Variable("d", range=whole(1))
i, j, a, b = (Variable(name, Sort.INDEX) for name in "ijab")
_INNER = tuple(Variable(f"k{n}", Sort.INDEX) for n in range(8))


def matrix(name: str) -> Function:
    return Function(name, (Sort.INDEX, Sort.INDEX))


def over(names: tuple[Variable, ...], body: Term) -> Term:
    """The sum over indices, of which there may be none."""
    return bind("coordinates", names, body, (d,) * len(names)) if names else body


def entry(word: Word, row: Variable = i, column: Variable = j) -> Term:
    """The entry of a product of matrices."""
    inner = tuple(k for k in _INNER if k not in (row, column))[
        : len(word) - 1
    ]  # entries of entries capture nothing
    path = (row, *inner, column)
    return over(
        inner,
        prod((M(x, y) for M, x, y in zip(word[1:], path[1:], path[2:])), start=word[0](path[0], path[1])),
    )


def dot(X: Term, Y: Term) -> Term:
    """The sum of the products of entries (i, j)."""
    return over((i, j), X * Y)


class Law(NamedTuple):
    """A word that equals another one, entry (i, j) by entry."""

    old: Word
    new: Word
    shown: Theorem

    def within(self, left: Word = (), right: Word = ()) -> Law:
        """The law with factors on both sides."""
        row, column = (a if left else i), (b if right else j)
        law = instantiate(self.shown, {i: row, j: column}) if left or right else self.shown
        before = entry(left, i, a) if left else term(1)
        after = entry(right, b, j) if right else term(1)
        both = show(before * law.lhs * after, "==", before * law.rhs * after, law, before, after, law.rhs)
        names = (*((a,) if left else ()), *((b,) if right else ()))
        total = integrate("coordinates", names, both, (d,) * len(names)) if names else both
        old, new = (*left, *self.old, *right), (*left, *self.new, *right)
        return Law(old, new, chain(entry(old), total, entry(new)))

    def back(self) -> Law:
        """The law from right to left."""
        return Law(self.new, self.old, arithmetic(entry(self.new), "==", entry(self.old), self.shown))

    def then(self, other: Law) -> Law:
        """Two laws one after the other."""
        return Law(self.old, other.new, chain(self.shown, other.shown))


def law(name: str, old: Word, new: Word) -> Law:
    """A hypothesis on matrices."""
    return Law(old, new, assume(name, entry(old), "==", entry(new), every=(i, j)))


#: A symmetric matrix, its pseudo-inverse, and the projection S S^+ on its range.
S, G, H = matrix("S"), matrix("G"), matrix("H")
PENROSE = (
    law("H = S S^+", (H,), (S, G)),
    law("H = S^+ S", (H,), (G, S)),
    law("S S^+ S = S", (H, S), (S,)),
    law("S^+ S S^+ = S^+", (G, H), (G,)),
)
RANGE = frozenset().union(*(one.shown.assumptions for one in PENROSE))


@cache
def range_from_the_right() -> Law:
    """S H = S, as S S^+ S = S."""
    return PENROSE[1].within(left=(S,)).then(PENROSE[0].back().within(right=(S,))).then(PENROSE[2])
