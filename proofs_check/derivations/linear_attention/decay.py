"""R5: the risk of the flow with infinite prompts tends to 0 at an exponential rate from every start
of Assumption 5.1, by the inequality of Polyak and Lojasiewicz and the bound of u.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import exp
from numerics.derivations.kernel.flows import derivative
from numerics.derivations.kernel.rules import antitone, begin
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.linear_attention import bounded_flow
from proofs_check.derivations.linear_attention.away_from_saddles import keeps_away
from proofs_check.derivations.linear_attention.eigenbasis import (
    U_,
    B,
    U,
    at_start,
    flow,
    l,
    pairs,
    speed,
    t,
    twice_risk,
    u,
    u_,
)
from proofs_check.derivations.linear_attention.matrices import i, j
from proofs_check.derivations.linear_attention.orthant import least_u, now
from proofs_check.derivations.linear_attention.polyak_lojasiewicz import (
    EVERYTHING,
    gradient,
    lam,
    risk_is_not_negative,
)
from proofs_check.derivations.proof import proves

speed_of_decay = 2 * lam**3 * least_u**2


@cache
def risk_decays() -> Theorem:
    """2 R <= 2 R(0) e^{-2 lambda^3 a^2 t} for u >= a, as |grad R|^2 >= 2 lambda^3 u^2 R."""
    growth = exp(speed_of_decay * now)
    e = growth * twice_risk
    square = show(least_u**2, "<=", u**2, keeps_away(), least_u)
    slope = calc(
        lam**3 * least_u**2 * twice_risk,
        ("<=", lam**3 * u**2 * twice_risk, square, risk_is_not_negative(), least_u**2, u**2, twice_risk),
        ("<=", speed, gradient()),
    )
    rate = calc(
        derivative(e, t),
        ("==", growth * (2 * (lam**3 * least_u**2 * twice_risk) + derivative(twice_risk, t))),
        ("==", growth * (2 * (lam**3 * least_u**2 * twice_risk) - 2 * speed), falls()),
        ("<=", 0, slope, growth, lam**3 * least_u**2 * twice_risk, speed),
    )
    fallen = calc(antitone(e, t, rate), ("==", at_start(twice_risk), begin()))
    decay = exp(-speed_of_decay * now)
    return calc(twice_risk, ("==", decay * e), ("<=", decay * at_start(twice_risk), fallen))


@cache
def falls() -> Theorem:
    """The derivative of 2 R is -2 |grad R|^2."""
    dU, du = U_.rate(i, j, t), u_.rate(t)
    each = calc(
        2 * l(j) * l(i) * B * (du * U + u * dU),
        ("==", 2 * (du * (l(i) * l(j) * B * U)) - 2 * dU**2, flow[0], B),
    )
    return calc(
        derivative(twice_risk, t),
        ("==", 2 * du * pairs(l(i) * l(j) * B * U) - 2 * pairs(dU**2), each),
        ("==", -2 * speed, flow[1]),
    )


def statements(c: int | Fraction = 1, share: int | Fraction = 1) -> tuple[Statement, Statement]:
    """Appendix F.2: |U|^2 + u^2 <= 2 c s for an invertible S and a balanced start; and the risk is
    at most share R(0) e^{-2 lambda^3 a^2 t}, where u >= a.
    """
    bound = Fraction(share) * exp(-speed_of_decay * now) * (at_start(twice_risk) / 2)
    return bounded_flow.ball_statement(c), Statement(twice_risk / 2, "<=", bound, EVERYTHING)


proves("BB:F.2.C2", statements, part=1)(bounded_flow.ball)


@proves("BB:F.2.C2", statements, part=2)
def risk_of_the_limit() -> Theorem:
    return show(twice_risk / 2, "<=", statements()[1].rhs, risk_decays())
