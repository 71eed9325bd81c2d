"""The transfer of the risk with explicit constants (OURS:T4.3): flows, risks along them, and the
limit where the infinite-prompt risk falls at a known rate.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import sympy as sp

from numerics.derivations.derived import exp
from numerics.derivations.kernel.rules import assume, instantiate
from numerics.derivations.kernel.sorts import POSITIVE, REALS
from numerics.derivations.kernel.terms import CLOCK, Op, Term, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, from_sympy, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.transfer.flows import best_time, two_flows
from proofs_check.derivations.transfer.flows import risk_along_the_flow as risk
from proofs_check.derivations.transfer.flows.best_time import A, mu
from proofs_check.derivations.transfer.flows.long_prompts import g1
from proofs_check.derivations.transfer.flows.risk_along_the_flow import RL, R, at_a_time, eps, kappa
from proofs_check.derivations.transfer.flows.two_flows import (
    T,
    beta,
    g2,
    horizon,
    kept_in_the_ball,
    now,
    rho,
    s,
    sharp,
    t,
)
from proofs_check.derivations.transfer.risks.outcomes import size
from theory.regression.transfer import horizon as last_time

least = Variable("R*", range=REALS)


@cache
def _last() -> Term:
    names = sp.symbols("g2 beta rho", positive=True)
    return from_sympy(last_time(*names), dict(zip(names, (g2, beta, rho), strict=True)))


before = assume("T1 is before the time ln(1 + beta rho/g2)/beta", T, "<", _last())
falling = assume("R - R* is at most A e^{-mu t}", R(t) - least, "<=", A * exp(-mu * now), every=(t,))
in_time = assume("T1 is the best time", T, "==", best_time.best)
small_g1 = assume("g1 is at most epsilon/2", g1, "<=", eps / 2)
up_to_T, later = Op("ind", (T - CLOCK(s),)), Op("ind", (now - CLOCK(s),))
here = Op("ind", (CLOCK(s) - T,)) * up_to_T


def statements(c: int | Fraction = 1) -> tuple[Statement, ...]:
    """Up to T the flows differ by at most g2(e^{beta t} - 1)/beta; from every time s up to T on,
    R_L is at most R(theta(s)) + g1 + kappa g2(e^{beta s} - 1)/beta, from the best time on it is at
    most R* plus the stated bound, and for small g1 and g2 at most R* + epsilon. Here c multiplies
    the bounds.
    """
    flows, c = hypotheses(*two_flows.EVERY, before), Fraction(c)
    risks = flows | hypotheses(risk.close_risks, risk.lipschitz_risk, risk.chain_rule)
    there = risks | hypotheses(falling, in_time)
    small = hypotheses(small_g1, best_time.small_g2)
    return (
        Statement(two_flows.distance_now, "<=", sharp(now, c), flows | hypotheses(horizon)),
        Statement(
            up_to_T * later * (RL(t) - R(s)),
            "<=",
            up_to_T * later * (c * (g1 + kappa * sharp(CLOCK(s)))),
            risks,
        ),
        Statement(here * later * (RL(t) - least), "<=", c * best_time.limit, there),
        Statement(
            here * later * (RL(t) - least),
            "<=",
            c * eps,
            there | small,
        ),
    )


@cache
def less_than_rho() -> Theorem:
    """g2(e^{beta T} - 1)/beta < rho before that time, at which it is rho."""
    last = beta * _last()
    v, gap = Variable("v_", range=REALS), Variable("gap_", range=POSITIVE)
    left = show(0, "<", last - beta * T, show(0, "<", _last()), before, _last())
    smaller = calc(
        exp(beta * T),
        ("<", exp(last), instantiate(show(exp(v - gap), "<", exp(v)), {v: last, gap: last - beta * T}, left)),
        ("==", 1 + beta * rho / g2),
    )
    return show(sharp(T), "<", rho, smaller, exp(beta * T))


@proves("OURS:T4.3", statements, part=1)
@cache
def distance() -> Theorem:
    """Gronwall's bound up to T."""
    return kept_in_the_ball(two_flows.gronwall(), less_than_rho)


@proves("OURS:T4.3", statements, part=2)
@cache
def from_a_time_on() -> Theorem:
    """R_L(theta_L(t)) <= R_L(theta_L(s)) <= R(theta(s)) + g1 + kappa times the distance at s."""
    bound = lambda time: g1 + kappa * sharp(time)
    close = risk.together(kept_in_the_ball(two_flows.barrier, less_than_rho), distance())
    close = at_a_time(calc(RL(t) - R(t), ("<=", size(RL(t) - R(t))), ("<=", bound(now), close)))
    left, right = up_to_T * later * (RL(t) - R(s)), up_to_T * later * bound(CLOCK(s))
    return show(left, "<=", right, close, risk.never_rises(), bound(CLOCK(s)))


@proves("OURS:T4.3", statements, part=3)
@cache
def at_the_best_time() -> Theorem:
    """R(theta(s)) is at most R* + A e^{-mu T} at the time s = T, and the bounds are those there."""
    after, then = Op("ind", (CLOCK(s) - T,)), CLOCK(s)
    x, w = Variable("x_", range=REALS), Variable("w_", range=POSITIVE)
    less = show(Op("ind", (x,)) * exp(-w * x), "<=", Op("ind", (x,)))
    growth = show(
        up_to_T * exp(beta * then), "<=", up_to_T * exp(beta * T), instantiate(less, {x: T - then, w: beta})
    )
    decay = show(after * exp(-mu * then), "<=", after * exp(-mu * T), instantiate(less, {x: then - T, w: mu}))
    powers = exp(-mu * then), exp(-mu * T), exp(beta * then), exp(beta * T)
    ideal, bound = A * exp(-mu * T), lambda time: g1 + kappa * sharp(time)
    near = show(after * R(s), "<=", after * (least + ideal), instantiate(falling, {t: s}), decay, *powers)
    far = show(up_to_T * bound(then), "<=", up_to_T * bound(T), growth, *powers)
    facts = show(0, "<=", kappa * sharp(T)), from_a_time_on(), far, near
    return calc(
        here * later * (RL(t) - least),
        ("<=", ideal + bound(T), *facts, bound(then), kappa * sharp(T), ideal),
        ("==", best_time.there, in_time),
        ("<=", best_time.limit, best_time.bound_there()),
    )


@proves("OURS:T4.3", statements, part=4)
def within_epsilon() -> Theorem:
    """The stated bound is at most epsilon for small g1 and g2."""
    return calc(
        here * later * (RL(t) - least),
        ("<=", best_time.limit, at_the_best_time()),
        ("<=", g1 + eps / 2, best_time.half_of_epsilon()),
        ("<=", eps, small_g1),
    )
