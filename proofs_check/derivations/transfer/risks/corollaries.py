"""Corollaries E.3 and E.5 of Boursier & Boyer: bounds of the distances of risks and gradients that
are uniform on the ball of radius 2 rho and tend to 0, from the laws of tokens and queries of every
task.

A token without a task stands for the outcome, of which the task is a part; x is ln L. The constants
c1, c2, .. depend on rho, and not on the point of the ball.
"""

from __future__ import annotations

from collections.abc import Callable
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


def small(e: Term = eps, M: Term = M) -> Term:
    """The delta for which `rests` times delta is small against e."""
    return e**2 / (32 * M) / rests


def Z(delta: Term) -> Term:
    """The bound of E|dJ|^2 if E[sigma^12; sigma^2 >= K] is at most delta."""
    return c3 * rates.left_open(c4, delta)


def g2(delta: Term = delta, M: Term = M) -> Term:
    """The bound for the gradients."""
    return (sqrt(M) + sqrt(X)) * sqrt(Z(delta)) + sqrt(N * X)


def given() -> frozenset[Assumption]:
    """What is known of the tasks."""
    of_the_outputs = given_3_1(square_D, c1, c2) | given_d1(square_T, c5) | given_of_a_token(square_y, c6)
    return of_the_outputs | hypotheses(finite)


def risk_statements(scale: int | Fraction = 1) -> tuple[Statement, Statement]:
    """|R_L - R_inf| <= scale g_1(L) for a smooth loss, and scale epsilon from an L*(epsilon) on."""
    left = risks.smooth_statement().lhs
    return (
        Statement(left, "<=", Fraction(scale) * g1, of_the_risks()),
        Statement(left, "<=", Fraction(scale) * eps, of_the_risks() | long_for_risks()),
    )


class Length(NamedTuple):
    """How long prompts are: so long that e/clock is at most `most`."""

    e: Term
    most: Term
    clock: Term


def _for_risks(e: Term, M: Term) -> tuple[Length, ...]:
    return Length(falls, e, x**2), Length(falls, e**2 / (4 * M), x**2)


def _for_gradients(e: Term, M: Term) -> tuple[Length, ...]:
    return Length(falls, M, x**2), Length(falls, e**2 / (4 * N), x**2), Length(slowly, e**2 / (32 * M), x)


def of_the_risks() -> frozenset[Assumption]:
    """What Corollary E.3 assumes at a point of the ball."""
    return risks.smooth_statement().assumptions | given()


def of_the_gradients() -> frozenset[Assumption]:
    """What Corollary E.5 assumes at a point of the ball."""
    of_jacobians = given_3_4(norm_dJ**2, c3, c4) | given_of_the_jacobian(norm_J**2, c7)
    return gradients.smooth_statement().assumptions | given() | of_jacobians


def long_for_risks(e: Term = eps, M: Term = M) -> frozenset[Assumption]:
    """That L is at least L*(e) for the risks."""
    return hypotheses(*map(long, _for_risks(e, M)))


def long_for_gradients(e: Term = eps, M: Term = M) -> frozenset[Assumption]:
    """That L is at least L*(e) for the gradients, with a K that is chosen for e."""
    return hypotheses(*map(long, _for_gradients(e, M))) | {rates.choice(small(e, M))}


def long(of: Length) -> Theorem:
    """The hypothesis that prompts are so long."""
    return assume("L is at least L*(epsilon)", of.e / of.most, "<=", of.clock)


def far(of: Length, M: Term = M) -> Theorem:
    """What it is for."""
    return show(of.e / of.clock, "<=", of.most, long(of), of.e, M, N)


@cache
def moment(of: tuple[Theorem, Theorem], c: Term, power: int) -> Theorem:
    """A mean square is at most c(1 + S) if it is at most c sigma^{2 power} at every task."""
    lower = instantiate(show(rates.w**power, "<=", 1 + rates.w**6), {rates.w: square})
    average = on_average(of, gcongr(c * square**power, lower))
    return calc(average, ("==", c * (1 + rates.twelfth)), ("<=", c * (1 + S), finite))


@cache
def moments() -> Theorem:
    """E|T|^2 + E|y|^2 <= M."""
    of_T = moment(lemma_d1(square_T, c5), c5, 2)
    of_y = moment(second_moment_of_a_token(square_y, c6), c6, 1)
    return show(outcomes.mean(square_T) + outcomes.mean(square_y), "<=", M, of_T, of_y)


@cache
def outputs_come_together(square_D: Term = square_D) -> Theorem:
    """E|D|^2 <= c_1 (3/(c_2 e))^3 S/ln(L)^2."""
    average = on_average(proposition_3_1(square_D, c1, c2))
    return calc(average, ("==", c1 * mean(rate(c2, 3, 1))), ("<=", X, rates.sixth_power(c2)))


@cache
def jacobians_come_together(tail: Theorem, square_dJ: Term = norm_dJ**2) -> Theorem:
    """E|dJ|^2 <= c_3 ((2/(c_4 e))^2 delta + (3/(c_4 e))^3 K S/ln L)."""
    at = instantiate(rates.eighth_power_bounded(tail), {rates.c: c4})
    average = on_average(proposition_3_4(square_dJ, c3, c4))
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
def risks_tend_together(
    e: Term = eps, near: Callable[[], Theorem] = risks_come_together, M: Term = M
) -> Theorem:
    """Both terms of g_1 are at most e/2 for long prompts."""
    first, second = (chain(X, far(of, M)) for of in _for_risks(e, M))
    root = calc(sqrt(M * X), ("<=", sqrt(M * (e**2 / (4 * M))), second), ("==", e / 2, M))
    return calc(near(), ("<=", e, root, first))


def gradient_statements(scale: int | Fraction = 1) -> tuple[Statement, Statement]:
    """|grad R_L - grad R_inf| <= scale g_2(L) for a smooth loss if E[sigma^12; sigma^2 >= K] <=
    delta, and, with a K that is chosen large enough, at most scale epsilon from an L*(epsilon) on.
    """
    left, known = gradients.smooth_statement().lhs, of_the_gradients()
    return (
        Statement(left, "<=", Fraction(scale) * g2(), known | hypotheses(rates.tail)),
        Statement(left, "<=", Fraction(scale) * eps, known | long_for_gradients()),
    )


@proves("BB:CE.5/limit", gradient_statements, part=1)
@cache
def gradients_come_together(tail: Theorem = rates.tail) -> Theorem:
    """Lemma E.4, as repaired, with these bounds."""
    second, error = outcomes.mean(square_T) + outcomes.mean(square_y), outcomes.mean(square_D)
    J, dJ, Z_ = outcomes.mean(norm_J**2), outcomes.mean(norm_dJ**2), Z(tail.rhs)
    of_J, of_dJ = moment(second_moment(norm_J**2, c7), c7, 4), jacobians_come_together(tail)
    form = lambda second, error, J, dJ: (sqrt(second) + sqrt(error)) * sqrt(dJ) + sqrt(J) * sqrt(error)
    return calc(
        gradients.with_a_smooth_loss(),
        ("==", form(second, error, J, dJ)),
        ("<=", form(M, X, N, Z_), moments(), outputs_come_together(), of_J, of_dJ),
        ("==", g2(tail.rhs), X, Z_, M, N),
    )


@proves("BB:CE.5/limit", gradient_statements, part=2)
@cache
def gradients_tend_together(
    e: Term = eps, near: Callable[[Theorem], Theorem] = gradients_come_together, M: Term = M
) -> Theorem:
    """Both terms of g_2 are at most e/2 for long prompts."""
    *squares, slow = (far(of, M) for of in _for_gradients(e, M))
    first, second = (chain(X, thm) for thm in squares)
    rest = Z(small(e, M))
    third = calc(rest, ("==", e**2 / (32 * M) + slowly / x), ("<=", e**2 / (16 * M), slow))
    lead = calc(
        (sqrt(M) + sqrt(X)) * sqrt(rest),
        ("<=", (sqrt(M) + sqrt(M)) * sqrt(e**2 / (16 * M)), first, third),
        ("==", e / 2, M),
    )
    last = calc(sqrt(N * X), ("<=", sqrt(N * (e**2 / (4 * N))), second), ("==", e / 2, N))
    return calc(near(rates.chosen(small(e, M))), ("<=", e, lead, last))


#: The corollaries on gradients and on risks.
Near = tuple[Callable[[Theorem], Theorem], Callable[[], Theorem]]
SMOOTH: Near = (gradients_come_together, risks_come_together)


class AtAPoint(NamedTuple):
    """The distances of gradients and of risks at a point of the ball, what is assumed there for
    each, and what stands for M in their bounds.
    """

    apart: tuple[Term, Term]
    given: tuple[frozenset[Assumption], frozenset[Assumption]]
    M: Term

    def long(self, e: Term) -> tuple[frozenset[Assumption], frozenset[Assumption]]:
        """That L is at least L*(e)."""
        return long_for_gradients(e, self.M), long_for_risks(e, self.M)


@cache
def smooth_loss() -> AtAPoint:
    """What Corollaries E.5 and E.3 speak of."""
    apart = gradients.smooth_statement().lhs, risks.smooth_statement().lhs
    return AtAPoint(apart, (of_the_gradients(), of_the_risks()), M)
