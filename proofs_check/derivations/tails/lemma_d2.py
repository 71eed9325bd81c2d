"""Lemma D.2, item 2: E max |z_l|^p <= C_p (d^{p/2} + ln(L)^{p/2}) for every real p >= 2, with C_p
= (4p + 3)^{p/2}.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import sympy as sp

from numerics.derivations.derived import chain, exp, log
from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.rules import arithmetic, gcongr, instantiate
from numerics.derivations.kernel.sorts import NONNEGATIVE
from numerics.derivations.kernel.terms import Op, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, from_sympy
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.softmax_average.softmax_average import d, k, t, x
from proofs_check.derivations.softmax_average.tilted import h, tail, tail_statement
from proofs_check.derivations.tails import largest as W
from proofs_check.derivations.tails.largest import M_, S_, at_q, p, q, q_
from theory.bounds.sub_gaussian import maximum_explicit

A_, B_ = (Variable(f"{name}_", range=NONNEGATIVE) for name in "AB")
#: The cut B = (4 a)^{p/2} of the power.
excess = log(L) + h
a = q + excess
B = (4 * a) ** q
#: Whether there are several tokens, or one; ln(L)^{p/2}, the power of a positive number or 0.
several, single = Op("ind", (L - 2,)), Op("above", (2 - L,))
at_least_two = Op("max", (log(L), log(2)))
power_of_the_logarithm = several * at_least_two**q
constant = (4 * p + 3) ** q


@cache
def weight() -> Theorem:
    """max(P, B) e^{-v/4} <= B e^{-a}: with theta >= 0 the logarithm of v/(4a), it is B
    e^{q theta - a e^theta}, and q theta <= a (e^theta - 1).
    """
    value = Op("max", (W.P(k), B))
    theta = log(value / B) / q
    least = at_q(arithmetic(0, "<=", log(Op("max", (x, S_)) / S_) / q_), {x: W.P(k), S_: B})
    line = arithmetic(exp(q_ * A_ - (q_ + B_) * exp(A_)), "<=", exp(-(q_ + B_)))
    line = instantiate(line, {A_: theta, q_: q, B_: excess}, least, arithmetic(1, "<=", q))
    same = at_q(arithmetic(exp(log(M_) / q_), "==", S_ * exp(log(M_ / S_**q_) / q_)), {M_: value, S_: 4 * a})
    back = instantiate(
        gcongr(M_ * t, arithmetic(M_, "==", S_ * exp(log(M_ / S_)))),
        {M_: value, S_: B, t: exp(-a * exp(theta))},
    )
    return calc(
        value * exp(-W.level(B) / 4),
        ("<=", value * exp(-a * exp(theta)), same),
        ("<=", B * exp(q * theta - a * exp(theta)), back),
        ("<=", B * exp(-a), line),
    )


@cache
def mean_of_the_largest() -> Theorem:
    """E P_+ <= B (1 + e^{-p/2})."""
    average = chain(W.mean_beyond(B, weight(), exp(-a)), B + B * exp(-q) * (L * exp(-log(L))))
    return calc(average, ("<=", B * (1 + exp(-q)), show(L * exp(-log(L)), "==", 1)))


@cache
def bernoulli() -> Theorem:
    """r^q >= 1 + q (r - 1) for r > 0 and real q >= 1."""
    return arithmetic(1 + q_ * (M_ - 1), "<=", exp(q_ * log(M_)))


@cache
def power_of_a_sum() -> Theorem:
    """(x + y)^q <= 2^{q-1} (x^q + y^q) for x, y > 0: Bernoulli's inequality at x/m and y/m, where m
    is the mean of x and y.
    """
    middle, front = (M_ + S_) / 2, 2 ** (q_ - 1)
    first, second = (instantiate(bernoulli(), {M_: part / middle}) for part in (M_, S_))
    tangents = calc(2, ("==", first.lhs + second.lhs), ("<=", first.rhs + second.rhs, first, second))
    scaled = arithmetic(exp(q_ * log(M_ / S_)) * S_**q_, "==", M_**q_)
    back = [instantiate(scaled, {M_: part, S_: middle}) for part in (M_, S_)]
    same = instantiate(arithmetic(M_**q_, "==", 2 ** (q_ - 1) * (2 * (M_ / 2) ** q_)), {M_: M_ + S_})
    return calc(
        same,
        ("<=", front * (back[0].lhs + back[1].lhs), gcongr(2 * middle**q_, tangents)),
        ("<=", front * (M_**q_ + S_**q_), *back),
    )


@cache
def cut_by_powers() -> Theorem:
    """a^{p/2} <= 2^{p/2-1} (ln(L)^{p/2} + (h + p/2)^{p/2}), where for L = 1 the first is 0."""
    rest, front = h + q, 2 ** (q - 1)
    long = calc(
        a**q,
        ("<=", (at_least_two + rest) ** q, show(log(L), "<=", at_least_two)),
        ("<=", front * (at_least_two**q + rest**q), at_q(power_of_a_sum(), {M_: at_least_two, S_: rest})),
    )
    short = arithmetic(single * (log(L) + S_) ** q_, "<=", single * (2 ** (q_ - 1) * S_**q_))
    cases = show(a**q, "<=", several * a**q + single * a**q)
    short = at_q(short, {S_: rest})
    return chain(
        cases, gcongr(several * a**q + short.lhs, long, short), front * (power_of_the_logarithm + rest**q)
    )


def statement(share: int | Fraction = 1) -> Statement:
    """E max |z_l|^p <= share C_p (d^{p/2} + ln(L)^{p/2}) with the C_p of `theory`; ln(L)^{p/2} is 0
    for L = 1 and a power of ln(L) >= ln(2) from L = 2 on.
    """
    symbols = L_, _, p_ = sp.symbols("L d p", positive=True)
    values = dict(zip(symbols, (L, d, p))) | {sp.log(L_) ** (p_ / 2): power_of_the_logarithm}
    return Statement(
        W.largest, "<=", Fraction(share) * from_sympy(maximum_explicit(*symbols), values), W.given
    )


@proves("BB:LD.2.2", statement)
@cache
def theorem() -> Theorem:
    """E P_+ <= (4p + 3)^{p/2} (d^{p/2} + ln(L)^{p/2})."""
    rest, logs = (h + q) ** q, power_of_the_logarithm
    eight = show(4**q * 2 * 2 ** (q - 1), "==", term(8) ** q)
    first = gcongr(term(8) ** q, arithmetic(8, "<=", 4 * p + 3))
    second = calc(
        term(8) ** q * rest,
        ("==", (8 * (h + q)) ** q),
        ("<=", ((4 * p + 3) * d) ** q, show(8 * (h + q), "<=", (4 * p + 3) * d)),
        ("==", (4 * p + 3) ** q * d**q),
    )
    return calc(
        mean_of_the_largest(),
        ("<=", B * 2, show(1 + exp(-q), "<=", 2)),
        ("==", 4**q * 2 * a**q),
        ("<=", 4**q * 2 * (2 ** (q - 1) * (logs + rest)), cut_by_powers()),
        ("<=", term(8) ** q * logs + term(8) ** q * rest, eight),
        ("<=", constant * (d**q + logs), gcongr(first.lhs * logs, first), second),
    )


proves("BB:LD.2.1.a", lambda two=2: tail_statement(two))(tail)
