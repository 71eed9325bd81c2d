"""The fixed point to which the flow leads, in matrices of every dimension, and that only one has
the conserved values (our R5, Appendix F.2 of Boursier & Boyer).
"""

from __future__ import annotations

from functools import cache

from numerics.derivations.kernel.rules import assume, instantiate
from numerics.derivations.kernel.sorts import POSITIVE, REALS
from numerics.derivations.kernel.terms import Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.linear_attention.bounded_flow import inverse, m, r
from proofs_check.derivations.linear_attention.eigenbasis import (
    U,
    delta,
    f,
    h,
    in_range,
    l,
    pairs,
    swaps,
    t,
    u,
    zero_or_one,
)
from proofs_check.derivations.linear_attention.matrices import i, j, matrix
from proofs_check.derivations.linear_attention.reading_off import (
    BASIS,
    field_of_u,
    flow,
    mixed,
    products,
    tau,
    trace_of_the_product,
)
from proofs_check.derivations.proof import proves

gamma = Variable("gamma", range=POSITIVE)
W = matrix("W")
inside, outside = gamma * delta(i, j) * h(i) * r(i), W(i, j) - h(i) * h(j) * W(i, j)
RANGE = in_range.assumptions | zero_or_one.assumptions | inverse.assumptions
scale = assume("u = 1/gamma", u * gamma, "==", 1, every=(t,))


def end(factor: int = 1) -> Theorem:
    """U is gamma S_L^-1 S S^+ + P(W), in an eigenbasis; `factor` multiplies the first term."""
    return assume("U = gamma S_L^-1 S S^+ + P(W)", U, "==", factor * inside + outside, every=(i, j, t))


def statements(factor: int = 1) -> tuple[Statement, Statement, Statement]:
    """The field vanishes, and |U|^2 is the sum of the squares of its two terms."""
    given = BASIS | RANGE | scale.assumptions | end(factor).assumptions
    return (
        Statement(flow[0].rhs, "==", term(0), given),
        Statement(flow[1].rhs, "==", term(0), given),
        Statement(
            pairs((factor * inside + outside) ** 2), "==", pairs(inside**2) + pairs(outside**2), BASIS | RANGE
        ),
    )


#: One scale only.
T, x, y = (Variable(name, range=POSITIVE) for name in "Txy")
e = Variable("e", range=REALS)
_root = lambda z: assume(f"{z} is a positive root", T * z**2 - e * z - 1, "==", 0)
ROOTS = _root(x), _root(y)


def unique_statement(one: int = 1) -> Statement:
    """Two positive roots of T x^2 - e x - 1 are equal; `one` multiplies the second."""
    return Statement(x, "==", one * y, ROOTS[0].assumptions | ROOTS[1].assumptions)


def our_statements(factor: int = 1, one: int = 1) -> tuple[Statement, ...]:
    """The fixed point, and that there is only one scale."""
    return *statements(factor), unique_statement(one)


@cache
def seen() -> Theorem:
    """l_i m_i l_j U_ij = gamma l_i l_j delta_ij."""
    one, left, right, l_r_m = gamma * delta(i, j) * l(j), h(i) * l(i), h(j) * l(j), l(i) * r(i) * m(i)
    return calc(
        l(i) * m(i) * l(j) * U,
        ("==", l(i) * m(i) * l(j) * (inside + outside), end()),
        ("==", one * left * (r(i) * m(i)) + m(i) * W(i, j) * (l(i) * l(j) - left * right)),
        ("==", one * l_r_m + m(i) * W(i, j) * (l(i) * l(j) - l(i) * right), in_range),
        ("==", one * l_r_m, instantiate(in_range, {i: j})),
        ("==", one * l(i), inverse),
    )


@proves("BB:F.2.Zh/fixed_point", statements, part=(1, 2, 3))
@proves("OURS:R5.limit/fixed_point", our_statements, part=(1, 2, 3))
@cache
def stands_still() -> tuple[Theorem, Theorem, Theorem]:
    """Both parts of the field have the factor 1 - u gamma."""
    long, pair = products()
    weights, one = l(i) * l(j) * delta(i, j), u * gamma
    of_U = calc(
        flow[0].rhs,
        ("==", -(u**2) * (l(i) * m(i) * l(j) * U) + u * weights, long, pair),
        ("==", -(u**2) * gamma * weights + u * weights, seen()),
        ("==", 0, scale),
    )
    each = show(l(i) * l(j) * m(i) * U**2, "==", gamma * (weights * U), seen())
    of_u = calc(
        field_of_u(),
        ("==", -u * gamma * mixed + tau, each),
        ("==", tau * (1 - one), trace_of_the_product()),
        ("==", 0, scale),
    )
    return of_U, of_u, _orthogonal()


def _orthogonal() -> Theorem:
    """delta_ij h_i = delta_ij h_j, so that delta_ij h_i (1 - h_i h_j) = 0."""
    one, factor = delta(i, j) * h(i), gamma * r(i) * W(i, j)
    none = calc(
        inside * outside,
        ("==", factor * (one - h(i) ** 2 * (delta(i, j) * h(j)))),
        ("==", factor * (one - h(i) ** 2 * one), instantiate(swaps, {f: ((i,), h(i))})),
        ("==", factor * (one - h(i) * one), zero_or_one),
        ("==", 0, zero_or_one),
    )
    squares = pairs(inside**2) + pairs(outside**2)
    return calc(
        pairs((inside + outside) ** 2), ("==", squares + 2 * pairs(inside * outside)), ("==", squares, none)
    )


@proves("OURS:R5.limit/fixed_point", our_statements, part=4)
def unique() -> Theorem:
    """y (T x^2 - e x - 1) - x (T y^2 - e y - 1) = (x - y)(T x y + 1)."""
    first, second = ROOTS[0].lhs, ROOTS[1].lhs
    return calc(
        x, ("==", y + 1 / (T * x * y + 1) * (y * first - x * second)), ("==", y, *ROOTS, first, second)
    )
