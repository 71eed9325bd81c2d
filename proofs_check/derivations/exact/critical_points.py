"""Critical points of the flow in an eigenbasis of the covariance, in every dimension: their height,
how saddles repel, and the fixed point of the limit (our R5, Appendix F.2 of Boursier & Boyer).
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, exp
from numerics.derivations.flows import derivative
from numerics.derivations.rules import arithmetic, assume, begin, fall, integrate, replace, specialise, then
from numerics.derivations.sorts import POSITIVE
from numerics.derivations.statements import Statement
from numerics.derivations.terms import CLOCK, Variable, term
from numerics.derivations.theorems import Theorem
from proofs_check.derivations.exact import reading_off
from proofs_check.derivations.exact.bounded_flow import finite, inverse, m, not_negative, r, sign
from proofs_check.derivations.exact.eigenbasis import (
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
    summed,
    t,
    trace,
    u,
    u_,
)
from proofs_check.derivations.exact.matrices import d, i, j

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


@cache
def height() -> Theorem:
    """The summands, in which l_i r_i m_i = l_i."""
    l_r_m = l(i) * r(i) * m(i)
    form = lambda one: one * (u**2 * l(j) * m(i) * U**2 - 2 * u * (l(j) * delta(i, j) * U))
    each = summed(
        chain(
            w * B**2 - w * delta(i, j) ** 2, arithmetic(form(l_r_m), "==", form(l(i)), inverse, hide=(l_r_m,))
        )
    )
    return chain(E - depth, each, u**2 * Q - 2 * u * mixed)


@cache
def no_excess() -> Theorem:
    """At a critical point u (R - min R) = 0, as u l_i l_j B_ij = 0."""
    field = u * (l(i) * l(j) * B)
    return chain(u * E, summed(arithmetic(r(i) * B * field, "==", 0, at_rest, hide=(field, B))), 0)


def product_of_heights() -> Theorem:
    """2 R - tr S has a factor u, and u (R - min R) = 0."""
    none = no_excess()
    known = arithmetic(E * (E - depth), "==", E * height().rhs, height(), hide=(E - depth, E, height().rhs))
    rest = u * Q - 2 * mixed
    return chain(known, u * E * rest, arithmetic(u * E * rest, "==", 0, none, hide=(u * E, rest)))


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


def no_diagonal() -> Theorem:
    """As tr(SUS) = u Q, the product of R - min R with the sum of l_i^2 U_ii >= 0 is 0, and so is
    that with each summand.
    """
    value = l(i) ** 2 * U_(i, i, t)
    positive = arithmetic(0, "<=", value, in_the_orthant)
    other = specialise(positive, {i: j}).rhs
    gap = chain(arithmetic(0, "<=", (1 - delta(i, j)) ** 2), 1 - 2 * delta(i, j) + delta(i, j) ** 2)
    gap = then(gap, arithmetic(gap.rhs, "==", 1 - delta(i, j), squares, hide=(delta(i, j) ** 2,)))
    less = arithmetic(delta(i, j) * other, "<=", other, gap, specialise(positive, {i: j}), hide=(other,))
    less = chain(delta(i, j) * (l(j) * (l(j) * U_(j, j, t))), less)
    picked = specialise(picks, {f: ((j,), l(j) * U_(j, j, t))})
    part = chain(value, arithmetic(picked.rhs, "==", picked.lhs, picked, hide=(picked.lhs, picked.rhs)))
    part = chain(part, integrate("coordinates", (j,), less, (d,)), tau)
    excess = chain(0, summed(arithmetic(0, "<=", w * B**2, sign(finite), hide=(w, B))), E)
    product = arithmetic(E * value, "<=", E * tau, excess, part, hide=(E, value, tau))
    same = chain(u * Q - mixed, at_rest_too)
    form = -E * (u * Q - mixed) + u * E * Q + E * (tau - mixed)
    traced = reading_off.trace_of_the_product()
    none = arithmetic(form, "==", 0, same, no_excess(), traced, hide=(E, Q, u * E, u * Q - mixed, mixed, tau))
    return chain(product, form, none)


def repel() -> Theorem:
    """The derivative of y = k u + tau is at least k y."""
    traced = reading_off.trace_of_the_product()
    moved_U, moved_u = finite.flow
    diagonal = specialise(moved_U, {j: i})
    each = arithmetic(
        l(i) ** 2 * U_.rate(i, i, t),
        "==",
        u * l(i) ** 4 - u * (u * (l(i) ** 4 * m(i) * U_(i, i, t))),
        diagonal,
        ones,
    )
    of_tau = chain(integrate("coordinates", (i,), each, (d,)), u * K - u * loss)
    of_u = chain(
        moved_u,
        -u * Q + mixed,
        arithmetic(-u * Q + mixed, "==", -u * Q + tau, traced, hide=(Q, mixed, tau)),
    )
    y = k * u + tau
    slope = k * u_.rate(t) + of_tau.lhs
    opaque = (of_tau.lhs, u * K, u * loss, Q, tau)
    moved = arithmetic(slope, "==", k * (-u * Q + tau) + (u * K - u * loss), of_u, of_tau, hide=opaque)
    room = arithmetic(
        0, "<=", K - loss - k * Q - k**2, near[1], _lost(Fraction(1, 2)), rate, hide=(loss, Q, K)
    )
    more = arithmetic(0, "<=", u * room.rhs, near[0], room, hide=(room.rhs,))
    grows = chain(k * y, arithmetic(k * y, "<=", k * y + more.rhs, more, hide=(y, more.rhs)), moved.rhs)
    grows = arithmetic(k * y - slope, "<=", 0, grows, moved, hide=(y, slope, moved.rhs))
    decay, growth = exp(-k * CLOCK(t)), exp(k * CLOCK(t))
    falling = -(decay * y)
    falls = chain(derivative(falling, t), decay * (k * y - slope), replace(decay * (k * y - slope), grows), 0)
    first = arithmetic(at_start(falling), "==", -at_start(y), begin(), hide=(at_start(y),))
    fallen = arithmetic(
        at_start(y), "<=", decay * y, then(fall(falling, t, falls), first), hide=(at_start(y), decay * y)
    )
    return chain(growth * at_start(y), replace(growth * at_start(y), fallen), y)
