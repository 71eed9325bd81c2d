"""The inequality of Gronwall's type in the proof of Lemma E.1 of Boursier & Boyer."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import exp
from numerics.derivations.kernel.flows import derivative
from numerics.derivations.kernel.rules import antitone, assume, begin
from numerics.derivations.kernel.sorts import Sort
from numerics.derivations.kernel.terms import CLOCK, START, Function
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement
from numerics.derivations.tactics import calc
from proofs_check.derivations.proof import proves
from proofs_check.derivations.transfer.flows.two_flows import beta, g2, sharp, t

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


@proves("BB:24-27/gronwall", statement)
@cache
def theorem() -> Theorem:
    """e^{-beta t}(F + (g2/beta)(t + 1/beta)) falls."""
    decay, growth, rest = exp(-beta * now), exp(beta * now), g2 / beta * (now + 1 / beta)
    e, at_0 = decay * (F(t) + rest), g2 / beta**2
    less = decay * (F.rate(t) - beta * F(t) - g2 * now)
    slope = calc(derivative(e, t), ("==", less), ("<=", 0, integral()))
    fallen = calc(antitone(e, t, slope), ("==", at_0, from_zero, begin()))
    size = calc(F(t), ("==", growth * e - rest), ("<=", growth * at_0 - rest, fallen))
    return calc(F.rate(t), ("<=", beta * F(t) + now * g2, integral()), ("<=", sharp(now), size))
