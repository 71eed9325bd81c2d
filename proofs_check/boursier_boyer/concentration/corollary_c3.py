"""Corollary C.3 of Boursier & Boyer: a bound on the error at a fixed query that holds with
probability 1 - delta, and the two deterministic inequalities of its proof.
"""

from __future__ import annotations

from fractions import Fraction

import sympy as sp
from sympy import exp, oo

from numerics.attention.exact.softmax_average import error_squared, symbol
from numerics.counterexamples.worst_case.families import Point, on_line
from numerics.counterexamples.worst_case.statement import Tail
from numerics.counterexamples.worst_case.worst_average import at_point, worst_ratio
from numerics.evidence import Evidence, all_of
from numerics.provers import Closed, Integers, forall
from proofs_check.core.claim import claim
from proofs_check.derivations.proofs import derivation
from theory.bounds.concentration import C, delta_0, delta_min

LENGTH, SIZE, F4 = symbol("L"), symbol("a2"), symbol("F4")
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
    r"""For $\delta\geq\delta_0$, $\mathbb{P}(\|R_L/S_L-R/S\|^2\geq C/(\delta L))\leq\delta$ with
    $C=108e^{4\sigma^2\|Uz\|^2}\sqrt{\mathbb{E}\|f(Z_1)\|^4}$. As printed it is refuted at $f=0$,
    where the event is sure; repaired, the `event` has the strict inequality, and the bound is
    derived for every $\delta$ in $(0,1)$.
    """
    tail = Tail(
        error_squared,
        event,
        C(SIZE, F4, sp.Rational(c)) / (delta * LENGTH),
        delta,
        least=delta_0(LENGTH, SIZE),
    )
    search = all_of(
        worst_ratio(tail, "<=", delta), at_point(ZERO_FUNCTION, 9, tail, delta, sp.Rational(4, 5))
    )
    return derivation("BB:CC.3", search, event=event, c=c)


L = sp.Symbol("L", integer=True, positive=True)
a2 = sp.Symbol("a2", nonnegative=True)  # sigma^2 |Uz|^2
x = sp.Symbol("x", positive=True)
DOMAIN = {L: Integers(1, oo), a2: Closed(0, oo)}
X = {x: L * exp(-2 * a2) / 8}


@claim("BB:CC.3.a", sharp="c", reference=dict(x=sp.Rational(25, 2) * exp(-sp.Rational(1, 2))))
def delta_0_exceeds_delta_min(*, c: int | Fraction = 64) -> Evidence:
    r"""For every $x>0$, $e^{-x}\leq1/x^2$; at $x=Le^{-2\sigma^2\|Uz\|^2}/8$ this gives
    $\delta_0=c\,e^{4\sigma^2\|Uz\|^2}/L^2\geq\delta_{\min}$ with `c` = 64. Another `c` puts $c/64$
    in front of $1/x^2$.
    """
    reason = forall(exp(-x), "<=", sp.Rational(c, 64) / x**2, {x: (0, oo)})
    return all_of(reason, forall(delta_0(L, a2, c), ">=", delta_min(L, a2), DOMAIN, via=X))


@claim(
    "BB:CC.3.b",
    false="gap",
    costs="constants",
    repair=dict(c=139),
    sharp="c",
    control=dict(c=139, front=Fraction(1, 216)),
    needs=("BB:LC.1", "BB:CC.3.a"),
    hypotheses=(
        "L in Integers",
        "L >= 1",
        "a2 >= 0",
        "0 < delta",
        "delta < 1",
        "delta >= 64 * exp(4 * a2) / L**2",
    ),
    reference={},
)
def quarter_of_delta_is_admissible(*, c: int | Fraction = 64, front: Fraction = Fraction(1)) -> Evidence:
    r"""The proof needs $\delta/4\geq\delta_{\min}$ for every $\delta<1$ from $\delta_0$ on. With
    the printed `c` = 64 in $\delta_0$ this is refuted; it holds from $c=256\,(2/e)^2$ on, and the
    repair takes $139$. That Lemma C.1 at $\frac\delta4$ gives the bound with 108 for 27 and the
    probability $1-\delta$ is derived, and tried on the worst laws; `front` multiplies 108.
    """
    ranges = {**DOMAIN, delta: (0, 1)}
    enough = forall(
        delta / 4, ">=", delta_min(L, a2), ranges, where=[(delta, ">=", delta_0(L, a2, c))], via=X
    )
    level = C(SIZE, F4, sp.Rational(108) * front) / (delta * LENGTH)
    search = worst_ratio(Tail(error_squared, ">", level, delta, least=delta_0(LENGTH, SIZE)), "<=", delta)
    return all_of(enough, derivation("BB:CC.3.b", search, front=front))
