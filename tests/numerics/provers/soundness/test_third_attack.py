"""Exact numbers of known truth; and the judges themselves, which must see what is false."""

import random

import pytest
import sympy as sp

from numerics.evidence import Evidence, Verdict
from tests.numerics.provers.soundness.generator import TIES
from tests.numerics.provers.soundness.running import no_false_verdict
from tests.numerics.provers.soundness.ties import Constant
from tests.numerics.provers.soundness.whole import Counted, NoValue, counted

BLOCKS, EFFORT = 20, 8_000
PROVED = Evidence(verdict=Verdict.PROVED, engine="identity")
REFUTED = Evidence(verdict=Verdict.REFUTED, engine="identity", witness={"a": 1, "k": 2}, witness_by="exact")
a, k = sp.Symbol("a", integer=True, positive=True), sp.Symbol("k", integer=True, nonnegative=True)
n = sp.Symbol("n", integer=True)


@pytest.mark.parametrize("block", range(BLOCKS))
def test_no_false_verdict(block):
    found = no_false_verdict("third", 3000 + block, EFFORT, refused=10, refuted=25, accepted=25)
    assert found == set(TIES)


@pytest.mark.parametrize(
    "false",
    [
        Constant(sp.pi, "==", 3, False),
        Counted(sp.rf(-1, k * a), sp.S.Zero),
        Counted(sp.binomial(-1, k), sp.S.One),
    ],
    ids=str,
)
def test_false_acceptances_are_seen(false):
    assert false.fault(PROVED, random.Random(1))


@pytest.mark.parametrize(
    "true",
    [
        Constant(sp.pi, ">=", 3, True),
        Counted(sp.rf(k, a + 1), (k + a) * sp.rf(k, a)),
        Counted(sp.ff(k, k), sp.factorial(k)),
    ],
    ids=str,
)
def test_what_is_true_is_not_accused_and_not_refuted(true):
    assert true.fault(PROVED, random.Random(1)) == ""
    assert true.fault(REFUTED, random.Random(1))


def test_a_wrong_ball_is_seen():
    from flint import arb

    area = Constant(sp.floor(sp.pi), "ball", 3, True)
    assert area.fault(arb(3), random.Random(1)) == ""
    assert "does not contain" in area.fault(arb(4), random.Random(1))


@pytest.mark.parametrize(
    ("e", "value"),
    [
        (sp.rf(n, k), 2 * 3 * 4),
        (sp.rf(n, -k, evaluate=False), None),  # 1/((n - 1) (n - 2) (n - 3)) at n = 2
        (sp.rf(n + 3, -k), sp.Rational(1, 4 * 3 * 2)),
        (sp.ff(-n, k), -2 * -3 * -4),
        (sp.binomial(-n, k), -4),
        (sp.beta(n, k), sp.Rational(1, 12)),
        (sp.gamma(n - k, evaluate=False), None),
        (sp.factorial(n - k, evaluate=False), None),
        (1 / (n - 2), None),
    ],
    ids=str,
)
def test_what_is_counted_is_what_sympy_defines(e, value):
    point = {n: 2, k: 3}
    if value is None:
        with pytest.raises(NoValue):
            counted(e, point)
    else:
        assert counted(e, point) == value == e.subs(point).doit().simplify()
