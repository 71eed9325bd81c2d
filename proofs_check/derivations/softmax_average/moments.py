"""Moments of one weight w = e^{a.Z} and of one weighted value, and the size of the limit R/S."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import cauchy_schwarz, chain, exp, sqrt
from numerics.derivations.kernel.rules import arithmetic, instantiate, limit
from numerics.derivations.kernel.sorts import Range, Sort
from numerics.derivations.kernel.terms import Function, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.softmax_average.softmax_average import (
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
)

unit = Variable("unit", range=Range(Fraction(0), Fraction(1), False, False))
#: Values of which no more is known than that their second moment is finite, as (15) has it.
f_2 = Function("f", (Sort.INDEX, Sort.TOKEN), Fraction(2))
F_2 = over(i, m, f_2(i, k) ** 2)
rho_2 = over(i, m, (mean(w * f_2(i, k)) / m0) ** 2)


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


@cache
def weight_at_least_one() -> Theorem:
    """E w >= 1: the tangent of e^x, and E a.Z >= 0 from the hypothesis at -t a, t -> 0."""
    above = calc(
        -mean(score),
        ("<=", (mean(exp(-t * score)) - 1) / t, show(-score, "<=", (exp(-t * score) - 1) / t)),
        ("<=", (exp((-t) ** 2 * a2 / 2) - 1) / t, moment(-t)),
    )
    step = eps / (1 + eps) / (1 + a2)
    small = show((exp(unit) - 1) / t, "<=", 2 * unit / t)
    small = instantiate(small, {t: step, unit: step**2 * a2 / 2})
    zero = limit(calc(chain(instantiate(above, {t: step}), small), ("<=", 0 + eps * 1)), eps, 0, 1)
    below = show(1 + mean(score), "<=", m0, show(1 + score, "<=", w))
    return arithmetic(1, "<=", m0, below, zero)


@cache
def weights() -> tuple[Theorem, Theorem]:
    """E w^2 <= e^{2 a2}, and E w^2|f|^2 <= e^{4 a2} K."""
    square = calc(
        mean(w**2 * F) ** 2,
        ("<=", mean(w**4) * mean(F**2), cauchy_schwarz("mean", (k,), w**2, F)),
        ("<=", exp(8 * a2) * K**2, show(mean(w**4), "<=", exp(8 * a2), moment(term(4)))),
    )
    second = show(q, "<=", exp(2 * a2), moment(term(2)))
    return second, show(mean(w**2 * F), "<=", exp(4 * a2) * K, square)


@cache
def by_two_moments() -> Theorem:
    """|R/S|^2 <= E w^2 E|f|^2, as E w >= 1, for values with two moments."""
    wf = mean(w * f_2(i, k))
    each = calc(
        wf**2 / m0**2,
        ("<=", wf**2, weight_at_least_one()),
        ("<=", q * mean(f_2(i, k) ** 2), cauchy_schwarz("mean", (k,), w, f_2(i, k))),
    )
    return show(rho_2, "<=", q * mean(F_2), each)


@cache
def limit_by_two_moments() -> Theorem:
    """rho = |R/S|^2 <= E w^2 E|f|^2, for values with four moments."""
    return show(rho, "<=", q * mean(F), instantiate(by_two_moments(), {f_2: ((i, k), f(i, k))}))


@cache
def size_of_the_limit() -> Theorem:
    """rho = |R/S|^2 <= e^{2 a2} K, from (15) of the paper."""
    return calc(limit_by_two_moments(), ("<=", exp(2 * a2) * K, weights()[0], mean_square()))


@cache
def mean_square() -> Theorem:
    """E|f|^2 <= K, by the Cauchy-Schwarz inequality."""
    return show(mean(F), "<=", K, cauchy_schwarz("mean", (k,), F, 1))


@proves("BB:LC.1.Q2", weighted_value_statements, part=(1, 2))
@cache
def weighted_value() -> tuple[Theorem, Theorem]:
    """E w^2|f|^2 <= sqrt(E w^4 E|f|^4) <= e^{4 a2} K."""
    most = sqrt(mean(w**4)) * sqrt(mean(F**2))
    return show(mean(w**2 * F), "<=", most, cauchy_schwarz("mean", (k,), w**2, F)), weights()[1]


@proves("BB:LC.1.15", length_statements, part=(1, 2))
@cache
def length_of_the_limit() -> tuple[Theorem, Theorem]:
    """|R/S| <= sqrt(E w^2 E|f|^2) <= e^{a2} sqrt(E|f|^2)."""
    first = show(sqrt(rho_2), "<=", sqrt(q) * sqrt(mean(F_2)), by_two_moments())
    return first, calc(first, ("<=", exp(a2) * sqrt(mean(F_2)), weights()[0]))
