"""Second routes of property tests against closed forms and quadrature; planted errors."""

import math

import numpy as np
import pytest

from numerics.attention.quadrature.softmax_weights import softmax_moments
from numerics.counterexamples.drawn.dispatch import of_statements
from numerics.counterexamples.drawn.holds import holds
from numerics.evidence import Verdict
from proofs_check.boursier_boyer.dynamics.corollaries_e3_and_e5 import drawn_risks
from proofs_check.boursier_boyer.dynamics.lemma_e2_statement import _fourth
from proofs_check.boursier_boyer.dynamics.lemma_e4_statement import _gradient_moment, _output_moment
from proofs_check.instances.chi_square import mean_by_quad, mean_over_chi_square
from proofs_check.instances.plain_weights import plain_weights
from proofs_check.instances.random_query.averaged_errors import (
    below_its_limit,
    near_its_exponent,
    near_its_law,
)
from proofs_check.instances.regression.gaussian_tasks import drawn_tasks, with_covariates
from proofs_check.instances.regression.least_risks import apart_in_the_end, least_risks
from proofs_check.ours.gaussian.r4_exponents import drawn_from_above, drawn_from_below
from proofs_check.ours.regression.lemma_f1 import drawn_means
from proofs_check.ours.regression.r6_fixed_point import below_its_supremum
from proofs_check.ours.regression.r6_valley import on_the_valley, where_the_excess_is_least
from proofs_check.ours.regression.theorem_5_2_gap import drawn_gaps


@pytest.mark.parametrize("s", [0.0, 0.03, 1.0, 6.0, 40.0])
@pytest.mark.parametrize("L", [1.0, 2.0, 3.0, 1e4, 1e30])
def test_plain_sums_are_the_moments_of_the_weights(s, L):
    assert plain_weights(s, L) == pytest.approx(tuple(softmax_moments(s, L)), rel=1e-11)


@pytest.mark.parametrize("d", [1, 2, 7, 40])
@pytest.mark.parametrize("mean", [mean_over_chi_square, mean_by_quad])
def test_means_over_chi_square(mean, d):
    beside = {"peak": d} if mean is mean_by_quad else {}
    assert mean(d, np.ones_like, **beside) == pytest.approx(1)
    assert mean(d, lambda z: z * z, **beside) == pytest.approx(d * (d + 2), rel=1e-10)
    assert mean(d, lambda z: np.exp(-z), **beside) == pytest.approx(3 ** (-d / 2), rel=1e-10)


def test_a_kink_costs_no_digits():
    f = lambda z: np.exp(-5 / np.maximum(1.0, 0.3 * (1 + z)))
    kink = 1 / 0.3 - 1
    assert mean_over_chi_square(3, f, kink=kink) == pytest.approx(mean_by_quad(3, f, kink=kink), rel=1e-11)


@pytest.mark.parametrize("statistic", [_fourth, _output_moment, _gradient_moment])
@pytest.mark.parametrize("d", [1, 2])
def test_moments_of_tasks_in_closed_form_and_at_nodes(statistic, d):
    rng = np.random.default_rng(3)
    U, V, spread = with_covariates(d, *rng.normal(size=(2, 4, 9)), rng.normal(size=(4, 12)))
    many = statistic(U, V, spread, d)
    one = [statistic(U[k], V[k], [G[k] for G in spread], d, by_nodes=True) for k in range(4)]
    np.testing.assert_allclose(many, one, rtol=1e-12)


#: Statements with a wrong number: the factor of the bound of the excess, of C1, of the law, of the
#: exponent; the base of a bound and the half of another; a constant below its sharp value.
PLANTED = {
    "valley": lambda: on_the_valley(0.95),
    "fixed point": lambda: below_its_supremum(0.95),
    "least risk": lambda: least_risks(0.95),
    "where the flows end": lambda: apart_in_the_end(1.05),
    "C1": lambda: below_its_limit(0.95),
    "law": lambda: near_its_law(1.05),
    "exponent": lambda: near_its_exponent(1.1),
    "from above": lambda: drawn_from_above(0.95),
    "from below": lambda: drawn_from_below(0.25),
    "fourth moment": lambda: drawn_tasks(_fourth, 0.95 * 3**0.25),
    "second moment": lambda: drawn_tasks(_output_moment, 0.95),
    "gradient": lambda: drawn_tasks(_gradient_moment, 0.95),
    "exponential mean": lambda: drawn_means(1.3),
    "risks on the ball": lambda: drawn_risks(0.7),
    "risks and gradients": lambda: drawn_gaps(0.66),
}


@pytest.mark.parametrize("name", PLANTED)
def test_planted_errors_are_found(name):
    found = holds(PLANTED[name](), examples=300, shrink=False)
    assert found.verdict is Verdict.REFUTED
    assert found.witness_by == "two routes"
    assert found.witness["left"] > found.witness["right"]


def test_statements_of_provers_are_tried_beside():
    assert of_statements(where_the_excess_is_least().sides)


def test_a_bound_that_no_example_can_reach_is_not_called_false():
    assert holds(drawn_from_above(20.0)).slack == pytest.approx(20.0, abs=1.0)
    assert math.isfinite(holds(drawn_from_below(0.5)).slack or math.inf)
