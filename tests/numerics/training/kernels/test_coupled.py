"""The coupled kernel: the joint law of both attentions; degenerate frames and bases."""

from typing import Any

import numpy as np
import pytest
from scipy import stats

from numerics.compiled.streams import LANES, key_of
from numerics.training.full_tokens import draw_prompts, predictions
from numerics.training.kernels.chi import chi_rows
from numerics.training.kernels.coupled_short import SHORT
from numerics.training.kernels.loop import sgd_kernel
from numerics.training.parameters import initial_parameters, pack, unpack
from tests.numerics.training.kernels.test_kernels_and_tokens import deviations
from theory.regression.experiment import kms

Floats = np.ndarray[Any, Any]
BATCHES, BATCH = 400, 60


def coupled(theta, L, steps, *, batch=BATCH, noise_sd=0.5):
    """Losses (both, and of the difference of predictions) and the sum of the gradients."""
    d = theta.shape[-1] - 1
    losses, gradient = np.empty((3, steps)), np.zeros_like(theta)
    settings = (np.array(kms(d), order="C"), np.eye(d), 0.7, noise_sd, 1.0, 1.0, batch, *key_of(1))
    assert sgd_kernel("coupled")(theta, L, 0, steps, 0.0, *settings, losses, gradient) == -1
    return losses, gradient


def of_tokens(theta: Floats, L: int, noise_sd: float = 0.5) -> Floats:
    rng, d, rows = np.random.default_rng(3), theta.shape[-1] - 1, []
    for _ in range(BATCHES):
        prompts = draw_prompts(rng, BATCH, L, kms(d), np.eye(d), 0.7, noise_sd)
        s, t = (predictions(unpack(x), kind, prompts) for x, kind in zip(theta, ("softmax", "linear")))
        gaps = (s - prompts.labels) / 2**0.5, (t - prompts.labels) / 2**0.5, s - t
        rows.append([np.mean(gap**2) for gap in gaps])
    return np.array(rows)


def pair(d: int, first: int = 1, second: int = 2, size: float = 1.5) -> Floats:
    return size * np.stack([pack(initial_parameters(d, first)), pack(initial_parameters(d, second))])


def steep(d: int, factor: float) -> Floats:
    """One set is the other times a factor; scores of softmax attention are large."""
    theta = pair(d, 1, 1, 3.0)
    return np.asarray(theta * np.array([factor, 1.0])[:, None, None])


NEARLY = (
    pair(4) * np.array([1.0, 0.0])[:, None, None] + pair(4, 1, 1) * np.array([0.0, 1 + 1e-6])[:, None, None]
)
#: To SHORT tokens the prompt is drawn token by token, beyond in a frame and a basis.
CASES = {
    "one token, d = 1": (pair(1), 1),
    "d = 1": (pair(1), 7),
    "two tokens": (pair(3), 2),
    "three tokens": (pair(2, size=2.5), 3),
    "five tokens": (pair(4), 5),
    "blocks, and what is left over": (pair(6), 9),
    "equal parameters, short": (pair(5, 1, 1), 8),
    "the longest of the short": (pair(5), SHORT),
    "the shortest of the others": (pair(5), SHORT + 1),
    "d = 1, a frame of two directions": (pair(1), SHORT + 1),
    "all directions": (pair(6), SHORT + 3),
    "long": (pair(1), 600),
    "equal parameters": (pair(5, 1, 1), SHORT + 2),
    "nearly equal": (NEARLY, SHORT + 1),
    "parallel, short": (steep(5, -2.0), 8),
    "parallel": (steep(5, -2.0), SHORT + 2),
}
#: Fewer than 42 numbers for each of 16 cases: `deviations` exceeds this with probability below 1e-6
#: in all of them together.
LIMIT = float(np.sqrt(2 * np.log(2 * 16 * 42 / 1e-6)))


@pytest.mark.parametrize("name", CASES)
def test_squares_of_the_errors_and_of_their_difference(name):
    """Means over a batch of both squares and (T_soft - T_lin)², so of their product."""
    theta, L = CASES[name]
    found = deviations(coupled(theta, L, BATCHES)[0].T, of_tokens(theta, L))
    assert len(found) <= 42
    assert found.max() < LIMIT


def test_a_wrong_correlation_is_told_apart():
    """Control: both laws right one by one, but on different prompts."""
    theta, L = CASES["equal parameters"]
    one, two = coupled(theta, L, BATCHES)[0].T, of_tokens(theta, L)
    s, t = (of_tokens(theta, L)[::step] for step in (1, -1))
    apart = np.c_[s[:, 0], t[:, 1], s[:, 2]]
    assert deviations(one, two).max() < LIMIT < deviations(one, apart).max()


def test_one_token_leaves_softmax_no_choice():
    """L = 1: keys and queries of softmax attention have gradient 0, exactly."""
    for d, noise_sd in ((1, 0.0), (4, 0.5)):
        losses, gradient = coupled(pair(d), 1, 50, noise_sd=noise_sd)
        n = d + 1
        assert not gradient[0, 1 + n :].any()
        assert np.isfinite(losses).all()
        assert gradient[0, : 1 + n].any()
        assert gradient[1, 1 + n :].any()


@pytest.mark.parametrize("L", [6, SHORT + 1])
def test_prompts_do_not_depend_on_the_parameters_of_the_other_attention(L):
    same, other = coupled(pair(3, 1, 1), L, 200)[0], coupled(pair(3, 1, 2), L, 200)[0]
    assert np.array_equal(same[0], other[0])
    assert not np.array_equal(same[1], other[1])


@pytest.mark.parametrize("degrees", [1, 2, 6, 996, 10**6])
def test_chi_variables(degrees):
    """Kolmogorov-Smirnov, p > 1e-8 in ten tests; lengths are uncorrelated."""
    state = np.random.default_rng(degrees).integers(0, 2**32, 4 * LANES, dtype=np.uint32)
    pairs, words = np.empty(2 * LANES, np.float32), np.empty(2 * LANES, np.uint32)
    rows = np.empty((400, 2, LANES), np.float32)
    for row in rows:
        chi_rows(degrees, state, pairs, words, row[0], row[1])
    one, two = rows.transpose(1, 0, 2).reshape(2, -1).astype(float)
    assert stats.kstest(one**2, stats.chi2(degrees).cdf).pvalue > 1e-8
    if degrees == 1:
        assert not two.any()
        return
    assert stats.kstest(two**2, stats.chi2(degrees - 1).cdf).pvalue > 1e-8
    assert stats.kstest(two**2, stats.chi2(1.05 * degrees).cdf).pvalue < 1e-8, "control"
    assert abs(np.corrcoef(one, two)[0, 1]) < 6 / np.sqrt(one.size)
