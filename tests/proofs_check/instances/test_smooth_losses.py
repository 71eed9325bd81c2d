"""A bound that is broken is refuted by the law that broke it."""

import math
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

from numerics.counterexamples.drawn.holds import holds
from numerics.evidence import Verdict
from proofs_check.instances.smooth_losses import LOSSES, Law, SmoothLosses
from theory.regression.transfer import risk_gap_smooth


def sides(weight, of_D, m, l, law):
    """Return both sides of OURS:E.risk/smooth, with a weight of E T^2 and one of E D^2."""
    change = law.mean(lambda T, y, D: l.loss(m, T + D, y) - l.loss(m, T, y), "T", "y", "D")
    T2, y2, D2 = (law.mean(lambda x: x**2, name) for name in ("T", "y", "D"))
    number = sp.Rational if m is sp else float
    return abs(change), risk_gap_smooth(number(weight) * T2, y2, number(of_D) * D2)


def again(witness, weight, of_D):
    """Return both sides at the law that a witness writes down."""

    def read(name):
        return tuple(float(Fraction(x)) for x in str(witness[name]).split(", "))

    law = Law(read("probabilities"), {name: read(name) for name in ("T", "y", "D")})
    loss = next(l for l in LOSSES if l.name == witness["loss"])
    return sides(weight, of_D, math, loss, law)


@pytest.mark.parametrize(("weight", "of_D"), [(1, Fraction(99, 100)), (0, 1), (Fraction(1, 2), 1)])
def test_the_witness_is_the_law_that_was_found(weight, of_D):
    found = holds(SmoothLosses(("T", "y", "D"), lambda m, l, law: sides(weight, of_D, m, l, law)))
    assert found.verdict is Verdict.REFUTED
    assert found.witness_by == "Arb"
    left, right = again(found.witness, float(weight), float(of_D))
    assert left > right


def test_a_bound_that_point_masses_cannot_break_is_broken_by_another_law():
    fourth = lambda m, l, law: (law.mean(lambda T: T**4, "T"), law.mean(lambda T: T**2, "T") ** 2)
    found = holds(SmoothLosses(("T",), fourth))  # E T^4 <= (E T^2)^2 is an equality for point masses
    assert found.verdict is Verdict.REFUTED
    assert len(str(found.witness["probabilities"]).split(", ")) > 1


def test_the_true_bound_holds_and_is_reached_by_the_square_loss():
    found = holds(SmoothLosses(("T", "y", "D"), lambda m, l, law: sides(1, 1, m, l, law)))
    assert found.verdict is Verdict.SUPPORTED
    assert found.slack == pytest.approx(1.0)
    assert found.tightest["loss"] == "z^2/2"


def test_the_counterexample_is_simple():
    found = holds(SmoothLosses(("T", "y", "D"), lambda m, l, law: sides(1, 1, m, l, law), Fraction(99, 100)))
    simplest = {"loss": "z^2/2", "probabilities": "1", "T": "0", "y": "0"}
    assert {name: found.witness[name] for name in simplest} == simplest


def test_the_losses_are_jointly_1_smooth_with_the_slopes_given():
    rng, h = np.random.default_rng(1), 1e-6
    for l in LOSSES:
        assert l.slope(math, 0.0, 0.0) == 0.0
        for z, y in rng.normal(size=(20, 2)) * 3:
            slope = (l.loss(math, z + h, y) - l.loss(math, z - h, y)) / (2 * h)
            assert l.slope(math, z, y) == pytest.approx(slope, abs=1e-8)
            a, b = rng.normal(size=2)
            assert abs(l.slope(math, z + a, y + b) - l.slope(math, z, y)) <= math.hypot(a, b) * (1 + 1e-12)


@pytest.mark.parametrize("factor", [0, -1])
def test_a_right_side_that_is_not_positive_is_exceeded(factor):
    def square(m, l, law):
        second = law.mean(lambda T: T**2, "T")
        return second, factor * second

    found = holds(SmoothLosses(("T",), square))
    assert found.verdict is Verdict.REFUTED
    assert found.witness["left"] != "0"
