"""The balance of a prompt: each class has between half and three halves of its mean number of
tokens, by the method of Chernoff, with a probability that eq. (9) of Li, Duan & Liang does not
give.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, exp, log
from numerics.derivations.kernel.normal_form import LENGTH as N
from numerics.derivations.kernel.rules import assume, instantiate
from numerics.derivations.kernel.sorts import POSITIVE
from numerics.derivations.kernel.terms import Term, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.features.independent_tokens.counts import (
    K,
    classes,
    count,
    expectation,
    i,
    moment,
    of_a_class_or_not,
    p,
    probabilities,
    some,
    u,
    x,
)
from proofs_check.derivations.features.steps import above, ind, product, times
from proofs_check.derivations.proof import proves

#: Whether a class has less than half or more than three halves of its mean number of tokens.
unbalanced = above(p * N / 2 - count) + above(count - Fraction(3, 2) * p * N)
c_1, C = Variable("c1", range=POSITIVE), Variable("C", range=POSITIVE)
likely = assume("no class is rarer than c_1/K", c_1 / K, "<=", p, every=(i,))
cubic_length = assume("N >= C K^3", C * K**3, "<=", N)
length = assume("N >= C K log(2K)", C * K * log(2 * K), "<=", N)


def _statement(exponent: Term, *given: Theorem) -> Statement:
    """Some class is unbalanced with probability at most 2 K e^{-exponent}."""
    assumed = hypotheses(of_a_class_or_not, likely, *given)
    return Statement(expectation(some(unbalanced)), "<=", 2 * K * exp(-exponent), assumed)


def cubic_statement(twelve: int | Fraction = 12) -> Statement:
    """2 K e^{-c_1 C K^2/12} for N >= C K^3 and p_i >= c_1/K, whatever c_1 and C are."""
    return _statement(c_1 * C * K**2 / Fraction(twelve), cubic_length)


def logarithmic_statement(twelve: int | Fraction = 12) -> Statement:
    """2 K (2 K)^{-c_1 C/12} for N >= C K log(2 K) and p_i >= c_1/K, whatever c_1 and C are."""
    return _statement(c_1 * C * log(2 * K) / Fraction(twelve), length)


def chernoff_statement(twelve: int | Fraction = 12) -> Statement:
    """2 K e^{-c_1 N/(12 K)} for p_i >= c_1/K and every N."""
    return _statement(c_1 * N / (Fraction(twelve) * K))


def _tail(gap: Term, slope: Fraction, rate: Theorem) -> Theorem:
    """P(gap > 0) <= e^{-N p/12}, for a gap that is |V| or -|V| and a number, by E e^{t gap}."""
    point = instantiate(show(above(u), "<=", exp(abs(slope) * u)), {u: gap})
    shift = exp(abs(slope) * (gap - (count if slope > 0 else -count)))
    weighted = times(N * p, rate, product(N, p, probabilities()[0]))
    return calc(
        expectation(above(gap)),
        ("<=", expectation(exp(abs(slope) * gap)), point),
        ("==", shift * expectation(exp(slope * count))),
        ("<=", shift * exp(N * p * (exp(slope) - 1)), instantiate(moment(), {u: slope})),
        ("==", exp(weighted.lhs)),
        ("<=", exp(-N * p / 12), weighted),
    )


@cache
def chernoff() -> Theorem:
    """P(some class is unbalanced) <= sum_i 2 e^{-N p_i/12}."""
    rare, frequent = p * N / 2 - count, count - Fraction(3, 2) * p * N
    minus, plus = Fraction(2, 3), Fraction(2, 5)
    few = show(exp(-minus) - 1 + minus / 2, "<=", Fraction(-1, 12))
    many = show(exp(plus) - 1 - 3 * plus / 2, "<=", Fraction(-1, 12))
    both = calc(
        expectation(unbalanced),
        ("==", expectation(above(rare)) + expectation(above(frequent))),
        ("<=", exp(-N * p / 12) + exp(-N * p / 12), _tail(rare, -minus, few), _tail(frequent, plus, many)),
        ("==", 2 * exp(-N * p / 12)),
    )
    union = instantiate(show(ind(x - 1), "<=", x), {x: classes(unbalanced)})
    return calc(
        expectation(some(unbalanced)),
        ("<=", expectation(classes(unbalanced)), union),
        ("==", classes(expectation(unbalanced))),
        ("<=", classes(2 * exp(-N * p / 12)), both),
    )


@proves("LDL:eq9.bal/least", chernoff_statement)
@cache
def no_rare_class() -> Theorem:
    """P(some class is unbalanced) <= 2 K e^{-c_1 N/(12 K)} for p_i >= c_1/K."""
    rarest = 2 * exp(-(N * (c_1 / K)) / 12)
    each = calc(2 * exp(-N * p / 12), ("==", 2 * exp(-(N * p) / 12)), ("<=", rarest, likely))
    return calc(chernoff(), ("<=", classes(rarest), each), ("==", 2 * K * exp(-c_1 * N / (12 * K))))


def _from_a_length(enough: Theorem) -> Theorem:
    """The same where a hypothesis says that N is at least a length."""
    bound = lambda length: 2 * K * exp(-(c_1 / (12 * K) * length))
    return calc(no_rare_class(), ("==", bound(N)), ("<=", bound(enough.lhs), enough))


@proves("LDL:eq9.bal", cubic_statement)
@cache
def cubic() -> Theorem:
    """P(some class is unbalanced) <= 2 K e^{-c_1 C K^2/12} for N >= C K^3."""
    return _from_a_length(cubic_length)


@proves("LDL:eq9.bal/log", logarithmic_statement)
@cache
def logarithmic() -> Theorem:
    """P(some class is unbalanced) <= 2 K (2 K)^{-c_1 C/12} for N >= C K log(2 K)."""
    return _from_a_length(chain(C * K * (log(K) + log(2)), length))
