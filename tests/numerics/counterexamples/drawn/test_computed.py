"""Statements between computed numbers: false ones are refuted by two routes only."""

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from numerics.counterexamples.drawn.computed import Computed, Decades, Entries, OneOf, Several, Share
from numerics.counterexamples.drawn.holds import holds
from numerics.counterexamples.drawn.scalars import MOST
from numerics.evidence import Verdict

CODES = range(-MOST, MOST + 1, 64)


RANGES = [Decades(1e-3, 50.0), Decades(0.1, 10.0, zero=True), Share(), Share(2.0, -1.0)]


@pytest.mark.parametrize("of", RANGES)
def test_a_number_stays_in_its_range_and_reaches_its_ends(of):
    values = [of.value(code) for code in CODES]
    least = 0.0 if isinstance(of, Decades) and of.zero else min(of.low, of.high)
    assert (min(values), max(values)) == (least, max(of.low, of.high))


def test_a_scale_is_even_in_its_logarithm_and_every_value_of_a_choice_is_drawn():
    values = np.log([Decades(1e-6, 1e6).value(code) for code in range(512, 4609, 512)])
    assert np.diff(values) == pytest.approx(math.log(1e6) / 8, rel=0.01)
    assert {OneOf(("a", "b", "c")).value(code) for code in CODES} == {"a", "b", "c"}


def test_a_quarter_of_the_entries_vanishes_and_both_signs_occur():
    values = np.concatenate([Entries(1).value(code) for code in CODES])
    assert abs((values == 0).mean() - 0.25) < 0.01
    assert (values > 0).sum() == (values < 0).sum() > 0


def waves(phase: float = 0.0, **options: Any) -> Computed:
    """``sin <= 1`` at 100 places at once, or with a phase only in the second route."""
    places = tuple(range(100))
    sides = lambda x: (np.sin(x + np.array(places)) + 2, 3.0)
    again = lambda x, k: math.sin(x + k + phase) + 2
    return Computed("circle", {"x": Decades(1.0, 100.0)}, sides, again, along=("k", places), **options)


def test_a_true_statement_is_supported_with_its_edge_on_fewer_examples_if_they_are_costly():
    found = holds(waves())
    assert (found.verdict, found.slack, found.samples) == (Verdict.SUPPORTED, pytest.approx(1, abs=1e-3), 100)
    assert holds(waves(each=10)).samples == holds(waves(each=10), waves()).samples == 10


def test_a_false_one_is_refuted_by_both_routes_at_a_simple_place():
    found = holds(waves().scaled(Fraction(99, 100)))
    assert (found.verdict, found.witness_by, found.witness["x"]) == (Verdict.REFUTED, "two routes", 1)
    assert found.witness["left"] == pytest.approx(math.sin(1 + int(found.witness["k"])) + 2)


def test_routes_that_disagree_refute_nothing():
    found = holds(waves(phase=1e-3).scaled(Fraction(99, 100)))
    assert found.verdict is Verdict.OPEN
    assert "second route" in found.reason or "not confirmed" in found.reason


def test_an_excess_below_the_accuracy_is_rounding():
    assert holds(waves(accuracy=0.02).scaled(Fraction(99, 100))).verdict is Verdict.SUPPORTED


def test_two_equal_negative_numbers_refute_nothing():
    side = lambda x: -1 - x
    same = Computed("x up to 1", {"x": Share()}, lambda x: (side(x), side(x)), side)
    assert holds(same).verdict is Verdict.SUPPORTED
    assert holds(replace(same, sides=lambda x: (side(x), side(x) - 0.1))).verdict is Verdict.REFUTED


def test_points_outside_the_hypotheses_do_not_count():
    nowhere = Computed("nothing", {"x": Share()}, lambda x: (float("nan"), 1.0), lambda x: 0.0)
    assert "meets the hypotheses" in holds(nowhere).reason


def rayleigh(most: float) -> Computed:
    """The Rayleigh quotient of a matrix with largest eigenvalue 2, of many vectors at once."""
    quotient = lambda v: v.sum(-1) ** 2 / np.maximum((v**2).sum(-1), 1e-9)
    both, one = lambda v: (quotient(np.atleast_2d(v)), most), lambda v: float(quotient(np.atleast_2d(v))[0])
    steps = (-512, -64, 64, 512, 4096, -4096)
    return Computed("the plane", {"v": Entries(2)}, both, one, steps=steps, vector=True, each=10)


def test_in_vectors_an_example_climbs_to_the_edge():
    assert holds(rayleigh(2.0)).slack == pytest.approx(1, abs=1e-4)
    found = holds(rayleigh(1.9))
    assert found.verdict is Verdict.REFUTED
    x, y = (float(x) for x in str(found.witness["v"]).strip("[]").split(","))
    assert (x + y) ** 2 > 1.9 * (x * x + y * y)


def test_vectors_of_numbers_are_drawn_one_by_one():
    sides = lambda x: (x[0], 1.0 if x[1] < 0.5 else 0.9)
    found = holds(Computed("pairs", {"x": Several(Share(), 2)}, sides, lambda x: float(x[0])))
    assert found.verdict is Verdict.REFUTED
    assert found.witness["left"] > 0.9
