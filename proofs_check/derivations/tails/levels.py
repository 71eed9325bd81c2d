"""Integrals of probabilities over all levels, and the step of the proofs of Lemmas C.4 and C.7 that
bounds that of the largest of L tokens by that of one token.

An integral over levels t > 0 is the mean of e^T times the integrand at t = T, where T has the
density e^{-t}.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import NamedTuple

from numerics.derivations.derived import chain, exp
from numerics.derivations.kernel.binding import bind
from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.rules import assume, exchange, instantiate, integrate
from numerics.derivations.kernel.sorts import NONNEGATIVE, Sort
from numerics.derivations.kernel.terms import Function, Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.softmax_average.moments import size_of_the_limit
from proofs_check.derivations.softmax_average.softmax_average import (
    F,
    K,
    a2,
    expectation,
    k,
    mean,
    rho,
    sub_gaussian,
    total,
)
from proofs_check.derivations.softmax_average.tilted import query
from proofs_check.derivations.tails.largest import positive_part

T = Function("T", (Sort.QUERY,))(query)
s, t_0, y = (Variable(name, range=NONNEGATIVE) for name in ("s", "t0", "y"))


def integral(least: Term, body: Term) -> Term:
    """The integral over the levels t = T from the least one on."""
    return bind("query", (query,), exp(T) * Op("ind", (T - least,)) * body)


#: The levels from s to y have the length (y - s)_+.
lengths = assume(
    "T has the density e^{-t}: the levels from s to y have the length (y - s)_+",
    integral(s, Op("ind", (y - T,))),
    "==",
    positive_part(y - s),
    every=(s, y),
)


def layers(kind: str, names: tuple[Variable, ...], X: Term, least: Term) -> Theorem:
    """The integral of P(X >= t) from the least level on is E(X - least)_+, for X >= 0."""
    at = instantiate(lengths, {s: least, y: X})
    over, event = lambda body: bind(kind, names, body), Op("ind", (X - T,))
    inside = bind("query", (query,), over(exp(T) * Op("ind", (T - least,)) * event))
    return chain(integral(least, over(event)), exchange(inside), integrate(kind, names, at))


class Case(NamedTuple):
    """The proof of Lemma C.4, or of C.7: the factor 2 or 8, the threshold t_0, the power of |f| and
    of |R/S|, and what is asked of the length of the prompt.
    """

    factor: int
    threshold: Term
    power: Term
    limit: Term
    long: Callable[[Fraction], Theorem]


C_4 = Case(
    2,
    L * K,
    F,
    rho,
    lambda most: assume("delta_0 is at most 16", 64 * exp(4 * a2) / L**2, "<=", term(most)),
)
C_7 = Case(
    8,
    L * K**2,
    F**2,
    rho**2,
    lambda most: assume("e^{4 sigma^2|Uz|^2}/L is at most 1/8", exp(4 * a2) / L, "<=", term(most)),
)


def _sides(at: Case, factor: Fraction) -> tuple[Term, Term]:
    some = Op("min", (term(1), total(Op("ind", (at.power - (T / at.factor - at.limit),)))))
    least = positive_part(at.threshold / at.factor - at.limit)
    one = mean(Op("ind", (at.power - T,)))
    return integral(at.threshold, expectation(some)), factor * L * integral(least, one)


def _statement(at: Case, factor: Fraction, most: Fraction) -> Statement:
    """The integral of P(max |f(z_l)|^q >= t/c - |R/S|^q) from t_0 on is at most c L times that of
    P(|f(z_1)|^q >= t) from (t_0/c - |R/S|^q)_+ on.
    """
    left, right = _sides(at, factor)
    return Statement(left, "<=", right, hypotheses(lengths, at.long(most)) | sub_gaussian().assumptions)


def statement_c4(two: int | Fraction = 2, at_most: int | Fraction = 16) -> Statement:
    return _statement(C_4, Fraction(two), Fraction(at_most))


def statement_c7(eight: int | Fraction = 8, at_most: Fraction = Fraction(1, 8)) -> Statement:
    return _statement(C_7, Fraction(eight), Fraction(at_most))


@cache
def limit_below_the_threshold(at: Case) -> Theorem:
    """|R/S|^q <= t_0/c."""
    if at is C_4:
        short = show(exp(2 * a2), "<=", L / 2, C_4.long(Fraction(16)))
        return calc(rho, ("<=", exp(2 * a2) * K, size_of_the_limit()), ("<=", L * K / 2, short, K))
    short = show(exp(4 * a2), "<=", L / 8, C_7.long(Fraction(1, 8)))
    square = show(rho**2, "<=", exp(4 * a2) * K**2, size_of_the_limit())
    return calc(square, ("<=", L * K**2 / 8, short, K))


@cache
def of_the_largest(at: Case) -> Theorem:
    """The union bound at each level, whose integral is the mean of (c |f|^q + c |R/S|^q - t_0)_+."""
    c, X, t0 = at.factor, at.power, at.threshold
    left, right = _sides(at, Fraction(c))
    reached = Op("ind", (X - (T / c - at.limit),))
    less = instantiate(show(Op("min", (term(1), y)), "<=", y), {y: total(reached)})
    of_one = layers("mean", (k,), c * X + c * at.limit, t0)
    least = positive_part(t0 / c - at.limit)
    above = c * positive_part(X - least)
    shifted = show(positive_part(c * X + c * at.limit - t0), "<=", above, limit_below_the_threshold(at), X, at.limit, t0)
    return calc(
        left,
        ("<=", integral(t0, expectation(total(reached))), less),
        ("==", L * integral(t0, mean(reached))),
        ("==", L * of_one.lhs),
        ("==", L * of_one.rhs, of_one),
        ("<=", L * mean(above), shifted),
        ("==", c * L * mean(positive_part(X - least))),
        ("==", right, layers("mean", (k,), X, least)),
    )


proves("BB:LC.4.union/inference", statement_c4)(lambda: of_the_largest(C_4))
proves("BB:LC.7.8/inference", statement_c7)(lambda: of_the_largest(C_7))
