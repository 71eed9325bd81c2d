"""Appendix C.7 of Boursier & Boyer, the gradients of attention in V and in U and the rate of the
first of the two terms of the gradient in U. The formulas are proved token by token for every prompt
length, and the rate is compared with exact sums over all prompts for tokens and queries of few
values.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from math import comb
from typing import Any

import numpy as np
import sympy as sp
from flint import arb

from numerics.attention.exact.enumeration import compositions, multinomial
from numerics.attention.exact.softmax_average import SoftmaxAverage
from numerics.counterexamples.worst_case.query_average import (
    Instance,
    PromptAndQuery,
    squared_error,
    tightest,
)
from numerics.counterexamples.worst_case.query_average_bound import QueryAverageBound, Term
from numerics.evidence import Contradiction, Evidence
from numerics.token_laws import TokenLaw, atoms
from numerics.token_laws.edge_cases import edge_case_laws, matrices
from numerics.token_laws.weighted_nodes import WeightedNodes
from proofs_check.boursier_boyer.main_text.section_3 import differences, in_the_values, setting
from proofs_check.core.claim import claim
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.outcomes import TYPO, refuted_exactly
from theory.attention.layer import grad_U, softmax_attention
from theory.bounds.query_average_constants import paper_constants_U

RATE = r"c_1\sigma^{12}\frac{\ln(L)^2}{L^{c_2/\sigma^2}}"
#: Instances have at most so many vectors of counts, so that all their prompts can be gone through.
MAX_COUNT_VECTORS = 2000

Array = np.ndarray


@claim("BB:C.7.gV", control=dict(factor=2))
def gradient_in_a_row_of_values(*, factor: int = 1) -> Evidence:
    r"""Along every path $V(t)$ the output changes at the rate $v_i'(t)^{\top}b$, where $b$ is the
    softmax-weighted mean of the tokens. This is derived, and the gradient of $v^{\top}b$ in the row
    $v$ is tried; `factor` multiplies $b$.
    """
    return derivation("BB:C.7.gV", in_the_values(factor)[0], factor=factor)


@claim(
    "BB:C.7.gU",
    **TYPO,
    repair=dict(slope="z_k z'"),
    control=dict(slope="z_k.z"),
    hypotheses=("d in Integers", "d >= 1", "L in Integers", "L >= 1"),
)
def gradient_in_the_scores(*, slope: str = "z_k.z") -> Evidence:
    r"""Along every path $U(t)$ the output changes at the rate $\langle G,U'(t)\rangle$ with the
    gradient $G$, for every $L$ and $d$; this is derived, and compared with finite differences. The
    printed `slope` $z_k^{\top}z$ is refuted by two tokens in the plane; repaired, it is the matrix
    $z_kz^{\top}$.
    """
    if slope == "z_k.z":
        prompt, z, v = np.array([[1.0, 0.0], [-1.0, 0.0]]), np.array([0.0, 1.0]), np.array([[1.0, 0.0]])
        true = grad_U(prompt, z, np.zeros((2, 2)), v)[0]
        route = differences(true[None], lambda M: softmax_attention(prompt, z, M, v), np.zeros((2, 2)))
        printed = np.mean((prompt @ v[0]) * (prompt @ z)) - np.mean(prompt @ v[0]) * np.mean(prompt @ z)
        if true.tolist() != [[0, 1], [0, 0]] or printed != 0 or not route.verdict.accepted:
            raise Contradiction(
                f"the gradient is {true.tolist()} and the printed number {printed}, not (0 1; 0 0) and 0"
            )
        witness = {"d": 2, "L": 2, "U": 0, "z_1": "(1, 0)", "z_2": "(-1, 0)", "v": "(1, 0)", "z": "(0, 1)"}
        witness |= {"gradient": "[0 1; 0 0]", "printed": 0}
        return refuted_exactly(witness)
    Z, z, k, q, V = setting()
    route = differences(grad_U(Z, z, k.T @ q, V), lambda M: softmax_attention(Z, z, M, V), k.T @ q)
    return derivation("BB:C.7.gU", route, slope=slope)


# -- the averages of a prompt, exactly -------------------------------------------------------------


def gradient_errors(mu: WeightedNodes, nu: WeightedNodes, U: Array, v: Array, L: int) -> tuple[float, float]:
    """E|first term - limit|^2 and E|Xh Yh - X Y|_F^2, as sums over all counts and all queries."""
    counts = compositions(L, len(mu.nodes))
    chance = multinomial(counts, mu.masses)
    second = mu.nodes * (mu.nodes @ v)[:, None]
    first = product = 0.0
    for z, mass in zip(nu.nodes, nu.masses):
        score = mu.nodes @ (U @ z)
        w = np.exp(score - score.max())
        weights = counts * w
        S_L = weights.sum(1, keepdims=True)
        tilted = mu.masses * w / (mu.masses @ w)
        a, b = weights @ second / S_L, weights @ mu.nodes / S_L
        mean = tilted @ mu.nodes
        gap = ((a - tilted @ second) ** 2).sum(1)
        both = (((b @ v)[:, None] * b - (mean @ v) * mean) ** 2).sum(1)
        first += mass * float(z @ z) * float(chance @ gap)
        product += mass * float(z @ z) * float(chance @ both)
    return first, product


def _pairs(d: int) -> Iterator[tuple[str, WeightedNodes, WeightedNodes]]:
    """Tokens with sigma = 1 and 3, and queries with sub-Gaussian constant 1."""
    spread = [(law, law.weighted_nodes) for law in edge_case_laws(d) if law.sigma2]
    for mu, tokens in spread:
        for nu, queries in spread:
            if len(tokens.nodes) <= 60 and len(queries.nodes) <= 8:
                for sigma in (1.0, 3.0):
                    of_mu, of_nu = sigma * mu.sigma2**-0.5, nu.sigma2**-0.5
                    name = f"{of_mu:g} times {mu.name}, query {of_nu:g} times {nu.name}"
                    yield name, tokens.scaled(of_mu), queries.scaled(of_nu)


@cache
def instances() -> list[tuple[Any, ...]]:
    """All (where, L, sigma, |U|, d, error of the first term, error of the product) for |v| = 1."""
    rows: list[tuple[Any, ...]] = []
    for d in (1, 2):
        v = np.ones(d) / np.sqrt(d)
        for pair, mu, nu in _pairs(d):
            for name, U in matrices(d).items():
                for L in (1, 2, 3, 10, 1000):
                    if comb(L + len(mu.nodes) - 1, L) <= MAX_COUNT_VECTORS:
                        where = f"{pair}, U = {name}, L = {L}, d = {d}"
                        rows.append(
                            (
                                where,
                                L,
                                mu.sigma2**0.5,
                                float(np.linalg.norm(U, 2)),
                                d,
                                *gradient_errors(mu, nu, U, v, L),
                            )
                        )
    return rows


def _first_term(c: SoftmaxAverage, z: Array) -> Any:
    return squared_error(c, z) * (z * z).sum(0)


def _product_term(c: SoftmaxAverage, z: Array) -> Any:
    b, m = c.R_L / c.S_L, (c.R / c.S)[:, None]
    gap = b[0] * b - m[0] * m
    return (c.weight * (gap * gap).sum(0)).sum(0) * (z * z).sum(0)


#: Error of each term for v = (1, 0, ..., 0), and the function f of the tokens that it averages.
TERMS: tuple[tuple[Any, Any], ...] = (
    (_first_term, lambda tokens: (tokens[:, :1] * tokens).T),
    (_product_term, None),
)


def rate(which: int, shortest: int, c: Fraction = Fraction(1), power: int = 12) -> QueryAverageBound:
    """The rate of a term of the gradient for every law and L >= shortest, at v = (1, 0, ..., 0)."""

    def right(at: Any) -> Any:
        L, sigma, u = (np.asarray(x, dtype=float) for x in (at.L, at.sigma, at.u))
        c1, c2 = paper_constants_U(u, 1, float(at.d))
        value = float(c) * c1 * sigma**power * np.log(L) ** 2 / L ** (c2 / sigma**2)
        return arb(float(value), 1e-12 * float(value)) if isinstance(at.L, sp.Basic) else value

    return QueryAverageBound(
        (Term(lambda at: at.mean(*TERMS[which]), right, {"v": "(1, 0, ...)"}),), shortest
    )


def _rare(size: int, mass: Fraction) -> TokenLaw:
    """The law of size, 0 and -size; 1 is sub-Gaussian for size^2 up to about 2 ln(1/mass)."""
    return atoms([[size], [0], [-size]], [mass / 2, 1 - mass, mass / 2], sigma2=Fraction(1))


def rate_holds(
    which: int, shortest: int, checked: str, c: Fraction = Fraction(1), power: int = 12
) -> Evidence:
    """Compare each error with its rate for L >= shortest; the constants are fixed beforehand."""
    meant, rows = rate(which, shortest, c, power), []
    for name, L, sigma, U, d, *errors in instances():
        if shortest <= L:
            c1, c2 = paper_constants_U(U, 1, d)
            bound = float(c) * c1 * sigma**power * np.log(L) ** 2 / L ** (c2 / sigma**2)
            rows.append(Instance({"case": name}, errors[which], bound))
    rare = PromptAndQuery(
        _rare(6, Fraction(1, 2**27)), _rare(2, Fraction(1, 8)), Fraction(2), "rare tokens and queries"
    )
    covered = "exact sums over prompts and queries: laws on few atoms in d = 1, 2, a Gaussian in d = 1"
    return tightest(
        (*rows, *meant.instances([rare], lambda x: (2, 3))),
        checked=checked,
        covered=(
            f"{covered}; sigma = 1 and 3, U = 0, I, nilpotent, -1; L from {shortest} to 1000; rare large "
            "tokens and queries"
        ),
        statement=meant,
    )


def three_atoms() -> WeightedNodes:
    """The law of -1, 0 and 1 with probabilities 1/4, 1/2 and 1/4."""
    return WeightedNodes(np.array([[-1.0], [0.0], [1.0]]), np.array([0.25, 0.5, 0.25]), 0.5)


@claim(
    "BB:C.7.first",
    false="edge",
    at="L = 1",
    follows="BB:LC.6",
    costs="nothing",
    repair=dict(shortest=2),
    control=(dict(shortest=1), dict(c=Fraction(1, 55000))),
    hypotheses=("L in Integers", "L >= 1", "d in Integers", "d >= 1", "sigma >= 1"),
)
def rate_of_the_first_term(*, shortest: int = 1, c: Fraction = Fraction(1), power: int = 12) -> Evidence:
    r"""The mean squared error of $\sum_kp_k(v_i^{\top}z_k)z_kz^{\top}$ with the softmax weights
    $p_k$ is at most $c_1\sigma^{12}\ln(L)^2/L^{c_2/\sigma^2}$ for every $L\geq$ `shortest`. Printed
    for $L=1$ too, it is refuted there for all constants; for $L\geq2$ it is derived with explicit
    constants, and tried on instances. Here `c` multiplies the bound, and `power` is the exponent of
    $\sigma$.

    The constants are those of P3.4.U with $\|v_i\|$ in place of $\|V\|_{\rm op}$. The derivation
    uses R1 for $zz^{\top}$, and needs no Assumption 3.3.
    """
    if shortest == 1:
        law = three_atoms()
        error, _ = gradient_errors(law, edge_case_laws(1)[2].weighted_nodes, np.zeros((1, 1)), np.ones(1), 1)
        if error != 0.25:
            raise Contradiction(f"the variance of z^2 is 1/4, not {error}")
        at = {"L": 1, "d": 1, "sigma": 1, "U": 0, "v": 1, "mu": "-1, 0, 1 with 1/4, 1/2, 1/4"}
        witness = {**at, "nu": "Rademacher", "left": "1/4", "right": 0}
        checked = r"\mathbb{E}\|\ldots\|^2 \le " + RATE
        common: dict[str, Any] = {"checked": checked, "sides": (rate(0, shortest),)}
        return refuted_exactly(witness, **common)
    search = rate_holds(0, shortest, r"\mathbb{E}\|\ldots\|^2 \le " + RATE, c, power)
    return derivation("BB:C.7.first", search, c=c, power=power)
