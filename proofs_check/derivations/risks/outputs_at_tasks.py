"""What is derived for all laws of tokens and queries, at every task of Boursier & Boyer:
Proposition 3.1, the second moment of the output of Lemma D.1, and that of a token.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.binding import instantiated
from numerics.derivations.derived import chain, exp, integrated, log, sqrt
from numerics.derivations.normal_form import LENGTH as L
from numerics.derivations.rules import arithmetic, assume, at_task, equal, replace
from numerics.derivations.sorts import POSITIVE, Sort
from numerics.derivations.statements import proved
from numerics.derivations.terms import Function, Term, Variable
from numerics.derivations.theorems import Theorem
from proofs_check.derivations import form_of_the_paper, tilted_mean
from proofs_check.derivations.query_average import norm_U, norm_V
from proofs_check.derivations.risks.gaussian_output import second_of_the_query
from proofs_check.derivations.risks.outcomes import mean as over_outcomes
from proofs_check.derivations.risks.rates import mean, rate, square, task, x
from proofs_check.derivations.softmax_average import d, sigma
from proofs_check.derivations.softmax_average import mean as over_a_token
from proofs_check.derivations.tilted import QUERY, TOKEN, query, weighted_moment

__all__ = [
    "at_every_task",
    "at_least",
    "at_most",
    "lemma_d1",
    "logarithm",
    "proposition_3_1",
    "second_moment_of_a_token",
    "with_constants",
]

#: The query is x_q here, as y is the label.
NAMES = {"y": "x"}
#: What ln L stands for.
logarithm = assume("lnL is the logarithm of the number of tokens", log(L), "==", x)
#: The radius of the ball, and that U and V are in it.
rho = Variable("rho", range=POSITIVE)
BALL = tuple(assume(f"{v.name} is at most 2 rho, on the ball", v, "<=", 2 * rho) for v in (norm_U, norm_V))


def on_the_ball(e: Term) -> Term:
    """What depends on |U| and |V|, at 2 rho for both."""
    return instantiated(e, {norm_U: 2 * rho, norm_V: 2 * rho})


def at_least(c: Term, constant: Term, of: str) -> Theorem:
    """That what rises with |U| and |V| is at most c, if c is at least its value at 2 rho."""
    large = assume(f"{of} for |U| = |V| = 2 rho", on_the_ball(constant), "<=", c)
    return chain(replace(constant, *BALL), large)


def at_most(c: Term, constant: Term, of: str) -> Theorem:
    """That what falls with |U| and |V| is at least c, if c is at most its value at 2 rho."""
    small = assume(f"{of} for |U| = |V| = 2 rho", c, "<=", on_the_ball(constant))
    falls = replace(on_the_ball(constant), *BALL)
    return chain(small, falls, constant)


def at_every_task(thm: Theorem) -> Theorem:
    """The theorem for the tokens, the query and sigma_mu of a task."""
    own = {g: Function(NAMES.get(g.name, g.name), (Sort.TASK, *g.sorts), g.order) for g in thm.functions}
    return at_task(thm, task, {**own, sigma: sqrt(square)})


def with_constants(each: Theorem, powers: tuple[int, int], given: tuple[Term, Term], first: Theorem, second: Theorem) -> Theorem:
    """From E <= a sigma^{2p} ln(L)^q L^{-b/sigma^2} at a task to the same with c_1 and c_2, from a
    <= c_1 and c_2 <= b.
    """
    a, b = given
    decay = arithmetic(L ** (-b / square), "==", exp(-(b * log(L) / square)), hide=(b, square))
    form = a * square ** powers[0] * log(L) ** powers[1] * decay.lhs
    bound = chain(equal(each.rhs, form), replace(form, decay))
    named = replace(bound.rhs, first, second, logarithm)
    return chain(each, bound, named, first.rhs * rate(second.lhs, *powers))


@cache
def proposition_3_1(square_D: Term, c1: Variable, c2: Variable) -> tuple[Theorem, Theorem]:
    """That E|T_L - T|^2 <= c_1 sigma^6 ln(L) L^{-c_2/sigma^2} at every task and for all parameters
    in the ball; and the hypothesis that its mean over the tasks is that of |D|^2 over the outcome.
    """
    each = at_every_task(proved(form_of_the_paper.output_statement(), form_of_the_paper.output()))
    a, b = form_of_the_paper.output_constants()
    first = at_least(c1, a, f"{c1.name} is at least the constant of Proposition 3.1")
    second = at_most(c2, b, f"{c2.name} is at most the constant of Proposition 3.1")
    tower = assume("D is T_L - T at a task, a query and a prompt", over_outcomes(square_D), "==", mean(each.lhs))
    return with_constants(each, (3, 1), (a, b), first, second), tower


@cache
def lemma_d1(square_T: Term, c: Variable) -> tuple[Theorem, Theorem]:
    """That E|T|^2 <= c sigma^4 at every task and for all parameters in the ball, from Lemma D.1 at
    a query and E|x|^2 <= 4 d; and the hypothesis that its mean over the tasks is that over the
    outcome.
    """
    image = tilted_mean.output_at_a_query()
    factor = 4 * sigma**4 * norm_V**2 * norm_U**2
    average = integrated("query", (query,), image, None, factor * QUERY.mean(QUERY.square))
    average = chain(average, replace(average.rhs, second_of_the_query()))
    each = at_every_task(average)
    large = at_least(c, 16 * d * norm_V**2 * norm_U**2, f"{c.name} is at least 16 d|V|^2|U|^2")
    form = 16 * d * norm_V**2 * norm_U**2 * square**2
    tower = assume("T is the output at a task and a query", over_outcomes(square_T), "==", mean(each.lhs))
    return chain(each, form, replace(form, large)), tower


@cache
def second_moment_of_a_token(square_y: Term, c: Variable) -> tuple[Theorem, Theorem]:
    """That E|Z|^2 <= c sigma^2 at every task, and the hypothesis that its mean over the tasks is at
    least that of |y|^2 over the outcome, as the label is a part of a token.
    """
    plain = weighted_moment(1, TOKEN, Fraction(0))
    scaled = chain(over_a_token(TOKEN.square), sigma**2 * plain.lhs, replace(sigma**2 * plain.lhs, plain))
    each = at_every_task(chain(scaled, arithmetic(scaled.rhs, "<=", 4 * d * sigma**2)))
    large = assume(f"{c.name} is at least 4 d", 4 * d, "<=", c)
    tower = assume("the label is a part of a token", over_outcomes(square_y), "<=", mean(each.lhs))
    return chain(each, 4 * d * square, replace(4 * d * square, large)), tower
