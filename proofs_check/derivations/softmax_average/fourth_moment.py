"""R2: E|err|^4 <= C e^{16 a2} sqrt(E|f|^8)/L^2 for sub-Gaussian tokens, f with eight moments and
any L. The steps are those of R1 for the fourth power.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import sympy as sp

from numerics.derivations.derived import cauchy_schwarz, chain, exp, integrated, root, sqrt
from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.rules import arithmetic, equal, gcongr, instantiate
from numerics.derivations.kernel.sorts import POSITIVE
from numerics.derivations.kernel.terms import Defined, Function, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, from_sympy
from proofs_check.derivations.softmax_average import moments, second_moment, sums
from proofs_check.derivations.softmax_average.softmax_average import (
    R_L as R_L4,
)
from proofs_check.derivations.softmax_average.softmax_average import (
    S_L,
    a2,
    bad,
    expectation,
    g,
    good,
    i,
    k,
    m,
    mean,
    moment,
    over,
    prompt,
    s,
    sub_gaussian,
    total,
    w,
    x,
    y,
)
from proofs_check.derivations.softmax_average.softmax_average import (
    F as F4,
)
from proofs_check.derivations.softmax_average.softmax_average import (
    f as f4,
)
from proofs_check.derivations.softmax_average.softmax_average import (
    r as r4,
)
from theory.bounds.concentration_moments import fourth_moment_R2

u = Variable("u_", range=POSITIVE)
#: The function f with eight moments, and what is made of it.
f = Function("f", f4.sorts, Fraction(8))
with_f = {f4: ((i, k), f(i, k))}
R_L, r, F = (instantiated(e, with_f) for e in (R_L4, r4, F4))
rho = Defined("rho", over(i, m, r**2))
error_squared = Defined("err2", over(i, m, (R_L / S_L - r) ** 2))
K8 = Defined("K8", sqrt(mean(F**4)))
N2 = over(i, m, (R_L - S_L * r) ** 2)
one = mean(w**4 * over(i, m, (f(i, k) - r) ** 2) ** 2)


def with_eight_moments(thm: Theorem) -> Theorem:
    """The theorem for a function f with eight moments."""
    return instantiate(thm, with_f)


@cache
def moments_of_f() -> tuple[Theorem, Theorem]:
    """E w^4 |f|^4 <= e^{16 a2} K8, and rho^2 <= e^{4 a2} K8."""
    square = cauchy_schwarz("mean", (k,), w**4, F**2)
    eighth = chain(mean((w**4) ** 2), moment(term(8)), exp(32 * a2))
    square = chain(square, gcongr(square.rhs, chain(mean((w**4) ** 2), eighth)), exp(32 * a2) * K8**2)
    weighted = root(square, mean(w**4 * F**2), exp(16 * a2) * K8)
    size = chain(rho, with_eight_moments(moments.size_of_the_limit()), exp(2 * a2) * sqrt(mean(F**2)))
    fourth = root(chain(mean(F**2) ** 2, cauchy_schwarz("mean", (k,), F**2, 1), K8**2), mean(F**2), K8)
    size = chain(gcongr(rho**2, size), exp(4 * a2) * mean(F**2))
    return weighted, chain(size, gcongr(size.rhs, fourth))


@cache
def term_of_the_numerator() -> Theorem:
    """E|X|^4 <= 16 e^{16 a2} K8 for X = w(f - R/S)."""
    weighted, size = moments_of_f()
    two = instantiate(arithmetic((x - y) ** 2, "<=", 2 * x**2 + 2 * y**2), {x: f(i, k), y: r})
    apart = integrated("coordinates", (i,), two, None, 2 * F + 2 * rho, (m,))
    fourth = chain(
        apart.lhs**2,
        gcongr(apart.lhs**2, apart),
        arithmetic((2 * F + 2 * rho) ** 2, "<=", 8 * F**2 + 8 * rho**2),
    )
    each = chain(w**4 * apart.lhs**2, gcongr(w**4 * apart.lhs**2, fourth))
    all_ = integrated("mean", (k,), each, one, 8 * mean(w**4 * F**2) + 8 * rho**2 * mean(w**4))
    all_ = chain(all_, gcongr(all_.rhs, weighted, size, chain(mean(w**4), moment(term(4)), exp(8 * a2))))
    return chain(all_, arithmetic(all_.rhs, "<=", 16 * exp(16 * a2) * K8))


@cache
def numerator() -> Theorem:
    """E|R_L - S_L R/S|^4 <= 3 L^2 E|X|^4 <= 48 L^2 e^{16 a2} K8."""
    fourth = instantiate(sums.fourth_power_theorem(), {sums.X: ((i, k), w * (f(i, k) - r))})
    fourth = chain(expectation(N2**2), fourth, 3 * L**2 * one)
    return chain(fourth, gcongr(fourth.rhs, term_of_the_numerator()), 48 * L**2 * exp(16 * a2) * K8)


@cache
def off() -> Theorem:
    """|err|^4 1{S_L >= S/2} <= 16|N|^4/L^4."""
    parts = (equal(error_squared, N2 / S_L**2), moments.weight_at_least_one())
    return arithmetic(good * error_squared**2, "<=", 16 * N2**2 / L**4, *parts)


@cache
def hull_bound() -> Theorem:
    """|err|^4 <= 8 sum w|f|^4/S_L + 8 rho^2, as R_L/S_L is an average."""
    hull = Defined("hull", total(w * F) / S_L)
    both = chain(error_squared, with_eight_moments(second_moment.hull_bound()), 2 * hull + 2 * rho)
    fourth = chain(gcongr(error_squared**2, both), arithmetic(both.rhs**2, "<=", 8 * hull**2 + 8 * rho**2))
    first = average_step(F, hull**2, total(w * F**2) / S_L)
    return chain(fourth, gcongr(fourth.rhs, first), 8 * (total(w * F**2) / S_L) + 8 * rho**2)


@cache
def on() -> Theorem:
    """|err|^4 1{S_L < S/2} <= (4 s + 8 rho^2) 1{S_L < S/2} + 4 sum |f(z_k)|^8/s for every s > 0."""
    hull2 = Defined("hull2", total(w * F**2) / S_L)
    second = chain(
        hull2**2,
        gcongr(total(w * F**2) ** 2 / S_L**2, second_moment.average_of_squares(F**2)[1]),
        total(F**4),
    )
    young = arithmetic(8 * hull2 + 8 * rho**2, "<=", 4 * s + 4 * hull2**2 / s + 8 * rho**2)
    fourth = chain(hull_bound(), young)
    fourth = chain(fourth, gcongr(fourth.rhs, second))
    part = arithmetic(bad * fourth.rhs, "<=", (4 * s + 8 * rho**2) * bad + 4 * total(F**4) / s)
    return chain(gcongr(bad * error_squared**2, fourth), part)


def average_step(h: Term, left: Term, right: Term) -> Theorem:
    """(sum w h/S_L)^2 <= sum w h^2/S_L."""
    return chain(left, gcongr(total(w * h) ** 2 / S_L**2, second_moment.average_of_squares(h)[0]), right)


@cache
def where_the_normaliser_holds() -> Theorem:
    """E[|err|^4; S_L >= S/2] <= 768 e^{16 a2} K8/L^2."""
    mean_of = integrated("prompt", (prompt,), off(), None, 16 * expectation(N2**2) / L**4)
    return chain(mean_of, gcongr(mean_of.rhs, numerator()), 768 * exp(16 * a2) * K8 / L**2)


@cache
def where_the_normaliser_fails() -> Theorem:
    """E[|err|^4; S_L < S/2] <= 8 sqrt(L) K8 e^{-x/2} + 8 e^{4 a2} K8 e^{-x} with
    x = (L/8) e^{-2 a2}.
    """
    mean_of = integrated(
        "prompt", (prompt,), on(), None, (4 * s + 8 * rho**2) * expectation(bad) + 4 * L * K8**2 / s
    )
    part = second_moment.at_the_best_s(mean_of, term(0), 8 * rho**2, 4, K8)
    return chain(part, gcongr(part.rhs, moments_of_f()[1]))


@cache
def theorem(C: int | Fraction = 8000) -> Theorem:
    """E|err|^4 <= C e^{16 a2} K8/L^2: both parts together at their largest value."""
    parts = instantiate(arithmetic(x, "<=", good * x + bad * x), {x: error_squared**2})
    parts = chain(parts, gcongr(parts.rhs, off(), on()))
    more = (4 * s + 8 * rho**2) * expectation(bad) + 4 * L * K8**2 / s
    split = integrated(
        "prompt", (prompt,), parts, expectation(error_squared**2), 16 * expectation(N2**2) / L**4 + more
    )
    rest = 768 * exp(16 * a2) * K8 / L**2
    split = chain(split, gcongr(split.rhs, numerator()), rest + more)
    best = second_moment.at_the_best_s(split, rest, 8 * rho**2, 4, K8)
    tails = lambda u: (8 * (8 * u) ** Fraction(5, 2) * exp(-u / 2), 512 * u**2 * exp(-u))
    first, second = tails(L * exp(-2 * a2) / 8)
    share = 768 + exp(-11 * a2) * first + exp(-8 * a2) * second
    most = instantiate(arithmetic(768 + sum(tails(u), term(0)), "<=", term(C)), {u: L * exp(-2 * a2) / 8})
    largest = chain(gcongr(share, *(arithmetic(exp(-n * a2), "<=", 1) for n in (11, 8))), most)
    unit = exp(16 * a2) * K8 / L**2
    return chain(best, gcongr(best.rhs, moments_of_f()[1]), share * unit, gcongr(share * unit, largest))


def statement(C: int | Fraction = 8000) -> Statement:
    """R2 as a statement, from the bound of `theory`."""
    L_, a2_, K_ = sp.symbols("L a2 K8", positive=True)
    bound = from_sympy(fourth_moment_R2(L_, a2_, K_, sp.Rational(C)), {L_: L, a2_: a2, K_: K8})
    return Statement(expectation(error_squared**2), "<=", bound, sub_gaussian().assumptions)


def part_statement(c: int | Fraction = 1024) -> Statement:
    """E[|err|^4; S_L >= S/2] <= c e^{16 a2} K8/L^2."""
    return Statement(
        expectation(good * error_squared**2),
        "<=",
        Fraction(c) * exp(16 * a2) * K8 / L**2,
        sub_gaussian().assumptions,
    )


def term_statement(top: int | Fraction = 16) -> Statement:
    """E|w(f - R/S)|^4 <= top e^{16 a2} K8."""
    return Statement(one, "<=", Fraction(top) * exp(16 * a2) * K8, sub_gaussian().assumptions)


def numerator_statement(c: int | Fraction = 64) -> Statement:
    """E|R_L - S_L R/S|^4 <= c L^2 e^{16 a2} K8."""
    return Statement(
        expectation(N2**2), "<=", Fraction(c) * L**2 * exp(16 * a2) * K8, sub_gaussian().assumptions
    )


def failure_statement(c: int | Fraction = 8) -> Statement:
    """E[|err|^4; S_L < S/2] <= c(sqrt(L) K8 e^{-x/2} + e^{4 a2} K8 e^{-x})."""
    right = Fraction(c) * sqrt(L) * K8 * g + Fraction(c) * exp(4 * a2) * K8 * g**2
    return Statement(expectation(bad * error_squared**2), "<=", right, sub_gaussian().assumptions)
