"""Queries too rare for a sample: their part by another route, and why comparisons need it."""

import math
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import beta, norm

from numerics import exact_errors
from numerics.attention.examples import EXAMPLES
from numerics.attention.sampled.rare_queries import FEWEST_QUERIES, PROMPT_SPREAD, rare_queries
from numerics.attention.sampled.sampler import error_sampler
from numerics.attention.setting import AttentionSetting
from numerics.rates import comparisons
from numerics.rates.comparisons import _normal_scores

ONE = np.eye(1)


def test_against_an_integral_over_the_query():
    """d = 1: |z| > q with 2 Phi(-q) = 10/n; the grid of s resolves q to some per cent."""
    u, n, L = 0.6, 1000, 100.0
    found = rare_queries(AttentionSetting(ONE, u * ONE, ONE, query_cov=ONE), np.array([L]), n)
    q = -norm.ppf(found.probability / 2)
    assert q == pytest.approx(-norm.ppf(FEWEST_QUERIES / n / 2), rel=0.05)

    def moment(quantity: str, power: int) -> float:
        at = lambda z: getattr(exact_errors(ONE, u * ONE, ONE, [L], query=[z]), quantity)[0]
        return 2 * float(quad(lambda z: at(z) ** power * norm.pdf(z), q, 12, epsrel=1e-4)[0])

    for i, quantity in enumerate(("output", "grad_V", "grad_U")):
        first, second = moment(quantity, 1), moment(quantity, 2)
        assert found.part[i, 0] == pytest.approx(first, rel=0.15)  # one step of the grid more or less
        assert found.error[i, 0] == pytest.approx(math.sqrt(PROMPT_SPREAD * second / n), rel=0.1)


def test_more_replicates_see_more():
    setting, L = EXAMPLES["averaged-slow"](), np.array([10.0, 1000.0])
    runs = [rare_queries(setting, L, n) for n in (1000, 10_000, 100_000)]
    for less, more in pairwise(runs):
        assert np.all(more.part < less.part)
        assert np.all(more.error < less.error / math.sqrt(10))  # rarer queries, and more replicates


def test_nothing_is_rare_without_random_queries_or_scores():
    L = np.array([10.0, 100.0])
    for setting in (
        EXAMPLES["isotropic"](),
        AttentionSetting(np.eye(2), np.zeros((2, 2)), np.eye(2), query_cov=np.eye(2)),
    ):
        assert not rare_queries(setting, L, 1000).error.any()


def test_they_keep_true_data_from_failing(monkeypatch):
    """lambda = 0.16: samples of 500 exceed the 99 % quantile in 1 % at most, and without the rare
    queries in the error far more often; limits of 1e-6. The skewness is that of the samples.
    """
    monkeypatch.setattr(comparisons, "UNSEEN_SKEWNESS", 0.0)
    n, runs, L = 500, 1500, 200
    setting = AttentionSetting(np.eye(2), 0.4 * np.eye(2), np.eye(2), query_cov=np.eye(2))
    sampler = error_sampler(setting, method="tokens", seed=11)
    sums = np.stack([sampler.sums(L, r * n, n)[2] for r in range(runs)])
    _, mean, squares, _, _, largest = sums.T
    standard_error = np.sqrt(squares / (n - 1) / n)
    truth = exact_errors(np.eye(2), setting.U, np.eye(2), [L], query_cov=np.eye(2), tolerance=1e-4).grad_U[0]
    rare = rare_queries(setting, np.array([float(L)]), n).error[2, 0]

    def above(error: np.ndarray) -> int:
        series = SimpleNamespace(
            mean=mean, error=error, exact=np.full(runs, truth), largest_share=largest / (n * mean)
        )
        return int(np.sum(_normal_scores(series, np.ones(runs, dtype=bool)) > norm.isf(0.01)))

    allowed, naive = above(np.hypot(standard_error, rare)), above(standard_error)
    assert beta.ppf(1e-6, allowed, runs - allowed + 1) <= 0.01 if allowed else True
    assert beta.ppf(1e-6, naive, runs - naive + 1) > 0.01
