"""R1: E|err|^2 <= C e^{4 a2} sqrt(E|f|^4)/L for sub-Gaussian tokens, any f with four moments and
any L, step by step.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import NamedTuple

import sympy as sp

from numerics.derivations.derived import cauchy_schwarz, exp, sqrt
from numerics.derivations.kernel.binding import bind, instantiated
from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.rules import arithmetic, equal, instantiate, limit
from numerics.derivations.kernel.terms import Defined, Term, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, from_sympy
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.softmax_average import softmax_average as W
from proofs_check.derivations.softmax_average.moments import size_of_the_limit, weight_at_least_one, weights
from proofs_check.derivations.softmax_average.normaliser import failure
from proofs_check.derivations.softmax_average.softmax_average import (
    HALF,
    F,
    K,
    a2,
    expectation,
    f,
    g,
    i,
    k,
    mean,
    s,
    total,
    w,
)
from theory.bounds.concentration import second_moment_R1

over_values = lambda body: W.over(i, W.m, body)
N2 = over_values((W.R_L - W.S_L * W.r) ** 2)


def statement(C: int | Fraction = 50) -> Statement:
    """R1 as a statement, from the bound of `theory` and the definition of a sub-Gaussian law."""
    L_, a2_, K_ = sp.symbols("L a2 K", positive=True)
    bound = from_sympy(second_moment_R1(L_, a2_, K_, sp.Rational(C)), {L_: L, a2_: a2, K_: K})
    return Statement(expectation(W.error_squared), "<=", bound, W.sub_gaussian().assumptions)


def part_statement(c: int | Fraction = 16) -> Statement:
    """E[|err|^2; S_L >= S/2] <= c e^{4 a2} K/L."""
    left, given = expectation(W.good * W.error_squared), W.sub_gaussian().assumptions
    return Statement(left, "<=", Fraction(c) * exp(4 * a2) * K / L, given)


def failure_statements(c: int | Fraction = 2, share: int | Fraction = 1) -> tuple[Statement, Statement]:
    """P(S_L < S/2) <= share e^{-x} and E[|err|^2; S_L < S/2] <= c(sqrt(L) K e^{-x/2} + e^{2 a2} K
    e^{-x}).
    """
    given, c = W.sub_gaussian().assumptions, Fraction(c)
    most = c * sqrt(L) * K * g + c * exp(2 * a2) * K * g**2
    return (
        Statement(expectation(W.bad), "<=", Fraction(share) * g**2, given),
        Statement(expectation(W.bad * W.error_squared), "<=", most, given),
    )


@cache
def numerator() -> Theorem:
    """E|R_L - S_L R/S|^2 = L E w^2|f - r|^2 <= 4 L e^{4 a2} K."""
    off = w**2 * (f(i, k) - W.r) ** 2
    each = show(off, "<=", 2 * w**2 * f(i, k) ** 2 + 2 * w**2 * W.r**2)
    return calc(
        expectation(N2),
        ("==", L * over_values(mean(off))),
        ("<=", L * (2 * mean(w**2 * F) + 2 * W.rho * W.q), each),
        ("<=", 4 * L * exp(4 * a2) * K, *weights(), size_of_the_limit()),
    )


@cache
def average_of_vectors() -> Theorem:
    """|R_L|^2 <= S_L sum w|f|^2, by the Cauchy-Schwarz inequality."""
    half = exp(W.score / 2)
    each = cauchy_schwarz("sum", (k,), half, half * f(i, k), (W.prompt,))
    return show(over_values(W.R_L**2), "<=", W.S_L * total(w * F), each)


def average_of_squares(h: Term) -> tuple[Theorem, Theorem]:
    """(sum w h)^2 <= S_L sum w h^2 <= S_L^2 sum h^2 for a function h of a token."""
    half = exp(W.score / 2)
    square = cauchy_schwarz("sum", (k,), half, half * h, (W.prompt,))
    inner = show(total(w * h) ** 2, "<=", W.S_L * total(w * h**2), square)
    return inner, calc(inner, ("<=", W.S_L**2 * total(h**2), no_larger_than_the_sum(h)))


def no_larger_than_the_sum(h: Term) -> Theorem:
    """sum w h^2 <= S_L sum h^2, as no weight is larger than the sum of all."""
    pairs = bind("sum", (k, W.l), w * instantiated(h**2, {k: W.l}), (W.prompt,))
    return calc(total(w * h**2), ("<=", total(w * h**2) + pairs), ("==", W.S_L * total(h**2)))


@cache
def hull_bound(more: Fraction = Fraction(1)) -> Theorem:
    """|err|^2 <= (1 + more) sum w|f|^2/S_L + (1 + 1/more) rho, as R_L/S_L is an average."""
    average, rest = W.R_L / W.S_L, (1 + 1 / more) * W.rho
    each = show((average - W.r) ** 2, "<=", (1 + more) * average**2 + (1 + 1 / more) * W.r**2)
    return calc(
        W.error_squared,
        ("<=", (1 + more) * over_values(W.R_L**2) / W.S_L**2 + rest, each),
        ("<=", (1 + more) * total(w * F) / W.S_L + rest, average_of_vectors()),
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
    return Parts(W.error_squared, N2, F, W.rho, K, hull_bound, numerator(), size_of_the_limit())


def off(of: Parts, kept: Fraction = HALF) -> Theorem:
    """|err|^2 1{S_L >= kept S} <= |N|^2/(kept L)^2, from |err| = |N|/S_L and S >= L."""
    same = equal(of.error_squared, of.N2 / W.S_L**2)
    most = of.N2 / kept**2 / L**2
    return arithmetic(W.holds(kept) * of.error_squared, "<=", most, same, weight_at_least_one())


def on(of: Parts, kept: Fraction = HALF, more: Fraction = Fraction(1)) -> Theorem:
    """|err|^2 1{S_L < kept S} <= (p s + (1 + 1/more) rho) 1{S_L < kept S} + p sum |f(z_k)|^4/s for
    every s > 0 and p = (1 + more)/2.
    """
    bad, p, c, fourth = W.fails(kept), (1 + more) / 2, (1 + 1 / more) * of.rho, total(of.F**2)
    hull = Defined("hull", total(w * of.F) / W.S_L)
    return calc(
        bad * of.error_squared,
        ("<=", bad * (2 * p * hull + c), of.hull(more)),
        ("<=", bad * (p * s + p * hull**2 / s + c), show(2 * p * hull, "<=", p * s + p * hull**2 / s)),
        ("<=", bad * (p * s + p * fourth / s + c), show(hull**2, "<=", fourth, average_of_squares(of.F)[1])),
        ("<=", (p * s + c) * bad + p * fourth / s),
    )


def at_the_best_s(
    split: Theorem, rest: Term, c: Term, p: int | Fraction, size: Term, kept: Fraction = HALF, g: Term = g
) -> Theorem:
    """From X <= rest + (p s + c) P(S_L < kept S) + p L size^2/s for every s > 0 to X <= rest + c
    g^2 + 2 p g sqrt(L) size, where g^2 bounds the probability.
    """
    bound = lambda sum_of_two: rest + c * g**2 + p * g * sum_of_two
    scale = sqrt(L) * size
    split = calc(split, ("<=", rest + (p * s + c) * g**2 + p * L * size**2 / s, failure(kept)))
    split = calc(instantiate(split, {s: s / g}), ("==", bound(s + L * size**2 / s)))
    best = show(scale + W.eps + L * size**2 / (scale + W.eps), "<=", 2 * scale + W.eps)
    split = calc(instantiate(split, {s: scale + W.eps}), ("<=", bound(2 * scale + W.eps), best))
    return limit(split, W.eps, bound(2 * scale), p * g)


@proves("OURS:R1.off", part_statement)
@cache
def where_the_normaliser_holds() -> Theorem:
    """E[|err|^2; S_L >= S/2] <= 16 e^{4 a2} K/L."""
    return calc(
        expectation(W.good * W.error_squared),
        ("<=", 4 * expectation(N2) / L**2, off(vectors())),
        ("<=", 16 * exp(4 * a2) * K / L, numerator()),
    )


proves("OURS:R1.on", failure_statements, part=1)(failure)


@proves("OURS:R1.on", failure_statements, part=2)
@cache
def where_the_normaliser_fails() -> Theorem:
    """E[|err|^2; S_L < S/2] <= 2 sqrt(L) K e^{-x/2} + 2 e^{2 a2} K e^{-x}, x = (L/8) e^{-2 a2}."""
    bad = W.bad
    most = (s + 2 * W.rho) * expectation(bad) + L * K**2 / s
    split = show(expectation(bad * W.error_squared), "<=", most, on(vectors()))
    part = at_the_best_s(split, term(0), 2 * W.rho, 1, K)
    return calc(part, ("<=", 2 * exp(2 * a2) * K * g**2 + 2 * g * sqrt(L) * K, size_of_the_limit()))


@cache
def constant(C: int | Fraction) -> tuple[Term, Theorem]:
    """25 + (4/3) L^{3/2} e^{-4 a2} tau + 4 L e^{-2 a2} tau^2 <= C for tau = e^{-9 L e^{-2 a2}/100},
    whose square bounds the probability that S_L < 2S/5.
    """
    tau = Defined("tau", exp(-9 * L * exp(-2 * a2) / 100))
    share = 25 + Fraction(4, 3) * L ** Fraction(3, 2) * exp(-4 * a2) * tau + 4 * L * exp(-2 * a2) * tau**2
    return tau, arithmetic(share, "<=", term(C), equal(tau, tau.body), via={W.x: L * exp(-2 * a2)})


def mean_of_the_error(of: Parts, C: int | Fraction = 50) -> Theorem:
    """E|err|^2 <= C e^{4 a2} K/L: where S_L >= 2S/5 and where not, both at their largest value."""
    kept, p = Fraction(2, 5), Fraction(2, 3)
    bad, error, first = W.fails(kept), of.error_squared, off(of, kept)
    second, unit, (tau, largest) = on(of, kept, 2 * p - 1), exp(4 * a2) * of.K / L, constant(C)
    split = calc(
        error,
        ("<=", W.holds(kept) * error + bad * error, error),
        ("<=", first.rhs + second.rhs, first, second),
    )
    more = (p * s + 4 * of.rho) * expectation(bad) + p * L * of.K**2 / s
    split = calc(
        expectation(error),
        ("<=", expectation(of.N2) / kept**2 / L**2 + more, split),
        ("<=", 25 * unit + more, of.numerator),
    )
    return calc(
        at_the_best_s(split, 25 * unit, 4 * of.rho, p, of.K, kept, tau),
        ("<=", largest.lhs * unit, of.limit),
        ("<=", C * unit, largest),
    )


@proves("OURS:R1.LC4", lambda top=75: statement(top))
@proves("OURS:R1", statement)
@cache
def theorem(C: int | Fraction = 50) -> Theorem:
    """E|err|^2 <= C e^{4 a2} K/L for f with values in R^m."""
    return mean_of_the_error(vectors(), C)
