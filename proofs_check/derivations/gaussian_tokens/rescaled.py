"""The query x at the matrix U and the query x/kappa at kappa U: one score, with the bounds that
Assumption 4.2 asks for.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import exp
from numerics.derivations.kernel.binding import bind
from numerics.derivations.kernel.flows import derivative
from numerics.derivations.kernel.rules import assume, instantiate
from numerics.derivations.kernel.sorts import POSITIVE, Sort
from numerics.derivations.kernel.terms import Function, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement
from numerics.derivations.tactics import show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.softmax_average.query_average import U, l, norm_U, operator_norm
from proofs_check.derivations.softmax_average.softmax_average import a, d, i, j, over, v
from proofs_check.derivations.softmax_average.tilted import query, y

kappa, t = Variable("kappa", range=POSITIVE), Variable("t", Sort.TIME)
#: A path of matrices, whose speeds are the directions in which a gradient is asked for.
path = Function("W", (Sort.INDEX, Sort.INDEX, Sort.TIME), Fraction(1))
b = Function("b", (Sort.INDEX,))


@cache
def sub_gaussian() -> Theorem:
    """E e^{v.x} <= e^{kappa^2 |v|^2/2} for every v: the query is kappa-sub-Gaussian."""
    X = bind("query", (query,), exp(over(j, d, v(j) * y(j, query))))
    return assume("kappa-sub-Gaussian query", X, "<=", exp(kappa**2 * over(j, d, v(j) ** 2) / 2), every=(v,))


def score(matrix: Term, scale: Term) -> Term:
    """z'(U x) with terms in j and l for the entries of U, at scale times x."""
    return over(j, d, a(j) * over(l, d, matrix * (scale * y(l, query))))


def statements(power: int = 1) -> tuple[Statement, ...]:
    """For x/kappa^power and kappa U: the score is z'Ux, the query is 1-sub-Gaussian, the norm of
    kappa U is at most kappa^power |U|, and the slope of the score in any direction is that of z'Ux
    over kappa.
    """
    small = kappa ** (-power)
    direct = derivative(score(path(j, l, t), term(1)), t)
    query_ = bind("query", (query,), exp(over(j, d, v(j) * (small * y(j, query)))))
    image = over(i, d, over(l, d, kappa * U(i, l) * b(l)) ** 2)
    return (
        Statement(score(kappa * U(j, l), small), "==", score(U(j, l), term(1))),
        Statement(query_, "<=", exp(over(j, d, v(j) ** 2) / 2), sub_gaussian().assumptions),
        Statement(
            image,
            "<=",
            kappa ** (2 * power) * norm_U**2 * over(l, d, b(l) ** 2),
            operator_norm(U, norm_U, d).assumptions,
        ),
        Statement(kappa * derivative(score(path(j, l, t), small), t), "==", direct),
    )


@proves("OURS:T5.2/scale", statements, part=(1, 2, 3, 4))
@cache
def theorems() -> tuple[Theorem, ...]:
    """The factors cancel, and the hypothesis is used at v/kappa."""
    at = instantiate(sub_gaussian(), {v: ((j,), v(j) / kappa)})
    known = ((), (at,), (operator_norm(U, norm_U, d),), ())
    return tuple(show(goal.lhs, goal.op, goal.rhs, *given) for goal, given in zip(statements(), known))
