"""R5 for linear attention with prompts of L tokens and label noise: the gradient flow is that of
infinite prompts with S_L inside the brackets, and its limit follows. Risk and field are proved by
exact expectations; the limit is found by integrating the flow.
"""

from __future__ import annotations

from collections.abc import Mapping

import sympy as sp

from numerics.evidence import Evidence, all_of
from numerics.provers import identity
from numerics.provers.eigenbasis import delta, entrywise, identities, l_i, l_j, u
from numerics.regression.flow.starts import ends_at, positive_starts
from proofs_check.core.claim import claim
from proofs_check.instances.fixed_point import stands_still
from proofs_check.ours.r5_flow import LOJASIEWICZ, formula, parameters
from theory.regression.risk import effective_covariance, icl_risk, icl_risk_gradient

L, tau2, om2, trace = sp.symbols("L tau2 om2 t", positive=True)


def gaussian_mean(polynomial: sp.Expr, variances: Mapping[sp.Symbol, sp.Expr]) -> sp.Expr:
    """Return the expectation over independent centred Gaussian variables, monomial by monomial."""
    total = sp.Integer(0)
    for powers, coefficient in sp.Poly(sp.expand(polynomial), *variances).terms():
        if all(k % 2 == 0 for k in powers):
            total += coefficient * sp.prod([sp.factorial2(k - 1) * v ** (k // 2) for k, v in zip(powers, variances.values())])
    return total


def risk_from_prompts(d: int, length: int) -> tuple[sp.Expr, sp.Expr]:
    """Return the risk from its definition, with every token, label, task and query integrated out,
    and the closed form.
    """
    l, (_, U) = sp.symbols(f"l_0:{d}", positive=True), parameters(d)
    w, q, query_noise = sp.symbols(f"w_0:{d}"), sp.symbols(f"q_0:{d}"), sp.Symbol("eta")
    x, noises = sp.Matrix(length, d, sp.symbols(f"x_0:{length * d}")), sp.symbols(f"eta_0:{length}")
    labels = x @ sp.Matrix(w) + sp.Matrix(noises)
    variances = {**dict(zip(w, [om2] * d)), **dict(zip(q, l)), **{x[k, i]: l[i] for k in range(length) for i in range(d)}}
    variances |= {**dict.fromkeys(noises, tau2), query_noise: tau2}
    prediction = u * (labels.T @ x @ U @ sp.Matrix(q))[0] / length
    answer = sum(a * b for a, b in zip(w, q)) + query_noise
    closed = om2 * icl_risk(sp.diag(*l), U, u, prompt_length=length, noise=tau2 / om2) + tau2 / 2
    return gaussian_mean((prediction - answer) ** 2, variances) / 2, closed


@claim("OURS:R5.finite/risk")
def the_risk_from_its_definition() -> Evidence:
    """Exact expectation over whole prompts for (d, L) = (1, 1), (1, 2), (1, 3), (2, 1), (2, 2),
    noise on prompt and query.
    """
    sizes = ((1, 1), (1, 2), (1, 3), (2, 1), (2, 2))
    parts = [identity(*risk_from_prompts(d, length)) for d, length in sizes]
    return all_of(*parts, checked=parts[-1].checked).replace(dimension="d = 1, 2 with L = 1, 2, 3")


@claim("OURS:R5.finite/second_moment", cites=("Isserlis: E x_i x_a x_b x_j is the sum over the three pairings",))
def the_second_moment_of_the_averaged_label() -> Evidence:
    """b = (1/L) sum x_k y_k has E b b' = om2 S S_L for every d and L: entry by entry in an
    eigenbasis of S.

    Two different tokens give (S w w' S), one token with itself 2 S w w' S + (w'S w + tau2) S; the
    mean over w replaces w_i w_j by om2 delta and w'S w by om2 tr S.
    """
    pairs = (1 - 1 / L) * l_i * l_j * om2 * delta
    same = (2 * l_i * l_j * om2 * delta + (om2 * trace + tau2) * l_i * delta) / L
    effective = (1 + 1 / L) * l_i + (trace + tau2 / om2) / L
    return entrywise(pairs + same, om2 * l_i * effective * delta)


@claim("OURS:R5.finite/field", needs=("OURS:R5.finite/risk",))
def the_flow_has_the_effective_covariance_inside_the_brackets() -> Evidence:
    """Differentiating the closed form gives the field for symmetric S of sizes 1 and 2, with S_L
    commuting with S.
    """
    parts = []
    for d in (1, 2):
        S, U = parameters(d)
        S_L = effective_covariance(S, L, tau2)
        risk = sp.expand(icl_risk(S, U, u, prompt_length=L, noise=tau2))
        gradient, derivative = icl_risk_gradient(S, U, u, prompt_length=L, noise=tau2)
        parts.append(identity([*(risk.diff(x) for x in U), risk.diff(u)], [*gradient, derivative]))
        if d > 1:
            parts.append(identity(S @ S_L, S_L @ S))
    return all_of(*parts).replace(dimension="d = 1, 2")


@claim("OURS:R5.finite/fixed_point", needs=("OURS:R5.cons/entries",))
def the_fixed_point_at_finite_prompt_length() -> Evidence:
    """S_L^{-1} S S^+ takes the place of S^+ at the fixed point."""
    return identities(*stands_still((1 + 1 / L) * l_i + (trace + tau2) / L))


@claim(
    "OURS:R5.finite",
    cites=(LOJASIEWICZ,),
    needs=(
        "OURS:R5.limit",
        "OURS:R5.finite/risk",
        "OURS:R5.finite/second_moment",
        "OURS:R5.finite/field",
        "OURS:R5.finite/fixed_point",
    ),
    unproved="the limit of a flow as time goes to infinity, from every start: no prover here speaks of solutions of differential "
    "equations; risk, field and fixed point are proved in the parts",
    argument="every step of R5.limit is stated for positive m_i, so it holds with the eigenvalues of S_L in their place",
)
def limit_at_finite_prompt_length() -> Evidence:
    """U -> gamma S_L^{-1} S S^+ + P(U(0)) and u -> 1/gamma, by integrated paths at L = 1, and at L
    = 5 with label noise.
    """
    checked = r"U(t)\to\gamma S_L^{-1}SS^{+}+P(U(0)),\ u(t)\to 1/\gamma"
    prompts = ((1, 0.0), (5, 0.7))
    return all_of(*(ends_at(formula, positive_starts(prompt_length=n, noise=r)[::3], checked=checked) for n, r in prompts))
