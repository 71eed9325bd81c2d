"""The fixed point to which the flow leads, in matrices of every dimension, and that only one has
the conserved values (our R5, Appendix F.2 of Boursier & Boyer).
"""

from __future__ import annotations

from functools import cache

from numerics.derivations.derived import chain
from numerics.derivations.rules import arithmetic, assume, integrate, specialise, then
from numerics.derivations.sorts import POSITIVE, REALS
from numerics.derivations.statements import Statement
from numerics.derivations.terms import Variable, term
from numerics.derivations.theorems import Theorem
from proofs_check.derivations.exact.bounded_flow import inverse, m, r
from proofs_check.derivations.exact.eigenbasis import (
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
from proofs_check.derivations.exact.matrices import d, i, j, matrix
from proofs_check.derivations.exact.reading_off import (
    BASIS,
    Q,
    field_of_u,
    flow,
    products,
    tau,
    trace_of_the_product,
)

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


@cache
def seen() -> Theorem:
    """l_i m_i l_j U_ij = gamma l_i l_j delta_ij."""
    left, right, l_r_m = h(i) * l(i), h(j) * l(j), l(i) * r(i) * m(i)
    turned = specialise(in_range, {i: j})
    form = lambda a, b, c: gamma * delta(i, j) * l(j) * h(i) * c + m(i) * W(i, j) * (l(i) * l(j) - a * b)
    steps = (
        arithmetic(l(i) * m(i) * l(j) * U, "==", l(i) * m(i) * l(j) * (inside + outside), end()),
        arithmetic(
            form(left, right, l_r_m),
            "==",
            form(l(i), l(j), l(i)),
            in_range,
            turned,
            inverse,
            hide=(left, right, l_r_m),
        ),
        arithmetic(
            gamma * delta(i, j) * l(j) * left, "==", gamma * delta(i, j) * l(j) * l(i), in_range, hide=(left,)
        ),
    )
    return chain(*steps, gamma * l(i) * l(j) * delta(i, j))


def stands_still() -> tuple[Theorem, Theorem, Theorem]:
    """Both parts of the field have the factor 1 - u gamma."""
    long, pair = products()
    long, weights, one = chain(long, seen()), l(i) * l(j) * delta(i, j), u * gamma
    form = u * weights * (1 - one)
    words = arithmetic(
        flow[0].rhs, "==", -(u**2) * long.rhs + u * pair.rhs, long, pair, hide=(long.rhs, pair.rhs)
    )
    of_U = chain(words, form, arithmetic(form, "==", 0, scale, hide=(one, weights)))
    each = arithmetic(
        U * (l(i) * m(i) * l(j) * U), "==", U * seen().rhs, seen(), hide=(seen().lhs, seen().rhs)
    )
    squares = chain(Q, integrate("coordinates", (i, j), each, (d, d)), gamma * trace_of_the_product().lhs)
    known = squares, trace_of_the_product()
    total = chain(field_of_u(), arithmetic(-u * Q + tau, "==", tau * (1 - one), *known))
    return of_U, then(total, arithmetic(total.rhs, "==", 0, scale, hide=(one, tau))), _orthogonal()


def _orthogonal() -> Theorem:
    """delta_ij h_i = delta_ij h_j, so that delta_ij h_i (1 - h_i h_j) = 0."""
    turned, square = specialise(swaps, {f: ((i,), h(i))}), h(i) ** 2
    one, other = delta(i, j) * h(i), delta(i, j) * h(j)
    factor = gamma * r(i) * W(i, j)
    steps = (
        arithmetic(
            factor * (one - square * other),
            "==",
            factor * (one - square * one),
            turned,
            hide=(one, other, square),
        ),
        arithmetic(
            factor * one * (1 - square), "==", factor * (one - one * h(i)), zero_or_one, hide=(one, square)
        ),
        arithmetic(factor * delta(i, j) * (h(i) - square), "==", 0, zero_or_one, hide=(square,)),
    )
    none = chain(
        pairs(inside * outside), integrate("coordinates", (i, j), chain(inside * outside, *steps), (d, d)), 0
    )
    squares = pairs(inside**2) + pairs(outside**2)
    form = squares + 2 * none.lhs
    return chain(pairs((inside + outside) ** 2), form, arithmetic(form, "==", squares, none))


# One scale only.

T, x, y = (Variable(name, range=POSITIVE) for name in "Txy")
e = Variable("e", range=REALS)
_root = lambda z: assume(f"{z} is a positive root", T * z**2 - e * z - 1, "==", 0)
ROOTS = _root(x), _root(y)


def unique_statement(one: int = 1) -> Statement:
    """Two positive roots of T x^2 - e x - 1 are equal; `one` multiplies the second."""
    return Statement(x, "==", one * y, ROOTS[0].assumptions | ROOTS[1].assumptions)


def unique() -> Theorem:
    """y (T x^2 - e x - 1) - x (T y^2 - e y - 1) = (x - y)(T x y + 1)."""
    first, second = (thm.lhs for thm in ROOTS)
    weight = 1 / (T * x * y + 1)
    form = y + weight * (y * first - x * second)
    same = arithmetic(x, "==", form)
    return then(same, arithmetic(form, "==", y, *ROOTS, hide=(first, second)))
