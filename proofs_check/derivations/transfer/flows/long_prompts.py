"""How long prompts are for Lemma E.1 and Theorem 4.3 of Boursier & Boyer: Corollaries E.3 and E.5
at one point of the ball of radius 2 rho, with an explicit number for their epsilon.

The numbers g_1 and g_2 are suprema over the ball, and 1/L more, so that they are positive. Both
corollaries bound every value on the ball, so that the suprema are finite, and each of them is
within 1/L of the value at some point. What the corollaries assume of that point is assumed here.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import NamedTuple

from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.rules import assume, instantiate
from numerics.derivations.kernel.sorts import POSITIVE, REALS
from numerics.derivations.kernel.terms import Op, Term, Variable
from numerics.derivations.kernel.theorems import Assumption, Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.transfer.flows import two_flows
from proofs_check.derivations.transfer.flows.two_flows import Small, bound_26, enough, g2, horizon, now, rho
from proofs_check.derivations.transfer.risks.corollaries import (
    SMOOTH,
    AtAPoint,
    Near,
    gradients_tend_together,
    risks_tend_together,
    smooth_loss,
)

g1, eta = (Variable(name, range=POSITIVE) for name in ("g1", "eta"))
long_enough = assume("L is at least L*(eta) = 2/eta", 2 / eta, "<=", L)


class Prompts(NamedTuple):
    """Prompts that are so long that g_2, and g_1 where the risks are compared, too, are at most
    each of these bounds.

    Then g_1 and g_2 are one number, the supremum of the distances of the risks and of the gradients
    together, so that it is nearly attained at one point.
    """

    bounds: tuple[Term, ...]
    with_risks: bool = True
    point: Callable[[], AtAPoint] = smooth_loss

    @property
    def apart(self) -> tuple[Term, ...]:
        """The distances at the point, of the gradients and of the risks."""
        return self.point().apart[: 1 + self.with_risks]

    def supremum(self, g: Variable) -> Theorem:
        """The hypothesis that g is nearly attained."""
        what = "the distances of risks and gradients" if self.with_risks else "the distance of the gradients"
        name = f"{g.name} is the supremum on the ball of {what} and 1/L, so that it is 2/L above a value"
        return assume(name, g, "<=", sum(self.apart, 2 / L))

    @property
    def accuracy(self) -> Theorem:
        """The hypothesis that says what eta is."""
        bounds = Op("min", self.bounds) / (1 + len(self.apart))
        return assume("eta is the epsilon of the corollaries", eta, "==", bounds)

    @property
    def given(self) -> frozenset[Assumption]:
        """What is known of the point of the ball, and how long prompts are."""
        at = self.point()
        (of_gradients, of_risks), (long, longer) = at.given, at.long(eta)
        own = hypotheses(self.supremum(g2), self.accuracy, long_enough) | of_gradients | long
        return own | of_risks | longer | hypotheses(self.supremum(g1)) if self.with_risks else own


@cache
def at_most(prompts: Prompts, near: Near = SMOOTH) -> Small:
    """That g_2, or g_1, is at most one of the bounds."""
    return lambda most, g=g2: small(prompts, most, g, near)


@cache
def small(prompts: Prompts, most: Term, g: Variable, near: Near) -> Theorem:
    """Each distance is at most eta, and 2/L is."""
    M, (gradients, risks) = prompts.point().M, near
    close = [gradients_tend_together(eta, gradients, M)]
    if prompts.with_risks:
        close.append(risks_tend_together(eta, risks, M))
    numbers = tuple(Variable(f"b{n}_", range=REALS) for n in range(len(prompts.bounds)))
    least = show(Op("min", numbers), "<=", numbers[prompts.bounds.index(most)])
    short = show(2 / L, "<=", eta, long_enough)
    times = 1 + len(close)
    return calc(
        g,
        ("<=", sum(prompts.apart, 2 / L), prompts.supremum(g)),
        ("<=", times * eta, *close, short, *prompts.apart),
        ("==", Op("min", prompts.bounds), prompts.accuracy),
        ("<=", most, instantiate(least, dict(zip(numbers, prompts.bounds, strict=True)))),
    )


#: So long that (27) holds.
FOR_E1 = Prompts((enough(rho),), with_risks=False)


def statement(c: int | Fraction = 1) -> Statement:
    """(23): the distance of the flows is at most c times that of (26), up to any time T and for all
    L from an L* on.
    """
    given = hypotheses(*two_flows.EVERY, horizon) | FOR_E1.given
    return Statement(two_flows.distance_now, "<=", bound_26(now, c), given)


@proves("BB:LE.1", statement)
@cache
def distance() -> Theorem:
    """(26) up to the time T."""
    return two_flows.distance(at_most(FOR_E1))
