"""R4 (a), (c) and Theorem A from tokens: L independent Gaussian tokens, their softmax weights at a
query, and the mean squared error of their weighted average.

Token l is factor_l xi with one Gaussian vector xi. Stein's lemma is cited, for the four functions
of xi that are integrated by parts; everything else is derived.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from numerics.derivations.derived import chain, exp
from numerics.derivations.kernel.binding import bind, instantiated
from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.rules import assume, equal, instantiate, integrate
from numerics.derivations.kernel.sorts import Sort
from numerics.derivations.kernel.terms import Function, Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.linear_attention.softmax_errors.gaussian_scores import Gamma, R, at_the_query, z
from proofs_check.derivations.softmax_average.gaussian_tokens import g, mean, n, rank, xi
from proofs_check.derivations.softmax_average.query_average import V
from proofs_check.derivations.softmax_average.softmax_average import d, i, j, m, over

l, k, h, b = (Variable(name, Sort.INDEX) for name in "lkhb")
alpha, beta, p_, y_ = (Function(name, (Sort.INDEX,)) for name in ("alpha", "beta", "p", "y"))


def delta(one: Variable, other: Variable) -> Term:
    """1 if both are one token, and 0 else: an index beyond L is none."""
    return Op("ind", (Function("same", (Sort.INDEX, Sort.INDEX))(one, other),))


def tokens(body: Term, *names: Variable) -> Term:
    """A sum over the tokens, l if nothing is said."""
    names = names or (l,)
    return bind("coordinates", names, body, (L,) * len(names))


def coordinates(body: Term) -> Term:
    """The sum over the coordinates of xi."""
    return over(n, rank, body)


independent = assume(
    "independent tokens of the covariance Gamma",
    coordinates(R(l, i, n) * R(k, j, n)),
    "==",
    delta(l, k) * Gamma(i, j),
    every=(l, k, i, j),
)
picks = assume(
    "delta_lk is 1 if k = l, and 0 else",
    tokens(delta(l, k) * alpha(k), k),
    "==",
    delta(l, l) * alpha(l),
    every=(l, alpha),
)
ones = assume(
    "delta_ll is 1 for a token", tokens(delta(l, l) * alpha(l)), "==", tokens(alpha(l)), every=(alpha,)
)
symmetric = assume("delta is symmetric", delta(l, k), "==", delta(k, l), every=(l, k))
GIVEN = (independent, picks, ones, symmetric)


def token(coordinate: Variable, of: Variable = l) -> Term:
    return coordinates(R(of, coordinate, n) * xi)


def along_the_query(of: Variable) -> Term:
    """The coefficients of the score of a token."""
    return over(j, d, at_the_query(j) * R(of, j, n))


def in_the_row(of: Variable) -> Term:
    """Those of row i of V."""
    return over(j, d, V(i, j) * R(of, j, n))


def score(of: Variable = l) -> Term:
    return over(j, d, at_the_query(j) * token(j, of))


def value(of: Variable = l) -> Term:
    return over(j, d, V(i, j) * token(j, of))


def weight(of: Variable = l) -> Term:
    return exp(score(of)) / tokens(exp(score()))


def power_sum(power: int) -> Term:
    return tokens(weight() ** power)


output = tokens(weight() * value())


#: The coefficients of forms of a token, in xi and in its coordinates.
Form = tuple[Callable[[Variable], Term], Callable[[Variable], Term]]
SCORE: Form = (along_the_query, at_the_query)
VALUE: Form = (in_the_row, lambda c: V(i, c))


def of_one_token(first: Form, second: Form) -> Term:
    """The covariance of two forms of one token."""
    return over(j, d, over(b, d, first[1](j) * Gamma(j, b) * second[1](b)))


#: s = z'U'Gamma U z, a coordinate of V Gamma U z, and a diagonal entry of V Gamma V'.
s, limit, spread = of_one_token(SCORE, SCORE), of_one_token(VALUE, SCORE), of_one_token(VALUE, VALUE)


@cache
def covariance(first: Form, second: Form) -> Theorem:
    """Forms of different tokens are uncorrelated."""
    (one, left), (other, right) = first, second
    each, factor = instantiate(independent, {i: j, j: b}), left(j) * right(b)
    each = show(factor * each.lhs, "==", factor * each.rhs, each, factor, each.lhs, each.rhs)
    total = integrate("coordinates", (j, b), each, (d, d))
    return chain(coordinates(one(l) * other(k)), total, delta(l, k) * of_one_token(first, second))


@cache
def single(first: Form, second: Form) -> Theorem:
    """The sum over l of alpha_l times the covariance of two forms of token l."""
    cov, number = instantiate(covariance(first, second), {k: l}), of_one_token(first, second)
    each = show(alpha(l) * cov.lhs, "==", alpha(l) * cov.rhs, cov, cov.lhs, cov.rhs)
    return calc(
        integrate("coordinates", (l,), each, (L,)),
        ("==", number * ones.lhs),
        ("==", number * ones.rhs, ones, number),
    )


@cache
def double(first: Form, second: Form) -> Theorem:
    """The sum over l and k of alpha_l beta_k times the covariance of forms of tokens l and k."""
    cov, number = covariance(first, second), of_one_token(first, second)
    factor, picked = alpha(l) * beta(k), instantiate(picks, {alpha: ((k,), beta(k))})
    each = show(factor * cov.lhs, "==", factor * cov.rhs, cov, cov.lhs, cov.rhs)
    return calc(
        integrate("coordinates", (l, k), each, (L, L)),
        ("==", number * tokens(alpha(l) * picked.lhs)),
        ("==", number * tokens(delta(l, l) * (alpha(l) * beta(l))), picked),
        ("==", number * tokens(alpha(l) * beta(l)), instantiate(ones, {alpha: ((l,), alpha(l) * beta(l))})),
    )


class Parts(NamedTuple):
    """A function F_l of xi that Stein's lemma is cited for, and the sum over l and n of the
    coefficient of xi_n in the value of token l, times the derivative of F_l.
    """

    factor: Term
    divergence: Term


def power(of: int) -> Term:
    return tokens(p_(l) ** of)


def moved(of: Variable) -> Term:
    """p_of times this is the derivative of the weight p_of in xi_n."""
    return along_the_query(of) - tokens(p_(h) * along_the_query(h), h)


sum_of_values = tokens(p_(l) * y_(l))


def by_parts(factor: Term, slope: Term) -> Parts:
    return Parts(factor, tokens(coordinates(in_the_row(l) * slope)))


INTEGRANDS = {
    "p_l": by_parts(p_(l), p_(l) * moved(l)),
    "p_l^2": by_parts(p_(l) ** 2, 2 * p_(l) ** 2 * moved(l)),
    "p_l sum_k p_k^2": by_parts(
        p_(l) * power(2), p_(l) * moved(l) * power(2) + p_(l) * tokens(2 * p_(k) ** 2 * moved(k), k)
    ),
    "p_l T": by_parts(
        p_(l) * sum_of_values,
        p_(l) * moved(l) * sum_of_values
        + p_(l) * (tokens(p_(k) * moved(k) * y_(k), k) + tokens(p_(k) * in_the_row(k), k)),
    ),
}


@cache
def contracted(name: str) -> Theorem:
    """The divergence for any numbers p and y, in sums over tokens."""
    own = lambda a: instantiate(single(VALUE, SCORE), {alpha: ((l,), a)})
    pair = lambda a, c, form=SCORE: instantiate(double(VALUE, form), {alpha: ((l,), a), beta: ((l,), c)})
    p, y, T, two, one = p_(l), y_(l), sum_of_values, power(2), term(1)
    used: list[tuple[Term, Theorem]] = {
        "p_l": [(one, own(p)), (-one, pair(p, p))],
        "p_l^2": [(2 * one, own(p**2)), (-2 * one, pair(p**2, p))],
        "p_l sum_k p_k^2": [(two, own(p)), (-3 * two, pair(p, p)), (2 * one, pair(p, p**2))],
        "p_l T": [(T, own(p)), (-2 * T, pair(p, p)), (one, pair(p, p * y)), (one, pair(p, p, VALUE))],
    }[name]
    left, right = (sum((c * getattr(thm, side) for c, thm in used), term(0)) for side in ("lhs", "rhs"))
    same = show(left, "==", right, *(thm for _, thm in used), *(thm.lhs for _, thm in used), limit, spread)
    return chain(equal(INTEGRANDS[name].divergence, left), same)


AT_THE_WEIGHTS = {p_: ((l,), weight()), y_: ((l,), value())}


def at_the_weights(e: Term) -> Term:
    return instantiated(e, AT_THE_WEIGHTS)


def stein(name: str) -> Theorem:
    """E xi.G = E div G for G_n, the sum over l of F_l times the coefficient of xi_n in the value of
    token l.
    """
    F, divergence = map(at_the_weights, INTEGRANDS[name])
    left = mean(coordinates(xi * tokens(F * in_the_row(l))))
    return assume(
        f"Stein (1981): E xi.G = E div G for F_l = {name}",
        left,
        "==",
        mean(divergence),
        every=(i, z, V),
        cited=True,
    )


STEIN = tuple(map(stein, INTEGRANDS))
P2, P3, Q = mean(power_sum(2)), mean(power_sum(3)), mean(power_sum(2) ** 2)
squares = tokens(weight() ** 2 * value())


@cache
def moment(name: str) -> Theorem:
    """The mean of the sum over l of F_l times the value of token l."""
    thm = instantiate(contracted(name), AT_THE_WEIGHTS)
    target = {
        "p_l": limit * (1 - P2),
        "p_l^2": 2 * limit * (P2 - P3),
        "p_l sum_k p_k^2": limit * (P2 + 2 * P3 - 3 * Q),
        "p_l T": limit * mean(output)
        - 2 * limit * mean(power_sum(2) * output)
        + limit * mean(squares)
        + spread * P2,
    }[name]
    left = mean(tokens(at_the_weights(INTEGRANDS[name].factor) * value()))
    return chain(left, stein(name), integrate("normal", (g,), thm), target)


@cache
def error_of_a_row() -> Theorem:
    """The mean squared error of one coordinate of the output."""
    first, mixed, square, rest = map(mean, (output, power_sum(2) * output, output**2, squares))
    names = zip((first, rest, mixed, square), INTEGRANDS, strict=True)
    moments = [chain(e, moment(name)) for e, name in names]
    letters = limit, spread, first, mixed, square, rest, P2, P3, Q
    return calc(
        mean((output - limit) ** 2),
        ("==", square - 2 * limit * first + limit**2),
        ("==", P2 * spread + (P2 - 6 * P3 + 6 * Q) * limit**2, *moments, *letters),
    )


def rows(body: Term) -> Term:
    return over(i, m, body)


@cache
def error() -> Theorem:
    """R4 (c): the sum over the rows of V."""
    t, q = rows(spread), rows(limit**2)
    each = integrate("coordinates", (i,), error_of_a_row(), (m,))
    return show(mean(rows((output - limit) ** 2)), "==", P2 * t + (P2 - 6 * P3 + 6 * Q) * q, each)
