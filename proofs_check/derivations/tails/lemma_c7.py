"""Lemma C.7: the fourth moment of the error at a fixed query for f of linear growth, by the tail of
one token, the incomplete Gamma integral, and the limits between which that starts.
"""

from __future__ import annotations

from functools import cache

from numerics.derivations.derived import chain, exp, integrated, root, sqrt
from numerics.derivations.normal_form import LENGTH as L
from numerics.derivations.rules import arithmetic, replace, specialise
from numerics.derivations.terms import term
from numerics.derivations.theorems import Theorem
from proofs_check.derivations import moments
from proofs_check.derivations.softmax_average import F, K, a2, d, k, mean, rho, sigma, x
from proofs_check.derivations.tails.cut_of_the_mean import A_, B_, P_, X_, Y_, cut, first_term, own_tail, t_0
from proofs_check.derivations.tails.largest import positive_part
from proofs_check.derivations.tilted import TOKEN, h, quarter
from proofs_check.derivations.weighted_errors import C_f, growth

scale = 16 * sigma**2 * C_f**2
<<<<<<< HEAD


@cache
def hull() -> Theorem:
    """|err|^4 <= 8 s + 8 sum (|f(z_k)|^4 - s)_+ + 8 |R/S|^4 for every s >= 0, as R_L/S_L is an
    average and no weight is larger than S_L.
    """
    average = Defined("average", total(w * F) / S_L)
    both = chain(second_moment.hull_bound(), 2 * average + 2 * rho)
    both = chain(replace(error_squared**2, both), arithmetic(both.rhs**2, "<=", 8 * average**2 + 8 * rho**2))
    jensen = chain(average**2, replace(total(w * F) ** 2 / S_L**2, second_moment.average_of_squares(F)[0]), total(w * F**2) / S_L)
    above = positive_part(F**2 - level)
    point = specialise(arithmetic(x, "<=", Op("max", (x - level, term(0))) + level), {x: F**2})
    point = chain(replace(w * point.lhs, point), w * above + level * w)
    sums = integrated("sum", (k,), point, total(w * F**2), total(w * above) + level * S_L, (prompt,))
    larger = chain(total(w * above), second_moment.no_larger_than_the_sum(sqrt(above)), S_L * total(above))
    sums = chain(sums, replace(sums.rhs, larger))
    jensen = chain(jensen, replace(jensen.rhs, sums), total(above) + level)
    return chain(both, replace(both.rhs, jensen), 8 * level + 8 * total(above) + 8 * rho**2)


edge = Defined("edge", sqrt(L) * K)


@cache
def split() -> Theorem:
    """|err|^4 <= sqrt(t_0) |err|^2 + (|err|^4 - t_0) 1{|err|^2 >= sqrt(t_0)}."""
    line = arithmetic(X_**2, "<=", Y_ * X_ + Op("ind", (X_ - Y_,)) * (X_**2 - Y_**2))
    return specialise(line, {X_: error_squared, Y_: edge})


@cache
def above_the_cut() -> Theorem:
    """E|err|^4 <= 216 e^{4 a2} K^2/sqrt(L) + E(8 |R_L/S_L|^4 + 8 |R/S|^4 - t_0)_+."""
    length = over(i, m, (R_L / S_L) ** 2)
    two = specialise(arithmetic((x - u) ** 2, "<=", 2 * x**2 + 2 * u**2), {x: R_L / S_L, u: r})
    both = integrated("coordinates", (i,), two, error_squared, 2 * length + 2 * rho, (m,))
    both = chain(replace(error_squared**2, both), arithmetic(both.rhs**2, "<=", 8 * length**2 + 8 * rho**2))
    line = chain(split(), replace(split().rhs, both))
    above = positive_part(8 * length**2 + 8 * rho**2 - t_0)
    part = arithmetic(Op("ind", (X_ - Y_,)) * x, "<=", positive_part(x))
    part = specialise(part, {X_: error_squared, Y_: edge, x: both.rhs - edge**2})
    line = chain(
        line, edge * error_squared + part.lhs, replace(edge * error_squared + part.lhs, part), sqrt(L) * K * error_squared + above
    )
    average = mean_of_the_error(line, above, expectation(above))
    first = arithmetic(50 * A_, "<=", 216 * A_)
    first = specialise(first, {A_: exp(4 * a2) * K**2 / sqrt(L)})
    average = chain(average, first.lhs + expectation(above))
    return chain(average, replace(average.rhs, first), first_term + expectation(above))


@cache
def at_the_cut() -> Theorem:
    """|err|^4 <= sqrt(t_0) |err|^2 + 8 sum (|f(z_k)|^4 - s)_+ + 8 (|R/S|^4 - t_0/8)_+."""
    at = specialise(hull(), {level: cut})
    above = total(positive_part(F**2 - cut))
    size = arithmetic(8 * positive_part(A_**2 / 8 - B_) + 8 * B_, "<=", A_**2 + 8 * positive_part(B_ - A_**2 / 8))
    size = specialise(size, {A_: sqrt(L) * K, B_: rho**2})
    rest = Defined("rest", 8 * above + 8 * lost)
    at = chain(at, size.lhs + 8 * above, replace(size.lhs + 8 * above, size), (sqrt(L) * K) ** 2 + rest)
    at = chain(at, edge**2 + rest)
    line = split()
    line = chain(line, replace(line.rhs, at))
    line = chain(line, arithmetic(line.rhs, "<=", edge * error_squared + rest))
    return chain(line, sqrt(L) * K * error_squared + 8 * above + 8 * lost)


@cache
def dropped() -> Theorem:
    """50 e^{4 a2} K^2/sqrt(L) + 8 (|R/S|^4 - t_0/8)_+ <= 216 e^{4 a2} K^2/sqrt(L)."""
    size = chain(replace(rho**2, hoelder.theorem()), exp(Fraction(8, 3) * a2) * K**2)
    bound = 50 * exp(4 * a2) * K**2 / sqrt(L)
    more = chain(
        replace(lost, size),
        arithmetic(positive_part(size.rhs - t_0 / 8), "<=", K**2 * positive_part(exp(Fraction(8, 3) * a2) - L / 8)),
    )
    short = arithmetic(8 * positive_part(P_**2 - Q_**2 / 8), "<=", 166 * P_**3 / Q_)
    short = specialise(short, {P_: exp(Fraction(4, 3) * a2), Q_: sqrt(L)})
    more = chain(8 * lost, replace(8 * lost, more), K**2 * short.lhs, replace(K**2 * short.lhs, short))
    return chain(bound + 8 * lost, replace(bound + 8 * lost, more), first_term)


def mean_of_the_error(point: Theorem, rest: Term, after: Term) -> Theorem:
    """From |err|^4 <= sqrt(t_0) |err|^2 + rest at every prompt to E|err|^4 <= 50 e^{4 a2} K^2/sqrt(L)
    + after, where `after` is the mean of `rest`.
    """
    one = positive_part(error_squared)  # a term that no normal form takes apart
    same = specialise(arithmetic(X_, "==", positive_part(X_)), {X_: error_squared})
    front = sqrt(L) * K
    point = chain(point, front * error_squared + rest, replace(front * error_squared + rest, same))
    average = integrated("prompt", (prompt,), point, None, front * expectation(one) + after)
    back = integrated("prompt", (prompt,), specialise(arithmetic(positive_part(X_), "==", X_), {X_: error_squared}))
    average = chain(average, replace(average.rhs, back), front * expectation(error_squared) + after)
    return chain(average, replace(average.rhs, second_moment.theorem()), 50 * exp(4 * a2) * K**2 / sqrt(L) + after)


@cache
def own_tail() -> Theorem:
    """E|err|^4 <= 216 e^{4 a2} K^2/sqrt(L) + 8 L E(|f|^4 - s)_+."""
    above = positive_part(F**2 - cut)
    average = mean_of_the_error(at_the_cut(), 8 * total(above) + 8 * lost, 8 * L * mean(above) + 8 * lost)
    average = chain(average, dropped().lhs + 8 * L * mean(above))
    return chain(average, replace(average.rhs, dropped()))
=======
#: The lower limit of the integral of v e^{-v}, and the limits between which it lies.
y = sqrt(cut) / scale
root_of_the_difference = sqrt(positive_part(L / 8 - exp(4 * a2)))
least = root_of_the_difference * K / scale
fourth = sqrt(mean(TOKEN.square**2))
most = sqrt(L) * fourth / (32 * sqrt(term(2)) * sigma**2)
>>>>>>> h-c7


@cache
def token_tail() -> Theorem:
    """E|err|^4 <= 216 e^{4 a2} K^2/sqrt(L) + 8 L E(C_f^4 |Z|^4 - s)_+."""
    size = chain(replace(F**2, growth(1)), C_f**4 * TOKEN.square**2)
    above = positive_part(F**2 - cut)
    more = integrated("mean", (k,), replace(above, size), mean(above))
    return chain(own_tail(), replace(own_tail().rhs, more))


@cache
def tail_of_the_token() -> Theorem:
    """E(C_f^4 |Z|^4 - s)_+ <= 2 scale^2 e^{2d} (1 + y) e^{-y} with y = sqrt(s)/scale, from the mean
    of (v^2 - y^2)_+ <= 2 (1 + y) e^{v - y} for v = |Z|^2/(16 sigma^2).
    """
    v = TOKEN.square / (16 * sigma**2)
    line = arithmetic(positive_part(Y_**2 - X_**2), "<=", positive_part(Y_ - X_) * (2 * X_ + (Y_ - X_)))
    linear = arithmetic(positive_part(x) * (2 * X_ + x), "<=", 2 * (1 + X_) * exp(x))
    line = specialise(chain(line, specialise(linear, {x: Y_ - X_})), {X_: y, Y_: v})
    unit = positive_part(P_**2 * A_ - B_)
    scaled = arithmetic(unit, "<=", P_**2 * positive_part(A_ - B_ / P_**2))
    scaled = specialise(scaled, {P_: scale, A_: v**2, B_: cut})
    scaled = chain(positive_part(C_f**4 * TOKEN.square**2 - cut), scaled, scale**2 * line.lhs)
    point = chain(scaled, replace(scaled.rhs, line), scale**2 * 2 * (1 + y) * exp(-y) * exp(v))
    average = integrated("mean", (k,), point, None, scale**2 * 2 * (1 + y) * exp(-y) * mean(exp(v)))
    lighter = specialise(arithmetic(exp(A_), "<=", exp(4 * A_)), {A_: v})
    lighter = integrated("mean", (k,), lighter, mean(exp(v)), quarter().lhs)
    lighter = chain(lighter, quarter(), arithmetic(exp(h), "<=", exp(2 * d)))
    return chain(average, replace(average.rhs, lighter))


@cache
def gamma_integral() -> Theorem:
    """E|err|^4 <= 216 e^{4 a2} K^2/sqrt(L) + 16 L e^{2d} scale^2 (1 + y) e^{-y}."""
    tail = replace(token_tail().rhs, tail_of_the_token())
    return chain(token_tail(), tail, first_term + 16 * L * exp(2 * d) * scale**2 * (1 + y) * exp(-y))


@cache
def lower_limit() -> Theorem:
    """y >= (L/8 - e^{4 a2})_+^{1/2} K/scale, from |R/S|^2 <= e^{2 a2} K."""
    size = chain(replace(rho**2, moments.size_of_the_limit()), exp(4 * a2) * K**2)
    smaller = arithmetic(K**2 * positive_part(L / 8 - exp(4 * a2)), "<=", positive_part(t_0 / 8 - size.rhs))
    smaller = chain(smaller, replace(smaller.rhs, size), cut)
    roots = root(smaller, root_of_the_difference * K, sqrt(cut))
    return chain(least, replace(roots.lhs / scale, roots), y)


@cache
def size_of_f() -> Theorem:
    """K <= C_f^2 sqrt(E|Z|^4)."""
    square = chain(replace(F**2, growth(1)), C_f**4 * TOKEN.square**2)
    average = integrated("mean", (k,), square, None, C_f**4 * mean(TOKEN.square**2))
    return chain(K, root(average, sqrt(mean(F**2)), C_f**2 * fourth))


@cache
def upper_limit() -> tuple[Theorem, Theorem]:
    """y <= sqrt(t_0)/(2 sqrt(2) scale) <= sqrt(L) E(|Z|^4)^{1/2}/(32 sqrt(2) sigma^2)."""
    smaller = arithmetic(positive_part(A_ - B_), "<=", A_)
    smaller = chain(cut, specialise(smaller, {A_: t_0 / 8, B_: rho**2}))
    middle = sqrt(t_0) / (2 * sqrt(term(2)))
    roots = root(smaller, sqrt(cut), middle)
    first = chain(y, replace(y, roots), middle / scale)
    second = sqrt(L) / (2 * sqrt(term(2)) * scale) * K
    return first, chain(middle / scale, second, replace(second, size_of_f()), most)


@cache
def display() -> Theorem:
    """The last display, E|err|^4 <= 216 e^{4 a2} K^2/sqrt(L) + 16 L e^{2d} scale^2 (1 + most)
    e^{-least}.
    """
    bound = gamma_integral().rhs
    return chain(gamma_integral(), replace(bound, lower_limit(), chain(*upper_limit())))


@cache
def subadditivity() -> Theorem:
    """sqrt(L/8) - e^{2 a2} <= (L/8 - e^{4 a2})_+^{1/2}."""
    squares = arithmetic(positive_part(x) ** 2, "<=", positive_part(x * (2 * B_ + x)))
    apart = root(squares, positive_part(x), sqrt(squares.rhs))
    apart = chain(arithmetic(x, "<=", positive_part(x)), apart)
    apart = specialise(apart, {x: sqrt(L / 8) - B_})
    apart = specialise(apart, {B_: exp(2 * a2)})
    return chain(sqrt(L / 8) - exp(2 * a2), apart, root_of_the_difference)


@cache
def theorem() -> Theorem:
    """Lemma C.7, from the last display."""
    apart = subadditivity()
    larger = chain(replace(apart.lhs * (K / scale), apart), least)
    faster = arithmetic(-least, "<=", -larger.lhs, larger, hide=(least, larger.lhs))
    return chain(display(), replace(display().rhs, faster))
