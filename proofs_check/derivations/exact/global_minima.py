"""Global minima of the infinite-prompt risk, in an eigenbasis of the covariance and in every
dimension (Appendix F.3 of Boursier & Boyer).
"""

from __future__ import annotations

from numerics.derivations.derived import chain
from numerics.derivations.rules import arithmetic, assume, integrate, replace, specialise
from numerics.derivations.sorts import POSITIVE, REALS, Sort
from numerics.derivations.statements import Statement
from numerics.derivations.terms import Function, Term, Variable, term
from numerics.derivations.theorems import Theorem
from proofs_check.derivations.exact.eigenbasis import delta, eigenvalues, f, l, summed, swaps
from proofs_check.derivations.exact.matrices import Matrix, d, i, j, matrix, over

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
    at = specialise(least, {W: ((i, j), p(i) * delta(i, j)), v: term(1)})
    one = specialise(swaps, {f: ((i,), l(i))})
    i_l, j_l, l_p_l = delta(i, j) * l(i), delta(i, j) * l(j), l(i) * p(i) * l(i)
    factor, square = delta(i, j) * (l(i) * p(i) - 1) ** 2, delta(i, j) ** 2
    form = lambda e: square * (e * (l(i) * p(i)) - 2 * e + l(i))
    steps = (
        arithmetic(factor * j_l, "==", factor * i_l, one, hide=(i_l, j_l)),
        arithmetic(form(l_p_l), "==", form(l(i)), inverse, hide=(l_p_l, l(i) * p(i))),
        arithmetic(square * (l_p_l - l(i)), "==", 0, inverse, hide=(l_p_l,)),
    )
    entry = chain(summand(lambda x, y: p(x) * delta(x, y), term(1)), *steps)
    return chain(at, integrate("coordinates", (i, j), entry, (d, d)), 0)


def theorem() -> Theorem:
    """The square of an entry is l_j times a summand of the risk, at most the largest eigenvalue
    times it, and the risk is 0.
    """
    one = specialise(swaps, {f: ((i,), l(i))})
    i_l, j_l = delta(i, j) * l(i), delta(i, j) * l(j)
    form = lambda e: (u * l(i) * U(i, j) * l(j) - e) ** 2
    bracket = u * l(i) * U(i, j) - delta(i, j)
    turned, below = (specialise(thm, {i: j}) for thm in (eigenvalues, largest))
    less = arithmetic(l(j) ** 2 * bracket**2, "<=", top * (l(j) * bracket**2), turned, below, hide=(bracket,))
    each = chain(arithmetic(form(i_l), "==", form(j_l), one, hide=(i_l, j_l)), l(j) ** 2 * bracket**2, less)
    total = chain(summed(each), top * twice_risk(U, u))
    return chain(total, replace(total.rhs, attained()), 0)


smallest = assume("S is invertible: every eigenvalue is at least low > 0", low, "<=", l(i), every=(i,))
no_risk = assume("the risk is 0", twice_risk(U, u), "<=", 0)


def line_statement(one: int = 1) -> Statement:
    """Where the risk vanishes, the sum of the squares of the entries of u S U - I is not positive,
    for an invertible S; `one` multiplies the entries of I.
    """
    entries = (u * l(i) * U(i, j) - one * delta(i, j)) ** 2
    return Statement(over((i, j), entries), "<=", term(0), smallest.assumptions | no_risk.assumptions)


def line() -> Theorem:
    """The least eigenvalue times the sum is at most the risk."""
    bracket = u * l(i) * U(i, j) - delta(i, j)
    each = arithmetic(
        bracket**2, "<=", 1 / low * (l(j) * bracket**2), specialise(smallest, {i: j}), hide=(bracket,)
    )
    total = chain(summed(each), 1 / low * twice_risk(U, u))
    return chain(total, replace(total.rhs, no_risk), 0)
