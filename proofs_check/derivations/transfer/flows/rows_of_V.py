"""The loss of in-context regression reads one coordinate of the output, so that training moves one
row of V only (Section 5 of Boursier & Boyer).
"""

from __future__ import annotations

from fractions import Fraction

from numerics.derivations.kernel.flows import derivative
from numerics.derivations.kernel.rules import antitone, assume, instantiate
from numerics.derivations.kernel.sorts import REALS, Sort
from numerics.derivations.kernel.terms import START, Function, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.softmax_average.softmax_average import d, i, j, m, over

t, label = Variable("t", Sort.TIME), Variable("y", range=REALS)
V = Function("V", (Sort.INDEX, Sort.INDEX, Sort.TIME), Fraction(1))
#: The mean token at an outcome, the coordinate that is read, and the mean of the residual times the
#: mean token over all outcomes.
token, e = (Function(name, (Sort.INDEX,)) for name in ("token", "e"))
slope = Function("g", (Sort.INDEX, Sort.TIME))
residual = over(i, m, e(i) * over(j, d, V(i, j, t) * token(j))) - label
selects = assume(
    "e is 1 at the coordinate that is read, and 0 at the others", e(i) ** 2, "==", e(i), every=(i,)
)
flow = assume(
    "the gradient of a mean is the mean of the gradients, along the flow of V",
    V.rate(i, j, t),
    "==",
    -e(i) * slope(j, t),
    every=(i, j, t),
)


def statements(factor: int | Fraction = 1) -> tuple[Statement, Statement]:
    """Along any path of V the loss (e.Vm - y)^2/2 changes at the rate of the inner product of V'
    and (e.Vm - y) e m', and along the flow all rows but the one that is read stay as they are. A
    factor multiplies both right sides.
    """
    gradient, others = e(i) * (residual * token(j)), 1 - e(i)
    return (
        Statement(
            derivative(residual**2 / 2, t),
            "==",
            Fraction(factor) * over(i, m, over(j, d, V.rate(i, j, t) * gradient)),
        ),
        Statement(
            others * V(i, j, t), "==", Fraction(factor) * (others * V(i, j, START)), hypotheses(selects, flow)
        ),
    )


@proves("BB:5.rows", statements, part=(1, 2))
def theorems() -> tuple[Theorem, Theorem]:
    """(1 - e_i) e_i = 0."""
    first, number = statements()[0], Variable("r_", range=REALS)
    each = lambda r: over(i, m, over(j, d, V.rate(i, j, t) * (e(i) * (r * token(j)))))
    moved = over(i, m, e(i) * over(j, d, V.rate(i, j, t) * token(j)))
    out = instantiate(show(number * moved, "==", each(number)), {number: residual})
    gradient = calc(first.lhs, ("==", residual * moved), ("==", first.rhs, out))
    rest = (1 - e(i)) * V(i, j, t)
    square = show(e(i) ** 2 * slope(j, t), "==", e(i) * slope(j, t), selects, e(i) ** 2)
    still = calc(
        derivative(rest, t),
        ("==", e(i) ** 2 * slope(j, t) - e(i) * slope(j, t), flow),
        ("==", 0, square),
    )
    return gradient, antitone(rest, t, still)
