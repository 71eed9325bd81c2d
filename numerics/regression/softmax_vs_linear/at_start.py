"""How far the predictions of softmax and linear attention are apart at the same parameters (Figures
1 and 5 of Boursier & Boyer), from prompts that both of them read: those of the coupled kernel of
SGD, at learning rate 0. The gradients of the two risks are compared without drawing prompts, in
`numerics.regression.softmax_vs_linear.gradient`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from numerics.training.setup import Setup, read_setup
from theory.inputs.whole_numbers import read_whole
from theory.regression.experiment import Variant
from theory.regression.task import RegressionTask, read_task

__all__ = ["InitialGap", "initial_gap"]

Floats = NDArray[np.float64]
#: Groups of prompts, whose spread gives the errors.
GROUPS = 64


@dataclass(frozen=True, eq=False)
class InitialGap:
    """The difference between the outputs of softmax and linear attention, with standard errors."""

    #: Shape (k,).
    lengths: NDArray[np.int64]
    #: E |T_soft - T_lin|^2 over prompts and queries.
    output: Floats
    output_error: Floats


def initial_gap(
    parameters: Sequence[ArrayLike],
    task: RegressionTask,
    lengths: Sequence[int],
    *,
    variant: str | Variant = "as written",
    prompts: int = 2**16,
    seed: int = 0,
) -> InitialGap:
    """The gap of the outputs at every prompt length, for parameters of both attentions or, with an
    axis (softmax, linear) in front, of each. From 64 on the number of prompts of each length is
    rounded up to a multiple of 64; lengths have streams of their own.
    """
    count = read_whole(
        "prompts", prompts, "an error needs at least 2 for each length, better thousands", least=2
    )
    groups = min(GROUPS, count)
    batch = -(-count // groups)
    # every length is checked before the first is measured
    setups = [
        read_setup("coupled", L, read_task(task), batch, 0.0, groups, seed, variant, parameters, None)
        for L in lengths
    ]
    found = np.array([_measure(setup, groups) for setup in setups]).reshape(-1, 2).T
    return InitialGap(np.array([s.prompt_length for s in setups], dtype=np.int64), *found)


def _measure(setup: Setup, groups: int) -> tuple[float, float]:
    """The gap at one prompt length, and its error from the spread of the groups."""
    from numerics.training.kernels.loop import sgd_kernel

    kernel, arguments = sgd_kernel("coupled"), setup.kernel_arguments()
    squares, losses, no_gradient = np.empty(groups), np.empty((3, 1)), np.empty((0, 0, 0))
    for group in range(groups):
        if kernel(setup.start, setup.prompt_length, group, 1, 0.0, *arguments, losses, no_gradient) != -1:
            raise ValueError(
                "predictions at these parameters are beyond the range of floating-point numbers; take "
                "smaller ones"
            )
        squares[group] = losses[2, 0]
    return float(squares.mean()), float(squares.std(ddof=1)) / math.sqrt(groups)
