"""The sum S_L of the weights is near its mean S: both tails of the proof of Lemma C.1."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, exp, sqrt
from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.rules import arithmetic, instantiate
from numerics.derivations.kernel.sorts import Range
from numerics.derivations.kernel.terms import Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement
from numerics.derivations.tactics import calc
from proofs_check.derivations.proof import proves
from proofs_check.derivations.softmax_average.moments import weight_at_least_one, weights
from proofs_check.derivations.softmax_average.softmax_average import (
    HALF,
    S_L,
    S,
    a2,
    expectation,
    fails,
    m0,
    mean,
    q,
    s,
    share,
    sub_gaussian,
    t,
    w,
    x,
)

alpha = Variable("alpha", range=Range(Fraction(0), Fraction(1)))
below = Op("ind", ((1 - alpha) * S - S_L,))
far = (S_L - S) ** 2


def _beyond(gap: Term) -> Term:
    """P(S_L >= S + gap)."""
    return expectation(Op("ind", (S_L - S - gap,)))


def _gaps(c: int | Fraction, second: int | Fraction) -> tuple[Term, Term]:
    return sqrt(Fraction(c) * L * q / share), exp(a2) * sqrt(Fraction(second) / (share * L)) * S


def lower_statements(c: int | Fraction = 2, second: int | Fraction = 2) -> tuple[Statement, Statement]:
    """P(S_L <= (1 - alpha)S) <= e^{-alpha^2 S^2/(c L E w^2)} <= e^{-alpha^2 L e^{-2 a2}/second}."""
    given = sub_gaussian().assumptions
    return (
        Statement(expectation(below), "<=", exp(-(alpha**2) * S**2 / (Fraction(c) * L * q)), given),
        Statement(expectation(below), "<=", exp(-(alpha**2) * L / Fraction(second) * exp(-2 * a2)), given),
    )


def upper_statements(c: int | Fraction = 3, second: int | Fraction = 3) -> tuple[Statement, Statement]:
    """P(S_L >= S + sqrt(c L E w^2/delta)) < delta, and the same at (1 + e^{a2} sqrt(second/(delta
    L))) S.
    """
    first, last = (
        Statement(_beyond(gap), "<", term(share), sub_gaussian().assumptions) for gap in _gaps(c, second)
    )
    return first, last


@proves("BB:LC.1.CL", lower_statements, part=(1, 2))
@cache
def lower_tail() -> tuple[Theorem, Theorem]:
    """P(S_L <= (1 - alpha)S) <= e^{-alpha^2 S^2/(2 L E w^2)} <= e^{-alpha^2 (L/2) e^{-2 a2}}, by
    Chernoff's method with e^{-y} <= 1 - y + y^2/2.
    """
    point = instantiate(arithmetic(Op("ind", (x,)), "<=", exp(t * x)), {x: (1 - alpha) * S - S_L})
    parabola = instantiate(arithmetic(exp(-s), "<=", 1 - s + s**2 / 2), {s: t * w})
    line = -t * m0 + t**2 * q / 2
    laplace = calc(mean(exp(-t * w)), ("<=", 1 + line, parabola), ("<=", exp(line), line))
    tail = calc(
        expectation(below),
        ("<=", exp(t * (1 - alpha) * S) * mean(exp(-t * w)) ** L, point),
        ("<=", exp(-t * alpha * L * m0 + t**2 * L * q / 2), laplace),
    )
    inner = calc(instantiate(tail, {t: alpha * m0 / q}), ("==", exp(-(alpha**2) * L * m0**2 / (2 * q))))
    outer = exp(-(alpha**2) * L / 2 * exp(-2 * a2))
    return inner, chain(inner, arithmetic(inner.rhs, "<=", outer, weight_at_least_one(), weights()[0]))


@cache
def failure(kept: Fraction = HALF) -> Theorem:
    """P(S_L < (1 - alpha) S) <= e^{-alpha^2 (L/2) e^{-2 a2}} for a number 1 - alpha."""
    tail = instantiate(lower_tail()[1], {alpha: 1 - kept})
    weakly = instantiate(arithmetic(Op("above", (x,)), "<=", Op("ind", (x,))), {x: kept * S - S_L})
    return calc(
        expectation(fails(kept)),
        ("<=", expectation(Op("ind", (kept * S - S_L,))), weakly),
        ("<=", tail.rhs, tail),
    )


@cache
def variance() -> Theorem:
    """E(S_L - S)^2 <= L E w^2."""
    return calc(expectation(far), ("==", L * (q - m0**2)), ("<=", L * q))


@proves("BB:LC.1.BCL", upper_statements, part=(1, 2))
@cache
def upper_tail() -> tuple[Theorem, Theorem]:
    """P(S_L >= S + gap) < delta at the gap sqrt(3 L E w^2/delta), and at the gap e^{a2}
    sqrt(3/(delta L)) S, by Chebyshev's inequality.
    """
    line = arithmetic(Op("ind", (x - s,)), "<=", x**2 / s**2)
    parts = []
    for gap in _gaps(3, 3):
        at = calc(
            _beyond(gap),
            ("<=", expectation(far) / gap**2, instantiate(line, {x: S_L - S, s: gap})),
            ("<=", L * q / gap**2, variance()),
        )
        enough = arithmetic(at.rhs, "<=", share / 3, weight_at_least_one(), weights()[0])
        parts.append(calc(chain(at, enough), ("<", share)))
    return parts[0], parts[1]
