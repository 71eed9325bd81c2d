"""Our repair of Lemma F.1 of Boursier & Boyer: how sub-Gaussian the tokens of in-context regression
are, for every covariance and with label noise. Inequalities are proved for every dimension, and the
averaged bound is compared with quadrature.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp
from sympy import Max, Rational, oo

from numerics.evidence import Evidence, Verdict, all_of
from numerics.provers import Closed, forall
from numerics.refutation import refuted_by_two_routes
from proofs_check.core.claim import MEANS, claim
from proofs_check.instances.quadratic_form import Sigma, a, b, quadratic_form, w

tau2 = sp.Symbol("tau2", nonnegative=True)


@claim("OURS:LF.1/form", control={"shifts": 2})
def exponent_with_label_noise(*, shifts: int = 1) -> Evidence:
    r"""For $v=(a,b)$ and every $d$, $v^\top\Gamma_wv=(a+bw)^\top S(a+bw)+b^2\tau^2$; `shifts`
    multiplies $bw$.
    """
    return quadratic_form(noise=True, shifts=shifts)


@claim(
    "OURS:LF.1/sub_gaussian",
    control={"k": Fraction(9, 10), "outer": Fraction(9, 10)},
    needs=("OURS:LF.1/form",),
    argument=r"One has $\mathbb{E}e^{v^\top z}=e^{v^\top\Gamma_wv/2}$ and $(a+bw)^\top "
    r"S(a+bw)\leq\|S\|(\|a\|+|b|\|w\|)^2$; the second bound feeds its tail.",
)
def tokens_with_label_noise(*, k: Fraction = Fraction(1), outer: Fraction = Fraction(1)) -> Evidence:
    r"""For every $S$, $\sigma_w^2=\max(1,\|S\|_{\rm op}(1+\|w\|^2)+\tau^2)$ bounds
    $v^\top\Gamma_wv/\|v\|^2$, and it is at most $\max(1,\|S\|_{\rm op}+\tau^2)(1+\|w\|^2)$; `k`
    multiplies $\|S\|_{\rm op}$ in $\sigma_w^2$, and `outer` the last bound.
    """
    K = Rational(k)
    ranges = dict.fromkeys((Sigma, w, a, b, tau2), Closed(0, oo))
    proxy = Max(1, K * Sigma * (1 + w**2) + tau2)
    first = forall(Sigma * (a + b * w) ** 2 + b**2 * tau2, "<=", proxy * (a**2 + b**2), ranges)
    without_v = dict.fromkeys((Sigma, w, tau2), Closed(0, oo))
    second = forall(proxy, "<=", Rational(outer) * Max(1, Sigma + tau2) * (1 + w**2), without_v)
    return all_of(first, second).replace(dimension="every d (through the norms of the blocks)")


@claim(
    "OURS:LF.1/moments",
    assumes=(MEANS,),
    control=({"k": Fraction(1, 2)}, {"least": Fraction(1, 2)}),
    needs=("BB:LF.1.iii.a", "OURS:LF.1/sub_gaussian"),
    argument=r"Put $g=\|\Gamma_w\|$ in LF.1.iii.a, for every $S$ and $\tau^2$, averaged over the query; the tangent at "
    r"$x=\|v\|/c$ and $\|y\|/c$ with $c=\frac12(\|v\|+\|y\|)$ gives $(\|v\|+\|y\|)^p\leq2^{p-1}(\|v\|^p+\|y\|^p)$ for real "
    r"$p$; all moments of $x$ are finite.",
)
def moments_with_the_repaired_parameter(*, k: Fraction = Fraction(1), least: int | Fraction = 1) -> Evidence:
    r"""For $g=\|\Gamma_w\|_{\rm op}\leq\sigma_w^2$ and $\sigma_w^2\geq1$,
    $\max(1,g^p)\leq\sigma_w^{2p}$, and $x^p\geq1+p(x-1)$, both for every real $p\geq1$. Here `k`
    multiplies $\sigma_w^2$, and `least` stands for the least $p$; for $p=0$ the bound is $1\leq1$.
    """
    g, sigma2, p, x = sp.symbols("g sigma2 p x", positive=True)
    powers = {p: Closed(Rational(least), oo)}
    ranges = {g: (0, oo), sigma2: Closed(1, oo), **powers}
    maximum = forall(Max(1, g**p), "<=", (Rational(k) * sigma2) ** p, ranges, where=[(g, "<=", sigma2)])
    return all_of(maximum, forall(x**p, ">=", 1 + p * (x - 1), {x: (0, oo), **powers}))


@claim(
    "OURS:LF.1",
    control={"k": Fraction(2)},
    needs=(
        "OURS:LF.1/sub_gaussian",
        "OURS:LF.1/moments",
        "OURS:LF.1/sixth",
        "BB:LF.1.ii.f/pointwise",
        "BB:LF.1.ii.f/mgf",
        "BB:LF.1.ii.f/limit",
    ),
    argument=r"One has $\sigma_w^2\leq\kappa(1+\|w\|^2)$ with $\kappa=\max(1,\|S\|+\tau^2)$; then LF.1.ii.f is used with "
    r"$c/\kappa$ in the place of $c$; $\mathbb{E}\sigma_w^{12}$ is at most $\kappa^6\,\mathbb{E}(1+\|w\|^2)^6$.",
)
def repaired_lemma_f1(*, k: Fraction = Fraction(1)) -> Evidence:
    r"""For $\sigma_w^2=\max(1,\|S\|_{\rm op}(1+\|w\|^2)+\tau^2)$ and $\kappa=\max(1,\|S\|_{\rm
    op}+\tau^2)$, $\mathbb{E}L^{-c/\sigma_w^2}\leq e^{1/4}2^{d/2}e^{-\sqrt{c\ln(L)/\kappa}}$ is
    tried by quadrature; `k` multiplies the root in the exponent.
    """
    from scipy.special import gammaln

    z, worst, where = np.exp(np.arange(-60.0, 9.0, 0.01)), np.inf, dict[str, Any]()
    for n in (1, 3, 10):
        density = np.exp(n / 2 * np.log(z) - z / 2 - n / 2 * np.log(2) - gammaln(n / 2)) * 0.01
        for top, noise in ((0.1, 0.0), (1.0, 0.0), (4.0, 0.5)):
            sigma2, kappa = np.maximum(1.0, top * (1 + z) + noise), max(1.0, top + noise)
            for A in (0.0, 1.0, 30.0, 1e3):
                mean = float(np.exp(-A / sigma2) @ density)
                bound = float(np.exp(0.25 - float(k) * np.sqrt(A / kappa)) * 2 ** (n / 2))
                if mean > bound * (1 + 1e-9):
                    again = float(np.exp(-A / sigma2[::2]) @ (2 * density[::2]))
                    witness = {"d": n, "|S|": top, "tau2": noise, "c ln L": A, "mean": mean, "bound": bound}
                    return refuted_by_two_routes("quadrature", witness, mean, bound, again)
                if bound / mean < worst:
                    worst, where = bound / mean, {"d": n, "|S|": top, "tau2": noise, "c ln L": A}
    covered = "d = 1, 3, 10; |S| = 1/10, 1, 4; label noise 0, 1/2; c ln L = 0, 1, 30, 1000"
    return Evidence(verdict=Verdict.SUPPORTED, engine="quadrature", covered=covered, slack=worst, tightest=where)


@claim("OURS:LF.1/sixth", control={"k": Fraction(1, 2)}, needs=("BB:LF.1.ii.a-e/moment",))
def sixth_power_of_the_parameter(*, k: Fraction = Fraction(1)) -> Evidence:
    r"""For $s=\|S\|_{\rm op}$, $n=\tau^2$ and $z=\|w\|^2$, $\max(1,s(1+z)+n)\leq\max(1,s+n)(1+z)$;
    `k` multiplies the right side.

    The sixth power of the right side is a polynomial in $z$, and $\mathbb{E}\sigma_w^{12}$ is
    finite with it.
    """
    s, n, z = names = sp.symbols("s n z", nonnegative=True)
    right = Rational(k) * Max(1, s + n) * (1 + z)
    return forall(Max(1, s * (1 + z) + n), "<=", right, dict.fromkeys(names, Closed(0, oo)))
