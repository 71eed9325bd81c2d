"""Lemmas C.6 and C.9 with explicit constants: the error of z -> f(z) g for a function g of the
query, averaged over prompt and query.

The product f(z) g is any bilinear one with |f(z) g| <= |f(z)| |g| for every token and query. It is
a function of the token at each query, and all bounds at a fixed query are taken of this function:
|x g| <= |x| |g| need not hold for a difference x of values of f.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import NamedTuple

import sympy as sp

from numerics.derivations.derived import (
    cauchy_schwarz,
    chain,
    exp,
    integrated,
    interpolated,
    log,
    root,
    schwarz_of_bounds,
    sqrt,
)
from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.rules import arithmetic, assume, gcongr, instantiate, limit, trans
from numerics.derivations.kernel.sorts import POSITIVE, Sort, whole
from numerics.derivations.kernel.terms import Function, Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, from_sympy
from proofs_check.derivations.softmax_average import fourth_moment, second_moment
from proofs_check.derivations.softmax_average.query_average import (
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
from proofs_check.derivations.softmax_average.softmax_average import (
    S_L,
    a2,
    d,
    eps,
    expectation,
    f,
    i,
    k,
    m,
    m0,
    mean,
    over,
    prompt,
    score,
    sigma,
    sub_gaussian,
    total,
    w,
)
from proofs_check.derivations.softmax_average.tilted import (
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
rows, columns = (Variable(name, range=whole(1)) for name in ("q", "n"))
row, column = (Variable(name, Sort.INDEX) for name in ("row", "column"))
#: The function g of the query, with four moments, or eight for Lemma C.9.
g = {
    2: Function("gq", (Sort.INDEX, Sort.QUERY), Fraction(4)),
    4: Function("gq", (Sort.INDEX, Sort.QUERY), Fraction(8)),
}
#: The coefficients of the bilinear product.
B = Function("B", (Sort.INDEX, Sort.INDEX, Sort.INDEX))


def size_of_g(order: int) -> Term:
    """|g|^2 at a query, of the function that Lemma C.6 or C.9 takes."""
    return over(i, columns, g[order](i, query) ** 2)


def growth(p: int, of: Function = f, size: Variable = m) -> Theorem:
    """The hypothesis |f(z)| <= C_f |z|^p for every token."""
    square = over(i, size, of(i, k) ** 2)
    return assume(f"|f(z)| <= C_f |z|^{p}", square, "<=", C_f**2 * TOKEN.square**p, every=(k,))


class Of(NamedTuple):
    """The function f with four or eight moments, the product f(z) g at a query, its square |f g|^2,
    and the size |R g/S|^2 of its limit.
    """

    f: Function
    value: Term
    F: Term
    rho: Term


def _of(f: Function, order: int) -> Of:
    value = over(row, rows, over(column, columns, B(i, row, column) * f(row, k) * g[order](column, query)))
    return Of(f, value, over(i, m, value**2), over(i, m, (mean(w * value) / m0) ** 2))


OF = {2: _of(f, 2), 4: _of(fourth_moment.f, 4)}
RATE = {2: second_moment.theorem, 4: fourth_moment.theorem}
HULL = {2: second_moment.hull_bound, 4: fourth_moment.hull_bound}


def product(order: int) -> Theorem:
    """The hypothesis |f(z) g| <= |f(z)| |g| for every token and query."""
    of = OF[order]
    square = over(row, rows, of.f(row, k) ** 2)
    return assume("|f(z) g| <= |f(z)| |g|", of.F, "<=", square * size_of_g(order), every=(k, query))


def hypotheses(p: int, order: int) -> tuple[Theorem, Theorem]:
    """What is assumed of f and of the product."""
    return growth(p, OF[order].f, rows), product(order)


def of_the_product(thm: Theorem, order: int) -> Theorem:
    """The theorem for z -> f(z) g in place of its function f."""
    return instantiate(thm, {OF[order].f: ((i, k), OF[order].value)})


@cache
def size_of_the_product(p: int, order: int) -> Theorem:
    """|f(z) g|^2 <= C_f^2 |z|^{2p} |g|^2."""
    grows, times = hypotheses(p, order)
    return chain(times, gcongr(times.rhs, grows))


def _unit(p: int, order: int) -> Term:
    return C_f**2 * (4 * sigma**2) ** p * size_of_g(order)


@cache
def moment_of_the_product(p: int, order: int) -> Theorem:
    """sqrt(E|f g|^{2r}) <= (C_f^2 (4 sigma^2)^p |g|^2)^{r/2} (pr - 1 + h)^{pr/2} for the order r,
    which is 2 or 4.
    """
    F = OF[order].F
    square = gcongr(F**order, size_of_the_product(p, order))
    average = integrated(
        "mean", (k,), square, None, (C_f**2 * size_of_g(order)) ** order * mean(TOKEN.square ** (p * order))
    )
    value = _unit(p, order) ** (order // 2) * (p * order - 1 + h) ** (p * order // 2)
    average = chain(average, gcongr(average.rhs, moment_of_the_norm(p * order)), value**2)
    return root(average, sqrt(mean(F**order)), value)


@cache
def size_of_the_limit(p: int, order: int) -> Theorem:
    """|R g/S|^2 <= E w|f g|^2/E w <= C_f^2 (4 sigma^2)^p (p - 1 + h + a2)^p |g|^2."""
    of = OF[order]
    each = cauchy_schwarz("mean", (k,), exp(score / 2), exp(score / 2) * of.value)
    squares = integrated(
        "coordinates", (i,), each, over(i, m, mean(w * of.value) ** 2), m0 * mean(w * of.F), (m,)
    )
    ratio = chain(of.rho, squares.lhs / m0**2, gcongr(squares.lhs / m0**2, squares), mean(w * of.F) / m0)
    front = C_f**2 * size_of_g(order)
    larger = gcongr(w * of.F, size_of_the_product(p, order))
    larger = integrated("mean", (k,), larger, mean(w * of.F), front * mean(w * TOKEN.square**p))
    ratio = chain(ratio, gcongr(ratio.rhs, larger), front * (mean(w * TOKEN.square**p) / m0))
    tilted = chain(mean(w * TOKEN.square**p) / m0, tilted_moment(p))
    return chain(ratio, gcongr(ratio.rhs, tilted), _unit(p, order) * (p - 1 + h + a2) ** p)


@cache
def without_concentration(p: int, order: int) -> Theorem:
    """E|err|^r <= c (C_f^2 (4 sigma^2)^p |g|^2)^{r/2} ((q - 1 + ln L + h)^q + (p - 1 + h +
    a2)^{pr/2}) for the order r, with q = pr/2 and c = 2 or 8: R_L g/S_L and R g/S are averages.
    """
    of, q, power, c = OF[order], p * order // 2, order // 2, {2: 2, 4: 8}[order]
    front, tokens = (C_f**2 * size_of_g(order)) ** power, w * TOKEN.square**q
    of_F = of.F**power if power > 1 else of.F
    sums = integrated(
        "sum", (k,), gcongr(w * of_F, size_of_the_product(p, order)), None, front * total(tokens), (prompt,)
    )
    hull = of_the_product(HULL[order](), order)
    hull = trans(hull, gcongr(hull.rhs, sums, size_of_the_limit(p, order)))
    limit_ = (_unit(p, order) * (p - 1 + h + a2) ** p) ** power
    average = integrated(
        "prompt", (prompt,), hull, None, c * front * expectation(total(tokens) / S_L) + c * limit_
    )
    powers = chain(expectation(total(tokens) / S_L), average_of_powers(q))
    return chain(
        average,
        gcongr(average.rhs, powers),
        _unit(p, order) ** power * (c * (q - 1 + log(L) + h) ** q + c * (p - 1 + h + a2) ** q),
    )


def largest(p: int, number: int, shift: int, factor: int) -> Term:
    """number (shift + h)^p + factor ln(L)^p + factor a2^p."""
    return number * (shift + h) ** p + factor * log(L) ** p + factor * a2**p


def _fixed(p: int, order: int, front: Term, first: Term, both: Term, bracket: Term, x: Term) -> Theorem:
    """E|err|^r <= front |g|^r bracket e^{theta x} for the order r, from its bounds front |g|^r
    first e^x and front |g|^r both; as g may be 0, with |g|^r + eps in place of |g|^r, for eps -> 0.
    """
    G = size_of_g(order) ** (order // 2)
    M, larger = front * (G + eps) * bracket, arithmetic(G, "<=", G + eps)
    long, less = (arithmetic(part, "<=", bracket, hide=(log(L), h)) for part in (first, both))
    long, short = (
        chain(bound, form, gcongr(form, larger, less_), end)
        for bound, form, less_, end in (
            (with_concentration(p, order), front * G * first * exp(x), long, M * exp(x)),
            (without_concentration(p, order), front * G * both, less, M),
        )
    )
    value, rest = front * G * bracket * exp(theta * x), front * bracket * exp(theta * x)
    return limit(chain(interpolated(long, short, M, x, theta), value + eps * rest), eps, value, rest)


@cache
def with_concentration(p: int, order: int) -> Theorem:
    """E|err|^r <= C (C_f^2 (4 sigma^2)^p |g|^2)^{r/2} (pr - 1 + h)^{pr/2} e^x, where e^x is e^{4
    a2}/L and C = 50 for r = 2, or e^{16 a2}/L^2 and C = 8000 for r = 4: R1 and R2.
    """
    rate = of_the_product(RATE[order](), order)
    rate = trans(rate, gcongr(rate.rhs, moment_of_the_product(p, order)))
    C, x = {2: (50, 4 * a2 - log(L)), 4: (8000, 2 * (8 * a2 - log(L)))}[order]
    as_power = arithmetic(exp(order**2 * a2) / L ** (order // 2), "==", exp(x))
    form = C * _unit(p, order) ** (order // 2) * (p * order - 1 + h) ** (p * order // 2)
    return chain(rate, form * as_power.lhs, gcongr(form * as_power.lhs, as_power))


@cache
def fixed_c6(p: int) -> Theorem:
    """E|err|^2 <= C_f^2 (4 sigma^2)^p |g|^2 M e^{theta(4 a2 - ln L)} for every theta in [0, 1] and
    M = 75(2p - 1 + h)^p + 2p ln(L)^p + 2p a2^p.
    """
    first, both = 50 * (2 * p - 1 + h) ** p, 2 * (p - 1 + log(L) + h) ** p + 2 * (p - 1 + h + a2) ** p
    M = largest(p, 75, 2 * p - 1, 2 * p)
    return _fixed(p, 2, C_f**2 * (4 * sigma**2) ** p, first, both, M, 4 * a2 - log(L))


@cache
def fixed_c9() -> Theorem:
    """E|err|^4 <= 16 C_f^4 sigma^4 |g|^4 M e^{2 theta(8 a2 - ln L)} for |f(z)| <= C_f |z|, every
    theta in [0, 1] and M = 8000(3 + h)^2 + 16 ln(L)^2 + 16 a2^2.
    """
    first, both = 8000 * (3 + h) ** 2, 8 * (1 + log(L) + h) ** 2 + 8 * (h + a2) ** 2
    return _fixed(
        1, 4, C_f**4 * (4 * sigma**2) ** 2, first, both, largest(2, 8000, 3, 16), 2 * (8 * a2 - log(L))
    )


def over_the_query(
    fixed: Theorem, order: int, front: Term, rest: Term, factor: int, p: int, c: int, e: int
) -> Theorem:
    """The mean over the query of X is at most front sqrt(E|g|^{2r}) 2^{d/4} (rest + factor (4 kappa
    (d + 2p)/sqrt(e))^p) L^{-e theta} with r the order and theta = min(1, 1/(8 c kappa)).

    Premised is X <= front |g|^r (rest + factor a2^p) e^{theta e (c a2 - ln L)} at a fixed query.
    Since a2 is at most kappa |y|^2, the Cauchy-Schwarz inequality leaves the weight e^{|y|^2/4}.
    """
    n, G = QUERY.square, size_of_g(order) ** (order // 2)
    power = 1 / Op("max", (term(1), 8 * c * e * kappa))
    at = instantiate(instantiate(fixed, {theta: power}), at_the_query)
    size = gcongr(sigma**2 * norm_of_the_score().lhs, norm_of_the_score())
    form = lambda a: front * G * (rest + factor * a**p) * exp(power * (e * (c * a - log(L))))
    at = chain(at, form(size.lhs), gcongr(form(size.lhs), size))
    light = instantiate(arithmetic(c * e * kappa * power * size_, "<=", size_ / 8, hide=(kappa,)), {size_: n})
    length = exp(-power * e * log(L))
    split = front * G * (rest + factor * kappa**p * n**p) * exp(c * e * kappa * power * n) * length
    at = chain(at, split, gcongr(split, light))
    weights = (exp(n / 8), n**p * exp(n / 8))
    means = [QUERY.mean(G * v) for v in weights]
    average = integrated(
        "query", (query,), at, None, front * length * (rest * means[0] + factor * kappa**p * means[1])
    )
    growth_of_g = sqrt(QUERY.mean(G**2))
    value = exp(h / 2)
    last = value * (4 * (d + 2 * p) * exp(Fraction(-1, 2))) ** p
    first = chain(QUERY.mean(G**2), growth_of_g**2)
    moments = (
        chain(QUERY.mean(weights[0] ** 2), quarter(QUERY)),
        chain(QUERY.mean(weights[1] ** 2), weighted_moment(2 * p)),
    )
    bounds = [
        chain(
            mean_of,
            schwarz_of_bounds(
                "query", (query,), G, v, first, chain(moment, size_of**2), growth_of_g, size_of
            ),
        )
        for v, mean_of, moment, size_of in zip(weights, means, moments, (value, last), strict=True)
    ]
    average = chain(average, gcongr(average.rhs, *bounds))
    words = (arithmetic(length, "==", L ** (-e * power)), arithmetic(value, "==", 2 ** (d / 4)))
    return chain(average, gcongr(average.rhs, *words))


@cache
def lemma_c6(p: int) -> Theorem:
    """E|err|^2 over prompt and query, for |f(z)| <= C_f |z|^p."""
    rest = 75 * (2 * p - 1 + h) ** p + 2 * p * log(L) ** p
    return over_the_query(fixed_c6(p), 2, C_f**2 * (4 * sigma**2) ** p, rest, 2 * p, p, 4, 1)


@cache
def lemma_c9() -> Theorem:
    """E|err|^4 over prompt and query, for |f(z)| <= C_f |z|."""
    rest = 8000 * (3 + h) ** 2 + 16 * log(L) ** 2
    return over_the_query(fixed_c9(), 4, C_f**4 * (4 * sigma**2) ** 2, rest, 16, 2, 8, 2)


def statement_c6(p: int, c: int | Fraction = 1) -> Statement:
    """Lemma C.6 with our constants, from the bound of `theory`."""
    L_, s_, U_, C_, d_, g_ = sp.symbols("L sigma U C_f d g4", positive=True)
    bound = lemma_c6_average(L_, s_, U_, C_, d_, p, g_)
    return _statement(2, hypotheses(p, 2), bound, c, {L_: L, s_: sigma, U_: norm_U, C_: C_f, d_: d}, g_)


def statement_c9(c: int | Fraction = 1) -> Statement:
    """Lemma C.9 with our constants, from the bound of `theory`."""
    L_, s_, U_, C_, d_, g_ = sp.symbols("L sigma U C_f d g8", positive=True)
    bound = lemma_c9_average(L_, s_, U_, C_, d_, g_)
    return _statement(4, hypotheses(1, 4), bound, c, {L_: L, s_: sigma, U_: norm_U, C_: C_f, d_: d}, g_)


def _statement(
    order: int,
    of_f: tuple[Theorem, ...],
    bound: sp.Expr,
    c: int | Fraction,
    values: dict[sp.Symbol, Term],
    g_: sp.Symbol,
) -> Statement:
    """E|R_L g/S_L - R g/S|^r over prompt and query is at most c times the bound, for the order r,
    where R_L g is the sum of w f(z_k) g.
    """
    value = OF[order].value
    error = over(i, m, (total(w * value) / S_L - mean(w * value) / m0) ** 2) ** (order // 2)
    given = (sub_gaussian(), sub_gaussian_query(), operator_norm(U, norm_U, d), *of_f)
    right = Fraction(c) * from_sympy(bound, {**values, g_: sqrt(QUERY.mean(size_of_g(order) ** order))})
    left = QUERY.mean(instantiated(expectation(error), at_the_query))
    return Statement(left, "<=", right, frozenset().union(*(t.assumptions for t in given)))
