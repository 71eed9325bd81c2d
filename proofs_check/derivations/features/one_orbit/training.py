"""R12: training over one orbit, from Q = 0, is along the identity, by steps of gradient descent and
along the flow.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, symm
from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.flows import derivative
from numerics.derivations.kernel.rules import assume, induction, instantiate, unique
from numerics.derivations.kernel.sorts import Sort
from numerics.derivations.kernel.terms import FIRST, START, Function, Term, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.tactics import calc
from proofs_check.derivations.features.equiangular.multiples import attention_of, gradient
from proofs_check.derivations.features.equiangular.setting import eta, i, j, r, t
from proofs_check.derivations.features.one_orbit.gradient import plain, without_delta
from proofs_check.derivations.features.one_orbit.group import (
    at_the_identity,
    in_weights,
    trace,
    unit,
    upward,
    y,
)
from proofs_check.derivations.features.one_orbit.invariant import multiple_of_the_identity
from proofs_check.derivations.features.steps import scaled

step = Variable("t", Sort.STEP)
Q, z = Function("Q", (Sort.INDEX, Sort.INDEX, Sort.STEP)), Function("lambda", (Sort.STEP,))
path = Function("Q", (Sort.INDEX, Sort.INDEX, Sort.TIME), Fraction(1))
lam = Function("lambda", (Sort.TIME,), Fraction(1))
X, Y = Q(i, j, step), path(i, j, t)

descent = assume("gradient descent", Q.after(i, j, step), "==", X + eta * gradient(X), every=(i, j, step))
from_zero = assume("descent from Q = 0", Q(i, j, FIRST), "==", 0, every=(i, j))
flow = assume("gradient flow", path.rate(i, j, t), "==", eta * gradient(Y), every=(i, j, t))
flow_from_zero = assume("Q(0) = 0", path(i, j, START), "==", 0, every=(i, j))


def speed(at: Term, share: int | Fraction = 1) -> Term:
    """The trace of minus the gradient at a number times the identity, over r."""
    return share * instantiated(trace(upward), {y: at}) / r


def recursion(share: int | Fraction = 1) -> Theorem:
    moved = z(step) + eta * speed(z(step), share)
    return assume("the scalar descent", z.after(step), "==", moved, every=(step,))


def scalar(share: int | Fraction = 1) -> Theorem:
    return assume("the scalar flow", lam.rate(t), "==", eta * speed(lam(t), share), every=(t,))


start = assume("lambda starts at 0", z(FIRST), "==", 0)
scalar_start = assume("lambda starts at 0", lam(START), "==", 0)


@cache
def at_the_number(at: Term) -> Theorem:
    """Minus the gradient at a number times the identity is its trace over r times the identity."""
    values = {y: at}
    weights, multiple = (
        instantiate(at_the_identity(), values),
        instantiate(multiple_of_the_identity(), values),
    )
    return calc(in_weights(weights, at * unit(i, j)), ("==", multiple.lhs), ("==", multiple.rhs, multiple))


@cache
def on_the_line() -> Theorem:
    """Q is lambda times the identity after every step."""
    so_far = assume("Q on the line so far", X, "==", z(step) * unit(i, j), every=(i, j, step))
    at = instantiate(at_the_identity(), {y: z(step)})
    multiple = instantiate(multiple_of_the_identity(), {y: z(step)})
    moved = calc(
        without_delta(X),
        ("==", multiple.lhs, in_weights(chain(attention_of(so_far), at), X)),
        ("==", multiple.rhs, multiple),
    )
    later = calc(
        descent,
        ("==", X + eta * moved.rhs, scaled(eta, moved)),
        ("==", z(step) * unit(i, j) + eta * moved.rhs, so_far),
        ("==", (z(step) + eta * speed(z(step))) * unit(i, j)),
        ("==", z.after(step) * unit(i, j), symm(scaled(unit(i, j), recursion()))),
    )
    base = calc(from_zero, ("==", z(FIRST) * unit(i, j), symm(scaled(unit(i, j), start))))
    (hypothesis,) = so_far.assumptions
    return induction(hypothesis, step, base, later)


@cache
def along_the_flow() -> Theorem:
    """Q is lambda times the identity at all times, as that solves the flow from the same start."""
    at = lam(t) * unit(i, j)
    moved = calc(flow, ("==", eta * plain(Y), scaled(eta, without_delta(Y))))
    found = at_the_number(lam(t))
    solves = calc(
        derivative(at, t),
        ("==", lam.rate(t) * unit(i, j)),
        ("==", eta * speed(lam(t)) * unit(i, j), scaled(unit(i, j), scalar())),
        ("==", eta * found.rhs),
        ("==", eta * plain(at), symm(scaled(eta, found))),
    )
    begun = calc(flow_from_zero, ("==", lam(START) * unit(i, j), symm(scaled(unit(i, j), scalar_start))))
    return unique(path, t, at, moved, solves, begun)
