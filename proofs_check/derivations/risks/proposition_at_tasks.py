"""Proposition 3.1 of Boursier & Boyer at every task: what is derived for all laws of tokens and
queries, for the laws of each task.
"""

from __future__ import annotations

from functools import cache

from numerics.derivations.derived import chain, exp, log, sqrt
from numerics.derivations.normal_form import LENGTH as L
from numerics.derivations.rules import arithmetic, assume, at_task, equal, replace
from numerics.derivations.sorts import Sort
from numerics.derivations.statements import proved
from numerics.derivations.terms import Function, Term, Variable
from numerics.derivations.theorems import Theorem
from proofs_check.derivations import form_of_the_paper
from proofs_check.derivations.risks.outcomes import mean as over_outcomes
from proofs_check.derivations.risks.rates import mean, rate, square, task, x
from proofs_check.derivations.softmax_average import sigma

__all__ = ["proposition_3_1"]

#: The query is x_q here, as y is the label.
NAMES = {"y": "x"}
#: What ln L stands for.
logarithm = assume("lnL is the logarithm of the number of tokens", log(L), "==", x)


@cache
def proposition_3_1(square_D: Term, c1: Variable, c2: Variable) -> tuple[Theorem, Theorem]:
    """That E|T_L - T|^2 <= c_1 sigma^6 ln(L) L^{-c_2/sigma^2} at every task, with the constants of
    the proposition, and the hypothesis that its mean over the tasks is that of |D|^2 over the
    outcome.
    """
    thm = proved(form_of_the_paper.output_statement(), form_of_the_paper.output())
    own = {g: Function(NAMES.get(g.name, g.name), (Sort.TASK, *g.sorts), g.order) for g in thm.functions}
    each = at_task(thm, task, {**own, sigma: sqrt(square)})
    first, second = form_of_the_paper.output_constants()
    constants = (
        assume("c1 is the constant of Proposition 3.1", first, "==", c1),
        assume("c2 is the constant of Proposition 3.1", second, "==", c2),
    )
    decay = arithmetic(L ** (-second / square), "==", exp(-(second * log(L) / square)), hide=(second, square))
    form = first * square**3 * log(L) * decay.lhs
    bound = chain(equal(each.rhs, form), replace(form, decay))
    named = replace(bound.rhs, *constants, logarithm)
    tower = assume("D is T_L - T at a task, a query and a prompt", over_outcomes(square_D), "==", mean(each.lhs))
    return chain(each, bound, named, rate(c2, 3, 1) * c1), tower
