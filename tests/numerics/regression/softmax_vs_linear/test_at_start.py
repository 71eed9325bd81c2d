from __future__ import annotations

import numpy as np
import pytest

from numerics.regression.risk.block_manifold import exact_risk
from numerics.regression.softmax_vs_linear.at_start import initial_gap
from numerics.training.parameters import Parameters, initial_parameters
from theory.regression.experiment import kms


def test_gradients_on_the_block_manifold() -> None:
    """Second route: exact risks and the chain rule. 64 groups and |t| < 7: the probability of
    failure is below 1e-8.
    """
    K11, Q11, o, v = np.array([[0.9, 0.2], [0.0, 0.5]]), np.array([[0.7, -0.3], [0.1, 0.6]]), 1.2, 0.8
    zero = np.zeros(2)
    block = lambda M, x: np.block([[M, zero[:, None]], [zero[None], np.array([[x]])]])
    theta = Parameters(np.array([0.0, 0.0, o]), block(0 * K11, v), block(K11, 0.0), block(Q11, 0.0))
    gap = initial_gap(theta, [3, 8], Sigma=kms(2), noise=0.1, task_variance=0.5, prompts=2**18, seed=4)
    for i, L in enumerate(gap.lengths):
        soft, linear = (
            exact_risk(K11.T @ Q11, o * v, kms(2), int(L), 0.1, attention=kind, task_variance=0.5) for kind in ("softmax", "linear")
        )
        dU, du = soft.grad_U - linear.grad_U, soft.grad_u - linear.grad_u
        exact = np.sum((Q11 @ dU.T) ** 2) + np.sum((K11 @ dU) ** 2) + (o * du) ** 2 + (v * du) ** 2
        assert abs(gap.gradient[i] - exact) < 7 * gap.gradient_error[i] < exact


def test_gaps_narrow_and_lengths_have_their_own_streams() -> None:
    theta = initial_parameters(2, seed=1)
    gap = initial_gap(theta, [5, 50, 500], Sigma=np.eye(2), prompts=2000, noise=0.1, task_variance=0.5)
    assert (gap.output[:-1] > 2 * gap.output[1:]).all()
    assert (gap.output > 10 * gap.output_error).all()
    again = initial_gap(theta, [500, 5], Sigma=np.eye(2), prompts=2000, noise=0.1, task_variance=0.5)
    assert again.output.tolist() == [gap.output[2], gap.output[0]]
    assert again.gradient.tolist() == [gap.gradient[2], gap.gradient[0]]
    assert np.isinf(initial_gap(theta, [5], Sigma=np.eye(2), prompts=2, noise=0.1, task_variance=0.5).gradient_error[0])


@pytest.mark.parametrize("prompts", [1, 0, 2.5, True])
def test_prompts_are_a_number_of_them(prompts: float) -> None:
    with pytest.raises((TypeError, ValueError), match=r"prompts = .*(whole|at least 2)"):
        initial_gap(initial_parameters(1, 0), [3], Sigma=[[1.0]], prompts=prompts, noise=0.1, task_variance=1.0)  # type: ignore[arg-type]


def test_numbers_out_of_range_are_said() -> None:
    theta = Parameters(*(1e60 * x for x in initial_parameters(1, 0)))
    with pytest.raises(ValueError, match="take smaller ones"):
        initial_gap(theta, [3], Sigma=[[1.0]], prompts=2, noise=0.1, task_variance=1.0)
