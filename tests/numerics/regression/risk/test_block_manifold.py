"""The exact risk by second routes, limits, symmetries, and its gradient by differences."""

import math
from typing import Any

import numpy as np
import pytest

from numerics import exact_risk
from numerics.regression.risk.block_manifold import RiskField
from numerics.regression.risk.gap_to_infinite_prompt import finite_prompt_risk
from tests.numerics.regression.unit_tasks import unit
from theory.regression.risk import icl_risk, icl_risk_gradient
from theory.regression.task import RegressionTask

#: Correlated; of rank 2; and a block that is not symmetric and commutes with neither.
FULL = np.array([[1.0, 0.4, 0.1], [0.4, 0.7, -0.2], [0.1, -0.2, 0.5]])
SINGULAR = np.array([[1.0, 0.5, 0.0], [0.5, 0.5, 0.5], [0.0, 0.5, 1.0]])
U = np.array([[0.7, -0.5, 0.2], [0.3, 0.2, 0.6], [-0.4, 0.1, 0.9]])


@pytest.mark.parametrize("Sigma", [FULL, SINGULAR], ids=["full", "singular"])
@pytest.mark.parametrize("L", [1, 2, 30])
def test_quadrature_over_other_forms(Sigma, L):
    """Three scalar integrals with moments of the weights that no table has rounded."""
    task = RegressionTask(Sigma, noise=0.2, task_variance=0.4)
    expected = float(finite_prompt_risk(U, 1.3, task, L))
    assert exact_risk(U, 1.3, task, L).risk == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("attention", ["softmax", "linear"])
@pytest.mark.parametrize(("L", "size"), [(1, 1.0), (2, 1.0), (30, 0.5), (2, 40.0), (None, 1.0)])
def test_gradient_against_differences(attention, L, size):
    """At size 40 the risk is summed up by the other of its two ways."""
    task = RegressionTask(SINGULAR, noise=0.2, task_variance=0.4, query_covariance=FULL)
    field = RiskField(task, L, attention=attention)
    V, v, h = np.array([[0.3, 1.0, -0.5], [0.2, -0.7, 0.1], [0.8, 0.4, 0.6]]), -0.7, 2e-3
    along = [field(size * (U + k * h * V), 1.3 + k * h * v).risk for k in (-2, -1, 1, 2)]
    slope = (8 * (along[2] - along[1]) - (along[3] - along[0])) / (12 * h)
    _, to_U, to_u = field(size * U, 1.3)
    scale = max(float(np.abs(to_U).sum() * size), abs(to_u))  # the two parts of the slope may cancel
    assert float((to_U * V).sum() * size + to_u * v) == pytest.approx(slope, abs=1e-8 * scale)


def test_against_drawn_prompts():
    """Other covariances for prompt and query; by chance 6e-7 each."""
    n, L, noise, om2, u = 100_000, 3, 0.3, 0.5, 1.2
    rng = np.random.default_rng(3)
    X = rng.standard_normal((n, L, 3)) @ np.linalg.cholesky(FULL).T
    x = rng.standard_normal((n, 3)) * [1.0, 0.5, 2.0]
    w = math.sqrt(om2) * rng.standard_normal((n, 3))
    y = np.einsum("nld,nd->nl", X, w) + math.sqrt(noise) * rng.standard_normal((n, L))
    scores = np.einsum("nld,de,ne->nl", X, U, x)
    p = np.exp(scores - scores.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    label = (w * x).sum(axis=1) + math.sqrt(noise) * rng.standard_normal(n)
    for attention, weights in (("softmax", p), ("linear", scores / L)):
        loss = (u * (weights * y).sum(axis=1) - label) ** 2 / 2
        query = np.diag([1.0, 0.25, 4.0])
        task = RegressionTask(FULL, noise=noise, task_variance=om2, query_covariance=query)
        exact = exact_risk(U, u, task, L, attention=attention).risk
        assert abs(loss.mean() - exact) < 5 * loss.std() / math.sqrt(n)


def test_linear_attention_and_the_infinite_prompt():
    for L in (1, 7, None):
        found = exact_risk(U, 1.3, RegressionTask(FULL, noise=0.2, task_variance=0.4), L, attention="linear")
        gradient, slope = icl_risk_gradient(FULL, U, 1.3, prompt_length=L, noise=0.5)
        known = 0.4 * float(icl_risk(FULL, U, 1.3, prompt_length=L, noise=0.5)) + 0.1
        assert found.risk == pytest.approx(known, rel=1e-13)
        np.testing.assert_allclose(found.grad_U, 0.4 * gradient, atol=1e-14)
        assert found.grad_u == pytest.approx(0.4 * float(slope), rel=1e-12)
    infinite = lambda name: exact_risk(U, 1.3, FULL, None, 0.0, attention=name).grad_U
    np.testing.assert_array_equal(infinite("softmax"), infinite("linear"))
    # lambda_1 = 0.011: what L = 1e100 adds is of the size of 1e-100
    long, infinite = (exact_risk(U / 10, 1.3, FULL, L, 0.0).risk for L in (10**100, None))
    assert long == pytest.approx(infinite, rel=1e-14)


def test_a_single_token_is_the_answer_whatever_its_score():
    for size in (1e-3, 1.0, 1e3):
        risk, to_U, to_u = exact_risk(size * U, 0.6, FULL, 1, 0.2)
        level = float(np.trace(FULL))
        assert risk == pytest.approx((0.36 * (level + 0.2) + level + 0.2) / 2, rel=1e-12)
        assert to_u == pytest.approx(0.6 * (level + 0.2), rel=1e-12)
        assert np.abs(to_U).max() * size < 1e-11


def test_no_scores():
    """The mean label; along U the risk falls by (1 - 1/L) S_p S_q."""
    Sq = np.diag([1.0, 0.2, 0.0])
    risk, to_U, to_u = exact_risk(np.zeros((3, 3)), 2.0, unit(FULL, 0.1, Sq), 5)
    level = (float(np.trace(FULL)) + 0.1) / 5
    assert risk == pytest.approx((4 * level + np.trace(Sq) + 0.1) / 2, rel=1e-13)
    np.testing.assert_allclose(to_U, -2.0 * 0.8 * FULL @ Sq, atol=1e-14)
    assert to_u == pytest.approx(2 * level, rel=1e-13)


@pytest.mark.parametrize("scale", [1e4, 1e8, 1e150])
def test_the_largest_scores_give_the_label_of_the_best_token(scale):
    """One covariate, two tokens: E max = 1/sqrt(pi), E max^2 = 1, up to 1/scale."""
    u, noise = 0.7, 0.3
    limit = (u**2 * (1 + noise) - 2 * u * math.sqrt(2) / math.pi + 1 + noise) / 2
    assert exact_risk([[scale]], u, [[1.0]], 2, noise).risk == pytest.approx(limit, rel=1e-10 + 2 / scale)


@pytest.mark.parametrize("k", [1e-12, 1e9])
@pytest.mark.parametrize("attention", ["softmax", "linear"])
def test_units_of_the_covariates(k, attention):
    """x -> sqrt(k) x with U -> U/k leaves the scores alone and multiplies risk and noise by k."""
    here = exact_risk(U, 1.3, FULL, 6, 0.2, attention=attention)
    there = exact_risk(U / k, 1.3, k * FULL, 6, k * 0.2, attention=attention)
    assert there.risk == pytest.approx(k * here.risk, rel=1e-12)
    np.testing.assert_allclose(there.grad_U, k**2 * here.grad_U, rtol=1e-9)
    assert there.grad_u == pytest.approx(k * here.grad_u, rel=1e-11)


def test_rotations_and_signs():
    R = np.linalg.qr(np.array([[1.0, 2.0, 0.5], [0.3, -1.0, 2.0], [1.5, 0.2, 0.7]]))[0]
    here = exact_risk(U, 1.3, SINGULAR, 8, 0.2)
    turned = exact_risk(R @ U @ R.T, 1.3, R @ SINGULAR @ R.T, 8, 0.2)
    assert turned.risk == pytest.approx(here.risk, rel=1e-12)
    np.testing.assert_allclose(turned.grad_U, R @ here.grad_U @ R.T, atol=1e-10)
    mirrored = exact_risk(-U, -1.3, SINGULAR, 8, 0.2)
    assert mirrored.risk == pytest.approx(here.risk, rel=1e-14)
    np.testing.assert_allclose(mirrored.grad_U, -here.grad_U, atol=1e-14)


def test_both_ways_to_sum_the_risk_agree(monkeypatch):
    gap = exact_risk(U, 1.3, FULL, 9, 0.2)
    monkeypatch.setattr("numerics.regression.risk.block_manifold.LARGE_SCORES", 0.0)
    whole = exact_risk(U, 1.3, FULL, 9, 0.2)
    assert whole.risk == pytest.approx(gap.risk, rel=1e-12)
    np.testing.assert_allclose(whole.grad_U, gap.grad_U, atol=1e-12)


def test_the_steps_of_the_quadrature_are_fine_enough():
    for L, size in ((2, 0.5), (2, 3.0), (1e30, 0.8)):
        usual, fine = (RiskField(unit(FULL, 0.2), L, step=step)(size * U, 1.3) for step in (0.16, 0.02))
        assert usual.risk == pytest.approx(fine.risk, rel=1e-11)
        np.testing.assert_allclose(usual.grad_U, fine.grad_U, atol=1e-9 * np.abs(fine.grad_U).max())


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"prompt_length": 2.5}, "prompt_length = 2.5"),
        ({"prompt_length": 0}, "prompt_length = 0"),
        ({"prompt_length": 1e101}, "1e100"),
        ({"task": FULL, "noise": -0.1}, "noise = -0.1"),
        ({"attention": "hardmax"}, "hardmax"),
        ({"task": -FULL, "noise": 0.0}, "eigenvalue"),
        ({"U11": np.eye(4)}, "U11"),
        ({"U11": 1e200 * U, "u": 1e200}, "other units"),
        ({"task": FULL}, "noise is missing"),
        ({"noise": 0.1}, "beside a task"),
    ],
)
def test_bad_input(change, says):
    arguments: dict[str, Any] = {"U11": U, "u": 1.0, "task": unit(FULL), "prompt_length": 5} | change
    error = TypeError if says in ("noise is missing", "beside a task") else ValueError
    with pytest.raises(error, match=says):
        exact_risk(**arguments)
