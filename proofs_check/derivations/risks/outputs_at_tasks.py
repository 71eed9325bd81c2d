"""What is derived for all laws of tokens and queries, at every task of Boursier & Boyer:
Proposition 3.1, the second moment of the output of Lemma D.1, and that of a token.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, exp, integrated, log, sqrt
from numerics.derivations.normal_form import LENGTH as L
from numerics.derivations.rules import arithmetic, assume, at_task, equal, replace
from numerics.derivations.sorts import Sort
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

__all__ = ["at_every_task", "lemma_d1", "logarithm", "proposition_3_1", "second_moment_of_a_token", "with_constants"]

#: The query is x_q here, as y is the label.
NAMES = {"y": "x"}
#: What ln L stands for.
logarithm = assume("lnL is the logarithm of the number of tokens", log(L), "==", x)


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
    """That E|T_L - T|^2 <= c_1 sigma^6 ln(L) L^{-c_2/sigma^2} at every task, with a c_1 that is not
    smaller and a c_2 that is not larger than in the proposition, such as those for all parameters
    in a ball; and the hypothesis that its mean over the tasks is that of |D|^2 over the outcome.
    """
    each = at_every_task(proved(form_of_the_paper.output_statement(), form_of_the_paper.output()))
    a, b = form_of_the_paper.output_constants()
    first = assume(f"{c1.name} is at least the constant of Proposition 3.1", a, "<=", c1)
    second = assume(f"{c2.name} is at most the constant of Proposition 3.1", c2, "<=", b)
    tower = assume("D is T_L - T at a task, a query and a prompt", over_outcomes(square_D), "==", mean(each.lhs))
    return with_constants(each, (3, 1), (a, b), first, second), tower


@cache
def lemma_d1(square_T: Term, c: Variable) -> tuple[Theorem, Theorem]:
    """That E|T|^2 <= c sigma^4 at every task, from Lemma D.1 at a query and E|x|^2 <= 4 d, with a c
    such as that for all parameters in a ball; and the hypothesis that its mean over the tasks is
    that over the outcome.
    """
    image = tilted_mean.output_at_a_query()
    factor = 4 * sigma**4 * norm_V**2 * norm_U**2
    average = integrated("query", (query,), image, None, factor * QUERY.mean(QUERY.square))
    average = chain(average, replace(average.rhs, second_of_the_query()))
    each = at_every_task(average)
    large = assume(f"{c.name} is at least 16 d|V|^2|U|^2", 16 * d * norm_V**2 * norm_U**2, "<=", c)
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
