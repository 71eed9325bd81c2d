"""Softmax weights of L tokens, in any joint law: they are not negative and add up to 1. Their power
sums are pi_k = sum_i p_i^k, with the means P2 = E pi_2, P3 = E pi_3 and Q = E pi_2^2.
"""

from __future__ import annotations

from fractions import Fraction

from numerics.derivations.binding import bind
from numerics.derivations.derived import T_, X_, chain, integrated
from numerics.derivations.normal_form import LENGTH as L
from numerics.derivations.rules import arithmetic, assume, integrate, replace, specialise, then
from numerics.derivations.sorts import Sort
from numerics.derivations.statements import Statement
from numerics.derivations.terms import Function, Term, Variable, term
from numerics.derivations.theorems import Theorem

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


def least() -> Theorem:
    """The sum of (p_i - p_j)^2 over all pairs is 2 L pi_2 - 2, so that P2 is at least 1/L."""
    square = arithmetic(0, "<=", (p(i, k) - p(j, k)) ** 2)
    total = bind("coordinates", (i,), p(i, k), (L,))
    pairs = chain(0, integrate("coordinates", (i, j), square, (L, L)), 2 * (L * power_sum(2)) - 2 * total**2)
    pairs = then(pairs, arithmetic(pairs.rhs, "==", 2 * (L * power_sum(2)) - 2, add_up))
    enough = arithmetic(1, "<=", L * power_sum(2), pairs, hide=(L * power_sum(2),))
    point = chain(replace(L**-1 * term(1), enough), power_sum(2))
    return integrated("mean", (k,), point, 1 / L, P2)


def equal_weights() -> Theorem:
    """Equal weights have L squares of 1/L."""
    square = arithmetic(p(i, k) ** 2, "==", 1 / L**2, equal)
    point = chain(integrate("coordinates", (i,), square, (L,)), 1 / L)
    return integrated("mean", (k,), point, P2, 1 / L)


def jensen() -> Theorem:
    """The mean of 2 P2 x - P2^2 <= x^2 at x = pi_2 is P2^2 <= Q."""
    line = specialise(arithmetic(2 * T_ * X_ - T_**2, "<=", X_**2), {X_: power_sum(2)})
    every = integrated("mean", (k,), line, 2 * T_ * P2 - T_**2, Q)
    return chain(P2**2, specialise(every, {T_: P2}))


def order() -> Theorem:
    """The sum of p_i p_j (p_i - p_j)^2 over all pairs is 2 pi_3 - 2 pi_2^2, so that Q <= P3."""
    other = specialise(not_negative, {i: j})
    square = arithmetic(0, "<=", p(i, k) * p(j, k) * (p(i, k) - p(j, k)) ** 2, not_negative, other)
    total = bind("coordinates", (i,), p(i, k), (L,))
    pairs = chain(
        0, integrate("coordinates", (i, j), square, (L, L)), 2 * total * power_sum(3) - 2 * power_sum(2) ** 2
    )
    point = arithmetic(power_sum(2) ** 2, "<=", power_sum(3), pairs, add_up)
    return integrated("mean", (k,), point, Q, P3)
