"""The gradient of the output V Gamma U y for Gaussian tokens (the second display of Lemma E.4 of
Boursier & Boyer), in the operator norm: at every task, and on average over the tasks.

For a vector c of the outputs, c.T has the gradient c (Gamma U y)' in V and Gamma V'c y' in U. The
operator norm of the Jacobian at a query is the largest size of both together over the unit vectors
c, so that its mean is a mean for some unit vector of every query.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import cauchy_schwarz
from numerics.derivations.kernel.binding import instantiated
from numerics.derivations.kernel.flows import derivative
from numerics.derivations.kernel.rules import assume, at_task, instantiate
from numerics.derivations.kernel.sorts import Sort
from numerics.derivations.kernel.terms import Function, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.softmax_average.query_average import (
    U,
    V,
    b,
    l,
    norm_of_the_score,
    norm_U,
    norm_V,
    operator_norm,
)
from proofs_check.derivations.softmax_average.softmax_average import d, i, j, m, over, sigma
from proofs_check.derivations.softmax_average.tilted import QUERY, query, y
from proofs_check.derivations.transfer.risks.rates import mean, square, task
from proofs_check.derivations.transfer.risks.tasks.gaussian_output import (
    GIVEN,
    VALUES,
    covariance,
    second_of_the_query,
    spread,
)
from proofs_check.derivations.transfer.risks.tasks.laws_of_tasks import (
    at_every_task,
    of_the_task,
    with_the_task,
)

#: A vector of the outputs for every query, and what V' makes of it.
c = Function("c", (Sort.INDEX, Sort.QUERY))
pulled = over(i, m, V(i, l) * c(i, query))
#: Gamma U y and Gamma V'c in the coordinate j.
image, drawn = covariance(over(i, d, U(l, i) * y(i, query))), covariance(pulled)
size = over(i, m, over(j, d, (c(i, query) * image) ** 2)) + over(j, d, over(l, d, (drawn * y(l, query)) ** 2))
unit = assume("c is a unit vector at every query", over(i, m, c(i, query) ** 2), "==", 1, every=(query,))
#: Paths of U and V, whose speeds are the directions in which a gradient is asked for.
t = Variable("t", Sort.TIME)
U_t, V_t = (Function(name, (Sort.INDEX, Sort.INDEX, Sort.TIME), Fraction(1)) for name in ("Upath", "Vpath"))


def slope_statement(factor: int | Fraction = 1) -> Statement:
    """d/dt c.V(t) Gamma U(t) y is the inner product of the speeds of V and U with c (Gamma U y)'
    and Gamma V'c y', of which a factor multiplies the second one.
    """
    moved = over(l, d, U_t(j, l, t) * y(l, query))
    image = instantiated(covariance(b(l)), {b: ((j,), moved)})
    pulled = over(i, m, V_t(i, l, t) * c(i, query))
    in_V = over(i, m, over(j, d, V_t.rate(i, j, t) * (c(i, query) * image)))
    in_U = over(j, d, over(l, d, U_t.rate(j, l, t) * (covariance(pulled) * y(l, query))))
    output = over(i, m, c(i, query) * over(j, d, V_t(i, j, t) * image))
    return Statement(derivative(output, t), "==", in_V + Fraction(factor) * in_U)


@proves("BB:LE.4.gauss/slopes", slope_statement)
def slope() -> Theorem:
    goal = slope_statement()
    return show(goal.lhs, "==", goal.rhs)


def statements(two: int | Fraction = 2) -> tuple[Statement, Statement]:
    """E|J|^2 <= (two sqrt(d)(|V| + |U|))^2 sigma^4 at a task, and with E sigma_mu^4 over all."""
    bound = Fraction(two) ** 2 * d * (norm_V + norm_U) ** 2
    left, given, values = QUERY.mean(size), hypotheses(unit, *GIVEN), {**VALUES, c: with_the_task(c)}
    average = mean(of_the_task(left, values))
    return (
        Statement(left, "<=", bound * sigma**4, given),
        Statement(average, "<=", bound * mean(square**2), at_every_task(given, values)),
    )


@cache
def transposed() -> Theorem:
    """|V'c|^2 <= |V|^2 |c|^2, as |V'c|^2 = c.V V'c is at most |c||V||V'c|."""
    length, of_c, again = over(l, d, pulled**2), over(i, m, c(i, query) ** 2), over(l, d, V(i, l) * pulled)
    of_V = instantiate(operator_norm(V, norm_V, m), {b: ((l,), pulled)})
    squared = calc(
        length**2,
        ("==", over(i, m, c(i, query) * again) ** 2),
        ("<=", of_c * over(i, m, again**2), cauchy_schwarz("coordinates", (i,), c(i, query), again, (m,))),
        ("<=", norm_V**2 * of_c * length, of_V),
    )
    return show(length, "<=", norm_V**2 * of_c, squared, length, of_c)


@cache
def at_a_query() -> Theorem:
    """|J|^2 <= sigma^4 (|U|^2 + |V|^2) |y|^2 at the unit vector c."""
    of_c, n = over(i, m, c(i, query) ** 2), QUERY.square
    first = instantiate(spread, {b: ((l,), over(i, d, U(l, i) * y(i, query)))})
    second = instantiate(spread, {b: ((l,), pulled)})
    score = norm_of_the_score()
    return calc(
        size,
        ("==", of_c * first.lhs + second.lhs * n),
        ("<=", of_c * first.rhs + second.rhs * n, first, second),
        ("<=", of_c * (sigma**4 * score.rhs) + sigma**4 * (norm_V**2 * of_c) * n, score, transposed()),
        ("==", sigma**4 * (norm_U**2 + norm_V**2) * n, unit),
    )


@proves("BB:LE.4.gauss/gradient", statements, part=1)
@cache
def at_a_task() -> Theorem:
    """By E|y|^2 <= 4 d."""
    of_y = second_of_the_query()
    factor = sigma**4 * (norm_U**2 + norm_V**2)
    return calc(
        QUERY.mean(size),
        ("<=", factor * of_y.lhs, at_a_query()),
        ("<=", factor * (4 * d), of_y),
        ("<=", statements()[0].rhs),
    )


@proves("BB:LE.4.gauss/gradient", statements, part=2)
@cache
def over_the_tasks() -> Theorem:
    goal = statements()[1]
    return show(goal.lhs, "<=", goal.rhs, at_task(at_a_task(), task, {**VALUES, c: with_the_task(c)}))
