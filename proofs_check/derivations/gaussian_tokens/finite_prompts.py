"""Finite prompts of in-context regression: the risk as printed, and the order of the moments of the
softmax weights. The covariates have any law.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import exp
from numerics.derivations.kernel.binding import bind
from numerics.derivations.kernel.rules import assume, equal
from numerics.derivations.kernel.sorts import NONNEGATIVE
from numerics.derivations.kernel.terms import Defined, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import show
from proofs_check.derivations.gaussian_tokens.lengths import absolute
from proofs_check.derivations.gaussian_tokens.linear_model import dot, h, l, mean, w
from proofs_check.derivations.gaussian_tokens.risks import c, p
from proofs_check.derivations.gaussian_tokens.tilted_tokens import U, last
from proofs_check.derivations.proof import proves
from proofs_check.derivations.softmax_average.second_moment import average_of_squares, no_larger_than_the_sum
from proofs_check.derivations.softmax_average.softmax_average import S_L, d, expectation, i, k, over, total, z
from proofs_check.derivations.softmax_average.softmax_average import w as weight
from proofs_check.derivations.softmax_average.tilted import query, y

label = dot(w(i), z(i, k))
own_weight = exp(dot(over(l, d, U(i, l) * y(l, query)), z(i, k)) + over(l, d, last(l) * y(l, query)) * label)


def risk(factor: int = 1) -> Statement:
    """The mean over task, prompt and query of half the squared error of the last coordinate of V
    R_L/S_L is that of the weighted mean of the values v.z_k, for v = (p, factor c).
    """
    target = dot(w(i), y(i, query))
    of = lambda output: mean(expectation(bind("query", (query,), absolute(output - target) ** 2 / 2)), h)
    attention = over(i, d, p(i) * (total(own_weight * z(i, k)) / total(own_weight)))
    attention = attention + c * (total(own_weight * label) / total(own_weight))
    values = total(own_weight * (dot(p(i), z(i, k)) + factor * c * label)) / total(own_weight)
    return Statement(of(attention), "==", of(values))


@proves("BB:5.RL", risk)
def risk_theorem() -> Theorem:
    return equal(risk().lhs, risk().rhs)


sums = [total(weight**power) for power in (2, 3)]
p2, p3, square = sums[0] / S_L**2, sums[1] / S_L**3, sums[0] ** 2 / S_L**4
P2, P3, Q = (Defined(name, expectation(e)) for name, e in (("P2", p2), ("P3", p3), ("Q", square)))


@cache
def order() -> tuple[Theorem, Theorem]:
    """Q <= P_3 <= P_2 for the weights p_k = w_k/S_L, since sum p_k = 1 and p_k <= 1."""
    first = show(square, "<=", p3, average_of_squares(weight)[0])
    second = show(p3, "<=", p2, no_larger_than_the_sum(weight))
    return show(Q, "<=", P3, first), show(P3, "<=", P2, second)


#: Any three numbers in this order.
p_2, p_3, q_ = (Variable(name, range=NONNEGATIVE) for name in ("p2", "p3", "q"))


@cache
def in_order() -> tuple[Theorem, Theorem]:
    return assume("Q <= P_3", q_, "<=", p_3), assume("P_3 <= P_2", p_3, "<=", p_2)


def moment_statements(
    c: int | Fraction = 7,
    of_Q: int | Fraction = 6,
    k: int | Fraction = 3,
    up: int | Fraction = 1,
    share: int | Fraction = 1,
) -> tuple[Statement, ...]:
    """Q <= share P_3 and P_3 <= share P_2 for the weights; and -c P_2 <= -P_2 - 6 P_3 + of_Q Q <= 0
    and -k P_2 <= P_2 - 4 P_3 + 3 Q <= up P_2 for any numbers Q <= P_3 <= P_2.
    """
    c, of_Q, k, up, share = map(Fraction, (c, of_Q, k, up, share))
    sides = (
        (p_2 + 6 * p_3, c * p_2 + of_Q * q_),
        (of_Q * q_, p_2 + 6 * p_3),
        (4 * p_3, (1 + k) * p_2 + 3 * q_),
        (p_2 + 3 * q_, 4 * p_3 + up * p_2),
    )
    given = hypotheses(*in_order())
    of_weights = (Statement(Q, "<=", share * P3), Statement(P3, "<=", share * P2))
    return (*of_weights, *(Statement(left, "<=", right, given) for left, right in sides))


@proves("OURS:T5.2.gap/moments", moment_statements, part=(1, 2, 3, 4, 5, 6))
@cache
def moment_theorems() -> tuple[Theorem, ...]:
    return (*order(), *(show(s.lhs, "<=", s.rhs, *in_order()) for s in moment_statements()[2:]))
