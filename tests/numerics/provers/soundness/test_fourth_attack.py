"""What follows from hypotheses, tangents or limits, or misses it by a hair, asked with so many
steps that every engine is tried; the judge of these; and their share of proofs.
"""

import random
from fractions import Fraction
from itertools import islice, repeat

import pytest
import sympy as sp

from numerics.evidence import Evidence, Verdict
from tests.numerics.provers.soundness.case import Inequality
from tests.numerics.provers.soundness.generator import MISSES
from tests.numerics.provers.soundness.running import ATTACKS, blind, no_false_verdict
from tests.numerics.provers.soundness.search import Axis
from tests.numerics.provers.soundness.values import number

EFFORT = 40_000
PROVED = Evidence(verdict=Verdict.PROVED, engine="Positivstellensatz")
X, Y = sp.symbols("x y", real=True)
LINES = {X: Axis(), Y: Axis()}
TINY, ONE = sp.Rational(1, 10**15), Fraction(1)


def test_no_false_verdict():
    found = no_false_verdict("fourth", 4001, EFFORT, refused=10, refuted=25, accepted=25, shrugs=45)
    assert found == set(MISSES)


def test_proofs_are_right_without_the_search_for_counterexamples():
    with blind():
        results = list(islice(ATTACKS["fourth"](4101, repeat(EFFORT)), 48))
    assert [r.fault for r in results if r.fault] == []
    assert sum(r.verdict in ("PROVED", "CERTIFIED") for r in results) >= 9


@pytest.mark.parametrize(
    "false",
    [
        Inequality(X * Y, ">=", 1 + TINY, LINES, where=[(X, ">=", 1), (Y, ">=", 1)], hints=[[ONE, ONE]]),
        Inequality((X - 1) ** 2, ">", 0, {X: Axis()}, where=[(X, "!=", 1 + TINY)], hints=[[ONE]]),
        Inequality(X + Y, ">", 2, LINES, where=[(X, "==", 1), (Y, ">=", 1)], hints=[[ONE, ONE]]),
        Inequality(
            sp.sqrt(X - Y), ">=", 0, LINES, where=[(X, ">=", Y - TINY)], hints=[[number(0), number(TINY)]]
        ),
    ],
    ids=str,
)
def test_false_acceptances_are_seen(false):
    assert false.fault(PROVED, random.Random(1))


@pytest.mark.parametrize(
    "true",
    [
        Inequality(X * Y, ">=", 1, LINES, where=[(X, ">=", 1), (Y, ">=", 1)], hints=[[ONE, ONE]]),
        Inequality((X - 1) ** 2, ">", 0, {X: Axis()}, where=[(X, "!=", 1)], hints=[[ONE]], touches=True),
        Inequality(X + Y, ">", 2, LINES, where=[(X, "==", 1), (Y, ">", 1)], hints=[[ONE, ONE]], touches=True),
    ],
    ids=str,
)
def test_what_is_true_is_not_accused(true):
    assert true.fault(PROVED, random.Random(1)) == ""
