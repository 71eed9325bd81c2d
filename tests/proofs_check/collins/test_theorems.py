"""Theorems 3.5, E.1 and E.2 by exact widths: much noise, steeper tasks, the loss of all tasks."""

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy.stats import binom

from numerics.attention.window.best_width import optimal_window
from numerics.attention.window.loss import window_loss
from numerics.attention.window.plain import plain_spread
from numerics.evidence import Verdict
from proofs_check.collins.theorems import theorem_3_4
from proofs_check.instances.window.along_lengths import learned_loss
from theory.attention.window.classes import affine, relu


@pytest.mark.parametrize(("tasks", "power"), [(relu, 5), (affine, 7)])
def test_the_best_width_is_below_every_constant_times_the_printed_power(tasks, power):
    d, n = 3, 20
    wholes = (1.0, 1e-2, 1e-4, 1e-6)
    widths = [optimal_window(tasks(1), d, n, n / whole).w for whole in wholes]
    most = [math.sqrt(2 * d * math.exp(8) * whole) for whole in wholes]  # COL:E.1/noisy
    assert all(0 < w <= top for w, top in zip(widths, most))
    ratios = [w / whole ** (1 / power) for w, whole in zip(widths, wholes)]
    assert all(later < earlier / 10 for earlier, later in pairwise(ratios))


def test_under_the_hypotheses_of_theorem_e1_alone_no_constant_serves_theorem_35():
    d, n = 3, 20
    shares = []
    for whole in (1.0, 1e-2, 1e-4, 1e-6):
        noise = n / whole
        assert noise >= n ** (-2 / d)  # Theorem E.1
        shares.append(optimal_window(relu(1), d, n, noise).loss * whole ** (1 / (d + 2)))
        assert shares[-1] >= whole ** (1 / (d + 2) - 1)  # the noise term alone, at every width
    assert all(later > 30 * earlier for earlier, later in pairwise(shares))
    bound, noises = lambda d, whole: 4 * whole ** (-1 / (d + 2)), theorem_3_4.noises(most=10**4)
    others = learned_loss(
        relu, (affine, relu), bound, dimensions=(3,), lengths=(20,), noises=noises, checked=""
    )
    assert others.verdict is Verdict.REFUTED


def test_the_mean_spread_of_the_tokens_that_are_attended_to():
    """By drawn prompts, at one token, and for long prompts."""
    d, n, w = 4, 7, 1.5
    x = np.random.default_rng(5).normal(size=(200_000, n, d))
    t = x[:, :, 0] / np.linalg.norm(x, axis=2)
    weights = np.exp(-2 * w * (1 - t))
    drawn = (weights * 2 * (1 - t)).sum(1) / weights.sum(1)
    assert abs(drawn.mean() - plain_spread(d, n, w)) < 6 * drawn.std() / len(drawn) ** 0.5
    assert plain_spread(d, 1, w) == pytest.approx(2, abs=1e-8)
    assert plain_spread(d, 10**7, w) == pytest.approx(2 * _gap(d, w), rel=1e-5)


def _gap(d, w):
    """One minus the mean height under the weights."""
    angle = np.linspace(0, math.pi, 20_001)
    weights = np.sin(angle) ** (d - 2) * np.exp(-2 * w * (1 - np.cos(angle)))
    return float((weights * (1 - np.cos(angle))).sum() / weights.sum())


def test_the_loss_on_steeper_tasks_falls_faster_than_the_glyphs_of_theorem_35_say():
    d, steep = 3, 10.0
    lengths = (10**2, 10**4, 10**6, 10**8)
    width = lambda n: optimal_window(relu(1), d, n, 1.0).w
    losses = [float(window_loss(relu(steep), d, n, width(n), 1.0).loss) for n in lengths]
    over = lambda power: [loss / steep**2 * n ** (power / (d + 2)) for n, loss in zip(lengths, losses)]
    assert all(later < 0.45 * earlier for earlier, later in pairwise(over(2)))
    assert all(later > 2 * earlier for earlier, later in pairwise(over(4)))


def test_between_two_points_the_best_width_grows_like_a_logarithm():
    """The reading of the dimension, d >= 2: for d = 1 both lower ends of Theorem 3.4 would fail."""

    def best_width(n, noise):
        """Of affine tasks with L = 1, by the number of tokens at the query's point."""
        w, here = np.linspace(0, 10, 2001)[:, None], np.arange(1, n + 1)
        away = (n - here) * np.exp(-4 * w)
        squares = (here + away * np.exp(-4 * w)) / (here + away) ** 2
        loss = 4 / 3 * (away / (here + away)) ** 2 + noise * squares  # without a token there no width counts
        return float(w[(loss @ binom.pmf(here, n, 0.5)).argmin(), 0])

    wholes = (1e2, 1e4, 1e6, 1e8)
    widths = [best_width(100, 100 / whole) for whole in wholes]
    assert all(0.2 < w / math.log(whole) < 0.25 for w, whole in zip(widths, wholes))
    ratios = [w / whole ** (1 / 5) for w, whole in zip(widths, wholes)]
    assert all(later < earlier for earlier, later in pairwise(ratios))


@pytest.mark.parametrize(("tasks", "n"), [(affine, 2), (affine, 3), (affine, 50), (relu, 2), (relu, 3)])
def test_without_noise_the_best_width_is_finite_for_more_than_two_tokens_too(tasks, n):
    """What COL:T3.4/range shows of two tokens of affine tasks, should n = Omega(1) ask for more."""
    best = optimal_window(tasks(1), 3, n, 0.0).w
    losses = [float(window_loss(tasks(1), 3, n, best * times, 0.0).loss) for times in (1, 4, 16, 64)]
    assert 0 < best < 16
    assert all(later > 1.005 * earlier for earlier, later in pairwise(losses))
