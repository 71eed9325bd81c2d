"""Steps of the proof of Lemma C.4: the union bound, the threshold t_0 and the limits of the
incomplete Gamma integral.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import sympy as sp

from numerics.derivations.derived import D_, N_, X_, Y_, chain, exp, sqrt
from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.rules import arithmetic, equal, instantiate
from numerics.derivations.kernel.sorts import POSITIVE, Sort
from numerics.derivations.kernel.terms import Function, Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, from_sympy
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import both_powers, for_each, proves
from proofs_check.derivations.softmax_average.moments import size_of_the_limit
from proofs_check.derivations.softmax_average.softmax_average import (
    F,
    K,
    a2,
    d,
    expectation,
    i,
    k,
    m,
    mean,
    over,
    rho,
    sigma,
    sub_gaussian,
    t,
    total,
)
from proofs_check.derivations.softmax_average.tilted import TOKEN, tail
from proofs_check.derivations.softmax_average.tilted import t as threshold
from proofs_check.derivations.softmax_average.weighted_errors import C_f, growth
from proofs_check.derivations.tails.largest import positive_part
from theory.bounds.concentration_moments import threshold_c4, threshold_c7

u = Variable("u", range=POSITIVE)
B_ = Variable("B_", range=POSITIVE)
_NAMES = sp.symbols("L a2 K", positive=True)
_at = dict(zip(_NAMES, (L, a2, K)))
t_0, t_0_of_C7 = from_sympy(threshold_c4(*_NAMES), _at), from_sympy(threshold_c7(*_NAMES), _at)


def p_th_root(x: Term, p: int) -> Term:
    """x^{1/p} for p = 1, 2."""
    return x if p == 1 else sqrt(x)


def scale(p: int) -> Term:
    """16 sigma^2 C_f^{2/p}."""
    return 16 * sigma**2 * (C_f**2 if p == 1 else C_f)


# -- The union bound -------------------------------------------------------------------------------


def event(x: Term) -> Term:
    """P(x >= 0)."""
    return mean(Op("ind", (x,)))


#: Whether |f(z)|^2 reaches u, for values of which nothing is known.
reached = Op("ind", (over(i, m, Function("f", (Sort.INDEX, Sort.TOKEN))(i, k) ** 2) - u,))


def union_statement(c: int | Fraction = 1) -> Statement:
    """P(|f(z_l)|^2 >= u for some l) <= c L P(|f(z_1)|^2 >= u)."""
    some = Op("min", (term(1), total(reached)))
    return Statement(expectation(some), "<=", Fraction(c) * L * mean(reached))


@proves("BB:LC.4.union/max", union_statement)
@cache
def union() -> Theorem:
    """1 or 0 is at most the number of tokens that reach u."""
    less = instantiate(arithmetic(Op("min", (term(1), N_)), "<=", N_), {N_: total(reached)})
    return show(union_statement().lhs, "<=", L * mean(reached), less)


def _level(p: int) -> Term:
    """t^{1/p}/C_f^{2/p}."""
    return p_th_root(t, p) / (C_f**2 if p == 1 else C_f)


def tail_statements(p: int, level: int | Fraction = 1, sixteen: int | Fraction = 16) -> tuple[Statement, ...]:
    """P(|f|^2 >= t) <= P(C_f^2 |z|^{2p} >= level t), which is P(|z|^2 >= (level t)^{1/p}/C_f^{2/p})
    and at most e^{2d} e^{-t^{1/p}/(16 sigma^2 C_f^{2/p})}, with another number for the 16.
    """
    times = Fraction(level) if p == 1 else sqrt(term(Fraction(level)))
    powers = lambda times: event(C_f**2 * TOKEN.square**p - times * t)
    norms = lambda times: event(TOKEN.square - times * _level(p))
    bound = exp(2 * d) * exp(-p_th_root(t, p) / (scale(p) * Fraction(sixteen) / 16))
    return (
        Statement(event(F - t), "<=", powers(Fraction(level)), growth(p).assumptions),
        Statement(powers(1), "<=", norms(times)),
        Statement(norms(times), "<=", powers(1)),
        Statement(norms(1), "<=", bound, sub_gaussian().assumptions),
    )


@cache
def _scaled() -> Theorem:
    """1{x >= 0} <= 1{D x >= 0} for a positive D: on the first event D x is not negative."""
    event, inside = (Op("ind", (e,)) for e in (X_, Op("ind", (X_,)) * Y_))
    last = arithmetic(event * inside, "<=", Op("ind", (Y_,)))
    return calc(
        event,
        ("==", event * Op("ind", (term(0),))),
        ("<=", event * Op("ind", (event * (X_ * D_),)), arithmetic(0, "<=", event * (X_ * D_))),
        ("<=", Op("ind", (X_ * D_,)), instantiate(last, {Y_: X_ * D_})),
    )


@cache
def tails(p: int) -> tuple[Theorem, ...]:
    """The growth of f, the p-th root, and the tail of a sub-Gaussian norm."""
    size, level = TOKEN.square, _level(p)
    powers, norms, quotient = C_f**2 * size**p - t, size - level, C_f**2 * (N_ + level if p == 2 else 1)
    ratio = arithmetic((C_f**2 * N_**p - t) * (1 / quotient), "==", N_ - level)
    factor, ratio = instantiated(quotient, {N_: size}), instantiate(ratio, {N_: size})
    times = lambda x, D: instantiate(_scaled(), {X_: x, D_: D})
    last = chain(event(norms), instantiate(tail(), {threshold: sqrt(level) / sigma}))
    return (
        show(event(F - t), "<=", event(powers), growth(p)),
        show(event(powers), "<=", event(norms), times(powers, 1 / factor), ratio),
        show(event(norms), "<=", event(powers), times(norms, factor)),
        chain(last, arithmetic(last.rhs, "<=", tail_statements(p)[-1].rhs)),
    )


proves("BB:LC.4.union/variables", for_each((1, 2), tail_statements), part=range(1, 9))(
    for_each((1, 2), tails)
)


# -- The threshold and the limits ------------------------------------------------------------------


def threshold_statements(exponent: int | Fraction = 1, power: int = 1) -> tuple[Statement, ...]:
    """t_0 = L^power K, and L^power K^2 for Lemma C.7; |R/S|^2 <= e^{2 exponent a2} K and its
    square.
    """
    given, e = sub_gaussian().assumptions, Fraction(exponent)
    return (
        Statement(t_0, "==", L**power * K),
        Statement(t_0_of_C7, "==", L**power * K**2),
        Statement(rho, "<=", exp(2 * e * a2) * K, given),
        Statement(rho**2, "<=", exp(4 * e * a2) * K**2, given),
    )


@proves("BB:LC.4.t0", threshold_statements, part=range(1, 5))
@cache
def thresholds() -> tuple[Theorem, ...]:
    """(15) with E|f|^2 <= K, and its square."""
    size = size_of_the_limit()
    square = show(rho**2, "<=", exp(4 * a2) * K**2, size)
    return equal(t_0, L * K), equal(t_0_of_C7, L * K**2), size, square


def lower_statement(p: int, c: int | Fraction = 1) -> Statement:
    """The lower limit of the Gamma integral is at least (L/2 - c e^{2 a2})_+^{1/p} K^{1/p}/(16
    sigma^2 C_f^{2/p}).
    """
    least = p_th_root(positive_part(L / 2 - Fraction(c) * exp(2 * a2)), p) * p_th_root(K, p)
    limit = p_th_root(positive_part(t_0 / 2 - rho), p)
    return Statement(least / scale(p), "<=", limit / scale(p), sub_gaussian().assumptions)


@proves("BB:LC.4.lo", both_powers(lower_statement), at=(1, 2))
@cache
def lower(p: int) -> Theorem:
    """t_0/2 - |R/S|^2 >= (L/2 - e^{2 a2}) K, and the root is increasing."""
    goal, gap, cut = lower_statement(p), L / 2 - exp(2 * a2), t_0 / 2 - rho
    inside = arithmetic(positive_part(X_) * N_, "<=", positive_part(X_ * N_))
    size = calc(
        positive_part(gap) * K,
        ("<=", positive_part(gap * K), instantiate(inside, {X_: gap, N_: K})),
        ("<=", positive_part(cut), show(gap * K, "<=", cut, size_of_the_limit())),
    )
    return calc(
        goal.lhs,
        ("==", p_th_root(positive_part(gap) * K, p) / scale(p)),
        ("<=", p_th_root(positive_part(cut), p) / scale(p), size),
    )


def upper_statements(
    c: int | Fraction = 22, four: int | Fraction = 4, grows: int = 4
) -> tuple[Statement, ...]:
    """E|f|^4 <= C_f^grows E|Z|^{4p} and (t_0/2 - |R/S|^2)_+^{1/p}/(16 sigma^2 C_f^{2/p}) <= L^{1/p}
    E[|Z|^{4p}]^{1/(2p)}/(2^{four + 1/p} sigma^2), for p = 2 at most sqrt(L) E[|Z|^8]^{1/4}/(c
    sigma^2).
    """
    parts, four = [], Fraction(four)
    for p in (1, 2):
        moment = mean(TOKEN.square ** (2 * p))
        bound = p_th_root(L, p) * p_th_root(sqrt(moment), p) * 2 ** term(-four - Fraction(1, p)) / sigma**2
        limit = p_th_root(positive_part(t_0 / 2 - rho), p) / scale(p)
        parts += [Statement(mean(F**2), "<=", C_f**grows * moment, growth(p).assumptions)]
        parts += [Statement(limit, "<=", bound, growth(p).assumptions)]
    return (*parts, Statement(bound, "<=", sqrt(L) * sqrt(sqrt(moment)) / (Fraction(c) * sigma**2)))


@proves("BB:LC.4.up", upper_statements, part=range(1, 6))
@cache
def upper() -> tuple[Theorem, ...]:
    """The mean of |f|^4 <= C_f^4 |z|^{4p}, and its roots; 2^{9/2} >= 22."""
    parts: list[Theorem] = []
    *statements, last = upper_statements()
    for p, bound in zip((1, 2), statements[1::2]):
        moment = mean(TOKEN.square ** (2 * p))
        fourth = calc(
            mean(F**2), ("<=", mean((C_f**2 * TOKEN.square**p) ** 2), growth(p)), ("==", C_f**4 * moment)
        )
        limit = calc(
            positive_part(t_0 / 2 - rho),
            ("<=", t_0 / 2, t_0),
            ("==", L * sqrt(mean(F**2)) / 2),
            ("<=", L * (C_f**2 * sqrt(moment)) / 2, fourth),
        )
        parts += [fourth, show(bound.lhs, "<=", bound.rhs, limit)]
    return (*parts, arithmetic(last.lhs, "<=", last.rhs))


def subadditivity_statements(c: int | Fraction = 1) -> tuple[Statement, ...]:
    """(L/2 - e^{2 a2})_+^{1/p} >= (L/2)^{1/p} - c e^{2 a2/p}, and the exponentials with these."""
    parts = []
    for p in (1, 2):
        larger = p_th_root(positive_part(L / 2 - exp(2 * a2)), p)
        smaller = p_th_root(L / 2, p) - Fraction(c) * exp(2 * a2 / p)
        rate = p_th_root(K, p) / scale(p)
        parts += [
            Statement(smaller, "<=", larger),
            Statement(exp(-larger * rate), "<=", exp(-smaller * rate)),
        ]
    return tuple(parts)


@proves("BB:LC.4.subadd", subadditivity_statements, part=range(1, 5))
@cache
def subadditivity() -> tuple[Theorem, ...]:
    """sqrt(A) - sqrt(B) <= sqrt((A - B)_+), and e^{-x} falls."""
    square = arithmetic(positive_part(X_) ** 2, "<=", positive_part(X_ * (X_ + 2 * B_)))
    roots = calc(X_, ("<=", positive_part(X_)), ("<=", sqrt(square.rhs), square))
    parts: list[Theorem] = []
    for p, line in ((1, arithmetic(X_, "<=", positive_part(X_))), (2, roots)):
        first, second, rate = p_th_root(L / 2, p), exp(2 * a2 / p), p_th_root(K, p) / scale(p)
        larger = p_th_root(positive_part(L / 2 - exp(2 * a2)), p)
        less = show(first - second, "<=", larger, instantiate(line, {X_: first - second, B_: second}))
        parts += [less, show(exp(-larger * rate), "<=", exp(-(first - second) * rate), less)]
    return tuple(parts)
