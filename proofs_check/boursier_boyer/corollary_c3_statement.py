"""Corollary C.3 of Boursier & Boyer, the statement: a bound on the error at a fixed query that
holds with probability 1 - delta. It is tried on the laws at which a search finds the largest
probability of failure, and at f = 0, where the weak inequality of the printed event breaks it.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp

from numerics.attention.softmax_average import error_squared, symbol
from numerics.evidence import Evidence, all_of
from numerics.search.families import Point, on_line
from numerics.search.statement import Tail
from numerics.search.worst_average import at_point, worst_ratio
from proofs_check.core.claim import claim
from theory.bounds.concentration import C

L, a2, K = symbol("L"), symbol("a2"), symbol("F4")
delta = sp.Symbol("delta", positive=True)
HALF = Fraction(1, 2)
# Rademacher tokens at U = 0: delta_0 = 64/L^2 is below 1 from L = 9 on
ZERO_FUNCTION = Point(on_line((1, -1), (HALF, HALF)), Fraction(0), (Fraction(0), Fraction(0)))


@claim(
    "BB:CC.3",
    false="material",
    why=r"For $f=0$ both sides of the inequality in the event are $0$; as it is $\geq$, the event has probability $1$.",
    instead=r"$\mathbb{P}(\|R_{L}/S_{L}-R/S\|^{2}>C/(\delta L))\leq\delta$, with the strict inequality; as printed it holds as "
    r"soon as $\mathbb{E}\|f(Z_{1})\|^{4}>0$.",
    repair=dict(event=">"),
    dial="c",
    needs=("BB:CC.3.a", "BB:CC.3.b", "OURS:R1.CC3"),
    argument="for f = 0 the printed event is {0 >= 0}; otherwise the proof gives it where delta/4 >= delta_min, R1.CC3 everywhere",
    hypotheses=("L in Integers", "L >= 1", "delta < 1", "delta * L**2 >= 64 * exp(4 * sigma2 * Uz**2)"),
    reference={},
)
def tail_of_the_error(*, event: str = ">=", c: int | Fraction = 108) -> Evidence:
    """P(|R_L/S_L - R/S|^2 >= C/(delta L)) <= delta, C = 108 e^{4 a2} sqrt(E|f|^4); repaired with a
    strict inequality.
    """
    tail = Tail(error_squared, event, C(a2, K, c) / (delta * L), delta)
    worst = worst_ratio(tail, "<=", delta)
    return all_of(worst, at_point(ZERO_FUNCTION, 9, tail, delta, sp.Rational(4, 5)), checked=worst.checked)
