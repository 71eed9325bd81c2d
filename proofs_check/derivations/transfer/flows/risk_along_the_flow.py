"""The finite-prompt risk along its own flow, compared with the infinite-prompt risk along its own:
Theorem 4.3 of Boursier & Boyer and its proof in Appendix E.1.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache

from numerics.derivations.derived import read_up_to
from numerics.derivations.kernel.flows import derivative
from numerics.derivations.kernel.rules import antitone, assume, instantiate
from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE, REALS, Sort
from numerics.derivations.kernel.terms import CLOCK, Function, Op, Term, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.transfer.flows import two_flows
from proofs_check.derivations.transfer.flows.long_prompts import Prompts, at_most, g1
from proofs_check.derivations.transfer.flows.two_flows import (
    Small,
    T,
    bound_26,
    enough,
    gL,
    horizon,
    now,
    rho,
    s,
    square,
    t,
    thetaL,
)
from proofs_check.derivations.transfer.risks.corollaries import SMOOTH, AtAPoint, Near, smooth_loss
from proofs_check.derivations.transfer.risks.outcomes import i, parameters, size

kappa, eps = (Variable(name, range=POSITIVE) for name in ("kappa", "epsilon"))
limit, limit_L = (Variable(name, range=REALS) for name in ("limit", "limitL"))
#: A time from which on the finite-prompt risk is close to its limit.
T_L = Variable("TL", range=NONNEGATIVE)
_risk = lambda name, order: Function(name, (Sort.TIME,), Fraction(order))
#: The risks R_L(theta_L), R_inf(theta_L) and R_inf(theta_inf) along the flows.
RL, RS, R = _risk("RL", 1), _risk("RS", 0), _risk("R", 0)

chain_rule = assume(
    "chain rule for the finite-prompt risk along its flow",
    RL.rate(t),
    "==",
    parameters(gL(i, t) * thetaL.rate(i, t)),
    every=(t,),
    cited=True,
)
in_ball = two_flows.in_ball()
close_risks = assume("risks within g1 on the ball", in_ball * size(RL(t) - RS(t)), "<=", g1, every=(t,))
lipschitz_risk = assume(
    "C^2 infinite-prompt risk: kappa is its Lipschitz constant on the ball",
    in_ball * size(RS(t) - R(t)),
    "<=",
    kappa * two_flows.distance_now,
    every=(t,),
)
ALONG = (*two_flows.EVERY, close_risks, lipschitz_risk)


def nearly_there(e: Term, limit: Term = limit) -> Theorem:
    """The hypothesis that the infinite-prompt risk is within e of its limit from T on."""
    return assume(
        "T1 is at least T(epsilon), by the definition of a limit",
        Op("ind", (now - T,)) * (R(t) - limit),
        "<=",
        e,
        every=(t,),
    )


def long_for(e: Term, point: Callable[[], AtAPoint] = smooth_loss) -> Prompts:
    """So long that (27) holds and g1 + kappa g2 T e^{beta T} is at most e/2."""
    return Prompts((enough(rho), e / 4, enough(e / (4 * kappa))), point=point)


def later(X: Term) -> Term:
    """X times the indicators that s is the time T, and that t is s or later."""
    here = Op("ind", (CLOCK(s) - T,)) * Op("ind", (T - CLOCK(s),))
    return here * Op("ind", (now - CLOCK(s),)) * X


def settled(e: Term) -> Theorem:
    """The hypothesis that the finite-prompt risk is at least its limit less e/2 from T_L on."""
    return assume(
        "TL is a time from which on R_L is close to its limit, by the definition of a limit",
        Op("ind", (now - T_L,)) * (limit_L - RL(t)),
        "<=",
        e / 2,
        every=(t,),
    )


def _statements(c: int | Fraction, e: Term, limit: Term = limit) -> tuple[Statement, Statement]:
    given = hypotheses(*ALONG, chain_rule, nearly_there(e, limit)) | long_for(e).given
    ends = later(Op("ind", (now - T_L,)) * (limit_L - limit))
    return (
        Statement(later(RL(t) - limit), "<=", Fraction(c) * 2 * e, given),
        Statement(ends, "<=", Fraction(c) * 2 * e, given | hypotheses(settled(e))),
    )


def statements(c: int | Fraction = 1, radius: int | Fraction = 2) -> tuple[Statement, ...]:
    """Up to T the finite-prompt flow is in the ball of radius 2 rho, and |R_L(theta_L(t)) -
    R_inf(theta_inf(t))| <= g1 + kappa g2 t e^{beta t}; from T on R_L(theta_L), and so its limit, is
    at most the limit of R_inf(theta_inf) plus 2 epsilon. The radius stands for the 2, and c
    multiplies the bounds.
    """
    close = Fraction(c) * (g1 + kappa * bound_26(now))
    return (
        two_flows.in_the_ball_statement(radius, long_for(eps).given),
        Statement(size(RL(t) - R(t)), "<=", close, hypotheses(*ALONG, horizon) | long_for(eps).given),
        *_statements(c, eps),
    )


def end_statements(c: int | Fraction = 1) -> tuple[Statement, Statement]:
    """From the time T(epsilon/2) on, and for L from L*(epsilon/2) on, R_L(theta_L) is at most the
    limit of R_inf(theta_inf) plus epsilon, and so is its limit; c multiplies epsilon.
    """
    return _statements(c, eps / 2)


@proves("BB:E.1", statements, part=(1, 2))
@cache
def up_to_T() -> tuple[Theorem, Theorem]:
    """The finite-prompt flow is in the ball, and the risks stay together."""
    long = at_most(long_for(eps))
    return two_flows.norm_in_the_ball(two_flows.for_long_prompts(long)), risks_stay_together(long)


@cache
def risks_stay_together(long: Small) -> Theorem:
    """|R_L(theta_L) - R_inf(theta_inf)| <= g1 + kappa g2 t e^{beta t} up to T."""
    return together(two_flows.in_the_ball(two_flows.for_long_prompts(long)), two_flows.distance(long))


def together(inside: Theorem, near: Theorem) -> Theorem:
    """|R_L(theta_L) - R_inf(theta_inf)| <= g1 + kappa b for flows that differ by at most b: both
    brackets, in the ball.
    """
    one, other, ball, apart = size(RL(t) - RS(t)), size(RS(t) - R(t)), square(thetaL), two_flows.distance_now
    first = show(one, "<=", g1, close_risks, inside, ball, one)
    second = show(other, "<=", kappa * apart, lipschitz_risk, inside, ball, other, apart)
    return calc(
        size(RL(t) - R(t)),
        ("<=", one + other),
        ("<=", g1 + kappa * apart, first, second),
        ("<=", g1 + kappa * near.rhs, near),
    )


@cache
def never_rises() -> Theorem:
    """R_L(theta_L(t)) <= R_L(theta_L(s)) for t >= s, as d/dt R_L(theta_L) = -|grad R_L|^2."""
    slope = calc(
        derivative(RL(t), t),
        ("==", parameters(gL(i, t) * thetaL.rate(i, t)), chain_rule),
        ("==", parameters(-(gL(i, t) ** 2)), two_flows.flows[0]),
        ("<=", 0),
    )
    return antitone(RL(t), t, slope, s)


@cache
def at_T(long: Small) -> Theorem:
    """R_L(theta_L(s)) - R_inf(theta_inf(s)) <= g1 + kappa g2 T e^{beta T} for every time s up to T,
    whatever comes later.
    """
    close = calc(
        RL(t) - R(t),
        ("<=", size(RL(t) - R(t))),
        ("<=", g1 + kappa * bound_26(now), risks_stay_together(long)),
        ("<=", g1 + kappa * bound_26(T), horizon),
    )
    return at_a_time(close)


def at_a_time(thm: Theorem) -> Theorem:
    """A theorem on the times up to T at any time s, times the indicator that s is at most T."""
    return instantiate(read_up_to(T, thm, horizon), {t: s})


def from_T_on(
    e: Term, limit: Term = limit, point: Callable[[], AtAPoint] = smooth_loss, near: Near = SMOOTH
) -> Theorem:
    """From T on R_L(theta_L) - limit is at most e + e/2: the risk at T is within e/2 of that of the
    other flow, which is within e of its limit, and it does not rise.
    """
    before, after = (Op("ind", (x,)) for x in (T - CLOCK(s), CLOCK(s) - T))
    long, share = at_most(long_for(e, point), near), e / (4 * kappa)
    small = calc(
        g1 + kappa * bound_26(T),
        ("<=", e / 4 + kappa * share, long(e / 4, g1), two_flows.small_at_T(share, long)),
        ("==", e / 2),
    )
    there = calc(at_T(long), ("<=", before * (e / 2), small))
    first = show(before * RL(s), "<=", before * (R(s) + e / 2), there)
    second = show(after * R(s), "<=", after * (limit + e), instantiate(nearly_there(e, limit), {t: s}))
    return show(later(RL(t) - limit), "<=", 3 * e / 2, first, second, never_rises())


def at_the_end(
    e: Term, limit: Term = limit, point: Callable[[], AtAPoint] = smooth_loss, near: Near = SMOOTH
) -> Theorem:
    """The limit of R_L(theta_L) is at most e/2 above a late value."""
    after = Op("ind", (now - T_L,))
    return show(later(after * (limit_L - limit)), "<=", 2 * e, settled(e), from_T_on(e, limit, point, near))


@proves("BB:E.1", statements, part=(3, 4))
@cache
def within_two_epsilon() -> tuple[Theorem, Theorem]:
    """From T(epsilon) on R_L(theta_L) is at most the limit plus 2 epsilon."""
    return from_T_on(eps), at_the_end(eps)


@proves("BB:T4.3", end_statements, part=(1, 2))
@cache
def theorem() -> tuple[Theorem, Theorem]:
    """From T(epsilon/2) on R_L(theta_L) is at most the limit plus epsilon."""
    return from_T_on(eps / 2), at_the_end(eps / 2)
