"""Equation (28) of Boursier & Boyer, as repaired: the distance of the gradients at every task, and
its mean over the tasks.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, exp, sqrt
from numerics.derivations.rules import arithmetic, assume, integrate, replace
from numerics.derivations.sorts import POSITIVE
from numerics.derivations.statements import Statement
from numerics.derivations.terms import Term, Variable
from numerics.derivations.theorems import Theorem
from proofs_check.derivations.risks.distance_of_gradients import (
    grad,
    grad_L,
    in_norm,
    norm_dJ,
    norm_J,
    norm_of_the_halves,
    norms,
    slope_L,
    smooth,
    smooth_under_the_mean,
)
from proofs_check.derivations.risks.distance_of_risks import D, T, square_D, square_y
from proofs_check.derivations.risks.mean_of_a_vector import mean_of_a_norm, norm
from proofs_check.derivations.risks.outcomes import hypotheses, i, j, k, m, mean, outputs, variable, vector
from proofs_check.derivations.risks.rates import rate, x
from proofs_check.derivations.risks.segment import flat, origin

c1, c2, c3, c4, w = (Variable(name, range=POSITIVE) for name in ("c1", "c2", "c3", "c4", "w"))
square_T_L = outputs((T + D) ** 2)
from_the_origin = assume(
    "1-smooth loss, from the output 0 and the label 0, for the finite prompt",
    outputs((slope_L - origin(j)) ** 2),
    "<=",
    square_T_L + square_y,
    every=(k,),
)
#: Propositions 3.1 and 3.4 at a task, where sigma_mu^2 is w.
outputs_close = assume("Proposition 3.1", mean(square_D), "<=", c1 * rate(c2, 3, 1, w), cited=True)
jacobians_close = assume("Proposition 3.4 for U and V together", mean(norm_dJ**2), "<=", 2 * c3 * rate(c4, 6, 2, w), cited=True)
GIVEN = (*smooth_under_the_mean, *norms.values(), smooth, from_the_origin, flat, outputs_close, jacobians_close)


def bound(of: Term, G: Term, H: Term) -> Term:
    """(2 c_1')^{1/2} sigma^6 ln L/L^{c_2'/(2 sigma^2)} G^{1/2} + c_1^{1/2} sigma^3 ln(L)^{1/2}/
    L^{c_2/(2 sigma^2)} H^{1/2}.
    """
    first = sqrt(2 * c3) * of**3 * x * exp(-c4 * x / (2 * of)) * sqrt(G)
    return first + sqrt(c1) * of ** Fraction(3, 2) * sqrt(x) * exp(-c2 * x / (2 * of)) * sqrt(H)


second_moments = mean(2 * square_T_L + 2 * square_y)
at_a_task = bound(w, second_moments, mean(norm_J**2))
#: Given the task: the roots of the same second moments, and the difference of the gradients.
root_G, root_H = (variable(name, 1)(k) for name in ("G", "H"))
difference = vector("v", 1)(i, k)
at_every_task = bound(exp(variable("s", 0)(k)), root_G**2, root_H**2)
tower = assume("the gradients are means over the tasks", grad_L - grad, "==", mean(difference), every=(i,))
first_part = assume("the first part at every task", norm(difference), "<=", at_every_task, every=(k,))


def statements(factor: int | Fraction = 1) -> tuple[Statement, Statement]:
    """The distance of the gradients at a task is at most the bound with second moments given the
    task, and over all tasks at most its mean; a factor multiplies the bounds.
    """
    left = norm(grad_L - grad)
    return (
        Statement(left, "<=", Fraction(factor) * at_a_task, hypotheses(*GIVEN)),
        Statement(left, "<=", Fraction(factor) * mean(at_every_task), hypotheses(tower, first_part)),
    )


@cache
def growth() -> Theorem:
    """E|g_L|^2 <= E[2|T_L|^2 + 2|y|^2]."""
    each = arithmetic(slope_L**2, "==", (slope_L - origin(j)) ** 2, flat)
    point = chain(integrate("coordinates", (j,), each, (m,)), from_the_origin)
    point = chain(point, arithmetic(point.rhs, "<=", 2 * square_T_L + 2 * square_y))
    return integrate("mean", (k,), point)


@cache
def at_one_task() -> Theorem:
    """Lemma E.4 up to its third line, with Propositions 3.1 and 3.4."""
    form = sqrt(mean(norm_dJ**2)) * sqrt(mean(outputs(slope_L**2))) + sqrt(mean(norm_J**2)) * sqrt(mean(square_D))
    most = chain(norm_of_the_halves(), form, replace(form, growth(), outputs_close, jacobians_close))
    hidden = second_moments, mean(norm_J**2)
    return chain(most, arithmetic(most.rhs, "==", at_a_task, hide=hidden))


@cache
def over_the_tasks() -> Theorem:
    """The norm of a mean is at most the mean of the norms."""
    return in_norm(tower, mean_of_a_norm(difference, at_every_task, first_part))
