"""A witness refutes only what fails at it, and a definition needs both sides."""

from fractions import Fraction

import sympy as sp

from proofs_check.core.robust import Diverging, Robust
from proofs_check.core.witnessed import along, at_point, definition

n = Diverging.n


def point(violation, *, equality=False):
    return Robust(point={"x": Fraction(1, 2)}, hypotheses=("x > 0",), violation=violation, equality=equality)


def test_a_point_refutes_exactly_or_by_arb():
    exact, ball = at_point(point(lambda x: x), "x<=0"), at_point(point(lambda x: sp.exp(x) - 1), "e^x<=1")
    assert (exact.verdict, exact.witness_by, exact.witness["left minus right"]) == ("REFUTED", "exact", "1/2")
    assert (ball.verdict, ball.witness_by) == ("REFUTED", "Arb")


def test_a_point_at_which_the_statement_holds_refutes_nothing():
    assert at_point(point(lambda x: -x), "-x<=0").verdict == "OPEN"
    assert at_point(point(lambda x: x - x, equality=True), "x=x").verdict == "OPEN"
    assert at_point(point(lambda x: -x, equality=True), "x=0").verdict == "REFUTED"


def test_a_sequence_with_a_bounded_ratio_refutes_nothing():
    shared = {"point": {"L": 2}, "hypotheses": ("K >= 1",), "sequence": lambda k, L: {"K": k, "L": L}}
    assert along(Diverging(**shared, ratio=lambda K, L: L * K, exceeds=n)).verdict == "REFUTED"
    assert along(Diverging(**shared, ratio=lambda K, L: L * K / (K + 1), exceeds=n)).verdict == "OPEN"


def test_a_definition_that_admits_too_much_or_too_little_is_refuted():
    positive = lambda x: x > 0
    assert definition(positive, "x>0", inside={"1": (1,)}, outside={"-1": (-1,)}).verdict == "SUPPORTED"
    for inside, outside in (({"-2": (-2,)}, {"-1": (-1,)}), ({"1": (1,)}, {"2": (2,)})):
        assert definition(positive, "x>0", inside=inside, outside=outside).verdict == "REFUTED"
