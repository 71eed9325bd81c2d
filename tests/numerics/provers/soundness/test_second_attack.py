"""Statements of known truth; and the judge itself, which must see what is false."""

import random
from fractions import Fraction
from typing import Any

import pytest
import sympy as sp
from flint import arb

from numerics.evidence import Evidence, Verdict
from tests.numerics.provers.soundness.case import Inequality
from tests.numerics.provers.soundness.equations import Entries, Equation
from tests.numerics.provers.soundness.generator import FAMILIES
from tests.numerics.provers.soundness.integrals import Area
from tests.numerics.provers.soundness.running import attacked, blind, no_false_verdict
from tests.numerics.provers.soundness.search import Axis

BLOCKS, EFFORT = 12, 8_000
R = sp.Rational
X = sp.Symbol("x", real=True)
CERTIFIED = Evidence(verdict=Verdict.CERTIFIED, engine="branch and bound")
UNIT = {X: Axis(Fraction(0), Fraction(1), True, True)}


def _refuted(**witness: Any) -> Evidence:
    return Evidence(verdict=Verdict.REFUTED, engine="exact arithmetic", witness=witness, witness_by="exact")


@pytest.mark.parametrize("block", range(BLOCKS))
def test_no_false_verdict(block):
    found = no_false_verdict("second", 2000 + block, EFFORT, refused=20, refuted=30, accepted=20)
    assert found == set(FAMILIES)


def test_proofs_are_right_without_the_search_for_counterexamples():
    rng = random.Random(5)
    families = ("needles", "slopes of Max and Min", "hypotheses", "equality on the boundary", "polynomials")
    with blind():
        for family in (*families, "integers", "erf"):
            for st in (FAMILIES[family](rng) for _ in range(4)):
                found = attacked(st, EFFORT, lambda e, st=st: st.fault(e, rng), frozenset({family}))
                assert found.fault == ""


@pytest.mark.parametrize(
    "false",
    [
        Inequality(X, ">", 0, UNIT),  # equality at an end that belongs to the range
        Inequality((3 * X - 1) ** 2, ">=", R(1, 10**12), UNIT),
        Inequality(sp.exp(sp.Max(R(1, 3) - X, X - R(1, 3))), ">=", R(1001, 1000), UNIT),
        Inequality(1 / X, ">=", 1, UNIT),  # undefined at an end
        Inequality(sp.log(X**2 + R(1, 2)), "<=", R(2, 5), UNIT),
        Inequality(X, ">=", R(1, 2), UNIT, where=[(X, ">=", R(49, 100))]),
        Equation(sp.sqrt(X**2), X),
        Equation(X + R(1, 10**12), X),
        Area(sp.exp(X), X, (R(0), R(1)), "<", R(17, 10)),
        Area(sp.sqrt(X), X, (R(-1), R(1)), "<", R(17, 10)),
        Area(sp.exp(X), X, (R(0), R(1)), "<", sp.pi + sp.I),
        Entries(sp.Symbol("l_i", positive=True), sp.Symbol("l_j", positive=True)),
    ],
    ids=str,
)
def test_false_acceptances_are_seen(false):
    assert false.fault(CERTIFIED, random.Random(1))


@pytest.mark.parametrize(
    ("true", "e"),
    [
        (Inequality(X, ">=", 0, UNIT), CERTIFIED),
        (Inequality(sp.sqrt(2) * sp.sqrt(3) * X, "<=", sp.sqrt(6), UNIT), CERTIFIED),
        (Inequality(sp.exp(X), ">=", 1 + X, {X: Axis()}), CERTIFIED),
        (Inequality((X**2 - 2) ** 2, ">", 0, UNIT), CERTIFIED),
        (Inequality(X, ">", 0, UNIT), _refuted(x=0)),
        (Equation(sp.sqrt(X**2), sp.Abs(X), true=True), CERTIFIED),
        (Equation(sp.sqrt(X**2), X), _refuted(x="-2/3", lhs="2/3", rhs="-2/3")),
        (Area(sp.exp(X), X, (R(0), R(1)), "<", R(18, 10)), CERTIFIED),
    ],
    ids=str,
)
def test_what_is_right_is_not_accused(true, e):
    assert true.fault(e, random.Random(1)) == ""


@pytest.mark.parametrize(
    ("st", "e", "words"),
    [
        (Inequality(X, "<", 1, UNIT), _refuted(x="1/2"), "holds at the witness"),
        (Inequality(X, "<", 1, UNIT), _refuted(x=2), "not in the domain"),
        (Inequality(X, "<", 1, UNIT, where=[(X / (X - 1), "<", 9)]), _refuted(x=1), "a hypothesis fails"),
        (Inequality(1 / X, ">", 1, UNIT), _refuted(x=0), "has no value"),
        (Equation(X, X**2), _refuted(x=1), "are equal"),
        (Equation(X, X**2), _refuted(x="I"), "declared"),
        (Equation(X, X**2, given=[X - 2]), _refuted(x=3), "side condition"),
        (Equation(2 * X, X + X, true=True), _refuted(x=3), "it is true"),
        (Area(sp.exp(X), X, (R(0), R(1)), "<", R(18, 10)), _refuted(integral="2"), "the integral is"),
    ],
)
def test_wrong_witnesses_are_seen(st, e, words):
    assert words in st.fault(e, random.Random(1))


def test_a_wrong_ball_is_seen():
    area = Area(sp.exp(X), X, (R(0), R(1)), "ball", 0)
    assert area.fault(arb("1.7182818284590452"), random.Random(1)) == ""
    assert "does not contain" in area.fault(arb("1.7"), random.Random(1))


class _Raising:
    def __init__(self, call: Any) -> None:
        self.call = call

    def ask(self, effort: int) -> Any:
        return self.call()


def test_a_crash_is_no_refusal():
    kinds = frozenset({"any"})
    refusal = _Raising(lambda: Inequality(sp.Piecewise((X, X > 0), (1, True)), ">", 0, UNIT).ask(EFFORT))
    assert attacked(refusal, EFFORT, str, kinds).verdict == "refused"
    for crash in (lambda: 1 // 0, lambda: sp.Max(sp.I, 1), lambda: {}["x"]):
        result = attacked(_Raising(crash), EFFORT, str, kinds)
        assert result.verdict == "crash"
        assert result.fault
