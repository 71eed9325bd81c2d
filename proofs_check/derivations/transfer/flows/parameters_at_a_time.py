"""The finite-prompt parameters at one time, close to the limit of the infinite-prompt parameters:
what Section 4 of Boursier & Boyer draws from Lemma E.1.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache

import sympy as sp

from numerics.derivations.derived import exp, log, sqrt
from numerics.derivations.kernel.rules import arithmetic, assume, gcongr, instantiate
from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE, Sort
from numerics.derivations.kernel.terms import CLOCK, Function, Op, Term, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, from_sympy, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.transfer.flows import two_flows
from proofs_check.derivations.transfer.flows.long_prompts import Prompts, at_most
from proofs_check.derivations.transfer.flows.risk_along_the_flow import at_a_time
from proofs_check.derivations.transfer.flows.two_flows import (
    T,
    beta,
    bound_26,
    enough,
    g2,
    horizon,
    rho,
    s,
    t,
    theta,
    thetaL,
)
from proofs_check.derivations.transfer.risks.mean_of_a_vector import norm, norm_of_a_sum
from proofs_check.derivations.transfer.risks.outcomes import i, parameters
from theory.regression.transfer import slow_time

eps = Variable("epsilon", range=POSITIVE)
part = eps / (2 * sqrt(2))
#: The limit of the infinite-prompt parameters, and the indicators of the entries of U and of V.
limit, in_U, in_V = (Function(name, (Sort.INDEX,))(i) for name in ("limit", "inU", "inV"))
blocks = assume("every parameter is an entry of U or of V", in_U**2 + in_V**2, "==", 1, every=(i,))
nearly_there = assume(
    "T1 is at least T(epsilon), by the definition of a limit",
    Op("ind", (CLOCK(t) - T,)) * norm(theta(i, t) - limit),
    "<=",
    part,
    every=(t,),
)
#: So long that (27) holds, and that (26) is at most `part` at T.
long = Prompts((enough(rho), enough(part)), with_risks=False)
off = thetaL(i, s) - limit
here = Op("ind", (CLOCK(s) - T,)) * Op("ind", (T - CLOCK(s),))


def block(indicator: Term) -> Term:
    """The distance of the finite-prompt parameters from the limit in one block."""
    return norm(indicator * off)


def statement(c: int | Fraction = 1) -> Statement:
    """|U_L(T) - lim U_inf| + |V_L(T) - lim V_inf| <= c epsilon, where s is the time T."""
    given = hypotheses(*two_flows.EVERY, blocks, nearly_there) | long.given
    return Statement(here * (block(in_U) + block(in_V)), "<=", Fraction(c) * eps, given)


@cache
def at_T(early: Callable[[], Theorem]) -> Theorem:
    """|theta_L(s) - theta_inf(s)| <= g2 T e^{beta T} for every time s up to T."""
    near = two_flows.kept_in_the_ball(two_flows.distance_in_the_ball(), early)
    return at_a_time(show(two_flows.distance_now, "<=", bound_26(T), near, horizon))


@cache
def sum_of_the_blocks() -> Theorem:
    """|w_U| + |w_V| <= sqrt(2)|w| for the blocks of a vector w."""
    squares = parameters((in_U * off) ** 2), parameters((in_V * off) ** 2)
    total = calc(
        parameters((in_U * off) ** 2 + (in_V * off) ** 2),
        ("==", parameters((in_U**2 + in_V**2) * off**2)),
        ("==", parameters(off**2), blocks),
    )
    return calc(
        block(in_U) + block(in_V),
        ("<=", sqrt(2) * sqrt(squares[0] + squares[1]), *squares),
        ("<=", sqrt(2) * norm(off), total),
    )


def _triangle() -> Theorem:
    """|theta_L - lim| <= |theta_L - theta_inf| + |theta_inf - lim|."""
    apart, away = thetaL(i, s) - theta(i, s), theta(i, s) - limit
    return show(norm(off), "<=", norm(apart) + norm(away), norm_of_a_sum(apart, away))


@proves("BB:4.E1cor", statement)
@cache
def theorem() -> Theorem:
    """The triangle inequality at the time T, with theta_inf(T) between."""
    apart, away = norm(thetaL(i, s) - theta(i, s)), norm(theta(i, s) - limit)
    finite = calc(
        at_T(two_flows.for_long_prompts(at_most(long))),
        ("<=", Op("ind", (T - CLOCK(s),)) * part, two_flows.small_at_T(part, at_most(long))),
    )
    infinite = instantiate(nearly_there, {t: s})
    facts = _triangle(), finite, infinite
    close = show(here * norm(off), "<=", 2 * part, *facts, norm(off), apart, away, part)
    return calc(
        here * (block(in_U) + block(in_V)),
        ("<=", sqrt(2) * (here * norm(off)), sum_of_the_blocks()),
        ("<=", eps, close),
    )


@cache
def slow_bound() -> Term:
    """g2^{1/2} ln(1/g2)/(2 beta), the bound (26) at the slow time."""
    return sqrt(g2) * _slow()


def _slow() -> Term:
    names = sp.symbols("g2 beta", positive=True)
    return from_sympy(slow_time(*names), dict(zip(names, (g2, beta), strict=True)))


slow = assume("T1 is ln(1/g2)/(2 beta)", T, "==", _slow())
#: A time from which on the infinite-prompt parameters are close to their limit.
T0 = Variable("T0", range=NONNEGATIVE)
half_way = assume(
    "T0 is at least T(epsilon), by the definition of a limit",
    Op("ind", (CLOCK(t) - T0,)) * norm(theta(i, t) - limit),
    "<=",
    eps / 2,
    every=(t,),
)


def enough_slowly(most: Term) -> Term:
    """If g2 is at most this, then its bound at the slow time is at most `most`."""
    return (beta * most) ** 4


#: So long that (27) holds at the slow time T, and that T is at least T0, and (26) there is small.
BOUNDS = enough_slowly(rho), exp(-2 * beta * T0), enough_slowly(eps / 2)
slowly = Prompts(BOUNDS, with_risks=False)


@cache
def small_at_the_slow_time(most: Term) -> Theorem:
    """(26) at the slow time is at most `most`, since g2^{1/2} ln(1/g2) <= 2 g2^{1/4}."""
    x = Variable("x_", range=POSITIVE)
    line = show(sqrt(x) * log(1 / x), "<=", 2 * x ** Fraction(1, 4))
    root = show(g2 ** Fraction(1, 4), "<=", beta * most, at_most(slowly)(enough_slowly(most)))
    return calc(
        bound_26(T),
        ("==", slow_bound(), slow),
        ("<=", 2 * g2 ** Fraction(1, 4) / (2 * beta), instantiate(line, {x: g2})),
        ("<=", most, root),
    )


@cache
def in_time() -> Theorem:
    """(27) at the slow time, so that Gronwall's bound is less than rho there."""
    return two_flows.less_than_rho(small_at_the_slow_time(rho))


def slow_statements(schedule: str = "slow") -> tuple[Statement, Statement]:
    """At the slow time T |theta_L - lim| <= |theta_inf - lim| + g2^{1/2} ln(1/g2)/(2 beta), and
    both together are at most epsilon for long prompts.
    """
    given = hypotheses(*two_flows.EVERY, *([slow] if schedule == "slow" else [])) | slowly.given
    return (
        Statement(here * norm(off), "<=", here * norm(theta(i, s) - limit) + slow_bound(), given),
        Statement(here * norm(off), "<=", eps, given | hypotheses(half_way)),
    )


@proves("BB:4.E1cor2", slow_statements, part=1)
@cache
def at_the_slow_time() -> Theorem:
    """The triangle inequality at the time T, and (26) there."""
    apart, away = norm(thetaL(i, s) - theta(i, s)), norm(theta(i, s) - limit)
    there = arithmetic(bound_26(T), "==", slow_bound(), slow)
    finite = calc(at_T(in_time), ("<=", Op("ind", (T - CLOCK(s),)) * slow_bound(), there))
    facts = _triangle(), finite, calc(0, ("<=", bound_26(T)), ("==", slow_bound(), there))
    return show(
        here * norm(off), "<=", here * away + slow_bound(), *facts, norm(off), apart, away, slow_bound()
    )


@proves("BB:4.E1cor2", slow_statements, part=2)
def parameters_converge() -> Theorem:
    """Both terms are at most epsilon/2 for long prompts."""
    away, after = norm(theta(i, s) - limit), Op("ind", (CLOCK(s) - T0,))
    now, reached = Op("ind", (CLOCK(s) - T,)), show(T0, "<=", T, at_most(slowly)(exp(-2 * beta * T0)), slow)
    near = calc(
        here * away,
        ("<=", now * away, show(here, "<=", now), away),
        ("<=", after * away, gcongr(now, reached), now, after, away),
        ("<=", eps / 2, instantiate(half_way, {t: s})),
    )
    small = calc(slow_bound(), ("==", bound_26(T), slow), ("<=", eps / 2, small_at_the_slow_time(eps / 2)))
    return calc(
        here * norm(off),
        ("<=", here * away + slow_bound(), at_the_slow_time()),
        ("<=", eps / 2 + slow_bound(), near),
        ("<=", eps, small),
    )
