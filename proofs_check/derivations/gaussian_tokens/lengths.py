"""Moments of |x|^2 for a Gaussian vector x = R xi of the covariance S = R R', under a weight
e^{s|xi|^2/2}, and of a query.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, exp, integrated, log, schwarz_of_bounds, sqrt
from numerics.derivations.kernel.rules import arithmetic, instantiate
from numerics.derivations.kernel.sorts import REALS
from numerics.derivations.kernel.terms import Op, Term, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.tactics import show
from proofs_check.derivations.gaussian_tokens.linear_model import l, x
from proofs_check.derivations.gaussian_tokens.moments import (
    fourth_moment,
    mass,
    second_moment_above,
    squared,
    weight,
)
from proofs_check.derivations.softmax_average.gaussian_tokens import R, b, g, mean, n, rank
from proofs_check.derivations.softmax_average.softmax_average import d, i, over

PLAIN, HALF = Fraction(0), Fraction(1, 2)
real, other = (Variable(name, range=REALS) for name in ("y_", "x_"))
trace = over(i, d, over(n, rank, R(i, n) ** 2))


def absolute(u: Term) -> Term:
    """|u|, whose powers the kernel does not multiply out."""
    return Op("max", (u, -u))


def length(of: Variable = g) -> Term:
    """|x|^2."""
    return over(i, d, absolute(x(i, of)) ** 2)


def coordinate(index: Variable, s: Fraction, power: int, thm: Theorem) -> Theorem:
    """The theorem on E w (b.xi)^power at |x_i| = |(R xi)_i|."""
    same = instantiate(arithmetic(absolute(real) ** power, "==", real**power), {real: x(index)})
    same = show(weight(s) * same.lhs, "==", weight(s) * same.rhs, same, same.lhs, same.rhs, weight(s))
    value = instantiate(thm, {b: ((n,), R(index, n))})
    return chain(integrated("normal", (g,), same), value)


@cache
def second(s: Fraction) -> Theorem:
    """E w |x|^2 <= r^{-rank/2} tr S/r with r = 1 - s."""
    each = coordinate(i, s, 2, second_moment_above(s))
    return integrated("coordinates", (i,), each, mean(weight(s) * length()), mass(s) * trace / (1 - s), (d,))


@cache
def fourth(s: Fraction) -> Theorem:
    """E w |x|^4 <= 3 r^{-rank/2}(tr S)^2/r^2, by the Cauchy-Schwarz inequality for each pair of
    coordinates.
    """
    root = exp(s / 4 * squared) if s else term(1)
    half = sqrt(3) * exp(-(rank / 4) * log(1 - s)) / (1 - s)
    values, bounds, known = [], [], []
    for index in (i, l):
        values.append(root * absolute(x(index)) ** 2)
        bounds.append(half * over(n, rank, R(index, n) ** 2))
        one = coordinate(index, s, 4, fourth_moment(s))
        known.append(chain(mean(values[-1] ** 2), one, bounds[-1] ** 2))
    pair = schwarz_of_bounds("normal", (g,), values[0], values[1], known[0], known[1], bounds[0], bounds[1])
    rows = integrated("coordinates", (l,), pair, heads=(d,))
    return integrated(
        "coordinates",
        (i,),
        rows,
        mean(weight(s) * length() ** 2),
        3 * mass(s) * trace**2 / (1 - s) ** 2,
        (d,),
    )
