"""Steps of the proofs of Lemmas 5 and 9: the sum of the updates so far, and how small they are once
the attention is near 1.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.kernel.rules import assume, induction
from numerics.derivations.kernel.sorts import POSITIVE, Sort
from numerics.derivations.kernel.terms import FIRST, Function, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.features.steps import scaled, times
from proofs_check.derivations.features.updates import (
    ATTENTION,
    B,
    K,
    P,
    error,
    eta,
    expectation,
    fine,
    is_k,
    outcome,
    own,
    own_at_most_one,
    own_positive,
    own_update_by_the_rest,
    rare,
    share_of_1,
)
from proofs_check.derivations.proof import proves

t = Variable("t", Sort.STEP)
q, g, total = (Function(name, (Sort.STEP,)) for name in ("q", "g", "total"))
moved = assume("the score moves by eta times its update", q.after(t), "==", q(t) + eta * g(t), every=(t,))
summed = assume("the sum of the updates before", total.after(t), "==", total(t) + g(t), every=(t,))
empty = assume("the sum begins with the update 0", total(FIRST), "==", 0)


def sum_statement(first: int = 0, last: int = 3) -> Statement:
    """q^(t) = q^(0) + eta times the sum of the updates `first`, .., t - 1; `last` is t, where t = 3
    is meant.
    """
    upto = total(t) if last == 3 else total.after(t)
    left_out = term(0) if first == 0 else g(FIRST)
    return Statement(q(t), "==", q(FIRST) + eta * (upto - left_out), hypotheses(moved, summed, empty))


@proves("LDL:L5.sum", sum_statement)
@cache
def sum_of_the_updates() -> Theorem:
    so_far = assume("the sum so far", q(t), "==", q(FIRST) + eta * total(t), every=(t,))
    base = show(q(FIRST), "==", q(FIRST) + eta * total(FIRST), scaled(eta, empty))
    step = calc(
        moved,
        ("==", q(FIRST) + eta * total(t) + eta * g(t), so_far),
        ("==", q(FIRST) + eta * (total(t) + g(t))),
        ("==", q(FIRST) + eta * total.after(t), scaled(eta, summed)),
    )
    (hypothesis,) = so_far.assumptions
    return induction(hypothesis, t, base, step)


#: The constant of 1 - Attn_k = O(epsilon delta).
W = Variable("W", range=POSITIVE)
near = W * share_of_1 * fine
close = assume("1 - Attn_k is at most W epsilon delta", 1 - own, "<=", near, every=(outcome,))


def phase_3_statement(constant: int | Fraction = 1, power: int = 2) -> Statement:
    """g_k <= P W^2 delta^2 epsilon^power B^2/K, where 1 - Attn_k <= W epsilon delta."""
    bound = Fraction(constant) * (P / K * W**2 * fine**2 * share_of_1**power * B**2)
    return Statement(expectation(is_k * own * error**2), "<=", bound, hypotheses(*ATTENTION, rare, close))


@proves("LDL:L9.1", phase_3_statement)
@cache
def update_in_phase_3() -> Theorem:
    rest = show(own * (1 - own) ** 2, "<=", near**2, close, own_positive, own_at_most_one(), near)
    return calc(
        own_update_by_the_rest(),
        ("<=", expectation(is_k * B**2 * near**2), times(is_k * B**2, rest)),
        ("==", near**2 * B**2 * rare.lhs),
        ("<=", near**2 * B**2 * (P / K), rare),
        ("==", P / K * W**2 * fine**2 * share_of_1**2 * B**2),
    )
