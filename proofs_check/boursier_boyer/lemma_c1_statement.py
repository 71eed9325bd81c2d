"""Lemma C.1 of Boursier & Boyer, the statement: a bound on the error at a fixed query that holds
with probability 1 - 4 delta. It is tried on the laws at which a search finds the largest
probability of failure; what the proof infers from the printed condition on delta is refuted.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp
from sympy import exp, oo

from numerics.attention.softmax_average import error_squared, symbol
from numerics.evidence import Evidence
from numerics.provers import Closed, Integers, forall
from numerics.search.statement import Tail
from numerics.search.worst_average import worst_ratio
from proofs_check.core.claim import claim
from theory.bounds.concentration import alpha_minus, beta

delta = sp.Symbol("delta", positive=True)


@claim(
    "BB:LC.1",
    dial="c",
    needs=("BB:LC.1.fin", "BB:LC.1/inference", "OURS:R1.LC1"),
    cites=("Chung and Lu 2006, Theorem 7", "Bubeck et al. 2013, Lemma 3"),
    argument="the proof gives it for delta >= exp(-(L/8) exp(-2 sigma^2 |Uz|^2)); OURS:R1.LC1 for every delta",
    hypotheses=("L in Integers", "L >= 1", "0 < delta", "delta < 1"),
    reference={},
)
def error_of_the_softmax_average(*, c: int | Fraction = 27) -> Evidence:
    """P(|R_L/S_L - R/S|^2 > 27 beta^2) <= 4 delta, tried for every delta in (0, 1): more than the
    printed condition admits.
    """
    L, a2, K = symbol("L"), symbol("a2"), symbol("F4")
    return worst_ratio(Tail(error_squared, ">", c * beta(L, a2, delta, K, c=1) ** 2, delta), "<=", 4 * delta)


@claim(
    "BB:LC.1/inference",
    false="gap",
    why=r"The proof needs $\alpha_{-}\leq 1/2$, that is $\delta\geq\exp(-\frac{L}{8}e^{-2\sigma^{2}\|Uz\|^{2}})$; the "
    r"$\sigma^{2}$ is missing in the hypothesis of the lemma, which for $\sigma>1$ admits smaller $\delta$.",
    instead=r"$\alpha_{-}\leq 1/2$ for every $\delta\geq\exp(-\frac{L}{8}e^{-2\sigma^{2}\|Uz\|^{2}})$. The conclusion of the lemma "
    r"holds for every $\delta\in(0,1)$, by another proof: $\mathbb{E}\|R_{L}/S_{L}-R/S\|^{2}\leq "
    r"75\,e^{4\sigma^{2}\|Uz\|^{2}}\sqrt{\mathbb{E}\|f(Z_{1})\|^{4}}/L$ and Markov's inequality.",
    repair=dict(power=2),
    control=dict(power=1),
    argument="every delta in [delta_min, 1) is delta_min^theta for one theta in (0, 1]",
    hypotheses=("L in Integers", "L >= 1", "sigma > 0", "n >= 0", "0 < theta", "theta <= 1"),
)
def printed_condition_on_delta_gives_a_half(*, power: int = 0) -> Evidence:
    """Every admitted delta = exp(-theta (L/8) exp(-2 sigma^power n^2)), n = |Uz| and theta in (0,
    1], gives alpha_- <= 1/2; printed without sigma, true with sigma^2.
    """
    L, sigma = sp.Symbol("L", integer=True, positive=True), sp.Symbol("sigma", positive=True)
    n, theta = sp.Symbol("n", nonnegative=True), sp.Symbol("theta", positive=True)
    least = exp(-theta * L / 8 * exp(-2 * sigma**power * n**2))
    half = sp.Rational(1, 2)
    domain = {L: Integers(1, oo), sigma: (0, oo), n: Closed(0, oo), theta: sp.Interval.Lopen(0, 1)}
    return forall(alpha_minus(L, sigma**2 * n**2, least), "<=", half, domain)
