"""R4 for Remark 3.2 of Boursier & Boyer: with the query inside the prompt the error decays with the
exponent min(1, b, 1/nu).
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import sympy as sp

from numerics.counterexamples.by_sequences import refuted_by_two_routes
from numerics.evidence import Evidence, all_of
from numerics.provers import identity, trace_identity
from proofs_check.core.claim import claim
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.outcomes import supported
from proofs_check.instances.query_in_prompt import averaged_directly, averaged_errors, slope
from theory.attention.query_average import decay_with_the_query, self_weight_rate, sharp_exponent
from theory.symbolic.algebra import Algebra

#: (S, Gamma, U): nu below 1, above 1, equal to 1 with V (I - Gamma U) = 0, negative, and above 1
#: together with lambda.
SETTINGS = ((1, 1, Fraction(1, 2)), (1, Fraction(1, 4), 1), (1, 1, 1), (1, 1, -1), (4, 1, Fraction(1, 2)))
#: Powers of logarithms change a slope between these lengths by at most so much.
TOLERANCE = Fraction(1, 40)


@claim("OURS:R4.self/split", control={"factor": Fraction(2)})
def two_parts_of_the_error(*, factor: Fraction = Fraction(1)) -> Evidence:
    r"""With $h=\Gamma Uz$ and the weight $p_0=w_0/(w_0+S_L)$ of the query,
    $V(\frac{R_L+w_0z}{S_L+w_0}-h)=(1-p_0)V(\frac{R_L}{S_L}-h)+p_0V(z-h)$. This is derived, and
    tried without $V$ in one coordinate; `factor` multiplies the last term.
    """
    R, z, h = sp.symbols("R_L z h", real=True)
    S, w = sp.symbols("S_L w_0", positive=True)
    p = w / (w + S)
    search = identity((R + w * z) / (S + w) - h, (1 - p) * (R / S - h) + factor * p * (z - h))
    return derivation("OURS:R4.self/split", search, factor=factor)


@claim("OURS:R4.self/weight", control={"two": 3})
def score_of_the_query_itself(*, two: int = 2) -> Evidence:
    r"""For $z=R\xi$ with $RR=S$ and in every dimension, $2s_0-s=2z^\top
    Uz-(Uz)^\top\Gamma(Uz)=\xi^\top R(U+U^\top-U^\top\Gamma U)R\xi$; `two` stands for the 2.

    The largest eigenvalue of the form is $\nu$. In R4.self the weight $p_0$ is taken for
    $\min(1,e^{s_0-s/2}/L)$, as $S_L$ is near $Le^{s/2}$.
    """
    A = Algebra(general=["U"], symmetric=["Gamma", "R"], vectors=["x"])
    U, Gamma, R, x = (A[name] for name in ("U", "Gamma", "R", "x"))
    z = R * x
    form = x.T * R * (U + U.T - U.T * Gamma * U) * R * x
    S, u, g = sp.symbols("S U Gamma", positive=True)
    xi = sp.Symbol("xi", real=True)
    scalar = identity(two * u * S * xi**2 - g * (u * sp.sqrt(S) * xi) ** 2, self_weight_rate(S, u, g) * xi**2)
    return all_of(trace_identity(two * z.T * U * z - (U * z).T * Gamma * (U * z), form), scalar)


@claim("OURS:R4.self/nu", control={"factor": Fraction(1, 2)})
def rate_of_the_query_for_tokens_with_more_spread(*, factor: Fraction = Fraction(1)) -> Evidence:
    r"""Whenever $S\leq\Gamma$, $\nu\leq1$: this is derived, as $\xi^\top R(U+U^\top-U^\top\Gamma
    U)R\xi\leq|\xi|^2$, also for a singular $\Gamma$. Tried is $\Gamma^{-1}-(U+U^\top-U^\top\Gamma
    U)=(U-\Gamma^{-1})^\top\Gamma(U-\Gamma^{-1})$; `factor` multiplies $U^\top\Gamma U$.
    """
    A = Algebra(general=["U"], symmetric=["Gamma", "Lambda"], inverse=[("Gamma", "Lambda")])
    U, Gamma, Lambda = (A[name] for name in ("U", "Gamma", "Lambda"))
    gap = U - Lambda
    search = trace_identity(Lambda - (U + U.T - factor * (U.T * Gamma * U)), gap.T * Gamma * gap)
    return derivation("OURS:R4.self/nu", search, factor=factor)


@claim(
    "OURS:R4.self",
    control=dict(factor=Fraction(11, 10)),
    needs=("OURS:R4.B", "OURS:R4.self/split", "OURS:R4.self/weight", "OURS:R4.self/nu"),
)
def exponent_with_the_query_inside(*, factor: int | Fraction = 1) -> Evidence:
    r"""Between $L=10^{10}$ and $10^{20}$ the slope of $\ln\mathcal{E}$ in $\ln L$ is
    $-\min(1,b,\frac1\nu)$ up to $\frac1{40}$, and $-\min(1,b)$ where $V(I-\Gamma U)=0$; `factor`
    multiplies the exponent.
    """
    worst, covered = 0.0, []
    for S, Gamma, U in SETTINGS:
        lam, nu = float(S * Gamma * U * U), float(self_weight_rate(S, U, Gamma))
        exponent = sharp_exponent(lam) if Gamma * U == 1 else decay_with_the_query(lam, nu)
        numbers = tuple(float(x) for x in (S, Gamma, U))
        found, claimed = slope(averaged_errors(*numbers)), -float(factor) * exponent
        off = abs(found - claimed)
        if off > TOLERANCE:
            side = math.copysign(1.0, found - claimed)
            again = side * (slope(averaged_directly(*numbers)) - claimed)
            witness: dict[str, Any] = {"S": S, "Gamma": Gamma, "U": U, "slope": found, "claimed": claimed}
            return refuted_by_two_routes("quadrature", witness, off, float(TOLERANCE), again)
        worst = max(worst, off)
        covered.append(f"S = {S}, Gamma = {Gamma}, U = {U}: {exponent:.4g}")
    checked = (
        r"-\frac{\ln\mathcal{E}(10^{20}) - \ln\mathcal{E}(10^{10})}{10\ln 10} = \min(1, b, 1/\nu) \pm 1/40"
    )
    return supported(
        "quadrature",
        f"d = 1; {'; '.join(covered)}; off by at most {worst:.2g}",
        checked=checked,
        dimension="d = 1",
    )
