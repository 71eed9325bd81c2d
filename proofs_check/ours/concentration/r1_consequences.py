"""Consequences of R1: by Markov's inequality it gives the conclusions of Lemma C.1, Corollary C.3
and Lemma C.4 of Boursier & Boyer without their conditions.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp
from sympy import log, oo

from numerics.attention.exact.softmax_average import error_squared, symbol
from numerics.counterexamples.worst_case.statement import Mean, Tail
from numerics.counterexamples.worst_case.worst_average import worst_ratio
from numerics.evidence import Evidence, all_of
from numerics.provers import Closed, Integers, forall
from proofs_check.core.claim import claim
from proofs_check.derivations.proofs import derivation
from theory.bounds.concentration import C as C_of
from theory.bounds.concentration import beta, second_moment_R1

L, a2, K = symbol("L"), symbol("a2"), symbol("F4")
delta = sp.Symbol("delta", positive=True)
DELTA_DOMAIN = {delta: (0, 1)}
HYPOTHESES = ("L in Integers", "L >= 1", "0 < delta", "delta < 1")


@claim("OURS:R1.LC1", sharp="c", control=dict(top=109), hypotheses=HYPOTHESES, reference={})
def lemma_c1_for_every_delta(*, c: int | Fraction = 27, top: int = 75) -> Evidence:
    r"""For every $\delta$ in $(0,1)$, $\mathbb{P}(|{\rm
    err}|^2>27\beta^2)\leq\frac{75}{27}\delta<4\delta$, where `c` stands for the first 27 and `top`
    for 75.
    """
    share = sp.Rational(top, 27)
    tail = worst_ratio(
        Tail(error_squared, ">", c * beta(L, a2, delta, K, c=1) ** 2, delta), "<=", share * delta
    )
    proof = derivation("OURS:R1.LC1", tail, c=c, top=top)
    return all_of(proof, forall(share * delta, "<", 4 * delta, DELTA_DOMAIN))


@claim(
    "OURS:R1.CC3",
    control=(dict(c=Fraction(9, 10)), dict(top=109), dict(zero=True)),
    hypotheses=HYPOTHESES,
    reference={},
)
def corollary_c3_for_every_delta(*, c: int | Fraction = 108, top: int = 75, zero: bool = False) -> Evidence:
    r"""If $K=\sqrt{\mathbb{E}|f|^4}>0$, then for every $\delta$ in $(0,1)$, $\mathbb{P}(|{\rm
    err}|^2\geq108e^{4a_2}K/(\delta L))\leq\frac{75}{108}\delta\leq\delta$, where `c` stands for the
    first 108 and `top` for 75. With `zero` the function may be 0, whose event is sure.
    """
    share = sp.Rational(top, 108)
    if zero:
        return forall(1, "<=", share * delta, DELTA_DOMAIN)
    tail = worst_ratio(Tail(error_squared, ">=", C_of(a2, K, c) / (delta * L), delta), "<=", share * delta)
    proof = derivation("OURS:R1.CC3", tail, c=c, top=top)
    return all_of(proof, forall(share * delta, "<=", delta, DELTA_DOMAIN))


@claim(
    "OURS:R1.LC4",
    sharp="c",
    control=(dict(top=1), dict(least=1)),
    hypotheses=("L in Integers", "L >= 1"),
    reference={},
)
def lemma_c4_from_two_tokens_on(*, c: int | Fraction = 108, top: int = 75, least: int = 2) -> Evidence:
    r"""For every $L\geq1$, $\mathbb{E}|{\rm err}|^2\leq75e^{4a_2}K/L$, and for every $L\geq2$ this
    is at most $2C\ln(L)/L$ with $C=108e^{4a_2}K$. Here `top` stands for 75, `c` for 108, and
    `least` for the 2 tokens.
    """
    search = worst_ratio(Mean(error_squared), "<=", second_moment_R1(L, a2, K, top))
    error = derivation("OURS:R1.LC4", search, top=top)
    length, a = sp.Symbol("L", integer=True, positive=True), sp.Symbol("a2", nonnegative=True)
    k = sp.Symbol("K", nonnegative=True)
    domain = {length: Integers(least, oo), a: Closed(0, oo), k: Closed(0, oo)}
    logarithm = 2 * C_of(a, k, sp.Rational(c)) * log(length) / length
    return all_of(error, forall(second_moment_R1(length, a, k, top), "<=", logarithm, domain))
