"""Warnings about a sample mean: heavy tails raise them, and rules have the errors they state."""

import math

import numpy as np
import pytest

from numerics.attention.sampled.diagnostics import doubtful, estimate_warnings
from numerics.attention.sampled.estimate import Estimate, as_errors
from numerics.attention.sampled.joined_moments import central_sums

N = 4000


def estimate(*samples: np.ndarray) -> Estimate:
    sums = np.stack([np.stack([central_sums(x)] * 3) for x in samples])
    return as_errors(np.arange(1, len(samples) + 1), sums, samples[0].size, 0).output


def draws(kind: str) -> np.ndarray:
    rng = np.random.default_rng(7)
    return {
        "normal": lambda: 10 + rng.standard_normal(N),
        "chi2": lambda: rng.standard_normal(N) ** 2,
        "exponential": lambda: rng.exponential(size=N),
        "pareto": lambda: rng.pareto(1.5, size=N) + 1,  # no variance
        "rare": lambda: np.where(np.arange(N) < 20, 1.0, 1e-3),
        "one": lambda: np.where(np.arange(N) < 1, 1.0, 1e-2 * rng.random(N)),
    }[kind]()


@pytest.mark.parametrize("kind", ["normal", "chi2", "exponential"])
def test_samples_without_heavy_tails_raise_no_warning(kind):
    light = estimate(draws(kind))
    assert not doubtful(light, N).any()
    assert list(estimate_warnings(light, [10], N)) == []


@pytest.mark.parametrize(
    ("kind", "words"),
    [("pareto", ["heavy tails", "skewed"]), ("rare", ["effective"]), ("one", ["heavy tails", "skewed"])],
)
def test_heavy_samples_are_called_out(kind, words):
    heavy = estimate(draws("normal"), draws(kind))
    assert doubtful(heavy, N).tolist() == [False, True]
    found = list(estimate_warnings(heavy, [10, 300], N))
    for word in words:
        assert any(word in warning and warning.startswith("L = 300:") for warning in found), (word, found)
    assert not any("L = 10" in warning for warning in found)


def test_one_replicate_that_is_the_mean():
    x = np.full(N, 1e-6)
    x[17] = 1.0
    (effective, share, tails, skewed) = estimate_warnings(estimate(x), [50], N)
    assert "hangs on 1 effective replicates of 4000" in effective
    assert "one prompt is up to 100% of the mean" in share
    assert "only known to 50.0%" in tails  # the most that one outlier can show
    assert "is up to 1.000" in skewed


def test_a_sample_that_does_not_vary_is_certain():
    sure = estimate(np.full(N, 0.3))
    assert not doubtful(sure, N).any()
    assert list(estimate_warnings(sure, [1], N)) == []


def test_few_replicates_are_few():
    few = estimate(draws("normal")[:60])
    assert doubtful(few, 60).all()
    assert "60 effective" in next(estimate_warnings(few, [10], 60)) or "59 effective" in next(
        estimate_warnings(few, [10], 60)
    )


@pytest.mark.parametrize(("kind", "kurtosis"), [("normal", 3.0), ("exponential", 9.0)])
def test_the_error_of_the_standard_error(kind, kurtosis):
    """sqrt((k - 1)/n)/2, against the spread over 4000 samples, which is known to about 2 %."""
    rng, n = np.random.default_rng(3), 400
    x = rng.standard_normal((4000, n)) if kind == "normal" else rng.exponential(size=(4000, n))
    errors = x.std(axis=1, ddof=1)
    assert np.std(errors) / np.mean(errors) == pytest.approx(math.sqrt((kurtosis - 1) / n) / 2, rel=0.1)


def test_a_kurtosis_has_a_largest_value():
    n = 50
    one = np.zeros(n)
    one[0] = 1.0
    assert estimate(one).kurtosis[0] == pytest.approx(n - 2 + 1 / (n - 1))
    others = np.random.default_rng(0).pareto(0.3, (200, n))
    assert np.all(estimate(*others).kurtosis <= n - 2 + 1 / (n - 1) + 1e-9)


def test_skewness_doubles_the_error_of_an_interval():
    """At skewness / sqrt(n) = 0.3 the mean is below its lower limit twice as often as 2.5 %."""
    x = np.random.default_rng(5).exponential(size=(40_000, 44))
    t = (x.mean(axis=1) - 1) / (x.std(axis=1, ddof=1) / math.sqrt(44))
    # higher orders of the expansion: about 1 %
    assert np.mean(t < -1.959964) == pytest.approx(0.05, abs=0.015)
    assert np.mean(t > 1.959964) < 0.0125
