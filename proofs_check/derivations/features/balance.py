"""The balance of a prompt: each class has between half and three halves of its mean number of
tokens, by the method of Chernoff, with a probability that eq. (9) of Li, Duan & Liang does not
give.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, exp, integrated, log
from numerics.derivations.normal_form import LENGTH as N
from numerics.derivations.rules import arithmetic, assume, replace, specialise
from numerics.derivations.statements import Statement
from numerics.derivations.terms import Term
from numerics.derivations.theorems import Assumption, Theorem
from proofs_check.derivations.features.counts import (
    K,
    classes,
    count,
    expectation,
    i,
    moment,
    of_a_class_or_not,
    p,
    probabilities,
    prompt,
    some,
    u,
    x,
)
from proofs_check.derivations.features.steps import above, ind, product, times

#: Whether a class has less than half or more than three halves of its mean number of tokens.
unbalanced = above(p * N / 2 - count) + above(count - Fraction(3, 2) * p * N)
two_classes = assume("two classes or more", 2, "<=", K)
likely = assume("no class is rarer than 1/(2K)", 1 / (2 * K), "<=", p, every=(i,))
equally_likely = assume("equally likely classes", p, "==", 1 / K, every=(i,))


def _tail(gap: Term, slope: Fraction, rate: Theorem) -> Theorem:
    """P(gap > 0) <= e^{-N p/12}, for a gap that is |V| or -|V| and a number, by E e^{t gap}."""
    point = specialise(arithmetic(above(u), "<=", exp(abs(slope) * u)), {u: gap})
    factor = exp(abs(slope) * (gap - (count if slope > 0 else -count)))
    mean = specialise(moment(), {u: slope})
    mean = chain(expectation(exp(abs(slope) * gap)), factor * mean.lhs, replace(factor * mean.lhs, mean))
    weighted = times(N * p, rate, product(N, p, probabilities()[0]))
    form = chain(mean, exp(weighted.lhs), replace(exp(weighted.lhs), weighted), exp(-N * p / 12))
    return chain(integrated("prompt", (prompt,), point), form)


@cache
def chernoff() -> Theorem:
    """P(some class is unbalanced) <= sum_i 2 e^{-N p_i/12}."""
    few = arithmetic(exp(Fraction(-2, 3)) - 1 + Fraction(1, 3), "<=", Fraction(-1, 12))
    many = arithmetic(exp(Fraction(2, 5)) - 1 - Fraction(3, 5), "<=", Fraction(-1, 12))
    parts = _tail(p * N / 2 - count, Fraction(-2, 3), few), _tail(count - Fraction(3, 2) * p * N, Fraction(2, 5), many)
    both = chain(expectation(unbalanced), replace(parts[0].lhs + parts[1].lhs, *parts), 2 * exp(-N * p / 12))
    union = specialise(arithmetic(ind(x - 1), "<=", x), {x: classes(unbalanced)})
    return chain(
        integrated("prompt", (prompt,), union), integrated("coordinates", (i,), both, classes(expectation(unbalanced)), None, (K,))
    )


@cache
def equal_shares() -> Theorem:
    """P(some class is unbalanced) <= 2 K e^{-N/(12 K)} for equally likely classes."""
    each = arithmetic(2 * exp(-N * p / 12), "<=", 2 * exp(-N / (12 * K)), equally_likely)
    return chain(chernoff(), integrated("coordinates", (i,), each, None, 2 * K * exp(-N / (12 * K)), (K,)))


def long_enough(C: int | Fraction = 24) -> Theorem:
    return assume(f"N >= {C} K^3", Fraction(C) * K**3, "<=", N)


@cache
def cubic() -> Theorem:
    """P(some class is unbalanced) <= 1/K for N >= 24 K^3 and p_i >= 1/(2K)."""
    rare = replace(2 * exp(-(N * p) / 12), likely)
    each = chain(2 * exp(-N * p / 12), rare, 2 * exp(-N / (24 * K)))
    total = integrated("coordinates", (i,), each, None, 2 * K * exp(-N / (24 * K)), (K,))
    least = replace(2 * K * exp(-N / (24 * K)), long_enough())
    last = arithmetic(2 * K * exp(-(K**2)), "<=", 1 / K, two_classes)
    return chain(chernoff(), total, least, 2 * K * exp(-(K**2)), last)


@cache
def logarithmic() -> Theorem:
    """P(some class is unbalanced) <= 1/K for N >= 24 K log(2K) and equally likely classes."""
    least = replace(2 * K * exp(-N / (12 * K)), chain(24 * K * (log(K) + log(2)), length(24)))
    last = arithmetic(2 * K * exp(-2 * (log(K) + log(2))), "<=", 1 / K, two_classes)
    return chain(equal_shares(), least, last)


def length(C: int | Fraction = 24) -> Theorem:
    return assume(f"N >= {C} K log(2K)", Fraction(C) * K * log(2 * K), "<=", N)


def _given(*theorems: Theorem) -> frozenset[Assumption]:
    return frozenset().union(*(thm.assumptions for thm in theorems))


def cubic_statement(C: int | Fraction = 24) -> Statement:
    """For N >= C K^3 and p_i >= 1/(2K) some class is unbalanced with probability at most 1/K."""
    given = _given(of_a_class_or_not, two_classes, likely, long_enough(C))
    return Statement(expectation(some(unbalanced)), "<=", 1 / K, given)


def logarithmic_statement(enough: int | Fraction = 24) -> Statement:
    """For N >= `enough` K log(2K) some of equally likely classes is unbalanced with probability at
    most 1/K.
    """
    given = _given(of_a_class_or_not, two_classes, equally_likely, length(enough))
    return Statement(expectation(some(unbalanced)), "<=", 1 / K, given)


def chernoff_statement() -> Statement:
    """2 K e^{-N/(12 K)} for equally likely classes and every N."""
    return Statement(expectation(some(unbalanced)), "<=", 2 * K * exp(-N / (12 * K)), _given(of_a_class_or_not, equally_likely))
