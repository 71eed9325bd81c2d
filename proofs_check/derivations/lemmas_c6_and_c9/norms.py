"""Lengths of vectors, which are given by their coordinates."""

from __future__ import annotations

from functools import cache

from numerics.derivations.derived import N_, cauchy_schwarz, chain, root, sqrt
from numerics.derivations.kernel.rules import arithmetic, equal, gcongr, instantiate
from numerics.derivations.kernel.sorts import Sort
from numerics.derivations.kernel.terms import Function, Term
from numerics.derivations.kernel.theorems import Theorem
from proofs_check.derivations.softmax_average.softmax_average import i, m, over

X, Y = (Function(name, (Sort.INDEX,)) for name in "XY")


def length(body: Term) -> Term:
    """The length of the vector with these coordinates i = 1, .., m."""
    return sqrt(over(i, m, body**2))


@cache
def triangle() -> Theorem:
    """|X + Y| <= |X| + |Y|, from (X.Y)^2 <= |X|^2 |Y|^2."""
    of_X, of_Y = (over(i, m, v(i) ** 2) for v in (X, Y))
    schwarz = chain(cauchy_schwarz("coordinates", (i,), X(i), Y(i), (m,)), of_X * of_Y)
    cross = root(schwarz, over(i, m, X(i) * Y(i)), sqrt(of_X) * sqrt(of_Y))
    parts = of_X + 2 * over(i, m, X(i) * Y(i)) + of_Y
    square = chain(
        over(i, m, (X(i) + Y(i)) ** 2), equal(over(i, m, (X(i) + Y(i)) ** 2), parts), gcongr(parts, cross)
    )
    square = chain(square, (sqrt(of_X) + sqrt(of_Y)) ** 2)
    return root(square, length(X(i) + Y(i)), length(X(i)) + length(Y(i)))


def triangle_of(first: Term, second: Term) -> Theorem:
    """The triangle inequality for vectors with these coordinates."""
    return instantiate(triangle(), {X: ((i,), first), Y: ((i,), second)})


@cache
def scaled() -> Theorem:
    """|c X| = c |X| for a number c >= 0."""
    return arithmetic(sqrt(N_**2 * over(i, m, X(i) ** 2)), "==", N_ * length(X(i)))
