"""Averages of the tokens with the softmax weights, over a prompt and over the law of a token, and
the sizes of the matrices made of them.
"""

from __future__ import annotations

from typing import NamedTuple

from numerics.derivations.derived import cauchy_schwarz, exp
from numerics.derivations.kernel.binding import bind
from numerics.derivations.kernel.terms import Term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.softmax_average import softmax_average as W
from proofs_check.derivations.softmax_average.softmax_average import d, i, j, k, over, score, z
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
        return bind(self.kind, (k,), W.w * body, self.heads) / self.normaliser


PROMPT, LAW = Average("sum", (W.prompt,), W.S_L), Average("mean", (), W.m0)


def jensen(average: Average, G: Term) -> Theorem:
    """(E G)^2 <= E G^2, by the Cauchy-Schwarz inequality."""
    half = exp(score / 2)
    square = cauchy_schwarz(average.kind, (k,), half, half * G, average.heads)
    return show(average(G) ** 2, "<=", average(G**2), square)


def over_both(body: Term) -> Term:
    """The sum over the entries of a matrix."""
    return over(i, d, over(j, d, body))


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
    return calc(
        over_both(second_moment(average) ** 2),
        ("<=", over_both(average(both**2)), jensen(average, both)),
        ("==", average(F)),
    )


def size_of_the_mean(average: Average) -> Theorem:
    """|m|^2 <= E|z|^2."""
    return show(over(i, d, average(z(i, k)) ** 2), "<=", average(TOKEN.square), jensen(average, z(i, k)))


def size_of_the_product(average: Average) -> Theorem:
    """|m m'|^2 = |m|^4 <= E|z|^4."""
    return calc(
        over_both(product(average) ** 2),
        ("==", over(i, d, average(z(i, k)) ** 2) ** 2),
        ("<=", average(TOKEN.square) ** 2, size_of_the_mean(average)),
        ("<=", average(F), jensen(average, TOKEN.square)),
    )


def size_of_the_covariance(average: Average) -> Theorem:
    """|C|^2 <= E|z|^4, as C_ij^2 <= C_ii C_jj and C_ii <= E z_i^2."""
    half, centred = exp(score / 2), lambda n: z(n, k) - average(z(n, k))
    square = cauchy_schwarz(average.kind, (k,), half * centred(i), half * centred(j), average.heads)
    trace, whole = over(i, d, average(centred(i) ** 2)), average(TOKEN.square)
    less = calc(trace, ("==", whole - over(i, d, average(z(i, k)) ** 2)), ("<=", whole))
    return calc(
        over_both(covariance(average) ** 2),
        ("==", over_both(square.lhs / average.normaliser**2)),
        ("<=", over_both(square.rhs / average.normaliser**2), square),
        ("==", trace**2),
        ("<=", whole**2, less),
        ("<=", average(F), jensen(average, TOKEN.square)),
    )
