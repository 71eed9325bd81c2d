"""The Jacobian of the output in the parameters, at every task of Boursier & Boyer: its mean square,
and that of what a finite prompt adds to it.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import sympy as sp

from numerics.derivations.derived import chain, exp, integrated, log
from numerics.derivations.rules import arithmetic, assume, replace, specialise
from numerics.derivations.sorts import NONNEGATIVE, Range
from numerics.derivations.statements import from_sympy
from numerics.derivations.terms import Term, Variable, term
from numerics.derivations.theorems import Theorem
from proofs_check.derivations import form_of_the_paper
from proofs_check.derivations.gradients.gradient_in_U import statement_in_the_form
from proofs_check.derivations.query_average import at_the_query, norm_of_the_score, norm_U, norm_V
from proofs_check.derivations.risks.outcomes import mean as over_outcomes
from proofs_check.derivations.risks.outputs_at_tasks import at_every_task, at_least, at_most, logarithm, with_constants
from proofs_check.derivations.risks.rates import mean, of_the_paper, rate, square, x
from proofs_check.derivations.softmax_average import d, m, sigma
from proofs_check.derivations.tilted import QUERY, h, query, tilted_moment, weighted_moment
from theory.bounds.query_average_constants import paper_constants_U, paper_constants_V

__all__ = ["proposition_3_4", "second_moment"]

long, one = form_of_the_paper.long_prompts()
S_ = Variable("S_", range=Range(Fraction(1), lo_open=False))
A_, B_ = (Variable(name, range=NONNEGATIVE) for name in ("A_", "B_"))


def _constants(of: tuple[sp.Expr, sp.Expr], rows: Term) -> tuple[Term, Term]:
    first, second = (from_sympy(e, {_U: norm_U, _V2: rows, _d: d}) for e in of)
    return first, second


_U, _V2, _d = sp.symbols("U V2 d", positive=True)


@cache
def proposition_3_4(square_dJ: Term, c1: Variable, c2: Variable) -> tuple[Theorem, Theorem]:
    """That the mean squares of what a finite prompt adds to the gradients in U and in V, whose
    bounds are cited, are together at most c_1 sigma^8 ln(L)^2 L^{-c_2/sigma^2} at every task
    and for all parameters in the ball; and the hypothesis that the mean of |dJ|^2 over the outcome
    is at most their mean over the tasks.
    """
    shown = (statement_in_the_form(1, 8), "OURS:P3.4.U"), (form_of_the_paper.gradient_statement(), "BB:P3.4.V, as repaired")
    of_U, of_V = (at_every_task(of_the_paper(name, a.lhs, a.rhs)) for a, name in shown)
    parts = []
    for name, each, powers, constants in (
        ("U", of_U, (4, 2), _constants(paper_constants_U(_U, sp.sqrt(_V2), _d), norm_V**2)),
        ("V", of_V, (3, 1), _constants(paper_constants_V(_U, sp.sqrt(_V2), _d), m)),
    ):
        first = at_least(c1 / 3, constants[0], f"{c1.name} is at least 3 times our constant for the gradient in {name}")
        second = at_most(c2, constants[1], f"{c2.name} is at most our constant for the gradient in {name}")
        parts.append(with_constants(each, powers, constants, first, second))
    longer = chain(replace(log(term(2)), long), logarithm)
    large = chain(1, at_every_task(arithmetic(1, "<=", sigma**2, one)), square)
    decay = exp(-c2 * x / square)
    core = arithmetic(square**4 * x**2 + square**3 * x, "<=", 3 * square**4 * x**2, longer, large, hide=(square,))
    both = replace(of_U.lhs + of_V.lhs, *parts)
    both = chain(both, c1 / 3 * decay * core.lhs, replace(c1 / 3 * decay * core.lhs, core), c1 * rate(c2, 4, 2))
    name = "dJ is what a finite prompt adds to the gradients in U and in V"
    return both, assume(name, over_outcomes(square_dJ), "<=", mean(of_U.lhs + of_V.lhs))


@cache
def at_a_query() -> Theorem:
    """|V|^2 M^2 |x|^2 + M <= sigma^8 (16 |V|^2 (h + |U|^2 |x|^2)^2 |x|^2 + 4 (h + |U|^2 |x|^2)) for
    the second moment M of a tilted token, which is at most 4 sigma^2 (h + a2), and sigma >= 1.
    """
    moment = specialise(tilted_moment(1), at_the_query)
    n = QUERY.square
    score = norm_of_the_score()
    moment = chain(moment, 4 * sigma**2 * (h + sigma**2 * score.lhs))
    moment = chain(moment, replace(moment.rhs, score))
    larger = arithmetic(4 * S_ * (A_ + S_ * B_), "<=", 4 * S_**2 * (A_ + B_))
    larger = specialise(larger, {S_: sigma**2, A_: h, B_: norm_U**2 * n}, one)
    moment = chain(moment, larger.lhs, larger)
    form = norm_V**2 * moment.lhs**2 * n + moment.lhs
    size = chain(form, replace(form, moment))
    last = arithmetic(S_**2, "<=", S_**4)
    last = specialise(last, {S_: sigma**2}, one)
    total = 16 * sigma**8 * norm_V**2 * (h + norm_U**2 * n) ** 2 * n + 4 * (h + norm_U**2 * n) * last.lhs
    return chain(size, total, replace(total, last))


@cache
def second_moment(square_J: Term, c: Variable) -> tuple[Theorem, Theorem]:
    """That E|J|^2 <= c sigma^8 at every task and for all parameters in the ball; and the hypothesis
    that the mean of |J|^2 over the outcome is at most the mean over the tasks of |V|^2 M^2 |x|^2 +
    M with the second moment M of a tilted token: the gradient in U of an output b.T is C V'b x' for
    the covariance C of a tilted token, and that in V is b times its mean.
    """
    point = at_a_query()
    n = QUERY.square
    u = norm_U**2
    moments = [weighted_moment(q, QUERY, Fraction(0)) for q in (1, 2, 3)]
    form = lambda a, b, e: 16 * norm_V**2 * (h**2 * a + 2 * h * u * b + u**2 * e) + 4 * h + 4 * u * a
    means = [QUERY.mean(n**q) for q in (1, 2, 3)]
    average = integrated("query", (query,), point, None, sigma**8 * form(*means))
    bounds = [chain(e, thm) for e, thm in zip(means, moments, strict=True)]
    average = chain(average, replace(average.rhs, *bounds))
    each = at_every_task(average)
    total = form(*(thm.rhs for thm in bounds))
    large = at_least(c, total, f"{c.name} is at least the bound of E|J|^2/sigma^8")
    argument = "the gradients in U and V of an output b.T are C V'b x' and b times the mean of a tilted token of covariance C"
    tower = assume("the Jacobian by the tilted tokens", over_outcomes(square_J), "<=", mean(each.lhs), argument=argument)
    return chain(each, total * square**4, replace(total * square**4, large)), tower
