"""The powers of L with which errors averaged over the query decay, those of our bounds and the
printed one, compared with the sharp one of Theorem B for every kappa = sigma^2 |U|^2.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp
from sympy import Min, oo, sqrt

from numerics.counterexamples.worst_case.query_average import tightest
from numerics.counterexamples.worst_case.query_average_instances import COVERED, instances, statement
from numerics.evidence import Evidence, all_of
from numerics.provers import forall, identity, trace_identity
from proofs_check.core.claim import claim
from proofs_check.instances.random_query.query_average import UNPROVED, output_or_gradient, times
from theory.bounds.query_average import output_average_long, output_average_short
from theory.symbolic.algebra import Algebra

kappa = sp.Symbol("kappa", positive=True)
DOMAIN = {kappa: (0, oo)}
#: The sharp exponent of Theorem B for tokens N(0, sigma^2 I) and U = u I.
SHARP = Min(1, sqrt(1 / kappa + sp.Rational(1, 4)) - sp.Rational(1, 2))
#: The exponent of equation (16) as printed.
PRINTED = Min(sp.Rational(1, 3), 1 / (192 * kappa))


def exponent_of_theorem_b() -> Evidence:
    """Prove that lambda in Theorem B is kappa for tokens N(0, s^2 I), U = u I and queries N(0, I),
    and that SHARP is the smaller of 1 and the positive b with b^2 + b = 1/lambda.
    """
    words = Algebra(vectors=["x"], params=["s", "u"])
    s, u, x = words["s"], words["u"], words["x"]
    b = SHARP.args[1]
    return all_of(
        trace_identity(u * (s * s * (u * x)), s * s * u * u * x),  # U' Gamma U x = kappa x
        identity(b**2 + b, 1 / kappa),
        identity(b, 1 / kappa / (sqrt(1 / kappa + sp.Rational(1, 4)) + sp.Rational(1, 2))),
    )


def _between(ours: sp.Expr, c: int | Fraction, share: int | Fraction) -> Evidence:
    """Prove share ours <= sharp <= c ours for the sharp exponent."""
    below = forall(sp.Rational(share) * ours, "<=", SHARP, DOMAIN)
    return all_of(exponent_of_theorem_b(), below, forall(SHARP, "<=", sp.Rational(c) * ours, DOMAIN))


#: What makes the formula that is compared the sharp exponent.
SHARPNESS = (
    r"By R4.exponent, where $\lambda=\kappa$ for these tokens and queries, $\min(1,b)$ is the sharp exponent"
)


@claim(
    "OURS:P3.1.sharp",
    control=dict(c=Fraction(159, 10), share=Fraction(11, 10)),
    needs=(
        "OURS:P3.1",
        "OURS:R4.exponent",
        "OURS:P3.1.sharp/printed",
        "OURS:P3.1.sharp/limit",
        "OURS:P3.1.sharp/lambda",
        "OURS:P3.1.sharp/small",
    ),
    argument=SHARPNESS + "; the other clauses are the parts.",
)
def distance_from_the_sharp_exponent(*, c: int | Fraction = 16, share: int | Fraction = 1) -> Evidence:
    r"""Our exponent $\theta=\min(1,\frac1{16\kappa})$ is at most the sharp one,
    $b=\min(1,\sqrt{1/\kappa+1/4}-\frac12)$ for $\mathcal{N}(0,\sigma^2I)$ and $U=uI$, and
    $b\leq16\,\theta$. Here `share` multiplies $\theta$ on the left, and `c` stands for the 16.
    """
    return _between(Min(1, 1 / (16 * kappa)), c, share)


@claim(
    "OURS:P3.1.sharp/printed",
    control=dict(c=191, share=Fraction(31, 10)),
    needs=("OURS:R4.exponent",),
    argument=SHARPNESS + ".",
)
def distance_of_the_printed_exponent(*, c: int | Fraction = 192, share: int | Fraction = 3) -> Evidence:
    r"""The exponent $\min(\frac13,\frac1{192\kappa})$ of equation (16) is between 3 and 192 times
    less than the sharp one for $\mathcal{N}(0,\sigma^2I)$ and $U=uI$; `share` and `c` stand for
    these numbers. Where $\lambda<\kappa$ in Theorem B, as for $\Gamma U=0$, it may be larger.
    """
    return _between(PRINTED, c, share)


@claim(
    "OURS:P3.1.sharp/limit",
    control=dict(c=Fraction(79, 10), share=Fraction(11, 10)),
    needs=("OURS:R4.exponent", "OURS:P3.1.sharp/lambda"),
    argument=SHARPNESS
    + r"; $\min(1,\frac1{8\kappa})$ is the supremum of the exponents of P3.1.sharp/lambda.",
)
def distance_of_the_limit_of_our_exponents(*, c: int | Fraction = 8, share: int | Fraction = 1) -> Evidence:
    r"""The supremum $\min(1,\frac1{8\kappa})$ of our exponents with a heavier weight is at most the
    sharp one for $\mathcal{N}(0,\sigma^2I)$ and $U=uI$, which is at most 8 times as large. Here
    `share` multiplies the former, and `c` stands for the 8.
    """
    return _between(Min(1, 1 / (8 * kappa)), c, share)


@claim(
    "OURS:P3.1.sharp/lambda",
    control=dict(c=Fraction(1, 308)),
    needs=("OURS:R1", "OURS:QA.tilt", "OURS:QA.weight", "OURS:QA.min", "OURS:P3.1/bracket"),
    reference={},
    unproved=UNPROVED,
)
def output_with_a_heavier_weight(*, c: Fraction = Fraction(1)) -> Evidence:
    r"""For any $\lambda<\frac12$ the exponent may be $\theta=\min(1,\frac\lambda{4\kappa})$ with
    the constant $(1-2\lambda)^{-d/2}(300(1+h)+8\ln L+16(d+1)\kappa/((1-2\lambda)\sqrt e))$. This is
    tried on instances at $\lambda=\frac9{20}$; `c` multiplies the bound.
    """
    bound = times(c, lambda L, s, u, d: output_average_long(L, s, u, 1, d, Fraction(9, 20)))
    return output_or_gradient(bound, "output", checked=r"\theta=\min(1,\lambda/(4\kappa)),\ \lambda=9/20")


@claim(
    "OURS:P3.1.sharp/small",
    control=dict(c=Fraction(1, 250)),
    needs=("OURS:R1", "OURS:QA.tilt", "OURS:QA.weight"),
    unproved=UNPROVED,
)
def rate_one_over_L_for_small_kappa(*, c: Fraction = Fraction(1)) -> Evidence:
    r"""For $\kappa<\frac18$ the mean of $|T_L-T|^2$ is at most
    $300(1+h)|V|^2\sigma^2(1-8\kappa)^{-d/2}/L$, without a logarithm. This is tried on instances;
    `c` multiplies the bound.
    """

    def bound(L: Any, s: Any, u: Any, d: Any) -> Any:
        kappa = (s * u) ** 2
        if isinstance(L, sp.Basic):
            return sp.oo if 8 * kappa >= 1 else output_average_short(L, s, u, 1, d)
        small = 8 * np.asarray(kappa) < 1
        return np.where(small, output_average_short(L, s, np.where(small, u, 0.0), 1, d), np.inf)

    covered = f"those with kappa < 1/8 of: {COVERED}"
    scaled = times(c, bound)
    meant = statement(scaled, "output")
    rows = instances(meant, scaled, "output")
    return tightest(rows, checked=r"300(1+h)\sigma^2(1-8\kappa)^{-d/2}/L", covered=covered, statement=meant)
