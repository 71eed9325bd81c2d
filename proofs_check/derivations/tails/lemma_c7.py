"""Lemma C.7: the fourth moment of the error at a fixed query for f of linear growth, by the tail of
one token, the incomplete Gamma integral, and the limits between which that starts.
"""

from __future__ import annotations

from functools import cache

from numerics.derivations.derived import chain, exp, integrated, root, sqrt
from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.rules import arithmetic, gcongr, instantiate
from numerics.derivations.kernel.terms import term
from numerics.derivations.kernel.theorems import Theorem
from proofs_check.derivations.softmax_average import moments
from proofs_check.derivations.softmax_average.softmax_average import F, K, a2, d, k, mean, rho, sigma, x
from proofs_check.derivations.softmax_average.tilted import TOKEN, h, quarter
from proofs_check.derivations.softmax_average.weighted_errors import C_f, growth
from proofs_check.derivations.tails.cut_of_the_mean import A_, B_, P_, X_, Y_, cut, first_term, own_tail, t_0
from proofs_check.derivations.tails.largest import positive_part

scale = 16 * sigma**2 * C_f**2
#: The lower limit of the integral of v e^{-v}, and the limits between which it lies.
y = sqrt(cut) / scale
root_of_the_difference = sqrt(positive_part(L / 8 - exp(4 * a2)))
least = root_of_the_difference * K / scale
fourth = sqrt(mean(TOKEN.square**2))
most = sqrt(L) * fourth / (32 * sqrt(term(2)) * sigma**2)


@cache
def token_tail() -> Theorem:
    """E|err|^4 <= 216 e^{4 a2} K^2/sqrt(L) + 8 L E(C_f^4 |Z|^4 - s)_+."""
    size = chain(gcongr(F**2, growth(1)), C_f**4 * TOKEN.square**2)
    above = positive_part(F**2 - cut)
    more = integrated("mean", (k,), gcongr(above, size), mean(above))
    return chain(own_tail(), gcongr(own_tail().rhs, more))


@cache
def tail_of_the_token() -> Theorem:
    """E(C_f^4 |Z|^4 - s)_+ <= 2 scale^2 e^{2d} (1 + y) e^{-y} with y = sqrt(s)/scale, from the mean
    of (v^2 - y^2)_+ <= 2 (1 + y) e^{v - y} for v = |Z|^2/(16 sigma^2).
    """
    v = TOKEN.square / (16 * sigma**2)
    line = arithmetic(positive_part(Y_**2 - X_**2), "<=", positive_part(Y_ - X_) * (2 * X_ + (Y_ - X_)))
    linear = arithmetic(positive_part(x) * (2 * X_ + x), "<=", 2 * (1 + X_) * exp(x))
    line = instantiate(chain(line, instantiate(linear, {x: Y_ - X_})), {X_: y, Y_: v})
    unit = positive_part(P_**2 * A_ - B_)
    scaled = arithmetic(unit, "<=", P_**2 * positive_part(A_ - B_ / P_**2))
    scaled = instantiate(scaled, {P_: scale, A_: v**2, B_: cut})
    scaled = chain(positive_part(C_f**4 * TOKEN.square**2 - cut), scaled, scale**2 * line.lhs)
    point = chain(scaled, gcongr(scaled.rhs, line), scale**2 * 2 * (1 + y) * exp(-y) * exp(v))
    average = integrated("mean", (k,), point, None, scale**2 * 2 * (1 + y) * exp(-y) * mean(exp(v)))
    lighter = instantiate(arithmetic(exp(A_), "<=", exp(4 * A_)), {A_: v})
    lighter = integrated("mean", (k,), lighter, mean(exp(v)), quarter().lhs)
    lighter = chain(lighter, quarter(), arithmetic(exp(h), "<=", exp(2 * d)))
    return chain(average, gcongr(average.rhs, lighter))


@cache
def gamma_integral() -> Theorem:
    """E|err|^4 <= 216 e^{4 a2} K^2/sqrt(L) + 16 L e^{2d} scale^2 (1 + y) e^{-y}."""
    tail = gcongr(token_tail().rhs, tail_of_the_token())
    return chain(token_tail(), tail, first_term + 16 * L * exp(2 * d) * scale**2 * (1 + y) * exp(-y))


@cache
def lower_limit() -> Theorem:
    """y >= (L/8 - e^{4 a2})_+^{1/2} K/scale, from |R/S|^2 <= e^{2 a2} K."""
    size = chain(gcongr(rho**2, moments.size_of_the_limit()), exp(4 * a2) * K**2)
    smaller = arithmetic(K**2 * positive_part(L / 8 - exp(4 * a2)), "<=", positive_part(t_0 / 8 - size.rhs))
    smaller = chain(smaller, gcongr(smaller.rhs, size), cut)
    roots = root(smaller, root_of_the_difference * K, sqrt(cut))
    return chain(least, gcongr(roots.lhs / scale, roots), y)


@cache
def size_of_f() -> Theorem:
    """K <= C_f^2 sqrt(E|Z|^4)."""
    square = chain(gcongr(F**2, growth(1)), C_f**4 * TOKEN.square**2)
    average = integrated("mean", (k,), square, None, C_f**4 * mean(TOKEN.square**2))
    return chain(K, root(average, sqrt(mean(F**2)), C_f**2 * fourth))


@cache
def upper_limit() -> tuple[Theorem, Theorem]:
    """y <= sqrt(t_0)/(2 sqrt(2) scale) <= sqrt(L) E(|Z|^4)^{1/2}/(32 sqrt(2) sigma^2)."""
    smaller = arithmetic(positive_part(A_ - B_), "<=", A_)
    smaller = chain(cut, instantiate(smaller, {A_: t_0 / 8, B_: rho**2}))
    middle = sqrt(t_0) / (2 * sqrt(term(2)))
    roots = root(smaller, sqrt(cut), middle)
    first = chain(y, gcongr(y, roots), middle / scale)
    second = sqrt(L) / (2 * sqrt(term(2)) * scale) * K
    return first, chain(middle / scale, second, gcongr(second, size_of_f()), most)


@cache
def display() -> Theorem:
    """The last display, E|err|^4 <= 216 e^{4 a2} K^2/sqrt(L) + 16 L e^{2d} scale^2 (1 + most)
    e^{-least}.
    """
    bound = gamma_integral().rhs
    return chain(gamma_integral(), gcongr(bound, lower_limit(), chain(*upper_limit())))


@cache
def subadditivity() -> Theorem:
    """sqrt(L/8) - e^{2 a2} <= (L/8 - e^{4 a2})_+^{1/2}."""
    squares = arithmetic(positive_part(x) ** 2, "<=", positive_part(x * (2 * B_ + x)))
    apart = root(squares, positive_part(x), sqrt(squares.rhs))
    apart = chain(arithmetic(x, "<=", positive_part(x)), apart)
    apart = instantiate(apart, {x: sqrt(L / 8) - B_})
    apart = instantiate(apart, {B_: exp(2 * a2)})
    return chain(sqrt(L / 8) - exp(2 * a2), apart, root_of_the_difference)


@cache
def theorem() -> Theorem:
    """Lemma C.7, from the last display."""
    apart = subadditivity()
    larger = chain(gcongr(apart.lhs * (K / scale), apart), least)
    faster = arithmetic(-least, "<=", -larger.lhs, larger, hide=(least, larger.lhs))
    return chain(display(), gcongr(display().rhs, faster))
