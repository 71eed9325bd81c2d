"""The bounds of aligned features hold along descent, which `theory` computes."""

import numpy as np
import pytest

from proofs_check.instances.features.aligned_features import gradient_at_first, growth, problem
from theory.regression.features.data import FeatureRegression


@pytest.mark.parametrize("h", [2, 4])
def test_scores_stay_between_their_bounds(h):
    signs, sizes = map(np.array, problem(h))
    K, eta = 4 * h, 1 / 100
    w = signs * sizes
    V = np.vstack([np.eye(K), w])
    found = FeatureRegression(V, tasks=[signs / np.sqrt(2), -signs / np.sqrt(2)])
    far = [np.linalg.norm(V[:, k] - V[:, m]) for k in range(K) for m in range(k)]
    assert np.sqrt(2) <= min(far) + 1e-12
    assert max(far) <= np.sqrt(227) + 1e-12
    Q, X = np.zeros((K + 1, K + 1)), 0.0
    for t in range(int(K * np.log(K) / (2 * eta))):  # the printed end of Phase I, at L = 1 and Delta^2 = 2
        if t == 1:
            assert np.abs(found.updates(Q)).min() >= float(gradient_at_first(1))
        X += eta * w @ found.H(Q) @ w
        Q -= eta * found.gradient(Q)
    grown = np.outer(signs, signs) * found.scores(Q) / X
    assert (grown >= np.outer(sizes, sizes) * (1 - 1e-9)).all()
    assert (grown <= np.outer(sizes + 1 / sizes, sizes + 1 / sizes)).all()
    assert np.exp(29 * X) >= float(growth(K, 1))
    attention, j = found.attention(Q), sizes.tolist().index(1)
    bound = 4 * float(growth(K, 1)) ** (-1 / 29)
    assert K * attention[j, j] <= bound
    assert 1 - attention[0, 0] <= K * float(growth(K, 1)) ** (-47 / 29)
    assert K * attention[:, j].min() <= 4 * float(growth(K, 1)) ** (-10 / 29)
