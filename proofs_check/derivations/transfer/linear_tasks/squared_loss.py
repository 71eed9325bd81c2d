"""Corollaries E.3 and E.5 of Boursier & Boyer for half the squared loss of one output, which is not
1-smooth in output and label together: its residual takes the place of the slope.

All is said in the coordinates kappa U, kappa V, at the query y = x/kappa: the output there is kappa
times that of U, V at x, and its label is kappa times the label.
"""

from __future__ import annotations

from functools import cache

from numerics.derivations.derived import sqrt
from numerics.derivations.kernel.rules import assume, instantiate
from numerics.derivations.kernel.theorems import Assumption, Theorem
from numerics.derivations.statements import hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.transfer.linear_tasks.laws import scale
from proofs_check.derivations.transfer.risks import corollaries as smooth
from proofs_check.derivations.transfer.risks import distance_of_gradients as gradients
from proofs_check.derivations.transfer.risks import distance_of_risks as risks
from proofs_check.derivations.transfer.risks.corollaries import (
    AtAPoint,
    N,
    Near,
    X,
    c1,
    c2,
    c3,
    c4,
    c5,
    c6,
    c7,
)
from proofs_check.derivations.transfer.risks.distance_of_gradients import J, dJ
from proofs_check.derivations.transfer.risks.distance_of_risks import r, shift
from proofs_check.derivations.transfer.risks.outcomes import k, mean, parameters, variable, x, y
from proofs_check.derivations.transfer.risks.rates import finite
from proofs_check.derivations.transfer.risks.tasks.jacobians_at_tasks import (
    given_3_4,
    given_of_the_jacobian,
    second_moment,
)
from proofs_check.derivations.transfer.risks.tasks.outputs_at_tasks import (
    given_3_1,
    given_d1,
    given_of_a_token,
    lemma_d1,
    second_moment_of_a_token,
)

output, label = variable("output")(k), variable("label")(k)
kappa = sqrt(scale)
residual = assume("r is the output less kappa times the label", r, "==", output - kappa * label, every=(k,))
square_J, square_dJ = parameters(J**2), parameters(dJ**2)
#: What bounds E r^2.
M = 2 * (scale * smooth.M)


@cache
def size_of_the_residual() -> Theorem:
    """E r^2 <= 2 E|T|^2 + 2 kappa^2 E y^2 <= M, as kappa >= 1."""
    of_T = smooth.moment(lemma_d1(output**2, c5), c5, 2)
    of_y = smooth.moment(second_moment_of_a_token(label**2, c6), c6, 1)
    apart = instantiate(show((x - y) ** 2, "<=", 2 * x**2 + 2 * y**2), {x: output, y: kappa * label})
    output_size, label_size = mean(output**2), mean(label**2)
    both = calc(
        output_size + scale * label_size,
        (
            "<=",
            scale * output_size + scale * label_size,
            show(1, "<=", scale),
            output_size,
            scale * label_size,
        ),
        ("<=", scale * smooth.M, of_T, of_y),
    )
    return calc(
        mean(r**2),
        ("==", mean((output - kappa * label) ** 2), residual),
        ("<=", 2 * mean(output**2 + (kappa * label) ** 2), apart),
        ("==", 2 * (output_size + scale * label_size)),
        ("<=", M, both),
    )


@cache
def risks_come_together() -> Theorem:
    """|R_L - R_inf| <= sqrt(M X) + X/2."""
    error, second = mean(shift**2), mean(r**2)
    return calc(
        risks.squared(),
        ("==", sqrt(second) * sqrt(error) + error / 2, second, error),
        ("<=", sqrt(M) * sqrt(X) + X / 2, size_of_the_residual(), smooth.outputs_come_together(shift**2)),
        ("==", sqrt(M * X) + X / 2, X, M),
    )


@cache
def gradients_come_together(tail: Theorem) -> Theorem:
    """|grad R_L - grad R_inf| <= (sqrt(M) + sqrt(X)) sqrt(Z) + sqrt(N X)."""
    error, second, Z = mean(shift**2), mean(r**2), smooth.Z(tail.rhs)
    of_J, of_dJ = mean(square_J), mean(square_dJ)
    size = smooth.moment(second_moment(square_J, c7), c7, 4)
    form = lambda second, error, J, dJ: (sqrt(second) + sqrt(error)) * sqrt(dJ) + sqrt(J) * sqrt(error)
    return calc(
        gradients.squared(),
        ("==", form(second, error, of_J, of_dJ), second, error, of_J, of_dJ),
        (
            "<=",
            form(M, X, N, Z),
            size_of_the_residual(),
            smooth.outputs_come_together(shift**2),
            size,
            smooth.jacobians_come_together(tail, square_dJ),
        ),
        ("==", smooth.g2(tail.rhs, M), X, Z, M, N),
    )


def given() -> frozenset[Assumption]:
    """What is known of the tasks, the output and the label."""
    of_outputs = given_3_1(shift**2, c1, c2) | given_d1(output**2, c5) | given_of_a_token(label**2, c6)
    return of_outputs | hypotheses(finite, residual)


@cache
def at_a_point() -> AtAPoint:
    """What both corollaries speak of."""
    of_gradients, of_risks = gradients.squared_statement(), risks.squared_statement()
    of_jacobians = given_3_4(square_dJ, c3, c4) | given_of_the_jacobian(square_J, c7)
    assumed = of_gradients.assumptions | given() | of_jacobians, of_risks.assumptions | given()
    return AtAPoint((of_gradients.lhs, of_risks.lhs), assumed, M)


NEAR: Near = (gradients_come_together, risks_come_together)
