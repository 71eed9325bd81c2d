"""Lemma C.4 with C_f^2: the mean squared error at a fixed query, from R1 and from one token."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import sympy as sp

from numerics.derivations.derived import chain, exp, integrated, log, sqrt
from numerics.derivations.normal_form import LENGTH as L
from numerics.derivations.rules import arithmetic, replace, specialise
from numerics.derivations.sorts import NONNEGATIVE, POSITIVE, Range
from numerics.derivations.statements import Statement, from_sympy
from numerics.derivations.terms import Op, Term, Variable, term
from numerics.derivations.theorems import Theorem
from proofs_check.derivations import moments, second_moment
from proofs_check.derivations.softmax_average import (
    S_L,
    F,
    K,
    a2,
    d,
    error_squared,
    expectation,
    mean,
    prompt,
    rho,
    sigma,
    sub_gaussian,
    total,
)
from theory.bounds.concentration import lemma_c4

C_f, Z8 = Variable("C_f", range=POSITIVE), Variable("Z8", range=NONNEGATIVE)
v_, w_ = Variable("v_", range=NONNEGATIVE), Variable("w_", range=Range(Fraction(1), lo_open=False))
#: Whether there are several tokens, or one.
several, single_ = Op("ind", (L - 2,)), Op("above", (2 - L,))


@cache
def few_tokens() -> Theorem:
    """E|err|^2 <= 2 L K + 2 e^{2 a2} K, as R_L/S_L is an average."""
    larger = second_moment.no_larger_than_the_sum(sqrt(F))
    hull = chain(second_moment.hull_bound(), 2 * (larger.lhs / S_L) + 2 * rho)
    hull = chain(hull, replace(hull.rhs, larger), 2 * total(F) + 2 * rho)
    average = integrated("prompt", (prompt,), hull, expectation(error_squared), 2 * L * mean(F) + 2 * rho)
    return chain(average, replace(average.rhs, moments.size_of_the_limit(), moments.mean_square()))


def second_term(p: int, length: Term) -> Term:
    """The second term of the lemma, for |f(z)| <= C_f |z|^p, at a number of tokens."""
    growth = length / 2 - exp(2 * a2) if p == 1 else sqrt(length / 2) - exp(a2)
    spread = 32 * sigma**2 * length * C_f**2 if p == 1 else 1024 * sigma**4 * length * C_f**2
    moment = term(1) if p == 1 else 1 + sqrt(length) / (22 * sigma**2) * sqrt(sqrt(Z8))
    return spread * exp(2 * d) * moment * exp(-growth * _size(p))


def _size(p: int) -> Term:
    return K / (16 * sigma**2 * C_f**2) if p == 1 else sqrt(K) / (16 * sigma**2 * C_f)


def _line(p: int) -> Theorem:
    """(1 + w^p) v^p <= p e^2 e^{(w - 2^{-1/p}) v} for v >= 0 and w >= 1."""
    if p == 1:
        return arithmetic((1 + w_) * v_, "<=", exp(2) * exp((w_ - Fraction(1, 2)) * v_))
    c = 1 - sqrt(term(Fraction(1, 2)))
    each = arithmetic(v_**2, "<=", 7 * exp(c * v_))
    slow, fast = arithmetic(c, "<=", w_ - (1 - c)), arithmetic(c * w_, "<=", w_ - (1 - c))
    first = chain(each, replace(7 * exp(c * v_), slow))
    second = specialise(each, {v_: w_ * v_})
    second = chain(second, 7 * exp(c * w_ * v_), replace(7 * exp(c * w_ * v_), fast))
    both = chain((1 + w_**2) * v_**2, first.lhs + second.lhs, replace(first.lhs + second.lhs, first, second))
    number = arithmetic(14, "<=", 2 * exp(2))
    rest = exp((w_ - sqrt(term(Fraction(1, 2)))) * v_)
    return chain(both, 14 * rest, replace(14 * rest, number))


@cache
def one_token(p: int) -> Theorem:
    """2 (1 + e^{2 a2}) K is at most the second term at L = 1."""
    line = _line(p)
    line = chain(line, replace(line.rhs, arithmetic(exp(2), "<=", exp(2 * d))))
    line = specialise(line, {v_: _size(p), w_: exp(2 * a2 / p)})
    unit = 32 * sigma**2 * C_f**2 if p == 1 else 512 * sigma**4 * C_f**2
    line = chain(2 * K + 2 * exp(2 * a2) * K, unit * line.lhs, replace(unit * line.lhs, line))
    if p == 1:
        return chain(line, second_term(1, term(1)))
    moment = arithmetic(1, "<=", 1 + sqrt(sqrt(Z8)) / (22 * sigma**2))
    return chain(line, line.rhs * 1, replace(line.rhs * 1, moment), second_term(2, term(1)))


@cache
def theorem(p: int) -> Theorem:
    """E|err|^2 <= 216 e^{4 a2} K ln(L)/L, the first term, and the second term."""
    r1, few, bound = second_moment.theorem(), few_tokens(), one_token(p)
    cases = arithmetic(r1.lhs, "<=", several * r1.lhs + single_ * r1.lhs, few, hide=(r1.lhs,))
    parts = (replace(several * r1.lhs, r1), replace(single_ * r1.lhs, few))
    cases = chain(cases, replace(cases.rhs, *parts))
    long = arithmetic(several * r1.rhs, "<=", 216 * exp(4 * a2) * K * log(L) / L)
    short = arithmetic(single_ * few.rhs, "<=", single_ * bound.lhs)
    short = chain(short, replace(short.rhs, bound))
    short = chain(short, arithmetic(short.rhs, "<=", second_term(p, L)))
    return chain(cases, replace(cases.rhs, long, short))


@cache
def single() -> Theorem:
    """E|err|^2 1{L = 1} <= 2 (1 + e^{2 a2}) K 1{L = 1}."""
    few = chain(replace(single_ * few_tokens().lhs, few_tokens()))
    return chain(few, arithmetic(few.rhs, "<=", single_ * one_token(1).lhs))


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
