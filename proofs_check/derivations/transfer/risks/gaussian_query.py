"""The fourth moment of a Gaussian query whose covariance is at most I (Lemma E.2 of Boursier &
Boyer): that of a standard Gaussian vector, from the moment generating function of its square.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import chain, exp, integrated, log
from numerics.derivations.kernel.rules import (
    arithmetic,
    assume,
    gaussian,
    gcongr,
    instantiate,
    integrate,
    limit,
)
from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE, Range, Sort
from numerics.derivations.kernel.terms import GAUSSIAN, Function, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement
from proofs_check.derivations.softmax_average.gaussian_tokens import g, mean, n
from proofs_check.derivations.softmax_average.softmax_average import d, eps, j, over

u, v = Variable("u", range=POSITIVE), Variable("v_", range=NONNEGATIVE)
small = Variable("small_", range=Range(Fraction(0), Fraction(1), False, False))
A, b = Function("A", (Sort.INDEX, Sort.INDEX)), Function("b", (Sort.INDEX,))
xi = GAUSSIAN(n, g)
square = over(n, d, xi**2)
query = over(j, d, over(n, d, A(j, n) * xi) ** 2)
contraction = assume(
    "the covariance is at most I",
    over(j, d, over(n, d, A(j, n) * b(n)) ** 2),
    "<=",
    over(n, d, b(n) ** 2),
    every=(b,),
)


def statement(k: int | Fraction = 16) -> Statement:
    """E|z|^4 <= k d^2 for z = A xi with a standard Gaussian xi and A A' <= I."""
    return Statement(mean(query**2), "<=", Fraction(k) * d**2, contraction.assumptions)


@cache
def second_moment() -> Theorem:
    """E|xi|^2 >= d, from 1 - u|xi|^2/2 <= e^{-u|xi|^2/2} as u tends to 0."""
    tangent = instantiate(arithmetic(1 - v, "<=", exp(-v)), {v: u / 2 * square})
    exact = gaussian(g, n, d, term(0), arithmetic(-u + (1 + u), "==", 1))
    below = integrated("normal", (g,), tangent, 1 - u / 2 * mean(square), exact.lhs)
    y = d / 2 * log(1 + u)
    below = chain(below, exact, exp(-y), instantiate(arithmetic(exp(-v), "<=", 1 - v + v**2 / 2), {v: y}))
    lower = arithmetic(u / (1 + u), "<=", log(1 + u))
    upper = arithmetic(log(1 + u), "<=", u)
    form = 1 - d / 2 * log(1 + u) + d**2 / 8 * log(1 + u) ** 2
    near = chain(below, form, gcongr(form, lower, upper))
    rest = d + d**2 / 4
    scaled = 2 / u + u * rest + -1 * (2 / u * near.rhs)
    return limit(chain(arithmetic(d, "<=", scaled), gcongr(scaled, near)), u, mean(square), rest)


@cache
def _moments_below() -> Theorem:
    """1 + (a/2) E|xi|^2 + (a^2/8) E|xi|^4 <= (1 + u)^{d/2} for a = u/(1 + u)."""
    a = u / (1 + u)
    tangent = instantiate(arithmetic(1 + v + v**2 / 2, "<=", exp(v)), {v: a / 2 * square})
    exact = gaussian(g, n, d, term(0), arithmetic(u * (1 / (1 + u)) + 1 / (1 + u), "==", 1))
    parts = 1 + a / 2 * mean(square) + a**2 / 8 * mean(square**2)
    below = integrated("normal", (g,), tangent, parts, exact.lhs)
    return chain(below, exact, exp(d / 2 * log(1 + u)))


@cache
def fourth_moment() -> Theorem:
    """E|xi|^4 <= d^2 + 2 d: the last inequality for u to the third order, as u tends to 0."""
    step = eps / (1 + eps) / (1 + d)
    a, L = step / (1 + step), log(1 + step)
    at = lambda thm: instantiate(thm, {u: step})
    first, upper = (
        at(arithmetic(log(1 + u), "<=", u / (1 + u) + u**2 / 2)),
        at(arithmetic(log(1 + u), "<=", u)),
    )
    y = d / 2 * L
    less = chain(gcongr(y, upper), arithmetic(d / 2 * step, "<=", 1))
    cubic = instantiate(arithmetic(exp(small), "<=", 1 + small + small**2 / 2 + small**3), {small: y}, less)
    powers = [
        gcongr(c * L**k, first if k == 1 else upper) for k, c in ((1, d / 2), (2, d**2 / 8), (3, d**3 / 8))
    ]
    total = 1 + powers[0].lhs + powers[1].lhs + powers[2].lhs
    near = chain(
        at(_moments_below()), cubic, arithmetic(cubic.rhs, "==", total, hide=(L,)), gcongr(total, *powers)
    )
    scale, low = 8 * (1 + step) ** 2 / step**2, 1 + a / 2 * mean(square)
    hidden = step, mean(square), mean(square**2)
    below = 1 + a / 2 * mean(square) + a**2 / 8 * mean(square**2)
    fourth = arithmetic(mean(square**2), "==", scale * below + -1 * (scale * low), hide=hidden)
    least = arithmetic(-1 * (scale * low), "<=", -1 * (scale * (1 + a / 2 * d)), second_moment(), hide=hidden)
    fourth = chain(fourth, gcongr(fourth.rhs, near, least))
    D, E = d**2 + 2 * d, d**3
    fourth = chain(fourth, arithmetic(fourth.rhs, "==", (1 + step) ** 2 * (D + E * step), hide=hidden))
    w, z = (Variable(name, range=NONNEGATIVE) for name in ("w_", "z_"))
    last = arithmetic((1 + small) ** 2 * (w + z * small), "<=", w + small * (3 * w + 4 * z))
    last = instantiate(last, {small: step, w: D, z: E}, arithmetic(step, "<=", 1))
    shrink = arithmetic(step, "<=", eps)
    fourth = chain(fourth, last, gcongr(last.rhs, shrink))
    return limit(fourth, eps, D, 3 * D + 4 * E)


@cache
def theorem() -> Theorem:
    """|z| <= |xi|, and d^2 + 2 d <= 3 d^2."""
    shorter = instantiate(contraction, {b: ((n,), xi)})
    average = integrate("normal", (g,), gcongr(query**2, shorter))
    return chain(average, fourth_moment(), arithmetic(d**2 + 2 * d, "<=", 3 * d**2))
