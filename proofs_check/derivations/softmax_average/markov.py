"""Consequences of bounded means by Markov's inequality: Lemmas C.1 and C.2, Corollary C.3."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import sympy as sp

from numerics.derivations.derived import chain, exceeds, exp, markov
from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.rules import arithmetic, assume, equal, instantiate
from numerics.derivations.kernel.sorts import NONNEGATIVE
from numerics.derivations.kernel.terms import Op, Term, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, from_sympy
from proofs_check.derivations.softmax_average.moments import weights
from proofs_check.derivations.softmax_average.second_moment import theorem as second_moment
from proofs_check.derivations.softmax_average.softmax_average import (
    R_L,
    F,
    K,
    a2,
    error_squared,
    expectation,
    f,
    i,
    k,
    m,
    mean,
    over,
    prompt,
    share,
    sub_gaussian,
    total,
    w,
)
from proofs_check.derivations.softmax_average.sums import Q
from theory.bounds.concentration import C as C_of
from theory.bounds.concentration import beta

#: What a term `u` bounds, the mean square of a vector Q.
bound = Variable("u", range=NONNEGATIVE)
distance_of_R = over(i, m, (R_L - L * mean(w * f(i, k))) ** 2)
distance_of_Q = over(i, m, (total(Q(i, k)) - L * mean(Q(i, k))) ** 2)


def probability(X: Term, level: Term, event: str = ">") -> Term:
    """P(X > level) or P(X >= level)."""
    return expectation(Op({">": "above", ">=": "ind"}[event], (X - level,)))


def _from_theory(e: sp.Expr) -> Term:
    return from_sympy(
        e,
        {sp.Symbol(name, positive=True): x for name, x in (("L", L), ("a2", a2), ("K", K), ("delta", share))},
    )


_L, _a2, _K, _delta = sp.symbols("L a2 K delta", positive=True)


def threshold(c: int | Fraction) -> Term:
    """c beta^2 of Lemma C.1, from the bound of `theory`."""
    return _from_theory(sp.Rational(c) * beta(_L, _a2, _delta, _K, c=1) ** 2)


def corollary_threshold(c: int | Fraction) -> Term:
    """C/(delta L) of Corollary C.3, from the bound of `theory`."""
    return _from_theory(C_of(_a2, _K, sp.Rational(c)) / (_delta * _L))


@cache
def error(c: int = 27) -> Theorem:
    """P(|err|^2 > c e^{4 a2} K/(delta L)) <= (50/c) delta, from R1."""
    return exceeds("prompt", (prompt,), error_squared, second_moment(), Fraction(50, c) * share)


@cache
def error_at_a_corollary() -> Theorem:
    """P(|err|^2 > 108 e^{4 a2} K/(delta L)) <= (50/108) delta."""
    return error(108)


@cache
def error_weakly(c: int = 108) -> Theorem:
    """P(|err|^2 >= c e^{4 a2} K/(delta L)) <= (50/c) delta, where K is positive."""
    level = c * exp(4 * a2) * K / (share * L)
    return markov(
        "prompt", (prompt,), error_squared, second_moment(), level, Fraction(50, c) * share, some_f()
    )


@cache
def some_f() -> Theorem:
    """The hypothesis that f is not zero almost surely."""
    return assume("E|f|^4 > 0", 0, "<", K)


@cache
def vectors(c: int = 3) -> Theorem:
    """P(|sum (Q_i - EQ)|^2 > c u L/delta) <= delta/c if E|Q|^2 <= u: Lemma C.2 with delta/3."""
    square = mean(over(i, m, Q(i, k) ** 2))
    same = equal(expectation(distance_of_Q), L * (square - over(i, m, mean(Q(i, k)) ** 2)))
    less = arithmetic(same.rhs, "<=", L * bound, bounded())
    return exceeds("prompt", (prompt,), distance_of_Q, chain(same, less), share / c)


@cache
def bounded() -> Theorem:
    """The hypothesis of Lemma C.2, that the second moment of Q is at most u."""
    return assume("E|Q|^2 <= u", mean(over(i, m, Q(i, k) ** 2)), "<=", bound)


@cache
def numerator(c: int = 3) -> Theorem:
    """P(|R_L - R|^2 > c L e^{4 a2} K/delta) <= delta/c, from E|w f|^2 <= e^{4 a2} K."""
    square = mean(w**2 * F)
    same = equal(expectation(distance_of_R), L * (square - over(i, m, mean(w * f(i, k)) ** 2)))
    less = arithmetic(same.rhs, "<=", L * exp(4 * a2) * K, weights()[1])
    return exceeds("prompt", (prompt,), distance_of_R, chain(same, less), share / c)


@cache
def error_strictly() -> Theorem:
    """P(|err|^2 > 27 beta^2) < 4 delta."""
    return chain(error(), arithmetic(error().rhs, "<", 4 * share))


@cache
def numerator_strictly() -> Theorem:
    """P(|R_L - R|^2 > 3 L e^{4 a2} K/delta) < 2 delta."""
    return chain(numerator(), arithmetic(numerator().rhs, "<", 2 * share))


def lemma_c1(c: int | Fraction = 27, most: int | Fraction = 4, relation: str = "<") -> Statement:
    """Lemma C.1 for every delta: P(|err|^2 > c beta^2) < most delta."""
    event = probability(error_squared, threshold(c))
    return Statement(event, relation, Fraction(most) * share, sub_gaussian().assumptions)


def corollary_c3(
    c: int | Fraction = 108, most: int | Fraction = 1, event: str = ">=", positive: bool = True
) -> Statement:
    """Corollary C.3 for every delta: P(|err|^2 >= C/(delta L)) <= most delta."""
    given = sub_gaussian().assumptions | (some_f().assumptions if positive else frozenset())
    return Statement(
        probability(error_squared, corollary_threshold(c), event), "<=", Fraction(most) * share, given
    )


def lemma_c2(c: int | Fraction = 3) -> Statement:
    """Lemma C.2: P(|sum (Q_i - EQ)|^2 > c u L/delta) <= 2 delta if E|Q|^2 <= u."""
    event = probability(distance_of_Q, Fraction(c) * bound * L / share)
    return Statement(event, "<=", 2 * share, bounded().assumptions)


def numerator_statement(c: int | Fraction = 3) -> Statement:
    """P(|R_L - R|^2 > c L e^{4 a2} K/delta) < 2 delta."""
    event = probability(distance_of_R, Fraction(c) * L * exp(4 * a2) * K / share)
    return Statement(event, "<", 2 * share, sub_gaussian().assumptions)


def quarter_statement(front: int | Fraction = 1) -> Statement:
    """Lemma C.1 at delta/4: P(|err|^2 > front 108 e^{4 a2} K/(delta L)) < delta."""
    event = probability(error_squared, corollary_threshold(108 * Fraction(front)))
    return Statement(event, "<", 1 * share, sub_gaussian().assumptions)


@cache
def at_a_quarter() -> Theorem:
    """The lemma holds for every delta in (0, 1), and so for a quarter of it."""
    return instantiate(error_strictly(), {share: share / 4})
