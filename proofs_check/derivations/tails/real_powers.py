"""The function y -> (ln y)^q lies below its tangents from y = e^{q-1} on, for every real q >= 1, by
the rules for functions of time: the gap falls along a way on which ln y moves from the point of the
tangent to any other one.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, exp, log
from numerics.derivations.kernel.flows import derivative
from numerics.derivations.kernel.rules import antitone, arithmetic, begin, every_number, instantiate
from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE, REALS, Range, Sort
from numerics.derivations.kernel.terms import CLOCK, START, Op, Term, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.tactics import calc, show

tau = Variable("tau", Sort.TIME)
now = CLOCK(tau)
#: The order is q = 1 + r. The exponents v and W are positive, and c is a number on the clock.
r, number = (Variable(name, range=NONNEGATIVE) for name in ("r", "number"))
W, X, v, M_, C_ = (Variable(name, range=POSITIVE) for name in ("W", "X", "v", "M_", "C_"))
x, y, b = (Variable(name, range=REALS) for name in ("x_", "y_", "b_"))
part = Variable("u_", range=Range(Fraction(0), Fraction(1), False, False))
q = 1 + r


def tangent_of_the_logarithm(at: Term, of: Term) -> Theorem:
    """ln M <= ln C + (M - C)/C."""
    return instantiate(arithmetic(log(M_), "<=", log(C_) + (M_ - C_) / C_), {M_: at, C_: of})


def way(clock: Term) -> Term:
    """A way from W towards X, on which every number between them lies."""
    return (W + clock * X) * (1 / (1 + clock))


V, far, rest = way(now), X - W, 1 / (1 + now)
A, S = W + r, V + r
after, before = Op("ind", (far,)), Op("above", (-far,))


@cache
def gap_of_the_slopes() -> Theorem:
    """(X - W)(S^r - A^r e^{V - W}) <= 0, as the first power is below the second one for X >= W,
    where V >= W, and above it for X <= W.
    """
    e, exponent = V - W, r * (log(S) - log(A))
    P, Q, D = exp(r * log(S)), exp(r * log(A) + e), exponent - e
    ahead, behind = show(0, "<=", after * e), show(before * e, "<=", 0)
    share = arithmetic(part * x, "<=", Op("ind", (x,)) * x)
    most = calc(
        exponent,
        ("<=", r * (e / A), tangent_of_the_logarithm(S, A)),
        ("<=", Op("ind", (e,)) * e, instantiate(share, {part: r / A, x: e}, show(r / A, "<=", 1))),
    )
    share = arithmetic(Op("above", (-x,)) * x, "<=", part * x)
    least = calc(
        instantiate(share, {part: r / S, x: e}, show(r / S, "<=", 1)),
        ("<=", exponent, tangent_of_the_logarithm(A, S), log(S), log(A)),
    )
    # In both cases the exponents, and then the powers, are compared.
    less = show(after * D, "<=", 0, most, ahead, exponent, e, far)
    more = show(before * -D, "<=", 0, least, behind, exponent, e, far)
    above = calc(P * (1 - D), ("<=", P * exp(-D), show(1 - D, "<=", exp(-D), D)), ("==", Q))
    below = calc(Q * (1 + D), ("<=", Q * exp(D), show(1 + D, "<=", exp(D), D)), ("==", P))
    first = show(after * (P - Q), "<=", 0, above, less, P, Q, D, far)
    second = show(before * (Q - P), "<=", 0, below, more, P, Q, D, far)
    return show(far * (P - Q), "<=", 0, first, second, P, Q, far)


@cache
def along_the_way() -> Theorem:
    """S^q - q A^r e^{V - W} falls, by the rate of V times the gap of the slopes."""
    e = exp(q * log(S)) - q * exp(r * log(A) + (V - W))
    rate, P, Q = derivative(V, tau), exp(r * log(S)), exp(r * log(A) + (V - W))
    steady = arithmetic(rate, "==", far * rest**2)
    power = instantiate(arithmetic(exp(q * log(M_)) / M_, "==", exp(r * log(M_))), {M_: S})
    form = q * rate * (power.lhs - Q)
    gap = far * (P - Q)
    slow = calc(
        form,
        ("==", q * rest**2 * gap, steady, power, rate, power.lhs, P, Q, far, rest),
        ("<=", 0, gap_of_the_slopes(), gap, rest),
    )
    return antitone(e, tau, chain(derivative(e, tau), form, slow))


@cache
def below_the_tangent() -> Theorem:
    """(v + r)^q <= (W + r)^q + q (W + r)^r (e^{v - W} - 1), the tangent at ln y = W + r: for X =
    v^2/W the way is at v at the time W/v.
    """
    falls, first = along_the_way(), way(CLOCK(START))
    end = exp(q * log(A)) - q * exp(r * log(A))
    falls = chain(falls, arithmetic(falls.rhs, "==", end, arithmetic(first, "==", W, begin()), hide=(first,)))
    there = instantiate(every_number(falls, tau, number), {number: W / v, X: v**2 / W})
    reached = (W + W / v * (v**2 / W)) * (1 / (1 + W / v))
    same = arithmetic(reached, "==", v)
    power, slope = exp(q * log(v + r)), exp(r * log(A)) * exp(v - W)
    there = chain(arithmetic(power - q * slope, "==", there.lhs, same, hide=(reached,)), there)
    left, top, low = (
        chain(arithmetic(M_**exponent, "==", exp(exponent * log(M_)))) for exponent in (q, q, r)
    )
    left, top, low = (instantiate(thm, {M_: at}) for thm, at in ((left, v + r), (top, A), (low, A)))
    hidden = (left.lhs, top.lhs, low.lhs, left.rhs, top.rhs, low.rhs, exp(v - W))
    bound = A**q + q * A**r * (exp(v - W) - 1)
    return arithmetic((v + r) ** q, "<=", bound, there, left, top, low, hide=hidden)
