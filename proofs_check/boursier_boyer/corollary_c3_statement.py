"""Corollary C.3 of Boursier & Boyer, the statement: a bound on the error at a fixed query that
holds with probability 1 - delta. With the strict inequality it is derived for every delta, and
tried on the laws at which a search finds the largest probability of failure; at f = 0 the weak
inequality of the printed event breaks it.
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
from proofs_check.derivations.proofs import derivation
from theory.bounds.concentration import C, delta_0

L, a2, K = symbol("L"), symbol("a2"), symbol("F4")
delta = sp.Symbol("delta", positive=True)
HALF = Fraction(1, 2)
# Rademacher tokens at U = 0: delta_0 = 64/L^2 is below 1 from L = 9 on
ZERO_FUNCTION = Point(on_line((1, -1), (HALF, HALF)), Fraction(0), (Fraction(0), Fraction(0)))


@claim(
    "BB:CC.3",
    false="edge",
    at="f = 0",
    costs="nothing",
    repair=dict(event=">"),
    control=(dict(event=">="), dict(c=Fraction(1, 2))),
    hypotheses=(
        "L in Integers",
        "L >= 1",
        "0 < delta",
        "delta < 1",
        "delta * L**2 >= 64 * exp(4 * sigma2 * Uz**2)",
    ),
    reference={},
)
def tail_of_the_error(*, event: str = ">=", c: int | Fraction = 108) -> Evidence:
    r"""As printed it is refuted at $f=0$, where the event is sure; repaired, the `event` has the
    strict inequality, and the bound, whose 108 is `c`, is derived for every $\delta$ in $(0,1)$.
    """
    tail = Tail(error_squared, event, C(a2, K, sp.Rational(c)) / (delta * L), delta, least=delta_0(L, a2))
    search = all_of(
        worst_ratio(tail, "<=", delta), at_point(ZERO_FUNCTION, 9, tail, delta, sp.Rational(4, 5))
    )
    return derivation("BB:CC.3", search, event=event, c=c)
