"""Lengths of vectors, which are given by their coordinates."""

from __future__ import annotations

from functools import cache

from numerics.derivations.derived import N_, cauchy_schwarz, sqrt
from numerics.derivations.kernel.rules import instantiate
from numerics.derivations.kernel.sorts import Sort
from numerics.derivations.kernel.terms import Function, Term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.softmax_average.softmax_average import i, m, over

X, Y = (Function(name, (Sort.INDEX,)) for name in "XY")


def length(body: Term) -> Term:
    """The length of the vector with these coordinates i = 1, .., m."""
    return sqrt(over(i, m, body**2))


@cache
def triangle() -> Theorem:
    """|X + Y| <= |X| + |Y|, from (X.Y)^2 <= |X|^2 |Y|^2."""
    of_X, of_Y, product = (over(i, m, e) for e in (X(i) ** 2, Y(i) ** 2, X(i) * Y(i)))
    schwarz = cauchy_schwarz("coordinates", (i,), X(i), Y(i), (m,))
    cross = show(product, "<=", sqrt(of_X) * sqrt(of_Y), schwarz)
    square = calc(
        over(i, m, (X(i) + Y(i)) ** 2),
        ("==", of_X + 2 * product + of_Y),
        ("<=", (sqrt(of_X) + sqrt(of_Y)) ** 2, cross),
    )
    return show(length(X(i) + Y(i)), "<=", length(X(i)) + length(Y(i)), square)


def triangle_of(first: Term, second: Term) -> Theorem:
    """The triangle inequality for vectors with these coordinates."""
    return instantiate(triangle(), {X: ((i,), first), Y: ((i,), second)})


@cache
def scaled(c: Term, body: Term) -> Theorem:
    """|c x| = c |x| for a number c >= 0 and the vector with these coordinates."""
    line = show(sqrt(N_**2 * over(i, m, X(i) ** 2)), "==", N_ * length(X(i)))
    return instantiate(line, {N_: c, X: ((i,), body)})
