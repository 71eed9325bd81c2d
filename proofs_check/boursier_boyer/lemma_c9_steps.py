"""Lemma C.9 of Boursier & Boyer, the proof: the split of the query at |z| = B and the three terms
that it leaves. Inequalities are proved or refuted over their whole domain, and the split is
evaluated exactly for queries of few values.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import sympy as sp
from sympy import exp, log, oo, sqrt

from numerics.evidence import Evidence, all_of
from numerics.provers import Closed, Integers, forall, identity
from numerics.refutation import defeated
from numerics.search.query_average import tightest
from proofs_check.boursier_boyer import average_steps as shared
from proofs_check.boursier_boyer.average_statements import c1, c2, k
from proofs_check.boursier_boyer.average_steps import BALL_DOMAIN, L, score_in_the_ball
from proofs_check.core.claim import MEANS, claim
from theory.bounds.concentration import C
from theory.bounds.concentration_moments import lemma_c7

K, q, G = sp.symbols("K q G", positive=True)  # sqrt(E|f|^4); the factor of the exponent in Term 2; E|g|^4


@claim(
    "BB:LC.9.split",
    control=dict(times=Fraction(1, 15000)),
    needs=("BB:LC.7", "BB:LC.4.hull", "BB:LC.9.split/power", "BB:LC.6.split/product"),
    argument="inside the ball Lemma C.7 at each query, outside (a + b)^4 <= 8 a^4 + 8 b^4 and the convex hull; the product "
    "with g as in "
    "the repaired LC.6.split/product",
)
def split_at_the_ball(*, times: Fraction = Fraction(1)) -> Evidence:
    """Every line for queries of signs: B = 1 (all of them inside) with f = 244 z, and B = 1/2 (all
    outside) with f = z.
    """

    def inner(length: Any, a2: Any, scale: int, sigma2: Any, fourth: Any) -> Any:
        exact = isinstance(fourth, sp.Basic)
        root = sqrt(fourth) if exact else fourth**0.5
        factor = sp.Rational(times) if exact else float(times)
        return factor * lemma_c7(length, a2, scale**2 * root, sigma2, scale, 1, fourth)

    checked = r"\mathbb{E}\|R_L/S_L-R/S\|^4\le\text{LC.7}\ (|z|\le B),\quad\le 8\,\mathbb{E}(\|R_L/S_L\|^4+\|R/S\|^4)\ (|z|>B)"
    covered = "tokens of two and three atoms, queries of signs, g = 1, L = 1, 2, 3, 10, sigma^2|Uz|^2 <= 4"
    return tightest(shared.split_instances(4, inner, 244), checked=checked, covered=covered)


@claim("BB:LC.9.split/power", dial="c", argument="|a - b|^4 for vectors is at most (|a| + |b|)^4")
def fourth_power_of_a_sum(*, c: int | Fraction = 8) -> Evidence:
    """(a + b)^4 <= c (a^4 + b^4) with c = 8, sharp at a = b."""
    a, b = sp.symbols("a b", nonnegative=True)
    return forall((a + b) ** 4, "<=", sp.Rational(c) * (a**4 + b**4), {a: Closed(0, oo), b: Closed(0, oo)})


@claim(
    "BB:19",
    assumes=(MEANS,),
    control=dict(share=10),
    argument="|Uz| <= |U| B; the mean over the query is monotone, and the indicator at most 1",
    reference=dict(theta=3 / log(100)),  # a2 = 1/4
)
def term_1(*, share: int = 12) -> Evidence:
    """sigma^2|U|^2 B^2 = ln(L)/12 (U != 0); on |z| <= B: C(z) <= 108 e^{ln(L)/3} K and 2 C(z)
    K/sqrt(L) <= 216 K^2/L^{1/6}.
    """
    a2 = score_in_the_ball(share)
    radius = identity(shared.sigma**2 * shared.u**2 * shared.radius_squared(share), log(L) / share)
    constant = forall(C(a2, sp.S.One), "<=", 108 * L ** sp.Rational(1, 3), BALL_DOMAIN)
    term = forall(2 * C(a2, sp.S.One) / sqrt(L), "<=", 216 * L ** sp.Rational(-1, 6), BALL_DOMAIN)
    return all_of(radius, identity(C(a2, K) * K, C(a2, sp.S.One) * K**2), constant, term)


@claim(
    "BB:19/B",
    false="typo",
    why=shared.BALL_WHY % (12, 12),
    instead=shared.BALL_INSTEAD % 12,
    repair=dict(norm="n >= |U|, n > 0"),
    control=dict(c=Fraction(11, 10)),
    hypotheses=("L in Integers", "L >= 1", "sigma >= 1", "d >= 1"),
)
def radius_of_the_ball(*, norm: str = "|U|", c: Fraction = Fraction(1)) -> Evidence:
    """Some B has sigma^2 |U|^2 B^2 = ln(L)/12, for every U; with n >= |U|, n > 0, for |U| in B,
    sigma^2 |U|^2 B^2 <= ln(L)/12.
    """
    return shared.ball_exists(12, norm, c)


@claim(
    "BB:LC.9.T2/display",
    control=dict(share=10),
    needs=("BB:19",),
    argument="multiply by -q <= 0, q = sqrt(E|f|^4)/(16 sigma^2 C_f^2), C_f > 0, and take exponentials",
)
def exponent_of_term_2(*, share: int = 12) -> Evidence:
    """On |z| <= B: sqrt(L/8) - e^{2 a2} >= sqrt(L/8) - L^{1/6}, times q."""
    left = -(sqrt(L / 8) - exp(2 * score_in_the_ball(share))) * q
    return forall(left, "<=", -(sqrt(L / 8) - L ** sp.Rational(1, 6)) * q, {**BALL_DOMAIN, q: (0, oo)})


@claim(
    "BB:LC.9.T2",
    false="gap",
    why=r"The exponent contains $\mathbb{E}\|f(Z_{1})\|^{4}$, which depends on $\mu$ and may be as small as one likes: for tokens "
    r"$\pm L^{-1/4}$ ($\sigma=1$) the exponential stays above $e^{-1/45}$, for the point mass at 0 it is 1. (The sentence "
    r"also says 'Equation (16)' for (18).)",
    instead=r"With $q=(\mathbb{E}\|f(Z_{1})\|^{4})^{1/2}/(16C_{f}^{2})\geq q_{0}$ the exponential is at most "
    r"$e^{q/\sigma^{2}}\exp(-q_{0}\sqrt{L}/(8\sigma^{2}))$, and $q/\sigma^{2}$ is bounded in terms of $d$: the constants depend "
    r"on a lower "
    r"bound of $\mathbb{E}\|f(Z_{1})\|^{4}$. At a fixed query the mean fourth power of the error is also at most "
    r"$8000e^{16\sigma^{2}\|Uz\|^{2}}\sqrt{\mathbb{E}\|f(Z_{1})\|^{8}}/L^{2}$, without a second term.",
    repair=dict(depends="on a lower bound"),
    control=dict(c=Fraction(1, 2)),
    needs=("BB:LC.9.T2/display", "BB:LC.9.T2/g", "BB:LC.6.5x"),
    argument="multiply by q/sigma^2, q >= q_0 > 0, and take exponentials; the powers of L in front are at most L^{3/2}",
    hypotheses=("L in Integers", "L >= 1", "sigma >= 1", "d >= 1", "epsilon > 0"),
)
def constants_of_term_2(*, depends: str = "on f and d", c: int | Fraction = 1) -> Evidence:
    """Tokens +-1/k, query 0, f = z, L = k^4: Term 2 against c1 k^6 e^{-c2 k^2}, for every c1, c2;
    sqrt(E|f|^4) = 1/k^2.

    Repaired, at a fixed lower bound: sqrt(L/8) - L^{1/6} >= sqrt(L)/8 - c, c = 1.
    """
    if depends == "on f and d":
        front = 16**3 * k**4 * exp(2) * (1 + k**2 / (32 * sqrt(2)) / k**2)
        left = front * exp(-(k**2 / sqrt(8) - 1) / (16 * k**2))  # Term 2 itself, where e^{2 a2} = 1
        where = {"d": 1, "sigma": 1, "U": 1, "query": 0, "f": "z", "g": 1, "tokens": "epsilon, -epsilon with 1/2 each"}
        return defeated(left, c1 * k**6 * exp(-c2 * k**2), k, at={"L": k**4, "epsilon": 1 / k}, where=where)
    left = L ** sp.Rational(1, 6) - sqrt(L / 8)
    return forall(left, "<=", sp.Rational(c) - sqrt(L) / 8, {L: Integers(1, oo)})


@claim(
    "BB:LC.9.T2/g",
    false="typo",
    why=r"The factor $\mathbb{E}_{z}[\|g(z)\|^{4}]$ of the bound before it is lost, although $\tilde c_{1}$ and $\tilde c_{2}$ "
    r"hide "
    r"dependencies in $f$ and $d$ only.",
    instead=r"$5\tilde c_{1}\tilde c_{2}^{-4}\sigma^{12}\,\mathbb{E}_{z}[\|g(z)\|^{4}]\,L^{-1/2}$.",
    repair=dict(moment=1),
    needs=("BB:LC.6.5x",),
    hypotheses=("L in Integers", "L >= 1", "sigma >= 1", "G > 0"),
)
def term_2_simplified(*, moment: int = 0) -> Evidence:
    """5 c1 sigma^4 G L^{3/2} (c2 sqrt(L)/sigma^2)^{-4} <= 5 c1 c2^{-4} sigma^12 G^moment L^{-1/2},
    G = E|g|^4, moment = 0.
    """
    s, length = shared.sigma, sp.Symbol("L", integer=True, positive=True)
    left = 5 * c1 * s**4 * G * length ** sp.Rational(3, 2) * (c2 * sqrt(length) / s**2) ** -4
    right = 5 * c1 * c2**-4 * s**12 * G**moment / sqrt(length)
    if moment == 0:
        return forall(left, "<=", right, {length: Integers(1, oo), s: Closed(1, oo), **dict.fromkeys((c1, c2, G), (0, oo))})
    return identity(left, right)


@claim(
    "BB:LC.9.T3",
    assumes=(MEANS,),
    control=dict(c=1),
    needs=("BB:LD.2.1", "BB:LD.2.2", "BB:19/B", "BB:AC.8", "BB:LC.9.T3/maximum"),
    cites=("Cauchy-Schwarz inequality",),
    argument="Cauchy-Schwarz in the query with P(|z| >= B) <= e^{2d - B^2/16}; then the maximum by Lemma D.2 and R/S by C.8 (ii)",
)
def term_3(*, c: int = 2) -> Evidence:
    """(A+D)^2 <= 2A^2 + 2D^2, sqrt(x+y) <= sqrt x + sqrt y, sqrt(e^{2d - B^2/16}) = e^{d - B^2/32},
    B^2/32 = ln(L)/(384 kappa).
    """
    return shared.tail_of_the_query(12, c)


@claim("BB:LC.9.T3/maximum", argument="|f(z)|^8 <= C_f^8 |z|^8, and max|z_l| has the scale sigma; M = d^4 + ln(L)^4")
def scale_of_the_maximum() -> Evidence:
    """sqrt(2 g8 C_f^8 sigma^8 C_8 M) = sigma^4 sqrt(2 g8 C_f^8 C_8 M)."""
    g8, C_f, C8, M = sp.symbols("g8 C_f C8 M", positive=True)
    return identity(sqrt(2 * g8 * C_f**8 * shared.sigma**8 * C8 * M), shared.sigma**4 * sqrt(2 * g8 * C_f**8 * C8 * M))


@claim(
    "BB:LC.9.T3/conclude",
    false="gap",
    why=r"The bound of Term 3 contains $\sqrt{d^{4}+\ln(L)^{4}}$ and a term without logarithm; at $L=1$ no multiple of "
    r"$\ln(L)^{2}=0$ bounds them, which (18) supposes.",
    instead=r"For $L\geq 2$, $\sqrt{d^{4}+\ln(L)^{4}}\leq(1+d^{2}/\ln(2)^{2})\ln(L)^{2}$.",
    repair=dict(least=2),
    control=dict(c=Fraction(9, 10)),
    needs=("BB:LC.9.T3",),
    hypotheses=("L in Integers", "L >= 1", "sigma >= 1", "d >= 1"),
)
def logarithm_absorbs_the_dimension(*, least: int = 1, c: int | Fraction = 1) -> Evidence:
    """Is sqrt(d^4 + ln(L)^4) at most a constant times ln(L)^2 for every L >= least?"""
    return shared.logarithm_absorbs_the_dimension(least, 2, Fraction(c))
