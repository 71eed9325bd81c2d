"""Theorem 4.4 of Collins et al. for two tokens with noise, in letters: what the loss of cBB' is
more or less than that of 0, by the share of the first token and the distance of the heights.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, exp
from numerics.derivations.kernel.rules import instantiate
from numerics.derivations.kernel.sorts import NONNEGATIVE, REALS, Range
from numerics.derivations.kernel.terms import Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.window.subspace.cosines import kappa, narrow, s_, sigma, t_
from proofs_check.derivations.window.subspace.equal_weights import with_equal_weights

D = s_ - t_
c = Variable("c4", range=Range(Fraction(0), Fraction(1), True, False))
z = Variable("z2", range=Range(Fraction(-2), Fraction(2), False, False))


def share(c: Term) -> Term:
    """What the share of the first of two tokens is more than 1/2."""
    return exp(c * s_) / (exp(c * s_) + exp(c * t_)) - Fraction(1, 2)


def tangent(c: Term) -> Term:
    """The same by the difference of the heights."""
    return (exp(c * D) - 1) / (2 * (exp(c * D) + 1))


def of_the_change(c: Term) -> Theorem:
    """The loss of cBB' by that of 0 and the share."""
    r = tangent(c)
    same = show(share(c), "==", r)
    change = kappa**2 * (2 * share(c) ** 2 * (1 - s_ * t_) - 2 * share(c) * D) + 2 * sigma**2 * share(c) ** 2
    start = with_equal_weights(term(0), s_, t_)
    whole = show(with_equal_weights(c, s_, t_), "==", start + change)
    moved = kappa**2 * (2 * r**2 * (1 - s_ * t_) - 2 * (D * r)) + 2 * sigma**2 * r**2
    last = show(change, "==", moved, same, share(c), r, s_, t_)
    return calc(whole, ("==", start + moved, last, start, change, moved))


@cache
def square() -> Theorem:
    """(e^z - 1)^2 <= z^2 (e^z + 1)^2/4, as (e^z - 1)/z is between 0 and (e^z + 1)/2."""
    Z = exp(z)
    value, parts = (z * (Z + 1) / 2) ** 2 - (Z - 1) ** 2, []
    for event, sign in ((Op("ind", (z,)), 1), (Op("above", (-z,)), -1)):
        one = show(0, "<=", event * (sign * (z * (Z + 1) / 2 - (Z - 1))))
        two = show(0, "<=", event * (sign * (z * (Z + 1) / 2 + (Z - 1))))
        both = show(0, "<=", one.rhs * two.rhs, one, two, one.rhs, two.rhs)
        parts.append(chain(both, event * value))
    both = chain(show(0, "<=", parts[0].rhs + parts[1].rhs, *parts, parts[0].rhs, parts[1].rhs), value)
    low, high = (Z - 1) ** 2, z**2 / 4 * (Z + 1) ** 2
    return show(low, "<=", high, chain(both, high - low), low, high)


@cache
def falls() -> Theorem:
    """For 0 < c <= 1 the loss of cBB' is at most that of 0 and a quadratic in c times D^2."""
    y, r, Z = c * D, tangent(c), exp(z)
    inside = show(y, "<=", 2), show(-2, "<=", y)
    low = instantiate(show(z**2 / 4 * (Z + 1), "<=", z * (Z - 1)), {z: y}, *inside)
    high = instantiate(square(), {z: y}, *inside)
    W, known = exp(y), of_the_change(c)
    low = show(y**2 / 8, "<=", y * r, low, y, W)
    low = show(c * D**2 / 8, "<=", D * r, low, c, D, r)
    high = show(r**2, "<=", y**2 / 16, high, y, W)
    high = show(r**2, "<=", c**2 * D**2 / 16, high, r, c, D)
    quadratic = kappa**2 * (c**2 / 4 - c / 4) + sigma**2 * c**2 / 8
    base = with_equal_weights(term(0), s_, t_)
    across = show(2 * r**2 * (1 - s_ * t_), "<=", 4 * r**2, r, s_, t_)
    inner = 2 * r**2 * (1 - s_ * t_) - 2 * (D * r)
    first = show(
        inner, "<=", c**2 * D**2 / 4 - c * D**2 / 4, across, low, high, across.lhs, r**2, D * r, c, D**2
    )
    first = show(kappa**2 * inner, "<=", kappa**2 * first.rhs, first, kappa, inner, first.rhs)
    second = show(2 * sigma**2 * r**2, "<=", sigma**2 * c**2 * D**2 / 8, high, sigma, r**2, c, D)
    return calc(
        known,
        (
            "<=",
            base + first.rhs + second.rhs,
            first,
            second,
            base,
            first.lhs,
            second.lhs,
            first.rhs,
            second.rhs,
        ),
        ("==", base + quadratic * D**2, base, D),
    )


@cache
def of_a_difference() -> Theorem:
    """D(e^{cD} - 1) <= cD^2(e^{cD} + 1) for c >= 0, whatever the sign of D is."""
    y, s = Variable("y2", range=REALS), Variable("s", range=NONNEGATIVE)
    value = s * y**2 * (exp(s * y) + 1) - y * (exp(s * y) - 1)
    one, two = (show(0, "<=", event * value) for event in (Op("ind", (y,)), Op("above", (-y,))))
    return chain(show(0, "<=", one.rhs + two.rhs, one, two, one.rhs, two.rhs), value)


@cache
def is_not_steep() -> Theorem:
    """For c <= 1 the loss of cBB' is at least that of 0 less 4c kappa^2."""
    y, s = Variable("y2", range=REALS), Variable("s", range=NONNEGATIVE)
    c, r = narrow, tangent(narrow)
    W, known = exp(c * D), of_the_change(c)
    low = instantiate(of_a_difference(), {y: D, s: c})
    low = show(D * (W - 1), "<=", c * D**2 * (W + 1), low, c, D, W)
    low = show(D * r, "<=", c * D**2 / 2, low, c, D, W)
    most = show(D**2, "<=", 4, s_, t_)
    low = show(D * r, "<=", 2 * c, low, most, D * r, c, D**2)
    base, inner = with_equal_weights(term(0), s_, t_), 2 * r**2 * (1 - s_ * t_) - 2 * (D * r)
    some = show(0, "<=", 2 * r**2 * (1 - s_ * t_), r, s_, t_)
    first = show(-4 * c, "<=", inner, low, some, D * r, c, some.rhs)
    first = show(kappa**2 * (-4 * c), "<=", kappa**2 * inner, first, kappa, c, inner)
    noise = 2 * sigma**2 * r**2
    more = show(
        base - 4 * c * kappa**2,
        "<=",
        base + kappa**2 * inner + noise,
        first,
        base,
        c,
        kappa,
        kappa**2 * inner,
        noise,
    )
    return calc(more, ("==", known.rhs), ("==", known.lhs, known, known.lhs, known.rhs))
