"""Lemma F.1 (ii) of Boursier & Boyer, the first half: the expectation of L^{-c/sigma^2} over the
tasks is reduced to an integral with the density of chi-square. Each line is proved as an identity
or an inequality, or refuted.

Everywhere ``zeta = |w|^2`` is chi-square with d degrees of freedom, and ``A = c ln L``.
"""

from __future__ import annotations

from fractions import Fraction
from math import comb, prod

import sympy as sp
from flint import arb, ctx
from sympy import Max, Rational, exp, log, oo, pi, sqrt

from numerics.evidence import Evidence, Verdict, all_of
from numerics.provers import Closed, Integers, forall, identity, integral
from proofs_check.core.claim import claim
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.outcomes import TYPO, undecided

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
    r"""The equality of the two means needs $\max(\|\Sigma\|_{\rm op},\zeta)=\max(1,\zeta)$ for
    $\zeta=\|w\|^2$ and $\|\Sigma\|_{\rm op}\leq1$. As printed the means differ for $d=1$ and
    $\Sigma=\frac12$; repaired, a 1 stands in the left maximum too. It is `least`, which is 0 as
    printed.
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
    return all_of(forall(sides[0], "<=", sides[1], ranges), forall(sides[0], ">=", sides[1], ranges))


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
