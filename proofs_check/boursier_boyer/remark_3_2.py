"""Remark 3.2 of Boursier & Boyer: what changes if the query itself is one of the tokens of the
prompt. The averages of each function converge at one rate, which is proved. That the errors of
attention do so does not follow, and is refuted by quadrature; it holds where query and tokens have
one law, and the printed exponent survives in any case.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp
from sympy import Max, oo

from numerics.attention.curve import exact_error
from numerics.attention.setting import AttentionSetting
from numerics.evidence import Evidence, all_of
from numerics.provers import Closed, Integers, forall, identity
from numerics.refutation import refuted_by_two_routes
from proofs_check.core.claim import claim
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.outcomes import supported
from proofs_check.instances.query_in_prompt import LENGTHS, averaged_directly, averaged_errors, slope

PARAMETERS = (Fraction(1), Fraction(1, 2), Fraction(3, 2), Fraction(-1))
#: Logarithms (ln L)^k, |k| <= 2, may change a slope between these lengths by 2 ln 2/ln(1e10) <
#: 1/10.
TOLERANCE = Fraction(1, 10)


@claim("BB:R3.2", control=dict(c=Fraction(1, 2)))
def both_measures_converge_at_one_rate(*, c: int | Fraction = 1) -> Evidence:
    r"""For each $f$ of mean $m$ and variance $v$ under $\mu$, the mean square of the deviation of
    its average with the query in the prompt is between $\frac14$ and $\max(1,k)$ times that
    without, which is $v/L$; here $k=\mathbb{E}_z|f(z)-m|^2/v$, and `c` multiplies the maximum.
    """
    L, k = sp.Symbol("L", integer=True, positive=True), sp.Symbol("k", nonnegative=True)
    v = sp.Symbol("v", positive=True)
    deviation = (L / (L + 1)) ** 2 * v / L + k * v / (
        L + 1
    ) ** 2  # independent of the query, the tokens have mean 0
    ratio = (L**2 + L * k) / (L + 1) ** 2
    domain = {L: Integers(1, oo), k: Closed(0, oo)}
    return all_of(
        identity(deviation, ratio * v / L),
        forall(ratio, "<=", sp.Rational(c) * Max(1, k), domain),
        forall(sp.Rational(1, 4), "<=", ratio, domain).replace(
            control=forall(sp.Rational(1, 3), "<=", ratio, domain)
        ),
    )


def _growth(Gamma: Fraction, U: Fraction) -> tuple[float, Any, Any]:
    """The slope of the ratio of the errors, and both, for tokens N(0, Gamma), queries N(0, 1)."""
    one = np.eye(1)
    setting = AttentionSetting(float(Gamma) * one, float(U) * one, one, query_cov=one)
    inside, outside = averaged_errors(1.0, float(Gamma), float(U)), exact_error(setting, "output", LENGTHS)
    assert outside is not None
    ratio = inside / outside
    return slope(ratio), inside, outside


@claim(
    "BB:R3.2/attention",
    false="gap",
    costs="nothing",
    hypotheses=("d in Integers", "d >= 1", "sigma >= 1", "Gamma <= sigma**2", "S <= 1"),
    repair=dict(Gamma=Fraction(1)),
    control=dict(Gamma=Fraction(1, 2)),
    needs=("OURS:R4.self", "BB:R3.2/exponent"),
)
def attention_converges_at_one_rate(*, Gamma: Fraction = Fraction(1, 2)) -> Evidence:
    r"""The remark draws from the rate of the measures that its proofs carry over to the errors of
    attention. For tokens $\mathcal{N}(0,\Gamma)$, queries $\mathcal{N}(0,1)$ and $V=1$, where
    `Gamma` stands for $\Gamma$, the averaged squared errors with and without the query in the
    prompt are of one order up to logarithms if between $L=10^{10}$ and $10^{20}$ the slope of their
    ratio in $\ln L$ does not exceed $\frac1{10}$. This fails at $\Gamma=\frac12$; repaired, for one
    law of tokens and queries, it holds.
    """
    worst = -math.inf
    for U in PARAMETERS:
        growth, inside, outside = _growth(Gamma, U)
        if growth > TOLERANCE:
            again = averaged_directly(1.0, float(Gamma), float(U)) / outside
            at = {"d": 1, "Gamma": Gamma, "S": 1, "U": U, "V": 1, "sigma": 1}
            witness: dict[str, Any] = {**at, "L": f"{LENGTHS[1]:.0e}"}
            witness |= {"with the query": inside[1], "without": outside[1], "slope of the ratio": growth}
            return refuted_by_two_routes("quadrature", witness, growth, float(TOLERANCE), slope(again))
        worst = max(worst, growth)
    covered = (
        f"d = 1, tokens N(0, {Gamma}), queries N(0, 1), U in ({', '.join(map(str, PARAMETERS))}): slope at "
        f"most {worst:.2g}"
    )
    checked = (
        r"\frac{\ln r(10^{20}) - \ln r(10^{10})}{10\ln 10} \le \frac{1}{10},\quad r = "
        r"\mathcal{E}_{\text{in}}/\mathcal{E}"
    )
    return supported("quadrature", covered, checked=checked, dimension="d = 1")


@claim("BB:R3.2/exponent", control=dict(c=Fraction(5, 4)), needs=("OURS:R4.self", "OURS:P3.1.sharp/printed"))
def printed_exponent_survives(*, c: int | Fraction = 192) -> Evidence:
    r"""For $\sigma\geq1$, $u=\|U\|_{\rm op}>0$, $S\leq I$ and $\Gamma\geq0$, no eigenvalue $a>0$ of
    $S^{1/2}(U+U^\top-U^\top\Gamma U)S^{1/2}$ is beyond the inverse of the exponent
    $\min(\frac13,\frac1{192\sigma^2u^2})$ of (16), whose 192 is `c`: for Gaussian laws the bound of
    Proposition 3.1 survives the query inside the prompt. This is derived, from $a\leq2u$, and tried
    is that the exponent is at most $\frac1{2u}$.
    """
    sigma, u = sp.symbols("sigma u", positive=True)
    bound = sp.Min(sp.Rational(1, 3), 1 / (sp.Rational(c) * sigma**2 * u**2))
    return derivation(
        "BB:R3.2/exponent", forall(bound, "<=", 1 / (2 * u), {sigma: Closed(1, oo), u: (0, oo)}), c=c
    )
