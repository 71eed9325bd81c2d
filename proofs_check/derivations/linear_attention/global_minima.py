"""Global minima of the infinite-prompt risk, in an eigenbasis of the covariance and in every
dimension (Appendix F.3 of Boursier & Boyer).
"""

from __future__ import annotations

from numerics.derivations.kernel.rules import assume, instantiate
from numerics.derivations.kernel.sorts import POSITIVE, REALS, Sort
from numerics.derivations.kernel.terms import Function, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.linear_attention.eigenbasis import delta, eigenvalues, f, l, swaps
from proofs_check.derivations.linear_attention.matrices import Matrix, i, j, matrix, over
from proofs_check.derivations.proof import proves

U, W, p = matrix("U"), matrix("W"), Function("p", (Sort.INDEX,))
u, v = Variable("u", range=REALS), Variable("v", range=REALS)
top, low = Variable("top", range=POSITIVE), Variable("low", range=POSITIVE)
inverse = assume("p are the eigenvalues of S^+: l p l = l", l(i) * p(i) * l(i), "==", l(i), every=(i,))
largest = assume("top is at least every eigenvalue", l(i), "<=", top, every=(i,))


def summand(X: Matrix, x: Term) -> Term:
    """l_j (x l_i X_ij - delta_ij)^2, whose sum over i and j is twice the risk."""
    return l(j) * (x * l(i) * X(i, j) - delta(i, j)) ** 2


def twice_risk(X: Matrix, x: Term) -> Term:
    return over((i, j), summand(X, x))


least = assume(
    "(U, u) is a global minimum of the risk", twice_risk(U, u), "<=", twice_risk(W, v), every=(W, v)
)


def statement(one: int = 1) -> Statement:
    """The sum of the squares of the entries of u S U S - S is not positive; `one` multiplies the
    entries of S.
    """
    given = swaps.assumptions.union(*(x.assumptions for x in (eigenvalues, inverse, largest, least)))
    entries = (u * l(i) * U(i, j) * l(j) - one * l(i) * delta(i, j)) ** 2
    return Statement(over((i, j), entries), "<=", term(0), given)


def attained() -> Theorem:
    """The risk of a global minimum is at most that of U = S^+ and u = 1, which is 0."""
    one, square = delta(i, j), delta(i, j) ** 2
    entry = calc(
        summand(lambda x, y: p(x) * delta(x, y), term(1)),
        ("==", one * (l(i) * p(i) - 1) ** 2 * (one * l(i)), instantiate(swaps, {f: ((i,), l(i))})),
        ("==", square * (l(i) ** 2 * p(i) - 2 * (l(i) * p(i) * l(i)) + l(i)), inverse),
        ("==", square * (l(i) - l(i) * p(i) * l(i)), inverse),
        ("==", 0, inverse),
    )
    at = instantiate(least, {W: ((i, j), p(i) * delta(i, j)), v: term(1)})
    return calc(at, ("==", 0, entry))


@proves("BB:F.3.2", statement)
def theorem() -> Theorem:
    """The square of an entry is l_j times a summand of the risk, at most the largest eigenvalue
    times it, and the risk is 0.
    """
    entry, bracket = u * l(i) * U(i, j) * l(j), u * l(i) * U(i, j) - delta(i, j)
    i_l, j_l = delta(i, j) * l(i), delta(i, j) * l(j)
    turned, below = (instantiate(thm, {i: j}) for thm in (eigenvalues, largest))
    each = calc(
        (entry - i_l) ** 2,
        ("==", (entry - j_l) ** 2, instantiate(swaps, {f: ((i,), l(i))}), i_l, j_l),
        ("==", l(j) ** 2 * bracket**2),
        ("<=", top * (l(j) * bracket**2), turned, below, bracket),
    )
    return calc(statement().lhs, ("<=", top * twice_risk(U, u), each), ("<=", 0, attained()))


smallest = assume("S is invertible: every eigenvalue is at least low > 0", low, "<=", l(i), every=(i,))
no_risk = assume("the risk is 0", twice_risk(U, u), "<=", 0)


def line_statement(one: int = 1) -> Statement:
    """Where the risk vanishes, the sum of the squares of the entries of u S U - I is not positive,
    for an invertible S; `one` multiplies the entries of I.
    """
    entries = (u * l(i) * U(i, j) - one * delta(i, j)) ** 2
    return Statement(over((i, j), entries), "<=", term(0), smallest.assumptions | no_risk.assumptions)


@proves("OURS:R6.valley/scores", line_statement)
def line() -> Theorem:
    """The least eigenvalue times the sum is at most the risk."""
    bracket = u * l(i) * U(i, j) - delta(i, j)
    each = show(bracket**2, "<=", 1 / low * (l(j) * bracket**2), instantiate(smallest, {i: j}), bracket)
    return calc(line_statement().lhs, ("<=", 1 / low * twice_risk(U, u), each), ("<=", 0, no_risk))
