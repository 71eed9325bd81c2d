"""The exact risk of linear attention at random starts, its gradient, and where its flow ends."""

import numpy as np
import pytest

from numerics.regression.risk.any_parameters import population_risk
from numerics.training.parameters import unpack
from proofs_check.boursier_boyer.experiments.flows import (
    LinearRisk,
    block_limit,
    flow,
    random_start,
    risk_again,
)
from theory.regression.experiment import TASK, kms


@pytest.mark.parametrize(("L", "rho"), [(1, 0.5), (10, 0.0), (10**6, 0.5)])
def test_risk_and_gradient(L, rho):
    theta, Sigma = random_start(3) * 1.5, kms(5, rho)
    risk, gradient = LinearRisk(L, Sigma)(theta)
    assert risk == pytest.approx(risk_again(L, theta, Sigma), rel=1e-13)
    direction = np.random.default_rng(0).standard_normal(theta.size)
    # Differences of the other formulas: fourth order, so that the step's error is below rounding.
    step, at = 1e-3, lambda k: risk_again(L, theta + k * direction, Sigma)
    slope = (8 * (at(step) - at(-step)) - at(2 * step) + at(-2 * step)) / (12 * step)
    assert gradient @ direction == pytest.approx(slope, rel=1e-7)


def directions_without_effect(theta):
    """Changes of basis, what the zero in the query hides, the scale of T, and rotations."""
    O, V, K, Q = unpack(theta.reshape(-1, 6))
    zero, rows = np.zeros((6, 6)), []

    def add(o, *parts):
        rows.append(np.concatenate([o, *map(np.ravel, parts)]))

    for i, j in np.ndindex(6, 6):
        E = np.zeros((6, 6))
        E[i, j] = 1
        add(-E.T @ O, E @ V, zero, zero)
        add(0 * O, zero, E @ K, -E.T @ Q)
        if j == 5:
            add(0 * O, zero, zero, E)
        elif i < j:
            add(0 * O, V @ (E - E.T), K @ (E - E.T), Q @ (E - E.T))
    add(O, zero, -K, zero)
    return np.array(rows)


def test_the_flow_from_seed_0_ends_in_a_local_minimum_off_the_block_manifold():
    risk, end = LinearRisk(100), flow(100, random_start(0), (500.0,))[-1]
    value, gradient = risk(end)
    assert value == pytest.approx(0.18368, abs=1e-5)  # printed in the claim's words
    assert value > 2 * block_limit(100)
    assert np.abs(gradient).max() < 1e-10
    step = 1e-5
    slopes = [risk(end + step * e)[1] - risk(end - step * e)[1] for e in np.eye(end.size)]
    hessian = np.array(slopes) / (2 * step)
    curvature = np.linalg.eigvalsh((hessian + hessian.T) / 2)
    flat = directions_without_effect(end)
    assert np.abs(flat @ hessian).max() < 1e-7
    dimension = int(np.linalg.matrix_rank(flat, tol=1e-6))
    # Positive across the orbit of the symmetries, and flat along it only: nearby risks are not
    # lower.
    assert (np.abs(curvature) < 1e-7).sum() == dimension == 83
    assert curvature[dimension:].min() > 0.14


def test_the_start_is_that_of_the_runs_and_the_limit_that_of_trained_risk():
    from numerics.regression.flow.end_point import trained
    from numerics.training.parameters import initial_parameters

    risk = population_risk(initial_parameters(5, 7), "linear", TASK, 10)[0]
    assert LinearRisk(10)(random_start(7))[0] == pytest.approx(risk)
    assert block_limit(10) == pytest.approx(trained(TASK, 10, attention="linear").risk, rel=1e-9)
