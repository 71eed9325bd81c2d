"""The flow stays bounded: the falling risk bounds u |U| on the range of S, and |U|^2 - u^2 is
conserved there (our R5, Appendices F.2 and F.3 of Boursier & Boyer).

The m_i are the eigenvalues of S_L, which the bracket has in the place of S. With the infinite
prompt they are the l_i.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import NamedTuple

from numerics.derivations.derived import chain
from numerics.derivations.flows import derivative
from numerics.derivations.rules import arithmetic, assume, equal, fall, replace, specialise, then
from numerics.derivations.sorts import POSITIVE, REALS, Sort
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.terms import START, Function, Op, Term, Variable, term
from numerics.derivations.theorems import Assumption, Theorem
from proofs_check.derivations.exact.eigenbasis import (
    U_,
    U,
    at_start,
    delta,
    eigenvalues,
    h,
    in_range,
    l,
    pairs,
    summed,
    t,
    u,
    u_,
    zero_or_one,
)
from proofs_check.derivations.exact.eigenbasis import (
    balance_is_kept as whole_balance_is_kept,
)
from proofs_check.derivations.exact.matrices import i, j

m, r = Function("m", (Sort.INDEX,)), Function("r", (Sort.INDEX,))
p, q, k = (Variable(name, range=POSITIVE) for name in "pqk")
inverse = assume("r is 1/m where l is not 0: l r m = l", l(i) * r(i) * m(i), "==", l(i), every=(i,))
not_negative = assume("the r_i are not negative", 0, "<=", r(i), every=(i,))


class Setting(NamedTuple):
    """A flow: the eigenvalue m_i, the weight w_ij of the risk, and what is assumed of both."""

    m: Term
    weight: Term
    given: tuple[Theorem, ...]

    @property
    def bracket(self) -> Term:
        return u * self.m * U - delta(i, j)

    @property
    def flow(self) -> tuple[Theorem, Theorem]:
        return (
            assume(
                "the flow of U", U_.rate(i, j, t), "==", -(u * l(i) * l(j)) * self.bracket, every=(i, j, t)
            ),
            assume("the flow of u", u_.rate(t), "==", -pairs(l(i) * l(j) * self.bracket * U), every=(t,)),
        )

    @property
    def excess(self) -> Term:
        """Twice the risk less its least value."""
        return pairs(self.weight * self.bracket**2)


finite = Setting(m(i), l(i) * l(j) * r(i), (eigenvalues, inverse, not_negative))
infinite = Setting(l(i), l(j), (eigenvalues,))


@cache
def law(at: Setting) -> Theorem:
    """w_ij m_i = l_i l_j."""
    if at is infinite:
        return equal(l(j) * l(i), l(i) * l(j))
    once = arithmetic(l(j) * (l(i) * r(i) * m(i)), "==", l(i) * l(j), inverse, hide=(l(i) * r(i) * m(i),))
    return chain(l(i) * l(j) * r(i) * m(i), once)


@cache
def sign(at: Setting) -> Theorem:
    """w_ij >= 0."""
    other = specialise(eigenvalues, {i: j})
    if at is infinite:
        return other
    both = arithmetic(0, "<=", l(i) * l(j), eigenvalues, other)
    return arithmetic(0, "<=", l(i) * l(j) * r(i), both, not_negative, hide=(l(i) * l(j),))


@cache
def excess_falls(at: Setting) -> Theorem:
    """The derivative of the risk is minus the square of the speed."""
    B, dU, du, both = at.bracket, U_.rate(i, j, t), u_.rate(t), at.weight * at.m
    product = l(i) * l(j) * B * U
    steps = [
        arithmetic(
            2 * both * B * (du * U + u * dU),
            "==",
            2 * (l(i) * l(j)) * B * (du * U + u * dU),
            law(at),
            hide=(both, B),
        ),
        arithmetic(
            2 * (l(i) * l(j)) * B * (du * U + u * dU),
            "==",
            2 * (du * product) - 2 * dU**2,
            at.flow[0],
            hide=(B,),
        ),
    ]
    squares = pairs(dU**2)
    total = chain(derivative(at.excess, t), summed(chain(*steps)), 2 * du * pairs(product) - 2 * squares)
    return fall(at.excess, t, then(total, arithmetic(total.rhs, "<=", 0, at.flow[1], hide=(squares,))))


@cache
def balance_is_kept(at: Setting) -> Theorem:
    """|U|^2 - u^2 stays what it is on the range of S, as h l = l."""
    B, dU, du = at.bracket, U_.rate(i, j, t), u_.rate(t)
    seen, turned = in_range, specialise(in_range, {i: j})
    h_l, other = h(i) * l(i), h(j) * l(j)
    product = l(i) * l(j) * B * U
    steps = [
        arithmetic(h(i) * h(j) * U * dU, "==", -u * (h_l * other) * B * U, at.flow[0], hide=(B,)),
        arithmetic(-u * (h_l * other) * B * U, "==", -u * product, seen, turned, hide=(h_l, other, B)),
    ]
    each = chain(summed(chain(*steps)), -u * pairs(product))
    both = arithmetic(2 * each.lhs - 2 * u * du, "==", 0, each, at.flow[1], hide=(each.lhs,))
    balance = pairs(h(i) * h(j) * U**2) - u**2
    return fall(balance, t, chain(derivative(balance, t), both))


least = lambda at: assume(
    "q^2 is at most l_i l_j m_i in the range", q**2 * (h(i) * h(j)), "<=", l(i) * l(j) * at.m, every=(i, j)
)
first_risk = lambda at: assume("p^2 is at least twice the first risk", at_start(at.excess), "<=", p**2)
trace_of = lambda at: assume(
    "k^2 is at least the sum of w_ii", pairs(at.weight * delta(i, j) ** 2), "<=", k**2
)
#: The norm of U on the range of S.
seen = pairs(h(i) * h(j) * U**2)


def _young() -> Theorem:
    """(x + y)^2 <= (1 + k/p) x^2 + (1 + p/k) y^2."""
    x, y, z = (Variable(name, range=REALS) for name in "xyz")
    bound = (1 + k / p) * x**2 + (1 + p / k) * y**2
    square = specialise(arithmetic(0, "<=", z**2 / (p * k)), {z: k * x - p * y})
    parts = chain(
        (x + y) ** 2,
        arithmetic((x + y) ** 2, "<=", (x + y) ** 2 + square.rhs, square, hide=(square.rhs,)),
        bound,
    )
    return parts


@cache
def product(at: Setting) -> Theorem:
    """q^2 u^2 |U_r|^2 <= (p + k)^2, as u m U = B + delta and the risk falls."""
    B, w, both = at.bracket, at.weight, at.weight * at.m
    x, y = (Variable(name, range=REALS) for name in "xy")
    square = specialise(_young(), {x: B, y: delta(i, j)})
    room = arithmetic(
        w * square.lhs, "<=", w * square.rhs, square, sign(at), hide=(w, square.lhs, square.rhs)
    )
    known = arithmetic(
        l(i) * l(j) * at.m * (u * U) ** 2, "==", both * at.m * (u * U) ** 2, law(at), hide=(both,)
    )
    more = arithmetic(
        q**2 * (h(i) * h(j)) * (u * U) ** 2,
        "<=",
        l(i) * l(j) * at.m * (u * U) ** 2,
        least(at),
        hide=(h(i) * h(j), u * U, l(i) * l(j) * at.m),
    )
    each = chain(more, known, room)
    rates = pairs(w * B**2), pairs(w * delta(i, j) ** 2)
    total = (1 + k / p) * rates[0] + (1 + p / k) * rates[1]
    fallen = then(excess_falls(at), first_risk(at))
    return chain(q**2 * u**2 * seen, summed(each), total, replace(total, fallen, trace_of(at)), (p + k) ** 2)


def _seen_is_not_negative() -> Theorem:
    one, two = h(i) ** 2, h(j) ** 2
    squares = zero_or_one, specialise(zero_or_one, {i: j})
    entry = arithmetic(one * two * U**2, "==", h(i) * h(j) * U**2, *squares, hide=(one, two))
    return chain(0, summed(chain(arithmetic(0, "<=", one * two * U**2), entry)), seen)


def excess_of_u() -> Term:
    """The part of u(0)^2 that exceeds |U_r(0)|^2."""
    return Op("max", (u_(START) ** 2 - at_start(seen), term(0)))


@cache
def square_of_u(at: Setting) -> Theorem:
    """With x = u^2, |U_r|^2 >= x - f and s = (p + k)/q, x (x - f) <= s^2: so x <= s + f, since
    (x - f - s)(x + s) = x (x - f) - s^2 - s f.
    """
    s, over = (p + k) / q, excess_of_u()
    more = arithmetic(u_(START) ** 2 - at_start(seen), "<=", over, hide=(at_start(seen), u_(START)))
    kept = balance_is_kept(at)
    apart = arithmetic(
        u**2 - over, "<=", seen, kept, more, hide=(u**2, seen, at_start(seen), u_(START) ** 2, over)
    )
    scaled = replace(q**2 * u**2 * (u**2 - over), apart)
    whole = u**2 * (u**2 - over)
    scaled = chain(whole, replace(q**-2 * scaled.lhs, then(scaled, product(at))), s**2)
    rest = arithmetic(0, "<=", s * over, arithmetic(0, "<=", over), hide=(over,))
    room = arithmetic(whole - s**2 - s * over, "<=", 0, scaled, rest, hide=(whole, s**2, s * over))
    form = 1 / (u**2 + s) * room.lhs
    same = arithmetic(u**2 - over - s, "==", form, hide=(over, u**2))
    least = chain(same, replace(form, room), 0)
    return arithmetic(u**2, "<=", s + over, least, hide=(over, u**2, s))


def _given(at: Setting) -> frozenset[Assumption]:
    return hypotheses(*at.flow, *at.given, in_range, least(at), first_risk(at), trace_of(at))


def limit_statements(of_e: int | Fraction = 1, of_s: int | Fraction = 1) -> tuple[Statement, Statement]:
    """R5: u^2 <= s + max(-e, 0), and |U_r|^2 = u^2 + e, for the conserved e = |U_r|^2 - u^2; `of_s`
    multiplies s, and `of_e` the maximum.
    """
    bound = of_s * ((p + k) / q) + of_e * excess_of_u()
    e = at_start(seen) - u_(START) ** 2
    return Statement(u**2, "<=", bound, _given(finite)), Statement(seen, "<=", bound + e, _given(finite))


def square_of_U() -> Theorem:
    """|U_r|^2 - u^2 stays what it is."""
    kept, bound = balance_is_kept(finite), square_of_u(finite)
    e = at_start(seen) - u_(START) ** 2
    return arithmetic(
        seen, "<=", bound.rhs + e, kept, bound, hide=(seen, u**2, at_start(seen), u_(START) ** 2, bound.rhs)
    )


whole = pairs(U**2)
balanced = assume("balanced start", at_start(whole), "==", u_(START) ** 2)
regular = assume("S is invertible: h = 1", h(i), "==", 1, every=(i,))


def degenerate_statements(c: int | Fraction = 1) -> tuple[Statement, Statement]:
    """Appendix F.3: u^2 and |U|^2 are at most s + b for a balanced start, with the part b of
    |U(0)|^2 that S does not see; `c` multiplies s.
    """
    bound = c * ((p + k) / q) + at_start(whole - seen)
    given = _given(infinite) | balanced.assumptions | zero_or_one.assumptions
    return Statement(u**2, "<=", bound, given), Statement(whole, "<=", bound, given)


@cache
def degenerate() -> Theorem:
    """The part of |U(0)|^2 that S sees is not larger than |U(0)|^2."""
    one, two, start = h(i) ** 2, h(j) ** 2, U_(i, j, START)
    squares = zero_or_one, specialise(zero_or_one, {i: j})
    square = (1 - 2 * h(i) * h(j) + one * two) * start**2
    entry = arithmetic(square, "==", start**2 - h(i) * h(j) * start**2, *squares, hide=(one, two))
    unseen = chain(0, arithmetic(0, "<=", ((1 - h(i) * h(j)) * start) ** 2), entry)
    b = at_start(whole - seen)
    positive = chain(0, summed(unseen), b)
    over, bound = excess_of_u(), square_of_u(infinite)
    parts = (at_start(whole), at_start(seen), u_(START) ** 2)
    least = arithmetic(over, "<=", b, positive, balanced, hide=parts)
    return then(bound, replace(bound.rhs, least))


def degenerate_in_U() -> Theorem:
    """|U|^2 - u^2 is conserved, and 0 at a balanced start."""
    kept, bound = whole_balance_is_kept(), degenerate()
    none = arithmetic(kept.rhs, "<=", 0, balanced, hide=(at_start(whole), u_(START) ** 2))
    norms = arithmetic(whole, "<=", u**2, then(kept, none), hide=(whole, u**2))
    return then(norms, bound)


def ball_statement(c: int | Fraction = 1) -> Statement:
    """Appendix F.2: |U|^2 + u^2 <= 2 s for an invertible S, balanced start; `c` multiplies s."""
    given = _given(infinite) | balanced.assumptions | regular.assumptions
    return Statement(whole + u**2, "<=", 2 * (c * ((p + k) / q)), given)


def ball() -> Theorem:
    """With h = 1 the difference of |U|^2 and u^2 is 0 at the start, and stays 0."""
    turned = specialise(regular, {i: j})
    same = summed(arithmetic(U**2, "==", h(i) * h(j) * U**2, regular, turned))
    first = specialise(same, {t: START})
    kept, bound = balance_is_kept(infinite), square_of_u(infinite)
    none = arithmetic(u_(START) ** 2 - at_start(seen), "==", 0, first, balanced)
    over, root = excess_of_u(), (p + k) / q
    nothing = arithmetic(over, "<=", 0, none, hide=(none.lhs,))
    less = arithmetic(u**2, "<=", root, bound, nothing, hide=(u**2, root, over))
    stays = arithmetic(kept.rhs, "<=", 0, none, hide=(at_start(seen), u_(START) ** 2))
    norms = arithmetic(seen, "<=", u**2, then(kept, stays), hide=(seen, u**2))
    sizes = (whole, seen, u**2, root)
    return arithmetic(whole + u**2, "<=", 2 * root, same, norms, less, hide=sizes)
