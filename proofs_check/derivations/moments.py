"""Moments of one weight w = e^{a.Z} and of one weighted value, and the size of the limit R/S."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import cauchy_schwarz, chain, exp, integrated, root, sqrt
from numerics.derivations.rules import arithmetic, limit, replace, specialise
from numerics.derivations.sorts import Range, Sort
from numerics.derivations.statements import Statement
from numerics.derivations.terms import Function, Variable, term
from numerics.derivations.theorems import Theorem
from proofs_check.derivations.softmax_average import (
    F,
    K,
    a2,
    eps,
    f,
    i,
    k,
    m,
    m0,
    mean,
    moment,
    over,
    q,
    rho,
    score,
    sub_gaussian,
    t,
    w,
    x,
)

unit = Variable("unit", range=Range(Fraction(0), Fraction(1), False, False))
#: Values of which no more is known than that their second moment is finite, as (15) has it.
f_2 = Function("f", (Sort.INDEX, Sort.TOKEN), Fraction(2))
F_2 = over(i, m, f_2(i, k) ** 2)
rho_2 = over(i, m, (mean(w * f_2(i, k)) / m0) ** 2)


@cache
def weight_at_least_one() -> Theorem:
    """E w >= 1: the tangent of e^x, and E a.Z >= 0 from the hypothesis at -t a, t -> 0."""
    tangent = specialise(arithmetic(-x, "<=", (exp(-t * x) - 1) / t), {x: score})
    above = integrated("mean", (k,), tangent, -mean(score), (mean(exp(-t * score)) - 1) / t)
    above = chain(above, replace(above.rhs, moment(-t)))
    step = eps / (1 + eps) / (1 + a2)
    small = arithmetic((exp(unit) - 1) / t, "<=", 2 * unit / t)
    small = specialise(small, {t: step, unit: step**2 * a2 / 2})
    zero = limit(
        chain(specialise(above, {t: step}), small, arithmetic(small.rhs, "<=", 0 + eps * 1)), eps, 0, 1
    )
    below = integrated(
        "mean", (k,), specialise(arithmetic(1 + x, "<=", exp(x)), {x: score}), 1 + mean(score), m0
    )
    return arithmetic(1, "<=", m0, below, zero)


@cache
def weights() -> tuple[Theorem, Theorem]:
    """E w^2 <= e^{2 a2}, and E w^2|f|^2 <= e^{4 a2} K."""
    second = chain(q, moment(term(2)), exp(2 * a2))
    square = cauchy_schwarz("mean", (k,), w**2, F)
    fourth = chain(mean((w**2) ** 2), moment(term(4)), exp(8 * a2))
    square = chain(square, replace(square.rhs, chain(mean((w**2) ** 2), fourth)), exp(8 * a2) * K**2)
    return second, root(square, mean(w**2 * F), exp(4 * a2) * K)


@cache
def by_two_moments() -> Theorem:
    """|R/S|^2 <= E w^2 E|f|^2, as E w >= 1, for values with two moments."""
    each = cauchy_schwarz("mean", (k,), w, f_2(i, k))
    wf, ff = mean(w * f_2(i, k)), mean(f_2(i, k) ** 2)
    each = arithmetic(wf**2 / m0**2, "<=", q * ff, chain(each, q * ff), weight_at_least_one())
    return integrated("coordinates", (i,), each, rho_2, q * mean(F_2), (m,))


@cache
def limit_by_two_moments() -> Theorem:
    """rho = |R/S|^2 <= E w^2 E|f|^2, for values with four moments."""
    return chain(rho, specialise(by_two_moments(), {f_2: ((i, k), f(i, k))}), q * mean(F))


@cache
def size_of_the_limit() -> Theorem:
    """rho = |R/S|^2 <= e^{2 a2} K, from (15) of the paper."""
    return chain(limit_by_two_moments(), replace(q * mean(F), weights()[0], mean_square()))


@cache
def mean_square() -> Theorem:
    """E|f|^2 <= K, by the Cauchy-Schwarz inequality."""
    return root(chain(mean(F) ** 2, cauchy_schwarz("mean", (k,), F, 1), K**2), mean(F), K)


@cache
def weighted_value() -> tuple[Theorem, Theorem]:
    """E w^2|f|^2 <= sqrt(E w^4 E|f|^4) <= e^{4 a2} K."""
    square = cauchy_schwarz("mean", (k,), w**2, F)
    first = root(chain(square, mean(w**4) * mean(F**2)), mean(w**2 * F), sqrt(mean(w**4)) * sqrt(mean(F**2)))
    return first, weights()[1]


@cache
def length_of_the_limit() -> tuple[Theorem, Theorem]:
    """|R/S| <= sqrt(E w^2 E|f|^2) <= e^{a2} sqrt(E|f|^2)."""
    limit_squared = by_two_moments()
    first = root(limit_squared, sqrt(rho_2), sqrt(q) * sqrt(mean(F_2)))
    second = chain(limit_squared, replace(q * mean(F_2), weights()[0]))
    return first, root(second, sqrt(rho_2), exp(a2) * sqrt(mean(F_2)))


def weighted_value_statements(
    c: int | Fraction = 1, exponent: int | Fraction = 4
) -> tuple[Statement, Statement]:
    """E w^2|f|^2 <= c sqrt(E w^4 E|f|^4), and at most e^{exponent a2} K."""
    left, given = mean(w**2 * F), sub_gaussian().assumptions
    return (
        Statement(left, "<=", Fraction(c) * sqrt(mean(w**4) * mean(F**2)), given),
        Statement(left, "<=", exp(Fraction(exponent) * a2) * K, given),
    )


def length_statements(c: int | Fraction = 1, exponent: int | Fraction = 1) -> tuple[Statement, Statement]:
    """|R/S| <= c sqrt(E w^2 E|f|^2), and at most e^{exponent a2} sqrt(E|f|^2)."""
    left, given = sqrt(rho_2), sub_gaussian().assumptions
    return (
        Statement(left, "<=", Fraction(c) * sqrt(q * mean(F_2)), given),
        Statement(left, "<=", exp(Fraction(exponent) * a2) * sqrt(mean(F_2)), given),
    )
