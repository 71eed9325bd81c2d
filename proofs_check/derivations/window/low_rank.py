"""Appendix H of Collins et al. on tasks of low rank: the order (54), its range, and the rotation."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, exp
from numerics.derivations.rules import arithmetic, assume, equal, replace, specialise
from numerics.derivations.sorts import NONNEGATIVE, POSITIVE, Range
from numerics.derivations.statements import Statement
from numerics.derivations.terms import Term, Variable, term
from numerics.derivations.theorems import Theorem

_closed = Range(Fraction(-1), Fraction(1), False, False)
a, b = (Variable(name, range=_closed) for name in "ab")
c, gap = Variable("c", range=POSITIVE), Variable("delta", range=Range(Fraction(0), Fraction(2), True, False))
z, part = Variable("z", range=NONNEGATIVE), Variable("A", range=NONNEGATIVE)
inside = Variable("b_", range=Range(Fraction(0), Fraction(1)))


def gamma(first: Term, second: Term) -> Term:
    """gamma_{a,b} = (1 + a)(1 - b)."""
    return (1 + first) * (1 - second)


@cache
def at_most(c_max: int | Fraction = 2) -> Theorem:
    return assume(f"c <= {c_max}", c, "<=", Fraction(c_max))


@cache
def ordered(first: Variable, second: Variable) -> Theorem:
    return assume(f"{first.name} < {second.name}", first, "<", second)


@cache
def order_54(first: Variable = a, second: Variable = b) -> Theorem:
    """e^{cb} gamma_{a,b} < e^{ca} gamma_{b,a} for a < b and c <= 2.

    With delta = b - a it is gamma_{b,a} = gamma_{a,b} + 2 delta and gamma_{a,b} <= (1 - delta/2)^2, and
    e^{2 delta}(1 - delta/2)^2 < (1 + delta/2)^2.
    """
    delta, order = second - first, ordered(first, second)
    X, Y, M, E = exp(gap) * (1 - gap / 2), 1 + gap / 2, (1 - gap / 2) ** 2, exp(2 * gap)
    half, above = arithmetic(X, "<", Y), arithmetic(0, "<=", X)
    whole = chain(E * M, arithmetic(X**2, "<", Y**2, half, above, hide=(X, Y)), M + 2 * gap)
    in_range = arithmetic(0, "<", delta, order), arithmetic(delta, "<=", 2)
    at = lambda thm: specialise(thm, {gap: delta}, *in_range)
    whole, more, M, E = at(whole), at(arithmetic(1, "<=", E)), (1 - delta / 2) ** 2, exp(2 * delta)
    A, B = gamma(first, second), gamma(second, first)
    less, least = arithmetic(A, "<=", M), arithmetic(0, "<=", A)
    step = arithmetic((E - 1) * A, "<=", (E - 1) * M, more, less, hide=(E, A, M))
    strict = arithmetic(E * M - M, "<", 2 * delta, in_range[0], whole, hide=(E * M, M, delta))
    step = chain(E * A - A, step, E * M - M, strict)
    grown = replace(exp(c * delta), arithmetic(c * delta, "<=", 2 * delta, at_most(), in_range[0], hide=(delta,)))
    grown = arithmetic(exp(c * delta) * A, "<=", E * A, grown, least, hide=(exp(c * delta), E, A))
    below = arithmetic(E * A, "<", A + 2 * delta, step, hide=(E * A, A, delta))
    below = chain(grown, below, B)
    scale = exp(c * first)
    scaled = arithmetic(scale * (exp(c * delta) * A), "<", scale * B, below, hide=(scale, exp(c * delta) * A, B))
    return chain(exp(c * second) * A, scaled)


def order_statements(c_max: int | Fraction = 2) -> tuple[Statement, Statement]:
    """For c <= c_max (54) holds for a < b and its converse for b < a; at a = b both sides are equal."""
    side = lambda first, second: exp(c * second) * gamma(first, second)
    given = lambda *pair: at_most(c_max).assumptions | ordered(*pair).assumptions
    return (
        Statement(side(a, b), "<", side(b, a), given(a, b)),
        Statement(side(b, a), "<", side(a, b), given(b, a)),
    )


order_theorems = (order_54, lambda: order_54(b, a))


@cache
def beyond() -> Theorem:
    """For c > 2 the two sides of (54) at -b and b > -b, b^2 = 1 - 2/c, are in the other order: (1 +
    b)/(1 - b) <= e^{cb}.
    """
    u, K = inside, critical().lhs
    power = specialise(arithmetic(1 + z + z**2 / 2, "<=", exp(z)), {z: c * u})
    large = chain(c, K + c * u**2, arithmetic(K + c * u**2, "==", 2 + c * u**2, critical(), hide=(K,)))
    large = arithmetic(2, "<=", c, arithmetic(2, "<=", large.rhs), large, hide=(large.rhs,))
    value = arithmetic(1 - u**2 + K * u + K * c * u**2 / 2, "==", 1 - u**2 + 2 * u + c * u**2, critical(), hide=(K,))
    square = arithmetic((1 + u) ** 2, "<=", value.rhs, large)
    E = exp(c * u)
    grown = arithmetic((1 - u**2) * power.lhs, "<=", (1 - u**2) * E, power, hide=(E, power.lhs))
    back = arithmetic(value.rhs, "==", value.lhs, value, hide=(value.lhs,))
    both = chain(square, back, grown)
    root_ = arithmetic(1 + u, "<=", (1 - u) * E, both, hide=(E,))
    twice = arithmetic((1 + u) ** 2, "<=", ((1 - u) * E) ** 2, root_, hide=((1 - u) * E,))
    scaled = replace(exp(-c * u) * (1 + u) ** 2, twice)
    return chain(exp(-c * u) * gamma(u, -u), scaled, E * gamma(-u, u))


@cache
def critical() -> Theorem:
    return assume("b_^2 = 1 - 2/c", c * (1 - inside**2), "==", 2)


def range_statements(c_max: int | Fraction = 2, share: int | Fraction = 1) -> tuple[Statement, Statement]:
    """For c <= c_max (54) holds for all a < b; for c > 2 it fails at -b and b with b^2 = 1 - 2/c, where
    its left side is at most share times the right one.
    """
    u = inside
    right = Fraction(share) * exp(c * u) * gamma(-u, u)
    return order_statements(c_max)[0], Statement(exp(-c * u) * gamma(u, -u), "<=", right, critical().assumptions)
