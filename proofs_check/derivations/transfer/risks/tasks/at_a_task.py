"""Equation (28) of Boursier & Boyer, as repaired: the distance of the gradients at a task, and its
mean over the tasks.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, exp, sqrt
from numerics.derivations.kernel.rules import assume, at_task
from numerics.derivations.kernel.sorts import POSITIVE, Sort
from numerics.derivations.kernel.terms import Function, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc
from proofs_check.derivations.proof import proves
from proofs_check.derivations.softmax_average import form_of_the_paper
from proofs_check.derivations.transfer.risks.distance_of_gradients import (
    Jacobian,
    change,
    grad,
    grad_L,
    in_norm,
    norm_dJ,
    norm_J,
    norm_of_the_halves,
    norms,
    slope,
    slope_L,
    smooth,
    smooth_under_the_mean,
)
from proofs_check.derivations.transfer.risks.distance_of_risks import D, T, square_D, square_y, y
from proofs_check.derivations.transfer.risks.mean_of_a_vector import mean_of_a_norm, norm
from proofs_check.derivations.transfer.risks.outcomes import i, j, k, mean, outputs
from proofs_check.derivations.transfer.risks.rates import mean as over_tasks
from proofs_check.derivations.transfer.risks.rates import rate, square, task, x
from proofs_check.derivations.transfer.risks.segment import flat, origin
from proofs_check.derivations.transfer.risks.tasks.jacobians_at_tasks import (
    both_gradients,
    given_of_gradients,
    gradients,
)
from proofs_check.derivations.transfer.risks.tasks.laws_of_tasks import (
    Values,
    at_every_task,
    of_the_task,
    with_the_task,
)
from proofs_check.derivations.transfer.risks.tasks.outputs_at_tasks import constants_3_1, proposition_3_1

c1, c2, c3, c4 = (Variable(name, range=POSITIVE) for name in ("c1", "c2", "c3", "c4"))
square_T_L = outputs((T + D) ** 2)
from_the_origin = assume(
    "1-smooth loss, from the output 0 and the label 0, for the finite prompt",
    outputs((slope_L - origin(j)) ** 2),
    "<=",
    square_T_L + square_y,
    every=(k,),
)
GIVEN = (*smooth_under_the_mean, *norms.values(), smooth, from_the_origin, flat)


second_moments = mean(2 * square_T_L + 2 * square_y)


#: The outcomes of a task, and the gradients of the two risks there.
own_grad_L, own_grad = (Function(f"{name}mu", (Sort.TASK, Sort.INDEX)) for name in ("gradL", "grad"))
_of_an_outcome = tuple(e.function for e in (T, D, y, slope, slope_L, norm_J, norm_dJ))
VALUES: Values = {
    **{g: with_the_task(g) for g in (*_of_an_outcome, Jacobian, change)},
    grad_L.function: own_grad_L,
    grad.function: own_grad,
}
difference = Function("gap", (Sort.TASK, Sort.INDEX), Fraction(1))(task, i)
own_difference = assume(
    "gap is the difference of the gradients at a task",
    difference,
    "==",
    own_grad_L(task, i) - own_grad(task, i),
    every=(task, i),
)
tower = assume(
    "the gradients are means over the tasks", grad_L - grad, "==", over_tasks(difference), every=(i,)
)
#: Propositions 3.1 and 3.4 at a task speak of these.
outputs_close = assume(
    "D is T_L - T at a query and a prompt of a task",
    of_the_task(mean(square_D), VALUES),
    "==",
    of_the_task(form_of_the_paper.output_statement().lhs),
    every=(task,),
)
jacobians_close = assume(
    "dJ is what a finite prompt adds to the gradients in U and in V at a task",
    of_the_task(mean(norm_dJ**2), VALUES),
    "<=",
    sum((of_the_task(one.shown.lhs) for one in gradients(12)), term(0)),
    every=(task,),
)


def bound(together: int | Fraction = 3) -> Term:
    """(together c_1')^{1/2} sigma^6 ln L/L^{c_2'/(2 sigma^2)} E[2|T_L|^2 + 2|y|^2]^{1/2} +
    c_1^{1/2} sigma^3 ln(L)^{1/2}/L^{c_2/(2 sigma^2)} E[|J|^2]^{1/2} at a task.
    """
    second, size = (sqrt(of_the_task(e, VALUES)) for e in (second_moments, mean(norm_J**2)))
    first = sqrt(Fraction(together) * c3) * square**3 * x * exp(-c4 * x / (2 * square)) * second
    return first + sqrt(c1) * square ** Fraction(3, 2) * sqrt(x) * exp(-c2 * x / (2 * square)) * size


def statements(factor: int | Fraction = 1, together: int = 3) -> tuple[Statement, Statement]:
    """The distance of the gradients at a task is at most the bound with second moments given the
    task, and over all tasks at most its mean; a factor multiplies the bounds.
    """
    right = Fraction(factor) * bound(together)
    of_D = hypotheses(*constants_3_1(c1, c2)) | at_every_task(
        form_of_the_paper.output_statement().assumptions
    )
    of_dJ = given_of_gradients(c3, c4, 1, 12) | hypotheses(outputs_close, jacobians_close)
    given = at_every_task(hypotheses(*GIVEN), VALUES) | of_D | of_dJ
    return Statement(norm(own_grad_L(task, i) - own_grad(task, i)), "<=", right, given), Statement(
        norm(grad_L - grad), "<=", over_tasks(right), given | hypotheses(own_difference, tower)
    )


@cache
def growth() -> Theorem:
    """|g_L|^2 <= 2|T_L|^2 + 2|y|^2."""
    return calc(
        outputs(slope_L**2),
        ("==", outputs((slope_L - origin(j)) ** 2), flat),
        ("<=", square_T_L + square_y, from_the_origin),
        ("<=", 2 * square_T_L + 2 * square_y),
    )


@proves("BB:28", statements, part=1)
@cache
def at_one_task() -> Theorem:
    """Lemma E.4 up to its third line at a task, with Propositions 3.1 and 3.4."""
    parts = mean(norm_dJ**2), second_moments, mean(norm_J**2), mean(square_D)
    form = lambda dJ, second, J, D: sqrt(dJ) * sqrt(second) + sqrt(J) * sqrt(D)
    each = at_task(calc(norm_of_the_halves(), ("<=", form(*parts), growth())), task, VALUES)
    _, second, J, _ = values = tuple(of_the_task(e, VALUES) for e in parts)
    of_dJ = chain(jacobians_close, both_gradients(c3, c4, 1, 12))
    of_D = chain(outputs_close, proposition_3_1(square_D, c1, c2)[0])
    return calc(
        chain(norm(own_grad_L(task, i) - own_grad(task, i)), each, form(*values)),
        ("<=", form(3 * c3 * rate(c4, 6, 2), second, J, c1 * rate(c2, 3, 1)), of_dJ, of_D),
        ("==", bound(), second, J),
    )


@proves("BB:28", statements, part=2)
@cache
def over_the_tasks() -> Theorem:
    """The norm of a mean is at most the mean of the norms."""
    each = at_one_task()
    near = calc(norm(difference), ("<=", each.lhs, own_difference), ("<=", each.rhs, each))
    return in_norm(tower, mean_of_a_norm("task", (task,), difference, near))
