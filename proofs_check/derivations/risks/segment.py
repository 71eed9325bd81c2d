"""A smooth loss along a segment of outputs, by the rules for functions of time: how far it is from
its tangent, and how far from its value at the start.

At the time t the output is b + t(a - b) and the label y, so that the segment from b ends in a at
the time 1.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, sqrt
from numerics.derivations.flows import derivative
from numerics.derivations.rules import arithmetic, assume, begin, equal, fall, integrate, replace, specialise
from numerics.derivations.sorts import Sort
from numerics.derivations.statements import Statement
from numerics.derivations.terms import CLOCK, START, Function, Term, Variable, term
from numerics.derivations.theorems import Theorem
from proofs_check.derivations.risks.outcomes import both_signs, hypotheses, inner, j, labels, larger, m, outputs, size

t, u = Variable("t", Sort.TIME), Variable("u", Sort.TIME)
now = CLOCK(t)
a, b, y, origin = (Function(name, (Sort.INDEX,)) for name in ("a", "b", "y", "origin"))
#: The loss along the segment, and its gradient in the output there.
loss, slope = Function("loss", (Sort.TIME,), Fraction(1)), Function("slope", (Sort.INDEX, Sort.TIME))
step = a(j) - b(j)
#: |a - b|^2, |y|^2, and the square of the output on the segment.
S, Y, P = outputs(step**2), labels(y(j) ** 2), outputs((b(j) + now * step) ** 2)
change = loss(t) - loss(START)

chain_rule = assume("the slope is the gradient of the loss", loss.rate(t), "==", outputs(slope(j, t) * step), every=(t,))
smooth = assume("1-smooth loss", outputs((slope(j, t) - slope(j, u)) ** 2), "<=", (CLOCK(t) - CLOCK(u)) ** 2 * S, every=(t, u))
from_the_origin = assume(
    "1-smooth loss, from the output 0 and the label 0", outputs((slope(j, t) - origin(j)) ** 2), "<=", P + Y, every=(t,)
)
flat = assume("no slope at the output 0 and the label 0", origin(j), "==", 0, every=(j,))
on_the_segment = assume("on the segment", now, "<=", 1, every=(t,))


#: |a|^2, |b|^2, and the larger of |(a, y)| and |(b, y)|.
A, B = outputs(a(j) ** 2), outputs(b(j) ** 2)
M = larger(sqrt(A + Y), sqrt(B + Y))


def _slower(X: Term, bound: Term, speed: tuple[Theorem, Theorem], *more: Theorem) -> Theorem:
    """|X| <= bound for X and a bound that are 0 at the time 0, if two theorems for the signs of X
    show that its derivative is at most that of the bound.
    """
    sides = []
    for sign, thm in zip((1, -1), speed, strict=True):
        e = sign * X - bound
        slow = arithmetic(derivative(e, t), "<=", 0, chain_rule, thm, *more, hide=(M,))
        sides.append(arithmetic(sign * X, "<=", bound, fall(e, t, slow), begin(), hide=(M,)))
    return arithmetic(size(X), "<=", bound, *sides, hide=(X, bound))


@cache
def tangent() -> Theorem:
    """|l(b + t(a - b)) - l(b) - t grad l(b).(a - b)| <= t^2|a - b|^2/2, since the derivative of the
    left side is at most t|a - b|^2, by the Cauchy-Schwarz inequality.
    """
    turned, there = slope(j, t) - slope(j, START), outputs(slope(j, START) * step)
    lipschitz = specialise(smooth, {u: START})
    lipschitz = chain(lipschitz, arithmetic(lipschitz.rhs, "==", now**2 * S, begin(), hide=(S,)))
    near = inner(turned, step)
    near = chain(near, replace(near.rhs, lipschitz))
    near = chain(near, arithmetic(near.rhs, "==", now * S, hide=(S,)))
    parts = equal(outputs(slope(j, t) * step), outputs(turned * step) + there)
    return _slower(change - now * there, now**2 * S / 2, both_signs(near), parts)


def tangent_statement(half: int | Fraction = Fraction(1, 2)) -> Statement:
    """A loss with a 1-Lipschitz gradient is within half the squared distance of its tangent."""
    left = size(change - now * outputs(slope(j, START) * step))
    return Statement(left, "<=", Fraction(half) * now**2 * S, hypotheses(chain_rule, smooth))


def _at_most_the_larger(e: Term) -> Theorem:
    """|(a, y)|^2 and |(b, y)|^2 are at most the square of the larger norm."""
    return chain(e, replace(sqrt(e) ** 2, arithmetic(sqrt(e), "<=", M, hide=(A + Y, B + Y))))


@cache
def from_the_start() -> Theorem:
    """|l(b + t(a - b), y) - l(b, y)| <= t max(|(a, y)|, |(b, y)|)|a - b| up to t = 1: the slope is
    at most |(b + t(a - b), y)|, whose square is at most the larger one of the two ends.
    """
    each = arithmetic(slope(j, t) ** 2, "==", (slope(j, t) - origin(j)) ** 2, flat)
    steep = chain(integrate("coordinates", (j,), each, (m,)), from_the_origin)
    mixed = now * (A + Y) + (1 - now) * (B + Y)
    below = arithmetic(mixed - now * (1 - now) * S, "<=", mixed, on_the_segment, hide=(A, B, S, Y))
    ends = [_at_most_the_larger(e) for e in (A + Y, B + Y)]
    between = arithmetic(mixed, "<=", M**2, on_the_segment, *ends, hide=(A + Y, B + Y, M))
    steep = chain(steep, below, between)
    near = inner(slope(j, t), step)
    near = chain(near, replace(near.rhs, steep))
    near = chain(near, arithmetic(near.rhs, "==", M * sqrt(S), hide=(M, S)))
    return _slower(change, now * (M * sqrt(S)), both_signs(near))


def start_statement(factor: int | Fraction = 1) -> Statement:
    """|l(a, y) - l(b, y)| <= max(|(a, y)|, |(b, y)|)|a - b| at t = 1, and t times that before; a
    factor multiplies the square of the right side.
    """
    bound = now * sqrt(term(Fraction(factor))) * M * sqrt(S)
    return Statement(size(change), "<=", bound, hypotheses(chain_rule, from_the_origin, flat, on_the_segment))
