"""The block and the attention alone: gradients against differences, symmetries, and bad input."""

import numpy as np
import pytest

from numerics.experiments.li_duan_liang.block import initial_block, loss_and_gradient, train
from numerics.experiments.li_duan_liang.prompts import cosine_prompts, polynomial_prompts

nothing = lambda: {"Q": np.zeros((5, 5))}  # a training moves it
COSINES = cosine_prompts(1.0, d=5, M=7)
SINGLE = polynomial_prompts(1.0, d=5, N=6, M=7)
NUMBERS = ("x", "y", "counts", "query", "target")
GAUSSIANS = SINGLE._replace(**{name: getattr(SINGLE, name).astype(float) for name in NUMBERS})


@pytest.mark.parametrize("prompts", [COSINES, GAUSSIANS], ids=["cosines", "polynomials"])
@pytest.mark.parametrize("whole", [True, False], ids=["block", "attention alone"])
def test_the_gradient_is_the_limit_of_differences(prompts, whole):
    rng = np.random.default_rng(1)
    p = initial_block(5, 6, 0) if whole else {}
    p["Q"] = rng.normal(size=(5, 5)) / 5
    gradient = loss_and_gradient(p, prompts)[1]
    for name, value in p.items():
        way, h = rng.normal(size=value.shape), 1e-6
        ends = [loss_and_gradient({**p, name: value + sign * h * way}, prompts)[0] for sign in (1, -1)]
        expected = np.sum(gradient[name] * way)
        assert (ends[0] - ends[1]) / (2 * h) == pytest.approx(expected, rel=1e-5, abs=1e-9)


def test_tokens_that_occur_twice_count_twice():
    x, y, counts = COSINES[:3]
    both = [np.concatenate([part, part], 1) for part in (x, y, counts / 2)]
    twice = COSINES._replace(x=both[0], y=both[1], counts=both[2])
    p = initial_block(5, 6, 0)
    assert loss_and_gradient(p, twice)[0] == pytest.approx(loss_and_gradient(p, COSINES)[0], rel=1e-12)


def test_slope_and_rate_enter_as_one_for_the_attention_alone():
    scaled = COSINES._replace(y=3 * COSINES.y, target=3 * COSINES.target)
    one, other = (train(nothing(), data, 30, eta, "gd") for data, eta in ((COSINES, 9.0), (scaled, 1.0)))
    np.testing.assert_allclose(other.attention, one.attention, rtol=1e-9)
    np.testing.assert_allclose(other.loss, 9 * one.loss, rtol=1e-9)
    np.testing.assert_allclose(one.attention.sum(1), 1, rtol=1e-12)


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (lambda: cosine_prompts(0.1, K=16), "K = 16"),
        (lambda: cosine_prompts(0.0), "L = 0.0 is not positive"),
        (lambda: cosine_prompts(1.0, N=0), "N = 0"),
        (lambda: polynomial_prompts(-1.0), "L = -1.0"),
        (lambda: train(nothing(), COSINES, 1, 0.0), "rate = 0.0"),
        (lambda: train(nothing(), COSINES, -1, 1.0), "epochs = -1"),
        (lambda: train(nothing(), COSINES, 1, 1.0, "sgd"), "optimiser = 'sgd'"),
    ],
)
def test_bad_input_is_named(made, said):
    with pytest.raises(ValueError, match=said):
        made()
