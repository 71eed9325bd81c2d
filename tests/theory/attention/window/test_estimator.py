"""The estimator of a window and its error on a prompt, against the loss that is its mean."""

import numpy as np
import pytest

from numerics.attention.window.loss import window_loss
from tests.refusing import refusals
from theory.attention.window.classes import affine, linear, relu
from theory.attention.window.estimator import bias_and_noise, estimate, weights


def on_the_sphere(rng, *shape):
    x = rng.standard_normal(shape)
    return x / np.linalg.norm(x, axis=-1, keepdims=True)


@pytest.mark.parametrize(
    ("tasks", "d", "n", "w"), [(affine(1), 3, 2, 4.0), (relu(2), 4, 6, 1.5), (linear(1), 2, 20, 9.0)]
)
def test_its_mean_over_prompts_is_the_loss_of_the_window(tasks, d, n, w):
    """Six standard errors, which a right loss leaves with probability 2e-9."""
    x = on_the_sphere(np.random.default_rng(5), 4000, n + 1, d)
    found = np.array([bias_and_noise(tasks, prompt[:-1], prompt[-1], w, 0.7) for prompt in x])
    exact = window_loss(tasks, d, n, w, 0.7)
    for values, mean in zip(found.T, (exact.signal, exact.noise), strict=True):
        assert abs(values.mean() - mean) < 6 * values.std() / len(values) ** 0.5


def test_the_error_of_drawn_tasks_is_their_bias():
    """Linear tasks f(x) = u'x, |u| = L, averaged over the circle by equal angles, exactly."""
    x = on_the_sphere(np.random.default_rng(6), 5, 2)
    angles = 2 * np.pi * np.arange(8) / 8
    tasks = 3 * np.array([np.cos(angles), np.sin(angles)]).T
    errors = [(estimate(x[:-1], x[:-1] @ u, x[-1], 2.0) - x[-1] @ u) ** 2 for u in tasks]
    assert np.mean(errors) == pytest.approx(bias_and_noise(linear(3), x[:-1], x[-1], 2.0)[0], rel=1e-12)


def test_narrow_windows_hold_the_nearest_token():
    x = on_the_sphere(np.random.default_rng(7), 9, 3)
    nearest = int(np.argmax(x[:-1] @ x[-1]))
    assert weights(x[:-1], x[-1], 1e6)[nearest] == pytest.approx(1.0)
    assert estimate(x[:-1], np.arange(8.0), x[-1], 1e6) == pytest.approx(nearest)


test_bad_input_says_what_to_do = refusals(
    (lambda: weights([[1, 0]], [1, 0], -1.0), "give w >= 0"),
    (lambda: bias_and_noise(affine(1), [[2.0, 0.0]], [1, 0], 1.0), "divide each by its length"),
    (lambda: bias_and_noise(affine(1), [[1.0, 0.0]], [1, 0], 1.0, -1.0), "not negative"),
    (lambda: estimate([[1.0, 0.0]], [1.0], [1, 0, 0], 1.0), "query"),
)
