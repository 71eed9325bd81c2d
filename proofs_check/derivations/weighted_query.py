"""The weighted moments E |z|^{2j} e^{lambda |z|^2} of a sub-Gaussian query, for every real j >= 0
and every lambda in [0, 1/2), which is u/(2 (1 + u)) with u >= 0.

A power with a variable exponent has a positive base, so that |z|^{2j} is taken over the event
|z|^2 > s, for every s > 0: its mean tends to the whole one as s tends to 0, since j > 0.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.binding import bind
from numerics.derivations.derived import X_, Y_, chain, exp, integrated, log
from numerics.derivations.rules import arithmetic, gaussian, replace, specialise
from numerics.derivations.sorts import POSITIVE
from numerics.derivations.statements import Statement
from numerics.derivations.terms import GAUSSIAN, Op, Term, Variable, term
from numerics.derivations.theorems import Theorem
from proofs_check.derivations.softmax_average import d, j, over
from proofs_check.derivations.tilted import QUERY, g, part_, query, sub_gaussian_query, u, without_weight

power, least, C_, M_ = (Variable(name, range=POSITIVE) for name in ("J", "s", "C_", "M_"))
#: lambda and 1 - 2 lambda.
weight, rest = u / (1 + u) / 2, 1 / (1 + u)


def _power_above(n: Term) -> Term:
    """n^j where n > s, and 0 elsewhere."""
    return Op("above", (n - least,)) * Op("max", (n, least)) ** power


def statements(c: int | Fraction = 1, half: Fraction = Fraction(1, 2)) -> tuple[Statement, ...]:
    """E e^{lambda |z|^2} <= c r^{-d/2} for r = 1 - 2 lambda; equality with r^{-half d} for a
    standard Gaussian query; and E |z|^{2j} e^{lambda |z|^2} <= c r^{-d/2} (2 (d + j)/(r sqrt(e)))^j
    over |z|^2 > s.
    """
    n, given, front = QUERY.square, sub_gaussian_query().assumptions, rest ** (-d / 2)
    normal = bind("normal", (g,), exp(weight * over(j, d, GAUSSIAN(j, g) ** 2)))
    bound = Fraction(c) * front * (2 * (d + power) / (rest * exp(Fraction(1, 2)))) ** power
    return (
        Statement(QUERY.mean(exp(weight * n)), "<=", Fraction(c) * front, given),
        Statement(normal, "==", rest ** (-Fraction(half) * d)),
        Statement(QUERY.mean(_power_above(n) * exp(weight * n)), "<=", bound, given),
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
    """n^j <= C^j e^{-j} e^{j n/C} over the event n > s, from ln n <= n/C + ln C - 1."""
    tangent = arithmetic(log(M_), "<=", log(C_) + M_ / C_ - 1)
    line = chain(arithmetic(M_**power, "==", exp(power * log(M_))), replace(exp(power * log(M_)), tangent))
    line = chain(line, arithmetic(line.rhs, "==", C_**power * exp(-power) * exp(power / C_ * M_)))
    event, larger = Op("above", (X_,)), Op("max", (part_, least))
    inside = arithmetic(event * exp(Y_), "==", event * exp(event * Y_))
    inside = specialise(inside, {X_: part_ - least, Y_: power / C_ * larger})
    above = Op("above", (part_ - least,))
    same = arithmetic(above * larger, "<=", above * part_)
    inside = chain(inside, above * exp(power / C_ * same.lhs))
    inside = chain(inside, replace(inside.rhs, same))
    out = specialise(arithmetic(event * exp(event * Y_), "<=", exp(Y_)), {X_: part_ - least, Y_: power / C_ * part_})
    inside = chain(inside, out)
    line = specialise(line, {M_: larger})
    line = chain(replace(above * line.lhs, line), C_**power * exp(-power) * inside.lhs)
    return chain(line, replace(line.rhs, inside))


@cache
def with_a_power() -> Theorem:
    """The bound at C = 2 (d + j)/r, where 1 - 2 (lambda + j/C) = r d/(d + j)."""
    n, c = QUERY.square, 2 * (d + power) * (1 + u)
    point = specialise(specialise(power_below_an_exponential(), {C_: c}), {part_: n})
    front = c**power * exp(-power)
    point = chain(replace(point.lhs * exp(weight * n), point), front * exp(weight * n + power / c * n))
    value = u + power * (1 + u) / d
    shape = arithmetic(exp(weight * part_ + power / c * part_), "==", exp(value / (1 + value) / 2 * part_))
    wide = chain(integrated("query", (query,), specialise(shape, {part_: n})), specialise(without_weight(QUERY), {u: value}))
    less = specialise(arithmetic(log(1 + part_), "<=", part_), {part_: power / d})
    apart = arithmetic(d / 2 * log(1 + value), "==", d / 2 * log(1 + u) + d / 2 * less.lhs)
    growth = exp(d / 2 * log(1 + u) + power / 2)
    wide = chain(wide, exp(apart.lhs), replace(exp(apart.lhs), apart), replace(exp(apart.rhs), less), growth)
    average = integrated("query", (query,), point, None, front * wide.lhs)
    average = chain(average, replace(average.rhs, wide))
    return chain(average, arithmetic(average.rhs, "<=", statements()[2].rhs))


def theorems() -> tuple[Theorem, ...]:
    return exponential(), of_a_gaussian_query(), with_a_power()
