"""R5: a positive semidefinite U(0) is in the orthant, and tr(S U(0) S) is positive unless S U(0) S
is 0.
"""

from __future__ import annotations

from functools import cache

from numerics.derivations.derived import integrated, symm
from numerics.derivations.kernel.rules import assume, instantiate
from numerics.derivations.kernel.sorts import REALS
from numerics.derivations.kernel.terms import START, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.features.steps import product, times
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
    trace,
)
from proofs_check.derivations.linear_attention.matrices import a, b, d, i, j, over
from proofs_check.derivations.proof import proves

first = lambda x, y: U_(x, y, START)
semidefinite = assume("U(0) is positive semidefinite", 0, "<=", pairs(f(i) * f(j) * first(i, j)), every=(f,))
symmetric = assume("U(0) is symmetric", first(i, j), "==", first(j, i), every=(i, j))
value = lambda x, y: l(x) * l(y) * first(x, y)
s = Variable("s_", range=REALS)


@cache
def picked(x: Variable, y: Variable) -> Theorem:
    """sum_ij delta_xi l_i delta_yj l_j U_ij is l_x l_y U_xy."""
    inner = instantiate(picks, {i: y, f: ((j,), first(i, j))})
    return calc(
        pairs(delta(x, i) * l(i) * (delta(y, j) * l(j)) * first(i, j)),
        ("==", over((i,), delta(x, i) * (l(i) * inner.lhs))),
        ("==", over((i,), delta(x, i) * (l(i) * inner.rhs)), inner),
        ("==", over((j,), delta(x, j) * (l(j) * (l(y) * first(j, y))))),
        ("==", value(x, y), instantiate(picks, {i: x, f: ((j,), l(y) * first(j, y))})),
    )


@cache
def cut() -> Theorem:
    """0 <= W_aa + s (W_ab + W_ba) + s^2 W_bb for W = S U(0) S and every number s."""
    chosen = delta(a, i) * l(i) + s * (delta(b, i) * l(i))
    sums = picked(a, a), picked(a, b), picked(b, a), picked(b, b)
    one, two, three, four = (thm.lhs for thm in sums)
    return calc(
        instantiate(semidefinite, {f: ((i,), chosen)}),
        ("==", one + s * two + s * three + s**2 * four),
        (
            "==",
            value(a, a) + s * value(a, b) + s * value(b, a) + s**2 * value(b, b),
            *sums,
            one,
            two,
            three,
            four,
        ),
    )


@cache
def diagonal() -> Theorem:
    """0 <= W_ii."""
    return calc(instantiate(cut(), {s: 0, a: i, b: i}), ("==", l(i) ** 2 * first(i, i)))


@cache
def square_of_an_entry() -> Theorem:
    """W_ij^2 <= (W_ii^2 + W_jj^2)/2, as 2 |W_ij| <= W_ii + W_jj."""
    W_i, W_j, W = value(i, i), value(j, j), value(i, j)
    turned = calc(value(j, i), ("==", l(i) * l(j) * first(j, i)), ("==", W, symmetric, l(i), l(j)))
    above, under = (
        calc(
            instantiate(cut(), {s: n, a: i, b: j}),
            ("==", W_i + W_j + n * W + n * value(j, i)),
            ("==", W_i + W_j + 2 * n * W, turned, W_i, W_j, W, value(j, i)),
        )
        for n in (1, -1)
    )
    both = calc(product(above.rhs, under.rhs, above, under), ("==", (W_i + W_j) ** 2 - 4 * W**2, W_i, W_j, W))
    return show(W**2, "<=", (W_i**2 + W_j**2) / 2, both, W_i, W_j, W)


trace_of_W, entries_of_W = trace(l(i) ** 2 * first(i, i)), pairs(value(i, j) ** 2)


@cache
def trace_is_not_0() -> Theorem:
    """|W|^2 <= d tr(W)^2, as no W_ii is negative."""
    W_i, W_j = (l(x) ** 2 * first(x, x) for x in (i, j))
    W_j_positive = instantiate(diagonal(), {i: j})
    one = calc(0, ("<=", (1 - delta(i, j)) ** 2), ("==", 1 - delta(i, j), squares))
    less = show(delta(i, j), "<=", 1, one)
    square = calc(
        W_i**2,
        ("==", l(i) * (l(i) * first(i, i) * W_i)),
        (
            "==",
            over((j,), delta(i, j) * (l(j) * (l(j) * first(j, j) * W_j))),
            symm(instantiate(picks, {f: ((j,), l(j) * first(j, j) * W_j)})),
        ),
        ("==", over((j,), delta(i, j) * W_j * W_j)),
        ("==", over((j,), delta(i, j) * W_i * W_j), symm(instantiate(swaps, {f: ((i,), W_i)}))),
        (
            "<=",
            over((j,), 1 * (W_i * W_j)),
            times(W_i * W_j, less, product(W_i, W_j, diagonal(), W_j_positive)),
        ),
    )
    return calc(
        entries_of_W,
        ("<=", pairs((value(i, i) ** 2 + value(j, j) ** 2) / 2), square_of_an_entry()),
        ("==", d * trace(W_i**2)),
        ("<=", d * trace(square.rhs), times(d, integrated("coordinates", (i,), square, heads=(d,)))),
        ("==", d * trace_of_W**2),
    )


def statements(sign: int = 1) -> tuple[Statement, Statement]:
    """The sign multiplies the diagonal and the trace, which are not negative."""
    psd = IDENTITY | hypotheses(semidefinite)
    return (
        Statement(term(0), "<=", sign * (l(i) ** 2 * first(i, i)), psd),
        Statement(entries_of_W, "<=", sign * (d * trace_of_W**2), psd | hypotheses(symmetric)),
    )


proves("OURS:R5.limit/semidefinite", statements, part=1)(diagonal)
proves("OURS:R5.limit/semidefinite", statements, part=2)(trace_is_not_0)
