"""Steps of the proof of Lemma C.4: the union bound, the threshold t_0 and the limits of the
incomplete Gamma integral.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import sympy as sp

from numerics.derivations.derived import N_, X_, chain, exp, integrated, root, sqrt
from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.rules import arithmetic, equal, gcongr, instantiate
from numerics.derivations.kernel.sorts import POSITIVE, Sort
from numerics.derivations.kernel.terms import Function, Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, from_sympy
from proofs_check.derivations.lemmas_c6_and_c9.events import within
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
    prompt,
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
A_, B_ = (Variable(name, range=POSITIVE) for name in ("A_", "B_"))
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


#: Whether |f(z)|^2 reaches u, for values of which nothing is known.
reached = Op("ind", (over(i, m, Function("f", (Sort.INDEX, Sort.TOKEN))(i, k) ** 2) - u,))


def union_statement(c: int | Fraction = 1) -> Statement:
    """P(|f(z_l)|^2 >= u for some l) <= c L P(|f(z_1)|^2 >= u)."""
    some = Op("min", (term(1), total(reached)))
    return Statement(expectation(some), "<=", Fraction(c) * L * mean(reached))


@cache
def union() -> Theorem:
    """1 or 0 is at most the number of tokens that reach u."""
    count = total(reached)
    less = instantiate(arithmetic(Op("min", (term(1), N_)), "<=", N_), {N_: count})
    return integrated("prompt", (prompt,), less, None, L * mean(reached))


def _level(p: int) -> Term:
    """t^{1/p}/C_f^{2/p}."""
    return p_th_root(t, p) / (C_f**2 if p == 1 else C_f)


def tail_statements(p: int, level: int | Fraction = 1, sixteen: int | Fraction = 16) -> tuple[Statement, ...]:
    """P(|f|^2 >= t) <= P(C_f^2 |z|^{2p} >= level t), which is P(|z|^2 >= (level t)^{1/p}/C_f^{2/p})
    and at most e^{2d} e^{-t^{1/p}/(16 sigma^2 C_f^{2/p})}, with another number for the 16.
    """
    event = lambda x: mean(Op("ind", (x,)))
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
def tails(p: int) -> tuple[Theorem, ...]:
    """The growth of f, the p-th root, and the tail of a sub-Gaussian norm."""
    first = gcongr(Op("ind", (F - t,)), growth(p))
    at, level = TOKEN.square, _level(p)
    powers, norms, sum_ = C_f**2 * at**p - t, at - level, at + level if p == 2 else term(1)
    quotient = (
        arithmetic((C_f**2 * N_**2 - t) * (1 / (C_f**2 * (N_ + level))), "==", N_ - level) if p == 2 else None
    )
    given = () if quotient is None else (instantiate(quotient, {N_: at}),)
    same = within(powers, norms, 1 / (C_f**2 * sum_), *given), within(norms, powers, C_f**2 * sum_)
    last = tail_statements(p)[-1]
    beyond = chain(last.lhs, instantiate(tail(), {threshold: sqrt(_level(p)) / sigma}))
    events = (integrated("mean", (k,), line) for line in (first, *same))
    return (*events, chain(beyond, arithmetic(beyond.rhs, "<=", last.rhs)))


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


@cache
def thresholds() -> tuple[Theorem, ...]:
    """(15) with E|f|^2 <= K, and its square."""
    size = size_of_the_limit()
    return (
        equal(t_0, L * K),
        equal(t_0_of_C7, L * K**2),
        size,
        chain(gcongr(rho**2, size), exp(4 * a2) * K**2),
    )


def lower_statement(p: int, c: int | Fraction = 1) -> Statement:
    """The lower limit of the Gamma integral is at least (L/2 - c e^{2 a2})_+^{1/p} K^{1/p}/(16
    sigma^2 C_f^{2/p}).
    """
    least = p_th_root(positive_part(L / 2 - Fraction(c) * exp(2 * a2)), p) * p_th_root(K, p)
    limit = p_th_root(positive_part(t_0 / 2 - rho), p)
    return Statement(least / scale(p), "<=", limit / scale(p), sub_gaussian().assumptions)


@cache
def lower(p: int) -> Theorem:
    """t_0/2 - |R/S|^2 >= (L/2 - e^{2 a2}) K, and the root is increasing."""
    inside = arithmetic(positive_part(X_) * N_, "<=", positive_part(X_ * N_))
    inside = instantiate(inside, {X_: L / 2 - exp(2 * a2), N_: K})
    size = chain(
        (L / 2 - exp(2 * a2)) * K, gcongr(L * K / 2 - exp(2 * a2) * K, size_of_the_limit()), t_0 / 2 - rho
    )
    inside = chain(inside, gcongr(inside.rhs, size))
    statement = lower_statement(p)
    first = statement.lhs if p == 1 else sqrt(inside.lhs) / scale(p)
    return chain(statement.lhs, gcongr(first if p > 1 else inside.lhs / scale(1), inside), statement.rhs)


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


@cache
def upper() -> tuple[Theorem, ...]:
    """The mean of |f|^4 <= C_f^4 |z|^{4p}, and its roots; 2^{9/2} >= 22."""
    parts: list[Theorem] = []
    statements = upper_statements()
    for p in (1, 2):
        moment, bound = mean(TOKEN.square ** (2 * p)), statements[2 * p - 1]
        fourth = integrated("mean", (k,), gcongr(F**2, growth(p)), None, C_f**4 * moment)
        size = chain(K, root(fourth, sqrt(mean(F**2)), C_f**2 * sqrt(moment)))
        limit = arithmetic(positive_part(t_0 / 2 - rho), "<=", t_0 / 2, hide=(t_0,))
        limit = chain(limit, L * K / 2, gcongr(L * K / 2, size))
        parts += [fourth, chain(bound.lhs, gcongr(bound.lhs, limit), bound.rhs)]
    last = statements[-1]
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


@cache
def subadditivity() -> tuple[Theorem, ...]:
    """sqrt(A) - sqrt(B) <= sqrt((A - B)_+), and e^{-x} falls."""
    parts: list[Theorem] = []
    for p in (1, 2):
        square = arithmetic(positive_part(X_) ** p, "<=", positive_part(X_ * (X_ + 2 * B_) if p == 2 else X_))
        line = square if p == 1 else root(square, positive_part(X_), sqrt(square.rhs))
        line = instantiate(chain(arithmetic(X_, "<=", positive_part(X_)), line), {X_: A_ - B_})
        line = instantiate(line, {A_: p_th_root(L / 2, p), B_: exp(2 * a2 / p)})
        line = chain(
            p_th_root(L / 2, p) - exp(2 * a2 / p), line, p_th_root(positive_part(L / 2 - exp(2 * a2)), p)
        )
        rate = p_th_root(K, p) / scale(p)
        falls = arithmetic(-line.rhs, "<=", -line.lhs, line, hide=(line.rhs, line.lhs))
        parts += [line, gcongr(exp(falls.lhs * rate), falls)]
    return tuple(parts)
