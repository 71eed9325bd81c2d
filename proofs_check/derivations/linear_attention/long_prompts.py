"""The matrix of linear attention with L tokens tends to the covariance (Appendix F.3 of Boursier &
Boyer).
"""

from __future__ import annotations

from numerics.derivations.kernel.binding import bind
from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.rules import assume
from numerics.derivations.kernel.sorts import POSITIVE
from numerics.derivations.kernel.terms import Term, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.linear_attention.matrices import d, dot, i, j, matrix
from proofs_check.derivations.proof import proves

Lambda, delta = matrix("Lambda"), matrix("delta")  # the covariance and the identity
trace = bind("coordinates", (i,), Lambda(i, i), (d,))
eps = Variable("eps", range=POSITIVE)
_excess = Lambda(i, j) + trace * delta(i, j)
size = dot(_excess, _excess)
long_enough = assume("L eps is at least |Lambda + tr(Lambda) I|^2", size, "<=", eps * L)


def gap(one: int = 1) -> Term:
    """|Gamma - Lambda|^2 for Gamma = (1 + 1/L) Lambda + tr(Lambda) I/L, with `one` for the 1 of
    1/L.
    """
    entry = (1 + one / L) * Lambda(i, j) + trace / L * delta(i, j) - Lambda(i, j)
    return dot(entry, entry)


def statements(one: int = 1) -> tuple[Statement, Statement]:
    return Statement(L**2 * gap(one), "==", size), Statement(gap(one), "<=", 1 * eps, long_enough.assumptions)


@proves("BB:F.3.1", statements, part=1)
def square_of_the_gap() -> Theorem:
    return show(L**2 * gap(), "==", size)


@proves("BB:F.3.1", statements, part=2)
def theorem() -> Theorem:
    """As the square of the gap is |Lambda + tr(Lambda) I|^2/L^2, it is at most eps for a long L."""
    return calc(
        gap(), ("==", L**-2 * size), ("<=", L**-2 * (eps * L), long_enough), ("==", eps / L), ("<=", eps)
    )
