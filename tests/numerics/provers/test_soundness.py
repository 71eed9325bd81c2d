"""What the prover says of random statements survives an attack that shares nothing with it."""

import random
from collections import Counter
from fractions import Fraction

import pytest
import sympy as sp

from numerics.evidence import Evidence, Verdict
from tests.numerics.provers import attack
from tests.numerics.provers.generation import statements
from tests.numerics.provers.statement import R, Random, Range, X

BLOCKS, SIZE, EFFORT = 8, 100, 12_000


@pytest.mark.parametrize("block", range(BLOCKS))
def test_no_false_verdict(block):
    rng, source = random.Random(block), statements(1000 + block)
    verdicts: Counter[str] = Counter()
    faults = []
    for _ in range(SIZE):
        st = next(source)
        try:
            e = st.ask(EFFORT)
        except ValueError:  # no point meets the hypotheses, or one has evaluated itself: counted below
            continue
        verdicts[str(e.verdict)] += 1
        faults += [f] if (f := attack.fault(st, e, rng)) else []
    assert not faults, "\n".join(faults)
    # a prover that shrugs is sound as well: at this effort an eighth of all statements stays OPEN,
    # in no block a quarter
    assert sum(verdicts.values()) >= 0.95 * SIZE
    assert verdicts["OPEN"] <= 0.25 * SIZE, verdicts
    assert verdicts["REFUTED"] >= 0.25 * SIZE, verdicts
    assert verdicts["PROVED"] + verdicts["CERTIFIED"] >= 0.15 * SIZE, verdicts


def _statement(small: object, big: object, strict: bool = False) -> Random:
    return Random(sp.sympify(small), sp.sympify(big), strict, {X: Range(None, None)}, ())


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
    right = Evidence(
        verdict=Verdict.REFUTED, engine="exact arithmetic", witness={"x": "3/4"}, witness_by="exact"
    )
    assert attack.fault(st, right, random.Random(1)) == ""
