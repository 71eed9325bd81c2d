"""Loss, gradient and attention over finitely many features, by differences and by hand."""

from itertools import product

import numpy as np
import pytest
import sympy as sp

from tests.refusing import refusals
from theory import FeatureRegression

RNG = np.random.default_rng(16)
ANGLES = 2 * np.pi * np.arange(3) / 3
FEATURES = {
    "random": RNG.normal(size=(4, 3)),
    "collinear": np.array([[1.0, 2.0, -0.5]]),
    "equiangular": np.array([np.cos(ANGLES), np.sin(ANGLES)]),
    "orthonormal": np.eye(3),
    "repeated, Gram matrix of rank 1": np.ones((2, 3)),
}
PROMPTS = {
    "population": {"probabilities": [0.2, 0.3, 0.5]},
    "empty classes": {"masses": [[1.0, 2.0, 0.0], [0.0, 1.0, 0.0]]},
    "four tokens": {"prompt_length": 4, "probabilities": [0.2, 0.3, 0.5]},
}
TASKS = RNG.normal(size=(5, 3))


@pytest.mark.parametrize("features", FEATURES)
@pytest.mark.parametrize("prompts", PROMPTS)
def test_the_gradient_is_that_of_the_loss(features, prompts):
    V = FEATURES[features]
    problem, h = FeatureRegression(V, tasks=TASKS, **PROMPTS[prompts]), 1e-5
    Q = RNG.normal(size=(len(V), len(V)))
    units = np.eye(len(V) ** 2).reshape(-1, len(V), len(V))
    slopes = [(problem.loss(Q + h * unit) - problem.loss(Q - h * unit)) / (2 * h) for unit in units]
    # central differences with h = 1e-5 are exact to about 1e-10 for losses of order 1
    np.testing.assert_allclose(problem.gradient(Q).ravel(), slopes, atol=1e-8)
    np.testing.assert_allclose(problem.H(Q).sum(axis=0), 0, atol=1e-15)
    np.testing.assert_allclose(problem.updates(Q), -V.T @ problem.gradient(Q) @ V, atol=1e-14)
    np.testing.assert_allclose(problem.attention(Q).sum(axis=0), 1, rtol=1e-14)


def test_the_loss_over_all_prompts_is_the_mean_over_all_sequences_of_tokens():
    V, p, N, Q = FEATURES["random"], np.array([0.2, 0.3, 0.5]), 3, RNG.normal(size=(4, 4))
    problem = FeatureRegression(V, tasks=TASKS, probabilities=p, prompt_length=N)
    scores, loss = V.T @ Q @ V, 0.0
    for tokens in product(range(3), repeat=N):
        for k in range(3):
            weights = np.exp(scores[list(tokens), k])
            predicted = TASKS[:, list(tokens)] @ weights / weights.sum()
            loss += p[list(tokens)].prod() * p[k] * np.mean((predicted - TASKS[:, k]) ** 2) / 2
    assert problem.loss(Q) == pytest.approx(loss, rel=1e-13)


def test_symbols_agree_with_floats():
    V, C = sp.Matrix([[1, sp.Rational(1, 3), 0], [0, 2, -1]]), sp.Matrix([[2, 1, 0], [1, 3, 0], [0, 0, 1]])
    Q = sp.Matrix([[sp.Rational(1, 2), -1], [sp.Rational(1, 5), sp.Rational(1, 7)]])
    as_floats = lambda M: np.array(M.tolist(), dtype=float)
    for prompts in ({}, {"prompt_length": 2}, {"masses": [[1, 0, 2]]}):
        exact = FeatureRegression(V, C, **prompts)
        floats = FeatureRegression(as_floats(V), as_floats(C), **prompts)
        assert float(exact.loss(Q)) == pytest.approx(floats.loss(as_floats(Q)), rel=1e-14)
        for name in ("scores", "attention", "H", "gradient", "updates"):
            found = getattr(exact, name)(Q)
            assert isinstance(found, sp.MatrixBase)
            known = getattr(floats, name)(as_floats(Q))
            np.testing.assert_allclose(as_floats(found.evalf()), known, atol=1e-14)


def test_symmetries():
    V, Q = FEATURES["random"], RNG.normal(size=(4, 4))
    p, order = np.array([0.2, 0.3, 0.5]), [2, 0, 1]
    problem = FeatureRegression(V, tasks=TASKS, probabilities=p)
    turned, _ = np.linalg.qr(RNG.normal(size=(4, 4)))
    other = FeatureRegression(turned @ V, tasks=TASKS, probabilities=p)
    assert other.loss(turned @ Q @ turned.T) == pytest.approx(problem.loss(Q), rel=1e-13)
    permuted = FeatureRegression(V[:, order], tasks=TASKS[:, order], probabilities=p[order])
    np.testing.assert_allclose(permuted.gradient(Q), problem.gradient(Q), rtol=1e-12)
    # a class whose feature stands twice, each with half of the probability
    again, halves = [0, 1, 2, 2], [0.2, 0.3, 0.25, 0.25]
    doubled = FeatureRegression(V[:, again], tasks=TASKS[:, again], probabilities=halves)
    np.testing.assert_allclose(doubled.gradient(Q), problem.gradient(Q), rtol=1e-12)
    shifted = FeatureRegression(V, tasks=TASKS + RNG.normal(size=(5, 1)), probabilities=p)
    np.testing.assert_allclose(shifted.gradient(Q), problem.gradient(Q), rtol=1e-11)
    tripled = FeatureRegression(V, tasks=3 * TASKS, probabilities=p)
    assert tripled.loss(Q) == pytest.approx(9 * problem.loss(Q), rel=1e-14)


def test_attention_near_one_keeps_its_digits():
    problem = FeatureRegression(np.eye(2), np.eye(2))
    assert problem.loss(20 * np.eye(2)) == pytest.approx(np.exp(-40) / (1 + np.exp(-20)) ** 2, rel=1e-13)


GOOD = {"features": np.eye(3), "value_covariance": np.eye(3)}


test_bad_problems = refusals(
    ({"features": [1.0, 2.0, 3.0]}, "features has shape"),
    ({"features": [[1.0], [2.0]], "value_covariance": [[1.0]]}, "one feature"),
    ({"features": np.full((1, 3), 1e200)}, "leaves the range of floats"),
    ({"value_covariance": -np.eye(3)}, "eigenvalue -1"),
    ({"value_covariance": np.eye(2)}, "value_covariance has shape"),
    ({"value_covariance": sp.Matrix(3, 3, range(9))}, "not symmetric"),
    ({"value_covariance": None}, "one of value_covariance and tasks"),
    ({"tasks": np.eye(3)}, "one of value_covariance and tasks"),
    ({"probabilities": [0.5, 0.5, 0.0]}, r"probabilities\[2\] = 0.0, but every class"),
    ({"probabilities": [0.7, 0.5, -0.2]}, r"probabilities\[2\] = -0.2"),
    ({"probabilities": [0.5, 0.2, 0.2]}, "sum to 0.89"),
    ({"prompt_length": 0}, "prompt_length = 0 is below 1"),
    ({"prompt_length": 1000}, "5.02e[+]05 prompts, and at most 200000"),
    ({"prompt_length": 2, "masses": [[1, 1, 1]]}, "both given"),
    ({"masses": [[1, -1, 1]]}, "masses has the entry -1"),
    ({"masses": [[0, 0, 0]]}, "without tokens"),
    of=lambda change: FeatureRegression(**GOOD | change),
)


test_bad_parameters = refusals(
    (np.eye(2), ValueError, "the features lie in R\\^3"),
    (np.full((3, 3), np.nan), ValueError, "must be finite"),
    (np.full((3, 3), 1e308), ValueError, "a score leaves"),
    (sp.eye(3), TypeError, "pass the features as a SymPy matrix"),
    ([["a"]], TypeError, "real numbers"),
    of=lambda Q: FeatureRegression(np.ones((3, 2)), np.eye(2)).loss(Q),
)
