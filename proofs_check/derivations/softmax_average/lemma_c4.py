"""Lemma C.4 with C_f^2: the mean squared error at a fixed query, from R1 and from one token."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import sympy as sp

from numerics.derivations.derived import chain, exp, log, sqrt
from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.rules import arithmetic, assume, gcongr, instantiate
from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE, Range
from numerics.derivations.kernel.terms import Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, from_sympy
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.softmax_average import moments, second_moment
from proofs_check.derivations.softmax_average.softmax_average import (
    F,
    K,
    a2,
    d,
    error_squared,
    expectation,
    mean,
    rho,
    sigma,
    sub_gaussian,
    total,
)
from theory.bounds.concentration import C as constant
from theory.bounds.concentration import lemma_c4

C_f, Z8 = Variable("C_f", range=POSITIVE), Variable("Z8", range=NONNEGATIVE)
v_, w_ = Variable("v_", range=NONNEGATIVE), Variable("w_", range=Range(Fraction(1), lo_open=False))
#: Whether there are several tokens, or one.
several, single_ = Op("ind", (L - 2,)), Op("above", (2 - L,))


@cache
def few_tokens() -> Theorem:
    """E|err|^2 <= 2 L K + 2 e^{2 a2} K, as R_L/S_L is an average."""
    hull, larger = second_moment.hull_bound(), second_moment.no_larger_than_the_sum(sqrt(F))
    return calc(
        expectation(error_squared),
        ("<=", 2 * L * mean(F) + 2 * rho, calc(hull, ("<=", 2 * total(F) + 2 * rho, larger))),
        ("<=", 2 * L * K + 2 * exp(2 * a2) * K, moments.mean_square(), moments.size_of_the_limit()),
    )


def second_term(p: int, length: Term) -> Term:
    """The second term of the lemma, for |f(z)| <= C_f |z|^p, at a number of tokens."""
    growth = length / 2 - exp(2 * a2) if p == 1 else sqrt(length / 2) - exp(a2)
    spread = 32 * sigma**2 * length * C_f**2 if p == 1 else 1024 * sigma**4 * length * C_f**2
    moment = term(1) if p == 1 else 1 + sqrt(length) / (22 * sigma**2) * sqrt(sqrt(Z8))
    return spread * exp(2 * d) * moment * exp(-growth * _size(p))


def _size(p: int) -> Term:
    return K / (16 * sigma**2 * C_f**2) if p == 1 else sqrt(K) / (16 * sigma**2 * C_f)


def single_statements(
    two: int | Fraction = 2, c: int | Fraction = 1, square: int | Fraction = 1
) -> tuple[Statement, ...]:
    """E|err|^2 1{L = 1} <= two (1 + e^{2 a2}) K, and 2 (1 + e^{2 a2}) K is at most c times the
    second term at L = 1 for p = 1, and `square` times that for p = 2.
    """
    size = (1 + exp(2 * a2)) * K
    error = Statement(
        single_ * expectation(error_squared), "<=", single_ * Fraction(two) * size, sub_gaussian().assumptions
    )
    terms = (
        Statement(2 * size, "<=", Fraction(x) * second_term(p, term(1))) for p, x in ((1, c), (2, square))
    )
    return (error, *terms)


def statements(c: int | Fraction = 1, square: int | Fraction = 1) -> tuple[Statement, ...]:
    """The bound of `theory` with C_f^2 for p = 1, times c, and for p = 2, times `square`."""
    L_, a2_, K_, s2_, C_, d_, Z_ = sp.symbols("L a2 K sigma2 C_f d Z8", positive=True)
    values = {L_: L, a2_: a2, K_: K, s2_: sigma**2, C_: C_f, d_: d, Z_: Z8}
    linear = sp.Rational(c) * lemma_c4(L_, a2_, K_, s2_, C_, d_, power=2)
    quadratic = sp.Rational(square) * lemma_c4(L_, a2_, K_, s2_, C_, d_, p=2, Z8=Z_, power=2)
    given = sub_gaussian().assumptions
    left = expectation(error_squared)
    return tuple(Statement(left, "<=", from_sympy(bound, values), given) for bound in (linear, quadratic))


def _line(p: int) -> Theorem:
    """(1 + w^p) v^p <= p e^2 e^{(w - 2^{-1/p}) v} for v >= 0 and w >= 1."""
    if p == 1:
        return show((1 + w_) * v_, "<=", exp(2) * exp((w_ - Fraction(1, 2)) * v_))
    c = 1 - sqrt(term(Fraction(1, 2)))
    slope, most = show(Fraction(29, 100) * v_, "<=", c * v_), exp((w_ - (1 - c)) * v_)
    each = arithmetic(v_**2, "<=", 7 * exp(slope.lhs))
    each = chain(each, gcongr(each.rhs, slope))
    return calc(
        (1 + w_**2) * v_**2,
        ("<=", 7 * exp(c * v_) + 7 * exp(c * w_ * v_), each, instantiate(each, {v_: w_ * v_})),
        ("<=", 7 * most + 7 * exp(c * w_ * v_), arithmetic(c, "<=", w_ - (1 - c))),
        ("<=", 14 * most, arithmetic(c * w_, "<=", w_ - (1 - c))),
        ("<=", 2 * exp(2) * most, arithmetic(14, "<=", 2 * exp(2))),
    )


@proves("BB:LC.4/one-token", single_statements, part=2, at=(1, 2))
@cache
def one_token(p: int) -> Theorem:
    """2 (1 + e^{2 a2}) K is at most the second term at L = 1."""
    line = _line(p)
    line = chain(line, gcongr(line.rhs, arithmetic(exp(2), "<=", exp(2 * d))))
    line = instantiate(line, {v_: _size(p), w_: exp(2 * a2 / p)})
    return show(2 * (1 + exp(2 * a2)) * K, "<=", second_term(p, term(1)), line)


@proves("BB:LC.4", statements, at=(1, 2))
@cache
def theorem(p: int) -> Theorem:
    """E|err|^2 <= 216 e^{4 a2} K ln(L)/L, the first term, and the second term."""
    error, r1, few = expectation(error_squared), second_moment.theorem(), few_tokens()
    first = 216 * exp(4 * a2) * K * log(L) / L
    long = calc(several * error, ("<=", several * r1.rhs, r1), ("<=", first))
    short = calc(
        single_ * error,
        ("<=", single_ * (2 * L * K + 2 * exp(2 * a2) * K), few),
        ("<=", single_ * (2 * (1 + exp(2 * a2)) * K)),
        ("<=", single_ * second_term(p, term(1)), one_token(p)),
        ("<=", second_term(p, L)),
    )
    return calc(
        error,
        ("<=", several * error + single_ * error, few, error),
        ("<=", first + second_term(p, L), long, short),
    )


@proves("BB:LC.4/one-token", single_statements, part=1)
@cache
def single() -> Theorem:
    """E|err|^2 1{L = 1} <= 2 (1 + e^{2 a2}) K 1{L = 1}."""
    return calc(
        single_ * expectation(error_squared),
        ("<=", single_ * (2 * L * K + 2 * exp(2 * a2) * K), few_tokens()),
        ("<=", single_ * (2 * (1 + exp(2 * a2)) * K)),
    )


two_tokens = assume("L >= 2", 2, "<=", L)


def display_statements(two: int | Fraction = 2) -> tuple[Statement, Statement]:
    """The last display but one with C_f^2 for L >= 2, for p = 1 and 2; `two` is the 2 of 2C
    ln(L)/L.
    """
    L_, a2_, K_, s2_, C_, d_, Z_ = sp.symbols("L a2 K sigma2 C_f d Z8", positive=True)
    values = {L_: L, a2_: a2, K_: K, s2_: sigma**2, C_: C_f, d_: d, Z_: Z8}
    given = sub_gaussian().assumptions | two_tokens.assumptions
    more = Fraction(two) - 2

    def of(p: int) -> Statement:
        printed = lemma_c4(L_, a2_, K_, s2_, C_, d_, p=p, Z8=Z_, power=2, positive_part=True)
        bound = from_sympy(printed + more * constant(a2_, K_) * sp.log(L_) / L_, values)
        return Statement(expectation(error_squared), "<=", bound, given)

    return of(1), of(2)


@proves("BB:LC.4.subadd/display", display_statements, part=(1, 2))
def last_display_but_one() -> tuple[Theorem, ...]:
    """The first term is above R1, and the second is not negative."""
    r1, first = second_moment.theorem(), 216 * exp(4 * a2) * K * log(L) / L
    near = calc(expectation(error_squared), ("<=", r1.rhs, r1), ("<=", first, two_tokens))
    return tuple(calc(near, ("<=", goal.rhs)) for goal in display_statements())
