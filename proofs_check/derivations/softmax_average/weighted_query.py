"""The weighted moments E |z|^{2j} e^{lambda |z|^2} of a sub-Gaussian query, for every real j >= 0
and every lambda in [0, 1/2), which is u/(2 (1 + u)) with u >= 0.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import D_, chain, exp, integrated, log
from numerics.derivations.kernel.binding import bind
from numerics.derivations.kernel.rules import arithmetic, gaussian, gcongr, instantiate, limit
from numerics.derivations.kernel.sorts import POSITIVE
from numerics.derivations.kernel.terms import GAUSSIAN, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement
from proofs_check.derivations.softmax_average.softmax_average import d, j, over
from proofs_check.derivations.softmax_average.tilted import (
    QUERY,
    g,
    part_,
    query,
    sub_gaussian_query,
    u,
    without_weight,
)

power, least, C_, M_ = (Variable(name, range=POSITIVE) for name in ("J", "s", "C_", "M_"))
#: lambda and 1 - 2 lambda.
weight, rest = u / (1 + u) / 2, 1 / (1 + u)


def statements(c: int | Fraction = 1, half: Fraction = Fraction(1, 2)) -> tuple[Statement, ...]:
    """E e^{lambda |z|^2} <= c r^{-d/2} for r = 1 - 2 lambda; equality with r^{-half d} for a
    standard Gaussian query; and E |z|^{2j} e^{lambda |z|^2} <= c r^{-d/2} (2 (d + j)/(r sqrt(e)))^j
    for j > 0.
    """
    n, given, front = QUERY.square, sub_gaussian_query().assumptions, rest ** (-d / 2)
    normal = bind("normal", (g,), exp(weight * over(j, d, GAUSSIAN(j, g) ** 2)))
    bound = Fraction(c) * front * (2 * (d + power) / (rest * exp(Fraction(1, 2)))) ** power
    return (
        Statement(QUERY.mean(exp(weight * n)), "<=", Fraction(c) * front, given),
        Statement(normal, "==", rest ** (-Fraction(half) * d)),
        Statement(QUERY.mean(n**power * exp(weight * n)), "<=", bound, given),
    )


@cache
def exponential() -> Theorem:
    """E e^{lambda |z|^2} <= r^{-d/2}."""
    return chain(without_weight(QUERY), arithmetic(exp(d / 2 * log(1 + u)), "==", rest ** (-d / 2)))


@cache
def of_a_gaussian_query() -> Theorem:
    """E e^{lambda |xi|^2} = r^{-d/2}."""
    same = gaussian(g, j, d, term(0), arithmetic(u / (1 + u) + rest, "==", 1))
    return chain(same, arithmetic(exp(-(d / 2) * log(rest)), "==", rest ** (-d / 2)))


@cache
def power_below_an_exponential() -> Theorem:
    """n^j <= (1 + delta) C^j e^{-j} e^{j n/C} for delta > 0, from ln M <= M/C + ln C - 1 at M = n +
    eta, where e^{j eta/C} = 1 + delta.
    """
    tangent = arithmetic(log(M_), "<=", log(C_) + M_ / C_ - 1)
    line = chain(arithmetic(M_**power, "==", exp(power * log(M_))), gcongr(exp(power * log(M_)), tangent))
    line = chain(line, arithmetic(line.rhs, "==", C_**power * exp(-power) * exp(power / C_ * M_)))
    line = instantiate(line, {M_: part_ + least})
    line = chain(gcongr(part_**power, arithmetic(part_, "<=", part_ + least)), line)
    front = C_**power * exp(-power) * exp(power / C_ * part_)
    line = chain(line, front * exp(power / C_ * least))
    small, above = C_ / power * log(1 + D_), arithmetic(0, "<", log(1 + D_))
    line = instantiate(line, {least: small}, arithmetic(0, "<", small, above, hide=(log(1 + D_),)))
    return chain(
        line,
        front * exp(log(1 + D_)),
        arithmetic(exp(log(1 + D_)) * front, "==", (1 + D_) * front, hide=(front,)),
    )


@cache
def with_a_power() -> Theorem:
    """The bound at C = 2 (d + j)/r, where 1 - 2 (lambda + j/C) = r d/(d + j), for delta -> 0."""
    n, c = QUERY.square, 2 * (d + power) * (1 + u)
    point = instantiate(instantiate(power_below_an_exponential(), {C_: c}), {part_: n})
    front = (1 + D_) * (c**power * exp(-power))
    point = chain(gcongr(point.lhs * exp(weight * n), point), front * exp(weight * n + power / c * n))
    value = u + power * (1 + u) / d
    shape = arithmetic(exp(weight * part_ + power / c * part_), "==", exp(value / (1 + value) / 2 * part_))
    wide = chain(
        integrated("query", (query,), instantiate(shape, {part_: n})),
        instantiate(without_weight(QUERY), {u: value}),
    )
    less = instantiate(arithmetic(log(1 + part_), "<=", part_), {part_: power / d})
    apart = arithmetic(d / 2 * log(1 + value), "==", d / 2 * log(1 + u) + d / 2 * less.lhs)
    growth = exp(d / 2 * log(1 + u) + power / 2)
    wide = chain(wide, exp(apart.lhs), gcongr(exp(apart.lhs), apart), gcongr(exp(apart.rhs), less), growth)
    average = integrated("query", (query,), point, None, front * wide.lhs)
    average = chain(average, gcongr(average.rhs, wide))
    bound = statements()[2].rhs
    whole = c**power * exp(-power) * growth
    near = chain((1 + D_) * whole, gcongr((1 + D_) * whole, arithmetic(whole, "<=", bound)))
    return limit(chain(average, near), D_, bound, bound)


def theorems() -> tuple[Theorem, ...]:
    return exponential(), of_a_gaussian_query(), with_a_power()
