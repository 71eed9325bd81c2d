"""Directions of small variance count as much as any other, and what is lost in rounding is said."""

import math

import numpy as np
import pytest

from numerics import attention_errors, exact_errors
from numerics.attention.setting import AttentionSetting
from numerics.token_laws import ball, gaussian, sphere
from theory.inputs.spectrum import RankWarning

ONE = np.eye(1)


@pytest.mark.parametrize("exponent", [8, 14, 15, 18, 24, 40])
def test_a_direction_is_as_real_as_its_variance_is_small(exponent):
    """A second direction that neither scores nor values see changes nothing; nor do units."""
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


@pytest.mark.parametrize("method", ["scores", "tokens"])
@pytest.mark.parametrize(
    "law", [gaussian(np.eye(2)), sphere(2), ball(3)], ids=lambda law: f"{law.name} in {law.d}"
)
def test_drawn_tokens_have_every_row_of_a_slanted_factor(law, method):
    """Its second row has another unit, which scores and values undo."""
    slant = np.array([[1.0, 0.5, 0.2], [0.3, 1.0, -0.4]])[:, : law.d]

    def setting(unit: float) -> AttentionSetting:
        tokens = law.image(np.diag([1.0, unit]) @ slant)
        return AttentionSetting(tokens, np.diag([0.3, 1 / unit]), [[0.1, 1 / unit]], [1.0, 0.7])

    known = exact_errors(setting(1.0), lengths=[8]).output[0]
    for octaves in (-100, -60, -30, 30, 60, 100):
        drawn = attention_errors(setting(2.0**octaves), lengths=[8], replicates=1000, seed=1, method=method)
        assert abs(drawn.output.mean[0] - known) < 5 * drawn.output.standard_error[0]


@pytest.mark.parametrize("octaves", [20, 26, 40, 51])
def test_drawn_tokens_have_the_difference_of_nearly_parallel_columns(octaves):
    """Scores and values are minus one standard coordinate, over any distance of the columns."""
    far, difference = 2.0**octaves, np.array([1.0, -1.0])
    law = gaussian(np.eye(2)).image(np.array([[1.0, 1.0], [1.0, 1.0 + 1 / far]]))
    alone = exact_errors(ONE, ONE, ONE, [10], query=[1.0]).output
    setting = AttentionSetting(
        law, far * np.outer(difference, [1.0, 0.0]), far * difference[None, :], [1.0, 0.0]
    )
    for method in ("scores", "tokens"):
        drawn = attention_errors(setting, lengths=[10], replicates=2000, seed=1, method=method).output
        assert abs(drawn.mean[0] - alone[0]) < 5 * drawn.standard_error[0]


def test_an_image_of_more_coordinates_keeps_a_row_beside_rows_that_nearly_agree():
    tiny, alike = 2.0**-30, np.array([1.0, 1.0, 0.0, 1.0, 0.0])
    other = np.array([0.3, 0.2, 0.1, -0.4, 1.0])
    rows = np.array([alike, alike + tiny * np.eye(5)[1], alike + tiny * np.eye(5)[2], 2.0**-90 * other])
    seen = np.array([[0.0, 0.0, 0.0, 2.0**90], [1 / tiny, -1 / tiny, 0.0, 0.0]])
    image = gaussian(np.eye(5)).image(rows).image(seen)
    np.testing.assert_allclose(image.covariance, seen @ rows @ (seen @ rows).T, rtol=1e-6)


def test_tokens_of_another_law_say_what_their_covariance_loses():
    near, V = 1 - 2.0**-52, np.array([[1.0, -1.0]])
    given = AttentionSetting([[1.0, near], [near, 1.0]], np.eye(2), V, [1.0, 0.0])
    says = "the variance of the values V z cannot be told from rounding errors"
    with pytest.warns(RankWarning, match=says):
        given.with_law("sphere")


def test_a_squared_bias_from_directions_that_averages_leave_out_is_not_given_as_zero():
    bias = lambda share, V: (
        exact_errors(np.eye(2), np.diag([1.0, share]), V, [10, 1000], query_cov=np.eye(2)).squared_bias
    )
    small = bias(1e-3, [[0.0, 1.0]])
    np.testing.assert_allclose(bias(1e-5, [[0.0, 1.0]]), 1e-4 * small, rtol=1e-3)
    assert np.isnan(bias(1e-7, [[0.0, 1.0]])).all()
    assert (bias(0.0, [[0.0, 1.0]]) == 0).all()
    assert (bias(1e-7, np.eye(2)) > 0).all()


def test_an_error_that_rests_on_rounding_is_said():
    turn = np.array([[0.6, 0.8], [-0.8, 0.6]])
    for size in (1e14, 1e16):
        words = "variance of the (values V z|scores of tokens) cannot be told from rounding errors"
        Gamma = turn @ np.diag([size, 1.0]) @ turn.T
        with pytest.warns(RankWarning, match=words):
            exact_errors(Gamma, np.eye(2), turn[:, 1:].T, [10], query=turn[:, 1])
    Gamma = turn @ np.diag([1e14, 1.0]) @ turn.T
    seen = exact_errors(Gamma, np.eye(2) * 1e-14, turn[:, :1].T / 1e7, [10], query=1e7 * turn[:, 0])
    np.testing.assert_allclose(seen.output, exact_errors(ONE, ONE, ONE, [10], query=[1.0]).output, rtol=1e-12)
