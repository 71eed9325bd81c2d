"""R1: E|err|^2 <= C e^{4 a2} sqrt(E|f|^4)/L for sub-Gaussian tokens, any f with four moments and
any L, step by step.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import NamedTuple

import sympy as sp

from numerics.derivations.binding import bind, instantiated
from numerics.derivations.derived import cauchy_schwarz, chain, exp, integrated, sqrt
from numerics.derivations.normal_form import LENGTH as L
from numerics.derivations.rules import arithmetic, equal, limit, replace, specialise
from numerics.derivations.statements import Statement, from_sympy
from numerics.derivations.terms import Defined, Term, term
from numerics.derivations.theorems import Theorem
from proofs_check.derivations.moments import size_of_the_limit, weight_at_least_one, weights
from proofs_check.derivations.normaliser import failure
from proofs_check.derivations.softmax_average import (
    HALF,
    R_L,
    S_L,
    F,
    K,
    a2,
    bad,
    eps,
    error_squared,
    expectation,
    f,
    fails,
    g,
    good,
    holds,
    i,
    k,
    l,
    m,
    mean,
    over,
    prompt,
    q,
    r,
    rho,
    s,
    score,
    sub_gaussian,
    total,
    u,
    w,
    x,
    y,
)
from theory.bounds.concentration import second_moment_R1

N2 = over(i, m, (R_L - S_L * r) ** 2)


@cache
def numerator() -> Theorem:
    """E|R_L - S_L R/S|^2 = L E w^2|f - r|^2 <= 4 L e^{4 a2} K."""
    second, product = weights()
    one = mean(w**2 * (f(i, k) - r) ** 2)
    two = arithmetic(u**2 * (x - y) ** 2, "<=", 2 * u**2 * x**2 + 2 * u**2 * y**2)
    each = integrated("mean", (k,), specialise(two, {u: w, x: f(i, k), y: r}))
    together = integrated("coordinates", (i,), each, over(i, m, one), 2 * mean(w**2 * F) + 2 * rho * q, (m,))
    bound = replace(L * (2 * mean(w**2 * F) + 2 * rho * q), product, size_of_the_limit(), second)
    step = replace(L * over(i, m, one), together)
    return chain(expectation(N2), L * over(i, m, one), step, bound, 4 * L * exp(4 * a2) * K)


@cache
def average_of_vectors() -> Theorem:
    """|R_L|^2 <= S_L sum w|f|^2, by the Cauchy-Schwarz inequality."""
    each = cauchy_schwarz("sum", (k,), exp(score / 2), exp(score / 2) * f(i, k), (prompt,))
    return integrated("coordinates", (i,), each, over(i, m, R_L**2), S_L * total(w * F), (m,))


def average_of_squares(h: Term) -> tuple[Theorem, Theorem]:
    """(sum w h)^2 <= S_L sum w h^2 <= S_L^2 sum h^2 for a function h of a token."""
    square = cauchy_schwarz("sum", (k,), exp(score / 2), exp(score / 2) * h, (prompt,))
    inner = chain(total(w * h) ** 2, square, S_L * total(w * h**2))
    return inner, chain(inner, replace(inner.rhs, no_larger_than_the_sum(h)), S_L**2 * total(h**2))


def no_larger_than_the_sum(h: Term) -> Theorem:
    """sum w h^2 <= S_L sum h^2, as no weight is larger than the sum of all."""
    pairs = bind("sum", (k, l), w * instantiated(h**2, {k: l}), (prompt,))
    return chain(arithmetic(total(w * h**2), "<=", total(w * h**2) + pairs), S_L * total(h**2))


@cache
def hull_bound(more: Fraction = Fraction(1)) -> Theorem:
    """|err|^2 <= (1 + more) sum w|f|^2/S_L + (1 + 1/more) rho, as R_L/S_L is an average."""
    two = specialise(
        arithmetic((x - y) ** 2, "<=", (1 + more) * x**2 + (1 + 1 / more) * y**2), {x: R_L / S_L, y: r}
    )
    R2 = over(i, m, R_L**2)
    both = integrated(
        "coordinates", (i,), two, error_squared, (1 + more) * R2 / S_L**2 + (1 + 1 / more) * rho, (m,)
    )
    return chain(
        both, replace(both.rhs, average_of_vectors()), (1 + more) * total(w * F) / S_L + (1 + 1 / more) * rho
    )


class Parts(NamedTuple):
    """What R1 rests on, for f with values in any space: the terms |err|^2, |N|^2, |f|^2, |R/S|^2
    and sqrt(E|f|^4), and bounds of |err|^2 as an average, of E|N|^2, and of |R/S|^2.
    """

    error_squared: Term
    N2: Term
    F: Term
    rho: Term
    K: Term
    hull: Callable[[Fraction], Theorem]
    numerator: Theorem
    limit: Theorem


@cache
def vectors() -> Parts:
    """The parts for f with values in R^m."""
    return Parts(error_squared, N2, F, rho, K, hull_bound, numerator(), size_of_the_limit())


def off(of: Parts, kept: Fraction = HALF) -> Theorem:
    """|err|^2 1{S_L >= kept S} <= |N|^2/(kept L)^2, from |err| = |N|/S_L and S >= L."""
    same = equal(of.error_squared, of.N2 / S_L**2)
    return arithmetic(
        holds(kept) * of.error_squared, "<=", of.N2 / kept**2 / L**2, same, weight_at_least_one()
    )


def on(of: Parts, kept: Fraction = HALF, more: Fraction = Fraction(1)) -> Theorem:
    """|err|^2 1{S_L < kept S} <= (p s + (1 + 1/more) rho) 1{S_L < kept S} + p sum |f(z_k)|^4/s for
    every s > 0 and p = (1 + more)/2.
    """
    p, fourth, hull = (1 + more) / 2, total(of.F**2), Defined("hull", total(w * of.F) / S_L)
    young = arithmetic(2 * p * hull, "<=", p * s + p * hull**2 / s)
    below = chain(hull**2, replace(total(w * of.F) ** 2 / S_L**2, average_of_squares(of.F)[1]), fourth)
    both = chain(of.hull(more), 2 * p * hull + (1 + 1 / more) * of.rho)
    both = chain(
        both, replace(both.rhs, young), replace(p * s + p * hull**2 / s + (1 + 1 / more) * of.rho, below)
    )
    bad = fails(kept)
    part = arithmetic(bad * both.rhs, "<=", (p * s + (1 + 1 / more) * of.rho) * bad + p * fourth / s)
    return chain(replace(bad * of.error_squared, both), part)


def at_the_best_s(
    split: Theorem, rest: Term, c: Term, p: int | Fraction, size: Term, kept: Fraction = HALF, g: Term = g
) -> Theorem:
    """From X <= rest + (p s + c) P(S_L < kept S) + p L size^2/s for every s > 0 to X <= rest + c
    g^2 + 2 p g sqrt(L) size, where g^2 bounds the probability.
    """
    split = chain(split, replace(split.rhs, chain(failure(kept), g**2)))
    split = chain(specialise(split, {s: s / g}), rest + c * g**2 + p * g * (s + L * size**2 / s))
    scale = sqrt(L) * size
    best = arithmetic(scale + eps + L * size**2 / (scale + eps), "<=", 2 * scale + eps)
    near = rest + c * g**2 + p * g * best.lhs
    split = chain(specialise(split, {s: scale + eps}), near, replace(near, best))
    return limit(split, eps, rest + c * g**2 + 2 * p * g * scale, p * g)


@cache
def where_the_normaliser_holds() -> Theorem:
    """E[|err|^2; S_L >= S/2] <= 16 e^{4 a2} K/L."""
    mean_of = integrated("prompt", (prompt,), off(vectors()), None, 4 * expectation(N2) / L**2)
    return chain(mean_of, replace(mean_of.rhs, numerator()), 16 * exp(4 * a2) * K / L)


@cache
def where_the_normaliser_fails() -> Theorem:
    """E[|err|^2; S_L < S/2] <= 2 sqrt(L) K e^{-x/2} + 2 e^{2 a2} K e^{-x}, x = (L/8) e^{-2 a2}."""
    mean_of = integrated(
        "prompt", (prompt,), on(vectors()), None, (s + 2 * rho) * expectation(bad) + L * K**2 / s
    )
    part = at_the_best_s(mean_of, term(0), 2 * rho, 1, K)
    return chain(part, replace(part.rhs, size_of_the_limit()))


@cache
def constant(C: int | Fraction) -> tuple[Term, Theorem]:
    """25 + (4/3) L^{3/2} e^{-4 a2} tau + 4 L e^{-2 a2} tau^2 <= C for tau = e^{-9 L e^{-2 a2}/100},
    whose square bounds the probability that S_L < 2S/5.
    """
    tau = Defined("tau", exp(-9 * L * exp(-2 * a2) / 100))
    share = 25 + Fraction(4, 3) * L ** Fraction(3, 2) * exp(-4 * a2) * tau + 4 * L * exp(-2 * a2) * tau**2
    return tau, arithmetic(share, "<=", term(C), equal(tau, tau.body), via={x: L * exp(-2 * a2)})


def mean_of_the_error(of: Parts, C: int | Fraction = 50) -> Theorem:
    """E|err|^2 <= C e^{4 a2} K/L: where S_L >= 2S/5 and where not, both at their largest value."""
    kept, p = Fraction(2, 5), Fraction(2, 3)
    bad = fails(kept)
    parts = specialise(arithmetic(x, "<=", holds(kept) * x + bad * x), {x: of.error_squared})
    parts = chain(parts, replace(parts.rhs, off(of, kept), on(of, kept, 2 * p - 1)))
    rest, more = (
        expectation(of.N2) / kept**2 / L**2,
        (p * s + 4 * of.rho) * expectation(bad) + p * L * of.K**2 / s,
    )
    split = integrated("prompt", (prompt,), parts, expectation(of.error_squared), rest + more)
    rest = 25 * exp(4 * a2) * of.K / L
    split = chain(split, replace(split.rhs, of.numerator), rest + more)
    unit, (tau, largest) = exp(4 * a2) * of.K / L, constant(C)
    best = at_the_best_s(split, rest, 4 * of.rho, p, of.K, kept, tau)
    return chain(best, replace(best.rhs, of.limit), largest.lhs * unit, replace(largest.lhs * unit, largest))


@cache
def theorem(C: int | Fraction = 50) -> Theorem:
    """E|err|^2 <= C e^{4 a2} K/L for f with values in R^m."""
    return mean_of_the_error(vectors(), C)


def statement(C: int | Fraction = 50) -> Statement:
    """R1 as a statement, from the bound of `theory` and the definition of a sub-Gaussian law."""
    L_, a2_, K_ = sp.symbols("L a2 K", positive=True)
    bound = from_sympy(second_moment_R1(L_, a2_, K_, sp.Rational(C)), {L_: L, a2_: a2, K_: K})
    return Statement(expectation(error_squared), "<=", bound, sub_gaussian().assumptions)


def part_statement(c: int | Fraction = 16) -> Statement:
    """E[|err|^2; S_L >= S/2] <= c e^{4 a2} K/L."""
    return Statement(
        expectation(good * error_squared), "<=", Fraction(c) * exp(4 * a2) * K / L, sub_gaussian().assumptions
    )


def failure_statements(c: int | Fraction = 2, share: int | Fraction = 1) -> tuple[Statement, Statement]:
    """P(S_L < S/2) <= share e^{-x} and E[|err|^2; S_L < S/2] <= c(sqrt(L) K e^{-x/2} + e^{2 a2} K
    e^{-x}).
    """
    given, c = sub_gaussian().assumptions, Fraction(c)
    return (
        Statement(expectation(bad), "<=", Fraction(share) * g**2, given),
        Statement(
            expectation(bad * error_squared), "<=", c * sqrt(L) * K * g + c * exp(2 * a2) * K * g**2, given
        ),
    )
