"""Lemma D.2, item 2: the p-th moment of the largest norm of L sub-Gaussian vectors, for real p.

The outcome k of all vectors is a "token" of the kernel. The largest |z_l|^p is a random variable P
with the property that P >= s^{p/2} only where some |z_l|^2 >= s, for every s > 0.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, exp, integrated, log
from numerics.derivations.normal_form import LENGTH as L
from numerics.derivations.rules import arithmetic, assume, replace, specialise
from numerics.derivations.sorts import NONNEGATIVE, POSITIVE, Range, Sort
from numerics.derivations.terms import Function, Op, Term, Variable, term
from numerics.derivations.theorems import Theorem
from proofs_check.derivations.softmax_average import d, j, k, mean, over, s, t, v, x
from proofs_check.derivations.tilted import Law, h, quarter

p = Variable("p", range=Range(Fraction(2), lo_open=False))
l = Variable("l", Sort.INDEX)
z = Function("z", (Sort.INDEX, Sort.INDEX, Sort.TOKEN), None)
P = Function("P", (Sort.TOKEN,))
A_, B_ = (Variable(f"{name}_", range=NONNEGATIVE) for name in "AB")
M_, S_ = (Variable(f"{name}_", range=POSITIVE) for name in "MS")
q_ = Variable("q_", range=Range(Fraction(1), lo_open=False))
square = over(j, d, z(l, j, k) ** 2)
largest = Op("max", (P(k), term(0)))
q = p / 2


@cache
def sub_gaussian_vectors() -> Theorem:
    """E e^{v.z_l} <= e^{|v|^2/2} for every v and l: the vectors are 1-sub-Gaussian."""
    X = over(j, d, v(j) * z(l, j, k))
    return assume("1-sub-Gaussian vectors", mean(exp(X)), "<=", exp(over(j, d, v(j) ** 2) / 2), every=(v, l))


@cache
def largest_of_the_powers() -> Theorem:
    """P >= s^{p/2} only where |z_l|^2 >= s for some l: P is at most the largest |z_l|^p."""
    some = over(l, L, Op("ind", (square - s,)))
    return assume("P is at most the largest |z_l|^p", Op("ind", (P(k) - s**q,)), "<=", some, every=(k, s))


VECTORS = Law("mean", k, lambda index, of: z(l, index, of), term(1), sub_gaussian_vectors)


@cache
def exponentials() -> Theorem:
    """E sum e^{|z_l|^2/4} <= L 2^{d/2}."""
    each = quarter(VECTORS)
    return integrated("coordinates", (l,), each, mean(over(l, L, exp(square / 4))), L * exp(h), (L,))


#: The level 4 a of |z_l|^2, where the power is B, and e^{q theta} = max(P/B, 1).
excess = log(L) + h
a = q + excess
B = (4 * a) ** q
ratio = Op("max", (P(k) / B, term(1)))
theta = log(ratio) / q
level = 4 * a * exp(theta)


@cache
def power_of_the_level() -> Theorem:
    """level^{p/2} = B max(P/B, 1)."""
    split = arithmetic((S_ * exp(x)) ** q_, "==", S_**q_ * exp(q_ * x))
    split = specialise(split, {S_: 4 * a, x: theta, q_: q}, arithmetic(1, "<=", q))
    back = specialise(arithmetic(exp(log(M_)), "==", M_), {M_: ratio})
    return chain(level**q, split, B * back.lhs, replace(B * back.lhs, back))


@cache
def beyond_the_level() -> Theorem:
    """max(P, 0) <= B + B max(P/B, 1) sum e^{(|z_l|^2 - level)/4}."""
    value = S_ * Op("max", (x / S_, term(1)))
    above = Op("ind", (x - S_,))
    same = arithmetic(above * value, "<=", above * x)
    reached = arithmetic(above, "<=", Op("ind", (x - value,)), same, hide=(value,))
    line = arithmetic(Op("max", (x, term(0))), "<=", S_ + above * x)
    larger = arithmetic(above * x, "<=", above * value)
    line = chain(line, replace(line.rhs, larger), S_ + value * above)
    line = chain(line, replace(line.rhs, reached))
    line = specialise(line, {x: P(k), S_: B})
    at = specialise(largest_of_the_powers(), {s: level})
    event = chain(replace(Op("ind", (P(k) - B * ratio,)), power_of_the_level()), at)
    each = specialise(arithmetic(Op("ind", (x,)), "<=", exp(x / 4)), {x: square - level})
    each = integrated("coordinates", (l,), each, at.rhs, exp(-level / 4) * over(l, L, exp(square / 4)), (L,))
    event = chain(event, each)
    return chain(line, replace(line.rhs, event))


@cache
def weight_of_the_level() -> Theorem:
    """max(P/B, 1) e^{-level/4} <= e^{-a}, because q theta <= a (e^theta - 1)."""
    least = specialise(arithmetic(0, "<=", log(Op("max", (x, term(1)))) / q_), {x: P(k) / B, q_: q}, arithmetic(1, "<=", q))
    line = arithmetic(exp(q_ * A_ - (q_ + B_) * exp(A_)), "<=", exp(-(q_ + B_)))
    line = specialise(line, {A_: theta, q_: q, B_: excess}, least, arithmetic(1, "<=", q))
    back = specialise(replace(M_ * S_, arithmetic(M_, "==", exp(log(M_)))), {M_: ratio, S_: exp(-level / 4)})
    return chain(back, line, exp(-a))


@cache
def mean_of_the_largest() -> Theorem:
    """E max(P, 0) <= B (1 + e^{-q})."""
    point = beyond_the_level()
    sums = over(l, L, exp(square / 4))
    point = chain(point, B + B * (ratio * exp(-level / 4)) * sums)
    point = chain(point, replace(point.rhs, weight_of_the_level()))
    average = integrated("mean", (k,), point, mean(largest), B + B * exp(-a) * mean(sums))
    average = chain(average, replace(average.rhs, exponentials()), B + B * (L * exp(-log(L)) * exp(-q)))
    return chain(average, replace(average.rhs, arithmetic(L * exp(-log(L)), "==", 1)), B + B * exp(-q))


#: ln(L)^{p/2}: 0 for L = 1, and from L = 2 on a power of a positive number.
power_of_the_logarithm = Op("ind", (L - 2,)) * Op("max", (log(L), log(2))) ** q


@cache
def bernoulli() -> Theorem:
    """r^q >= 1 + q (r - 1) for r > 0 and real q >= 1."""
    return arithmetic(1 + q_ * (M_ - 1), "<=", exp(q_ * log(M_)))


@cache
def power_of_a_sum() -> Theorem:
    """(x + y)^q <= 2^{q-1} (x^q + y^q) for x, y > 0: Bernoulli's inequality at x/m and y/m, where m
    is the mean of x and y.
    """
    middle = (M_ + S_) / 2
    first, second = (specialise(bernoulli(), {M_: part / middle}) for part in (M_, S_))
    two = arithmetic(2, "==", first.lhs + second.lhs)
    total = chain(two, replace(first.lhs + second.lhs, first, second))
    scaled = arithmetic(exp(q_ * log(M_ / S_)) * S_**q_, "==", M_**q_)
    back = [specialise(scaled, {M_: part, S_: middle}) for part in (M_, S_)]
    total = chain(2 * middle**q_, replace(2 * middle**q_, total), back[0].lhs + back[1].lhs)
    total = chain(total, replace(total.rhs, *back))
    same = specialise(arithmetic(M_**q_, "==", 2 ** (q_ - 1) * (2 * (M_ / 2) ** q_)), {M_: M_ + S_})
    return chain(same, replace(same.rhs, total))


several, single = Op("ind", (L - 2,)), Op("above", (2 - L,))
#: The constant (4 p + 3)^{p/2}.
constant = (4 * p + 3) ** q


@cache
def cut_by_powers() -> Theorem:
    """a^{p/2} <= 2^{p/2-1} (ln(L)^{p/2} + (h + p/2)^{p/2}), where for L = 1 the first is 0."""
    rest, one = h + q, arithmetic(1, "<=", q)
    larger = Op("max", (log(L), log(2)))
    several, single = Op("ind", (L - 2,)), Op("above", (2 - L,))
    long = specialise(power_of_a_sum(), {M_: larger, S_: rest, q_: q}, one)
    more = replace((log(L) + rest) ** q, arithmetic(log(L), "<=", larger))
    long = chain(a**q, more, long)
    short = arithmetic(single * (log(L) + S_) ** q_, "<=", single * (2 ** (q_ - 1) * S_**q_))
    short = specialise(short, {S_: rest, q_: q}, one)
    cases = specialise(arithmetic(S_, "<=", several * S_ + single * S_), {S_: a**q})
    cases = chain(cases, several * a**q + short.lhs)
    cases = chain(cases, replace(cases.rhs, long, short))
    return chain(cases, 2 ** (q - 1) * (power_of_the_logarithm + rest**q))


@cache
def theorem() -> Theorem:
    """E max(P, 0) <= (4 p + 3)^{p/2} (d^{p/2} + ln(L)^{p/2})."""
    one = arithmetic(1, "<=", q)
    twice = specialise(arithmetic(1 + exp(-q_), "<=", 2), {q_: q}, one)
    bound = chain(mean_of_the_largest(), B * twice.lhs)
    bound = chain(bound, replace(bound.rhs, twice))
    split = specialise(arithmetic((4 * S_) ** q_ * 2, "==", 4**q_ * 2 * S_**q_), {S_: a, q_: q}, one)
    bound = chain(bound, split)
    bound = chain(bound, replace(bound.rhs, cut_by_powers()))
    eight = specialise(arithmetic(4**q_ * 2 * 2 ** (q_ - 1), "==", 8**q_), {q_: q}, one)
    rest = power_of_the_logarithm + (h + q) ** q
    bound = chain(bound, eight.lhs * rest, replace(eight.lhs * rest, eight))
    joined = arithmetic(M_**q_ * S_**q_, "==", (M_ * S_) ** q_)
    apart = arithmetic((M_ * S_) ** q_, "==", M_**q_ * S_**q_)
    first = replace(term(8) ** q, arithmetic(8, "<=", 4 * p + 3))
    second = specialise(joined, {M_: term(8), S_: h + q, q_: q}, one)
    second = chain(second, replace(second.rhs, arithmetic(8 * (h + q), "<=", (4 * p + 3) * d)))
    second = chain(second, specialise(apart, {M_: 4 * p + 3, S_: d, q_: q}, one))
    bound = chain(bound, first.lhs * power_of_the_logarithm + second.lhs)
    return chain(bound, replace(bound.rhs, first, second), constant * (d**q + power_of_the_logarithm))
