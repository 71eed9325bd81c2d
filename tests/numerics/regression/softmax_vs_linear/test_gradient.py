"""The gap of the gradients against differences of risks, and on the block manifold."""

import numpy as np
import pytest

from numerics.regression.risk.any_parameters import population_risk
from numerics.regression.risk.block_manifold import exact_risk
from numerics.regression.softmax_vs_linear.gradient import gradient_gap
from numerics.training import Parameters, initial_parameters
from theory.regression.experiment import kms
from theory.regression.task import RegressionTask

TASK = RegressionTask([[1.0, 0.3], [0.3, 0.5]], noise=0.1, task_variance=0.5)


def difference(theta: Parameters, L: int, variant: str) -> float:
    softmax, linear = (
        population_risk(theta, a, TASK, L, variant=variant, points=2**9)[0] for a in ("softmax", "linear")
    )
    return float(softmax - linear)


def test_the_gap_is_that_of_finite_differences():
    # As coded: scores have a scale, and prompt and query other covariances.
    theta, L, step, variant = initial_parameters(2, 3), 4, 1e-3, "as coded"
    slopes = []
    for name, part in theta._asdict().items():
        for index in np.ndindex(part.shape):
            shift = np.zeros_like(part)
            shift[index] = step
            ends = [difference(theta._replace(**{name: part + sign * shift}), L, variant) for sign in (1, -1)]
            slopes.append((ends[0] - ends[1]) / (2 * step))
    value, error = (x[0] for x in gradient_gap(theta, TASK, [L], variant=variant, points=2**10)[:2])
    assert error < 1e-2 * value
    # the second for the step and the risks' own errors
    assert abs(value - np.square(slopes).sum()) < 7 * error + 1e-4 * value


def test_gradients_on_the_block_manifold():
    """Exact risks and the chain rule; 16 randomisations and |t| < 10: below 1e-6."""
    K11, Q11, o, v = np.array([[0.9, 0.2], [0.0, 0.5]]), np.array([[0.7, -0.3], [0.1, 0.6]]), 1.2, 0.8
    zero = np.zeros(2)
    block = lambda M, x: np.block([[M, zero[:, None]], [zero[None], np.array([[x]])]])
    theta = Parameters(np.array([0.0, 0.0, o]), block(0 * K11, v), block(K11, 0.0), block(Q11, 0.0))
    task = RegressionTask(kms(2), noise=0.1, task_variance=0.5)
    gap = gradient_gap(theta, task, [3, 8], seed=4, points=2**13)
    for i, L in enumerate((3, 8)):
        soft, linear = (
            exact_risk(K11.T @ Q11, o * v, task, L, attention=kind) for kind in ("softmax", "linear")
        )
        dU, du = soft.grad_U - linear.grad_U, soft.grad_u - linear.grad_u
        exact = np.sum((Q11 @ dU.T) ** 2) + np.sum((K11 @ dU) ** 2) + (o * du) ** 2 + (v * du) ** 2
        assert abs(gap.value[i] - exact) < 10 * gap.error[i] < exact / 10


def test_the_squared_gap_falls_like_the_inverse_square_of_the_length():
    lengths = [10**4, 10**6]
    each = gradient_gap(initial_parameters(2, 1), TASK, lengths, points=2**10).each
    ratio = each[:, 0] / each[:, 1]
    assert np.median(ratio) == pytest.approx(1e4, rel=0.1)


def test_shapes_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="n = d \\+ 1 = 4"):
        gradient_gap(
            initial_parameters(2, 1), RegressionTask(np.eye(3), noise=0.1, task_variance=1 / 3), [10]
        )


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"points": 3}, "power of 2"),
        ({"points": 2.5}, "power of 2"),
        ({"seed": -1}, "seed"),
        ({"parameters": np.zeros((7, 2))}, "O, V, K, Q"),
        ({"parameters": [np.nan * x for x in initial_parameters(1, 0)]}, "finite"),
        ({"parameters": [1e80 * x for x in initial_parameters(1, 0)]}, "beyond the range"),
    ],
)
def test_what_is_refused_at_the_door(change, says):
    task = RegressionTask([[1.0]], noise=0.1, task_variance=1.0)
    arguments = {"parameters": initial_parameters(1, 0), "task": task, "lengths": [10], "points": 4} | change
    with pytest.raises((TypeError, ValueError), match=says):
        gradient_gap(**arguments)
