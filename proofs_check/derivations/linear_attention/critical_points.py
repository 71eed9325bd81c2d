"""Critical points of the flow in an eigenbasis of the covariance, in every dimension: their height,
how saddles repel, and the fixed point of the limit (our R5, Appendix F.2 of Boursier & Boyer).
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import exp
from numerics.derivations.kernel.flows import derivative
from numerics.derivations.kernel.rules import antitone, assume, begin, instantiate
from numerics.derivations.kernel.sorts import POSITIVE
from numerics.derivations.kernel.terms import CLOCK, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.linear_attention import reading_off
from proofs_check.derivations.linear_attention.bounded_flow import finite, inverse, m, not_negative, r, sign
from proofs_check.derivations.linear_attention.eigenbasis import (
    IDENTITY,
    U_,
    U,
    at_start,
    delta,
    eigenvalues,
    f,
    l,
    pairs,
    picks,
    squares,
    t,
    trace,
    u,
    u_,
)
from proofs_check.derivations.linear_attention.matrices import i, j, over
from proofs_check.derivations.proof import proves

B, E, w = finite.bracket, finite.excess, finite.weight
at_rest = assume("the field of U is 0", u * (l(i) * l(j) * B), "==", 0, every=(i, j, t))
Q, mixed = pairs(l(i) * l(j) * m(i) * U**2), pairs(l(i) * l(j) * delta(i, j) * U)
#: The sum of l_i^2/m_i, which is tr S - 2 min R.
depth = pairs(w * delta(i, j) ** 2)


def height_statements(two: int = 2, one: int = 1) -> tuple[Statement, Statement]:
    """2 R - tr S = u^2 Q - 2 u tr(SUS); and at a critical point (R - min R)(2 R - tr S) = 0. Here
    `two` stands for the 2 before u, and `one` multiplies tr S - 2 min R.
    """
    critical = inverse.assumptions | at_rest.assumptions
    return (
        Statement(E - depth, "==", u**2 * Q - two * u * mixed, inverse.assumptions),
        Statement(E * (E - one * depth), "==", term(0), critical),
    )


@proves("OURS:R5.limit/critical", height_statements, part=1)
@cache
def height() -> Theorem:
    """The summands, in which l_i r_i m_i = l_i."""
    summand = l(i) * l(j) * m(i) * (u * U) ** 2 - 2 * u * (l(i) * l(j) * delta(i, j) * U)
    each = show(w * B**2 - w * delta(i, j) ** 2, "==", summand, inverse, inverse)
    return show(E - depth, "==", u**2 * Q - 2 * u * mixed, each)


@proves("OURS:R5.limit/critical", height_statements, part=2)
def product_of_heights() -> Theorem:
    """2 R - tr S has a factor u, and u (R - min R) = 0."""
    return calc(
        E * (E - depth),
        ("==", E * height().rhs, height(), E - depth, E, height().rhs),
        ("==", u * E * (u * Q - 2 * mixed)),
        ("==", 0, no_excess(), u * E, Q, mixed),
    )


# How saddles repel.

q, k = (Variable(name, range=POSITIVE) for name in "qk")
K, tau, loss = trace(l(i) ** 4), trace(l(i) ** 2 * U_(i, i, t)), u * trace(l(i) ** 4 * m(i) * U_(i, i, t))
near = (
    assume("the flow is in the orthant: u >= 0", 0, "<=", u, every=(t,)),
    assume("near the saddle: Q <= q", Q, "<=", q, every=(t,)),
)


def _lost(half: int | Fraction) -> Theorem:
    return assume("near the saddle: u sum_i l_i^4 m_i U_ii is small", loss, "<=", half * K, every=(t,))


rate = assume("K = 2 (k^2 + k q)", K, "==", 2 * (k**2 + k * q))
ones = reading_off.ones


at_rest_too = assume("the field of u is 0", pairs(l(i) * l(j) * B * U), "==", 0, every=(t,))
in_the_orthant = assume("the diagonal of U is not negative", 0, "<=", U_(i, i, t), every=(i, t))


def repel_statements(
    half: int | Fraction = Fraction(1, 2), one: int = 1
) -> tuple[Statement, Statement, Statement]:
    """At a critical point of the orthant that is no minimum, u = 0 and l_i^2 U_ii = 0: both have a
    product with R - min R that is not positive. And near such a point k u + sum_i l_i^2 U_ii grows
    at least like e^{kt}. Here `half` stands for the 1/2 of what is near, and the 0 of both products
    is (1 - `one`) (R - min R).
    """
    given = (*finite.flow, *near, _lost(half), rate, ones)
    critical = IDENTITY.union(
        *(x.assumptions for x in (at_rest, at_rest_too, in_the_orthant, inverse, not_negative, eigenvalues))
    )
    grown = at_start(k * u + tau) * exp(k * CLOCK(t))
    return (
        Statement(u * E, "==", (1 - one) * E, at_rest.assumptions),
        Statement(E * (l(i) ** 2 * U_(i, i, t)), "<=", (1 - one) * E, critical),
        Statement(grown, "<=", k * u + tau, IDENTITY.union(*(x.assumptions for x in given))),
    )


@proves("OURS:R5.limit/repel", repel_statements, part=1)
@cache
def no_excess() -> Theorem:
    """At a critical point u (R - min R) = 0, as u l_i l_j B_ij = 0."""
    field = u * (l(i) * l(j) * B)
    return calc(
        u * E, ("==", pairs(r(i) * B * field)), ("==", 0, show(r(i) * B * field, "==", 0, at_rest, field, B))
    )


@proves("OURS:R5.limit/repel", repel_statements, part=2)
def no_diagonal() -> Theorem:
    """As tr(SUS) = u Q, the product of R - min R with the sum of l_i^2 U_ii >= 0 is 0, and so is
    that with each summand.
    """
    value, other = l(i) ** 2 * U_(i, i, t), l(j) ** 2 * U_(j, j, t)
    positive = show(0, "<=", other, instantiate(in_the_orthant, {i: j}))
    gap = calc(0, ("<=", (1 - delta(i, j)) ** 2), ("==", 1 - delta(i, j), squares))
    less = show(delta(i, j) * other, "<=", other, gap, positive, other)
    part = calc(
        value,
        ("==", over((j,), delta(i, j) * other), instantiate(picks, {f: ((j,), l(j) * U_(j, j, t))})),
        ("<=", tau, less),
    )
    excess = show(0, "<=", E, show(0, "<=", w * B**2, sign(finite), w, B))
    same = show(mixed, "==", u * Q, at_rest_too)
    return calc(
        E * value,
        ("<=", E * tau, excess, part, E, value, tau),
        ("==", E * mixed, reading_off.trace_of_the_product(), E, mixed, tau),
        ("==", E * (u * Q), same, E, mixed, u * Q),
        ("==", u * E * Q),
        ("==", 0, no_excess(), u * E, Q),
    )


@proves("OURS:R5.limit/repel", repel_statements, part=3)
def repel() -> Theorem:
    """The derivative of y = k u + tau is at least k y."""
    y, slope = k * u + tau, k * u_.rate(t) + trace(l(i) ** 2 * U_.rate(i, i, t))
    moved_U, moved_u = finite.flow
    each = show(
        l(i) ** 2 * U_.rate(i, i, t),
        "==",
        u * l(i) ** 4 - u**2 * (l(i) ** 4 * m(i) * U_(i, i, t)),
        instantiate(moved_U, {j: i}),
        ones,
    )
    room = show(0, "<=", K - loss - k * Q - k**2, _lost(Fraction(1, 2)), rate, near[1])
    grows = calc(
        k * y,
        ("<=", k * y + u * room.rhs, show(0, "<=", u * room.rhs, near[0], room, room.rhs)),
        ("==", k * (-u * Q + tau) + u * K - u * loss),
        ("==", k * (-u * Q + mixed) + u * K - u * loss, reading_off.trace_of_the_product()),
        ("==", slope, moved_u, each),
    )
    decay, growth = exp(-k * CLOCK(t)), exp(k * CLOCK(t))
    falls = calc(derivative(-(decay * y), t), ("==", decay * (k * y - slope)), ("<=", 0, grows))
    fallen = calc(antitone(-(decay * y), t, falls), ("==", -at_start(y), begin()))
    return calc(at_start(y) * growth, ("<=", growth * (decay * y), fallen), ("==", y))
