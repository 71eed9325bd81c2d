import numpy as np
import pytest

from numerics.regression.softmax_vs_linear.at_start import initial_gap
from numerics.training.parameters import Parameters, initial_parameters
from tests.numerics.regression.unit_tasks import unit
from theory.regression.task import RegressionTask


def test_gaps_narrow_and_lengths_have_their_own_streams():
    theta, task = initial_parameters(2, seed=1), RegressionTask(np.eye(2), noise=0.1, task_variance=0.5)
    gap = initial_gap(theta, task, [5, 50, 500], prompts=2000)
    assert (gap.output[:-1] > 2 * gap.output[1:]).all()
    assert (gap.output > 10 * gap.output_error).all()
    assert initial_gap(theta, task, [500, 5], prompts=2000).output.tolist() == [gap.output[2], gap.output[0]]


@pytest.mark.parametrize("prompts", [1, 0, 2.5, True])
def test_prompts_are_a_number_of_them(prompts):
    with pytest.raises((TypeError, ValueError), match=r"prompts = .*(whole|at least 2)"):
        initial_gap(initial_parameters(1, 0), unit([[1.0]], 0.1), [3], prompts=prompts)


def test_numbers_out_of_range_are_said():
    theta = Parameters(*(1e60 * x for x in initial_parameters(1, 0)))
    with pytest.raises(ValueError, match="take smaller ones"):
        initial_gap(theta, unit([[1.0]], 0.1), [3], prompts=2)
