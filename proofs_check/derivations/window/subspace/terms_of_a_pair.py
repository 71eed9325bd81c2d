"""(46) of Collins et al. for every number of tokens and every dimension k: S_{i,1} + S_{i,i} is
half the weight alpha_i times the mean of G_{a,b} over the heights a and b of the tokens 1 and i.
"""

from __future__ import annotations

from functools import cache

from numerics.derivations.kernel.rules import assume, integrate
from numerics.derivations.kernel.sorts import POSITIVE
from numerics.derivations.kernel.terms import Term, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc
from proofs_check.derivations.proof import proves
from proofs_check.derivations.window.prompt import bounded_X as X
from proofs_check.derivations.window.prompt import i, j, mean, o, over, tokens
from proofs_check.derivations.window.signal import p
from proofs_check.derivations.window.subspace import largest_weight
from proofs_check.derivations.window.subspace.cosines import sides
from proofs_check.derivations.window.subspace.largest_weight import (
    alpha,
    first,
    h_1,
    height,
    of_first,
    of_the_rest,
    of_token,
    rest,
    weight,
    x_,
    y_,
)

alpha_1 = Variable("alpha_1", range=POSITIVE)
w_1 = alpha_1 * of_first
total, d_ab, d_ba = w_1 + tokens(weight), w_1 + weight + rest, alpha_1 * of_token + alpha * of_first + rest
both, numerator = of_first * of_token, alpha_1 * x_ - alpha * y_
#: What is averaged in G_{a,b}, by (50) and (47), and the factor of (41).
g_ab, g_ba = both * numerator / d_ab**3, both * (alpha_1 * y_ - alpha * x_) / d_ba**3
part = of_first * weight / total**3


def pair(sign: int = 1) -> Term:
    """(u_1 - u_i).(w_1 (u_1 - u) + w_i (u_i - u)), which S_{i,1} and S_{i,i} hold, with the part of
    u_1 perpendicular to u reversed or not.
    """
    one = h_1 * p(j) + sign * (first(j, o) - h_1 * p(j))
    return over((one - X(i, j, o)) * (w_1 * (one - p(j)) + weight * (X(i, j, o) - p(j))))


@cache
def uniform_tokens() -> tuple[Theorem, ...]:
    """Tokens on the sphere, the flip of the first one, and its exchange with another."""
    here, there = mean(part * pair()), mean(part * pair(-1))
    return (
        *largest_weight.uniform_tokens()[:3],
        assume("the flip keeps the law of u_1", here, "==", there, every=(i,)),
        assume("u_1 and u_i may be exchanged", mean(g_ab), "==", mean(g_ba), every=(i,)),
    )


def statement(sign: int = 1, half: int = 2) -> Statement:
    """S_{i,1} + S_{i,i} is alpha_i/half times the mean of G_{a,b}, in which `sign` stands between
    both orders.
    """
    right = alpha / half * mean(g_ab + sign * g_ba)
    return Statement(mean(part * pair()), "==", right, hypotheses(*uniform_tokens(), of_the_rest()[0]))


@cache
def over_the_flip() -> Theorem:
    """The flip puts ab in the place of u_1.u_i."""
    unit, one, other = uniform_tokens()[:3]
    P, a, b, dot = unit.lhs, h_1, height, over(first(j, o) * X(i, j, o))
    square, along = 2 * one.lhs + 4 * a**2 * P - 4 * a**2, 2 * a * P
    ends = square - along - 2 * a * b + 2 * b, 2 * a * b - along - 2 * other.lhs + 2 * b
    return calc(
        pair() + pair(-1),
        ("==", w_1 * ends[0] + weight * ends[1]),
        (
            "==",
            2 * numerator,
            unit,
            one,
            other,
            *(P, one.lhs, other.lhs, a, b, dot),
            of_first,
            of_token,
            alpha,
        ),
    )


@proves("COL:H.3a/46", statement)
@cache
def both_terms() -> Theorem:
    """E e_1 w_i pair/S^3 = alpha_i E g_{a,b} by the flip, and E g_{a,b} = E g_{b,a}."""
    flip, swap = uniform_tokens()[3:]
    sums, all_ = over_the_flip(), of_the_rest()[0]
    inside = calc(
        part * sums.lhs,
        ("==", part * (2 * numerator), sums, part, *sides(sums), numerator),
        ("==", 2 * alpha * g_ab, all_, numerator, of_first, of_token, alpha, all_.lhs, rest),
    )
    whole, value = integrate("mean", (o,), inside), mean(part * pair())
    return calc(
        value,
        ("==", (value + flip.rhs) / 2, flip, *sides(flip)),
        ("==", whole.lhs / 2),
        ("==", whole.rhs / 2, whole, *sides(whole)),
        ("==", alpha * mean(g_ab)),
        ("==", alpha / 2 * (mean(g_ab) + swap.rhs), swap, alpha, *sides(swap)),
        ("==", alpha / 2 * mean(g_ab + g_ba)),
    )
