"""The compiled loss and H against theory: every filling of octets, far scores, no class."""

import numpy as np
import pytest
from hypothesis import given, settings

from numerics import attention_descent
from numerics.strategies import feature_problems
from theory import FeatureRegression

TRIED = settings(derandomize=True, database=None, deadline=None, max_examples=150)


def one_step(problem: FeatureRegression, Q: np.ndarray) -> tuple[float, np.ndarray]:
    path = attention_descent(problem, 1.0, 1, start=Q)
    return path.loss[0], Q - path.Q[-1]


def check(problem: FeatureRegression, Q: np.ndarray) -> None:
    loss, gradient = one_step(problem, Q)
    size = np.trace(problem.value_covariance)
    assert loss == pytest.approx(problem.loss(Q), rel=1e-11, abs=1e-14 * size)
    # Q - (Q - gradient) loses what is small beside Q.
    atol = 1e-12 * size * max(1.0, float((problem.features**2).sum())) + 4e-16 * float(np.abs(Q).max())
    np.testing.assert_allclose(gradient, problem.gradient(Q), rtol=0, atol=atol)


@pytest.mark.parametrize("K", [2, 3, 7, 8, 9, 16, 17])
@pytest.mark.parametrize("n", [1, 2, 7, 8, 9, 30])
@pytest.mark.parametrize("alike", [True, False])
def test_every_way_to_fill_octets(K, n, alike):
    rng = np.random.default_rng([K, n])
    masses = rng.integers(0, 3, size=(n, K)).astype(float)
    masses[:, rng.integers(K)] += 1
    tasks = {"value_covariance": np.eye(K) + 0.5} if alike else {"tasks": rng.normal(size=(3, K))}
    problem = FeatureRegression(
        rng.normal(size=(4, K)), probabilities=rng.dirichlet(np.ones(K)), masses=masses, **tasks
    )
    for size in (0.0, 0.3, 200.0):  # differences of scores of 0, of order 1, and of thousands
        check(problem, size * rng.normal(size=(4, 4)))


@TRIED
@given(feature_problems(most_classes=8, most_prompts=12))
def test_drawn_problems(drawn):
    check(*drawn)


def test_a_class_without_tokens_may_be_far_above():
    problem = FeatureRegression(
        np.eye(3), tasks=[[1.0, -1.0, 0.5]], masses=[[1.0, 1.0, 0.0], [1.0, 2.0, 1.0]]
    )
    check(problem, np.diag([0.0, 0.0, 5000.0]) + np.outer([0, 0, 1], [3000.0, 3000.0, 0]))
