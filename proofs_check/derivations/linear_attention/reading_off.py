"""Products of matrices in an eigenbasis of the covariance, where S and S_L are diagonal, read off
entry by entry in every dimension: the field of the flow, and its risk as a sum of squares.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from numerics.derivations.kernel.rules import assume, instantiate
from numerics.derivations.kernel.terms import Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.linear_attention.bounded_flow import finite, inverse, m, r
from proofs_check.derivations.linear_attention.eigenbasis import (
    IDENTITY,
    U_,
    delta,
    f,
    l,
    pairs,
    picks,
    squares,
    swaps,
    t,
    trace,
    u,
    u_,
)
from proofs_check.derivations.linear_attention.matrices import Law, Matrix, S, a, entry, i, j, matrix, over
from proofs_check.derivations.proof import proves

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
    row = calc(
        D(i, a) * X(a, j),
        ("==", values(i) * (l(i) * delta(i, a)) * X(a, j), instantiate(entries, {j: a})),
        ("==", values(i) * (delta(i, a) * (l(a) * X(a, j))), instantiate(swaps, {j: a, f: ((i,), l(i))})),
    )
    total = calc(
        over((a,), D(i, a) * X(a, j)),
        ("==", values(i) * over((a,), delta(i, a) * (l(a) * X(a, j))), row),
        ("==", l(i) * values(i) * X(i, j), instantiate(picks, {f: ((a,), X(a, j))})),
    )
    return Law((D, X), (lambda x, y: l(x) * values(x) * X(x, y),), total)


def left_by_S(X: Matrix) -> Law:
    return left(S, diagonal[S], lambda _: term(1), X)


def right_by_S(X: Matrix) -> Law:
    """X S: every column of X is multiplied."""
    column = calc(
        X(i, a) * S(a, j),
        ("==", X(i, a) * (l(a) * delta(a, j)), instantiate(diagonal[S], {i: a})),
        ("==", delta(j, a) * (l(a) * X(i, a)), instantiate(symmetric, {i: a})),
    )
    total = calc(
        over((a,), X(i, a) * S(a, j)),
        ("==", over((a,), delta(j, a) * (l(a) * X(i, a))), column),
        ("==", l(j) * X(i, j), instantiate(picks, {i: j, f: ((a,), X(i, a))})),
    )
    return Law((X, S), (lambda x, y: l(y) * X(x, y),), total)


def between(X: Matrix) -> Theorem:
    """The entries of S X S."""
    outer = right_by_S(X)
    return outer.within(left=(S,)).then(left_by_S(outer.new[0])).shown


@cache
def products() -> tuple[Theorem, Theorem]:
    """The entries of S S_L U S and of S S."""
    outer, pair = right_by_S(U), left_by_S(SL)
    rows = show(l(i) * SL(i, j), "==", m(i) * (l(i) * delta(i, j)), diagonal[SL])
    middle = left(pair.new[0], rows, m, outer.new[0])
    long = outer.within(left=(S, SL)).then(pair.within(right=outer.new)).then(middle).shown
    square = calc(
        left_by_S(S).shown,
        ("==", l(i) * (l(i) * delta(i, j)), diagonal[S]),
        ("==", l(i) * (l(j) * delta(i, j)), instantiate(swaps, {f: ((i,), l(i))})),
    )
    return long, square


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
    each = show(U(i, j) * long_word, "==", l(i) * l(j) * m(i) * U(i, j) ** 2, long)
    of = lambda X: show(over((i,), entry((S, X, S), i, i)), "==", tau, instantiate(between(X), {j: i}))
    return show(pairs(U(i, j) * long_word), "==", Q, each), of(U), of(U_transposed)


@proves("OURS:R5.limit/orthant", field_statements, part=1)
def diagonal_equation() -> Theorem:
    """The entries (i, i) of the products, where delta_ii = 1."""
    long, pair, moved = (instantiate(thm, {j: i}) for thm in (*products(), flow[0]))
    rest = u**2 * l(i) ** 2 * m(i) * U(i, i)
    return calc(
        U_.rate(i, i, t) + rest,
        ("==", -(u**2) * long.lhs + u * pair.lhs + rest, moved),
        ("==", u * (l(i) ** 2 * delta(i, i)), long, pair),
        ("==", u * l(i) ** 2, ones),
    )


@cache
def field_of_u() -> Theorem:
    """Both traces of the flow of u."""
    four, _, two = traces()
    return show(flow[1].rhs, "==", -u * Q + tau, four, two)


@cache
def trace_of_the_product() -> Theorem:
    """The sum of l_i l_j delta_ij U_ij is that of l_i^2 U_ii."""
    picked = instantiate(picks, {f: ((j,), U(i, j))})
    return calc(mixed, ("==", trace(l(i) * over((j,), delta(i, j) * (l(j) * U(i, j))))), ("==", tau, picked))


def entries_statements(factor: int = 1) -> tuple[Statement, Statement]:
    """The entries of the field of U, and the field of u as the sum over its summands; `factor`
    multiplies both.
    """
    cell = factor * (l(i) * l(j) * (delta(i, j) - u * (m(i) * U(i, j))))
    return (
        Statement(flow[0].rhs, "==", u * cell, BASIS),
        Statement(flow[1].rhs, "==", pairs(cell * U(i, j)), BASIS),
    )


@proves("OURS:R5.cons/entries", entries_statements, part=1)
def entries_of_U() -> Theorem:
    """The products of matrices, entry by entry."""
    return show(flow[0].rhs, "==", u * (l(i) * l(j) * (delta(i, j) - u * (m(i) * U(i, j)))), *products())


@proves("OURS:R5.cons/entries", entries_statements, part=2)
def entries_of_u() -> Theorem:
    """The traces of the products, where tr(SUS) is a sum over pairs, too."""
    return calc(
        field_of_u(), ("==", -u * Q + mixed, trace_of_the_product()), ("==", entries_statements()[1].rhs)
    )


@proves("OURS:R5.limit/orthant", field_statements, part=2)
def scalar_equation() -> Theorem:
    """The flow of u is -u Q + tau."""
    return calc(u_.rate(t) + Q * u, ("==", flow[1].rhs + Q * u, flow[1]), ("==", tau, field_of_u()))


def square_statement(power: int = 2) -> Statement:
    """2 (R - min R) is the sum of l_i l_j B_ij^2/m_i; `power` stands for the exponent of B_ij."""
    least = trace(l(i) - l(i) ** 2 * r(i))
    return Statement(
        RISK - least, "==", pairs(finite.weight * finite.bracket**power), BASIS | inverse.assumptions
    )


@proves("OURS:R5.limit/square", square_statement)
def square() -> Theorem:
    """The summands are those of the traces."""
    four, two, _ = traces()
    w, B, less = finite.weight, finite.bracket, trace(l(i) - l(i) ** 2 * r(i))
    first = u**2 * l(i) * l(j) * m(i) * U(i, j) ** 2 - 2 * u * (l(i) * l(j) * delta(i, j) * U(i, j))
    each = calc(
        w * B**2,
        ("==", first + l(i) * l(j) * r(i) * delta(i, j) ** 2, inverse, inverse),
        ("==", first + l(i) * l(j) * r(i) * delta(i, j), squares),
    )
    row = over((j,), delta(i, j) * (l(j) * 1))
    of_1 = show(
        trace(l(i) * r(i) * row), "==", trace(l(i) ** 2 * r(i)), instantiate(picks, {f: ((j,), term(1))})
    )
    at_S = calc(S(i, i), ("==", l(i) * delta(i, i), instantiate(diagonal[S], {j: i})), ("==", l(i), ones))
    return calc(
        RISK - less,
        ("==", u**2 * Q - 2 * u * tau + trace(S(i, i)) - less, four, two),
        ("==", u**2 * Q - 2 * u * tau + trace(l(i) ** 2 * r(i)), at_S),
        ("==", u**2 * Q - 2 * u * mixed + trace(l(i) * r(i) * row), trace_of_the_product(), of_1),
        ("==", pairs(w * B**2), each),
    )
