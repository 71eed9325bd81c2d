"""The query in the prompt: by simulation, by the quadrature without it, and by scaling."""

import math

import numpy as np
import pytest

from numerics.attention.curve import exact_error
from numerics.attention.exact.query_in_prompt import averaged_error_with_query, error_with_query
from numerics.attention.setting import AttentionSetting


@pytest.mark.parametrize(
    ("z", "Gamma", "U", "L"),
    [(1.0, 1.0, 0.5, 5), (2.0, 0.25, 1.0, 20), (-1.5, 2.0, -0.7, 3), (0.7, 1.0, 2.0, 1)],
)
def test_against_simulation(z, Gamma, U, L):
    tokens = math.sqrt(Gamma) * np.random.default_rng(1).standard_normal((100_000, L))
    w, own = np.exp(U * z * tokens), math.exp(U * z * z)
    draws = (((w * tokens).sum(1) + own * z) / (w.sum(1) + own) - Gamma * U * z) ** 2
    # five standard errors: error probability 6e-7
    most = 5 * draws.std() / math.sqrt(len(draws))
    assert abs(draws.mean() - error_with_query(z, Gamma, U, np.array([float(L)]))[0]) < most


def test_a_query_without_weight_changes_nothing():
    """U z^2 = -81, nine deviations of a token's score below its mean."""
    lengths = np.array([1.0, 10.0, 1e10])
    plain = exact_error(
        AttentionSetting(np.eye(1), -np.eye(1), np.eye(1), np.array([9.0])), "output", lengths
    )
    assert error_with_query(9.0, 1.0, -1.0, lengths) == pytest.approx(plain, rel=1e-10)


def test_units_of_the_tokens():
    """z -> k z, U -> U/k^2, Gamma -> k^2 Gamma multiplies the error by k^2."""
    lengths = np.array([2.0, 1e3, 1e20])
    one = error_with_query(1.3, 0.5, 0.8, lengths)
    assert error_with_query(3 * 1.3, 9 * 0.5, 0.8 / 9, lengths) == pytest.approx(9 * one, rel=1e-10)
    both = averaged_error_with_query(1.0, 0.5, 0.8, lengths[:2])
    assert averaged_error_with_query(9.0, 4.5, 0.8 / 9, lengths[:2]) == pytest.approx(9 * both, rel=1e-10)


def test_no_scores_are_refused():
    with pytest.raises(ValueError, match="scores vanish"):
        error_with_query(0.0, 1.0, 1.0, np.array([3.0]))
