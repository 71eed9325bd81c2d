"""What is drawn for bounds on laws, by second routes, and what examples alone find."""

import itertools
from fractions import Fraction as F

import numpy as np
import pytest
from flint import arb

from numerics.counterexamples.drawn.dispatch import of_statements
from numerics.counterexamples.drawn.holds import holds
from numerics.counterexamples.drawn.laws import LawProperty, atoms_of, exact_atoms, unit_laws
from numerics.counterexamples.drawn.scalars import MOST
from numerics.counterexamples.worst_case.worst_law import LawBound, RationalLaw, judged, worst_law
from numerics.evidence import Verdict
from numerics.token_laws.sub_gaussian import certified_proxy

CODES = [(0, 0, 0), (MOST, -1, 0), (-MOST, MOST, 900), (2000, 1500, -3000), (-700, 3000, MOST), (0, 1, 0)]


def fourth(populations, numbers):
    """E|Z|^4 against sigma^4 d^2."""
    (p,) = populations
    return p.mean(p.squares**2), p.sigma2**2 * p.nodes.shape[1] ** 2


def second(populations, numbers):
    """E|Z|^2 against sigma^2 d, which fails for no law."""
    (p,) = populations
    return p.mean(p.squares), p.sigma2 * p.nodes.shape[1]


def slope(populations, numbers):
    """The tilted mean against sigma^2 |a|, up to a constant between 1 and 2."""
    (p,) = populations
    mean = p.tilted(numbers[:1]).mean(p.nodes[:, 0])
    return np.sqrt(mean * mean), p.sigma2 * np.sqrt(numbers[0] * numbers[0])


def without_value(populations, numbers):
    (p,) = populations
    return np.exp(1e6 + 0 * p.sigma2), p.sigma2


@pytest.mark.parametrize("codes", CODES)
def test_floats_and_fractions_are_one_law(codes):
    atoms, weights = atoms_of(np.array(codes)[:, None])
    exact, probabilities = exact_atoms(codes)
    assert sum(probabilities) == 1
    assert sum(x * p for x, p in zip(exact, probabilities)) == 0
    kept = weights[:, 0] > 0
    assert atoms[kept, 0] == pytest.approx([float(x) for x in exact], rel=1e-12, abs=1e-18)
    assert weights[kept, 0] == pytest.approx([float(p) for p in probabilities], rel=1e-12)


@pytest.mark.parametrize("codes", CODES)
def test_every_law_has_its_exact_constant(codes):
    atoms, _ = unit_laws(np.array(codes)[:, None])
    exact, probabilities = exact_atoms(codes)
    size = float(max(exact) - min(exact)) / (atoms.max() - atoms.min())
    assert float(certified_proxy(exact, probabilities)) == pytest.approx(size**2, rel=2e-5)


def test_the_length_of_a_vector_against_every_vector():
    coordinate = {F(-2): F(1, 8), F(-1): F(1, 16), F(0): F(5, 8), F(1): F(1, 16), F(2): F(1, 8)}
    law = RationalLaw(tuple(coordinate), tuple(coordinate.values()), d=3)
    vectors = itertools.product(coordinate, repeat=3)
    expected = sum(np.prod([coordinate[x] for x in v]) * sum(x * x for x in v) ** 2 for v in vectors)
    p = law.balls()
    assert p.mean(p.squares**2).overlaps(arb(expected.numerator) / expected.denominator)


def test_drawn_vectors_and_their_exact_form_have_the_same_moments():
    tried = LawProperty(LawBound(fourth, F(1, 5), dimensions=(1, 3, 10)))
    example = (0, 1800, 0, 0, MOST)
    (law,), _ = tried._point(example)
    ball = law.balls()
    exact = ball.mean(ball.squares**2) / ball.sigma2**2 / 100
    assert law.d == 10
    assert float(exact) * 5 == pytest.approx(tried._ratios(np.array([example]), 10)[0], rel=1e-4)


def test_the_edge_is_reached_without_a_family():
    three_atoms = 3.7685  # the largest fourth moment at sigma = 1 of a law on three atoms, by `worst_law`
    assert 1 / holds(LawProperty(LawBound(fourth, 16))).slack * 16 == pytest.approx(three_atoms, rel=1e-2)


@pytest.mark.parametrize(
    ("sides", "limit", "numbers", "dimensions"),
    [
        (fourth, F(35, 10), (), (1,)),  # 3.7685
        (second, F(95, 100), (), (1,)),  # 1
        (second, F(95, 100), (), (1, 3, 100)),
        (slope, F(3, 2), ((0.01, 20.0),), (1,)),  # tends to 2
        (fourth, 1, (), (1,)),
    ],
)
def test_a_wrong_constant_is_refuted_by_examples_alone(sides, limit, numbers, dimensions):
    found = holds(LawProperty(LawBound(sides, limit, 1, numbers, dimensions, "x")))
    assert (found.verdict, found.witness_by) == (Verdict.REFUTED, "Arb")
    assert found.witness["left"] > found.witness["right"]


def test_the_shrunk_counterexample_is_the_simplest_law_the_fair_sign():
    assert exact_atoms((0, 0, 0)) == ((F(-1, 2), F(1, 2)), (F(1, 2), F(1, 2)))
    found = holds(LawProperty(LawBound(fourth, F(9, 10))))
    assert (found.witness["law atoms"], found.witness["law weights"]) == ("-1, 1", "1/2, 1/2")


def test_what_is_too_large_for_floating_point_supports_nothing():
    found = holds(LawProperty(LawBound(without_value, 1)))
    assert found.verdict is Verdict.OPEN
    assert "none of 100 examples" in found.reason


def test_a_witness_respects_the_range_of_a_number():
    assert 5 <= F(holds(LawProperty(LawBound(slope, F(11, 10), 1, ((5.0, 6.0),)))).witness["number 1"]) <= 6


def test_one_bound_on_two_families_is_one_property():
    parts = [worst_law(fourth, 16, checked="x", laws=(family,)) for family in ("two atoms", "three atoms")]
    assert len(of_statements(side for e in parts for side in e.sides)) == 1


def test_a_refuted_bound_hands_on_its_statement_too():
    refuted = worst_law(fourth, 1, checked="x")
    assert refuted.verdict is Verdict.REFUTED
    assert holds(*of_statements(refuted.sides)).verdict is Verdict.REFUTED


def test_a_share_of_a_law_may_be_smaller_than_its_constant_allows():
    half = F(1, 2)
    law = RationalLaw((F(1), F(-1)), (half, half), share=half)
    assert judged(LawBound(second, F(1, 4)), [law], []).verdict is Verdict.SUPPORTED  # 1 <= 4/4
    assert judged(LawBound(second, F(1, 5)), [law], []).verdict is Verdict.REFUTED
