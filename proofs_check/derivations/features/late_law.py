"""R11, the lower half of the late law for every time: 4 eta gamma^2 t times the loss is at least
1 - 2 gamma J(t) - loss(t)/loss(0), where J does not fall, with J' = psi' (1/gamma - 1/x)_+.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import sqrt
from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.flows import derivative
from numerics.derivations.kernel.rules import antitone, assume, begin, instantiate
from numerics.derivations.kernel.sorts import NONNEGATIVE, Sort
from numerics.derivations.kernel.terms import CLOCK, START, Function, Op, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.features.feature_flow import eta, flow, gradient, loss, loss_falls, square, t
from proofs_check.derivations.features.margin import gamma
from proofs_check.derivations.features.steps import times
from proofs_check.derivations.proof import proves

excess = Function("J", (Sort.TIME,), Fraction(1))
steep = sqrt(square) / (2 * loss)
u = Variable("u", range=NONNEGATIVE)
over = Op("max", (term(0), steep - gamma))
grows = assume(
    "J grows at psi' (1/gamma - 1/x)_+",
    excess.rate(t),
    "==",
    4 * eta / gamma * loss * steep * over,
    every=(t,),
)
from_0 = assume("J starts at 0", excess(START), "==", 0)
loss_0 = instantiated(loss, {t: START})


def statement(four: int | Fraction = 4) -> Statement:
    """(1 - 2 gamma J)/loss - 1/loss(0) <= four eta gamma^2 t."""
    given = hypotheses(flow, gradient, grows, from_0)
    left = (1 - 2 * gamma * excess(t)) / loss - 1 / loss_0
    return Statement(left, "<=", Fraction(four) * eta * gamma**2 * CLOCK(t), given)


@cache
def never_negative() -> Theorem:
    """0 <= J."""
    down = calc(derivative(-excess(t), t), ("==", -(4 * eta / gamma * loss * steep * over), grows), ("<=", 0))
    return show(0, "<=", excess(t), calc(antitone(-excess(t), t, down), ("==", term(0), from_0)))


@proves("OURS:R11", statement)
@cache
def theorem() -> Theorem:
    """The slope of the left side is at most 4 eta (x^2 - 2 x (x - gamma)_+) <= 4 eta gamma^2."""
    E, D = 1 / loss, derivative(loss, t)
    growth = 4 * eta * steep**2
    line = instantiate(show(u**2 - 2 * u * Op("max", (term(0), u - gamma)), "<=", gamma**2), {u: steep})
    falling = E * (1 - 2 * gamma * excess(t)) - 4 * eta * gamma**2 * CLOCK(t)
    rise = times(2 * gamma * growth, never_negative())
    down = calc(
        derivative(falling, t),
        (
            "==",
            growth * (1 - 2 * gamma * excess(t)) - 2 * gamma * excess.rate(t) * E - 4 * eta * gamma**2,
            loss_falls(),
            loss,
            D,
            square,
        ),
        ("==", 4 * eta * (line.lhs - gamma**2) - 2 * gamma * growth * excess(t), grows, loss, steep, over),
        ("<=", 4 * eta * (line.lhs - gamma**2), rise),
        ("<=", 0, line),
    )
    end = calc(antitone(falling, t, down), ("==", 1 / loss_0, from_0, begin(), loss_0))
    return show(statement().lhs, "<=", statement().rhs, end)
