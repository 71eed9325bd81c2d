"""Proposition 3.4 of Boursier & Boyer: the mean squared errors of the gradients in V and in U,
averaged over prompt and query. As printed it fails for one token; for L >= 2 it is tried with
explicit constants on instances.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import sympy as sp

from numerics.evidence import Evidence
from numerics.refutation import vanishing
from numerics.search.query_average import tightest
from numerics.search.query_average_instances import COVERED, instances
from proofs_check.boursier_boyer.proposition_3_1 import HYPOTHESES, ONE_TOKEN_REASON, ONE_TOKEN_WITNESS, in_the_form_of_the_paper
from proofs_check.core.claim import claim
from proofs_check.instances.query_average import averaged
from theory.bounds.query_average_constants import paper_constants_U

UNPROVED = "every sub-Gaussian law of tokens and queries is meant; the bound is tried on instances with explicit constants"


@claim(
    "BB:P3.4.V",
    false="material",
    why=ONE_TOKEN_REASON,
    instead=r"For every $L\geq 2$ the bound holds, even with $\sigma^{4}$ and without Assumption 3.3, with the constants "
    r"of Proposition 3.1, $\|V\|_{\rm op}^{2}$ replaced by the number of rows of $V$; "
    r"for every $L\geq 1$ put $1+\ln L$ for $\ln L$.",
    repair=dict(least=2),
    control=dict(c=Fraction(1, 600)),
    needs=("BB:LC.6", "BB:C.7.gV", "BB:20", "BB:A3.3", "OURS:P3.4.V", "OURS:P3.1/form"),
    argument="Lemma C.6 with f = id, g = 1, row by row; with explicit constants it is OURS:P3.4.V",
    hypotheses=HYPOTHESES,
    unproved=UNPROVED,
    reference={},
)
def gradient_in_V(*, least: int = 1, c: Fraction = Fraction(1), power: int = 6) -> Evidence:
    """E|grad_V T_L - grad_V T|^2 is at most c1 sigma^6 ln(L)/L^{c2/sigma^2} for L >= least; a row
    is the output for V = I.
    """
    return in_the_form_of_the_paper(least, c, power, M=1)


@claim(
    "BB:P3.4.U",
    false="material",
    why=r"At $L=1$ the right side contains $\ln(1)^{2}=0$, while the gradient of a single token is 0 and that of the limit is not.",
    instead=r"For every $L\geq 2$ the bound holds, even with $\sigma^{8}$ and without Assumption 3.3, for "
    r"$c_{1}=2^{d/2}\|V\|_{\rm op}^{2}\big((61000(d+1)(12+4h)^{2}+460(d+3)^{3}\|U\|_{\rm op}^{4})/\ln^{2}2+78(d+1)\big)$, "
    r"$h=\frac d2\ln 2$, and $c_{2}=\min(1,1/(32\|U\|_{\rm op}^{2}))$; "
    r"for every $L\geq 1$ put $(1+\ln L)^{2}$ in place of $\ln(L)^{2}$.",
    repair=dict(least=2),
    control=dict(c=Fraction(1, 2 * 10**7)),
    needs=("BB:C.7.gU", "BB:C.7.first", "BB:C.7.fin", "BB:A3.3", "OURS:P3.4.U", "OURS:P3.4.U/form"),
    argument="C.7 bounds the two terms of the gradient; with explicit constants it is OURS:P3.4.U in the form of OURS:P3.4.U/form",
    hypotheses=HYPOTHESES,
    unproved=UNPROVED,
    reference={},
)
def gradient_in_U(*, least: int = 1, c: Fraction = Fraction(1), power: int = 12) -> Evidence:
    """E|grad_U T_L - grad_U T|^2 is at most c1 sigma^12 ln(L)^2/L^{c2/sigma^2} for L >= least.

    One token of signs with U = 0 has the gradient 0, where the limit has z times the variance 1;
    Assumption 3.3 holds with M = 1.
    """
    if least == 1:
        c1, c2, sigma = sp.symbols("c1 c2 sigma", positive=True)
        return vanishing(sp.S.One, c1 * sigma**12 * sp.log(1) ** 2 / 1 ** (c2 / sigma**2), where={**ONE_TOKEN_WITNESS, "M": 1})

    def bound(L: Any, s: Any, u: Any, d: Any) -> Any:
        exact = isinstance(L, sp.Basic)
        factor = sp.Rational(c) if exact else float(c)
        c1, c2 = paper_constants_U(u, 1, d)
        return factor * c1 * s**power * (sp.log(L) if exact else math.log(L)) ** 2 * L ** (-c2 / s**2)

    checked = r"\mathbb{E}\|\nabla_UT[\hat\mu_L]-\nabla_UT[\mu]\|_{L^2(\nu)}^2\le c_1\sigma^{12}\ln(L)^2/L^{c_2/\sigma^2},\ L\ge 2"
    covered, here = f"V = I, c1 and c2 explicit; {COVERED}", averaged(bound, "gradient in U")
    return tightest(instances(bound, "gradient in U", least=least), checked=checked, covered=covered, reference=here)
