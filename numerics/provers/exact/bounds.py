"""Rational functions that bound a function from one side, with the reason for each.

Every bound holds for all arguments at which the function is real. Many are odd: they hold for
positive arguments, and reversed for negative ones. `way` then says what the sign of the argument is
known to be: 1 or -1, or else the argument itself, by which both sides are multiplied.
"""

from __future__ import annotations

from collections.abc import Iterator

import sympy as sp

from numerics.provers.enclosures.balls import NoBall, value

__all__ = ["ODD", "Fact", "of_function", "of_number"]

#: A rational function, and whether it is positive; else it is nonnegative.
Fact = tuple[sp.Expr, bool]
#: Increasing functions that vanish at 0.
ODD = (sp.tanh, sp.atan, sp.asin, sp.sinh, sp.asinh, sp.erf)
#: The denominator of bounds of numbers. Between closer ones the product of the two distances is so
#: small that a program takes it for 0.
PRECISION = 200


def of_function(
    head: type, u: sp.Expr, f: sp.Expr, way: sp.Expr, quarter: tuple[sp.Expr, sp.Expr]
) -> Iterator[Fact]:
    """What holds of ``f = head(u)``, where `quarter` encloses pi/2.

    >>> u, f = sp.symbols("u f")
    >>> list(of_function(sp.tanh, u, f, sp.S.One, (1, 2)))
    [(1 - f, True), (f + 1, True), (-f + u, False)]
    """
    low, high = quarter
    if head in (sp.sin, sp.cos):  # |f| <= 1; two terms of a power series that alternates
        yield from ((1 - f, False), (f + 1, False))
    if head is sp.sin:
        yield from ((way * (u - f), False), (way * (f - u + u**3 / 6), False), (u**2 - f**2, False))
    elif head is sp.cos:
        yield from ((f - 1 + u**2 / 2, False), (1 - u**2 / 2 + u**4 / 24 - f, False))
    elif head in (sp.tanh, sp.erf):
        yield from ((1 - f, True), (f + 1, True))
        if head is sp.tanh:  # its slope is at most 1
            yield (way * (u - f), False)
    elif head is sp.asinh:
        yield (way * (u - f), False)
    elif head is sp.sinh:  # its slope is at least 1
        yield from ((way * (f - u), False), (f**2 - u**2, False))
    elif head is sp.cosh:  # a power series with positive terms
        yield (f - 1 - u**2 / 2, False)
    elif head is sp.asin:  # convex from 0 to 1: above its tangent, below its chord
        yield from ((1 - u**2, False), (high - f, False), (high + f, False))
        yield from ((way * (f - u), False), (way * (high * u - f), False))
    elif head is sp.atan:
        yield from ((high - f, True), (high + f, True))
        # Two convergents of Gauss's continued fraction u/(1 + u**2/(3 + ...)).
        yield from ((way * (u - f), False), (way * ((3 + u**2) * f - 3 * u), False))
        if way.is_number:  # the same for atan(1/v) = pi/2 - atan(v)
            v, a = way * u, way * f
            yield from ((1 - v * (low - a), False), ((1 + 3 * v**2) * (high - a) - 3 * v, False))


def of_number(e: sp.Expr, letter: sp.Expr) -> list[Fact]:
    """Rational bounds of a number, by Arb's enclosure of it."""
    try:
        v = value(e)
    except NoBall:
        return []
    if not (v.is_finite() and v.imag.is_zero()):
        return []
    low, high = (v.real * PRECISION).floor(), (v.real * PRECISION).ceil()
    if not (low.is_exact() and high.is_exact()):
        return []
    ends = [sp.Rational(int(n.unique_fmpz()), PRECISION) for n in (low, high)]
    return [(letter - ends[0], False), (ends[1] - letter, False)]
