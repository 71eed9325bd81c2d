"""Assumption 3.3 of Boursier & Boyer and the remark after it, which says that its moment conditions
hold for all sub-Gaussian laws of tokens and queries. The assumption is shown to hold for one law
and to fail for another; the remark is tried on the worst laws that a search finds, for sigma >= 1.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

import sympy as sp
from sympy import Rational, exp, oo

from numerics.evidence import Contradiction, Evidence, Verdict, all_of
from numerics.provers import Closed, forall
from numerics.provers.enclosures.balls import value
from numerics.search.worst_law import worst_law
from numerics.token_laws.hostile import DIMENSIONS, hostile_laws, matrices
from proofs_check.core.claim import claim
from proofs_check.instances.outcomes import supported, undecided
from proofs_check.instances.tilted_moments import averaged
from theory.bounds.sub_gaussian import tilted_moment_R3

ORDERS = (0, 4, 8)
sigma, a = sp.symbols("sigma a", positive=True)


def _left(mu: Any, nu: Any, U: float, power: int, of_query: int) -> float:
    """The left side of the assumption for laws on the line."""
    terms = [
        mass * abs(z[0]) ** of_query * mu.tilted(U * z).mean(mu.squares ** (power // 2))
        for z, mass in zip(nu.nodes, nu.masses)
    ]
    return float(sum(terms))


@claim("BB:A3.3", control=dict(query="exponential"))
def an_example_and_a_counterexample(*, query: str = "Rademacher") -> Evidence:
    """Rademacher tokens and queries satisfy the assumption with every $M_{p,p'}=1$. A query with
    exponential tails does not, since it is not $1$-sub-Gaussian.
    """
    if query == "exponential":  # density e^{-|z|}/2: E e^{tZ} = 1/(1 - t^2)
        t = Rational(3, 4)
        left, right = value(1 / (1 - t**2)).real, value(exp(t**2 / 2)).real
        at = {"nu": "density exp(-|z|)/2", "t": str(t)}
        witness = {**at, "E exp(tZ)": float(left), "exp(t^2/2)": float(right)}
        if not left > right:
            raise Contradiction(f"the moment generating function {left} does not exceed {right}")
        return Evidence(verdict=Verdict.REFUTED, engine="examples", witness=witness, witness_by="Arb")
    law = hostile_laws(1)[2].weighted_nodes
    worst = max(_left(law, law, U, p, q) for U in (0.0, 0.5, 3.0) for p in ORDERS for q in ORDERS)
    if worst > 1 + 1e-12:
        return undecided("examples", f"the moments of Rademacher laws came out as {worst}")
    covered = (
        "inside: Rademacher tokens and queries, U = 0, 1/2, 3, p and p' in {0, 4, 8}; outside: a query "
        "with exponential tails"
    )
    return supported("examples", covered, checked=r"M_{p,p'} = 1", dimension="d = 1")


@claim("BB:A3.3/sigma", control=dict(least=Fraction(1, 2)))
def one_constant_for_all_sigma(*, least: int | Fraction = 1) -> Evidence:
    r"""At $U=0$ the fourth moment $3\sigma^4$ of $\mathcal{N}(0,\sigma^2)$ is at most $3\sigma^8$
    for every $\sigma\geq$ `least` = 1, which Proposition 3.4 asks for; near $\sigma=0$ no constant
    times $\sigma^8$ bounds it.
    """
    return forall(3 * sigma**4, "<=", 3 * sigma**8, {sigma: Closed(Rational(least), oo)})


@cache
def examples() -> list[tuple[str, Any, Any]]:
    """Bounded and Gaussian tokens at sigma = 1 and 3, queries at constant 1."""
    named = ("Gaussian", "singular Gaussian", "Rademacher", "sphere", "ball")
    out = []
    for n in DIMENSIONS:
        chosen = [law for law in hostile_laws(n) if law.name in named]
        for mu in chosen:
            for nu in chosen:
                if len(mu.weighted_nodes.nodes) * len(nu.weighted_nodes.nodes) <= 2000:
                    unit = nu.weighted_nodes.scaled(nu.sigma2**-0.5)
                    out += [
                        (
                            f"{mu.name} at sigma = {s:g}, query {nu.name}, U = {name}, d = {n}",
                            (tokens, unit),
                            tuple(U.ravel()),
                        )
                        for s in (1.0, 3.0)
                        for tokens in (mu.weighted_nodes.scaled(s * mu.sigma2**-0.5),)
                        for name, U in matrices(n).items()
                    ]
    return out


def _gaussian_moment(power: int) -> sp.Expr:
    """E|Z|^p for N(sigma^2 a, sigma^2), the tilted law of N(0, sigma^2)."""
    mean = sigma**2 * a
    odd = {k: sp.factorial2(2 * k - 1) for k in range(power // 2 + 1)}
    return sum(
        sp.binomial(power, 2 * k) * odd[k] * sigma ** (2 * k) * mean ** (power - 2 * k)
        for k in range(power // 2 + 1)
    )


@claim(
    "BB:A3.3.rem",
    control=({"power": 1}, {"fourth": Fraction(1, 20)}, {"eighth": Fraction(1, 300)}),
    needs=("OURS:R3.A33",),
)
def bounded_and_gaussian_laws(
    *, power: int = 2, fourth: int | Fraction = 1, eighth: int | Fraction = 1
) -> Evidence:
    r"""For Gaussian tokens in $d=1$ the moments are bounded in closed form with $\sigma^{kp}$,
    `power` $k=2$, for every $\sigma\geq1$ and score. Bounded and Gaussian pairs in $d=1,2,3$ are
    tried with the constants of OURS:R3.A33, times `fourth` = 1 for $p=4$ and `eighth` = 1 for
    $p=8$.
    """
    scaled = lambda p: tilted_moment_R3(sigma, a, 1, p) * sigma ** ((power - 2) * p)
    parts = [forall(_gaussian_moment(p), "<=", scaled(p), {sigma: Closed(1, oo), a: (0, oo)}) for p in (4, 8)]
    for p, share in ((4, fourth), (8, eighth)):
        checked = (
            rf"\mathbb{{E}}_\nu\mathbb{{E}}_{{\mu_Z}}|Z_1|^{{{p}}}|Z|^4 \le \sigma^{{{2 * p}}}M_{{{p},4}}"
        )
        search: dict[str, Any] = dict(
            checked=checked, laws=("two atoms", "two atoms"), numbers=((0.001, 6.0),), cases=examples
        )
        parts.append(worst_law(averaged(p, 4), share, **search))
    return all_of(*parts)
