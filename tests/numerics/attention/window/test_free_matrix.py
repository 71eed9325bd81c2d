"""Free minimisation over M: loss and gradient by second routes, symmetries, drawn prompts."""

import numpy as np
import pytest

from numerics.attention.window.free_matrix import (
    drawn_prompts,
    every_prompt,
    free_minimum,
    interval_of_structure,
    loss_and_gradient,
    low_rank_prompts,
)
from theory.attention.window.low_rank import noise_of_signs, signal_of_signs

RNG = np.random.default_rng(11)
linear = lambda x, y: (x * y).sum(-1)


@pytest.mark.parametrize("n", [1, 2, 4])
def test_on_signs_the_loss_is_the_closed_form(n):
    """At M = c BB' + c' B_perp B_perp' the average over v of the two parts for signs."""
    c, other, sigma = 0.8, 0.5, 0.6
    found = loss_and_gradient(np.diag([c, other]), low_rank_prompts(n, 1, 2), sigma)[0]
    alphas = [[np.exp(other * (1 - 2 * s)) for s in signs] for signs in np.ndindex(*(2,) * n)]
    parts = [
        float(signal_of_signs(a, np.exp(c))) + sigma**2 * float(noise_of_signs(a, np.exp(c))) for a in alphas
    ]
    assert found == pytest.approx(np.mean(parts))


@pytest.mark.parametrize("sigma", [0.0, 0.7])
def test_the_gradient_is_that_of_finite_differences(sigma):
    prompts, M, step = low_rank_prompts(3, 1, 3, nodes=6), RNG.standard_normal((3, 3)), 1e-6
    gradient = loss_and_gradient(M, prompts, sigma)[1]
    for i, j in np.ndindex(3, 3):
        e = np.zeros((3, 3))
        e[i, j] = step
        difference = (
            loss_and_gradient(M + e, prompts, sigma)[0] - loss_and_gradient(M - e, prompts, sigma)[0]
        ) / (2 * step)
        assert gradient[i, j] == pytest.approx(difference, abs=1e-8)


def test_the_loss_is_invariant_under_rotations_of_the_spurious_part():
    prompts, M = low_rank_prompts(2, 1, 3, nodes=12), RNG.standard_normal((3, 3))
    angle = np.pi / 6  # a rotation of the twelve points
    R = np.eye(3)
    R[1:, 1:] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
    expected = loss_and_gradient(M, prompts, 0.5)[0]
    assert loss_and_gradient(R @ M @ R.T, prompts, 0.5)[0] == pytest.approx(expected)


def test_one_token_has_one_loss():
    prompts = low_rank_prompts(1, 1, 2)
    losses = [loss_and_gradient(RNG.standard_normal((2, 2)), prompts, 0.3)[0] for _ in range(3)]
    assert losses == pytest.approx([2 + 0.09] * 3)


def test_spurious_parts_of_size_zero_leave_M_undetermined():
    """c_v = 0: two minimisers, of which one is far from the multiples of BB'."""
    prompts, B = every_prompt(np.array([[1.0, 0.0], [-1.0, 0.0]]), 3, linear), np.eye(2)[:, :1]
    ends = [free_minimum(prompts, 1.0, M) for M in (np.zeros((2, 2)), np.array([[0.0, 1.0], [1.0, 2.0]]))]
    assert ends[0].loss == pytest.approx(ends[1].loss, abs=1e-12)
    assert ends[0].off_structure(B) < 1e-6
    assert ends[1].off_structure(B) > 0.5


@pytest.mark.parametrize(("k", "d", "n"), [(1, 2, 4), (1, 3, 2), (2, 3, 2)])
@pytest.mark.parametrize(("sigma", "bound"), [(0.0, 2.0), (3.0, 1.0)])
def test_the_free_minimiser_ignores_the_spurious_part(k, d, n, sigma, bound):
    """Theorem 4.4, in a rotated basis; without noise the constraint is active."""
    turn = np.linalg.qr(np.random.default_rng(d).standard_normal((d, d)))[0]
    B = turn[:, :k]
    plain = low_rank_prompts(n, k, d, nodes=10)
    prompts = type(plain)(
        plain.tokens @ turn.T, plain.query @ turn.T, plain.gram, plain.cross, plain.square, plain.weight
    )
    found = free_minimum(
        prompts, sigma, turn @ np.diag([0.2] * k + [0.7] * (d - k)) @ turn.T, B=B, bound=bound
    )
    assert found.stationarity < 1e-6
    assert found.off_structure(B) < 1e-6
    size = np.linalg.norm(B.T @ found.M @ B, 2)
    assert size <= bound + 1e-9
    assert (size == pytest.approx(bound)) == (sigma == 0)


def test_without_the_constraint_no_noise_wants_the_sharpest_attention():
    """The constraint is what keeps the minimiser of Case 1 finite for k = 1."""
    prompts = low_rank_prompts(2, 1, 2)
    losses = [loss_and_gradient(np.diag([c, 0.0]), prompts, 0.0)[0] for c in (1.0, 2.0, 4.0, 8.0)]
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] == pytest.approx(1.0, abs=1e-4)


def test_drawn_prompts_agree_with_all_prompts():
    M = np.array([[0.9, 0.2], [0.2, -0.4]])
    exact = loss_and_gradient(M, low_rank_prompts(3, 1, 2), 0.5)[0]
    drawn = low_rank_prompts(3, 1, 2, prompts=40_000, rng=np.random.default_rng(5))
    p = type(drawn)
    batches = [
        loss_and_gradient(M, p(*(x[i::20] for x in vars(drawn).values())), 0.5)[0] / drawn.weight[i::20].sum()
        for i in range(20)
    ]
    # the query's square does not depend on M, and every batch holds a twentieth of the weight
    assert np.mean(batches) == pytest.approx(exact, abs=4 * np.std(batches) / np.sqrt(20))


def test_the_interval_of_the_structure_covers_the_truth():
    B = np.eye(3)[:, :2]
    draw = lambda i: low_rank_prompts(2, 2, 3, prompts=3000, rng=np.random.default_rng(i))
    found = [free_minimum(draw(i), 1.0, np.diag([0.3, 0.3, 0.3])).M for i in range(6)]
    distance, error = interval_of_structure(found, B)
    assert 0 < error < 0.5
    assert distance < 4 * error


def test_drawn_prompts_are_common_to_all_matrices():
    draw = lambda m: np.random.default_rng(1).standard_normal((m, 2))
    prompts = drawn_prompts(draw, 2, 50, linear)
    assert loss_and_gradient(np.eye(2), prompts, 0.1)[0] == loss_and_gradient(np.eye(2), prompts, 0.1)[0]
    assert prompts.weight.sum() == pytest.approx(1)


def test_bad_input_is_refused_in_words():
    with pytest.raises(ValueError, match="L = 0"):
        every_prompt(np.eye(2), 2, lambda x, y: 0 * linear(x, y))
    with pytest.raises(ValueError, match="1 <= k < d"):
        low_rank_prompts(2, 2, 2)
    with pytest.raises(ValueError, match="prompts="):
        low_rank_prompts(2, 3, 4)
    with pytest.raises(ValueError, match="square with d = 2"):
        free_minimum(low_rank_prompts(2, 1, 2), 0.0, np.eye(3))
    with pytest.raises(ValueError, match="sigma = -1"):
        free_minimum(low_rank_prompts(2, 1, 2), -1.0, np.eye(2))
    with pytest.raises(ValueError, match="orthonormal"):
        free_minimum(low_rank_prompts(2, 1, 2), 0.0, np.eye(2), B=np.array([[1.0], [1.0]]), bound=1.0)
    with pytest.raises(ValueError, match="give B="):
        free_minimum(low_rank_prompts(2, 1, 2), 0.0, np.eye(2), bound=1.0)
