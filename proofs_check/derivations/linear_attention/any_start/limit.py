"""R5: the limit of the flow of linear attention from every start in the orthant with u(0) +
tr(S U(0) S) > 0, with an exponential rate, for infinite and finite prompts.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import exp
from numerics.derivations.kernel.flows import derivative
from numerics.derivations.kernel.rules import antitone, assume, begin, instantiate
from numerics.derivations.kernel.sorts import POSITIVE, Sort
from numerics.derivations.kernel.terms import START, Function, Term, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.features.steps import product, scaled, times
from proofs_check.derivations.linear_attention.any_start.away_from_0 import (
    beta,
    integral,
    low,
    lowest,
    room,
    u_at_least,
)
from proofs_check.derivations.linear_attention.any_start.orthant import (
    in_the_ball,
    largest,
    now,
    orthant,
    starts,
)
from proofs_check.derivations.linear_attention.bounded_flow import (
    balance_is_kept,
    finite,
    first_risk,
    law,
    least,
    m,
    not_negative,
    q,
    r,
    seen,
    sign,
    trace_of,
)
from proofs_check.derivations.linear_attention.eigenbasis import (
    IDENTITY,
    U_,
    U,
    at_start,
    delta,
    f,
    h,
    in_range,
    l,
    pairs,
    picks,
    squares,
    swaps,
    t,
    trace,
    u,
    u_,
    zero_or_one,
)
from proofs_check.derivations.linear_attention.matrices import i, j
from proofs_check.derivations.linear_attention.rate_of_the_limit import between_the_squares, masked
from proofs_check.derivations.linear_attention.reading_off import ones
from proofs_check.derivations.proof import proves

B, E, w = finite.bracket, finite.excess, finite.weight
mu = low / beta
speed = 2 * q**2 * mu**2
decayed = exp(2 * speed / beta - speed * now) * at_start(E)


@cache
def excess_falls() -> Theorem:
    """dE/dt <= -2 q^2 u^2 E."""
    dU, du, both = U_.rate(i, j, t), u_.rate(t), w * m(i)
    each = calc(
        2 * both * B * (du * U + u * dU),
        ("==", 2 * (l(i) * l(j)) * B * (du * U + u * dU), law(finite), both, B),
        ("==", 2 * (du * (l(i) * l(j) * B * U)) - 2 * dU**2, finite.flow[0], B),
    )
    cell = l(i) * l(j)
    inside = calc(
        w,
        ("==", h(i) * l(i) * (l(j) * r(i)), in_range),
        ("==", h(i) * (h(j) * l(j)) * (l(i) * r(i)), instantiate(in_range, {i: j})),
        ("==", h(i) * h(j) * w),
    )
    steep = calc(
        q**2 * w * B**2,
        ("==", q**2 * (h(i) * h(j)) * (w * B**2), scaled(q**2 * B**2, inside)),
        ("<=", cell * m(i) * (w * B**2), times(w * B**2, least(finite), product(w, B**2, sign(finite)))),
        ("==", cell * (w * m(i)) * B**2),
        ("==", cell**2 * B**2, law(finite), w * m(i), cell, B),
    )
    fast = calc(
        q**2 * u**2 * E,
        ("==", pairs(u**2 * (q**2 * w * B**2))),
        ("<=", pairs(u**2 * (cell**2 * B**2)), times(u**2, steep)),
        ("==", pairs(dU**2), show(u**2 * (cell**2 * B**2), "==", dU**2, finite.flow[0])),
    )
    return calc(
        derivative(E, t),
        ("==", 2 * du * pairs(l(i) * l(j) * B * U) - 2 * pairs(dU**2), each),
        ("==", -2 * du**2 - 2 * pairs(dU**2), finite.flow[1]),
        ("<=", -2 * pairs(dU**2)),
        ("<=", -2 * (q**2 * u**2 * E), fast),
    )


@cache
def square_of_u() -> Theorem:
    """mu^2 (1 - 2 e^{-beta t}) <= u^2."""
    part = mu * (1 - exp(-beta * now))
    positive = show(0, "<=", part)
    return calc(
        mu**2 * (1 - 2 * exp(-beta * now)),
        ("<=", part * part),
        ("<=", part * u, times(part, u_at_least(), positive)),
        ("<=", u * u, times(u, u_at_least(), orthant()[0])),
        ("==", u**2),
    )


@cache
def excess_decays() -> Theorem:
    """E <= E(0) e^{2 speed/beta - speed t} with speed = 2 q^2 mu^2."""
    growth = exp(speed * (now + 2 / beta * exp(-beta * now)))
    e = growth * E
    positive = calc(0, ("<=", E, show(0, "<=", w * B**2, product(w, B**2, sign(finite)))))
    slow = times(2 * q**2 * E, square_of_u(), product(2 * q**2, E, positive))
    rate = calc(
        derivative(E, t),
        ("<=", -(2 * q**2 * E * u**2), excess_falls()),
        ("<=", -(2 * q**2 * E * (mu**2 * (1 - 2 * exp(-beta * now)))), slow),
    )
    slope = calc(
        derivative(e, t),
        ("==", growth * (2 * q**2 * E * (mu**2 * (1 - 2 * exp(-beta * now))) + derivative(E, t))),
        ("<=", 0, rate, growth, derivative(E, t), 2 * q**2 * E * (mu**2 * (1 - 2 * exp(-beta * now)))),
    )
    begins = calc(antitone(e, t, slope), ("==", exp(speed * 2 / beta) * at_start(E), begin()))
    back = exp(-speed * (now + 2 / beta * exp(-beta * now)))
    first = begins.rhs
    start = product(exp(speed * 2 / beta), at_start(E), instantiate(positive, {t: START}))
    return calc(
        E,
        ("==", back * e),
        ("<=", back * first, begins),
        ("<=", exp(-speed * now) * first, times(first, show(back, "<=", exp(-speed * now)), start)),
        ("==", decayed),
    )


v = Variable("v", range=POSITIVE)
of_the_inverse = (
    assume("r are the eigenvalues of S_L^-1 S S^+: r m = h", r(i) * m(i), "==", h(i), every=(i,)),
    assume("r are the eigenvalues of S_L^-1 S S^+: r h = r", r(i) * h(i), "==", r(i), every=(i,)),
)
p = Function("pinv", (Sort.INDEX,))
of_S = assume("p are the eigenvalues of S^+: p l = h", p(i) * l(i), "==", h(i), every=(i,))
#: tr((S_L^-1 S S^+)^2), and u^2 - |U|^2 on the range, which is kept.
T, b = trace(r(i) ** 2), u_(START) ** 2 - at_start(seen)
root = assume("v is the limit of u: v^4 = T + b v^2", v**4, "==", T + b * v**2)
#: The parts of u U and of S_L^-1 S S^+ in the range of S, and their difference.
scaled_U, inverse = u * h(i) * h(j) * U, delta(i, j) * r(i)
apart = scaled_U - inverse


@cache
def in_the_range() -> Theorem:
    """|u U - S_L^-1 S S^+|^2 <= E/q^2 on the range."""
    turned = instantiate(swaps, {f: ((i,), h(i))})
    same = calc(
        apart,
        ("==", u * h(i) * h(j) * U - delta(i, j) * r(i) * h(i), of_the_inverse[1]),
        ("==", u * h(i) * h(j) * U - delta(i, j) * h(j) * r(i), turned),
        ("==", r(i) * h(j) * B, of_the_inverse[0]),
    )
    h_j = instantiate(zero_or_one, {i: j})
    less = calc(
        q**2 * r(i) * h(j),
        ("==", r(i) * (q**2 * (h(i) * h(j))), of_the_inverse[1]),
        ("<=", r(i) * (l(i) * l(j) * m(i)), times(r(i), least(finite), not_negative)),
        ("==", l(i) * l(j) * h(i), of_the_inverse[0]),
        ("==", l(i) * l(j), in_range),
    )
    rB = r(i) * B**2
    each = calc(
        q**2 * apart**2,
        ("==", q**2 * (r(i) * h(j) * B) ** 2, same, apart, B),
        ("==", q**2 * r(i) * h(j) ** 2 * rB, B),
        ("==", q**2 * r(i) * h(j) * rB, h_j, h(j) ** 2, B),
        ("<=", l(i) * l(j) * rB, times(rB, less, product(r(i), B**2, not_negative))),
        ("==", w * B**2),
    )
    return show(q**2 * pairs(apart**2), "<=", E, each)


@cache
def squares_of_the_parts() -> tuple[Theorem, ...]:
    """|u U|^2 = u^4 - b u^2 on the range, and T = v^4 - b v^2."""
    kept = calc(balance_is_kept(finite), ("==", -b))
    seen_is = calc(seen, ("==", seen - u**2 + u**2), ("==", u**2 - b, kept))
    each = calc(
        scaled_U**2,
        ("==", u**2 * (h(i) * h(j) * U) ** 2),
        ("==", u**2 * (h(i) * h(j) * U**2), masked(), (h(i) * h(j) * U) ** 2),
    )
    first = calc(pairs(scaled_U**2), ("==", u**2 * seen, each), ("==", u**4 - b * u**2, seen_is))
    at_j = lambda thm: instantiate(thm, {i: j})
    turned = instantiate(swaps, {f: ((i,), r(i))})
    picked = instantiate(picks, {f: ((j,), p(j) * r(j))})
    cell = calc(
        inverse**2,
        ("==", delta(i, j) * r(i) * r(i), squares),
        ("==", delta(i, j) * r(j) * r(i), turned),
        ("==", delta(i, j) * (r(j) * h(j)) * r(i), at_j(of_the_inverse[1])),
        ("==", r(i) * (delta(i, j) * (l(j) * (p(j) * r(j)))), at_j(of_S)),
    )
    second = calc(
        pairs(inverse**2),
        ("==", trace(r(i) * picked.lhs), cell),
        ("==", trace(r(i) * (l(i) * (p(i) * r(i)))), picked),
        ("==", trace(r(i) ** 2 * h(i)), of_S),
        ("==", T, of_the_inverse[1]),
    )
    return first, calc(second, ("==", v**4 - b * v**2, root)), seen_is, second


@cache
def square_of_the_limit() -> Theorem:
    """(u^2 - v^2)^2 <= |u U - S_L^-1 S S^+|^2."""
    return between_the_squares(scaled_U, inverse, b, *squares_of_the_parts()[:3])


@cache
def limit_of_u() -> Theorem:
    """(u - v)^2 <= |u U - S_L^-1 S S^+|^2/v^2, as (u - v)^2 v^2 <= (u^2 - v^2)^2."""
    off = (u - v) ** 2 * v**2
    near = show(off, "<=", (u**2 - v**2) ** 2, orthant()[0])
    far = pairs(apart**2)
    return calc(
        (u - v) ** 2,
        ("==", off / v**2),
        ("<=", (u**2 - v**2) ** 2 / v**2, near, off, (u**2 - v**2) ** 2),
        ("<=", far / v**2, square_of_the_limit(), (u**2 - v**2) ** 2, far),
    )


unseen = (1 - h(i) * h(j)) * U


@cache
def what_stays() -> Theorem:
    """What S does not see of U stays."""
    slope = calc(
        derivative(unseen, t),
        ("==", -(1 - h(i) * h(j)) * u * l(i) * l(j) * B, finite.flow[0], B),
        ("==", -(l(i) * l(j) - h(i) * l(i) * (h(j) * l(j))) * u * B, B),
        ("==", -(l(i) * l(j) - l(i) * (h(j) * l(j))) * u * B, in_range, h(i) * l(i), B),
        ("==", 0, instantiate(in_range, {i: j}), h(j) * l(j), B),
    )
    return antitone(unseen, t, slope)


def away(factor: int | Fraction = 1) -> Term:
    """How far U is from S_L^-1 S S^+/v and what S does not see of U(0); a factor multiplies the
    first.
    """
    return U - Fraction(factor) * inverse / v - at_start(unseen)


fade = 1 - exp(-beta * now)
size = 1 / v**2 + (2 + 2 * T / v**4) / mu**2


@cache
def limit_of_U() -> Theorem:
    """mu^2 (1 - e^{-beta t})^2 |U - S_L^-1 S S^+/v - P(U(0))|^2 is at most 2 + 2 T/v^4 times
    |u U - S_L^-1 S S^+|^2, since u (U - S_L^-1 S S^+/v) is the sum of u U - S_L^-1 S S^+ and
    S_L^-1 S S^+ (v - u)/v.
    """
    off, far = h(i) * h(j) * U - inverse / v, pairs(apart**2)
    same = calc(away(), ("==", off + unseen - at_start(unseen)), ("==", off, what_stays(), unseen, off))
    part = mu * (1 - exp(-beta * now))
    squares_of_part = calc(
        part**2,
        ("==", part * part),
        ("<=", part * u, times(part, u_at_least(), show(0, "<=", part))),
        ("<=", u * u, times(u, u_at_least(), orthant()[0])),
    )
    turned = inverse * ((v - u) / v)
    each = calc(
        part**2 * away() ** 2,
        ("==", part**2 * off**2, same, away(), off),
        ("<=", u * u * off**2, times(off**2, squares_of_part)),
        ("==", (apart + turned) ** 2),
        ("<=", 2 * apart**2 + 2 * turned**2, apart, turned),
    )
    sizes = squares_of_the_parts()[3]
    return calc(
        part**2 * pairs(away() ** 2),
        ("==", pairs(part**2 * away() ** 2)),
        ("<=", pairs(2 * apart**2 + 2 * turned**2), each),
        ("==", 2 * far + 2 / v**2 * (u - v) ** 2 * pairs(inverse**2)),
        ("==", 2 * far + 2 / v**2 * (u - v) ** 2 * T, sizes),
        ("<=", 2 * far + 2 / v**2 * (far / v**2) * T, times(2 / v**2 * T, limit_of_u())),
    )


def statement(factor: int | Fraction = 1) -> Statement:
    """(1 - e^{-beta t})^2 ((u - v)^2 + |U - S_L^-1 S S^+/v - P(U(0))|^2) is at most 1/v^2 + (2 +
    2 T/v^4)/mu^2 times E(0) e^{2 speed/beta - speed t}/q^2; a factor multiplies S_L^-1 S S^+.
    """
    given = IDENTITY | hypotheses(
        *(*finite.flow, *finite.given, in_range, zero_or_one, least(finite), first_risk(finite)),
        *(trace_of(finite), ones, *in_the_ball, largest, *starts, room, *lowest, integral),
        *(*of_the_inverse, of_S, root),
    )
    both = (u - v) ** 2 + pairs(away(factor) ** 2)
    return Statement(fade**2 * both, "<=", size * (decayed / q**2), given)


@proves("OURS:R5.finite", statement)
@proves("OURS:R5.limit", statement)
@cache
def theorem() -> Theorem:
    """|u U - S_L^-1 S S^+|^2 <= E/q^2."""
    far, once = pairs(apart**2), show(fade**2, "<=", 1)
    near = calc(q**2 * far, ("<=", E, in_the_range()), ("<=", decayed, excess_decays()))
    small = calc(
        far,
        ("==", 1 / q**2 * (q**2 * far)),
        ("<=", 1 / q**2 * decayed, times(1 / q**2, near)),
        ("==", decayed / q**2),
    )
    of_U = times(1 / mu**2, limit_of_U())
    return calc(
        fade**2 * ((u - v) ** 2 + pairs(away() ** 2)),
        ("==", fade**2 * (u - v) ** 2 + of_U.lhs),
        ("<=", (u - v) ** 2 + of_U.lhs, times((u - v) ** 2, once)),
        ("<=", far / v**2 + of_U.rhs, limit_of_u(), of_U),
        ("==", size * far),
        ("<=", size * (decayed / q**2), times(size, small)),
    )
