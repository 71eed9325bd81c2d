"""Directions of small variance count as much as any other, and what is lost in rounding is said."""

from __future__ import annotations

import math

import numpy as np
import pytest

from numerics import attention_errors, exact_errors
from theory.inputs.spectrum import RankWarning

ONE = np.eye(1)


@pytest.mark.parametrize("exponent", [8, 14, 15, 18, 24, 40])
def test_a_direction_is_as_real_as_its_variance_is_small(exponent: int) -> None:
    """A second direction that neither scores nor values see changes nothing, however large; nor
    does a change of units that they undo.
    """
    alone = exact_errors(ONE, ONE, ONE, [10, 1000], query=[1.0])
    large, half = 10.0**exponent, 10.0 ** (exponent / 2)
    beside = exact_errors(np.diag([large, 1.0]), np.eye(2), [[0.0, 1.0]], [10, 1000], query=[0.0, 1.0])
    np.testing.assert_allclose(beside.output, alone.output, rtol=1e-12)
    Gamma, V = np.diag([half, 1 / half]), [[0.0, math.sqrt(half)]]
    small = exact_errors(Gamma, np.diag([0.0, half]), V, [10, 1000], query=[0.0, half**-0.5])
    np.testing.assert_allclose(small.output, alone.output, rtol=1e-12)
    for method in ("scores", "tokens"):
        given = (np.diag([large, 1.0]), np.eye(2), [[0.0, 1.0]], [0.0, 1.0], [10])
        sampled = attention_errors(*given, replicates=2000, seed=1, method=method).output
        assert abs(sampled.mean[0] - alone.output[0]) < 5 * sampled.standard_error[0]


def test_a_squared_bias_from_directions_that_averages_leave_out_is_not_given_as_zero() -> None:
    bias = lambda share, V: exact_errors(np.eye(2), np.diag([1.0, share]), V, [10, 1000], query_cov=np.eye(2)).squared_bias
    small = bias(1e-3, [[0.0, 1.0]])
    np.testing.assert_allclose(bias(1e-5, [[0.0, 1.0]]), 1e-4 * small, rtol=1e-3)
    assert np.isnan(bias(1e-7, [[0.0, 1.0]])).all()
    assert (bias(0.0, [[0.0, 1.0]]) == 0).all()
    assert (bias(1e-7, np.eye(2)) > 0).all()


def test_an_error_that_rests_on_rounding_is_said() -> None:
    turn = np.array([[0.6, 0.8], [-0.8, 0.6]])
    for size in (1e14, 1e16):
        with pytest.warns(RankWarning, match="variance of the (values V z|scores of tokens) cannot be told from rounding errors"):
            exact_errors(turn @ np.diag([size, 1.0]) @ turn.T, np.eye(2), turn[:, 1:].T, [10], query=turn[:, 1])
    seen = exact_errors(turn @ np.diag([1e14, 1.0]) @ turn.T, np.eye(2) * 1e-14, turn[:, :1].T / 1e7, [10], query=1e7 * turn[:, 0])
    np.testing.assert_allclose(seen.output, exact_errors(ONE, ONE, ONE, [10], query=[1.0]).output, rtol=1e-12)
