"""Ten lemmas, each with a wrong version that the drawn examples alone find. The statements are
those that the claims judge, with other numbers, or the same bound with one term changed.
"""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
import sympy as sp

from numerics.attention.exact.softmax_average import error_squared, symbol
from numerics.counterexamples.drawn.dispatch import of_statements
from numerics.counterexamples.drawn.holds import holds
from numerics.counterexamples.worst_case.reference import StatisticBound
from numerics.counterexamples.worst_case.statement import Mean
from numerics.counterexamples.worst_case.tails import MAXIMUM_TAIL, OWN_TAIL, increasing
from numerics.evidence import Evidence, Verdict
from numerics.provers import Closed, Integers
from numerics.provers.statements.statement import statement
from numerics.seeds import seeded
from proofs_check.core.judging import load_claims
from theory.bounds.concentration import delta_0, delta_min, lemma_c4, second_moment_R1

L, a2, F4, sigma2, C_f, d = (symbol(name) for name in ("L", "a2", "F4", "sigma2", "C_f", "d"))
HALF = sp.Rational(1, 2)
Sides = tuple[Any, ...]


def average(bound: sp.Expr) -> Sides:
    return (StatisticBound(Mean(error_squared), bound),)


def claimed(id: str, **numbers: Any) -> Sides:
    """What the engines of a claim judge with these numbers; what they say of it is not used."""
    return load_claims()[id](**numbers).sides


def start_of_the_range(c: int) -> Sides:
    """Corollary C.3: a quarter of delta_0 is admissible in Lemma C.1."""
    n, a = sp.Symbol("L", integer=True, positive=True), sp.Symbol("a2", nonnegative=True)
    small = [(delta_0(n, a, c), "<", 1)]
    domain = {n: Integers(1, sp.oo), a: Closed(0, sp.oo)}
    return (statement(delta_0(n, a, c) / 4, ">=", delta_min(n, a), domain, small),)


def young(absolute: bool) -> Sides:
    """The distance of the risks: ``(r + D)^2 - r^2 <= 2 |r D| + D^2``."""
    r, D = sp.symbols("r D", real=True)
    product = sp.Abs(r * D) if absolute else sp.Max(0, r) * sp.Max(0, D)
    line = (-sp.oo, sp.oo)
    return (statement((r + D) ** 2 - r**2, "<=", 2 * product + D**2, {r: line, D: line}, ()),)


def from_one_token() -> Sides:
    """Proposition 3.1 with ln L, from L = 1 on."""
    (bound,) = claimed("BB:P3.1", least=2)
    return (replace(bound, lengths=(1, *bound.lengths)),)


def union_bound(positive_part: bool) -> Sides:
    """The positive part of the lower limit may be dropped where delta_0 <= 16/27 (Lemma C.4)."""
    condition = (delta_0(L, a2), Fraction(16, 27)) if positive_part else None
    return increasing(MAXIMUM_TAIL, 2 * L * OWN_TAIL, order=2, admitted=condition).sides


#: The true version and the wrong one of each, made when they are needed.
PLANTED: dict[str, tuple[Callable[[], Sides], Callable[[], Sides]]] = {
    "Lemma C.4, C_f for C_f^2": (
        lambda: average(lemma_c4(L, a2, F4, sigma2, C_f, d, power=2)),
        lambda: average(lemma_c4(L, a2, F4, sigma2, C_f, d, power=1)),
    ),
    "R1, an exponent off by one": (
        lambda: average(second_moment_R1(L, a2, F4)),
        lambda: average(second_moment_R1(L, a2, F4) / L),
    ),
    "Assumption C.5, sigma for sigma^2": (lambda: claimed("BB:AC.5"), lambda: claimed("BB:AC.5", scaling=4)),
    "Corollary C.3, a constant halved": (lambda: start_of_the_range(139), lambda: start_of_the_range(70)),
    "Proposition 3.1, ln L at L = 1": (lambda: claimed("BB:P3.1", least=2), from_one_token),
    "Lemma D.1, a constant halved": (lambda: claimed("BB:LD.1.4th"), lambda: claimed("BB:LD.1.4th", c=1)),
    "Lemma C.4, a dropped positive part": (lambda: union_bound(True), lambda: union_bound(False)),
    "Lemma D.2, half of the exponent": (
        lambda: claimed("OURS:R3.tail"),
        lambda: claimed("OURS:R3.tail", share=HALF),
    ),
    "Lemma C.1, the smaller variance": (lambda: claimed("BB:LC.1.CL"), lambda: claimed("BB:LC.1.CL", c=1)),
    "Distance of the risks, no absolute value": (lambda: young(True), lambda: young(False)),
}


def alone(sides: Sides) -> Evidence:
    with seeded("planted errors"):
        return holds(*of_statements(sides), shrink=False)


@pytest.mark.parametrize("name", PLANTED)
def test_the_true_version_holds_and_the_wrong_one_is_found_by_the_examples_alone(name):
    true, wrong = (alone(made()) for made in PLANTED[name])
    assert (true.verdict, wrong.verdict) == (Verdict.SUPPORTED, Verdict.REFUTED)
    assert wrong.witness_by in ("exact", "Arb")
