"""The fourth moment of the error at a fixed query, cut at t_0 = L K^2 as in the proof of Lemma C.7.

What lies above the cut is bounded by the tail of |f|^4 of one token beyond s, the positive part of
t_0/8 - |R/S|^4; below it |err|^4 is at most sqrt(t_0) |err|^2, which R1 bounds. The integral of P(Y
>= t) from s on is written as the mean of (Y - s)_+.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, exp, integrated, root, sqrt
from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.rules import arithmetic, assume, gcongr, instantiate
from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE
from numerics.derivations.kernel.terms import Defined, Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from proofs_check.derivations.softmax_average import second_moment
from proofs_check.derivations.softmax_average.softmax_average import (
    R_L,
    S_L,
    F,
    K,
    a2,
    error_squared,
    expectation,
    i,
    k,
    m,
    mean,
    over,
    prompt,
    r,
    rho,
    total,
    u,
    w,
    x,
)
from proofs_check.derivations.tails import hoelder
from proofs_check.derivations.tails.largest import positive_part

A_, B_, X_, Y_ = (Variable(f"{name}_", range=NONNEGATIVE) for name in "ABXY")
P_, Q_ = (Variable(f"{name}_", range=POSITIVE) for name in "PQ")
level = Variable("level", range=NONNEGATIVE)
t_0 = L * K**2
cut = Defined("cut", positive_part(t_0 / 8 - rho**2))
lost = positive_part(rho**2 - t_0 / 8)
first_term = 216 * exp(4 * a2) * K**2 / sqrt(L)
edge = Defined("edge", sqrt(L) * K)


@cache
def hull() -> Theorem:
    """|err|^4 <= 8 s + 8 sum (|f(z_k)|^4 - s)_+ + 8 |R/S|^4 for every s >= 0, as R_L/S_L is an
    average and no weight is larger than S_L.
    """
    average, above = Defined("average", total(w * F) / S_L), positive_part(F**2 - level)
    both = chain(second_moment.hull_bound(), 2 * average + 2 * rho)
    point = instantiate(arithmetic(x, "<=", Op("max", (x - level, term(0))) + level), {x: F**2})
    larger = chain(total(w * above), second_moment.no_larger_than_the_sum(sqrt(above)), S_L * total(above))
    sums = integrated("sum", (k,), gcongr(w * point.lhs, point), total(w * F**2), None, (prompt,))
    sums = chain(sums, gcongr(total(w * above) + level * S_L, larger))
    jensen = chain(
        average**2,
        gcongr(total(w * F) ** 2 / S_L**2, second_moment.average_of_squares(F)[0]),
        gcongr(total(w * F**2) / S_L, sums),
        total(above) + level,
    )
    return chain(
        gcongr(error_squared**2, both),
        arithmetic(both.rhs**2, "<=", 8 * average**2 + 8 * rho**2),
        gcongr(8 * average**2 + 8 * rho**2, jensen),
        8 * level + 8 * total(above) + 8 * rho**2,
    )


@cache
def split() -> Theorem:
    """|err|^4 <= sqrt(t_0) |err|^2 + (|err|^4 - t_0) 1{|err|^2 >= sqrt(t_0)}."""
    line = arithmetic(X_**2, "<=", Y_ * X_ + Op("ind", (X_ - Y_,)) * (X_**2 - Y_**2))
    return instantiate(line, {X_: error_squared, Y_: edge})


@cache
def above_the_cut() -> Theorem:
    """E|err|^4 <= 216 e^{4 a2} K^2/sqrt(L) + E(8 |R_L/S_L|^4 + 8 |R/S|^4 - t_0)_+."""
    length = over(i, m, (R_L / S_L) ** 2)
    two = instantiate(arithmetic((x - u) ** 2, "<=", 2 * x**2 + 2 * u**2), {x: R_L / S_L, u: r})
    both = integrated("coordinates", (i,), two, error_squared, 2 * length + 2 * rho, (m,))
    both = chain(gcongr(error_squared**2, both), arithmetic(both.rhs**2, "<=", 8 * length**2 + 8 * rho**2))
    above = positive_part(8 * length**2 + 8 * rho**2 - t_0)
    part = arithmetic(Op("ind", (X_ - Y_,)) * x, "<=", positive_part(x))
    part = instantiate(part, {X_: error_squared, Y_: edge, x: both.rhs - edge**2})
    line = chain(
        split(),
        gcongr(split().rhs, both),
        gcongr(edge * error_squared + part.lhs, part),
        sqrt(L) * K * error_squared + above,
    )
    first = instantiate(arithmetic(50 * A_, "<=", 216 * A_), {A_: exp(4 * a2) * K**2 / sqrt(L)})
    return chain(
        mean_of_the_error(line, above, expectation(above)),
        gcongr(first.lhs + expectation(above), first),
        first_term + expectation(above),
    )


@cache
def at_the_cut() -> Theorem:
    """|err|^4 <= sqrt(t_0) |err|^2 + 8 sum (|f(z_k)|^4 - s)_+ + 8 (|R/S|^4 - t_0/8)_+."""
    above, line = total(positive_part(F**2 - cut)), split()
    least = 8 * positive_part(A_**2 / 8 - B_) + 8 * B_
    size = arithmetic(least, "<=", A_**2 + 8 * positive_part(B_ - A_**2 / 8))
    size = instantiate(size, {A_: sqrt(L) * K, B_: rho**2})
    rest = Defined("rest", 8 * above + 8 * lost)
    at = chain(instantiate(hull(), {level: cut}), gcongr(size.lhs + 8 * above, size), edge**2 + rest)
    line = chain(line, gcongr(line.rhs, at))
    return chain(
        line,
        arithmetic(line.rhs, "<=", edge * error_squared + rest),
        sqrt(L) * K * error_squared + 8 * above + 8 * lost,
    )


@cache
def dropped() -> Theorem:
    """50 e^{4 a2} K^2/sqrt(L) + 8 (|R/S|^4 - t_0/8)_+ <= 216 e^{4 a2} K^2/sqrt(L)."""
    bound, P = 50 * exp(4 * a2) * K**2 / sqrt(L), exp(Fraction(8, 3) * a2)
    size = chain(gcongr(rho**2, hoelder.theorem()), P * K**2)
    more = arithmetic(positive_part(size.rhs - t_0 / 8), "<=", K**2 * positive_part(P - L / 8))
    more = chain(gcongr(lost, size), more)
    short = arithmetic(8 * positive_part(P_**2 - Q_**2 / 8), "<=", 166 * P_**3 / Q_)
    short = instantiate(short, {P_: exp(Fraction(4, 3) * a2), Q_: sqrt(L)})
    more = chain(gcongr(8 * lost, more), gcongr(K**2 * short.lhs, short))
    return chain(gcongr(bound + 8 * lost, more), first_term)


def mean_of_the_error(point: Theorem, rest: Term, after: Term) -> Theorem:
    """From |err|^4 <= sqrt(t_0) |err|^2 + rest at every prompt to E|err|^4 <= 50 e^{4 a2}
    K^2/sqrt(L) + after, where `after` is the mean of `rest`.
    """
    one, front = positive_part(error_squared), sqrt(L) * K  # a term that no normal form takes apart
    same, back = (
        instantiate(thm, {X_: error_squared})
        for thm in (arithmetic(X_, "==", positive_part(X_)), arithmetic(positive_part(X_), "==", X_))
    )
    point = chain(point, gcongr(front * error_squared + rest, same))
    average = integrated("prompt", (prompt,), point, None, front * expectation(one) + after)
    return chain(
        average,
        gcongr(average.rhs, integrated("prompt", (prompt,), back)),
        gcongr(front * expectation(error_squared) + after, second_moment.theorem()),
        50 * exp(4 * a2) * K**2 / sqrt(L) + after,
    )


@cache
def own_tail() -> Theorem:
    """E|err|^4 <= 216 e^{4 a2} K^2/sqrt(L) + 8 L E(|f|^4 - s)_+."""
    above, more = positive_part(F**2 - cut), 8 * L * mean(positive_part(F**2 - cut))
    average = mean_of_the_error(at_the_cut(), 8 * total(above) + 8 * lost, more + 8 * lost)
    return chain(average, gcongr(dropped().lhs + more, dropped()))


@cache
def short_prompt() -> Theorem:
    """The case in which the cut is 0: t_0/8 <= |R/S|^4."""
    return assume("t_0/8 <= |R/S|^4", t_0 / 8, "<=", rho**2)


@cache
def size_in_a_short_prompt() -> Theorem:
    """8 |R/S|^4 <= 216 e^{4 a2} K^2/sqrt(L) in this case, from |R/S|^2 <= e^{(4/3) a2} K."""
    edge, growth = root(short_prompt(), sqrt(L) * K / sqrt(term(8)), rho), hoelder.growth_of_the_limit
    second = growth * sqrt(term(8)) * rho**2
    both = chain(
        gcongr(sqrt(L) * rho**2, hoelder.square_of_the_limit()),
        gcongr(growth * sqrt(term(8)) * rho * edge.lhs, edge),
        gcongr(second, hoelder.theorem()),
        sqrt(term(8)) * exp(4 * a2) * K**2,
    )
    unit = Defined("unit", exp(4 * a2) * K**2 / sqrt(L))
    return chain(
        8 * rho**2,
        gcongr(8 / sqrt(L) * both.lhs, both),
        8 * sqrt(term(8)) * unit,
        arithmetic(8 * sqrt(term(8)) * unit, "<=", 216 * unit),
        first_term,
    )


@cache
def error_in_a_short_prompt() -> Theorem:
    """E|err|^4 <= 8 L E|f|^4 + 216 e^{4 a2} K^2/sqrt(L) in this case."""
    less = instantiate(arithmetic(positive_part(A_**2 - 0), "<=", A_**2), {A_: F})
    less = integrated("sum", (k,), less, None, total(F**2), (prompt,))
    all_ = chain(instantiate(hull(), {level: term(0)}), gcongr(8 * less.lhs + 8 * rho**2, less))
    right = 8 * L * mean(F**2) + 8 * rho**2
    average = integrated("prompt", (prompt,), all_, expectation(error_squared**2), right)
    return chain(average, gcongr(right, size_in_a_short_prompt()))
