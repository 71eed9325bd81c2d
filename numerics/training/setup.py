"""The arguments of `numerics.train`, checked and with all defaults filled in: what is trained, on
which task and prompts, and how.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from numerics.training.parameters import initial_parameters, pack, read_start
from theory.inputs.arrays import read_arrays
from theory.inputs.whole_numbers import read_whole
from theory.regression.experiment import TASK, Variant, variant
from theory.regression.task import RegressionTask, read_task

__all__ = ["ATTENTIONS", "Setup", "read_setup", "training_task"]

Floats = NDArray[np.float64]
ATTENTIONS = ("softmax", "linear", "coupled")
#: Tokens and prompts are counted in 32 bits.
LARGEST_COUNT = 2**31 - 1
#: Records of a run by default, and the least steps between two of them.
USUAL_RECORDS, SHORTEST_WINDOW = 500, 10
#: A stream knows its step by 32 bits, and would come again after so many.
LARGEST_STEPS = 2**32
#: Smaller risks of predicting 0 vanish in float32, where kernels take variances below 1e-36 for 0.
LEAST_RISK = 1e-30
#: Numbers in the records of a run and in the losses between two of them: 8 GiB.
LARGEST_SIZE = 2**30


@dataclass(frozen=True, eq=False)
class Setup:
    """All that a run depends on."""

    attention: str
    prompt_length: int
    variant: Variant
    task: RegressionTask
    batch: int
    lr: float
    steps: int
    every: int
    seed: int
    start: Floats

    def described(self) -> dict[str, Any]:
        """The setup as JSON, by which a checkpoint knows its run; the start as a digest."""
        plain = {
            k: getattr(self, k)
            for k in ("attention", "prompt_length", "batch", "lr", "steps", "every", "seed")
        }
        digest = hashlib.sha256(self.start.tobytes()).hexdigest()
        return plain | self.task.described() | dict(variant=asdict(self.variant), start=digest)

    def kernel_arguments(self) -> tuple[Any, ...]:
        """What a kernel takes between `lr` and `losses`, of one type in all runs: Numba compiles
        anew for every other.
        """
        from numerics.compiled.streams import key_of

        A, B = (np.array(x, dtype=np.float64, order="C") for x in self.variant.roots(self.task))
        deviations = math.sqrt(self.task.task_variance), math.sqrt(self.task.noise)
        scale, factor = float(self.variant.score_scale(self.task.d)), float(self.variant.gradient_factor)
        return A, B, *deviations, scale, factor, self.batch, *key_of(self.seed)


def read_setup(
    attention: str,
    prompt_length: int,
    task: RegressionTask,
    batch: int,
    lr: float,
    steps: int,
    seed: int,
    variant_name: str | Variant,
    start: Sequence[ArrayLike] | None,
    every: int | None,
) -> Setup:
    """Check the arguments of `numerics.train`, in their order."""
    if not isinstance(attention, str) or attention not in ATTENTIONS:
        raise ValueError(
            f"attention = {attention!r} is not known; take one of {', '.join(map(repr, ATTENTIONS))}"
        )
    length = read_whole(
        "prompt_length", prompt_length, "it is the number of tokens in a prompt", most=LARGEST_COUNT
    )
    chosen = variant(variant_name)
    chosen.roots(task)  # also checks that the variant draws such queries
    if 0 < task.null_risk < LEAST_RISK:
        raise ValueError(
            f"labels have the variance {2 * task.null_risk:.3g}, of which nothing is left in float32, in "
            "which tokens are drawn; choose other units"
        )
    (rate,) = (float(x) for x in read_arrays(lr=(lr, "")))
    if rate < 0:
        raise ValueError(
            f"lr = {lr} is negative: the risk would be climbed; take a learning rate >= 0 (0 only measures "
            "the start)"
        )
    count = read_whole("batch", batch, "it is the number of prompts in a step", most=LARGEST_COUNT)
    total = read_whole("steps", steps, "it is the number of steps of SGD", most=LARGEST_STEPS)
    theta = pack(initial_parameters(task.d, seed))  # also checks the seed
    if start is not None:
        theta = read_start(start, task.d, attention == "coupled")
    elif attention == "coupled":
        theta = np.stack([theta, theta])
    window = _window(total, theta.size, every)
    return Setup(attention, length, chosen, task, count, rate, total, window, int(seed), theta)


def _window(steps: int, size: int, every: int | None) -> int:
    """Steps between two records of so many parameters."""
    if every is None:
        fewer = max(1, min(USUAL_RECORDS, LARGEST_SIZE // (8 * size)))  # of large models: 1 GiB
        window = min(max(SHORTEST_WINDOW, -(-steps // fewer)), steps, LARGEST_SIZE // 8)
    else:
        window = min(
            read_whole("every", every, "it is the steps between two records", most=LARGEST_STEPS), steps
        )
    if (numbers := steps // window * size + window) > LARGEST_SIZE:
        where = "more" if window > numbers // 2 else "fewer"
        raise ValueError(
            f"every = {window} makes records of {numbers / 2**27:.3g} GiB; take {where} "
            "of them, or fewer steps"
        )
    return window


def training_task(
    task: RegressionTask | None,
    d: int | None,
    Sigma: ArrayLike | None,
    noise: float | None,
    task_variance: float | None,
) -> RegressionTask:
    """The task of a run: the paper's, one that is given, or the paper's with the plain values that
    are named in the place of its own. Plain values beside a task are refused.

    >>> training_task(None, 2, None, None, None).task_variance
    0.5
    """
    plain = {"d": d, "Sigma": Sigma, "noise": noise, "task_variance": task_variance}
    named = [name for name, value in plain.items() if value is not None]
    if task is not None:
        if named:
            raise TypeError(f"{named[0]} is given beside a task, which says it already; pass one of them")
        return read_task(task)
    if not named:
        return TASK
    size = None if d is None else read_whole("d", d, "it is the dimension of the covariates", most=10_000)
    if Sigma is None:
        Sigma = np.eye(size or TASK.d)
    elif size is not None and np.shape(Sigma) != (size, size):
        raise ValueError(f"d = {d}, but Sigma has the shape {np.shape(Sigma)}; leave d out, Sigma says it")
    if task_variance is None:
        task_variance = 1 / max(len(np.atleast_1d(Sigma)), 1)  # I/d, as in Section 6
    return RegressionTask(Sigma, noise=TASK.noise if noise is None else noise, task_variance=task_variance)
