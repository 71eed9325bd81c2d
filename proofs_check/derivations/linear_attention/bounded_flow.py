"""The flow stays bounded: the falling risk bounds u |U| on the range of S, and |U|^2 - u^2 is
conserved there (our R5, Appendices F.2 and F.3 of Boursier & Boyer).

The m_i are the eigenvalues of S_L, which the bracket has in the place of S. With the infinite
prompt they are the l_i.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import NamedTuple

from numerics.derivations.kernel.flows import derivative
from numerics.derivations.kernel.rules import antitone, assume, instantiate
from numerics.derivations.kernel.sorts import POSITIVE, REALS, Sort
from numerics.derivations.kernel.terms import START, Function, Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Assumption, Theorem
from numerics.derivations.statements import Statement, hypotheses
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.linear_attention import eigenbasis, projection
from proofs_check.derivations.linear_attention.eigenbasis import (
    U_,
    U,
    at_start,
    delta,
    eigenvalues,
    h,
    in_range,
    l,
    pairs,
    t,
    u,
    u_,
    zero_or_one,
)
from proofs_check.derivations.linear_attention.matrices import i, j
from proofs_check.derivations.proof import proves

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
#: The norm of U on the range of S.
seen = pairs(h(i) * h(j) * U**2)


@cache
def law(at: Setting) -> Theorem:
    """w_ij m_i = l_i l_j."""
    known = () if at is infinite else (inverse,)
    return show(at.weight * at.m, "==", l(i) * l(j), *known)


@cache
def sign(at: Setting) -> Theorem:
    """w_ij >= 0."""
    return show(
        0, "<=", at.weight, instantiate(eigenvalues, {i: j}), *(thm for thm in at.given if thm.op == "<=")
    )


@cache
def excess_falls(at: Setting) -> Theorem:
    """The derivative of the risk is minus the square of the speed."""
    B, dU, du, both = at.bracket, U_.rate(i, j, t), u_.rate(t), at.weight * at.m
    each = calc(
        2 * both * B * (du * U + u * dU),
        ("==", 2 * (l(i) * l(j)) * B * (du * U + u * dU), law(at), both, B),
        ("==", 2 * (du * (l(i) * l(j) * B * U)) - 2 * dU**2, at.flow[0], B),
    )
    slope = calc(
        derivative(at.excess, t),
        ("==", 2 * du * pairs(l(i) * l(j) * B * U) - 2 * pairs(dU**2), each),
        ("==", -2 * du**2 - 2 * pairs(dU**2), at.flow[1]),
        ("<=", 0),
    )
    return antitone(at.excess, t, slope)


@cache
def balance_is_kept(at: Setting) -> Theorem:
    """|U|^2 - u^2 stays what it is on the range of S, as h l = l."""
    B, dU, du = at.bracket, U_.rate(i, j, t), u_.rate(t)
    each = calc(
        h(i) * h(j) * U * dU,
        ("==", -u * (h(i) * l(i)) * (h(j) * l(j)) * B * U, at.flow[0]),
        ("==", -u * l(i) * (h(j) * l(j)) * B * U, in_range, h(i) * l(i), B),
        ("==", -u * (l(i) * l(j) * B * U), instantiate(in_range, {i: j}), h(j) * l(j), B),
    )
    balance = seen - u**2
    slope = calc(
        derivative(balance, t),
        ("==", -2 * u * pairs(l(i) * l(j) * B * U) - 2 * u * du, each),
        ("==", 0, at.flow[1]),
    )
    return antitone(balance, t, slope)


least = lambda at: assume(
    "q^2 is at most l_i l_j m_i in the range", q**2 * (h(i) * h(j)), "<=", l(i) * l(j) * at.m, every=(i, j)
)
first_risk = lambda at: assume("p^2 is at least twice the first risk", at_start(at.excess), "<=", p**2)
trace_of = lambda at: assume(
    "k^2 is at least the sum of w_ii", pairs(at.weight * delta(i, j) ** 2), "<=", k**2
)


def _young() -> Theorem:
    """(x + y)^2 <= (1 + k/p) x^2 + (1 + p/k) y^2."""
    x, y = (Variable(name, range=REALS) for name in "xy")
    bound = (1 + k / p) * x**2 + (1 + p / k) * y**2
    return show((x + y) ** 2, "<=", bound, show(0, "<=", (k * x - p * y) ** 2 / (p * k)))


@cache
def product(at: Setting) -> Theorem:
    """q^2 u^2 |U_r|^2 <= (p + k)^2, as u m U = B + delta and the risk falls."""
    B, w, one = at.bracket, at.weight, delta(i, j)
    x, y = (Variable(name, range=REALS) for name in "xy")
    square = instantiate(_young(), {x: B, y: one})
    each = calc(
        q**2 * (h(i) * h(j)) * (u * U) ** 2,
        ("<=", l(i) * l(j) * at.m * (u * U) ** 2, least(at)),
        ("==", w * at.m * at.m * (u * U) ** 2, law(at)),
        ("==", w * (B + one) ** 2),
        ("<=", w * square.rhs, square, sign(at), w, square.lhs, square.rhs),
    )
    return calc(
        q**2 * u**2 * seen,
        ("<=", (1 + k / p) * pairs(w * B**2) + (1 + p / k) * pairs(w * one**2), each),
        ("<=", (1 + k / p) * p**2 + (1 + p / k) * k**2, excess_falls(at), first_risk(at), trace_of(at)),
        ("==", (p + k) ** 2),
    )


def excess_of_u() -> Term:
    """The part of u(0)^2 that exceeds |U_r(0)|^2."""
    return Op("max", (u_(START) ** 2 - at_start(seen), term(0)))


def _given(at: Setting) -> frozenset[Assumption]:
    return hypotheses(*at.flow, *at.given, in_range, least(at), first_risk(at), trace_of(at))


def limit_statements(of_e: int | Fraction = 1, of_s: int | Fraction = 1) -> tuple[Statement, Statement]:
    """R5: u^2 <= s + max(-e, 0), and |U_r|^2 = u^2 + e, for the conserved e = |U_r|^2 - u^2; `of_s`
    multiplies s, and `of_e` the maximum.
    """
    bound = of_s * ((p + k) / q) + of_e * excess_of_u()
    e = at_start(seen) - u_(START) ** 2
    return Statement(u**2, "<=", bound, _given(finite)), Statement(seen, "<=", bound + e, _given(finite))


@proves("OURS:R5.limit/bounded", limit_statements, at=(finite,))
@cache
def square_of_u(at: Setting) -> Theorem:
    """With x = u^2, |U_r|^2 >= x - f and s = (p + k)/q, x (x - f) <= s^2: so x <= s + f, since
    (x - f - s)(x + s) = x (x - f) - s^2 - s f.
    """
    s, over = (p + k) / q, excess_of_u()
    more = show(u_(START) ** 2 - at_start(seen), "<=", over)
    apart = show(u**2 - over, "<=", seen, balance_is_kept(at), more)
    scaled = calc(
        u**2 * (u**2 - over),
        ("<=", q**-2 * (q**2 * u**2 * seen), apart),
        ("<=", q**-2 * (p + k) ** 2, product(at)),
        ("==", s**2),
    )
    least = calc(
        u**2 - over - s,
        ("==", 1 / (u**2 + s) * (u**2 * (u**2 - over) - s**2 - s * over), over, u**2),
        ("<=", 0, scaled),
    )
    return show(u**2, "<=", s + over, least)


@proves("OURS:R5.limit/bounded", limit_statements, part=2)
def square_of_U() -> Theorem:
    """|U_r|^2 - u^2 stays what it is."""
    bound = (p + k) / q + excess_of_u() + at_start(seen) - u_(START) ** 2
    return show(seen, "<=", bound, balance_is_kept(finite), square_of_u(finite))


whole = pairs(U**2)
balanced = assume("balanced start", at_start(whole), "==", u_(START) ** 2)
regular = assume("S is invertible: h = 1", h(i), "==", 1, every=(i,))


def degenerate_statements(c: int | Fraction = 1, one: int = 1) -> tuple[Statement, Statement, Statement]:
    """Appendix F.3: u^2 and |U|^2 are at most s + b for a balanced start, with the part b of
    |U(0)|^2 that S does not see; `c` multiplies s. And the risk at the limit, with `one`.
    """
    bound = c * ((p + k) / q) + at_start(whole - seen)
    given = _given(infinite) | balanced.assumptions | zero_or_one.assumptions
    at_the_limit = projection.risk_statement(one)
    return Statement(u**2, "<=", bound, given), Statement(whole, "<=", bound, given), at_the_limit


@proves("BB:F.3.fin/bounded", degenerate_statements, part=1)
@cache
def degenerate() -> Theorem:
    """The part of |U(0)|^2 that S sees is not larger than |U(0)|^2."""
    s, first, b = (p + k) / q, U_(i, j, START), at_start(whole - seen)
    unseen = calc(
        0,
        ("<=", ((1 - h(i) * h(j)) * first) ** 2),
        ("==", (1 - 2 * h(i) * h(j) + h(i) * h(j) ** 2) * first**2, zero_or_one),
        ("==", (1 - h(i) * h(j)) * first**2, instantiate(zero_or_one, {i: j})),
    )
    least = calc(0, ("<=", pairs((1 - h(i) * h(j)) * first**2), unseen), ("==", b))
    least = show(excess_of_u(), "<=", b, least, balanced)
    return calc(u**2, ("<=", s + excess_of_u(), square_of_u(infinite)), ("<=", s + b, least))


proves("BB:F.3.fin/bounded", degenerate_statements, part=3)(projection.risk)


@proves("BB:F.3.fin/bounded", degenerate_statements, part=2)
def degenerate_in_U() -> Theorem:
    """|U|^2 - u^2 is conserved, and 0 at a balanced start."""
    norms = show(whole, "<=", u**2, eigenbasis.balance_is_kept(), balanced)
    return calc(norms, ("<=", degenerate().rhs, degenerate()))


def ball_statement(c: int | Fraction = 1) -> Statement:
    """Appendix F.2: |U|^2 + u^2 <= 2 s for an invertible S, balanced start; `c` multiplies s."""
    given = _given(infinite) | balanced.assumptions | regular.assumptions
    return Statement(whole + u**2, "<=", 2 * (c * ((p + k) / q)), given)


@proves("BB:F.2.C2/ball", ball_statement)
def ball() -> Theorem:
    """With h = 1 the difference of |U|^2 and u^2 is 0 at the start, and stays 0."""
    s = (p + k) / q
    same = show(
        whole, "==", seen, show(U**2, "==", h(i) * h(j) * U**2, regular, instantiate(regular, {i: j}))
    )
    none = show(at_start(seen) - u_(START) ** 2, "==", 0, instantiate(same, {t: START}), balanced)
    less = calc(
        u**2,
        ("<=", s + excess_of_u(), square_of_u(infinite)),
        ("<=", s, show(excess_of_u(), "<=", 0, none)),
    )
    stays = calc(balance_is_kept(infinite), ("==", 0, none))
    return calc(whole + u**2, ("==", seen + u**2, same), ("==", 2 * u**2, stays), ("<=", 2 * s, less))
