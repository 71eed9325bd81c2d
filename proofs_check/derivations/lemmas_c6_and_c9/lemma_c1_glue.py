"""The glueing of the two terms of (14) in the proof of Lemma C.1: on the event of the normaliser,
and where R_L is near R, both terms are bounded, and this fails with probability less than 4 delta.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import sympy as sp

from numerics.derivations.derived import N_, Z_, chain, exp, sqrt
from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.rules import arithmetic, assume, instantiate
from numerics.derivations.kernel.terms import Op, Term, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.lemmas_c6_and_c9 import lemma_c1
from proofs_check.derivations.lemmas_c6_and_c9.lemma_c1 import (
    NAMES,
    R,
    below_one,
    delta,
    event,
    from_theory,
    least,
    minus,
    plus,
    rest,
    size,
)
from proofs_check.derivations.lemmas_c6_and_c9.norms import length, scaled
from proofs_check.derivations.proof import proves
from proofs_check.derivations.softmax_average.markov import distance_of_R, numerator_strictly
from proofs_check.derivations.softmax_average.moments import (
    limit_by_two_moments,
    weight_at_least_one,
    weights,
)
from proofs_check.derivations.softmax_average.softmax_average import (
    R_L,
    S_L,
    F,
    K,
    S,
    a2,
    error_squared,
    expectation,
    mean,
    rho,
    share,
    sub_gaussian,
)
from theory.bounds.concentration import alpha_plus, beta

_L, _a2, _inverse, _K = NAMES
apart = sqrt(error_squared)
#: |R_L - R|^2 exceeds this level with probability less than 2 delta.
level = L * exp(4 * a2) * K / (delta / 3)
near = Op("ind", (level - distance_of_R,))
both = event * near


def _plus(three: int | Fraction = 3) -> Term:
    return from_theory(alpha_plus(_L, _a2, sp.exp(-_inverse), c=sp.Rational(three)))


def _beta(three: int | Fraction = 3) -> Term:
    return from_theory(beta(_L, _a2, sp.exp(-_inverse), _K, c=sp.Rational(three)))


def _unlikely_statement(limit: Term, *given: Theorem) -> Statement:
    """P(the error exceeds the limit) < 4 delta."""
    assumed = frozenset().union(*(g.assumptions for g in (sub_gaussian(), below_one(), *given)))
    return Statement(expectation(Op("above", (apart - limit,))), "<", 4 * delta, assumed)


def _unlikely(inside: Theorem, limit: Term) -> Theorem:
    """It, if the error does not exceed the limit on both events: one fails with probability at most
    2 delta, the other one with less.
    """
    far, beyond = Op("above", (distance_of_R - level,)), Op("above", (apart - limit,))
    some = show(beyond, "<=", 1 - event + far, inside, apart, limit, distance_of_R, level, plus)
    of_R = chain(expectation(far), instantiate(numerator_strictly(), {share: delta}))
    P, Q = expectation(event), expectation(far)
    return calc(
        expectation(beyond),
        ("<=", 1 - P + Q, some),
        ("<", 4 * delta, lemma_c1.probability(), of_R, P, Q, delta),
    )


# -- Any delta for which alpha_- is less than 1 ----------------------------------------------------


def _glued(three: int | Fraction = 3, one: int | Fraction = 1) -> Term:
    """max(alpha_+, alpha_-/(1 - alpha_-))|R/S| + beta/(1 - alpha_-), of which `one` is the 1."""
    gap = rest + (Fraction(one) - 1) if one != 1 else rest
    return Op("max", (_plus(three), minus / gap)) * sqrt(rho) + _beta(three) / gap


def glued_statement(three: int | Fraction = 3, one: int | Fraction = 1) -> Statement:
    """P(|err| > max(alpha_+, alpha_-/(1 - alpha_-))|R/S| + beta/(1 - alpha_-)) < 4 delta."""
    return _unlikely_statement(_glued(three, one))


@cache
def inside() -> Theorem:
    """On both events the error is at most this limit, by (14), S_L >= (1 - alpha_-)S and S >= L."""
    _, of_S, _, _, of_both = lemma_c1.inequalities()
    gap, below, most = size(1 / S_L - 1 / S), Op("ind", (N_ - Z_,)), Op("max", (plus, minus / rest))
    of_R = arithmetic(below * sqrt(Z_), "<=", below * sqrt(N_))
    of_R = instantiate(of_R, {Z_: distance_of_R, N_: level})
    of_level = arithmetic(sqrt(level) / S, "<=", _beta(), weight_at_least_one())
    of_limit = show(length(R) / S, "==", sqrt(rho), scaled(1 / S, R))
    return calc(
        both * apart,
        ("<=", both * (length(R_L - R) / S_L + length(R) * gap), lemma_c1.two_terms()),
        ("==", (near * length(R_L - R)) * (event * (1 / S_L)) + (near * length(R)) * (event * gap)),
        ("<=", both * (sqrt(level) / S / rest + most * (length(R) / S)), of_R, of_S, of_both),
        ("<=", both * _glued(), of_level, of_limit),
    )


@proves("BB:LC.1.glue.b", glued_statement)
@cache
def glued() -> Theorem:
    return _unlikely(inside(), _glued())


# -- delta >= delta_min ----------------------------------------------------------------------------


@cache
def large() -> Theorem:
    """The hypothesis delta >= delta_min."""
    return assume("delta >= delta_min", least, "<=", delta)


def _halved(three: int | Fraction = 3, c: int | Fraction = 2) -> Term:
    """max(alpha_+, c alpha_-)|R/S| + c beta."""
    return Op("max", (_plus(three), Fraction(c) * minus)) * sqrt(rho) + Fraction(c) * _beta(three)


def halved_statements(three: int | Fraction = 3, c: int | Fraction = 2) -> tuple[Statement, Statement]:
    """1/(1 - alpha_-) <= c and P(|err| > max(alpha_+, c alpha_-)|R/S| + c beta) < 4 delta."""
    given = below_one().assumptions | large().assumptions
    return Statement(1 / rest, "<=", term(Fraction(c)), given), _unlikely_statement(
        _halved(three, c), large()
    )


@cache
def halved_inside() -> tuple[Theorem, Theorem]:
    """1/(1 - alpha_-) <= 2, as alpha_- <= 1/2 by the choice of delta_min, and the error on both
    events.
    """
    twice = show(1 / rest, "<=", 2, below_one(), lemma_c1.least_delta()[0], minus)
    return twice, calc(inside(), ("<=", both * _halved(), show(rest**-1, "<=", 2, twice)))


@proves("BB:LC.1.half", halved_statements, part=(1, 2))
@cache
def halved() -> tuple[Theorem, Theorem]:
    twice, line = halved_inside()
    return twice, _unlikely(line, _halved())


def _lines(three: int | Fraction = 3) -> tuple[Term, Term]:
    """Both lines of the last display."""
    root_3 = sqrt(Fraction(three) / (delta * L))
    first = exp(a2) * sqrt(mean(F)) * exp(a2) * root_3 + 2 * exp(2 * a2) * sqrt(K) * root_3
    return first, 3 * exp(2 * a2) * sqrt(K) * root_3


def last_statements(three: int | Fraction = 3) -> tuple[Statement, Statement]:
    """P(|err| > each line of the last display) < 4 delta."""
    first, second = (_unlikely_statement(line, large()) for line in _lines(three))
    return first, second


@proves("BB:LC.1.fin", last_statements, part=(1, 2))
@cache
def last() -> tuple[Theorem, Theorem]:
    """By alpha_+ >= 2 alpha_-, (15), and the sum of both terms."""
    first, second = _lines()
    larger = arithmetic(Op("max", (plus, 2 * minus)), "<=", plus)
    square = calc(limit_by_two_moments(), ("<=", exp(2 * a2) * mean(F), weights()[0]))
    limit = show(sqrt(rho), "<=", exp(a2) * sqrt(mean(F)), square)
    line = calc(halved_inside()[1], ("<=", both * first, larger, limit))
    total = show(first, "<=", second, lemma_c1.last_line()[0])
    return _unlikely(line, first), _unlikely(calc(line, ("<=", both * second, total)), second)
