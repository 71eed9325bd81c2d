"""The repairs of Li, Duan & Liang's statements hold for the trained matrix Q itself."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

from proofs_check.instances.features.problems import exchangeable

Floats = NDArray[np.float64]
CLASSES = (3, 4, 7)


def trained(K, last):
    """Times of the flow of Q from 0, with the attention and the updates of all queries."""
    problem = exchangeable(np.eye(K))
    times = np.geomspace(last / 1e4, last, 40)
    down = lambda t, Q: -problem.gradient(Q.reshape(K, K)).ravel()
    path = solve_ivp(down, (0, last), np.zeros(K * K), t_eval=times, method="LSODA", rtol=1e-10, atol=1e-12)
    for t, Q in zip(path.t, path.y.T):
        scores = Q.reshape(K, K)
        yield t, problem.attention(scores), -problem.gradient(scores)


@pytest.mark.parametrize("K", CLASSES)
def test_updates_and_attention(K):
    for _, w, g in trained(K, 1e3):
        own = w[0, 0]
        assert g[0, 0] == pytest.approx(own * (1 - own) ** 2 / (K - 1), rel=1e-7)
        assert g[1, 0] == pytest.approx(-g[0, 0] / (K - 1), rel=1e-7)
        assert w[1, 0] == pytest.approx((1 - own) / (K - 1), rel=1e-7)


@pytest.mark.parametrize("K", CLASSES)
def test_times(K):
    late = 0
    for t, w, g in trained(K, 1e5):
        a, r = 1 - w[0, 0], w[0, 0] / (1 - w[0, 0])
        rate, rest = 2 * K * t * g[0, 0] / (K - 1), 2 * K * t * (a / (K - 1)) ** 2
        if t <= 2 * K**2 / 3:
            assert 1 / K <= w[0, 0] <= 3 / K
        if t <= K**2 + 3 * K * np.log(K) - 5 * K:
            assert r <= 1
        if t >= K**2 + 3 * K * np.log(K):
            assert r >= 1
        if r >= 1:
            late += 1
            small = (2 * K + 6 * np.log((K - 1) * r)) / r**2
            assert 1 - 1e-6 <= rate <= 1 + 3 / r + small
            assert 1 - 1e-6 <= rest <= 1 + 4 / r + small
            assert 1 / 6 <= t / (K**2 + K / a**2) <= 3 / 2
    assert late > 10
