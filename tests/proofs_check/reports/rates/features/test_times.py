"""Exact times by the flow of the whole matrix Q, and how times scale."""

from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray

from numerics.regression.features.flow import attention_flow
from proofs_check.reports.rates.features.exponents import fits
from proofs_check.reports.rates.features.learning_times import families
from proofs_check.reports.rates.features.times import EPS, spread, time_table, varied_times
from proofs_check.reports.rates.lines.slopes import exponent
from theory import FeatureRegression

Floats = NDArray[np.float64]


@pytest.fixture(scope="module")
def table():
    return time_table([4, 16], 0)


def halves(K, L, Delta):
    """The tasks themselves: L Delta/2 on one half of the features and -L Delta/2 on the other."""
    tasks = np.full((len(chosen := list(combinations(range(K), K // 2))), K), -L * Delta / 2)
    for task, half in zip(tasks, chosen):
        task[list(half)] *= -1
    return tasks


def circle(m):
    angles = 2 * np.pi * np.arange(m) / m
    corners = np.array([np.cos(angles), np.sin(angles)]) / (2 * np.sin(np.pi / m))
    return corners


def coordinates(found):
    K, m = found.K, round(found.K**0.5)
    if found.family == "cube":
        return np.array([[1.0 if k >> i & 1 else -1.0 for k in range(K)] for i in range(K.bit_length() - 1)])
    if found.family == "torus":
        return np.concatenate([np.repeat(circle(m), m, axis=1), np.tile(circle(m), m)])
    return circle(K) if found.family == "polygon" else np.eye(K) * found.Delta / 2**0.5


@pytest.mark.parametrize("family", ["orthonormal", "equiangular", "cube", "polygon", "torus"])
def test_at_its_time_the_flow_has_the_attention_and_the_loss(family, table):
    for found in table.features:
        if found.family != family:
            continue
        V = coordinates(found)
        distances = np.linalg.norm(V[:, :1] - V[:, 1:], axis=0)
        assert distances.min() == pytest.approx(found.Delta)
        K = found.K
        # The tasks themselves; for K = 16, of which there are too many, others of the same spread.
        if K == 4:
            problem = FeatureRegression(V, tasks=halves(K, 1.0, found.Delta))
        else:
            problem = FeatureRegression(V, spread(K, 1.0, found.Delta) * np.eye(K))
        rows = [row for row in table.near if row.features == found.name and row.K == K]
        rows.sort(key=lambda row: row.steps)
        path = attention_flow(problem, [row.steps for row in rows])
        for row, attention, loss in zip(rows, path.attention, path.loss):
            if row.event == "loss <= eps^2" and row.eps:
                assert loss == pytest.approx(row.eps**2, rel=1e-6)
            else:
                assert 1 - np.diag(attention) == pytest.approx(row.eps or 0.5, rel=1e-6)


def test_times_of_random_features_are_those_of_a_flow_that_stops_there():
    found = next(f for f in families([4], 3) if f.family == "random")
    V = np.random.default_rng([3, 4]).standard_normal((4, 4))
    problem = FeatureRegression(V / np.linalg.norm(V, axis=0), np.eye(4))
    times = [found.clock.attention_time(e) for e in (0.5, *EPS)]
    rest = [1 - np.diag(w).min() for w in attention_flow(problem, times).attention]
    assert rest == pytest.approx([0.5, *EPS], rel=1e-3)  # interpolated in a table of times
    assert attention_flow(problem, [found.clock.loss_time(1e-4)]).loss[0] == pytest.approx(1e-4, rel=1e-3)


def test_a_smaller_rate_takes_longer_and_a_larger_Lipschitz_constant_is_a_unit_of_time():
    varied = varied_times()

    def by_event(variable, event):
        return [row for row in varied[variable] if row.event == event]

    for event in ("Attn >= 1/2", "Attn >= 1-eps", "loss <= eps^2"):
        most = 1e-9 * by_event("eta", event)[0].steps
        assert np.ptp([row.steps * row.eta for row in by_event("eta", event)]) < most
    for event in ("Attn >= 1/2", "Attn >= 1-eps"):  # kappa^2 sigma_f^2 is of the order L^2 Delta^6
        known = pytest.approx((-2, -2, -2))
        assert exponent(*zip(*((row.L, row.steps) for row in by_event("L", event)))) == known
        exact = pytest.approx((-6, -6, -6))
        assert exponent(*zip(*((row.Delta, row.steps) for row in by_event("Delta", event)))) == exact
    late = by_event("L", "loss <= eps^2")
    # (K-1)/(4 eta kappa^2 eps^2) with kappa = 1, whatever L is
    assert late[-1].steps == pytest.approx(15 / (4 * 1e-6 * 1e-4), rel=1e-3)


def test_what_short_prompts_never_reach_takes_for_ever():
    rows = varied_times()["N"]
    assert [np.isfinite(row.steps) for row in rows] == [False, False, True, True, True]
    long = [row.steps for row in rows if np.isfinite(row.steps)]
    assert long == sorted(long, reverse=True)


def test_the_fits_show_our_exponents_where_the_printed_ones_differ(table):
    found = {(fit.event, fit.variable, fit.features): fit for fit in fits(table)}
    far = found["Attn >= 1/2", "K", "orthonormal"]  # the last of the two, that from K = 2^12 on
    assert far.window == (2**12, 2**40)
    assert abs(far.fit.value - 2) < 1e-3
    assert abs(found["Attn >= 1-eps", "1/eps", "orthonormal, K = 4"].fit.high - 2) < 0.01
    for fit in found.values():
        assert fit.fit.low - 1e-12 <= fit.fit.value <= fit.fit.high + 1e-12
        if fit.variable in ("L", "Delta", "eta") and fit.event == "Attn >= 1/2":
            assert fit.fit.value == pytest.approx(float(fit.ours))
