"""Lemma C.6 of Boursier & Boyer, the proof: the split of the query at |z| = B and the three terms
that it leaves. Inequalities are proved or refuted over their whole domain, and the split is
evaluated exactly for queries of few values.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import sympy as sp
from sympy import cbrt, exp, log, oo, sqrt

from numerics.attention.softmax_average import softmax_average
from numerics.evidence import Evidence, all_of
from numerics.provers import Closed, Integers, forall, identity
from numerics.refutation import defeated
from numerics.search.query_average import Instance, tightest
from proofs_check.boursier_boyer import average_steps as shared
from proofs_check.boursier_boyer.average_statements import c1, c2, k
from proofs_check.boursier_boyer.average_steps import BALL_DOMAIN, L, score_in_the_ball
from proofs_check.core.claim import MEANS, claim
from theory.bounds.concentration import C, lemma_c4

K, q, G = sp.symbols("K q G", positive=True)  # sqrt(E|f|^4); the factor of the exponent in Term 2; E|g|^2
P = (1, 2)


@claim(
    "BB:LC.6.split",
    false="gap",
    why=r"The second line inserts Lemma C.4 as printed, with $C_{f}$ where its proof gives $C_{f}^{2}$: the left side is "
    r"quadratic in $f$, "
    r"the second term linear.",
    instead=r"The same chain with $C_{f}^{2}$ in place of $C_{f}$ in front of $e^{2d}$.",
    repair=dict(power=2),
    control=dict(power=0),
    needs=("BB:LC.4", "BB:LC.4.hull", "BB:LC.6.split/square", "BB:LC.6.split/product"),
    argument="the product with g as repaired; inside the ball Lemma C.4 at each query, outside (a + b)^2 <= 2 a^2 + 2 b^2 and "
    "the hull",
    hypotheses=("L in Integers", "L >= 1", "sigma >= 1", "d >= 1", "B >= 0"),
)
def split_at_the_ball(*, power: int = 1) -> Evidence:
    """Every line for queries of signs: B = 1 (all of them inside) with f = 244 z, and B = 1/2 (all
    outside) with f = z; p = 1.
    """

    def inner(length: Any, a2: Any, scale: int, sigma2: Any, fourth: Any) -> Any:
        root = sqrt(fourth) if isinstance(fourth, sp.Basic) else fourth**0.5
        bound = lemma_c4(length, a2, scale**2 * root, sigma2, scale, 1, power=2)
        first = 2 * C(a2, scale**2 * root) * (log(length) if isinstance(length, sp.Basic) else math.log(length)) / length
        return first + (bound - first) / scale ** (2 - power)

    checked = r"\mathbb{E}\|R_L/S_L-R/S\|^2\le\text{LC.4}\ (|z|\le B),\quad\le 2\,\mathbb{E}(\|R_L/S_L\|^2+\|R/S\|^2)\ (|z|>B)"
    covered = "tokens of two and three atoms, queries of signs, g = 1, L = 1, 2, 3, 10"
    return tightest(shared.split_instances(2, inner, 244), checked=checked, covered=covered)


@claim("BB:LC.6.split/square", control=dict(c=1), argument="|a - b|^2 for vectors is at most (|a| + |b|)^2")
def square_of_a_sum(*, c: int = 2) -> Evidence:
    """(a + b)^2 <= c (a^2 + b^2) with c = 2."""
    a, b = sp.symbols("a b", nonnegative=True)
    return forall((a + b) ** 2, "<=", c * (a**2 + b**2), {a: Closed(0, oo), b: Closed(0, oo)})


def _product_instances(c: Fraction) -> Iterator[Instance]:
    """List instances with f(z) = (z_+, z_-) and f * g = (f_1 - f_2) g = z g, so that |f(z) * g| =
    |f(z)| |g|; tokens are 1 and -1, U = 0 and g = 1.
    """
    for length in (1, 2, 3, 10):
        both = softmax_average(length, [0.0, 0.0], [[1.0, 0.0], [0.0, 1.0]], [0.5, 0.5], 0.0)
        difference = both.R_L / both.S_L - (both.R / both.S)[:, None]
        left = float(both.weight @ (difference[0] - difference[1]) ** 2)
        inside = float(both.weight @ (difference**2).sum(0))

        def exact(length: int = length) -> tuple[sp.Expr, sp.Expr]:
            # the mean of n signs has the variance 1/n, and the two shares differ from 1/2 by half
            # of it each
            return sp.Rational(1, length), sp.Rational(c) / (2 * length)

        where = {"L": length, "d": 1, "sigma": 1, "U": 0, "f(z)": "(max(z, 0), max(-z, 0))", "f g": "(f_1 - f_2) g", "g": 1}
        yield Instance({**where, "tokens": "1, -1 with 1/2 each"}, left, float(c) * inside, exact)


@claim(
    "BB:LC.6.split/product",
    false="gap",
    why=r"The lemma assumes only 'that the product $f(z_{1})g(z)$ is legit and that "
    r"$\|f(z_{1})g(z)\|\leq\|f(z_{1})\|\ \|g(z)\|$'; the first line bounds $\|\frac{R_{L}}{S_{L}}g(z)-\frac{R}{S}g(z)\|^{2}$ by "
    r"$\|\frac{R_{L}}{S_{L}}-\frac{R}{S}\|^{2}\|g(z)\|^{2}$, and a difference need not be a value of $f$.",
    instead=r"Assume $\|xg\|\leq\|x\|\,\|g\|$ for every $x$ in the span of the values of $f$ (true for a matrix product in the "
    r"Frobenius or "
    r"operator norm, as in all uses); or let the constants contain the norm of the product on that span.",
    repair=dict(c=Fraction(2)),
    control=dict(c=Fraction(19, 10)),
    hypotheses=("L in Integers", "L >= 1", "sigma >= 1"),
)
def product_of_a_difference(*, c: Fraction = Fraction(1)) -> Evidence:
    """E|x g|^2 <= c E|x|^2 |g|^2, x the error, a product with |f(z) g| = |f(z)| |g|; repaired by
    its norm on the span, c = 2.
    """
    checked = r"\mathbb{E}\|(R_L/S_L-R/S)g\|^2\le\mathbb{E}\|R_L/S_L-R/S\|^2\|g\|^2"
    covered = "tokens 1, -1, U = 0, L = 1, 2, 3, 10, f(z) = (z_+, z_-)"
    return tightest(_product_instances(Fraction(c)), checked=checked, covered=covered)


@claim(
    "BB:17",
    assumes=(MEANS,),
    control=dict(share=5),
    argument="|Uz| <= |U| |z| <= |U| B; the mean over the query is monotone, and the indicator at most 1",
    reference=dict(theta=sp.Rational(3, 2) / log(100)),  # a2 = 1/4
)
def term_1(*, share: int = 6) -> Evidence:
    """sigma^2|U|^2 B^2 = ln(L)/6 (U != 0); on |z| <= B: C(z) <= 108 e^{2 ln(L)/3} K and 2 C(z)
    ln(L)/L <= 216 K ln(L)/L^{1/3}.
    """
    a2 = score_in_the_ball(share)
    radius = identity(shared.sigma**2 * shared.u**2 * shared.radius_squared(share), log(L) / share)
    constant = forall(C(a2, sp.S.One), "<=", 108 * L ** sp.Rational(2, 3), BALL_DOMAIN)
    term = forall(2 * C(a2, sp.S.One) * log(L) / L, "<=", 216 * log(L) / cbrt(L), BALL_DOMAIN)
    return all_of(radius, identity(C(a2, K), C(a2, sp.S.One) * K), constant, term)


@claim(
    "BB:17/B",
    false="typo",
    why=shared.BALL_WHY % (6, 6),
    instead=shared.BALL_INSTEAD % 6,
    repair=dict(norm="n >= |U|, n > 0"),
    control=dict(c=Fraction(11, 10)),
    hypotheses=("L in Integers", "L >= 1", "sigma >= 1", "d >= 1"),
)
def radius_of_the_ball(*, norm: str = "|U|", c: Fraction = Fraction(1)) -> Evidence:
    """Some B has sigma^2 |U|^2 B^2 = ln(L)/6, for every U; with n >= |U|, n > 0, for |U| in B,
    sigma^2 |U|^2 B^2 <= ln(L)/6.
    """
    return shared.ball_exists(6, norm, c)


@claim(
    "BB:LC.6.T2",
    control=dict(share=5),
    needs=("BB:17",),
    argument="multiply by -q <= 0, q = (E|f|^4)^{1/2p}/(16 sigma^2 C_f^{2/p}), C_f > 0, and take exponentials",
)
def exponent_of_term_2(*, share: int = 6) -> Evidence:
    """On |z| <= B: (L/2)^{1/p} - e^{(2/p) a2} >= (L/2)^{1/p} - L^{1/(3p)}, times q; p = 1, 2."""
    a2, parts = score_in_the_ball(share), []
    for p in P:
        left = -((L / 2) ** sp.Rational(1, p) - exp(2 * a2 / p)) * q
        right = -((L / 2) ** sp.Rational(1, p) - L ** sp.Rational(1, 3 * p)) * q
        parts.append(forall(left, "<=", right, {**BALL_DOMAIN, q: (0, oo)}))
    return all_of(*parts)


@claim(
    "BB:LC.6.T2c",
    false="gap",
    why=r"The exponent contains $\mathbb{E}\|f(Z_{1})\|^{4}$, which depends on $\mu$ and may be as small as one likes: for tokens "
    r"$\pm L^{-1/2}$ ($\sigma=1$) the exponential stays above $e^{-1/32}$, for the point mass at 0 it is 1.",
    instead=r"With $q=(\mathbb{E}\|f(Z_{1})\|^{4})^{1/2p}/(16C_{f}^{2/p})\geq q_{0}$ the exponential is at most "
    r"$e^{q/\sigma^{2}}\exp(-q_{0}L^{1/p}/(4\sigma^{2}))$, and $q/\sigma^{2}$ is bounded in terms of $d$: the constants depend "
    r"on a lower "
    r"bound of $\mathbb{E}\|f(Z_{1})\|^{4}$. At a fixed query the mean squared error is also at most "
    r"$75e^{4\sigma^{2}\|Uz\|^{2}}\sqrt{\mathbb{E}\|f(Z_{1})\|^{4}}/L$, without a second term.",
    repair=dict(depends="on a lower bound"),
    control=dict(c=Fraction(1, 2)),
    needs=("BB:LC.6.T2",),
    argument="multiply by q/sigma^2, q >= q_0 > 0, and take exponentials; the powers of L in front are at most L^{3/2}",
    hypotheses=("L in Integers", "L >= 1", "sigma >= 1", "d >= 1", "epsilon > 0"),
)
def constants_of_term_2(*, depends: str = "on f and d", c: int | Fraction = 1) -> Evidence:
    """Tokens +-1/k, query 0, f = z, L = k^2: Term 2, at least 32 k^2 e^{2 - 1/32}, against c1 k^3
    e^{-c2 k^2}, p = 1, any c1, c2.

    Repaired, at a fixed lower bound: (L/2)^{1/p} - L^{1/(3p)} >= L^{1/p}/4 - c, p = 1, 2, c = 1.
    """
    if depends == "on f and d":
        left = 32 * k**2 * exp(2) * exp(-(k**2 / 2 - 1) / (16 * k**2))  # Term 2 itself, where e^{2 a2} = 1
        where = {"d": 1, "sigma": 1, "U": 1, "query": 0, "f": "z", "g": 1, "p": 1, "tokens": "epsilon, -epsilon with 1/2 each"}
        return defeated(left, c1 * k**3 * exp(-c2 * k**2), k, at={"L": k**2, "epsilon": 1 / k}, where=where)
    parts = []
    for p in P:
        left = L ** sp.Rational(1, 3 * p) - (L / 2) ** sp.Rational(1, p)
        parts.append(forall(left, "<=", sp.Rational(c) - L ** sp.Rational(1, p) / 4, {L: Integers(1, oo)}))
    return all_of(*parts)


@claim("BB:LC.6.5x", dial="c")
def exponential_below_a_power(*, c: int | Fraction = 5) -> Evidence:
    """e^{-x} <= 5 x^{-2p} for x > 0, p = 1, 2, here multiplied by x^{2p}; the display is this at x
    = c2 L^{1/p}/sigma^2.
    """
    x = sp.Symbol("x", positive=True)
    return all_of(*(forall(x ** (2 * p) * exp(-x), "<=", sp.Rational(c), {x: (0, oo)}) for p in P))


@claim(
    "BB:LC.6.T2b",
    false="typo",
    why=r"The factor $\mathbb{E}_{z}[\|g(z)\|^{2}]$ of the display before it is lost, although $\tilde c_{1}$ and $\tilde "
    r"c_{2}$ hide "
    r"dependencies in $f$ and $d$ only.",
    instead=r"$5\tilde c_{1}\tilde c_{2}^{-2p}\sigma^{6p}\,\mathbb{E}_{z}[\|g(z)\|^{2}]\,L^{-1/2}$.",
    repair=dict(moment=1),
    needs=("BB:LC.6.T2c", "BB:LC.6.5x"),
    hypotheses=("L in Integers", "L >= 1", "sigma >= 1", "G > 0"),
)
def term_2_simplified(*, moment: int = 0) -> Evidence:
    """5 c1 sigma^{2p} G L^{3/2} (c2 L^{1/p}/sigma^2)^{-2p} <= 5 c1 c2^{-2p} sigma^{6p} G^moment
    L^{-1/2}, G = E|g|^2, p = 1, 2.

    Printed with moment = 0; with moment = 1 the two sides are equal.
    """
    s, length = shared.sigma, sp.Symbol("L", integer=True, positive=True)
    left = [
        5 * c1 * s ** (2 * p) * G * length ** sp.Rational(3, 2) * (c2 * length ** sp.Rational(1, p) / s**2) ** (-2 * p) for p in P
    ]
    right = [5 * c1 * c2 ** (-2 * p) * s ** (6 * p) * G**moment / sqrt(length) for p in P]
    if moment == 0:
        positive = {length: Integers(1, oo), s: Closed(1, oo), **dict.fromkeys((c1, c2, G), (0, oo))}
        return forall(left[0], "<=", right[0], positive)
    return identity(left, right)


@claim(
    "BB:LC.6.T3",
    assumes=(MEANS,),
    control=dict(c=1),
    needs=("BB:LD.2.1", "BB:LD.2.2", "BB:17/B", "BB:AC.5", "BB:LC.6.T3/maximum"),
    cites=("Cauchy-Schwarz inequality",),
    argument="Cauchy-Schwarz in the query with P(|z| >= B) <= e^{2d - B^2/16}; then the maximum by Lemma D.2 and R/S by C.5 (ii)",
)
def term_3(*, c: int = 2) -> Evidence:
    """(A+D)^2 <= 2A^2 + 2D^2, sqrt(x+y) <= sqrt x + sqrt y, sqrt(e^{2d - B^2/16}) = e^{d - B^2/32},
    B^2/32 = ln(L)/(192 kappa).
    """
    return shared.tail_of_the_query(6, c)


@claim("BB:LC.6.T3/maximum", argument="|f(z)|^4 <= C_f^4 |z|^{4p}, and max|z_l| has the scale sigma; M = d^{2p} + ln(L)^{2p}")
def scale_of_the_maximum() -> Evidence:
    """sqrt(2 g4 C_f^4 sigma^{4p} C_{4p} M) = sigma^{2p} sqrt(2 g4 C_f^4 C_{4p} M), p = 1, 2."""
    g4, C_f, C4p, M = sp.symbols("g4 C_f C4p M", positive=True)
    s = shared.sigma
    left = [sqrt(2 * g4 * C_f**4 * s ** (4 * p) * C4p * M) for p in P]
    return identity(left, [s ** (2 * p) * sqrt(2 * g4 * C_f**4 * C4p * M) for p in P])


@claim(
    "BB:LC.6.T3/conclude",
    false="gap",
    why=r"The bound of Term 3 contains $\sqrt{d^{2p}+\ln(L)^{2p}}$ and a term without logarithm; at $L=1$ no multiple of "
    r"$\ln(L)^{p}=0$ bounds them, which (16) supposes.",
    instead=r"For $L\geq 2$, $\sqrt{d^{2p}+\ln(L)^{2p}}\leq(1+d^{p}/\ln(2)^{p})\ln(L)^{p}$.",
    repair=dict(least=2),
    control=dict(c=Fraction(9, 10)),
    needs=("BB:LC.6.T3",),
    hypotheses=("L in Integers", "L >= 1", "sigma >= 1", "d >= 1"),
)
def logarithm_absorbs_the_dimension(*, least: int = 1, c: int | Fraction = 1) -> Evidence:
    """Is sqrt(d^{2p} + ln(L)^{2p}) at most a constant times ln(L)^p for every L >= least?"""
    return all_of(*(shared.logarithm_absorbs_the_dimension(least, p, Fraction(c)) for p in P))
