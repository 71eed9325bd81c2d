"""The exact gap of two attentions: drawn prompts, limits, and never negative."""

import numpy as np
import pytest

from numerics.regression.softmax_vs_linear.output import output_gap


def drawn(s: float, t: float, c: float, L: int, k: float, prompts: int) -> tuple[float, float]:
    """Mean and standard error of (T_soft - k T_lin)^2 in the plane of a and b."""
    g, r = np.random.default_rng(L).standard_normal((2, prompts, L))
    score, value = np.sqrt(s) * g, c / np.sqrt(s) * g + np.sqrt(t - c * c / s) * r
    p = np.exp(score)
    gap = ((p * value).sum(1) / p.sum(1) - k * (score * value).mean(1)) ** 2
    return float(gap.mean()), float(gap.std() / np.sqrt(prompts))


@pytest.mark.parametrize(
    ("s", "c", "L", "k"),
    [(0.5, 0.6, 1, 1.0), (0.5, -0.6, 2, 1.0), (2.0, 1.0, 7, 1.0), (1.0, 0.9, 5, 1.7), (0.3, 0.0, 40, 0.5)],
)
def test_the_gap_is_that_of_drawn_prompts(s, c, L, k):
    of_t, of_c2 = output_gap(s, L, factor=k)
    mean, error = drawn(s, 1.0, c, L, k, 100_000)
    # Five standard errors on each of five means: 3e-6 in all, more where the mean of a heavy tail
    # is not yet normal.
    assert abs(of_t + c * c * of_c2 - mean) < 5.5 * error


def test_a_gap_is_a_mean_square():
    for s in (0.0, 1e-6, 0.1, 1.0, 9.0, 40.0):
        of_t, of_c2 = output_gap(s, [1, 2, 3, 10, 10**4, 10**12])
        assert (of_t > 0).all()
        assert (of_t + s * of_c2 >= -1e-12 * of_t).all()


def test_the_long_prompt():
    s, L = 0.7, 1e10
    of_t, of_c2 = output_gap(s, L)
    assert of_t * L == pytest.approx(np.exp(s) - s, rel=1e-6)
    assert of_c2 * L == pytest.approx(np.exp(s) - 1, rel=1e-5)
    # With another factor than 1 the means stay apart.
    assert output_gap(s, L, factor=0.5).of_c2 == pytest.approx(0.25, rel=1e-6)


def test_bad_lengths_are_refused_at_the_door():
    with pytest.raises(ValueError, match="L"):
        output_gap(1.0, 0)
