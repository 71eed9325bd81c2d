"""The fourth moment of a Gaussian query whose covariance is at most I (Lemma E.2 of Boursier &
Boyer): that of a standard Gaussian vector, from the moment generating function of its square.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from numerics.derivations.derived import exp, log
from numerics.derivations.kernel.rules import arithmetic, assume, gaussian, gcongr, instantiate, limit
from numerics.derivations.kernel.sorts import NONNEGATIVE, POSITIVE, Range, Sort
from numerics.derivations.kernel.terms import GAUSSIAN, Function, Variable, term
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement
from numerics.derivations.tactics import calc, show
from proofs_check.derivations.proof import proves
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
    tangent = instantiate(show(1 - v, "<=", exp(-v)), {v: u / 2 * square})
    exact = gaussian(g, n, d, term(0), arithmetic(-u + (1 + u), "==", 1))
    lower, upper = arithmetic(u / (1 + u), "<=", log(1 + u)), arithmetic(log(1 + u), "<=", u)
    y, rest = d / 2 * log(1 + u), d + d**2 / 4
    below = calc(
        1 - u / 2 * mean(square),
        ("<=", exact.lhs, tangent),
        ("==", exp(-y), exact),
        ("<=", 1 - y + y**2 / 2, instantiate(show(exp(-v), "<=", 1 - v + v**2 / 2), {v: y})),
        ("==", 1 - d / 2 * log(1 + u) + d**2 / 8 * log(1 + u) ** 2),
        ("<=", 1 - d / 2 * (u / (1 + u)) + d**2 / 8 * u**2, lower, upper),
    )
    scaled = calc(
        d,
        ("<=", 2 / u + u * rest + -1 * (2 / u * below.rhs)),
        ("<=", 2 / u + u * rest + -1 * (2 / u * below.lhs), below),
    )
    return limit(scaled, u, mean(square), rest)


@cache
def _moments_below() -> Theorem:
    """1 + (a/2) E|xi|^2 + (a^2/8) E|xi|^4 <= (1 + u)^{d/2} for a = u/(1 + u)."""
    a = u / (1 + u)
    tangent = instantiate(show(1 + v + v**2 / 2, "<=", exp(v)), {v: a / 2 * square})
    exact = gaussian(g, n, d, term(0), arithmetic(u * (1 / (1 + u)) + 1 / (1 + u), "==", 1))
    return calc(
        1 + a / 2 * mean(square) + a**2 / 8 * mean(square**2),
        ("<=", exact.lhs, tangent),
        ("==", exp(d / 2 * log(1 + u)), exact),
    )


@cache
def fourth_moment() -> Theorem:
    """E|xi|^4 <= d^2 + 2 d: the last inequality for u to the third order, as u tends to 0."""
    step = eps / (1 + eps) / (1 + d)
    a, L, D, E = step / (1 + step), log(1 + step), d**2 + 2 * d, d**3
    at = lambda thm: instantiate(thm, {u: step})
    first = at(arithmetic(log(1 + u), "<=", u / (1 + u) + u**2 / 2))
    upper = at(arithmetic(log(1 + u), "<=", u))
    less = calc(d / 2 * L, ("<=", d / 2 * step, upper), ("<=", 1))
    cubic = arithmetic(exp(small), "<=", 1 + small + small**2 / 2 + small**3)
    cubic = instantiate(cubic, {small: d / 2 * L}, less)
    powers = gcongr(d / 2 * L, first), *(gcongr(d**k / 8 * L**k, upper) for k in (2, 3))
    near = calc(
        1 + a / 2 * mean(square) + a**2 / 8 * mean(square**2),
        ("<=", exp(d / 2 * L), at(_moments_below())),
        ("<=", 1 + d / 2 * L + d**2 / 8 * L**2 + d**3 / 8 * L**3, cubic),
        ("<=", 1 + d / 2 * (a + step**2 / 2) + d**2 / 8 * step**2 + d**3 / 8 * step**3, *powers),
    )
    scale, low, least = 8 * (1 + step) ** 2 / step**2, 1 + a / 2 * mean(square), 1 + a / 2 * d
    letters = step, mean(square), mean(square**2)
    w, z = (Variable(name, range=NONNEGATIVE) for name in ("w_", "z_"))
    last = arithmetic((1 + small) ** 2 * (w + z * small), "<=", w + small * (3 * w + 4 * z))
    second = show(-1 * (scale * low), "<=", -1 * (scale * least), second_moment(), *letters)
    fourth = calc(
        mean(square**2),
        ("==", scale * near.lhs + -1 * (scale * low), *letters),
        ("<=", scale * near.rhs + -1 * (scale * least), near, second),
        ("==", (1 + step) ** 2 * (D + E * step), *letters),
        ("<=", D + step * (3 * D + 4 * E), instantiate(last, {small: step, w: D, z: E}, show(step, "<=", 1))),
        ("<=", D + eps * (3 * D + 4 * E), show(step, "<=", eps)),
    )
    return limit(fourth, eps, D, 3 * D + 4 * E)


@proves("BB:LE.2.gauss/query", statement)
@cache
def theorem() -> Theorem:
    """|z| <= |xi|, and d^2 + 2 d <= 3 d^2."""
    return calc(
        mean(query**2),
        ("<=", mean(square**2), instantiate(contraction, {b: ((n,), xi)})),
        ("<=", d**2 + 2 * d, fourth_moment()),
        ("<=", 3 * d**2),
    )
