"""The flow with infinite prompts of Theorem 5.2 of Boursier & Boyer, from a start of Assumption
5.1: it stays in a ball, and its risk is close to the least one from an explicit time on.
"""

from __future__ import annotations

from functools import cache

from numerics.derivations.derived import exp
from numerics.derivations.kernel.rules import assume, instantiate
from numerics.derivations.kernel.sorts import POSITIVE, REALS
from numerics.derivations.kernel.terms import START, Op, Term, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.linear_attention.bounded_flow import excess_falls, infinite, seen
from proofs_check.derivations.linear_attention.decay import risk_decays, speed_of_decay
from proofs_check.derivations.linear_attention.eigenbasis import (
    U_,
    B,
    U,
    at_start,
    delta,
    eigenvalues,
    h,
    l,
    pairs,
    trace_S,
    twice_risk,
    u,
    zero_or_one,
)
from proofs_check.derivations.linear_attention.matrices import i, j
from proofs_check.derivations.linear_attention.orthant import balanced, now
from proofs_check.derivations.linear_attention.polyak_lojasiewicz import (
    lam,
    least,
    risk_is_not_negative,
    s,
)
from proofs_check.derivations.linear_attention.rate_of_the_limit import seen_is
from proofs_check.derivations.transfer.flows.risk_along_the_flow import R, nearly_there
from proofs_check.derivations.transfer.flows.two_flows import T, rho, square, t, theta
from proofs_check.derivations.transfer.linear_tasks.laws import scale, tau2

first_risk = at_start(twice_risk)
#: What bounds u^2 (u^2 - s^2), and |U|^2 + u^2.
product = (2 * first_risk + 2 * trace_S) / lam**3
square_of_the_radius = 1 + 2 * product + s**4
on_the_manifold = (
    assume(
        "theta is kappa (U, V) on the block manifold: |theta|^2 = kappa^2 (|U|^2 + u^2)",
        square(theta),
        "==",
        scale * (pairs(U**2) + u**2),
        every=(t,),
    ),
    assume(
        "R is kappa^2 times the infinite-prompt risk, (tr(B S B') + tau^2)/2 with B = u S U - I",
        R(t),
        "==",
        scale * (twice_risk + tau2) / 2,
        every=(t,),
    ),
)
in_the_ball = assume(
    "rho is a radius of the infinite-prompt flow", scale * square_of_the_radius, "<=", rho**2
)


def late(e: Term) -> Theorem:
    """The hypothesis that the bound of the risk is at most e from T on."""
    bound = scale * (exp(-speed_of_decay * T) * first_risk) / 2
    return assume("T1 is at least T(epsilon), from which on the risk is close to its limit", bound, "<=", e)


@cache
def product_is_bounded() -> Theorem:
    """u^2 (u^2 - s^2) <= (4 R(0) + 2 tr S)/lambda^3, since u l_i U_ij = B_ij + delta_ij, and
    |U|^2 - u^2 is at least -s^2 in the range.
    """
    b, one = (Variable(name, range=REALS) for name in ("b_", "o_"))
    young = instantiate(show((b + one) ** 2, "<=", 2 * b**2 + 2 * one**2), {b: B, one: delta(i, j)})
    h_i, least_j = (
        calc(0, ("<=", lam * h(i) ** 2), ("==", lam * h(i), zero_or_one)),
        instantiate(least, {i: j}),
    )
    square_i = show((lam * h(i)) ** 2, "<=", l(i) ** 2, least, h_i, lam * h(i))
    sign_j = instantiate(eigenvalues, {i: j})
    each = calc(
        lam**3 * (h(i) * h(j) * (u * U) ** 2),
        ("==", (lam * h(i)) ** 2 * (lam * h(j)) * (u * U) ** 2, zero_or_one),
        ("<=", (lam * h(i)) ** 2 * l(j) * (u * U) ** 2, least_j, lam * h(j), (lam * h(i)) ** 2, u * U),
        ("<=", l(i) ** 2 * l(j) * (u * U) ** 2, square_i, sign_j, (lam * h(i)) ** 2, u * U),
        ("==", l(j) * (B + delta(i, j)) ** 2),
        ("<=", l(j) * young.rhs, young, sign_j, young.lhs, young.rhs),
    )
    total = calc(
        lam**3 * (u**2 * seen),
        ("<=", 2 * twice_risk + 2 * trace_S, each),
        ("<=", 2 * first_risk + 2 * trace_S, excess_falls(infinite)),
    )
    first = show(0, "<=", at_start(seen), show(0, "<=", h(i) * h(j) * U_(i, j, START) ** 2, *_signs()))
    least_seen = show(u**2 - s**2, "<=", seen, seen_is(), first, seen, at_start(seen))
    return calc(
        u**2 * (u**2 - s**2),
        ("<=", u**2 * seen, least_seen, u**2, seen),
        ("==", lam**3 * (u**2 * seen) / lam**3, u**2 * seen),
        ("<=", product, total, u**2 * seen),
    )


def _signs() -> tuple[Theorem, Theorem]:
    first = calc(0, ("<=", h(i) ** 2), ("==", h(i), zero_or_one))
    return first, instantiate(first, {i: j})


@cache
def in_a_ball() -> Theorem:
    """|theta|^2 <= rho^2, as |U|^2 = u^2 = x, and 2 x <= 1 + x^2 <= 1 + 2 c + s^4 if x (x - s^2) <=
    c.
    """
    x = u**2
    a, y = (Variable(name, range=REALS) for name in ("a_", "y_"))
    rest = instantiate(show(2 * a * y - y**2, "<=", a**2), {a: s**2, y: x})
    most = calc(
        x**2,
        ("==", 2 * (x * (x - s**2)) + rest.lhs),
        ("<=", 2 * product + rest.rhs, product_is_bounded(), rest),
    )
    return calc(
        square(theta),
        ("==", scale * (pairs(U**2) + x), on_the_manifold[0]),
        ("==", scale * (2 * x), balanced()),
        ("<=", scale * square_of_the_radius, show(2 * x, "<=", square_of_the_radius, most, x, product, s)),
        ("<=", rho**2, in_the_ball),
    )


@cache
def close_to_the_limit(e: Term, limit: Term) -> Theorem:
    """1{t >= T} (R - kappa^2 tau^2/2) <= e."""
    after, (goal,) = Op("ind", (now - T,)), nearly_there(e, limit).assumptions
    y, rate = Variable("y_", range=REALS), Variable("r_", range=POSITIVE)
    less = instantiate(show(Op("ind", (y,)) * exp(-rate * y), "<=", 1), {y: now - T, rate: speed_of_decay})
    decay, then = exp(-speed_of_decay * now), exp(-speed_of_decay * T)
    early = calc(after * decay, ("==", after * exp(-speed_of_decay * (now - T)) * then), ("<=", then, less))
    return calc(
        goal.lhs,
        ("==", after * (scale * twice_risk / 2), on_the_manifold[1]),
        ("<=", after * (scale * (decay * first_risk) / 2), risk_decays(), after, scale, twice_risk),
        ("==", scale * first_risk / 2 * (after * decay)),
        ("<=", scale * first_risk / 2 * then, early, first_risk_is_not_negative(), after * decay, then),
        ("==", scale * (then * first_risk) / 2),
        ("<=", e, late(e)),
    )


@cache
def first_risk_is_not_negative() -> Theorem:
    return instantiate(risk_is_not_negative(), {t: START})
