"""Our repair of Lemma F.1 of Boursier & Boyer: how sub-Gaussian the tokens of in-context regression
are, for every covariance and with label noise.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp
from sympy import Max, Rational, oo

from numerics.counterexamples.by_sequences import refuted_by_two_routes
from numerics.counterexamples.drawn.computed import Computed, Decades, OneOf
from numerics.evidence import Evidence, all_of
from numerics.provers import Closed, forall
from proofs_check.core.claim import MEANS, claim
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.chi_square import mean_by_quad, mean_over_chi_square
from proofs_check.instances.outcomes import supported
from proofs_check.instances.quadratic_form import Sigma, a, b, quadratic_form, w

tau2 = sp.Symbol("tau2", nonnegative=True)


@claim("OURS:LF.1/form", control={"shifts": 2})
def exponent_with_label_noise(*, shifts: int = 1) -> Evidence:
    r"""For $v=(a,b)$ and every $d$, $v^\top\Gamma_wv=(a+bw)^\top S(a+bw)+b^2\tau^2$; `shifts`
    multiplies $bw$.
    """
    return quadratic_form(noise=True, shifts=shifts)


@claim("OURS:LF.1/sub_gaussian", control={"k": Fraction(9, 10), "outer": Fraction(9, 10)})
def tokens_with_label_noise(*, k: Fraction = Fraction(1), outer: Fraction = Fraction(1)) -> Evidence:
    r"""For every $S$ and Gaussian label noise it is derived that a token is $\sigma_w$-sub-Gaussian
    at every task, with $\sigma_w^2=\max(1,\|S\|_{\rm op}(1+\|w\|^2)+\tau^2)$, and that this is at
    most $\max(1,\|S\|_{\rm op}+\tau^2)(1+\|w\|^2)$; `k` multiplies $\|S\|_{\rm op}$ in
    $\sigma_w^2$, and `outer` the last bound. The second route goes through the norms of the blocks
    of $v=(a,b)$.
    """
    K = Rational(k)
    ranges = dict.fromkeys((Sigma, w, a, b, tau2), Closed(0, oo))
    proxy = Max(1, K * Sigma * (1 + w**2) + tau2)
    first = forall(Sigma * (a + b * w) ** 2 + b**2 * tau2, "<=", proxy * (a**2 + b**2), ranges)
    without_v = dict.fromkeys((Sigma, w, tau2), Closed(0, oo))
    second = forall(proxy, "<=", Rational(outer) * Max(1, Sigma + tau2) * (1 + w**2), without_v)
    return derivation("OURS:LF.1/sub_gaussian", first, second, k=k, outer=outer)


@claim(
    "OURS:LF.1/moments",
    assumes=(MEANS,),
    control=({"k": Fraction(1, 2)}, {"least": Fraction(1, 2)}),
    needs=("BB:LF.1.iii.a", "OURS:LF.1/sub_gaussian"),
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
)
def repaired_lemma_f1(*, k: Fraction = Fraction(1)) -> Evidence:
    r"""For $\sigma_w^2=\max(1,\|S\|_{\rm op}(1+\|w\|^2)+\tau^2)$ and $\kappa=\max(1,\|S\|_{\rm
    op}+\tau^2)$, $\mathbb{E}L^{-c/\sigma_w^2}\leq e^{1/4}2^{d/2}e^{-\sqrt{c\ln(L)/\kappa}}$ is
    derived for every $L$, $c$, $S$ and $\tau$, and tried by quadrature; `k` multiplies the root in
    the exponent.
    """
    return derivation("OURS:LF.1", tried_tasks(k), k=k)


def tried_tasks(k: Fraction) -> Evidence:
    slack, where, sides = math.inf, dict[str, Any](), (drawn_means(float(k)),)
    for d in (1, 3, 10):
        for top, noise in ((0.1, 0.0), (1.0, 0.0), (4.0, 0.5)):
            for A in (0.0, 1.0, 0.65, 30.0, 1e3):
                at: dict[str, Any] = {"d": d, "top": top, "noise": noise, "A": A}
                mean, bound = mean_of_the_power(**at), bound_of_the_mean(**at, k=float(k))
                if mean > bound * (1 + 1e-9):
                    witness = {**_named(**at), "mean": mean, "bound": bound}
                    again = mean_of_the_power(**at, mean=mean_by_quad)
                    return refuted_by_two_routes("quadrature", witness, mean, bound, again, sides=sides)
                if bound / mean < slack:
                    slack, where = bound / mean, _named(**at)
    covered = "d = 1, 3, 10; |S| = 1/10, 1, 4; label noise 0, 1/2; c ln L = 0, 1, 0.65, 30, 1000"
    return supported("quadrature", covered, slack=slack, tightest=where, sides=sides)


def _named(d: int, top: float, noise: float, A: float) -> dict[str, Any]:
    return {"d": d, "|S|": top, "tau2": noise, "c ln L": A}


def mean_of_the_power(
    d: int, top: float, noise: float, A: float, mean: Callable[..., float] = mean_over_chi_square
) -> float:
    """E exp(-A/sigma_w^2) at A = c ln L."""
    kink = max((1 - noise) / top - 1, 1e-3)  # where sigma_w^2 leaves 1
    beside = {"peak": max(math.sqrt(2 * A / top), d, 1.0)} if mean is mean_by_quad else {}
    return mean(d, lambda z: np.exp(-A / np.maximum(1.0, top * (1 + z) + noise)), kink=kink, **beside)


def bound_of_the_mean(d: int, top: float, noise: float, A: float, k: float) -> float:
    return math.exp(0.25 - k * math.sqrt(A / max(1.0, top + noise)) + d / 2 * math.log(2))


def drawn_means(k: float) -> Computed:
    return Computed(
        "d = 1 to 20, |S| from 1/100 to 100, label noise up to 100, c ln L up to 1e4",
        {
            "d": OneOf(tuple(range(1, 21))),
            "top": Decades(0.01, 100.0),
            "noise": Decades(0.01, 100.0, zero=True),
            "A": Decades(0.01, 1e4, zero=True),
        },
        lambda **at: (mean_of_the_power(**at), bound_of_the_mean(**at, k=k)),
        lambda **at: mean_of_the_power(**at, mean=mean_by_quad),
        steps=(512,),
        where=_named,
    )


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
