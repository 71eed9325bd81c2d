"""The population risk of any parameters: tokens drawn, closed forms, honest errors."""

import math
from typing import Any

import numpy as np
import pytest

from numerics.regression.risk.any_parameters import population_risk
from numerics.regression.risk.block_manifold import exact_risk
from numerics.training import Parameters, initial_parameters
from tests.numerics.regression.unit_tasks import unit
from theory.regression.any_parameters import full_risk
from theory.regression.experiment import kms, variant
from theory.regression.task import RegressionTask

TASK = RegressionTask(kms(2), noise=0.1, task_variance=0.5)


def wild(d: int, size: float = 1.5) -> Parameters:
    return Parameters(*(size * np.asarray(x) for x in initial_parameters(d, seed=3)))


@pytest.mark.parametrize("name", ["as written", "as coded"])
@pytest.mark.parametrize("d", [1, 3])
def test_against_drawn_tokens(name, d):
    """Each comparison fails by chance with probability 6e-7."""
    rng = np.random.default_rng(11)
    theta, reading, n, L, noise, om2 = wild(d), variant(name), 60_000, 3, 0.2, 0.7
    task = RegressionTask(kms(d), noise=noise, task_variance=om2)
    A, B = reading.roots(task)
    w, X = math.sqrt(om2) * rng.standard_normal((n, d)), rng.standard_normal((n, L, d)) @ A.T
    labels = np.einsum("nld,nd->nl", X, w) + math.sqrt(noise) * rng.standard_normal((n, L))
    Z, x = np.concatenate([X, labels[..., None]], axis=2), rng.standard_normal((n, d)) @ B.T
    scores = reading.score_scale(d) * np.einsum("nlj,jn->nl", Z, theta.U[:, :d] @ x.T)
    p = np.exp(scores - scores.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    label = (w * x).sum(axis=1) + math.sqrt(noise) * rng.standard_normal(n)
    for attention, weights in (("softmax", p), ("linear", scores / L)):
        loss = (np.einsum("nl,nlj,j->n", weights, Z, theta.b) - label) ** 2 / 2
        value, error = population_risk(theta, attention, task, L, variant=name, points=512)
        assert abs(loss.mean() - value) < 5 * math.hypot(loss.std() / math.sqrt(n), error)
        assert error < loss.std() / math.sqrt(n)


def test_infinite_prompt_in_closed_form():
    theta, S = wild(4), kms(4)
    known = float(full_risk(S, theta.U, theta.b, noise=0.3)) + 0.15
    for attention in ("softmax", "linear"):
        value, error = population_risk(theta, attention, unit(S, 0.3), None)
        assert value == pytest.approx(known, rel=1e-12)
        assert error == 0
    far = population_risk(wild(4, 0.7), "softmax", unit(S, 0.3), 10**15, points=64)[0]
    assert far == pytest.approx(population_risk(wild(4, 0.7), "softmax", unit(S, 0.3), None)[0], rel=1e-9)


def test_a_single_token_is_the_answer():
    theta, S = wild(3), np.diag([1.0, 0.5, 0.0])
    b, level = theta.b, 0.4 * 1.5
    known = (b[:3] @ S @ b[:3] + b[3] ** 2 * (level + 0.1) + level + 0.1) / 2
    task = RegressionTask(S, noise=0.1, task_variance=0.4)
    assert population_risk(theta, "softmax", task, 1, points=64)[0] == pytest.approx(known, rel=1e-12)


def test_near_the_block_manifold_it_joins_the_exact_risk():
    """Off the manifold by e the risk differs by e^2: an odd moment of the task."""
    d = 2
    K, V, e = np.zeros((3, 3)), np.diag([0.0, 0.0, 1.4]), 1e-3
    K[:2, :2] = [[0.8, 0.3], [-0.2, 0.6]]
    to_V = np.array([[1.0, -1, 0], [0.5, 2, 0], [1, 1, 0]])
    to_K = np.array([[0.0, 0, 1], [0, 0, -2], [0, 0, 1]])
    O = np.array([0.2, -0.1, 1.0])
    moved = [Parameters(O=O, V=V + k * e * to_V, K=K + k * e * to_K, Q=K) for k in (0, 1)]
    exact = exact_risk((K.T @ K)[:d, :d], 1.4, TASK, 6).risk
    on, off = (population_risk(theta, "softmax", TASK, 6) for theta in moved)
    assert on[0] == pytest.approx(exact, rel=1e-12)
    assert on[1] < 1e-12
    assert 0 < abs(off[0] - exact) < 10 * e**2 + 5 * off[1]


def test_the_error_is_honest():
    found = np.array([population_risk(wild(2), "softmax", TASK, 5, points=64, seed=k) for k in range(20)])
    better = population_risk(wild(2), "softmax", TASK, 5, points=1 << 11, seed=99)
    assert better[1] < found[:, 1].mean() / 3
    assert 0.3 < float((((found[:, 0] - better[0]) / found[:, 1]) ** 2).mean()) < 3


def test_axes_in_front_and_scales_between_key_and_query():
    records = Parameters(*(np.stack([[x, 0.5 * x]] * 3) for x in wild(2)))
    value, error = population_risk(records, "softmax", TASK, 4, points=64)
    assert value.shape == error.shape == (3, 2)
    theta = wild(2)
    for same in (theta, theta._replace(K=4 * theta.K, Q=theta.Q / 4, O=2 * theta.O, V=theta.V / 2)):
        assert population_risk(same, "softmax", TASK, 4, points=64) == (value[1, 0], error[1, 0])
    linear, none = population_risk(records, "linear", TASK, 4)
    assert linear.shape == (3, 2)
    assert not none.any()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"attention": "coupled"}, "coupled"),
        ({"prompt_length": 0.5}, "prompt_length"),
        ({"points": 100}, "power of 2"),
        ({"variant": "as drawn"}, "as drawn"),
        ({"task": unit(np.eye(3))}, "n = d \\+ 1 = 4"),
    ],
)
def test_bad_input(change, says):
    arguments: dict[str, Any] = {"attention": "softmax", "task": TASK, "prompt_length": 5} | change
    with pytest.raises(ValueError, match=says):
        population_risk(wild(2), **arguments)


THETA = wild(2)
TOO_LARGE = THETA._replace(K=1e80 * THETA.K, Q=1e80 * THETA.Q)


@pytest.mark.parametrize(
    ("theta", "attention", "says"),
    [
        (THETA._replace(V=THETA.V * np.nan), "softmax", "finite"),
        (TOO_LARGE, "softmax", "beyond the range of floats"),
        (TOO_LARGE, "linear", "beyond the range of floats"),
    ],
)
def test_parameters_that_diverged(theta, attention, says):
    with pytest.raises(ValueError, match=says):
        population_risk(theta, attention, TASK, 5)
