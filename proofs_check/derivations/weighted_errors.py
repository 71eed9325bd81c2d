"""Lemmas C.6 and C.9 with explicit constants: errors times a function g of the query, averaged over
prompt and query.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import NamedTuple

import sympy as sp

from numerics.derivations.binding import instantiated
from numerics.derivations.derived import cauchy_schwarz, chain, exp, integrated, interpolated, log, root, schwarz_of_bounds, sqrt
from numerics.derivations.normal_form import LENGTH as L
from numerics.derivations.rules import arithmetic, assume, replace, specialise
from numerics.derivations.sorts import POSITIVE, Sort, whole
from numerics.derivations.statements import Statement, from_sympy
from numerics.derivations.terms import Function, Op, Term, Variable, term
from numerics.derivations.theorems import Theorem
from proofs_check.derivations import fourth_moment, second_moment
from proofs_check.derivations.query_average import (
    U,
    at_the_query,
    average_of_powers,
    kappa,
    norm_of_the_score,
    norm_U,
    operator_norm,
    size_,
    theta,
)
from proofs_check.derivations.softmax_average import (
    S_L,
    F,
    K,
    a2,
    d,
    error_squared,
    expectation,
    f,
    i,
    k,
    m,
    m0,
    mean,
    over,
    prompt,
    rho,
    score,
    sigma,
    sub_gaussian,
    total,
    w,
)
from proofs_check.derivations.tilted import (
    QUERY,
    TOKEN,
    h,
    moment_of_the_norm,
    quarter,
    query,
    sub_gaussian_query,
    tilted_moment,
    weighted_moment,
)
from theory.bounds.query_average import lemma_c6_average, lemma_c9_average

C_f = Variable("C_f", range=POSITIVE)
columns = Variable("n", range=whole(1))
#: The function g of the query, with four moments, or eight for Lemma C.9.
g = {2: Function("gq", (Sort.INDEX, Sort.QUERY), Fraction(4)), 4: Function("gq", (Sort.INDEX, Sort.QUERY), Fraction(8))}


def size_of_g(order: int) -> Term:
    """|g|^2 at a query, of the function that Lemma C.6 or C.9 takes."""
    return over(i, columns, g[order](i, query) ** 2)


def growth(p: int, of: Function = f) -> Theorem:
    """The hypothesis |f(z)| <= C_f |z|^p for every token."""
    square = over(i, m, of(i, k) ** 2)
    return assume(f"|f(z)| <= C_f |z|^{p}", square, "<=", C_f**2 * TOKEN.square**p, every=(k,))


def _unit(p: int) -> Term:
    return C_f**2 * (4 * sigma**2) ** p


@cache
def moment_of_f(p: int) -> Theorem:
    """K <= C_f^2 (4 sigma^2)^p (2p - 1 + h)^p."""
    square = replace(F**2, growth(p))
    average = integrated("mean", (k,), square, None, C_f**4 * mean(TOKEN.square ** (2 * p)))
    value = _unit(p) * (2 * p - 1 + h) ** p
    average = chain(average, replace(average.rhs, moment_of_the_norm(2 * p)), value**2)
    return chain(K, root(average, sqrt(mean(F**2)), value))


class Of(NamedTuple):
    """A function with four or eight moments, and what is made of it."""

    f: Function
    F: Term
    rho: Term


OF = {2: Of(f, F, rho), 4: Of(fourth_moment.f, fourth_moment.F, fourth_moment.rho)}


@cache
def size_of_the_limit(p: int, order: int = 2) -> Theorem:
    """|R/S|^2 <= E w|f|^2/E w <= C_f^2 (4 sigma^2)^p (p - 1 + h + a2)^p."""
    f, F, rho = OF[order]
    each = cauchy_schwarz("mean", (k,), exp(score / 2), exp(score / 2) * f(i, k))
    squares = integrated("coordinates", (i,), each, over(i, m, mean(w * f(i, k)) ** 2), m0 * mean(w * F), (m,))
    ratio = chain(rho, squares.lhs / m0**2, replace(squares.lhs / m0**2, squares), mean(w * F) / m0)
    larger = integrated("mean", (k,), replace(w * F, growth(p, f)), mean(w * F), C_f**2 * mean(w * TOKEN.square**p))
    ratio = chain(ratio, replace(ratio.rhs, larger), C_f**2 * (mean(w * TOKEN.square**p) / m0))
    tilted = chain(mean(w * TOKEN.square**p) / m0, tilted_moment(p))
    return chain(ratio, replace(ratio.rhs, tilted), _unit(p) * (p - 1 + h + a2) ** p)


@cache
def average_of_f(p: int, order: int = 2) -> Theorem:
    """E[sum w|f|^r/S_L] <= (C_f^2 (4 sigma^2)^p)^{r/2} (q - 1 + ln L + h)^q for q = p r/2, where r
    is the order 2 or 4.
    """
    (f, F, _), power = OF[order], order // 2
    q = p * power
    point = chain(w * F**power, replace(w * F**power, growth(p, f)), C_f**order * (w * TOKEN.square**q))
    sums = integrated("sum", (k,), point, total(w * F**power), C_f**order * total(w * TOKEN.square**q), (prompt,))
    ratio = chain(replace(sums.lhs / S_L, sums), C_f**order * (total(w * TOKEN.square**q) / S_L))
    average = integrated("prompt", (prompt,), ratio, None, C_f**order * expectation(total(w * TOKEN.square**q) / S_L))
    powers = chain(expectation(total(w * TOKEN.square**q) / S_L), average_of_powers(q))
    return chain(average, replace(average.rhs, powers), _unit(p) ** power * (q - 1 + log(L) + h) ** q)


def largest(p: int, number: int, shift: int, factor: int) -> Term:
    """number (shift + h)^p + factor ln(L)^p + factor a2^p."""
    return number * (shift + h) ** p + factor * log(L) ** p + factor * a2**p


def _fixed(r: Theorem, short: Theorem, unit: Term, first: Term, both: Term, bracket: Term, x: Term) -> Theorem:
    """X <= unit bracket e^{theta x} from X <= unit first e^x and X <= unit both."""
    M = unit * bracket
    long = chain(r, replace(r.rhs, arithmetic(first, "<=", bracket)), M * exp(x))
    less = arithmetic(both, "<=", bracket, hide=(log(L),))
    short = chain(short, unit * both, replace(unit * both, less))
    return interpolated(long, short, M, x, theta)


@cache
def fixed_c6(p: int) -> Theorem:
    """E|err|^2 <= C_f^2 (4 sigma^2)^p M e^{theta(4 a2 - ln L)} for every theta in [0, 1] and M =
    75(2p - 1 + h)^p + 2p ln(L)^p + 2p a2^p.
    """
    x, first = 4 * a2 - log(L), 50 * (2 * p - 1 + h) ** p
    r1 = chain(second_moment.theorem(), replace(second_moment.theorem().rhs, moment_of_f(p)))
    r1 = chain(r1, _unit(p) * first * (exp(4 * a2) / L))
    r1 = chain(r1, replace(r1.rhs, arithmetic(exp(4 * a2) / L, "==", exp(x))))
    hull = chain(second_moment.hull_bound(), 2 * (total(w * F) / S_L) + 2 * rho)
    short = integrated("prompt", (prompt,), hull, expectation(error_squared), 2 * expectation(total(w * F) / S_L) + 2 * rho)
    average = chain(expectation(total(w * F) / S_L), average_of_f(p))
    short = chain(short, replace(short.rhs, average, size_of_the_limit(p)))
    both = 2 * (p - 1 + log(L) + h) ** p + 2 * (p - 1 + h + a2) ** p
    return _fixed(r1, short, _unit(p), first, both, largest(p, 75, 2 * p - 1, 2 * p), x)


@cache
def fixed_c9() -> Theorem:
    """E|err|^4 <= 16 C_f^4 sigma^4 M e^{2 theta(8 a2 - ln L)} for |f(z)| <= C_f |z|, every theta in
    [0, 1] and M = 8000(3 + h)^2 + 16 ln(L)^2 + 16 a2^2.
    """
    (f, F, rho), x, first, unit = OF[4], 2 * (8 * a2 - log(L)), 8000 * (3 + h) ** 2, _unit(1) ** 2
    average = integrated("mean", (k,), replace(F**4, growth(1, f)), None, C_f**8 * mean(TOKEN.square**4))
    value = unit * (3 + h) ** 2
    average = chain(average, replace(average.rhs, moment_of_the_norm(4)), value**2)
    size = chain(fourth_moment.K8, root(average, sqrt(mean(F**4)), value))
    r2 = chain(fourth_moment.theorem(), replace(fourth_moment.theorem().rhs, size), unit * first * (exp(16 * a2) / L**2))
    r2 = chain(r2, replace(r2.rhs, arithmetic(exp(16 * a2) / L**2, "==", exp(x))))
    hull = fourth_moment.hull_bound()
    short = integrated("prompt", (prompt,), hull, r2.lhs, 8 * expectation(total(w * F**2) / S_L) + 8 * rho**2)
    squared = replace(rho**2, size_of_the_limit(1, 4))
    short = chain(short, replace(short.rhs, average_of_f(1, 4), squared))
    both = 8 * (1 + log(L) + h) ** 2 + 8 * (h + a2) ** 2
    return _fixed(r2, short, unit, first, both, largest(2, 8000, 3, 16), x)


def over_the_query(fixed: Theorem, order: int, front: Term, rest: Term, factor: int, p: int, c: int, e: int) -> Theorem:
    """The mean over the query of |g|^r X is at most front sqrt(E|g|^{2r}) 2^{d/4} (rest + factor (4
    kappa (d + 2p)/sqrt(e))^p) L^{-e theta} with r the order and theta = min(1, 1/(8 c kappa)).

    Premised is X <= front (rest + factor a2^p) e^{theta e (c a2 - ln L)} at a fixed query. Since a2
    is at most kappa |y|^2, the Cauchy-Schwarz inequality leaves the weight e^{|y|^2/4}.
    """
    n, G = QUERY.square, size_of_g(order) ** (order // 2)
    power = 1 / Op("max", (term(1), 8 * c * e * kappa))
    at = specialise(specialise(fixed, {theta: power}), at_the_query)
    size = replace(sigma**2 * norm_of_the_score().lhs, norm_of_the_score())
    form = lambda a: front * (rest + factor * a**p) * exp(power * (e * (c * a - log(L))))
    at = chain(at, form(size.lhs), replace(form(size.lhs), size))
    light = specialise(arithmetic(c * e * kappa * power * size_, "<=", size_ / 8), {size_: n})
    length = exp(-power * e * log(L))
    split = front * (rest + factor * kappa**p * n**p) * exp(c * e * kappa * power * n) * length
    at = chain(at, split, replace(split, light))
    point = chain(replace(G * at.lhs, at))
    weights = (exp(n / 8), n**p * exp(n / 8))
    means = [QUERY.mean(G * v) for v in weights]
    average = integrated("query", (query,), point, None, front * length * (rest * means[0] + factor * kappa**p * means[1]))
    growth_of_g = sqrt(QUERY.mean(G**2))
    value = exp(h / 2)
    last = value * (4 * (d + 2 * p) * exp(Fraction(-1, 2))) ** p
    first = chain(QUERY.mean(G**2), growth_of_g**2)
    moments = (chain(QUERY.mean(weights[0] ** 2), quarter(QUERY)), chain(QUERY.mean(weights[1] ** 2), weighted_moment(2 * p)))
    bounds = [
        chain(mean_of, schwarz_of_bounds("query", (query,), G, v, first, chain(moment, size_of**2), growth_of_g, size_of))
        for v, mean_of, moment, size_of in zip(weights, means, moments, (value, last), strict=True)
    ]
    average = chain(average, replace(average.rhs, *bounds))
    words = (arithmetic(length, "==", L ** (-e * power)), arithmetic(value, "==", 2 ** (d / 4)))
    return chain(average, replace(average.rhs, *words))


@cache
def lemma_c6(p: int) -> Theorem:
    """E|err|^2|g|^2 over prompt and query, for |f(z)| <= C_f |z|^p."""
    rest = 75 * (2 * p - 1 + h) ** p + 2 * p * log(L) ** p
    return over_the_query(fixed_c6(p), 2, _unit(p), rest, 2 * p, p, 4, 1)


@cache
def lemma_c9() -> Theorem:
    """E|err|^4|g|^4 over prompt and query, for |f(z)| <= C_f |z|."""
    rest = 8000 * (3 + h) ** 2 + 16 * log(L) ** 2
    return over_the_query(fixed_c9(), 4, _unit(1) ** 2, rest, 16, 2, 8, 2)


def statement_c6(p: int, c: int | Fraction = 1) -> Statement:
    """Lemma C.6 with our constants, from the bound of `theory`."""
    L_, s_, U_, C_, d_, g_ = sp.symbols("L sigma U C_f d g4", positive=True)
    bound = lemma_c6_average(L_, s_, U_, C_, d_, p, g_)
    return _statement(expectation(error_squared), 2, growth(p), bound, c, {L_: L, s_: sigma, U_: norm_U, C_: C_f, d_: d}, g_)


def statement_c9(c: int | Fraction = 1) -> Statement:
    """Lemma C.9 with our constants, from the bound of `theory`."""
    L_, s_, U_, C_, d_, g_ = sp.symbols("L sigma U C_f d g8", positive=True)
    bound = lemma_c9_average(L_, s_, U_, C_, d_, g_)
    left = expectation(fourth_moment.error_squared**2)
    return _statement(left, 4, growth(1, fourth_moment.f), bound, c, {L_: L, s_: sigma, U_: norm_U, C_: C_f, d_: d}, g_)


def _statement(
    X: Term, order: int, of_f: Theorem, bound: sp.Expr, c: int | Fraction, values: dict[sp.Symbol, Term], g_: sp.Symbol
) -> Statement:
    G = size_of_g(order) ** (order // 2)
    given = (sub_gaussian(), sub_gaussian_query(), operator_norm(U, norm_U, d), of_f)
    right = Fraction(c) * from_sympy(bound, {**values, g_: sqrt(QUERY.mean(G**2))})
    left = QUERY.mean(G * instantiated(X, at_the_query))
    return Statement(left, "<=", right, frozenset().union(*(t.assumptions for t in given)))
