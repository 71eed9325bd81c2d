"""The transfer of the risk with explicit constants (OURS:T4.3): flows, risks along them, and the
limit where the infinite-prompt risk falls at a known rate.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import sympy as sp

from numerics.derivations.derived import chain, exp
from numerics.derivations.rules import arithmetic, assume, replace, specialise
from numerics.derivations.sorts import POSITIVE, REALS
from numerics.derivations.statements import Statement, from_sympy, hypotheses
from numerics.derivations.terms import CLOCK, Op, Term, Variable
from numerics.derivations.theorems import Theorem
from proofs_check.derivations.risks.outcomes import both_signs
from proofs_check.derivations.training.best_time import (
    A,
    best,
    bound_there,
    half_of_epsilon,
    mu,
    small_g2,
    there,
)
from proofs_check.derivations.training.best_time import limit as best_bound
from proofs_check.derivations.training.risk_along_the_flow import (
    RL,
    R,
    at_a_time,
    chain_rule,
    close_risks,
    eps,
    g1,
    kappa,
    lipschitz_risk,
    never_rises,
    now,
    together,
)
from proofs_check.derivations.training.two_flows import (
    EVERY,
    T,
    barrier,
    beta,
    distance_now,
    g2,
    gronwall,
    horizon,
    kept_in_the_ball,
    rho,
    s,
    sharp,
    t,
)
from theory.regression.transfer import horizon as last_time

least = Variable("R*", range=REALS)


@cache
def _last() -> Term:
    names = sp.symbols("g2 beta rho", positive=True)
    return from_sympy(last_time(*names), dict(zip(names, (g2, beta, rho), strict=True)))


before = assume("T is before the time ln(1 + beta rho/g2)/beta", T, "<", _last())
falling = assume("R - R* is at most A e^{-mu t}", R(t) - least, "<=", A * exp(-mu * now), every=(t,))
in_time = assume("T is the best time", T, "==", best)
small_g1 = assume("g1 is at most epsilon/2", g1, "<=", eps / 2)
up_to_T, later = Op("ind", (T - CLOCK(s),)), Op("ind", (now - CLOCK(s),))
here = Op("ind", (CLOCK(s) - T,)) * up_to_T


def statements(c: int | Fraction = 1) -> tuple[Statement, ...]:
    """Up to T the flows differ by at most g2(e^{beta t} - 1)/beta; from every time s up to T on,
    R_L is at most R(theta(s)) + g1 + kappa g2(e^{beta s} - 1)/beta, from the best time on it is at
    most R* plus the stated bound, and for small g1 and g2 at most R* + epsilon. Here c multiplies
    the bounds.
    """
    flows, c = hypotheses(*EVERY, before), Fraction(c)
    risks = flows | hypotheses(close_risks, lipschitz_risk, chain_rule)
    best_time = risks | hypotheses(falling, in_time)
    return (
        Statement(distance_now, "<=", sharp(now, c), flows | hypotheses(horizon)),
        Statement(
            up_to_T * later * (RL(t) - R(s)),
            "<=",
            up_to_T * later * (c * (g1 + kappa * sharp(CLOCK(s)))),
            risks,
        ),
        Statement(here * later * (RL(t) - least), "<=", c * best_bound, best_time),
        Statement(here * later * (RL(t) - least), "<=", c * eps, best_time | hypotheses(small_g1, small_g2)),
    )


@cache
def less_than_rho() -> Theorem:
    """g2(e^{beta T} - 1)/beta < rho before that time, at which it is rho."""
    last = beta * _last()
    v, gap = Variable("v_", range=REALS), Variable("gap_", range=POSITIVE)
    left = arithmetic(0, "<", last - beta * T, arithmetic(0, "<", _last()), before, hide=(_last(),))
    smaller = specialise(arithmetic(exp(v - gap), "<", exp(v)), {v: last, gap: last - beta * T}, left)
    smaller = chain(exp(beta * T), smaller, arithmetic(exp(last), "==", 1 + beta * rho / g2))
    return arithmetic(sharp(T), "<", rho, smaller, hide=(exp(beta * T),))


@cache
def distance() -> Theorem:
    """Gronwall's bound up to T."""
    return kept_in_the_ball(gronwall(), less_than_rho)


@cache
def from_a_time_on() -> Theorem:
    """R_L(theta_L(t)) <= R_L(theta_L(s)) <= R(theta(s)) + g1 + kappa times the distance at s."""
    close = both_signs(together(kept_in_the_ball(barrier, less_than_rho), distance()))[0]
    here = at_a_time(close)
    bound = g1 + kappa * sharp(CLOCK(s))
    return arithmetic(
        up_to_T * later * (RL(t) - R(s)), "<=", up_to_T * later * bound, here, never_rises(), hide=(bound,)
    )


@cache
def at_the_best_time() -> Theorem:
    """R(theta(s)) is at most R* + A e^{-mu T} at the time s = T, and the bounds are those there."""
    after = Op("ind", (CLOCK(s) - T,))
    x, w = Variable("x_", range=REALS), Variable("w_", range=POSITIVE)
    less = arithmetic(Op("ind", (x,)) * exp(-w * x), "<=", Op("ind", (x,)))
    growth = specialise(less, {x: T - CLOCK(s), w: beta})
    growth = chain(
        up_to_T * exp(beta * CLOCK(s)),
        exp(beta * T) * growth.lhs,
        replace(exp(beta * T) * growth.lhs, growth),
    )
    decay = specialise(less, {x: CLOCK(s) - T, w: mu})
    decay = chain(
        after * exp(-mu * CLOCK(s)), exp(-mu * T) * decay.lhs, replace(exp(-mu * T) * decay.lhs, decay)
    )
    hidden = exp(-mu * CLOCK(s)), exp(-mu * T), exp(beta * CLOCK(s)), exp(beta * T)
    at_s = specialise(falling, {t: s})
    near = arithmetic(after * R(s), "<=", after * (least + A * exp(-mu * T)), at_s, decay, hide=hidden)
    bound = g1 + kappa * sharp(CLOCK(s))
    far = arithmetic(up_to_T * bound, "<=", up_to_T * (g1 + kappa * sharp(T)), growth, hide=hidden)
    total = A * exp(-mu * T) + g1 + kappa * sharp(T)
    parts = bound, kappa * sharp(T), A * exp(-mu * T)
    positive = arithmetic(0, "<=", kappa * sharp(T))
    risk = arithmetic(
        here * later * (RL(t) - least), "<=", total, positive, from_a_time_on(), far, near, hide=parts
    )
    same = arithmetic(total, "==", there, in_time)
    return chain(risk, same, bound_there())


@cache
def within_epsilon() -> Theorem:
    """The stated bound is at most epsilon for small g1 and g2."""
    half = half_of_epsilon()
    return chain(at_the_best_time(), half, arithmetic(half.rhs, "<=", eps, small_g1))
