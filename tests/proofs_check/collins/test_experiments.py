"""What Figures 2 and 9 say of bias, variance and subspaces, by second routes."""

import numpy as np
import pytest

from numerics.attention.window.loss import window_loss
from proofs_check.collins.experiments.windows import mean_bias
from theory.attention.window.classes import affine


@pytest.mark.parametrize("w", [0.5, 3.35, 100.0])
def test_the_bias_of_figure_2_is_that_of_drawn_prompts(w):
    """The expected estimate of l u'x + b is l A u'x + b, A the mean height of the tokens."""
    x = np.random.default_rng(11).normal(size=(100_000, 20, 5))
    t = x[:, :, 0] / np.linalg.norm(x, axis=2)
    weights = np.exp(-2 * w * (1 - t))
    heights = (weights * t).sum(1) / weights.sum(1)
    error = 6 * heights.std() / len(heights) ** 0.5
    assert abs((15 * mean_bias(w)) ** 0.5 - (1 - heights.mean())) < error


def test_the_signal_term_holds_the_variance_of_the_tokens_and_rises_where_the_bias_falls():
    signal = window_loss(affine(1), 5, 20, [3.35, 100.0]).loss
    assert signal[1] > 1.5 * signal[0]
    assert mean_bias(100.0) < mean_bias(3.35) < signal[0]
