"""The size of the limit R/S by Hoelder's inequality with the exponents 4/3 and 4."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import cauchy_schwarz, chain, exp, sqrt
from numerics.derivations.kernel.rules import instantiate, limit
from numerics.derivations.kernel.terms import term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
from proofs_check.derivations.softmax_average import softmax_average as W
from proofs_check.derivations.softmax_average.moments import weight_at_least_one
from proofs_check.derivations.softmax_average.softmax_average import K, a2, eps, i, k, m, rho, t
from proofs_check.derivations.tails.lemma_c7_statements import size_of_the_limit

#: The factor e^{(4/3) a2} of the square.
growth_of_the_limit = exp(Fraction(4, 3) * a2)


@cache
def young() -> Theorem:
    """|R/S|^2 <= (3/4) t e^{(8/9) a2} + |R/S|^4 K^2/(4 t^3) for every t > 0: the mean of Young's
    inequality w y <= (3/4) t w^{4/3} + y^4/(4 t^3) for y = f.R/S, as E w >= 1.
    """
    y, part, growth = W.over(i, m, W.r * W.f(i, k)), Fraction(3, 4) * t, exp(Fraction(4, 3) * W.score)
    schwarz = cauchy_schwarz("coordinates", (i,), W.r, W.f(i, k), (m,))
    point = calc(
        W.w * y,
        ("<=", part * growth + y**2 * y**2 * t**-3 / 4),
        ("<=", part * growth + rho**2 * W.F**2 * t**-3 / 4, schwarz),
    )
    rest = rho**2 * K**2 * t**-3 / 4
    return calc(
        rho,
        ("<=", W.m0 * rho, weight_at_least_one()),
        ("<=", part * W.mean(growth) + rest, point),
        ("<=", part * exp(Fraction(8, 9) * a2) + rest, W.moment(term(Fraction(4, 3)))),
    )


@cache
def square_of_the_limit() -> Theorem:
    """|R/S|^4 <= e^{(4/3) a2} |R/S|^2 K, at the best t, sqrt(|R/S|^2 K + eps) e^{-(2/9) a2}."""
    top, half = sqrt(rho * K + eps), exp(Fraction(2, 3) * a2)
    best = show(Fraction(3, 4) * top + (rho * K) ** 2 * top**-3 / 4, "<=", top, rho * K)
    at = chain(instantiate(young(), {t: top * exp(-Fraction(2, 9) * a2)}), half * best.lhs)
    near = calc(
        rho**2,
        ("<=", (half * top) ** 2, calc(at, ("<=", half * top, best))),
        ("==", growth_of_the_limit * rho * K + eps * growth_of_the_limit),
    )
    return limit(near, eps, growth_of_the_limit * rho * K, growth_of_the_limit)


@cache
def theorem() -> Theorem:
    """|R/S|^2 <= e^{(4/3) a2} K."""
    value, growth = growth_of_the_limit * K, growth_of_the_limit
    both = calc(square_of_the_limit(), ("<=", (rho**2 + value**2) / 2, growth))
    return show(rho, "<=", value, show(rho**2, "<=", value**2, both, rho**2, value**2))


@proves("BB:LC.7.8/holder", size_of_the_limit)
@cache
def length() -> Theorem:
    """|R/S| <= e^{(2/3) a2} (E|f|^4)^{1/4}."""
    return show(sqrt(rho), "<=", exp(Fraction(2, 3) * a2) * sqrt(K), theorem())
