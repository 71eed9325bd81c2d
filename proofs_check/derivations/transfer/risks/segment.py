"""A smooth loss along segments of outputs, by the rules for functions of time: how far it is from
its tangent, and how far from its value at the start (Lemma E.2 of Boursier & Boyer).

A task stands for the whole outcome of task, prompt, query and label, so that every outcome has its
segment. At the time t the output is b + t(a - b) and the label y: for infinite prompts it is b, and
at the time 1 it is a, that of finite prompts.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import sqrt
from numerics.derivations.kernel.flows import derivative
from numerics.derivations.kernel.rules import antitone, assume, begin, equal, instantiate
from numerics.derivations.kernel.sorts import Sort
from numerics.derivations.kernel.terms import CLOCK, START, Function, Term, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.transfer.risks.outcomes import (
    Over,
    below_the_larger,
    both_signs,
    inner,
    j,
    labels,
    larger,
    outputs,
    size,
)

w = Variable("w", Sort.TASK)
t, u = Variable("t", Sort.TIME), Variable("u", Sort.TIME)
now = CLOCK(t)
a, b, y = (Function(name, (Sort.TASK, Sort.INDEX), Fraction(2))(w, j) for name in ("a", "b", "y"))
origin = Function("origin", (Sort.INDEX,))
#: The loss along the segment of an outcome, and its gradient in the output there.
_loss, _slope = (
    Function("loss", (Sort.TASK, Sort.TIME), Fraction(1)),
    Function("slope", (Sort.TASK, Sort.INDEX, Sort.TIME)),
)
step = a - b
#: |a - b|^2, |y|^2, and the square of the output on the segment.
S, Y, P = outputs(step**2), labels(y**2), outputs((b + now * step) ** 2)


def loss(at: Variable) -> Term:
    """The loss at a time."""
    return _loss(w, at)


def slope(at: Variable) -> Term:
    """The gradient of the loss at a time."""
    return _slope(w, j, at)


#: What a mean over the outcome is here.
OUTCOMES: Over = ("task", (w,))
#: What the loss has changed by, and the way of the output.
change, way = loss(t) - loss(START), now * step

chain_rule = assume(
    "the slope is the gradient of the loss", _loss.rate(w, t), "==", outputs(slope(t) * step), every=(w, t)
)
smooth = assume(
    "1-smooth loss",
    outputs((slope(t) - slope(u)) ** 2),
    "<=",
    (CLOCK(t) - CLOCK(u)) ** 2 * S,
    every=(w, t, u),
)
from_the_origin = assume(
    "1-smooth loss, from the output 0 and the label 0",
    outputs((slope(t) - origin(j)) ** 2),
    "<=",
    P + Y,
    every=(w, t),
)
flat = assume("no slope at the output 0 and the label 0", origin(j), "==", 0, every=(j,))
on_the_segment = assume("on the segment", now, "<=", 1, every=(t,))


#: |a|^2, |b|^2, and the larger of |(a, y)| and |(b, y)|.
A, B = outputs(a**2), outputs(b**2)
M = larger(sqrt(A + Y), sqrt(B + Y))


def _slower(X: Term, bound: Term, speed: tuple[Theorem, Theorem], *more: Theorem) -> Theorem:
    """|X| <= bound for X and a bound that are 0 at the time 0, if two theorems for the signs of X
    show that its derivative is at most that of the bound.
    """
    sides = []
    for sign, thm in zip((1, -1), speed, strict=True):
        e = sign * X - bound
        slow = show(derivative(e, t), "<=", 0, chain_rule, thm, *more, M)
        sides.append(show(sign * X, "<=", bound, antitone(e, t, slow), begin(), M))
    return show(size(X), "<=", bound, *sides, X, bound)


@cache
def tangent() -> Theorem:
    """|l(b + t(a - b)) - l(b) - grad l(b).t(a - b)| <= |t(a - b)|^2/2, since the derivative of the
    left side is at most t|a - b|^2, by the Cauchy-Schwarz inequality.
    """
    turned, there = slope(t) - slope(START), outputs(slope(START) * step)
    near = calc(
        inner(turned, step),
        ("<=", sqrt((now - CLOCK(START)) ** 2 * S) * sqrt(S), instantiate(smooth, {u: START})),
        ("==", now * S, begin(), S),
    )
    parts = equal(outputs(slope(t) * step), outputs(turned * step) + there)
    slower = _slower(change - now * there, now**2 * S / 2, both_signs(near), parts)
    return show(size(change - outputs(slope(START) * way)), "<=", outputs(way**2) / 2, slower)


@cache
def growth() -> Theorem:
    """|slope|^2 <= |(b + t(a - b), y)|^2, as the slope at the output 0 and the label 0 is 0."""
    turned = outputs((slope(t) - origin(j)) ** 2)
    return calc(outputs(slope(t) ** 2), ("==", turned, flat), ("<=", P + Y, from_the_origin))


@cache
def from_the_start() -> Theorem:
    """|l(b + t(a - b), y) - l(b, y)| <= max(|(a, y)|, |(b, y)|) t|a - b| up to t = 1: the slope is
    at most |(b + t(a - b), y)|, whose square is at most the larger one of the two ends.
    """
    mixed = now * (A + Y) + (1 - now) * (B + Y)
    steep = calc(
        growth(),
        ("==", mixed - now * (1 - now) * S),
        ("<=", mixed, on_the_segment, A, B, S, Y),
        ("<=", M**2, on_the_segment, *below_the_larger(A + Y, B + Y), A + Y, B + Y, M),
    )
    near = calc(inner(slope(t), step), ("<=", sqrt(M**2) * sqrt(S), steep), ("==", M * sqrt(S), M, S))
    return _slower(change, now * (M * sqrt(S)), both_signs(near))
