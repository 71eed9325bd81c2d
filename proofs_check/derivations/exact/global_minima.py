"""Global minima of the infinite-prompt risk, in an eigenbasis of the covariance and in every
dimension (Appendix F.3 of Boursier & Boyer).
"""

from __future__ import annotations

from collections.abc import Callable

from numerics.derivations.derived import chain
from numerics.derivations.rules import arithmetic, assume, integrate, specialise, then
from numerics.derivations.sorts import REALS, Sort
from numerics.derivations.statements import Statement
from numerics.derivations.terms import Function, Term, Variable, term
from numerics.derivations.theorems import Theorem
from proofs_check.derivations.exact.eigenbasis import IDENTITY, delta, eigenvalues, f, l, picks, squares, swaps
from proofs_check.derivations.exact.matrices import Matrix, a, b, d, i, j, matrix, over

U, W, p = matrix("U"), matrix("W"), Function("p", (Sort.INDEX,))
u, v = Variable("u", range=REALS), Variable("v", range=REALS)
inverse = assume("p are the eigenvalues of S^+: l p l = l", l(i) * p(i) * l(i), "==", l(i), every=(i,))


def summand(X: Matrix, x: Term, row: Variable = i, column: Variable = j) -> Term:
    """l_j (x l_i X_ij - delta_ij)^2, whose sum over i and j is twice the risk."""
    return l(column) * (x * l(row) * X(row, column) - delta(row, column)) ** 2


def twice_risk(X: Matrix, x: Term) -> Term:
    return over((i, j), summand(X, x))


least = assume("(U, u) is a global minimum of the risk", twice_risk(U, u), "<=", twice_risk(W, v), every=(W, v))


def statement(one: int = 1) -> Statement:
    """The square of the entry of u S U S - S is not positive; `one` multiplies the entry of S."""
    given = IDENTITY.union(*(x.assumptions for x in (eigenvalues, inverse, least)))
    return Statement((u * l(i) * U(i, j) * l(j) - one * l(i) * delta(i, j)) ** 2, "<=", term(0), given)


def _below_the_sum(value: Callable[[Variable], Term], positive: Theorem, row: Variable, other: Variable) -> Theorem:
    """A summand of a sum of nonnegative numbers is at most the sum, as 0 <= delta <= 1."""
    one, square = specialise(squares, {i: row, j: other}), delta(row, other) ** 2
    gap = chain(arithmetic(0, "<=", (1 - delta(row, other)) ** 2), 1 - 2 * delta(row, other) + square)
    gap = then(gap, arithmetic(gap.rhs, "==", 1 - delta(row, other), one, hide=(square,)))
    less = arithmetic(delta(row, other) * value(other), "<=", value(other), gap, positive, hide=(value(other),))
    picked = specialise(picks, {i: row, f: ((other,), value(other))})
    back = arithmetic(picked.rhs, "==", picked.lhs, picked, hide=(picked.lhs, picked.rhs))
    return chain(back, integrate("coordinates", (other,), less, (d,)))


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


def _summand_below(risk: Theorem) -> Theorem:
    """A summand is at most what the risk is at most."""
    positive = arithmetic(0, "<=", summand(U, u), specialise(eigenvalues, {i: j}), hide=((u * l(i) * U(i, j) - delta(i, j)),))
    first = _below_the_sum(lambda x: summand(U, u, x, j), specialise(positive, {i: a}), i, a)
    column = chain(0, integrate("coordinates", (a,), specialise(positive, {i: a}), (d,)))
    second = _below_the_sum(lambda y: over((a,), summand(U, u, a, y)), specialise(column, {j: b}), j, b)
    return chain(first, second, risk)


def theorem() -> Theorem:
    """Every summand of the risk is 0, and l_j times it is the square of the entry."""
    none = _summand_below(attained())
    part, top = summand(U, u), specialise(eigenvalues, {i: j})
    product = arithmetic(l(j) * part, "<=", 0, none, top, hide=(part,))
    one = specialise(swaps, {f: ((i,), l(i))})
    i_l, j_l = delta(i, j) * l(i), delta(i, j) * l(j)
    form = lambda e: (u * l(i) * U(i, j) * l(j) - e) ** 2
    return chain(arithmetic(form(i_l), "==", form(j_l), one, hide=(i_l, j_l)), product)


invertible = assume("S is invertible: p l = 1", p(i) * l(i), "==", 1, every=(i,))
positive_inverse = assume("S is invertible: p is positive", 0, "<=", p(i), every=(i,))
no_risk = assume("the risk is 0", twice_risk(U, u), "<=", 0)


def line_statement(one: int = 1) -> Statement:
    """Where the risk vanishes, the square of the entry of u S U - I is not positive, for an
    invertible S; `one` multiplies the entry of I.
    """
    given = IDENTITY.union(*(x.assumptions for x in (eigenvalues, invertible, positive_inverse, no_risk)))
    return Statement((u * l(i) * U(i, j) - one * delta(i, j)) ** 2, "<=", term(0), given)


def line() -> Theorem:
    """A summand divided by l_j is the square of the entry."""
    none = _summand_below(no_risk)
    turned, p_l = specialise(invertible, {i: j}), p(j) * l(j)
    bracket = u * l(i) * U(i, j) - delta(i, j)
    same = arithmetic(p_l * bracket**2, "==", bracket**2, turned, hide=(p_l, bracket))
    product = arithmetic(p(j) * none.lhs, "<=", 0, none, specialise(positive_inverse, {i: j}), hide=(none.lhs,))
    return chain(arithmetic(same.rhs, "==", same.lhs, turned, hide=(p_l, bracket)), product)
