"""Averages of the tokens with the softmax weights, over a prompt and over the law of a token, and
the sizes of the matrices made of them.
"""

from __future__ import annotations

from typing import NamedTuple

from numerics.derivations.derived import cauchy_schwarz, chain, exp, integrated
from numerics.derivations.kernel.binding import bind
from numerics.derivations.kernel.rules import arithmetic, gcongr
from numerics.derivations.kernel.terms import Term
from numerics.derivations.kernel.theorems import Theorem
from proofs_check.derivations.softmax_average.softmax_average import (
    S_L,
    d,
    i,
    j,
    k,
    m0,
    over,
    prompt,
    score,
    w,
    z,
)
from proofs_check.derivations.softmax_average.tilted import TOKEN

both = z(i, k) * z(j, k)
#: |z|^4, the square of the length of z z'.
F = TOKEN.square**2


class Average(NamedTuple):
    """What sums up over tokens, and the sum of the weights."""

    kind: str
    heads: tuple[Term, ...]
    normaliser: Term

    def __call__(self, body: Term) -> Term:
        return bind(self.kind, (k,), w * body, self.heads) / self.normaliser

    def jensen(self, G: Term) -> Theorem:
        """(E G)^2 <= E G^2, by the Cauchy-Schwarz inequality."""
        square = cauchy_schwarz(self.kind, (k,), exp(score / 2), exp(score / 2) * G, self.heads)
        return chain(
            self(G) ** 2,
            square.lhs / self.normaliser**2,
            gcongr(square.lhs / self.normaliser**2, square),
            self(G**2),
        )


PROMPT, LAW = Average("sum", (prompt,), S_L), Average("mean", (), m0)


def over_both(body: Term) -> Term:
    """The sum over the entries of a matrix."""
    return over(i, d, over(j, d, body))


def entries(thm: Theorem, lhs: Term | None = None, rhs: Term | None = None) -> Theorem:
    """The sum over the entries of a matrix of an inequality for each."""
    rows = integrated("coordinates", (j,), thm, heads=(d,))
    return integrated("coordinates", (i,), rows, lhs, rhs, (d,))


def second_moment(average: Average) -> Term:
    """Entry (i, j) of the average of z z'."""
    return average(both)


def product(average: Average) -> Term:
    """Entry (i, j) of m m' for the average m of z."""
    return average(z(i, k)) * average(z(j, k))


def covariance(average: Average) -> Term:
    """Entry (i, j) of the covariance."""
    return second_moment(average) - product(average)


def size_of_the_second_moment(average: Average) -> Theorem:
    """|M|^2 <= E|z|^4."""
    return entries(average.jensen(both), over_both(second_moment(average) ** 2), average(F))


def size_of_the_mean(average: Average) -> Theorem:
    """|m|^2 <= E|z|^2."""
    return integrated("coordinates", (i,), average.jensen(z(i, k)), None, average(TOKEN.square), (d,))


def size_of_the_product(average: Average) -> Theorem:
    """|m m'|^2 = |m|^4 <= E|z|^4."""
    size = size_of_the_mean(average)
    return chain(
        over_both(product(average) ** 2), gcongr(size.lhs**2, size), average.jensen(TOKEN.square), average(F)
    )


def size_of_the_covariance(average: Average) -> Theorem:
    """|C|^2 <= E|z|^4, as C_ij^2 <= C_ii C_jj and C_ii <= E z_i^2."""
    norm = average.normaliser
    part = lambda n: exp(score / 2) * (z(n, k) - average(z(n, k)))
    each = cauchy_schwarz(average.kind, (k,), part(i), part(j), average.heads)
    each = chain(covariance(average) ** 2, each.lhs / norm**2, gcongr(each.lhs / norm**2, each))
    trace = over(i, d, average((z(i, k) - average(z(i, k))) ** 2))
    square = entries(each, over_both(covariance(average) ** 2), trace**2)
    whole = average(TOKEN.square)
    less = chain(trace, arithmetic(whole - over(i, d, average(z(i, k)) ** 2), "<=", whole))
    return chain(square, gcongr(trace**2, less), average.jensen(TOKEN.square), average(F))
