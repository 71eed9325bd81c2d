"""What the prover says of random statements survives an attack that shares nothing with it."""

import random
from dataclasses import replace
from fractions import Fraction

import pytest
import sympy as sp

from numerics.evidence import Evidence, Verdict
from tests.numerics.provers import attack
from tests.numerics.provers.soundness.running import no_false_verdict
from tests.numerics.provers.statement import R, Random, Range, X

BLOCKS, EFFORT = 8, 12_000


@pytest.mark.parametrize("block", range(BLOCKS))
def test_no_false_verdict(block):
    assert no_false_verdict("first", 1000 + block, EFFORT, refused=5, refuted=25, accepted=15)


_statement = lambda small, big: Random(sp.sympify(small), sp.sympify(big), False, {X: Range(None, None)}, ())
ACCEPTED = Evidence(verdict=Verdict.CERTIFIED, engine="branch and bound")


@pytest.mark.parametrize(
    ("small", "big"),
    [
        (X, X**2),  # fails on (0, 1) only
        (0, (X - R(1, 3)) ** 2 - R(1, 10**14)),  # on an interval of length 2e-7
        (0, (X**2 - 2) ** 2 - R(1, 10**20)),
        (2 * X, sp.exp(X) - R(1, 10) + (X - 1) ** 2 / 1000 - R(52, 100)),  # near ln 2 only
        (0, sp.log(X**2)),  # undefined at 0 too
    ],
    ids=str,
)
def test_the_attack_itself_finds_false_acceptances(small, big):
    assert attack.fault(_statement(small, big), ACCEPTED, random.Random(1))


def test_the_attack_does_not_accuse_what_is_true():
    for small, big in [(2 * X - 1, X**2), (0, (X**2 - 2) ** 2), (1 + X, sp.exp(X)), (sp.tanh(X), 1)]:
        assert attack.fault(_statement(small, big), ACCEPTED, random.Random(1)) == ""


@pytest.mark.parametrize(
    ("x", "words"), [("2", "does not break"), ("-3", "lies outside"), ("1/3", "does not meet")]
)
def test_the_attack_checks_witnesses(x, words):
    st = Random(X, X**2, False, {X: Range(Fraction(0), None)}, ((X, ">=", R(1, 2)),))
    wrong = Evidence(verdict=Verdict.REFUTED, engine="exact arithmetic", witness={"x": x}, witness_by="exact")
    assert words in attack.fault(st, wrong, random.Random(1))
    right = replace(wrong, witness={"x": "3/4"})
    assert attack.fault(st, right, random.Random(1)) == ""


@pytest.mark.parametrize(("more", "broken"), [("0", False), ("-1e-30", True)])
def test_what_cancels_within_a_side_is_no_counterexample(more, broken):
    """The maximum less (x + y + |x - y|)/2 is 0 but for rounding, which is far above exp(-400)."""
    x, y = sp.symbols("x y", real=True)
    big = sp.Max(x, y) - (x + y + sp.Abs(x - y)) / 2 + sp.exp(-((x - y) ** 2)) / 2 + sp.Rational(more)
    line = Range(None, None)
    st = Random(sp.S.Zero, big, False, {x: line, y: line}, ())
    assert attack._broken(*attack.exact_gap(st, (Fraction(-1001, 100), Fraction(10)))) is broken
