"""Products of matrices in an eigenbasis of the covariance, where S and S_L are diagonal, read off
entry by entry in every dimension: the field of the flow, and its risk as a sum of squares.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from numerics.derivations.derived import chain
from numerics.derivations.rules import arithmetic, assume, integrate, specialise
from numerics.derivations.statements import Statement
from numerics.derivations.terms import Term, Variable, term
from numerics.derivations.theorems import Theorem
from proofs_check.derivations.exact.bounded_flow import finite, inverse, m, r
from proofs_check.derivations.exact.eigenbasis import (
    IDENTITY,
    U_,
    delta,
    f,
    l,
    pairs,
    picks,
    squares,
    summed,
    swaps,
    t,
    trace,
    u,
    u_,
)
from proofs_check.derivations.exact.matrices import Law, Matrix, S, a, d, entry, i, j, matrix, over

SL = matrix("SL")
diagonal = {
    S: assume("S is diagonal", S(i, j), "==", l(i) * delta(i, j), every=(i, j)),
    SL: assume("S_L is diagonal", SL(i, j), "==", m(i) * delta(i, j), every=(i, j)),
}
symmetric = assume("delta is the identity: delta_ij = delta_ji", delta(i, j), "==", delta(j, i), every=(i, j))
ones = assume("delta is the identity: delta_ii = 1", delta(i, i), "==", 1, every=(i,))
BASIS = IDENTITY.union(*(one.assumptions for one in (*diagonal.values(), symmetric, ones)))


def U(x: Variable, y: Variable) -> Term:
    return U_(x, y, t)


def U_transposed(x: Variable, y: Variable) -> Term:
    return U_(y, x, t)


def left(D: Matrix, entries: Theorem, values: Callable[[Variable], Term], X: Matrix) -> Law:
    """D X for a diagonal D_ij = v_i l_i delta_ij: every row of X is multiplied."""
    turned = specialise(swaps, {f: ((i,), l(i))})
    moved = arithmetic(
        values(i) * turned.lhs, "==", values(i) * turned.rhs, turned, hide=(turned.lhs, turned.rhs)
    )
    each = specialise(chain(D(i, j), entries, moved), {j: a})
    row = arithmetic(D(i, a) * X(a, j), "==", each.rhs * X(a, j), each, hide=(X(a, j), each.lhs, each.rhs))
    picked = specialise(picks, {f: ((a,), X(a, j))})
    last = arithmetic(
        values(i) * picked.lhs, "==", values(i) * picked.rhs, picked, hide=(picked.lhs, picked.rhs)
    )
    total = chain(
        over((a,), D(i, a) * X(a, j)), integrate("coordinates", (a,), row, (d,)), values(i) * picked.lhs, last
    )
    new = lambda x, y: l(x) * values(x) * X(x, y)
    return Law((D, X), (new,), chain(total, new(i, j)))


def left_by_S(X: Matrix) -> Law:
    return left(S, diagonal[S], lambda _: term(1), X)


def right_by_S(X: Matrix) -> Law:
    """X S: every column of X is multiplied."""
    each = specialise(diagonal[S], {i: a})
    turned = specialise(symmetric, {i: a})
    column = arithmetic(
        X(i, a) * S(a, j), "==", delta(j, a) * (l(a) * X(i, a)), each, turned, hide=(X(i, a),)
    )
    picked = specialise(picks, {i: j, f: ((a,), X(i, a))})
    total = chain(over((a,), X(i, a) * S(a, j)), integrate("coordinates", (a,), column, (d,)), picked)
    new = lambda x, y: l(y) * X(x, y)
    return Law((X, S), (new,), total)


def between(X: Matrix) -> Theorem:
    """The entries of S X S."""
    outer = right_by_S(X)
    return outer.within(left=(S,)).then(left_by_S(outer.new[0])).shown


@cache
def products() -> tuple[Theorem, Theorem]:
    """The entries of S S_L U S and of S S."""
    outer, pair = right_by_S(U), left_by_S(SL)
    rows = arithmetic(l(i) * SL(i, j), "==", m(i) * (l(i) * delta(i, j)), diagonal[SL])
    middle = left(pair.new[0], rows, m, outer.new[0])
    long = outer.within(left=(S, SL)).then(pair.within(right=outer.new)).then(middle).shown
    square = left_by_S(S).shown
    one = specialise(swaps, {f: ((i,), l(i))})
    last = arithmetic(l(i) * S(i, j), "==", l(i) * (delta(i, j) * l(i)), diagonal[S])
    turned = arithmetic(last.rhs, "==", l(i) * (delta(i, j) * l(j)), one, hide=(one.lhs, one.rhs))
    return long, chain(square, last, turned)


long_word = entry((S, SL, U, S))
flow = (
    assume("the flow of U", U_.rate(i, j, t), "==", -(u**2) * long_word + u * entry((S, S)), every=(i, j, t)),
    assume(
        "the flow of u",
        u_.rate(t),
        "==",
        -u * over((i,), entry((SL, U, S, U_transposed, S), i, i))
        + over((i,), entry((S, U_transposed, S), i, i)),
        every=(t,),
    ),
)
#: The coefficient Q of u in its flow, and tr(SUS).
mixed = pairs(l(i) * l(j) * delta(i, j) * U(i, j))
Q, tau = pairs(l(i) * l(j) * m(i) * U(i, j) ** 2), trace(l(i) ** 2 * U(i, i))
RISK = (
    u**2 * over((i,), entry((U, S, U_transposed, S, SL), i, i))
    - 2 * u * trace(entry((S, U, S), i, i))
    + trace(S(i, i))
)


def field_statements(power: int = 2, factor: int = 1) -> tuple[Statement, Statement]:
    """The diagonal of U, and u, meet linear equations; `power` stands for the exponent of u^2, and
    `factor` multiplies Q.
    """
    diagonal_of_U = U_.rate(i, i, t) + u**power * l(i) ** 2 * m(i) * U(i, i)
    given = BASIS | flow[0].assumptions
    return (
        Statement(diagonal_of_U, "==", u * l(i) ** 2, given),
        Statement(u_.rate(t) + factor * (Q * u), "==", tau, BASIS | flow[1].assumptions),
    )


@cache
def traces() -> tuple[Theorem, Theorem, Theorem]:
    """tr(S S_L U S U') = Q and tr(SUS) = tau = tr(SU'S)."""
    long, _ = products()
    each = arithmetic(U(i, j) * long.lhs, "==", l(i) * l(j) * m(i) * U(i, j) ** 2, long)
    four = integrate("coordinates", (i, j), each, (d, d))
    of = lambda X: chain(integrate("coordinates", (i,), specialise(between(X), {j: i}), (d,)), tau)
    return chain(four, Q), of(U), of(U_transposed)


def diagonal_equation() -> Theorem:
    """The entries (i, i) of the products, where delta_ii = 1."""
    long, pair = (specialise(thm, {j: i}) for thm in products())
    moved = specialise(flow[0], {j: i})
    return arithmetic(field_statements()[0].lhs, "==", u * l(i) ** 2, moved, long, pair, ones)


@cache
def field_of_u() -> Theorem:
    """Both traces of the flow of u."""
    four, _, two = traces()
    form = -u * four.lhs + two.lhs
    return chain(flow[1].rhs, form, arithmetic(form, "==", -u * Q + tau, four, two, hide=(Q, tau)))


@cache
def trace_of_the_product() -> Theorem:
    """The sum of l_i l_j delta_ij U_ij is that of l_i^2 U_ii."""
    picked = specialise(picks, {f: ((j,), U(i, j))})
    row = arithmetic(l(i) * picked.lhs, "==", l(i) * picked.rhs, picked, hide=(picked.lhs,))
    return chain(mixed, integrate("coordinates", (i,), row, (d,)), tau)


def entries_statements(factor: int = 1) -> tuple[Statement, Statement]:
    """The entries of the field of U, and the field of u as the sum over its summands; `factor`
    multiplies both.
    """
    cell = factor * (l(i) * l(j) * (delta(i, j) - u * (m(i) * U(i, j))))
    return (
        Statement(flow[0].rhs, "==", u * cell, BASIS),
        Statement(flow[1].rhs, "==", pairs(cell * U(i, j)), BASIS),
    )


def entries_of_U() -> Theorem:
    """The products of matrices, entry by entry."""
    long, pair = products()
    return arithmetic(flow[0].rhs, "==", entries_statements()[0].rhs, long, pair, hide=(long.lhs, pair.lhs))


def entries_of_u() -> Theorem:
    """The traces of the products, where tr(SUS) is a sum over pairs, too."""
    form = -u * Q + mixed
    named = arithmetic(-u * Q + tau, "==", form, trace_of_the_product(), hide=(Q, tau, mixed))
    return chain(field_of_u(), named, entries_statements()[1].rhs)


def scalar_equation() -> Theorem:
    """The flow of u is -u Q + tau."""
    return arithmetic(u_.rate(t) + Q * u, "==", tau, chain(flow[1], field_of_u()), hide=(Q, tau))


def square_statement(power: int = 2) -> Statement:
    """2 (R - min R) is the sum of l_i l_j B_ij^2/m_i; `power` stands for the exponent of B_ij."""
    least = trace(l(i) - l(i) ** 2 * r(i))
    return Statement(
        RISK - least, "==", pairs(finite.weight * finite.bracket**power), BASIS | inverse.assumptions
    )


def square() -> Theorem:
    """The summands are those of the traces."""
    four, two, _ = traces()
    one = specialise(diagonal[S], {j: i})
    total = integrate("coordinates", (i,), arithmetic(S(i, i), "==", l(i), one, ones), (d,))
    known = u**2 * four.lhs - 2 * u * two.lhs + total.lhs
    left_side = chain(
        RISK, arithmetic(known, "==", u**2 * Q - 2 * u * tau + total.rhs, four, two, total, hide=(Q, tau))
    )
    B, l_r_m, delta2 = finite.bracket, l(i) * r(i) * m(i), delta(i, j) ** 2
    mixed = l(j) * U(i, j) * delta(i, j)
    form = lambda one, two: (
        u**2 * l(j) * m(i) * U(i, j) ** 2 * one - 2 * u * mixed * one + l(i) * l(j) * r(i) * two
    )
    steps = (
        arithmetic(form(l_r_m, delta2), "==", form(l(i), delta2), inverse, hide=(l_r_m,)),
        arithmetic(form(l(i), delta2), "==", form(l(i), delta(i, j)), squares, hide=(delta2,)),
    )
    each = summed(chain(finite.weight * B**2, *steps))
    rows = []
    for values, factor in ((U(i, j), l(i)), (term(1), l(i) * r(i))):
        picked = specialise(picks, {f: ((j,), values)})
        row = arithmetic(factor * picked.lhs, "==", factor * picked.rhs, picked, hide=(picked.lhs,))
        rows.append(integrate("coordinates", (i,), row, (d,)))
    known = u**2 * Q - 2 * u * rows[0].lhs + rows[1].lhs
    named = arithmetic(known, "==", u**2 * Q - 2 * u * rows[0].rhs + rows[1].rhs, *rows, hide=(Q,))
    right_side = chain(each, known, named)
    less = trace(l(i) - l(i) ** 2 * r(i))
    end = chain(left_side.rhs - less, right_side.rhs)
    back = arithmetic(end.rhs, "==", finite.excess, right_side, hide=(end.rhs, finite.excess))
    first = arithmetic(RISK - less, "==", left_side.rhs - less, left_side, hide=(RISK, left_side.rhs, less))
    return chain(first, end, back)
