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
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.random_query.query_average import output_or_gradient, times
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
)
def distance_from_the_sharp_exponent(*, c: int | Fraction = 16, share: int | Fraction = 1) -> Evidence:
    r"""For every $\kappa>0$ our exponent $\theta=\min(1,\frac1{16\kappa})$ is at most $\min(1,b)$
    with $b=\sqrt{1/\kappa+1/4}-\frac12$, which is at most $16\,\theta$. Here `share` multiplies
    $\theta$ on the left, and `c` stands for the 16.
    """
    return _between(Min(1, 1 / (16 * kappa)), c, share)


@claim("OURS:P3.1.sharp/printed", control=dict(c=191, share=Fraction(31, 10)), needs=("OURS:R4.exponent",))
def distance_of_the_printed_exponent(*, c: int | Fraction = 192, share: int | Fraction = 3) -> Evidence:
    r"""The exponent $\min(\frac13,\frac1{192\kappa})$ of equation (16) is between 3 and 192 times
    less than $\min(1,b)$; `share` and `c` stand for these numbers. Where $\lambda<\kappa$ in
    Theorem B, as for $\Gamma U=0$, it may be larger than the sharp one.
    """
    return _between(PRINTED, c, share)


@claim(
    "OURS:P3.1.sharp/limit",
    control=(
        dict(c=Fraction(79, 10), share=Fraction(11, 10)),
        dict(half=Fraction(3, 5)),
        dict(half=Fraction(2, 5)),
    ),
    needs=("OURS:R4.exponent", "OURS:P3.1.sharp/lambda"),
)
def distance_of_the_limit_of_our_exponents(
    *, c: int | Fraction = 8, share: int | Fraction = 1, half: Fraction = Fraction(1, 2)
) -> Evidence:
    r"""The supremum over $\lambda<\frac12$ of our exponents with a heavier weight is
    $\min(1,\frac1{8\kappa})$: none is larger, and at $\lambda=\frac t2$ it is at least $t$ times as
    large, for every $t<1$. It is at most $\min(1,b)$, which is at most 8 times as large. Here
    `share` multiplies the supremum, `c` stands for the 8 and `half` for the $\frac12$.
    """
    t, x = sp.symbols("t x", positive=True)  # x = 1/(8 kappa), and lambda = half t
    ours, supremum, domain = Min(1, 2 * sp.Rational(half) * t * x), Min(1, x), {t: (0, 1), x: (0, oo)}
    least = all_of(forall(ours, "<=", supremum, domain), forall(t * supremum, "<=", ours, domain))
    return all_of(least, _between(Min(1, 1 / (8 * kappa)), c, share))


@claim(
    "OURS:P3.1.sharp/lambda",
    control=dict(c=Fraction(1, 308)),
    needs=("OURS:R1", "OURS:QA.tilt", "OURS:QA.weight", "OURS:QA.min", "OURS:P3.1/bracket"),
    hypotheses=("L in Integers", "L >= 1"),
    reference={},
)
def output_with_a_heavier_weight(*, c: Fraction = Fraction(1)) -> Evidence:
    r"""For any $\lambda<\frac12$ the exponent may be $\theta=\min(1,\frac\lambda{4\kappa})$ with
    the constant $(1-2\lambda)^{-d/2}(300(1+h)+8\ln L+16(d+1)\kappa/((1-2\lambda)\sqrt e))$. This is
    derived for $\lambda=\frac u{2(1+u)}$ with every $u>0$, and tried on instances at
    $\lambda=\frac9{20}$; `c` multiplies the bound.
    """
    bound = times(c, lambda L, s, u, d: output_average_long(L, s, u, 1, d, Fraction(9, 20)))
    checked = r"\theta=\min(1,\lambda/(4\kappa)),\ \lambda=9/20"
    return derivation("OURS:P3.1.sharp/lambda", output_or_gradient(bound, "output", checked=checked), c=c)


@claim(
    "OURS:P3.1.sharp/small",
    control=dict(c=Fraction(1, 250)),
    needs=("OURS:R1", "OURS:QA.tilt", "OURS:QA.weight"),
    hypotheses=("L in Integers", "L >= 1"),
)
def rate_one_over_L_for_small_kappa(*, c: Fraction = Fraction(1)) -> Evidence:
    r"""For $\kappa<\frac18$ the mean of $|T_L-T|^2$ is at most
    $300(1+h)|V|^2\sigma^2(1-8\kappa)^{-d/2}/L$, without a logarithm. This is derived, where
    $8\kappa=\frac u{1+u}$ with $u\geq0$, and tried on instances; `c` multiplies the bound.
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
    checked = r"300(1+h)\sigma^2(1-8\kappa)^{-d/2}/L"
    search = tightest(rows, checked=checked, covered=covered, statement=meant)
    return derivation("OURS:P3.1.sharp/small", search, c=c)
