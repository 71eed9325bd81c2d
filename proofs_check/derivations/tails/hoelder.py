"""The size of the limit R/S by Hoelder's inequality with the exponents 4/3 and 4."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import cauchy_schwarz, chain, exp, integrated, root, sqrt
from numerics.derivations.kernel.rules import arithmetic, gcongr, instantiate, limit
from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE
from numerics.derivations.kernel.terms import Defined, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from proofs_check.derivations.softmax_average.moments import weight_at_least_one
from proofs_check.derivations.softmax_average.softmax_average import (
    F,
    K,
    a2,
    eps,
    f,
    i,
    k,
    m,
    m0,
    moment,
    over,
    r,
    rho,
    s,
    score,
    t,
    w,
    x,
)

along = Defined("along", over(i, m, r * f(i, k)))
A_, B_, C_ = (Variable(name, range=NONNEGATIVE) for name in "ABC")
P_, Q_ = (Variable(name, range=POSITIVE) for name in "PQ")

#: The factor e^{(4/3) a2} of the square.
growth_of_the_limit = exp(Fraction(4, 3) * a2)


@cache
def young() -> Theorem:
    """|R/S|^2 <= (3/4) t e^{(8/9) a2} + |R/S|^4 K^2/(4 t^3) for every t > 0: the mean of Young's
    inequality w y <= (3/4) t w^{4/3} + y^4/(4 t^3) for y = f.R/S, as E w >= 1.
    """
    y, power, part = over(i, m, r * f(i, k)), moment(term(Fraction(4, 3))), Fraction(3, 4) * t
    line = arithmetic(P_**3 * x, "<=", Fraction(3, 4) * P_**4 + x**4 / 4)
    line = instantiate(line, {P_: exp(score / 3), x: y / t})
    schwarz = chain(y**2, cauchy_schwarz("coordinates", (i,), r, f(i, k), (m,)), rho * F)
    fourth = chain(y**4, gcongr(y**2 * y**2, schwarz), rho**2 * F**2)
    bound = part * exp(Fraction(4, 3) * score) + y**4 * t**-3 / 4
    point = chain(w * y, gcongr(t * line.lhs, line), gcongr(bound, fourth))
    rest = rho**2 * K**2 * t**-3 / 4
    return chain(
        arithmetic(rho, "<=", m0 * rho, weight_at_least_one()),
        integrated("mean", (k,), point, m0 * rho, part * power.lhs + rest),
        gcongr(part * power.lhs + rest, power),
        part * exp(Fraction(8, 9) * a2) + rest,
    )


@cache
def square_of_the_limit() -> Theorem:
    """|R/S|^4 <= e^{(4/3) a2} |R/S|^2 K, at the best t, sqrt(|R/S|^2 K + eps) e^{-(2/9) a2}."""
    at = instantiate(young(), {t: sqrt(rho * K + eps) * exp(-Fraction(2, 9) * a2)})
    best = arithmetic(Fraction(3, 4) * sqrt(A_ + s) + A_**2 * sqrt(A_ + s) ** -3 / 4, "<=", sqrt(A_ + s))
    best = instantiate(best, {A_: rho * K, s: eps})
    at = chain(at, gcongr(exp(Fraction(2, 3) * a2) * best.lhs, best))
    near = chain(gcongr(rho**2, at), growth_of_the_limit * rho * K + eps * growth_of_the_limit)
    return limit(near, eps, growth_of_the_limit * rho * K, growth_of_the_limit)


@cache
def theorem() -> Theorem:
    """|R/S|^2 <= e^{(4/3) a2} K."""
    value = growth_of_the_limit * K
    both = arithmetic(value * rho, "<=", (rho**2 + value**2) / 2, hide=(growth_of_the_limit,))
    square = chain(square_of_the_limit(), both)
    return root(arithmetic(rho**2, "<=", value**2, square, hide=(rho**2, value**2)), rho, value)


@cache
def length() -> Theorem:
    """|R/S| <= e^{(2/3) a2} (E|f|^4)^{1/4}."""
    return root(theorem(), sqrt(rho), exp(Fraction(2, 3) * a2) * sqrt(K))
