"""The exact flow against other integrators, its laws, and SGD, whose limit it is."""

import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import t as student

from numerics import exact_risk, train
from numerics.regression.flow.coordinates import Factors
from numerics.regression.flow.diagonal import Spectrum, finite_prompt_path
from numerics.regression.flow.finite_prompt import training_flow
from numerics.regression.flow.infinite_prompt import integrate_flow
from tests.numerics.regression.unit_tasks import unit
from theory.regression.task import RegressionTask

SIGMA = np.array([[1.0, 0.4], [0.4, 0.5]])
START = np.array([[0.6, 0.5], [-0.2, 0.7]])
FACTORS = Factors(
    K=np.array([[0.7, 0.1], [0.0, 0.6], [0.3, -0.2]]),
    Q=np.array([[0.5, 0.2], [-0.1, 0.6], [0.4, 0.3]]),
    o=np.array([0.3, -0.2, 0.9]),
    v=np.array([0.5, 0.1, 0.6]),
)


@pytest.mark.parametrize("L", [5, None])
def test_linear_attention_against_the_closed_field(L):
    """The other integration knows only theory's field; task variance 1/2 halves the speed."""
    known = integrate_flow(SIGMA, START, 0.8, prompt_length=L, noise=0.3, t_max=1.5)
    task = RegressionTask(SIGMA, noise=0.15, task_variance=0.5)
    flow = training_flow((START, 0.8), task, L, attention="linear", times=[0.0, 1.0, 3.0])
    np.testing.assert_allclose(flow.U[0], START)
    np.testing.assert_allclose(flow.U[-1], known.U[-1], atol=1e-6)
    assert flow.u[-1] == pytest.approx(float(known.u[-1]), abs=1e-6)
    assert flow.risk[-1] == pytest.approx(float(known.risk[-1]) / 2 + 0.075, abs=1e-6)


def test_softmax_attention_against_the_product_rule():
    """The older flow, of diagonal starts, integrates by a product rule with splines."""
    known = finite_prompt_path(
        [0.3, 0.6], 0.5, Spectrum((1.0, 0.25), (1, 1)), 30.0, noise=0.2, nodes=36, t_max=4.0
    )
    flow = training_flow((np.diag([0.3, 0.6]), 0.5), unit(np.diag([1.0, 0.25]), 0.2), 30, times=[4.0])
    np.testing.assert_allclose(np.diag(flow.U[-1]), known.a[-1], rtol=1e-6)
    assert flow.risk[-1] == pytest.approx(float(known.risk[-1]) + 0.1, rel=1e-8)
    # the flow without a last time: as far as it goes
    end = training_flow((np.diag([0.3, 0.6]), 0.5), unit(np.diag([1.0, 0.25]), 0.2), 30, rtol=1e-6)
    assert end.converged
    assert end.risk[-1] < flow.risk[-1] - 1e-3
    assert end.speed < 1e-8


@pytest.mark.parametrize(
    "start", [START, np.array([[0.6, 0.1], [0.1, 0.475]])], ids=["general", "diagonal in the basis of Sigma"]
)
def test_steps_of_runge_and_kutta(start):
    def slope(y: np.ndarray) -> np.ndarray:
        _, to_U, to_u = exact_risk(y[:4].reshape(2, 2), y[4], SIGMA, 8, 0.1)
        return -np.append(to_U.ravel(), to_u)

    y, h = np.append(start.ravel(), 0.9), 0.1
    for _ in range(10):
        k1 = slope(y)
        k2 = slope(y + h / 2 * k1)
        k3 = slope(y + h / 2 * k2)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + slope(y + h * k3))
    flow = training_flow((start, 0.9), unit(SIGMA, 0.1), 8, times=[1.0])
    np.testing.assert_allclose(np.append(flow.U[-1].ravel(), flow.u[-1]), y, atol=3e-6)


def test_factors_keep_their_balance_and_lower_the_risk():
    flow = training_flow(FACTORS, unit(SIGMA, 0.1), 8, score_scale=0.6, times=np.linspace(0, 6, 13))
    assert flow.factors is not None
    K, Q, o, v = flow.factors
    kept = [K @ np.swapaxes(K, 1, 2) - Q @ np.swapaxes(Q, 1, 2), (o**2 - v**2).sum(axis=1)]
    for law in kept:
        np.testing.assert_allclose(law, np.broadcast_to(law[0], law.shape), atol=1e-7)
    np.testing.assert_allclose(flow.U, 0.6 * np.swapaxes(K, 1, 2) @ Q, atol=1e-14)
    assert (np.diff(flow.risk) < 0).all()
    for i in (0, -1):
        expected = exact_risk(flow.U[i], float(flow.u[i]), SIGMA, 8, 0.1).risk
        assert flow.risk[i] == pytest.approx(expected, rel=1e-13)


def test_units_of_time():
    """Sigma -> k Sigma, U, u -> U, u / sqrt k, noise -> k noise: the same path in t / k^2."""
    k = 1e-6
    here = training_flow((START, 0.8), unit(SIGMA, 0.1), 8, attention="linear", times=[2.0])
    start = (START / math.sqrt(k), 0.8 / math.sqrt(k))
    there = training_flow(start, unit(k * SIGMA, k * 0.1), 8, attention="linear", times=[2.0 / k**2])
    np.testing.assert_allclose(there.U[-1] * math.sqrt(k), here.U[-1], atol=1e-7)


def test_a_start_at_the_minimum_stays():
    flow = training_flow((np.eye(2), 1.0), unit(np.eye(2)), None)
    assert flow.converged
    assert flow.t.tolist() == [0.0]
    assert not training_flow((START, 0.8), unit(SIGMA), 8, t_max=0.1).converged


@pytest.mark.parametrize("attention", ["softmax", "linear"])
def test_sgd_lies_on_the_exact_curve(attention):
    """Means over seeds at error 1e-6 each. Batches of 1024 leave curvature times variance, of the
    order of 1e-6 (1e-5 is granted); gradient descent is off the flow by the order of the rate.
    """
    seeds, steps, lr, batch = 40, 60, 5e-3, 1024
    start, task = FACTORS, RegressionTask(SIGMA, noise=0.1, task_variance=0.5)
    runs = [
        train(
            attention,
            10,
            task=task,
            steps=steps,
            lr=lr,
            batch=batch,
            seed=seed,
            start=start.parameters(),
            every=steps,
        )
        for seed in range(seeds)
    ]
    K, Q, o, v = start
    risks = []
    for _ in range(steps):
        risk, to_U, to_u = exact_risk(K.T @ Q, float(o @ v), task, 10, attention=attention)
        risks.append(risk)
        K, Q, o, v = K - lr * Q @ to_U.T, Q - lr * K @ to_U, o - lr * to_u * v, v - lr * to_u * o
    exact = np.concatenate([(K.T @ Q).ravel(), [o @ v, np.mean(risks)]])
    found = np.array(
        [[*run.parameters.U[-1][:2, :2].ravel(), run.parameters.b[-1][2], run.risk[-1]] for run in runs]
    )
    error = found.std(axis=0, ddof=1) / math.sqrt(seeds)
    reach = student.isf(0.5e-6, seeds - 1)
    assert (np.abs(found.mean(axis=0) - exact) < reach * error + 1e-5).all()
    flow = training_flow(start, task, 10, attention=attention, times=[0.0, steps * lr])
    moved = np.append((flow.U[1] - flow.U[0]).ravel(), flow.u[1] - flow.u[0])
    off = np.append((K.T @ Q - flow.U[1]).ravel(), o @ v - flow.u[1])
    assert np.linalg.norm(off) < 0.02 * np.linalg.norm(moved)
    # the control: the curve is told from standing still
    assert np.abs(exact[4] - float(start.o @ start.v)) > 5 * reach * error[4]


def test_parameters_and_factors():
    full = FACTORS.parameters()
    np.testing.assert_array_equal(full.U, np.pad(FACTORS.K.T @ FACTORS.Q, (0, 1)))
    np.testing.assert_allclose(full.b, [0, 0, FACTORS.o @ FACTORS.v], rtol=1e-15)
    with pytest.raises(ValueError, match="rows"):
        Factors(np.eye(2), np.eye(2), np.ones(2), np.ones(2)).parameters()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"times": [1.0, 1.0]}, "do not increase"),
        ({"times": [-1.0]}, "do not increase"),
        ({"times": [1.0], "t_max": 1.0}, "both times and t_max"),
        ({"t_max": 0.0}, "t_max = 0"),
        ({"rtol": 0.0}, "rtol"),
        ({"start": FACTORS, "score_scale": 0.0}, "score_scale"),
        ({"start": (np.eye(3), 1.0)}, "U11"),
        ({"task": unit(np.zeros((2, 2)))}, "stands still"),
    ],
)
def test_bad_input(change, says):
    arguments: dict[str, Any] = {"start": (START, 0.8), "task": unit(SIGMA), "prompt_length": 5} | change
    with pytest.raises(ValueError, match=says):
        training_flow(**arguments)
