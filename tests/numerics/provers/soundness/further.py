"""Inequalities between tan, LambertW and polygamma, decided at the hints and by the search."""

import random
from collections.abc import Callable
from fractions import Fraction

import sympy as sp

from tests.numerics.provers.soundness.case import Inequality
from tests.numerics.provers.soundness.drawing import drawn
from tests.numerics.provers.soundness.search import Axis
from tests.numerics.provers.soundness.wells import positive, symbols

__all__ = ["FAMILIES"]

#: A function, a bound that it meets or comes close to for positive u, and the end of a range.
_BOUNDS = """
tan(u), u, R(3, 2); tan(u), u + u**3/3, R(3, 2); tan(u), b, R(11, 7); tan(u + 2), -b, 2; tan(u/2)**2, 0, 4;
LambertW(u), 0, oo; LambertW(u), u, 3; LambertW(u), b, 9; LambertW(u - R(1, 3)), -R(3, 4), oo;
u*LambertW(u), -b/100, 5; polygamma(0, u), -b, 2; polygamma(1, u), 1/u, 6; polygamma(1, u), b, 4;
polygamma(2, u), -b, 5; polygamma(3, u), 0, oo
"""


def _bounded(rng: random.Random) -> Inequality:
    (axis,) = symbols(rng, [Axis(Fraction(0), None)])
    lhs, rhs, end = drawn(rng, _BOUNDS, u=axis, b=positive(rng))
    hi = None if end is sp.oo else Fraction(int(end.p), int(end.q))
    off = rng.choice((0, 0, sp.Rational(1, 1000), -sp.Rational(1, 1000)))
    hints = [[Fraction(n, 100)] for n in (1, 40, 100, 149, 157, 200, 310, 900)]
    return Inequality(
        lhs, rng.choice((">=", ">", "<=")), rhs + off, {axis: Axis(Fraction(0), hi)}, hints=hints
    )


FAMILIES: dict[str, Callable[[random.Random], Inequality]] = {"tan, LambertW and polygamma": _bounded}
