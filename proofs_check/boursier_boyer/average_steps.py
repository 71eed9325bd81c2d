"""Checks shared by the proofs of Lemmas C.6 and C.9 of Boursier & Boyer, which split the average
over the query at |z| = B: the radius B, the scores inside that ball, and the tail of the query
outside it.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import sympy as sp
from sympy import exp, log, oo, sqrt

from numerics.evidence import Evidence, all_of
from numerics.provers import Closed, Integers, forall, identity
from numerics.refutation import vanishing
from proofs_check.instances.outcomes import refuted_exactly

L = sp.Symbol("L", integer=True, positive=True)
theta = sp.Symbol("theta", nonnegative=True)
sigma, u, d = sp.symbols("sigma u d", positive=True)  # u >= |U|
C_f = sp.Symbol("C_f", positive=True)  # the constant of (i)
K, G = sp.symbols("K G", nonnegative=True)  # sqrt(E|f|^4) and a power of |g|; f and g may be 0
tau, rho = sp.symbols("tau rho", nonnegative=True)  # |Uz| = tau |U||z| and |z| = rho B
#: Every query in the ball |z| <= B, where u > 0 is at least |U|, and how the provers are to look at
#: it.
BALL = {L: Integers(1, oo), **dict.fromkeys((sigma, u), (0, oo)), **dict.fromkeys((tau, rho), Closed(0, 1))}
IN_THE_BALL = {theta: tau**2 * rho**2}
#: A product as it is written down.
written = partial(sp.Mul, evaluate=False)
BALL_WHY = r"Where $U=0$ the radius $B=\sqrt{\ln(L)/%d}/(\sigma\|U\|_{\rm op})$ divides by zero, and no $B$ meets the equation."
BALL_INSTEAD = r"Take any $B$ with $\sigma^{2}\|U\|_{\rm op}^{2}B^{2}\leq\ln(L)/%d$; where $U=0$ every $B$ serves, and no split is needed."


def radius(share: int, norm: sp.Expr) -> sp.Expr:
    """B = sqrt(ln(L)/share)/(sigma norm), as it is written."""
    with sp.evaluate(False):
        return sqrt(log(L) / share) / (sigma * norm)


def score_in_the_ball(share: int) -> sp.Expr:
    """sigma^2 |Uz|^2 as it is written, where |Uz| = tau |U||z| and |z| = rho B."""
    B = radius(share, u)
    return written(sigma**2, sp.Pow(written(tau, u, rho, B), 2, evaluate=False))


def square_of_the_radius(share: int, printed: int) -> Evidence:
    """Decide sigma^2 |U|^2 B^2 = ln(L)/printed for B = sqrt(ln(L)/share)/(sigma |U|)."""
    B = radius(share, u)
    return identity(written(sigma**2, u**2, sp.Pow(B, 2, evaluate=False)), log(L) / printed)


def ball_exists(share: int, norm: str, printed: int) -> Evidence:
    """Decide whether some B has sigma^2 |U|^2 B^2 = ln(L)/printed: none has for |U| = 0. Repaired,
    it is at most that for n >= |U|, n > 0 in place of |U| in B.
    """
    if norm == "|U|":
        product = sp.S.Zero  # sigma^2 * 0 * B^2, for every B
        wanted = log(2) / printed
        witness: dict[str, Any] = {
            "L": 2,
            "d": 1,
            "sigma": 1,
            "U": 0,
            "sigma^2|U|^2 B^2": product,
            f"ln(L)/{printed}": str(wanted),
        }
        if not wanted.is_positive:
            raise ValueError(f"ln(2)/{printed} is not positive: nothing is refuted")
        checked = rf"\sigma^2\|U\|^2B^2=\tfrac{{\ln L}}{{{printed}}}"
        return refuted_exactly(witness, checked=checked)
    n = sp.Symbol("n", positive=True)
    tau = sp.Symbol("tau", nonnegative=True)  # |U| = tau n
    B = radius(share, n)
    left = written(sigma**2, (tau * n) ** 2, sp.Pow(B, 2, evaluate=False))
    domain = {L: Integers(1, oo), tau: Closed(0, 1), sigma: Closed(1, oo), n: (0, oo)}
    return forall(left, "<=", log(L) / printed, domain)


def second_term_simplified(
    powers: tuple[int, ...], exponents: Callable[[int], tuple[int, int, int, int]], moment: int
) -> Evidence:
    """Decide 5 c1 sigma^a G L^{3/2} (c2 L^{1/b}/sigma^2)^c <= 5 c1 c2^c sigma^e G^moment L^{-1/2}
    for each p in `powers`, where `exponents` maps p to (a, b, c, e); equality for moment 1.
    """
    c1, c2 = sp.symbols("c1 c2", positive=True)
    sides = []
    for p in powers:
        a, b, c, e = exponents(p)
        power = sp.Pow(c2 * L ** sp.Rational(1, b) / sigma**2, c, evaluate=False)
        left = written(5, c1, sigma**a, G, L ** sp.Rational(3, 2), power)
        sides.append((left, 5 * c1 * c2**c * sigma**e * G**moment / sqrt(L)))
    if moment == 0:
        domain = {L: Integers(1, oo), sigma: Closed(1, oo), **dict.fromkeys((c1, c2, G), (0, oo))}
        return forall(sides[0][0], "<=", sides[0][1], domain)
    return all_of(*(identity(left, right) for left, right in sides))


def tail_of_the_query(
    *, share: int, twice: int, factor: Fraction, half: int, rate: int
) -> tuple[Evidence, ...]:
    """Decide the step to each of the five lines of Term 3: (A + D)^2 <= 2A^2 + 2D^2, sqrt(2x + 2y)
    <= sqrt(2x) + sqrt(2y), sqrt(e^{2d - B^2/16}) = e^{d - B^2/32}, and at the radius B, in the last
    three, the exponential is e^{d - ln(L)/(rate sigma^2 |U|^2)}.
    """
    A, D, x, y, B = sp.symbols("A D x y B", nonnegative=True)
    pair = dict.fromkeys((A, D), Closed(0, oo))
    other = dict.fromkeys((x, y), Closed(0, oo))
    chosen = radius(share, u)
    with sp.evaluate(False):
        root = sqrt(exp(2 * d - B**2 / 16))
        tail, tail_at_radius = exp(d - B**2 / half), exp(d - chosen**2 / 32)
        printed = exp(d - log(L) / (rate * sigma**2 * u**2))
    sum_of_roots = forall(sqrt(2 * x + 2 * y), "<=", sp.Rational(factor) * (sqrt(2 * x) + sqrt(2 * y)), other)
    size = dict.fromkeys((d, sigma, u), (0, oo))
    at_radius = forall(tail_at_radius, "<=", printed, {**size, L: Integers(1, oo)})
    square = forall((A + D) ** 2, "<=", twice * A**2 + twice * D**2, pair)
    tail_at_B = all_of(sum_of_roots, forall(root, "<=", tail, {d: (0, oo), B: Closed(0, oo)}))
    return square, tail_at_B, at_radius, at_radius, at_radius


def scale_of_the_maximum(
    powers: tuple[int, ...], order: int, grows: int, root: int, scale: int
) -> list[Evidence]:
    """Decide for each p, with m = `order`: |f|^m <= C_f^m |z|^{mp} from |f| = theta C_f |z|^p with
    theta in [0, 1]; the root of 2 E|g|^m C_f^m sigma^{mp} C M, where C M bounds the maximum at
    sigma = 1; and the root of Assumption (ii), E|R g/S|^m = theta sigma^{2mp} c.
    """
    r, g, C, M, c = sp.symbols("r g C M c", positive=True)
    positive, parts = dict.fromkeys((C_f, r), (0, oo)), []
    for p in powers:
        with sp.evaluate(False):
            of_f = (theta * C_f * r**p) ** order
            left = sqrt(written(2, g, C_f**order, C, M, sigma ** (order * p)))
            right = sigma ** (root * p) * sqrt(written(2, g, C_f**order, C, M))
            limit = sqrt(written(theta, sigma ** (2 * order * p), c))
        parts.append(forall(of_f, "<=", C_f**grows * r ** (order * p), {**positive, theta: Closed(0, 1)}))
        parts.append(identity(left, right))
        parts.append(
            forall(
                limit,
                "<=",
                sigma ** (scale * p) * sqrt(c),
                {c: (0, oo), theta: Closed(0, 1), sigma: Closed(1, oo)},
            )
        )
    return parts


def logarithm_absorbs_the_dimension(least: int, p: int, c: Fraction) -> Evidence:
    """Decide sqrt(d^{2p} + ln(L)^{2p}) <= (1 + d^p/ln(2)^p) ln(L)^p for L >= least, which fails at
    L = 1.
    """
    if least == 1:
        constant = sp.Symbol("c", positive=True)
        return vanishing(sp.S.One, constant * log(1) ** p, where={"L": 1, "d": 1, "sigma": 1})
    r, e = sp.symbols("r e", positive=True)  # ln L = r ln 2, e = d/ln 2
    factor = sp.Rational(c) * (1 + e**p)
    return forall(e ** (2 * p) + r ** (2 * p), "<=", factor**2 * r ** (2 * p), {r: Closed(1, oo), e: (0, oo)})
