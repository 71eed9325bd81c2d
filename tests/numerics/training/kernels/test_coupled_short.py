"""Short prompts token by token: weights and sums against NumPy on the same normals."""

import numpy as np
import pytest

from numerics.compiled.streams import LANES
from numerics.training.kernels.coupled_short import SHORT, scores_and_values, token_products, token_weights


@pytest.mark.parametrize("L", [1, 2, 5, 6, SHORT])
@pytest.mark.parametrize("n", [2, 3, 4, 5, 6, 7])  # blocks of three coordinates leave 0, 1 or 2 over
def test_weights_and_sums(n, L):
    rng = np.random.default_rng(100 * n + L)
    columns, g = (rng.standard_normal(rows * LANES).astype(np.float32) for rows in (4 * n, n * L + 1))
    label = rng.standard_normal(LANES).astype(np.float32)
    live = (np.arange(LANES) < 100).astype(np.float32)
    rows, y = np.full(4 * L * LANES, np.nan, np.float32), np.full(4 * n * LANES, np.nan, np.float32)
    work, delta = np.empty(4 * LANES, np.float32), np.empty(2 * LANES, np.float32)
    scores_and_values(n, L, columns, g, rows)
    by_token = np.einsum(
        "cji,lji->lci", *(x.astype(float) for x in (columns.reshape(4, n, -1), g[:-LANES].reshape(L, n, -1)))
    )
    np.testing.assert_allclose(rows.reshape(L, 4, LANES), by_token, atol=2e-5)
    token_weights(L, label, live, rows, work, delta)
    s, v, h, t = by_token.swapaxes(0, 1)
    p = np.exp(s - s.max(axis=0))
    p /= p.sum(axis=0)
    soft, linear = (p * v).sum(axis=0), (h * t).mean(axis=0)
    e, f = (soft - label) * live, (linear - label) * live
    np.testing.assert_allclose(delta.reshape(2, -1), [e, f], atol=1e-4)
    weights = np.stack([e * p, e * p * (v - soft), f * h / L, f * t / L], axis=1)
    np.testing.assert_allclose(rows.reshape(L, 4, LANES), weights, atol=5e-4)
    token_products(n, L, g, rows, y)
    sums = np.einsum(
        "lki,lji->jki", rows.reshape(L, 4, LANES).astype(float), g[:-LANES].reshape(L, n, -1).astype(float)
    )
    np.testing.assert_allclose(y.reshape(n, 4, LANES), sums, atol=1e-4 * np.abs(sums).max())
    if L == 1:
        assert not rows[LANES : 2 * LANES].any()


@pytest.mark.parametrize("token", [0, 2])
@pytest.mark.parametrize("score", [np.inf, -np.inf, np.nan])
def test_a_score_beyond_float32_is_seen_in_the_error(score, token):
    """Whatever a maximum makes of it."""
    L = 4
    rows, work = np.ones(4 * L * LANES, np.float32), np.empty(4 * LANES, np.float32)
    delta = np.empty(2 * LANES, np.float32)
    rows.reshape(L, 4, LANES)[token, 0] = score
    token_weights(L, np.zeros(LANES, np.float32), np.ones(LANES, np.float32), rows, work, delta)
    assert not np.isfinite(delta[:LANES]).any()
    assert np.isfinite(delta[LANES:]).all()
