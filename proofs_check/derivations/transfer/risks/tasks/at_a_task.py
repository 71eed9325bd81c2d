"""Equation (28) of Boursier & Boyer, as repaired: the distance of the gradients at a task, and its
mean over the tasks.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import exp, log, sqrt
from numerics.derivations.kernel.rules import assume, at_task
from numerics.derivations.kernel.sorts import POSITIVE, Sort
from numerics.derivations.kernel.terms import Function, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
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
from proofs_check.derivations.transfer.risks.outcomes import i, j, k, mean, outputs, variable
from proofs_check.derivations.transfer.risks.rates import mean as over_tasks
from proofs_check.derivations.transfer.risks.rates import of_the_paper, rate, square, task, x
from proofs_check.derivations.transfer.risks.segment import flat, origin
from proofs_check.derivations.transfer.risks.tasks.laws_of_tasks import (
    Values,
    at_every_task,
    of_the_task,
    with_the_task,
)

c1, c2, c3, c4, w = (Variable(name, range=POSITIVE) for name in ("c1", "c2", "c3", "c4", "w"))
square_T_L = outputs((T + D) ** 2)
from_the_origin = assume(
    "1-smooth loss, from the output 0 and the label 0, for the finite prompt",
    outputs((slope_L - origin(j)) ** 2),
    "<=",
    square_T_L + square_y,
    every=(k,),
)
#: What a finite prompt adds to the gradients of the output in U and in V, in norm.
norm_dU, norm_dV = variable("normdU")(k), variable("normdV")(k)
blocks = assume(
    "the Jacobian is that in U beside that in V", norm_dJ**2, "<=", norm_dU**2 + norm_dV**2, every=(k,)
)
#: Propositions 3.1 and 3.4 at a task, where sigma_mu^2 is w.
outputs_close = of_the_paper("Proposition 3.1", mean(square_D), c1 * rate(c2, 3, 1, w))
close_in_V = of_the_paper("Proposition 3.4 for V", mean(norm_dV**2), c3 * rate(c4, 3, 1, w))
close_in_U = of_the_paper("Proposition 3.4 for U", mean(norm_dU**2), c3 * rate(c4, 6, 2, w))
large = assume("sigma_mu >= 1", 1, "<=", w), assume("L >= 2", log(term(2)), "<=", x)
BOTH = (blocks, close_in_V, close_in_U, *large)
GIVEN = (*smooth_under_the_mean, *norms.values(), smooth, from_the_origin, flat, outputs_close, *BOTH)


def bound(of: Term, together: int | Fraction = 3) -> Term:
    """(together c_1')^{1/2} sigma^6 ln L/L^{c_2'/(2 sigma^2)} E[2|T_L|^2 + 2|y|^2]^{1/2} +
    c_1^{1/2} sigma^3 ln(L)^{1/2}/L^{c_2/(2 sigma^2)} E[|J|^2]^{1/2}.
    """
    first = sqrt(Fraction(together) * c3) * of**3 * x * exp(-c4 * x / (2 * of)) * sqrt(second_moments)
    return first + sqrt(c1) * of ** Fraction(3, 2) * sqrt(x) * exp(-c2 * x / (2 * of)) * sqrt(mean(norm_J**2))


second_moments = mean(2 * square_T_L + 2 * square_y)


#: The outcomes of a task and sigma_mu, and the gradients of the two risks there.
own_grad_L, own_grad = (Function(f"{name}mu", (Sort.TASK, Sort.INDEX)) for name in ("gradL", "grad"))
_of_an_outcome = tuple(e.function for e in (T, D, y, slope, slope_L, norm_J, norm_dJ, norm_dU, norm_dV))
VALUES: Values = {
    **{g: with_the_task(g) for g in (*_of_an_outcome, Jacobian, change)},
    w: square,
    grad_L.function: own_grad_L,
    grad.function: own_grad,
}
difference = Function("v", (Sort.TASK, Sort.INDEX), Fraction(1))(task, i)
own_difference = assume(
    "v is the difference of the gradients at a task",
    difference,
    "==",
    own_grad_L(task, i) - own_grad(task, i),
    every=(task, i),
)
tower = assume(
    "the gradients are means over the tasks",
    grad_L - grad,
    "==",
    over_tasks(difference),
    every=(i,),
)


def statements(factor: int | Fraction = 1, together: int = 3) -> tuple[Statement, Statement]:
    """The distance of the gradients at a task is at most the bound with second moments given the
    task, and over all tasks at most its mean; a factor multiplies the bounds.
    """
    left, right, given = norm(grad_L - grad), Fraction(factor) * bound(w, together), hypotheses(*GIVEN)
    every_task = at_every_task(given, VALUES) | hypotheses(own_difference, tower)
    return Statement(left, "<=", right, given), Statement(
        left, "<=", over_tasks(of_the_task(right, VALUES)), every_task
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


@cache
def jacobians_close() -> Theorem:
    """E|dJ|^2 <= 3 c_1' sigma^12 ln(L)^2/L^{c_2'/sigma^2}, as 1 <= 2 sigma^6 ln L."""
    core = show(w**3 * x + w**6 * x**2, "<=", 3 * w**6 * x**2, *large)
    return calc(
        mean(norm_dJ**2),
        ("<=", mean(norm_dU**2) + mean(norm_dV**2), blocks),
        ("<=", c3 * rate(c4, 6, 2, w) + c3 * rate(c4, 3, 1, w), close_in_U, close_in_V),
        ("==", c3 * (w**3 * x + w**6 * x**2) * exp(-c4 * x / w)),
        ("<=", 3 * c3 * rate(c4, 6, 2, w), core),
    )


@proves("BB:28", statements, part=1)
@cache
def at_one_task() -> Theorem:
    """Lemma E.4 up to its third line, with Propositions 3.1 and 3.4."""
    size, of_dJ, of_D = mean(norm_J**2), 3 * c3 * rate(c4, 6, 2, w), c1 * rate(c2, 3, 1, w)
    most = sqrt(of_dJ) * sqrt(second_moments) + sqrt(size) * sqrt(of_D)
    return calc(
        norm_of_the_halves(),
        ("<=", most, growth(), jacobians_close(), outputs_close),
        ("==", bound(w), second_moments, size),
    )


@proves("BB:28", statements, part=2)
@cache
def over_the_tasks() -> Theorem:
    """What holds at a task, at every one; the norm of a mean is at most the mean of the norms."""
    each = at_task(at_one_task(), task, VALUES)
    near = calc(
        norm(difference),
        ("<=", norm(own_grad_L(task, i) - own_grad(task, i)), own_difference),
        ("<=", each.rhs, each),
    )
    return in_norm(tower, mean_of_a_norm("task", (task,), difference, near))
