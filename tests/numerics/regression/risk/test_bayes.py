"""The Bayes risk of a prompt against drawn prompts, integrals and limits."""

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import erfcx, exp1
from scipy.stats import chi2

from numerics.regression.risk.bayes import bayes_risk
from tests.numerics.regression.unit_tasks import unit
from theory.inputs.spectrum import RankWarning
from theory.regression.experiment import kms
from theory.regression.task import RegressionTask

KMS = kms(3)


DRAWN = {
    "long": (KMS, 7, None),
    "fewer tokens than dimensions": (KMS, 2, None),
    "singular": (np.diag([1.0, 0.0, 2.0]), 2, np.eye(3)),
    "singular and short": (np.diag([1.0, 0.0, 2.0]), 1, KMS),
}


@pytest.mark.parametrize(("Sigma", "L", "query"), DRAWN.values(), ids=DRAWN)
def test_against_ridge_regression_on_drawn_prompts(Sigma, L, query):
    rng, n, tau2, om2 = np.random.default_rng(1), 40_000, 0.3, 0.5
    eigenvalues, vectors = np.linalg.eigh(Sigma)
    X = rng.standard_normal((n, L, 3)) @ (vectors * np.sqrt(np.maximum(eigenvalues, 0))).T
    w = np.sqrt(om2) * rng.standard_normal((n, 3))
    y = np.einsum("nld,nd->nl", X, w) + np.sqrt(tau2) * rng.standard_normal((n, L))
    gram = np.einsum("nld,nle->nde", X, X) + tau2 / om2 * np.eye(3)
    off = np.linalg.solve(gram, np.einsum("nld,nl->nd", X, y)[..., None])[..., 0] - w
    loss = np.einsum("nd,de,ne->n", off, Sigma if query is None else query, off) / 2 + tau2 / 2
    value, error = bayes_risk(RegressionTask(Sigma, noise=tau2, task_variance=om2, query_covariance=query), L)
    assert abs(loss.mean() - value) < 5 * loss.std() / np.sqrt(n)  # wrong once in 1e6 seeds
    assert error < 3e-4


@pytest.mark.parametrize("least", [1e-13, 1e-40])
def test_small_variances_are_seen_too(least):
    """d noiseless tokens tell the task in any units; of two small directions one tells half."""
    task = lambda *variances: unit(np.diag(variances), 0.0, np.diag([0.0] + [1.0] * (len(variances) - 1)))
    assert bayes_risk(task(1.0, least), 5) == (0.0, 0.0)
    value, error = bayes_risk(task(1.0, least, least), 2)
    assert abs(value - 0.5) <= 5 * error + 1e-9
    assert bayes_risk(task(1.0, 0.0), 5) == (0.5, 0.0)


def test_directions_lost_in_rounding_errors_are_said():
    turn = np.array([[0.6, 0.8], [-0.8, 0.6]])
    with pytest.warns(RankWarning, match=r"1 directions of Sigma are lost.*adds 0.5 to the risk"):
        bayes_risk(unit(turn @ np.diag([1.0, 1e-16]) @ turn.T, 0.0, np.eye(2)), 5)


@pytest.mark.parametrize("L", [1, 4, 1000])
def test_one_covariate_is_an_integral(L):
    S, tau2, om2 = 2.0, 0.3, 0.7
    of_prompt = lambda p: S / (1 / om2 + S * chi2.ppf(p, L) / tau2)
    exact = (quad(of_prompt, 0, 1, epsabs=1e-12, limit=200)[0] + tau2) / 2
    value, error = bayes_risk(RegressionTask([[S]], noise=tau2, task_variance=om2), L)
    assert abs(value - exact) < 6 * error + 1e-9
    assert error < 1e-4


@pytest.mark.parametrize("tau2", [1e-4, 1e-10, 1e-20])
def test_little_noise_and_no_token_to_spare(tau2):
    """The mean is carried by prompts that hardly determine the task."""
    root = math.sqrt(tau2)
    one = math.sqrt(math.pi / 2) * root * erfcx(root / math.sqrt(2))
    two = tau2 / 2 * math.exp(tau2 / 2) * exp1(tau2 / 2)
    for L, exact in ((1, one), (2, two)):  # E tau2/(y + tau2), y chi-squared with L degrees of freedom
        value, error = bayes_risk(unit([[1.0]], tau2), L)
        # 9 standard errors of twice the value, from 16 scramblings: once in 1e6
        assert abs(2 * value - tau2 - exact) < 18 * error
        assert error < 0.02 * value


def test_tiny_and_large_covariances():
    one = bayes_risk(unit(KMS, 0.2), 4)
    for k in (1e-300, 1e300):
        assert bayes_risk(unit(k * KMS, 0.2 * k), 4).value / k == pytest.approx(one.value, rel=1e-12)


def test_without_noise():
    assert bayes_risk(unit(KMS), 3) == (0.0, 0.0)
    for L in (1, 2):  # a random subspace of dimension L is known
        expected = pytest.approx((3 - L) / 2, rel=1e-3)
        assert bayes_risk(RegressionTask(2 * np.eye(3), noise=0.0, task_variance=0.5), L).value == expected
    assert bayes_risk(unit(KMS, 1e-12), 2).value == pytest.approx(bayes_risk(unit(KMS), 2).value, rel=1e-9)
    # a direction that no prompt shows
    assert bayes_risk(unit(np.diag([1.0, 0.0]), 0.0, np.eye(2)), 5) == (0.5, 0.0)


def test_limits():
    assert bayes_risk(unit(KMS, 0.2), None) == (0.1, 0.0)
    assert bayes_risk(unit(KMS, 1e9), 5).value - 5e8 == pytest.approx(1.5, rel=1e-6)  # nothing is learnt
    values = [bayes_risk(unit(KMS, 0.2), L).value for L in (1, 2, 3, 4, 10, 100, 10**4)]
    assert (np.diff(values) < 0).all()
    assert 1e8 * (bayes_risk(unit(KMS, 0.2), 10**8).value - 0.1) == pytest.approx(0.3, rel=1e-6)


def test_scaling_and_rotation():
    turn = np.linalg.qr(np.random.default_rng(0).standard_normal((3, 3)))[0]
    value = bayes_risk(unit(KMS, 0.2), 4).value
    assert bayes_risk(unit(turn @ KMS @ turn.T, 0.2), 4).value == pytest.approx(value, rel=1e-3)
    known = pytest.approx(3 * value, rel=1e-12)
    assert bayes_risk(RegressionTask(KMS, noise=0.6, task_variance=3.0), 4).value == known
    assert bayes_risk(unit(3 * KMS, 0.6), 4).value == pytest.approx(3 * value, rel=1e-12)
    assert bayes_risk(unit(KMS, 0.2), 4, seed=1).value != value


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"prompt_length": 0}, ValueError, "whole number from 1"),
        ({"prompt_length": 2.5}, ValueError, "whole number"),
        ({"prompt_length": 1e13}, ValueError, "1e12"),
        ({"prompt_length": "ten"}, TypeError, "prompt_length"),
        ({"points": 1000}, ValueError, "power of two"),
        ({"task": unit(np.eye(200), 0.1), "prompt_length": 199}, ValueError, "coordinates"),
        ({"task": unit(KMS, 1e-60), "prompt_length": 3}, ValueError, "too small"),
    ],
)
def test_bad_input(arguments, error, message):
    with pytest.raises(error, match=message):
        bayes_risk(**({"task": unit(KMS, 0.1), "prompt_length": 5} | arguments))
