"""Corollaries E.3 and E.5 of Boursier & Boyer: bounds of the distances of risks and gradients that
are uniform on the ball of radius 2 rho and tend to 0, from the laws of tokens and queries of every
task.

A token without a task stands for the outcome, of which the task is a part; x is ln L. The constants
c1, c2, .. depend on rho, and not on the point of the ball.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import NamedTuple

from numerics.derivations.derived import chain, exp, sqrt
from numerics.derivations.kernel.rules import assume, gcongr, instantiate
from numerics.derivations.kernel.sorts import POSITIVE
from numerics.derivations.kernel.terms import Term, Variable, term
from numerics.derivations.kernel.theorems import Assumption, Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.transfer.risks import distance_of_gradients as gradients
from proofs_check.derivations.transfer.risks import distance_of_risks as risks
from proofs_check.derivations.transfer.risks import outcomes, rates
from proofs_check.derivations.transfer.risks.distance_of_gradients import norm_dJ, norm_J
from proofs_check.derivations.transfer.risks.distance_of_risks import square_D, square_T, square_y
from proofs_check.derivations.transfer.risks.rates import (
    K,
    S,
    delta,
    eps,
    finite,
    mean,
    on_average,
    rate,
    square,
    x,
)
from proofs_check.derivations.transfer.risks.tasks.jacobians_at_tasks import (
    given_3_4,
    given_of_the_jacobian,
    proposition_3_4,
    second_moment,
)
from proofs_check.derivations.transfer.risks.tasks.outputs_at_tasks import (
    given_3_1,
    given_d1,
    given_of_a_token,
    lemma_d1,
    proposition_3_1,
    second_moment_of_a_token,
)

c1, c2, c3, c4, c5, c6, c7 = (Variable(f"c{n}", range=POSITIVE) for n in range(1, 8))

#: What bounds E|D|^2, E|dJ|^2, E|T|^2 + E|y|^2, and E|J|^2.
X = c1 * rates.bound(term(3), term(1), S, c2)
#: X is `falls` over ln(L)^2, and Z is `rests` times delta and `slowly` over ln L.
falls = c1 * (3 / (c2 * exp(1))) ** 3 * S
rests, slowly = c3 * (2 / (c4 * exp(1))) ** 2, c3 * (3 / (c4 * exp(1))) ** 3 * K * S
M, N = (c5 + c6) * (1 + S), c7 * (1 + S)
g1 = sqrt(M * X) + X / 2
#: The delta for which `rests` times delta is small against epsilon.
small = eps**2 / (32 * M) / rests


def Z(delta: Term) -> Term:
    """The bound of E|dJ|^2 if E[sigma^12; sigma^2 >= K] is at most delta."""
    return c3 * rates.left_open(c4, delta)


def g2(delta: Term = delta) -> Term:
    """The bound for the gradients."""
    return (sqrt(M) + sqrt(X)) * sqrt(Z(delta)) + sqrt(N * X)


def given() -> frozenset[Assumption]:
    """What is known of the tasks."""
    of_the_outputs = given_3_1(square_D, c1, c2) | given_d1(square_T, c5) | given_of_a_token(square_y, c6)
    return of_the_outputs | hypotheses(finite)


def risk_statements(scale: int | Fraction = 1) -> tuple[Statement, Statement]:
    """|R_L - R_inf| <= scale g_1(L) for a smooth loss, and scale epsilon from an L*(epsilon) on."""
    plain = risks.smooth_statement()
    known = plain.assumptions | given()
    return (
        Statement(plain.lhs, "<=", Fraction(scale) * g1, known),
        Statement(plain.lhs, "<=", Fraction(scale) * eps, known | hypotheses(*map(long, FOR_RISKS))),
    )


class Length(NamedTuple):
    """How long prompts are: so long that e/clock is at most `most`."""

    e: Term
    most: Term
    clock: Term


FOR_RISKS = Length(falls, eps, x**2), Length(falls, eps**2 / (4 * M), x**2)
FOR_GRADIENTS = (
    Length(falls, M, x**2),
    Length(falls, eps**2 / (4 * N), x**2),
    Length(slowly, eps**2 / (32 * M), x),
)


def long(of: Length) -> Theorem:
    """The hypothesis that prompts are so long."""
    return assume("L is at least L*(epsilon)", of.e / of.most, "<=", of.clock)


def far(of: Length) -> Theorem:
    """What it is for."""
    return show(of.e / of.clock, "<=", of.most, long(of), of.e, M, N)


@cache
def _moment(of: tuple[Theorem, Theorem], c: Term, power: int) -> Theorem:
    """A mean square is at most c(1 + S) if it is at most c sigma^{2 power} at every task."""
    lower = instantiate(show(rates.w**power, "<=", 1 + rates.w**6), {rates.w: square})
    average = on_average(of, gcongr(c * square**power, lower))
    return calc(average, ("==", c * (1 + rates.twelfth)), ("<=", c * (1 + S), finite))


@cache
def moments() -> Theorem:
    """E|T|^2 + E|y|^2 <= M."""
    of_T = _moment(lemma_d1(square_T, c5), c5, 2)
    of_y = _moment(second_moment_of_a_token(square_y, c6), c6, 1)
    return show(outcomes.mean(square_T) + outcomes.mean(square_y), "<=", M, of_T, of_y)


@cache
def outputs_come_together() -> Theorem:
    """E|D|^2 <= c_1 (3/(c_2 e))^3 S/ln(L)^2."""
    average = on_average(proposition_3_1(square_D, c1, c2))
    return calc(average, ("==", c1 * mean(rate(c2, 3, 1))), ("<=", X, rates.sixth_power(c2)))


@cache
def jacobians_come_together(tail: Theorem) -> Theorem:
    """E|dJ|^2 <= c_3 ((2/(c_4 e))^2 delta + (3/(c_4 e))^3 K S/ln L)."""
    at = instantiate(rates.eighth_power_bounded(tail), {rates.c: c4})
    average = on_average(proposition_3_4(norm_dJ**2, c3, c4))
    return calc(average, ("==", c3 * mean(rate(c4, 4, 2))), ("<=", Z(tail.rhs), at))


@proves("BB:CE.3.a", risk_statements, part=1)
@cache
def risks_come_together() -> Theorem:
    """Lemma E.2, as repaired, with these bounds."""
    second, error = outcomes.mean(square_T) + outcomes.mean(square_y), outcomes.mean(square_D)
    return calc(
        risks.with_a_smooth_loss(),
        ("==", sqrt(second) * sqrt(error) + error / 2),
        ("<=", sqrt(M) * sqrt(X) + X / 2, moments(), outputs_come_together()),
        ("==", g1, X, M),
    )


@proves("BB:CE.3.a", risk_statements, part=2)
@cache
def risks_tend_together() -> Theorem:
    """Both terms of g_1 are at most epsilon/2 for long prompts."""
    first, second = (chain(X, far(of)) for of in FOR_RISKS)
    root = calc(sqrt(M * X), ("<=", sqrt(M * (eps**2 / (4 * M))), second), ("==", eps / 2, M))
    return calc(risks_come_together(), ("<=", eps, root, first))


def gradient_statements(scale: int | Fraction = 1) -> tuple[Statement, Statement]:
    """|grad R_L - grad R_inf| <= scale g_2(L) for a smooth loss if E[sigma^12; sigma^2 >= K] <=
    delta, and, with a K that is chosen large enough, at most scale epsilon from an L*(epsilon) on.
    """
    plain = gradients.smooth_statement()
    known = plain.assumptions | given() | given_3_4(norm_dJ**2, c3, c4) | given_of_the_jacobian(norm_J**2, c7)
    enough = hypotheses(*map(long, FOR_GRADIENTS)) | {rates.choice(small)}
    return (
        Statement(plain.lhs, "<=", Fraction(scale) * g2(), known | hypotheses(rates.tail)),
        Statement(plain.lhs, "<=", Fraction(scale) * eps, known | enough),
    )


@proves("BB:CE.5/limit", gradient_statements, part=1)
@cache
def gradients_come_together(tail: Theorem = rates.tail) -> Theorem:
    """Lemma E.4, as repaired, with these bounds."""
    second, error = outcomes.mean(square_T) + outcomes.mean(square_y), outcomes.mean(square_D)
    J, dJ, Z_ = outcomes.mean(norm_J**2), outcomes.mean(norm_dJ**2), Z(tail.rhs)
    of_J, of_dJ = _moment(second_moment(norm_J**2, c7), c7, 4), jacobians_come_together(tail)
    form = lambda second, error, J, dJ: (sqrt(second) + sqrt(error)) * sqrt(dJ) + sqrt(J) * sqrt(error)
    return calc(
        gradients.with_a_smooth_loss(),
        ("==", form(second, error, J, dJ)),
        ("<=", form(M, X, N, Z_), moments(), outputs_come_together(), of_J, of_dJ),
        ("==", g2(tail.rhs), X, Z_, M, N),
    )


@proves("BB:CE.5/limit", gradient_statements, part=2)
@cache
def gradients_tend_together() -> Theorem:
    """Both terms of g_2 are at most epsilon/2 for long prompts."""
    *squares, slow = map(far, FOR_GRADIENTS)
    first, second = (chain(X, thm) for thm in squares)
    third = calc(Z(small), ("==", eps**2 / (32 * M) + slowly / x), ("<=", eps**2 / (16 * M), slow))
    lead = calc(
        (sqrt(M) + sqrt(X)) * sqrt(Z(small)),
        ("<=", (sqrt(M) + sqrt(M)) * sqrt(eps**2 / (16 * M)), first, third),
        ("==", eps / 2, M),
    )
    last = calc(sqrt(N * X), ("<=", sqrt(N * (eps**2 / (4 * N))), second), ("==", eps / 2, N))
    return calc(gradients_come_together(rates.chosen(small)), ("<=", eps, lead, last))
