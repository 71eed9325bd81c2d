"""Lemma C.7: the fourth moment of the error at a fixed query for f of linear growth, by the tail of
one token, the incomplete Gamma integral, and the limits between which that starts.
"""

from __future__ import annotations

from functools import cache

from numerics.derivations.derived import chain, exp, sqrt
from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.rules import gcongr
from numerics.derivations.kernel.terms import term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.softmax_average import moments
from proofs_check.derivations.softmax_average.softmax_average import F, K, a2, d, mean, rho, sigma
from proofs_check.derivations.softmax_average.tilted import TOKEN, h, quarter
from proofs_check.derivations.softmax_average.weighted_errors import C_f, growth
from proofs_check.derivations.tails import lemma_c7_statements as statements
from proofs_check.derivations.tails.cut_of_the_mean import cut, first_term, own_tail, t_0
from proofs_check.derivations.tails.largest import positive_part

scale = 16 * sigma**2 * C_f**2
#: The lower limit of the integral of v e^{-v}, and the limits between which it lies.
y = sqrt(cut) / scale
root_of_the_difference = sqrt(positive_part(L / 8 - exp(4 * a2)))
least = root_of_the_difference * K / scale
fourth = sqrt(mean(TOKEN.square**2))
most = sqrt(L) * fourth / (32 * sqrt(term(2)) * sigma**2)


@cache
def fourth_power() -> Theorem:
    return show(F**2, "<=", C_f**4 * TOKEN.square**2, growth(1))


@proves("BB:LC.7.8", statements.tails, part=1)
@cache
def token_tail() -> Theorem:
    """E|err|^4 <= 216 e^{4 a2} K^2/sqrt(L) + 8 L E(C_f^4 |Z|^4 - s)_+."""
    more = gcongr(positive_part(F**2 - cut), fourth_power())
    return calc(own_tail(), ("<=", first_term + 8 * L * mean(more.rhs), more))


@cache
def tail_of_the_token() -> Theorem:
    """E(C_f^4 |Z|^4 - s)_+ <= 2 scale^2 e^{2d} (1 + y) e^{-y} with y = sqrt(s)/scale, from the mean
    of (v^2 - y^2)_+ <= 2 (1 + y) e^{v - y} for v = |Z|^2/(16 sigma^2).
    """
    v, front = TOKEN.square / (16 * sigma**2), scale**2 * 2 * (1 + y) * exp(-y)
    linear = show(positive_part(v - y) * (2 * y + (v - y)), "<=", 2 * (1 + y) * exp(v - y), v - y, y)
    less = show(positive_part(v**2 - y**2), "<=", linear.lhs, v, y)
    point = calc(
        positive_part(C_f**4 * TOKEN.square**2 - cut),
        ("<=", scale**2 * positive_part(v**2 - y**2)),
        ("<=", scale**2 * linear.lhs, less),
        ("<=", front * exp(v), linear),
    )
    lighter = calc(
        mean(exp(v)),
        ("<=", mean(exp(4 * v)), show(exp(v), "<=", exp(4 * v))),
        ("<=", exp(h), quarter()),
        ("<=", exp(2 * d)),
    )
    return calc(mean(point.lhs), ("<=", front * mean(exp(v)), point), ("<=", front * exp(2 * d), lighter))


@proves("BB:LC.7.8", statements.tails, part=2)
@cache
def gamma_integral() -> Theorem:
    """E|err|^4 <= 216 e^{4 a2} K^2/sqrt(L) + 16 L e^{2d} scale^2 (1 + y) e^{-y}."""
    bound = first_term + 16 * L * exp(2 * d) * scale**2 * (1 + y) * exp(-y)
    return calc(token_tail(), ("<=", bound, tail_of_the_token()))


@proves("BB:LC.7.lim", statements.limits, part=1)
@cache
def lower_limit() -> Theorem:
    """y >= (L/8 - e^{4 a2})_+^{1/2} K/scale, from |R/S|^2 <= e^{2 a2} K."""
    size = show(rho**2, "<=", exp(4 * a2) * K**2, moments.size_of_the_limit())
    smaller = calc(
        K**2 * positive_part(L / 8 - exp(4 * a2)),
        ("<=", positive_part(t_0 / 8 - exp(4 * a2) * K**2)),
        ("<=", cut, size),
    )
    return show(least, "<=", y, show(root_of_the_difference * K, "<=", sqrt(cut), smaller))


@cache
def size_of_f() -> Theorem:
    """K <= C_f^2 sqrt(E|Z|^4)."""
    average = show(mean(F**2), "<=", C_f**4 * mean(TOKEN.square**2), fourth_power())
    return show(K, "<=", C_f**2 * fourth, average)


@proves("BB:LC.7.lim", statements.limits, part=(2, 3))
@cache
def upper_limit() -> tuple[Theorem, Theorem]:
    """y <= sqrt(t_0)/(2 sqrt(2) scale) <= sqrt(L) E(|Z|^4)^{1/2}/(32 sqrt(2) sigma^2)."""
    smaller = show(positive_part(t_0 / 8 - rho**2), "<=", t_0 / 8, t_0)
    middle = sqrt(t_0) / (2 * sqrt(term(2)))
    first = show(y, "<=", middle / scale, show(sqrt(cut), "<=", middle, smaller))
    return first, show(middle / scale, "<=", most, size_of_f())


@proves("BB:LC.7.lim/display", statements.display)
@cache
def display() -> Theorem:
    """The last display, E|err|^4 <= 216 e^{4 a2} K^2/sqrt(L) + 16 L e^{2d} scale^2 (1 + most)
    e^{-least}.
    """
    bound = gamma_integral().rhs
    return chain(gamma_integral(), gcongr(bound, lower_limit(), chain(*upper_limit())))


@proves("BB:LC.7.lim", statements.limits, part=4)
@cache
def subadditivity() -> Theorem:
    """sqrt(L/8) - e^{2 a2} <= (L/8 - e^{4 a2})_+^{1/2}."""
    off, gap = exp(2 * a2), sqrt(L / 8) - exp(2 * a2)
    squares = show(positive_part(gap) ** 2, "<=", positive_part(gap * (2 * off + gap)), gap, off)
    apart = calc(gap, ("<=", positive_part(gap)), ("<=", sqrt(squares.rhs), squares))
    return show(gap, "<=", root_of_the_difference, apart)


@proves("BB:LC.7", statements.lemma)
@cache
def theorem() -> Theorem:
    """Lemma C.7, from the last display."""
    larger = calc((sqrt(L / 8) - exp(2 * a2)) * (K / scale), ("<=", least, subadditivity()))
    faster = show(-least, "<=", -larger.lhs, larger, least, larger.lhs)
    return chain(display(), gcongr(display().rhs, faster))
