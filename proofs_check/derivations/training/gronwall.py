"""The inequality of Gronwall's type in the proof of Lemma E.1 of Boursier & Boyer."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, exp
from numerics.derivations.flows import derivative
from numerics.derivations.rules import arithmetic, assume, begin, fall, replace
from numerics.derivations.sorts import Sort
from numerics.derivations.statements import Statement
from numerics.derivations.terms import CLOCK, START, Function
from numerics.derivations.theorems import Theorem
from proofs_check.derivations.training.two_flows import beta, g2, sharp, t

now = CLOCK(t)
#: The integral F of the distance f = F' of the flows.
F = Function("F", (Sort.TIME,), Fraction(1))
from_zero = assume("an integral from 0 on", F(START), "==", 0)


def integral(scale: int | Fraction = 1) -> Theorem:
    """The hypothesis f(t) <= beta int_0^t f + scale t g2."""
    return assume(
        "f is at most beta times its integral, and t g2",
        F.rate(t),
        "<=",
        beta * F(t) + scale * now * g2,
        every=(t,),
    )


def statement(scale: int | Fraction = 1) -> Statement:
    """f(t) <= g2(e^{beta t} - 1)/beta from f(t) <= beta int_0^t f + scale t g2."""
    return Statement(F.rate(t), "<=", sharp(now), integral(scale).assumptions | from_zero.assumptions)


@cache
def theorem() -> Theorem:
    """e^{-beta t}(F + (g2/beta)(t + 1/beta)) falls."""
    decay, growth = exp(-beta * now), exp(beta * now)
    bracket = F(t) + g2 / beta * (now + 1 / beta)
    e = decay * bracket
    slope = derivative(e, t)
    excess = decay * (F.rate(t) - beta * F(t) - g2 * now)
    slow = chain(slope, excess, arithmetic(excess, "<=", 0, integral(), hide=(decay,)))
    fallen = fall(e, t, slow)
    start = arithmetic(fallen.rhs, "==", g2 / beta**2, from_zero, begin())
    least = chain(fallen, start)
    size = chain(bracket, growth * e, replace(growth * e, least))
    below = arithmetic(F(t), "<=", size.rhs - g2 / beta * (now + 1 / beta), size, hide=(growth,))
    return chain(integral(), arithmetic(integral().rhs, "<=", sharp(now), below, hide=(growth,)))
