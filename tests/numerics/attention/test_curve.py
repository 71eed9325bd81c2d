"""Exact curves where the definition, or an average of fixed queries, is a second route."""

import numpy as np
import pytest

from numerics.attention.curve import exact_error
from numerics.attention.examples import EXAMPLES
from numerics.attention.setting import AttentionSetting

FIXED = [build() for build in EXAMPLES.values() if not build().averaged]


@pytest.mark.parametrize("setting", FIXED, ids=lambda s: s.name)
def test_one_token_against_the_definition(setting):
    """T_1 = V z_1 and T = V h: everything is a second moment of a Gaussian vector."""
    h = setting.Gamma @ setting.U @ setting.query
    centred = setting.Gamma + np.outer(h, h)
    assert exact_error(setting, "output", [1]) == pytest.approx(np.trace(setting.V @ centred @ setting.V.T))
    assert exact_error(setting, "grad_V", [1]) == pytest.approx(setting.V.shape[0] * np.trace(centred))
    limit = setting.V @ setting.Gamma
    assert exact_error(setting, "grad_U", [1]) == pytest.approx(
        np.sum(limit**2) * setting.query @ setting.query
    )


def test_average_over_queries_is_the_average_of_the_fixed_queries():
    """Four hundred fixed queries against one integral over the quadratic form."""
    rng = np.random.default_rng(11)
    B = rng.standard_normal((3, 3))
    setting = AttentionSetting(
        np.diag([1.0, 0.5, 0.0]), 0.35 * B, rng.standard_normal((2, 3)), query_cov=np.diag([1.0, 0.3, 0.1])
    )
    queries = rng.standard_normal((400, 3)) * np.sqrt([1.0, 0.3, 0.1])
    for quantity in ("output", "grad_V"):
        draws = np.array(
            [
                exact_error(AttentionSetting(setting.Gamma, setting.U, setting.V, z), quantity, [3, 300])
                for z in queries
            ]
        )
        error = draws.std(axis=0) / np.sqrt(len(draws))
        # 5 standard errors: error probability 6e-7 for each of four comparisons.
        assert np.all(np.abs(draws.mean(axis=0) - exact_error(setting, quantity, [3, 300])) < 5 * error)


def test_the_gradient_in_U_over_queries_is_the_average_of_fixed_queries():
    """One dimension: a Gauss-Hermite rule over the query, each node with its own exact curve."""
    setting = AttentionSetting([[0.7]], [[0.9]], [[1.3]], query_cov=[[0.8]])
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)
    total = np.zeros(2)
    for x, w in zip(nodes[nodes > 0], weights[nodes > 0] / np.sqrt(2 * np.pi)):
        one = AttentionSetting(setting.Gamma, setting.U, setting.V, np.sqrt(0.8) * np.array([x]))
        total += 2 * w * exact_error(one, "grad_U", [5, 100])
    assert exact_error(setting, "grad_U", [5, 100]) == pytest.approx(total, rel=1e-4)
