"""R5 for linear attention with prompts of L tokens and label noise: the gradient flow is that of
infinite prompts with S_L inside the brackets.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import sympy as sp

from numerics.counterexamples.drawn.flows import drawn_ends
from numerics.evidence import Evidence, all_of
from numerics.provers import identity, trace_identity
from numerics.provers.eigenbasis import u
from numerics.regression.flow.starts import ends_at, positive_starts
from proofs_check.core.claim import claim
from proofs_check.derivations.proofs import derivation
from proofs_check.ours.regression.r5_flow import parameters, times
from theory.regression.risk import icl_risk
from theory.symbolic.algebra import Algebra

tau2, om2 = sp.Symbol("tau2", nonnegative=True), sp.Symbol("om2", positive=True)


def gaussian_mean(polynomial: sp.Expr, variances: Mapping[sp.Symbol, sp.Expr]) -> sp.Expr:
    """The expectation over independent centred Gaussian variables, monomial by monomial."""
    total = sp.Integer(0)
    for powers, coefficient in sp.Poly(sp.expand(polynomial), *variances).terms():
        if all(k % 2 == 0 for k in powers):
            total += coefficient * sp.prod(
                [sp.factorial2(k - 1) * v ** (k // 2) for k, v in zip(powers, variances.values())]
            )
    return total


def risk_from_prompts(d: int, length: int, of_query: int) -> tuple[sp.Expr, sp.Expr]:
    """The risk with every token, label, task and query integrated out, and the closed form with so
    many times the noise of the query.
    """
    l, (_, U) = sp.symbols(f"l_0:{d}", nonnegative=True), parameters(d)
    w, q, query_noise = sp.symbols(f"w_0:{d}"), sp.symbols(f"q_0:{d}"), sp.Symbol("eta")
    x, noises = sp.Matrix(length, d, sp.symbols(f"x_0:{length * d}")), sp.symbols(f"eta_0:{length}")
    labels = x @ sp.Matrix(w) + sp.Matrix(noises)
    variances = {
        **dict(zip(w, [om2] * d)),
        **dict(zip(q, l)),
        **{x[k, i]: l[i] for k in range(length) for i in range(d)},
    }
    variances |= {**dict.fromkeys(noises, tau2), query_noise: tau2}
    prediction = u * (labels.T @ x @ U @ sp.Matrix(q))[0] / length
    answer = sum(a * b for a, b in zip(w, q)) + query_noise
    closed = om2 * icl_risk(sp.diag(*l), U, u, prompt_length=length, noise=tau2 / om2) + of_query * tau2 / 2
    return gaussian_mean((prediction - answer) ** 2, variances) / 2, closed


@claim("OURS:R5.finite/risk", control=dict(of_query=2))
def the_risk_from_its_definition(*, of_query: int = 1) -> Evidence:
    r"""The closed form of the risk is derived from its definition for every $d$, $L$ and $S$, with
    noise on prompt and query. The second route is the exact expectation over whole prompts for
    $(d,L)=(1,1),(1,2),(1,3),(2,1),(2,2)$; `of_query` multiplies the term $\frac12\tau^2$ of the
    query.
    """
    sizes = ((1, 1), (1, 2), (1, 3), (2, 1), (2, 2))
    parts = [identity(*risk_from_prompts(d, length, of_query)) for d, length in sizes]
    return derivation("OURS:R5.finite/risk", all_of(*parts), of_query=of_query)


@claim("OURS:R5.finite/second_moment", control=dict(one=2))
def the_second_moment_of_the_averaged_label(*, one: int = 1) -> Evidence:
    r"""For every $d$ and $L$ it is derived that $b=\frac1L\sum_kx_ky_k$ has the second moment
    $\mathbb{E}bb^\top=\omega^2SS_L$ with $S_L=(1+\frac1L)S+\frac1L({\rm tr}\,S+\tau^2/\omega^2)I$.
    The second route is that the pairs of different tokens, each token with itself, and its label
    noise add up to it. Here `one` stands for the numerator of $\frac1L$ in $1+\frac1L$.
    """
    A = Algebra(symmetric=["S"], vectors=["x", "y", "w"], params=["L", "o", "t"])  # o = om2, t = tau2
    S, x, y, w, length, o, t = (A[name] for name in ("S", "x", "y", "w", "L", "o", "t"))
    pair, same = x * (x.T * w) * (w.T * y) * y.T, x * (x.T * w) * (w.T * x) * x.T
    mean = lambda e: e.gauss("x", S).gauss("y", S).gauss("w", o * A.I)
    found = trace_identity(
        (length - 1) * mean(pair) + mean(same) + t * S, o * S * ((length + one) * S + S.tr() * A.I) + t * S
    )
    return derivation("OURS:R5.finite/second_moment", found, one=one)


@claim(
    "OURS:R5.finite",
    needs=(
        "OURS:R5.limit",
        "OURS:R5.limit/fixed_point",
        "OURS:R5.cons/gradient",
        "OURS:R5.finite/risk",
        "OURS:R5.finite/second_moment",
    ),
    control=dict(factor=sp.Rational(1001, 1000)),
)
def limit_at_finite_prompt_length(*, factor: sp.Rational = sp.S.One) -> Evidence:
    r"""The derivation of R5.limit is that of any $S_L$ with the eigenvectors of $S$ and positive
    eigenvalues on its range: $U\to\gamma S_L^{-1}SS^++P(U(0))$ and $u\to\frac1\gamma$ at an
    exponential rate, for every $d$. At $L=1$, and at $L=5$ with label noise, integrated paths end
    there; `factor` multiplies $\gamma S_L^{-1}SS^+$.
    """
    checked = r"U(t)\to\gamma S_L^{-1}SS^{+}+P(U(0)),\ u(t)\to 1/\gamma"
    prompts = ((1, 0.0), (5, 0.7))
    drawn = drawn_ends(times(factor), "u0 >= 0 and a nonnegative diagonal", singular=True, prompts=prompts)
    found = (
        ends_at(times(factor), positive_starts(prompt_length=n, noise=r)[::3], checked=checked)
        for n, r in prompts
    )
    tried = all_of(*(one.replace(sides=(drawn,)) for one in found))
    return derivation("OURS:R5.finite", tried, factor=Fraction(factor))
