"""Appendix C.1 and C.2: what was executed, how grave the errors are, and changed numbers."""

from fractions import Fraction

import pytest
import sympy as sp

from numerics.attention.exact.softmax_average import error_squared
from numerics.counterexamples.worst_case.families import Point, on_line
from numerics.counterexamples.worst_case.statement import Mean
from numerics.counterexamples.worst_case.worst_average import at_point
from numerics.evidence import Verdict
from proofs_check.boursier_boyer.concentration import (
    lemma_c1,
    lemma_c1_weights,
    lemma_c2,
    lemma_c4,
    lemma_c4_steps,
)
from theory.bounds import concentration

HALF = Fraction(1, 2)


@pytest.mark.parametrize(
    "claim",
    [
        lemma_c1.gluing_the_two_terms,
        lemma_c1.the_inverse_is_at_most_two,
        lemma_c1.both_lines_of_the_last_display,
    ],
    ids=lambda c: c.id,
)
def test_a_display_that_speaks_of_a_probability_is_no_inequality_of_scalars(claim):
    found = claim()
    assert found.verdict is Verdict.CERTIFIED
    assert r"\mathbb{E}_{z_{1:L}}\left[1\left\{" in found.checked
    assert "sub-Gaussian" in " ".join(found.assumes)
    assert not claim(three=Fraction(299, 100)).verdict.executed  # only the printed number is derived
    assert claim(three=Fraction(1, 40)).verdict is Verdict.REFUTED


def test_the_inverses_are_no_error_where_alpha_minus_lies_in_the_unit_interval():
    claim = lemma_c1.distance_of_the_inverses
    assert not claim.false
    assert claim().verdict.executed


def test_variances_may_vanish():
    """The derivation asks for two moments only, and not that a variance is positive."""
    assumed = lemma_c2.variance_of_a_sum().assumes
    assert any("Q" in x for x in assumed)
    assert not any(">" in x for x in assumed)


def test_what_is_computed_is_not_what_it_is_compared_with():
    of_weights = lemma_c1_weights.moments_of_a_weight, lemma_c1_weights.exponents_of_the_moments
    for claim in (*of_weights, lemma_c4_steps.thresholds_and_limit):
        assert not [p for p in claim().parts if p.vacuous]


@pytest.mark.parametrize("C_f", [Fraction(1, 3), Fraction(7, 2)])
def test_the_substitution_loses_a_factor(C_f):
    u = sp.Symbol("u", positive=True)
    scale = 16 * sp.Rational(C_f) ** 2
    integral = sp.integrate(sp.exp(-u / scale), (u, 1, sp.oo))
    at = {lemma_c4_steps.C_f: sp.Rational(C_f), lemma_c4_steps.sigma2: 1, lemma_c4_steps.x: 1}
    printed, repaired = (lemma_c4_steps._substituted(1, power).subs(at) for power in (1, 2))
    assert sp.simplify(sp.expand_func(printed) * sp.Rational(C_f) - integral) == 0
    assert sp.simplify(sp.expand_func(repaired) - integral) == 0


def test_the_step_that_lost_a_factor_and_the_lemma_count_as_one_error():
    step, lemma = lemma_c4_steps.substitution_in_the_tail, lemma_c4.mean_square_at_a_fixed_query
    assert (step.false, step.follows) == ("gap", lemma.id)
    assert (lemma.false, lemma.follows) == ("edge", "")


def test_lemma_c4_fails_at_one_token_only():
    """Scaled as far as one likes, two tokens meet the printed bound, and one token does not."""
    scaled = Point(on_line((1, -1), (HALF, HALF)), Fraction(0), (Fraction(10**9), Fraction(-(10**9))))
    symbols = (lemma_c4.L, lemma_c4.a2, lemma_c4.F4, lemma_c4.sigma2)
    bound = concentration.lemma_c4(*symbols, lemma_c4.C_f[1], lemma_c4.d)
    assert at_point(scaled, 1, Mean(error_squared), bound).verdict is Verdict.REFUTED
    assert at_point(scaled, 2, Mean(error_squared), bound).verdict is Verdict.SUPPORTED
    assert lemma_c4.mean_square_at_a_fixed_query.at == "L = 1"


def test_the_hull_of_the_values_is_judged_by_its_largest_point():
    hull = lemma_c4_steps.average_lies_in_a_convex_hull
    assert hull().verdict is Verdict.REFUTED
    assert hull(hull="f(z_k)").verdict is Verdict.PROVED
    assert hull(hull="f(z_k)", total=2).verdict is Verdict.REFUTED
