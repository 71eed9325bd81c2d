from __future__ import annotations

import numpy as np
import pytest

from numerics.regression.risk.block_manifold import exact_risk
from numerics.regression.softmax_vs_linear.at_start import initial_gap
from numerics.training.parameters import Parameters, initial_parameters
from tests.numerics.regression.unit_tasks import unit
from theory.regression.experiment import kms
from theory.regression.task import RegressionTask


def test_gradients_on_the_block_manifold() -> None:
    """Second route: exact risks and the chain rule. 64 groups and |t| < 7: the probability of
    failure is below 1e-8.
    """
    K11, Q11, o, v = np.array([[0.9, 0.2], [0.0, 0.5]]), np.array([[0.7, -0.3], [0.1, 0.6]]), 1.2, 0.8
    zero = np.zeros(2)
    block = lambda M, x: np.block([[M, zero[:, None]], [zero[None], np.array([[x]])]])
    theta = Parameters(np.array([0.0, 0.0, o]), block(0 * K11, v), block(K11, 0.0), block(Q11, 0.0))
    task = RegressionTask(kms(2), noise=0.1, task_variance=0.5)
    gap = initial_gap(theta, task, [3, 8], prompts=2**18, seed=4)
    for i, L in enumerate(gap.lengths):
        soft, linear = (exact_risk(K11.T @ Q11, o * v, task, int(L), attention=kind) for kind in ("softmax", "linear"))
        dU, du = soft.grad_U - linear.grad_U, soft.grad_u - linear.grad_u
        exact = np.sum((Q11 @ dU.T) ** 2) + np.sum((K11 @ dU) ** 2) + (o * du) ** 2 + (v * du) ** 2
        assert abs(gap.gradient[i] - exact) < 7 * gap.gradient_error[i] < exact


def test_gaps_narrow_and_lengths_have_their_own_streams() -> None:
    theta, task = initial_parameters(2, seed=1), RegressionTask(np.eye(2), noise=0.1, task_variance=0.5)
    gap = initial_gap(theta, task, [5, 50, 500], prompts=2000)
    assert (gap.output[:-1] > 2 * gap.output[1:]).all()
    assert (gap.output > 10 * gap.output_error).all()
    again = initial_gap(theta, task, [500, 5], prompts=2000)
    assert again.output.tolist() == [gap.output[2], gap.output[0]]
    assert again.gradient.tolist() == [gap.gradient[2], gap.gradient[0]]
    assert np.isinf(initial_gap(theta, task, [5], prompts=2).gradient_error[0])


@pytest.mark.parametrize("prompts", [1, 0, 2.5, True])
def test_prompts_are_a_number_of_them(prompts: float) -> None:
    with pytest.raises((TypeError, ValueError), match=r"prompts = .*(whole|at least 2)"):
        initial_gap(initial_parameters(1, 0), unit([[1.0]], 0.1), [3], prompts=prompts)  # type: ignore[arg-type]


def test_numbers_out_of_range_are_said() -> None:
    theta = Parameters(*(1e60 * x for x in initial_parameters(1, 0)))
    with pytest.raises(ValueError, match="take smaller ones"):
        initial_gap(theta, unit([[1.0]], 0.1), [3], prompts=2)
