"""Lemma F.1 (ii) of Boursier & Boyer: the expectation of L^{-c/sigma^2} over the tasks is reduced
to an integral with the density of chi-square, for which Laplace's method is tried and not needed.
Here ``zeta = |w|^2`` is chi-square with d degrees of freedom, and ``A = c ln L``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import comb, prod
from typing import Any

import numpy as np
import sympy as sp
from flint import acb, arb, ctx
from sympy import Max, Rational, exp, log, oo, pi, sqrt

from numerics.counterexamples.by_sequences import refuted_by_two_routes
from numerics.counterexamples.drawn.computed import Computed, Decades, Drawn, OneOf
from numerics.evidence import Contradiction, Evidence, Verdict, all_of
from numerics.provers import Closed, Integers, forall, identity, integral
from proofs_check.core.claim import claim
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.chi_square import mean_by_quad, mean_over_chi_square
from proofs_check.instances.outcomes import TYPO, supported, undecided

L, c, A, x, y, u = sp.symbols("L c A x y u", positive=True)
d = sp.Symbol("d", positive=True)
zeta = sp.Symbol("zeta", nonnegative=True)
LENGTH_ASSUMPTION = ("L >= 2, so that c ln L > 0: at L = 1 the argument x/sqrt(c ln L) of Phi is undefined",)


def Phi(v: sp.Expr, half: Fraction = Fraction(1, 2)) -> sp.Expr:
    return 1 / v + Rational(half) * v


def mean_over_tasks(Sigma: Rational, length: int, rate: int) -> arb:
    """An enclosure of E[L^{-c / max(Sigma, w^2)}] for w ~ N(0, 1), the case d = 1."""
    w = sp.Symbol("w", real=True)
    density, root = exp(-(w**2) / 2) / sqrt(2 * pi), sqrt(Sigma)
    flat = sp.Integer(length) ** (-rate / Sigma) * density
    curved = exp(-rate * log(length) / w**2) * density
    tail = exp(-(w**2) / 2)
    with ctx.workprec(128):
        return 2 * (integral(flat, w, (0, root)) + integral(curved, w, (root, oo), tail=tail))


@claim(
    "BB:LF.1.ii.a-e/a",
    **TYPO,
    hypotheses=("d in Integers", "d >= 1", "Sigma > 0", "Sigma <= 1", "L in Integers", "L >= 1", "c > 0"),
    repair={"least": 1},
    control=({"least": Fraction(1, 2)}, {"least": Fraction(3, 2)}),
)
def the_expectation_over_tasks(*, least: int | Fraction = 0) -> Evidence:
    r"""As printed the two means differ for $d=1$ and $\Sigma=\frac12$; repaired, a 1 stands in the
    left maximum too. It is `least`, which is 0 as printed. Then the means over $\zeta=\|w\|^2$,
    which is chi-square with $d$ degrees of freedom, are derived to be equal for every $d$. The
    second route is $\max(1,\|\Sigma\|_{\rm op},\zeta)=\max(1,\zeta)$ where
    $\|\Sigma\|_{\rm op}\leq1$.
    """
    if least == 0:
        at = {"Sigma": Rational(1, 2), "length": 2, "rate": 1}
        left, right = mean_over_tasks(**at), mean_over_tasks(sp.Integer(1), 2, 1)
        if not left < right:
            return undecided("rigorous quadrature", f"{left} and {right} are not apart")
        law = {"d": 1, "Sigma": "1/2", "c": 1, "L": 2}
        witness = {**law, "left": left.str(12, radius=False), "right": right.str(12, radius=False)}
        return Evidence(
            verdict=Verdict.REFUTED, engine="rigorous quadrature", witness=witness, witness_by="Arb"
        )
    Sigma = sp.Symbol("Sigma", positive=True)
    ranges = {Sigma: sp.Interval.Lopen(0, 1), zeta: Closed(0, oo)}
    sides = Max(Rational(least), Sigma, zeta), Max(1, zeta)
    both = (forall(sides[0], op, sides[1], ranges) for op in ("<=", ">="))
    return derivation("BB:LF.1.ii.a-e/a", *both, least=Fraction(least))


@claim("BB:LF.1.ii.a-e/b", control={"k": Fraction(1, 2)})
def below_one_the_integrand_is_constant(*, k: Fraction = Fraction(1)) -> Evidence:
    r"""It is derived for every $d$ that $\mathbb{E}L^{-c/\max(1,\zeta)}\leq
    L^{-c}+\mathbb{E}[L^{-c/\zeta};\zeta\geq1]$ with $\zeta=\|w\|^2$, whose last mean is the printed
    integral with the density of $\zeta$; `k` multiplies $L^{-c}$. The second route is $pL^{-c}\leq
    L^{-c}$ for the probability $p$ of $\zeta\leq1$.
    """
    p, power = sp.Symbol("p", nonnegative=True), sp.Symbol("L_to_minus_c", positive=True)
    ranges = {p: Closed(0, 1), power: sp.Interval.Lopen(0, 1)}
    return derivation("BB:LF.1.ii.a-e/b", forall(p * power, "<=", Rational(k) * power, ranges), k=k)


@claim("BB:LF.1.ii.a-e/c", control={"half": Fraction(1, 3)})
def the_power_is_an_exponential(*, half: Fraction = Fraction(1, 2)) -> Evidence:
    r"""The third line is an equality, although $\leq$ is printed:
    $e^{-x/2}/(L^c)^{1/x}=\exp(-\frac{c\ln L}x-\frac x2)$. Here `half` stands for the factor
    $\frac12$ on the right.
    """
    return identity(exp(-x / 2) / exp(c * log(L)) ** (1 / x), exp(-c * log(L) / x - Rational(half) * x))


@claim("BB:LF.1.ii.a-e/d", control={"half": Fraction(1, 3)})
def the_exponent_in_terms_of_phi(*, half: Fraction = Fraction(1, 2)) -> Evidence:
    r"""The fourth line is an equality, although $\leq$ is printed: $\frac{c\ln L}x+\frac x2=\sqrt
    A\,\Phi(x/\sqrt A)$ with $A=c\ln L$ and $\Phi(v)=\frac1v+\frac v2$. Here `half` stands for the
    factor $\frac12$ in $\Phi$.
    """
    found = identity(A / x + x / 2, sqrt(A) * Phi(x / sqrt(A), half))
    return found.replace(assumes=(*found.assumes, *LENGTH_ASSUMPTION))


@claim("BB:LF.1.ii.a-e/e", control={"quarter": Fraction(1, 3)})
def the_substitution(*, quarter: Fraction = Fraction(1, 4)) -> Evidence:
    r"""At $x=\sqrt A\,u$ with $A=c\ln L$, $x^{d/2-1}dx=A^{d/4}u^{d/2-1}du$; `quarter` stands for
    the factor $\frac14$ of $d$ in the exponent of $A$.
    """
    found = identity((sqrt(A) * u) ** (d / 2 - 1) * sqrt(A), A ** (Rational(quarter) * d) * u ** (d / 2 - 1))
    return found.replace(assumes=(*found.assumes, *LENGTH_ASSUMPTION))


@claim("BB:LF.1.ii.a-e/moment", control={"share": Fraction(1, 2)})
def twelfth_moment_of_sigma(*, share: Fraction = Fraction(1)) -> Evidence:
    r"""The bound $\mathbb{E}\sigma_\mu^{12}\leq(24/e)^6e^{1/4}2^{d/2}$ is derived for
    $\sigma_\mu^2=\max(\|\Sigma\|_{\rm op},\|w\|^2)$, as printed, and for the repaired
    $\max(1,\|\Sigma\|_{\rm op}(1+\|w\|^2))$; `share` multiplies it. The second route compares it
    with $\mathbb{E}\zeta^6$ and $\mathbb{E}(1+\zeta)^6$, which are polynomials in $d$.
    """
    n = sp.Symbol("d", integer=True, positive=True)
    moment = lambda k: prod(n + 2 * j for j in range(k))
    bound = Rational(share) * 24**6 * exp(-Rational(23, 4)) * 2 ** (n / 2)
    means = moment(6), sum(comb(6, k) * moment(k) for k in range(7))
    searches = (forall(sp.expand(mean), "<=", bound, {n: Integers(1, oo)}) for mean in means)
    return derivation("BB:LF.1.ii.a-e/moment", *searches, share=share)


@claim(
    "BB:LF.1.ii.a-e",
    control={"quarter": Fraction(1, 3)},
    needs=("BB:LF.1.i", *(f"BB:LF.1.ii.a-e/{part}" for part in ("a", "b", "c", "d", "e", "moment"))),
)
def the_chain_from_its_second_to_its_last_line(*, quarter: Fraction = Fraction(1, 4)) -> Evidence:
    r"""At $x=\sqrt A\,u$ with $A=c\ln L$ the integrand of the second line, with its $dx$, is
    $A^{d/4}$ times that of the last line, for every $d$, $c$ and $L\geq2$; `quarter` stands for the
    $\frac14$ in $A^{d/4}$.
    """
    density = x ** (d / 2 - 1) * exp(-x / 2) / exp(A) ** (1 / x)
    at = sp.Subs(density, x, sqrt(A) * u) * sqrt(A)
    found = identity(at, A ** (Rational(quarter) * d) * u ** (d / 2 - 1) * exp(-sqrt(A) * Phi(u)))
    return found.replace(assumes=(*found.assumes, *LENGTH_ASSUMPTION))


@claim("BB:LF.1.lap/minimum", control={"half": Fraction(1, 3)})
def the_minimum_of_phi(*, half: Fraction = Fraction(1, 2)) -> Evidence:
    r"""At $u_0=\sqrt2$ the function $\Phi(u)=\frac1u+\frac u2$ has its only minimum, as
    $\Phi(u)-\Phi(u_0)=(u-u_0)^2/(2u)$; moreover $\Phi(u_0)=\sqrt2$ and $\Phi''(u_0)=1/\sqrt2$. Here
    `half` stands for the factor $\frac12$ in $\Phi$.
    """
    u0, phi = sqrt(2), Phi(u, half)
    square = identity(phi - sp.Subs(phi, u, u0), (u - u0) ** 2 / (2 * u))
    return all_of(
        square, identity([sp.Subs(phi, u, u0), sp.Subs(sp.Derivative(phi, u, u), u, u0)], [u0, 1 / u0])
    )


DIMENSIONS, SCALES = (1, 2, 3, 5, 10, 40), (1, 5, 10, 100, 1000, 10**6)


@claim(
    "BB:LF.1.lap",
    control={"power": Fraction(-1, 5)},
    needs=("BB:LF.1.lap/minimum",),
    cites=("Ivrii 2024, Section 2.1, Theorem 2", "DLMF 10.32.10 and 10.40.10"),
)
def the_equivalent_of_the_integral(*, power: Fraction = Fraction(-1, 4)) -> Evidence:
    r"""The ratio of the integral to its printed equivalent is at most $2qe^{2q}$ away from 1, for
    $q=(d^2-1)/(8\sqrt2\,s)$ and $s=\sqrt{c\ln L}$, by rigorous enclosures; for $d=1$ the two are
    equal. Here `power` stands for the exponent $-\frac14$ of $c\ln L$.
    """
    sides = (drawn_ratios(float(power)),)
    worst: tuple[float, dict[str, int]] = (0.0, {})
    with ctx.workprec(256):
        for n in DIMENSIONS:
            for s in SCALES:
                off, allowed = off_its_equivalent(n, arb(s), power)
                if abs(off) > allowed + arb(2) ** -100:
                    at = {"d": n, "s": s, "ratio": (off + 1).str(8, radius=False)}
                    witness = {**at, "allowed distance from 1": allowed.str(5, radius=False)}
                    return Evidence(
                        verdict=Verdict.REFUTED,
                        engine="interval arithmetic",
                        witness=witness,
                        witness_by="Arb",
                        sides=sides,
                    )
                if n > 1 and float((abs(off) / allowed).upper()) > worst[0]:
                    worst = float((abs(off) / allowed).upper()), {"d": n, "s": s}
    same = direct_integral()
    covered = f"d in {DIMENSIONS}, s = sqrt(c ln L) in {SCALES}; reached {worst[0]:.3g} of the bound; {same}"
    return supported(
        "interval arithmetic",
        covered,
        slack=1 / worst[0],
        tightest=worst[1],
        dimension="d = 1 to 40",
        sides=sides,
    )


def off_its_equivalent(n: int, S: arb, power: Fraction) -> tuple[arb, arb]:
    """The ratio of the integral to its equivalent, less 1, and how far it may be from 0."""
    root = arb(2).sqrt()
    bessel = acb(root * S).bessel_k(acb(arb(n) / 2)).real
    exact = 2 * arb(2) ** (arb(n) / 4) * bessel
    printed = (
        (S**2) ** arb(_fraction(power))
        * (2 * arb.pi()).sqrt()
        * root.sqrt()
        * root ** (arb(n) / 2 - 1)
        * (-root * S).exp()
    )
    q = (arb(n) ** 2 - 1) / (8 * root * S)
    return exact / printed - 1, 2 * q * (2 * q).exp()


def drawn_ratios(power: float) -> Computed:
    """The distance from 1 at drawn dimensions and scales, in floating point; 1e-12 is rounding."""
    from scipy.special import kve

    def sides(d: int, s: float) -> tuple[float, float]:
        bessel = kve(d / 2, math.sqrt(2) * s) * 2 ** (1 + d / 4)
        ratio = bessel / (s ** (2 * power) * math.sqrt(2 * math.pi) * 2 ** (1 / 4 + d / 4 - 1 / 2))
        q = (d**2 - 1) / (8 * math.sqrt(2) * s)
        return abs(ratio - 1), 2 * q * math.exp(min(2 * q, 600)) + 1e-12

    def again(d: int, s: float) -> float:
        with ctx.workprec(256):
            return float(abs(off_its_equivalent(d, arb(s), Fraction(power).limit_denominator(100))[0]))

    drawn: dict[str, Drawn] = {"d": OneOf(tuple(range(1, 41))), "s": Decades(1.0, 1e6)}
    return Computed("d = 1 to 40, s = sqrt(c ln L) from 1 to 1e6", drawn, sides, again, accuracy=1e-6)


def _fraction(value: Fraction) -> arb:
    return arb(value.numerator) / value.denominator


def direct_integral() -> str:
    """Compare the integral, cut at u = 1 and turned over below, with its Bessel function by
    rigorous quadrature, for d = 2, 4 and s = 3, and say so.
    """
    for n in (2, 4):
        f = u ** (n // 2 - 1) * exp(-3 * Phi(u))
        value = integral(f, u, (1, oo), tail=exp(-u)) + integral(
            f.subs(u, 1 / x) / x**2, x, (1, oo), tail=exp(-x)
        )
        with ctx.workprec(128):
            bessel = 2 * arb(2) ** (arb(n) / 4) * acb(arb(2).sqrt() * 3).bessel_k(acb(arb(n) / 2)).real
            if not value.overlaps(bessel):
                raise Contradiction(f"the integral {value} is not the Bessel function {bessel} for d = {n}")
    return "d = 2, 4 at s = 3 also by quadrature of the integral"


@claim("BB:LF.1.ii.f/pointwise", control={"k": Fraction(11, 10)})
def one_exponential_below_another(*, k: Fraction = Fraction(1)) -> Evidence:
    r"""For $r=1+\zeta\geq1$ and $y=\sqrt{c\ln L}$, $-y^2/r\leq\frac r4-y$, because $(\frac
    r2-y)^2\geq0$; `k` multiplies the $y$ on the right.
    """
    r, root = sp.symbols("r y", nonnegative=True)
    return forall(-(root**2) / r, "<=", r / 4 - Rational(k) * root, {r: Closed(1, oo), root: Closed(0, oo)})


@claim("BB:LF.1.ii.f/mgf", control={"quarter": Fraction(1, 5)})
def exponential_moment_of_chi_square(*, quarter: Fraction = Fraction(1, 4)) -> Evidence:
    r"""The exponential moment $\mathbb{E}e^{\zeta/4}=2^{d/2}$ is derived for $\zeta=\|w\|^2$ and
    every $d$; `quarter` stands for the $\frac14$. The second route: $x^{d/2-1}e^{x/4-x/2}dx$ is
    $2^{d/2}t^{d/2-1}e^{-t/2}dt$ at $x=2t$.
    """
    t = sp.Symbol("t", positive=True)
    density = sp.Subs(x ** (d / 2 - 1) * exp(Rational(quarter) * x - x / 2), x, 2 * t)
    search = identity(density * 2, 2 ** (d / 2) * t ** (d / 2 - 1) * exp(-t / 2))
    return derivation("BB:LF.1.ii.f/mgf", search, quarter=quarter)


@claim("BB:LF.1.ii.f/limit", control={"constant": 47000})
def the_bound_tends_to_zero(*, constant: int = 48000) -> Evidence:
    r"""For $\ell=\ln L>0$ and $c>0$, $\ell^4e^{-\sqrt{c\ell}}\leq48000/(c^4\sqrt{c\ell})$, which
    tends to 0 with growing $L$; `constant` stands for 48000.
    """
    l = sp.Symbol("l", positive=True)
    root = sqrt(c * l)
    return forall(l**4 * exp(-root), "<=", constant / (c**4 * root), {l: (0, oo), c: (0, oo)})


@claim("BB:LF.1.ii.f", control=({"k": Fraction(2)}, {"rate": Fraction(4, 5)}))
def the_means_tend_to_zero(*, k: Fraction = Fraction(1), rate: int | Fraction = 1) -> Evidence:
    r"""For every $L\geq1$ and $c>0$, $\mathbb{E}L^{-c/\sigma_\mu^2}\leq
    e^{1/4}2^{d/2}e^{-\sqrt{c\ln L}}$ is derived without Laplace's method, for
    $\sigma_\mu^2=\max(\|\Sigma\|_{\rm op},\|w\|^2)$, as printed, and for the repaired
    $\max(1,\|\Sigma\|_{\rm op}(1+\|w\|^2))$; and for every $\varepsilon>0$,
    $\mathbb{E}\ln(L)^4L^{-c/\sigma_\mu^2}\leq\varepsilon$ as soon as $\sqrt{c\ln
    L}\geq48000e^{1/4}2^{d/2}/(c^4\varepsilon)$.

    The number `k` multiplies the root in the exponent, and `rate` the exponent $c/\sigma_\mu^2$ of
    the last mean. All are tried by quadrature for $1+\zeta$ in the place of $\sigma_\mu^2$.
    """
    means, limits = _of_the_means(k), decay(rate)
    return derivation("BB:LF.1.ii.f", means, means, limits, limits, k=k, rate=rate)


def decay(rate: int | Fraction) -> Evidence:
    """Compare y^9 E e^{-rate y^2/(1 + zeta)}, at y = sqrt(c ln L), with 48000 e^{1/4} 2^{d/2}."""
    slack, where = math.inf, dict[str, Any]()
    for n, y in product((1, 2, 5, 20), (0.5, 1.0, 3.0, 6.0, 9.0, 12.0, 15.0, 20.0, 30.0)):
        bound = 48000 * math.exp(0.25) * 2 ** (n / 2)
        found = y**9 * expectation(n, float(rate) * y**2)
        if found > bound * (1 + 1e-9):
            again = y**9 * expectation(n, float(rate) * y**2, mean_by_quad)
            witness = {"d": n, "sqrt(c ln L)": y, "Sigma": 1, "found": found, "bound": bound}
            return refuted_by_two_routes("quadrature", witness, found, bound, again)
        if bound / found < slack:
            slack, where = bound / found, {"d": n, "sqrt(c ln L)": y}
    covered = "d = 1, 2, 5, 20, sqrt(c ln L) from 1/2 to 30, |Sigma| = 1; the mean by quadrature"
    return supported("quadrature", covered, slack=slack, tightest=where)


def _of_the_means(k: Fraction) -> Evidence:
    """Compare both sides of the bound by quadrature."""
    dimensions, values = (1, 2, 5, 20), (0.0, 0.1, 0.65, 1.0, 10.0, 100.0, 1e3, 1e4)
    slack, where = math.inf, dict[str, Any]()
    for n in dimensions:
        for a in values:
            mean, bound = expectation(n, a), bound_of_the_mean(n, a, float(k))
            if mean > bound * (1 + 1e-9):
                witness = {"d": n, "c ln L": a, "mean": mean, "bound": bound}
                found = refuted_by_two_routes(
                    "quadrature", witness, mean, bound, expectation(n, a, mean_by_quad)
                )
                return found.replace(sides=(drawn_means(float(k)),))
            if bound / mean < slack:
                slack, where = bound / mean, {"d": n, "c ln L": a}
    return supported(
        "quadrature",
        f"d in {dimensions}, c ln L from 0 to 1e4; the mean by quadrature",
        slack=slack,
        tightest=where,
        sides=(drawn_means(float(k)),),
    )


def expectation(d: int, a: float, mean: Callable[..., float] = mean_over_chi_square) -> float:
    """E e^{-a/(1 + zeta)}, zeta chi-square with d degrees of freedom."""
    beside = {"peak": max(math.sqrt(2 * a), d, 1.0)} if mean is mean_by_quad else {}
    return mean(d, lambda z: np.exp(-a / (1 + z)), **beside)


def bound_of_the_mean(d: int, a: float, k: float) -> float:
    """The bound at c ln L = a, with a factor in the exponent."""
    return math.exp(0.25 - k * math.sqrt(a) + d / 2 * math.log(2))


def drawn_means(k: float) -> Computed:
    """The bound at drawn dimensions and values of c ln L."""
    return Computed(
        "d = 1 to 40, c ln L up to 1e4",
        {"d": OneOf(tuple(range(1, 41))), "a": Decades(0.01, 1e4, zero=True)},
        lambda d, a: (expectation(d, a), bound_of_the_mean(d, a, k)),
        lambda d, a: expectation(d, a, mean_by_quad),
        where=lambda d, a: {"d": d, "c ln L": a},
    )
