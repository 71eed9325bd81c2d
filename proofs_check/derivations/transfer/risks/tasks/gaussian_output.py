"""Moments of the output for Gaussian tokens (the second displays of Lemmas E.2 and E.4 of Boursier
& Boyer): at every task, and on average over the tasks.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import cauchy_schwarz
from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.rules import assume, at_task, gcongr, instantiate
from numerics.derivations.kernel.terms import Term, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.softmax_average import gaussian_tokens as gaussian
from proofs_check.derivations.softmax_average.gaussian_tokens import R, n, rank, tilted
from proofs_check.derivations.softmax_average.query_average import (
    U,
    V,
    at_the_query,
    b,
    l,
    norm_of_the_score,
    norm_U,
    norm_V,
    operator_norm,
)
from proofs_check.derivations.softmax_average.softmax_average import a, d, i, j, m, over, sigma
from proofs_check.derivations.softmax_average.tilted import QUERY, sub_gaussian_query, weighted_moment, y
from proofs_check.derivations.softmax_average.tilted_mean import fourth_moment_of_the_query
from proofs_check.derivations.transfer.risks.outcomes import both_signs, square_bounded
from proofs_check.derivations.transfer.risks.rates import mean, square, task
from proofs_check.derivations.transfer.risks.tasks.laws_of_tasks import (
    OF_THE_TASK,
    Values,
    at_every_task,
    of_the_task,
    with_the_task,
)

centred = {gaussian.mu: ((j,), term(0))}


def covariance(v: Term) -> Term:
    """The coordinate j of Gamma v for Gamma = R R'."""
    return over(n, rank, R(j, n) * over(l, d, R(l, n) * v))


spread = assume(
    "|Gamma| is at most sigma^2",
    over(j, d, covariance(b(l)) ** 2),
    "<=",
    sigma**4 * over(l, d, b(l) ** 2),
    every=(b,),
)
of_attention = instantiated(over(j, d, V(i, j) * tilted), centred)
size = over(i, m, of_attention**2)
at_the_query_size = instantiated(size, at_the_query)


@cache
def at_a_score() -> Theorem:
    """|T|^2 <= |V|^2 sigma^4 |a|^2 for the output T at the score a.Z, which is V Gamma a by Lemma
    2.1.
    """
    exact = instantiate(gaussian.theorem(), centred)
    linear = over(j, d, V(i, j) * covariance(a(l)))
    error = of_attention - linear
    square, product = over(i, m, linear**2), over(i, m, error * linear)
    schwarz = calc(
        cauchy_schwarz("coordinates", (i,), error, linear, (m,)),
        ("==", exact.lhs * square),
        ("<=", 0 * square, exact),
    )
    mixed = calc(both_signs(square_bounded(schwarz, product))[0], ("==", 0, square))
    image = instantiated(covariance(a(l)), {j: l})
    of_V = instantiate(operator_norm(V, norm_V, m), {b: ((l,), image)})
    return calc(
        size,
        ("==", exact.lhs + 2 * product + square),
        ("<=", square, exact, mixed, exact.lhs),
        ("<=", norm_V**2 * over(l, d, image**2), of_V),
        ("<=", norm_V**2 * sigma**4 * over(l, d, a(l) ** 2), instantiate(spread, {b: ((l,), a(l))})),
    )


@cache
def at_a_query() -> Theorem:
    """|T|^2 <= |V|^2 sigma^4 |U|^2 |y|^2 at a query y."""
    score = norm_of_the_score()
    return calc(
        instantiate(at_a_score(), at_the_query),
        ("==", norm_V**2 * sigma**4 * score.lhs),
        ("<=", norm_V**2 * sigma**4 * score.rhs, score),
    )


def _power(power: int, two: int | Fraction, of: Term) -> Term:
    """(two sqrt(d) |V||U| sigma^2)^power for an even power."""
    return Fraction(two) ** power * d ** (power // 2) * (norm_V * norm_U) ** power * of**power


GIVEN = (sub_gaussian_query(), spread, operator_norm(U, norm_U, d), operator_norm(V, norm_V, m))


#: The query of a task, sigma_mu, and the root R of the covariance.
VALUES: Values = {y: OF_THE_TASK[y], sigma: OF_THE_TASK[sigma], R: with_the_task(R)}


def _statements(power: int, two: int | Fraction) -> tuple[Statement, Statement]:
    left, given = QUERY.mean(at_the_query_size ** (power // 2)), hypotheses(*GIVEN)
    average, right = mean(of_the_task(left, VALUES)), _power(power, two, term(1)) * mean(square**power)
    return (
        Statement(left, "<=", _power(power, two, sigma**2), given),
        Statement(average, "<=", right, at_every_task(given, VALUES)),
    )


def fourth_statements(two: int | Fraction = 2) -> tuple[Statement, Statement]:
    """E|T|^4 <= (two sqrt(d)|V||U|)^4 sigma^8 at a task, and with E sigma_mu^8 over all of them."""
    return _statements(4, two)


def second_statements(two: int | Fraction = 2) -> tuple[Statement, Statement]:
    """E|T|^2 <= (two sqrt(d)|V||U|)^2 sigma^4 at a task, and with E sigma_mu^4 over all of them."""
    return _statements(2, two)


@cache
def second_of_the_query() -> Theorem:
    """E|y|^2 <= 4 d for a 1-sub-Gaussian query."""
    plain = weighted_moment(1, QUERY, Fraction(0))
    return calc(QUERY.mean(QUERY.square), ("<=", plain.rhs, plain), ("<=", 4 * d))


def _at_a_task(power: int, of_the_query: Theorem) -> Theorem:
    goal, factor = _statements(power, 2)[0], (norm_V * norm_U) ** power * sigma ** (2 * power)
    point = gcongr(at_the_query_size ** (power // 2), at_a_query())
    return calc(goal.lhs, ("<=", factor * of_the_query.lhs, point), ("<=", goal.rhs, of_the_query))


def _over_the_tasks(power: int, at_a_task: Theorem) -> Theorem:
    goal = _statements(power, 2)[1]
    return show(goal.lhs, "<=", goal.rhs, at_task(at_a_task, task, VALUES))


@proves("BB:LE.2.gauss", fourth_statements, part=1)
@cache
def fourth_at_a_task() -> Theorem:
    """E|T|^4 over the query, from E|y|^4 <= 16 d^2."""
    return _at_a_task(4, fourth_moment_of_the_query())


@proves("BB:LE.2.gauss", fourth_statements, part=2)
@cache
def fourth_over_the_tasks() -> Theorem:
    return _over_the_tasks(4, fourth_at_a_task())


@proves("BB:LE.4.gauss", second_statements, part=1)
@cache
def second_at_a_task() -> Theorem:
    return _at_a_task(2, second_of_the_query())


@proves("BB:LE.4.gauss", second_statements, part=2)
@cache
def second_over_the_tasks() -> Theorem:
    return _over_the_tasks(2, second_at_a_task())
