"""The fourth moment of the error at a fixed query, cut at t_0 = L K^2 as in the proof of Lemma C.7.

What lies above the cut is bounded by the tail of |f|^4 of one token beyond s, the positive part of
t_0/8 - |R/S|^4; below it |err|^4 is at most sqrt(t_0) |err|^2, which R1 bounds. The integral of P(Y
>= t) from s on is written as the mean of (Y - s)_+.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import exp, integrated, root, sqrt
from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.rules import assume, instantiate
from numerics.derivations.kernel.sorts import NONNEGATIVE
from numerics.derivations.kernel.terms import Defined, Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.softmax_average import second_moment
from proofs_check.derivations.softmax_average import softmax_average as W
from proofs_check.derivations.softmax_average.softmax_average import (
    S_L,
    F,
    K,
    a2,
    error_squared,
    expectation,
    rho,
    total,
    w,
)
from proofs_check.derivations.tails import hoelder
from proofs_check.derivations.tails import lemma_c7_statements as statements
from proofs_check.derivations.tails.largest import positive_part

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
    jensen = calc(
        average**2,
        ("<=", total(w * F**2) / S_L, second_moment.average_of_squares(F)[0]),
        ("<=", total(w * above) / S_L + level, show(w * F**2, "<=", w * (above + level))),
        ("<=", total(above) + level, second_moment.no_larger_than_the_sum(sqrt(above))),
    )
    return calc(
        error_squared**2,
        ("<=", (2 * average + 2 * rho) ** 2, calc(second_moment.hull_bound(), ("==", 2 * average + 2 * rho))),
        ("<=", 8 * average**2 + 8 * rho**2),
        ("<=", 8 * level + 8 * total(above) + 8 * rho**2, jensen),
    )


@cache
def split() -> Theorem:
    """|err|^4 <= sqrt(t_0) |err|^2 + (|err|^4 - t_0) 1{|err|^2 >= sqrt(t_0)}."""
    beyond = Op("ind", (error_squared - edge,))
    right = edge * error_squared + beyond * (error_squared**2 - edge**2)
    return show(error_squared**2, "<=", right, error_squared, edge)


@cache
def at_the_cut() -> Theorem:
    """|err|^4 <= sqrt(t_0) |err|^2 + 8 sum (|f(z_k)|^4 - s)_+ + 8 (|R/S|^4 - t_0/8)_+."""
    above, beyond = total(positive_part(F**2 - cut)), Op("ind", (error_squared - edge,))
    rest = Defined("rest", 8 * above + 8 * lost)
    size = show(8 * positive_part(t_0 / 8 - rho**2) + 8 * rho**2, "<=", t_0 + 8 * lost)
    at = calc(instantiate(hull(), {level: cut}), ("<=", edge**2 + rest, size))
    return calc(
        split(),
        ("<=", edge * error_squared + beyond * rest, at),
        ("<=", edge * error_squared + rest),
        ("==", sqrt(L) * K * error_squared + 8 * above + 8 * lost),
    )


@cache
def dropped() -> Theorem:
    """50 e^{4 a2} K^2/sqrt(L) + 8 (|R/S|^4 - t_0/8)_+ <= 216 e^{4 a2} K^2/sqrt(L)."""
    bound, P = 50 * exp(4 * a2) * K**2 / sqrt(L), exp(Fraction(8, 3) * a2)
    rise, length = exp(Fraction(4, 3) * a2), sqrt(L)
    short = show(8 * positive_part(rise**2 - length**2 / 8), "<=", 166 * rise**3 / length, rise, length)
    more = calc(
        lost,
        ("<=", positive_part(P * K**2 - t_0 / 8), show(rho**2, "<=", P * K**2, hoelder.theorem())),
        ("<=", K**2 * positive_part(P - L / 8)),
    )
    return calc(
        bound + 8 * lost, ("<=", bound + 8 * K**2 * positive_part(P - L / 8), more), ("<=", first_term, short)
    )


def mean_of_the_error(point: Theorem, rest: Term, after: Term) -> Theorem:
    """From |err|^4 <= sqrt(t_0) |err|^2 + rest at every prompt to E|err|^4 <= 50 e^{4 a2}
    K^2/sqrt(L) + after, where `after` is the mean of `rest`.
    """
    one, front = positive_part(error_squared), sqrt(L) * K  # a term that no normal form takes apart
    same, back = show(error_squared, "==", one), show(one, "==", error_squared)
    point = calc(point, ("<=", front * one + rest, same))
    return calc(
        integrated("prompt", (W.prompt,), point, None, front * expectation(one) + after),
        ("<=", front * expectation(error_squared) + after, back),
        ("<=", 50 * exp(4 * a2) * K**2 / sqrt(L) + after, second_moment.theorem()),
    )


@cache
def own_tail() -> Theorem:
    """E|err|^4 <= 216 e^{4 a2} K^2/sqrt(L) + 8 L E(|f|^4 - s)_+."""
    above = positive_part(F**2 - cut)
    more = 8 * L * W.mean(above)
    average = mean_of_the_error(at_the_cut(), 8 * total(above) + 8 * lost, more + 8 * lost)
    return calc(average, ("<=", first_term + more, dropped()))


@cache
def short_prompt() -> Theorem:
    """The case in which the cut is 0: t_0/8 <= |R/S|^4."""
    return assume("t_0/8 <= |R/S|^4", t_0 / 8, "<=", rho**2)


@proves("BB:LC.7.8/dropped", statements.short, part=1)
@cache
def size_in_a_short_prompt() -> Theorem:
    """8 |R/S|^4 <= 216 e^{4 a2} K^2/sqrt(L) in this case, from |R/S|^2 <= e^{(4/3) a2} K."""
    growth, eight = hoelder.growth_of_the_limit, sqrt(term(8))
    unit = Defined("unit", exp(4 * a2) * K**2 / sqrt(L))
    both = calc(
        sqrt(L) * rho**2,
        ("<=", sqrt(L) * growth * rho * K, hoelder.square_of_the_limit()),
        ("<=", growth * eight * rho**2, root(short_prompt(), sqrt(L) * K / eight, rho)),
        ("<=", eight * exp(4 * a2) * K**2, hoelder.theorem()),
    )
    return calc(8 * rho**2, ("<=", 8 * eight * unit, both), ("<=", 216 * unit), ("==", first_term))


@proves("BB:LC.7.8/dropped", statements.short, part=2)
@cache
def error_in_a_short_prompt() -> Theorem:
    """E|err|^4 <= 8 L E|f|^4 + 216 e^{4 a2} K^2/sqrt(L) in this case."""
    less = show(positive_part(F**2 - 0), "<=", F**2)
    point = calc(instantiate(hull(), {level: term(0)}), ("<=", 8 * total(F**2) + 8 * rho**2, less))
    return calc(
        expectation(error_squared**2),
        ("<=", 8 * L * W.mean(F**2) + 8 * rho**2, point),
        ("<=", 8 * L * W.mean(F**2) + first_term, size_in_a_short_prompt()),
    )
