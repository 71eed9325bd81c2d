"""Softmax weights of L tokens, in any joint law: they are not negative and add up to 1. Their power
sums are pi_k = sum_i p_i^k, with the means P2 = E pi_2, P3 = E pi_3 and Q = E pi_2^2.
"""

from __future__ import annotations

from fractions import Fraction

from numerics.derivations.kernel.binding import bind
from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.rules import assume, instantiate
from numerics.derivations.kernel.sorts import Sort
from numerics.derivations.kernel.terms import Function, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves

i, j, k = Variable("i", Sort.INDEX), Variable("j", Sort.INDEX), Variable("k", Sort.TOKEN)
#: The weight of token i; the variable k stands for everything that is random.
p = Function("p", (Sort.INDEX, Sort.TOKEN), None)
not_negative = assume("the weights are not negative", 0, "<=", p(i, k), every=(i, k))


def power_sum(n: int) -> Term:
    """pi_n, the sum of the n-th powers of the weights."""
    return bind("coordinates", (i,), p(i, k) ** n, (L,))


def mean(e: Term) -> Term:
    return bind("mean", (k,), e)


add_up = assume("the weights add up to 1", bind("coordinates", (i,), p(i, k), (L,)), "==", 1, every=(k,))
equal = assume("equal weights", p(i, k), "==", 1 / L, every=(i, k))
WEIGHTS = not_negative.assumptions | add_up.assumptions
P2, P3, Q = mean(power_sum(2)), mean(power_sum(3)), mean(power_sum(2) ** 2)


def least_statement(one: int = 1) -> Statement:
    return Statement(term(one) / L, "<=", P2, WEIGHTS)


def equal_statement(one: int = 1) -> Statement:
    return Statement(P2, "==", term(one) / L, equal.assumptions)


def jensen_statement(one: int | Fraction = 1) -> Statement:
    return Statement(one * P2**2, "<=", Q)


def order_statement(c: int | Fraction = 1) -> Statement:
    return Statement(Q, "<=", c * P3, WEIGHTS)


@proves("OURS:R4.A.low", least_statement)
def least() -> Theorem:
    """The sum of (p_i - p_j)^2 over all pairs is 2 L pi_2 - 2, so that P2 is at least 1/L."""
    pairs = calc(
        0,
        ("<=", bind("coordinates", (i, j), (p(i, k) - p(j, k)) ** 2, (L, L))),
        ("==", 2 * (L * power_sum(2)) - 2 * power_sum(1) ** 2),
        ("==", 2 * (L * power_sum(2)) - 2, add_up),
    )
    return calc(1 / L, ("==", mean(1 / L)), ("<=", P2, show(1 / L, "<=", power_sum(2), pairs)))


def equal_weights() -> Theorem:
    """Equal weights have L squares of 1/L."""
    return show(P2, "==", 1 / L, show(p(i, k) ** 2, "==", 1 / L**2, equal))


@proves("OURS:R4.e/jensen", jensen_statement)
def jensen() -> Theorem:
    """The mean of 2 P2 x - P2^2 <= x^2 at x = pi_2 is P2^2 <= Q."""
    x = power_sum(2)
    line = show(2 * P2 * x - P2**2, "<=", x**2, P2, x)
    return calc(P2**2, ("==", mean(2 * P2 * x - P2**2)), ("<=", Q, line))


@proves("OURS:R4.e/order", order_statement)
def order() -> Theorem:
    """The sum of p_i p_j (p_i - p_j)^2 over all pairs is 2 pi_3 - 2 pi_2^2, so that Q <= P3."""
    pair = p(i, k) * p(j, k) * (p(i, k) - p(j, k)) ** 2
    sign = show(0, "<=", pair, not_negative, instantiate(not_negative, {i: j}))
    pairs = calc(
        0,
        ("<=", bind("coordinates", (i, j), pair, (L, L)), sign),
        ("==", 2 * power_sum(1) * power_sum(3) - 2 * power_sum(2) ** 2),
        ("==", 2 * power_sum(3) - 2 * power_sum(2) ** 2, add_up),
    )
    return show(Q, "<=", P3, show(power_sum(2) ** 2, "<=", power_sum(3), pairs))
