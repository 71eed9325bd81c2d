"""Lemma C.1 of Boursier & Boyer, the statement: a bound on the error at a fixed query that holds
with probability 1 - 4 delta. It is derived for every delta, and tried on the laws at which a search
finds the largest probability of failure, for every delta that the printed condition admits. That
condition lacks a factor of the proof's own.
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
from proofs_check.derivations.proofs import derivation
from proofs_check.instances.outcomes import TYPO
from theory.bounds.concentration import alpha_minus, beta, delta_min

delta = sp.Symbol("delta", positive=True)


@claim(
    "BB:LC.1",
    control=dict(c=Fraction(1, 16)),
    hypotheses=(
        "L in Integers",
        "L >= 1",
        "0 < delta",
        "delta < 1",
        "delta >= exp(-L * exp(-2 * Uz**2) / 8)",
    ),
    reference={},
)
def error_of_the_softmax_average(*, c: int | Fraction = 27) -> Evidence:
    r"""The bound, whose 27 is `c`, is derived for every $\delta$ in $(0,1)$, from our bound R1 of
    the second moment and Markov's inequality. It is also tried for every $\delta$ that is admitted
    by the condition, which is printed without $\sigma^2$.
    """
    L, a2, K, sigma2 = (symbol(name) for name in ("L", "a2", "F4", "sigma2"))
    tail = Tail(
        error_squared, ">", c * beta(L, a2, delta, K, c=1) ** 2, delta, least=delta_min(L, a2 / sigma2)
    )
    return derivation("BB:LC.1", worst_ratio(tail, "<=", 4 * delta), c=c)


@claim(
    "BB:LC.1/inference",
    **TYPO,
    repair=dict(power=2),
    control=(dict(power=1), dict(eight=7)),
    hypotheses=("L in Integers", "L >= 1", "sigma > 0", "n >= 0", "0 < theta", "theta <= 1"),
)
def printed_condition_on_delta_gives_a_half(*, power: int = 0, eight: int | Fraction = 8) -> Evidence:
    r"""Every admitted $\delta=\exp(-\theta\frac{L}{8}e^{-2\sigma^k\|Uz\|^2})$ with $0<\theta\leq1$
    gives $\alpha_-\leq\frac12$. The `power` $k$ is printed as $0$, which is refuted; it is $2$ in
    the proof, and with that the inequality is proved.
    """
    L, sigma = sp.Symbol("L", integer=True, positive=True), sp.Symbol("sigma", positive=True)
    n, theta = sp.Symbol("n", nonnegative=True), sp.Symbol("theta", positive=True)
    least = exp(-theta * L / sp.Rational(eight) * exp(-2 * sigma**power * n**2))
    half = sp.Rational(1, 2)
    domain = {L: Integers(1, oo), sigma: (0, oo), n: Closed(0, oo), theta: sp.Interval.Lopen(0, 1)}
    return forall(alpha_minus(L, sigma**2 * n**2, least), "<=", half, domain)
