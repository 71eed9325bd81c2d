"""Laws of regression over features on drawn problems, each with a refuted control."""

from typing import Any

import numpy as np
import pytest
from hypothesis import Phase, find, given, settings

from numerics.strategies import feature_problems, reduced_problems
from numerics.strategies.numbers import simplest
from tests.refusing import refusals
from theory import FeatureRegression, ReducedAttention

Floats = np.ndarray[Any, np.dtype[np.float64]]
TRIED = settings(derandomize=True, database=None, deadline=None, max_examples=150)
PROBLEMS, REDUCED = feature_problems(), reduced_problems()


def squared_gaps(problem):
    """E (f_n - f_k)^2 of all pairs."""
    C = problem.value_covariance
    return np.diag(C)[:, None] + np.diag(C) - 2 * C


def exceeds_lemma_1(problem, Q, factor=1.0):
    """Whether the loss exceeds half the mean of (1 - Attn_k)^2 max_n E (f_n - f_k)^2."""
    gaps, bound = squared_gaps(problem).max(axis=0), 0.0
    for m, weight in zip(*problem.prompts):
        own = np.diag(FeatureRegression(problem.features, problem.value_covariance, masses=[m]).attention(Q))
        bound += weight * (problem.probabilities * (1 - own) ** 2 * gaps).sum() / 2
    return bool(problem.loss(Q) > factor * bound * (1 + 1e-9) + 1e-15)


def slope_error(problem, Q, factor=1.0):
    """Of the gradient against a central difference, relative to the size of losses."""
    way = np.sin(1.0 + np.arange(Q.size)).reshape(Q.shape)
    h = 1e-4
    slope = (problem.loss(Q + h * way) - problem.loss(Q - h * way)) / (2 * h)
    # The second difference is at most of the order h^2 of the losses, and rounding 1e-12 of them.
    along = factor * (problem.gradient(Q) * way).sum()
    return float(abs(along - slope) / max(problem.value_covariance.trace(), 1e-12))


def scaled(problem, s):
    masses, _ = problem.prompts
    C = s**2 * problem.value_covariance
    return FeatureRegression(problem.features, C, probabilities=problem.probabilities, masses=masses)


def steps_differ(K, kappa, spread, common, power=2):
    """The score gaps of five steps on the whole Q against the map of one number, relatively."""
    common_value = common / (1 - common) * spread
    V = np.sqrt(kappa) * np.eye(K)
    problem = FeatureRegression(V, spread * np.eye(K) + common_value * np.ones((K, K)))
    eta = 1 / (kappa**2 * spread)  # a step is then of order 1
    reduced, Q, z, worst = ReducedAttention(K, eta * kappa**power * spread), np.zeros((K, K)), 0.0, 0.0
    for _ in range(5):
        Q = Q - eta * problem.gradient(Q)
        scores, z = problem.scores(Q), reduced.step(z)
        worst = max(worst, abs((scores[0, 0] - scores[1, 0]) / z - 1))
    return worst


def scales(p, Q, power=2):
    return np.allclose(scaled(p, 3.0).gradient(Q), 3.0**power * p.gradient(Q), rtol=1e-9, atol=1e-14)


def is_distribution(p, Q, total=1.0):
    of_empty = p.attention(Q)[p.prompts[0].sum(axis=0) == 0]
    return np.allclose(p.attention(Q).sum(axis=0), total, rtol=1e-12) and not of_empty.any()


below = lambda error, most: lambda *drawn, **f: error(*drawn, **f) < most
LAWS = {
    "Lemma 1 from above": (PROBLEMS, lambda *drawn, **f: not exceeds_lemma_1(*drawn, **f), {"factor": 0.5}),
    "the gradient": (PROBLEMS, below(slope_error, 1e-6), {"factor": 1.01}),
    "scaling of tasks (R9)": (PROBLEMS, scales, {"power": 1}),
    "attention is a distribution that leaves out empty classes": (PROBLEMS, is_distribution, {"total": 0.9}),
    "one number is enough for exchangeable tasks (R7)": (REDUCED, below(steps_differ, 1e-9), {"power": 1}),
}


@pytest.mark.parametrize("law", LAWS)
def test_a_law_holds_on_drawn_problems(law):
    strategy, holds, _ = LAWS[law]

    @TRIED
    @given(strategy)
    def tried(drawn):
        assert holds(*drawn)

    tried()


@pytest.mark.parametrize("law", LAWS)
def test_its_control_is_refuted_by_a_drawn_problem(law):
    strategy, holds, wrong = LAWS[law]
    assert not holds(*simplest(strategy, lambda drawn: not holds(*drawn, **wrong)), **wrong)


@pytest.mark.parametrize(
    "case",
    [
        lambda p, Q: (p.prompts[0] == 0).any(),  # an empty class
        lambda p, Q: np.linalg.matrix_rank(p.features) < min(p.K, p.d),  # collinear or equal features
        lambda p, Q: np.linalg.matrix_rank(p.features) == p.K,
        lambda p, Q: np.linalg.matrix_rank(p.value_covariance) == 1 and p.value_covariance.any(),  # one task
        lambda p, Q: np.abs(p.scores(Q)).max() > 1,
    ],
    ids=["an empty class", "dependent features", "independent features", "one task", "large scores"],
)
def test_every_kind_of_problem_is_drawn(case):
    any_one = settings(TRIED, max_examples=1000, phases=(Phase.generate,))
    # NoSuchExample otherwise
    assert case(*find(PROBLEMS, lambda drawn: bool(case(*drawn)), settings=any_one))


test_out_of_range = refusals(
    (lambda: feature_problems(most_classes=9), "most_classes = 9 is no whole number from 2 to 8"),
    (lambda: feature_problems(most_prompts=0), "most_prompts = 0"),
)
