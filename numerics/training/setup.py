"""The door of a run: what is trained and on which prompts, checked, with all defaults filled in."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from numerics.training.parameters import initial_parameters, pack, read_start
from theory.inputs.arrays import read_arrays, read_covariance
from theory.regression.experiment import Variant, variant

__all__ = ["ATTENTIONS", "Setup", "read_setup"]

Floats = NDArray[np.float64]
ATTENTIONS = ("softmax", "linear", "coupled")
MOST = 2**31 - 1  # tokens and prompts are counted in 32 bits
RECORDS, SHORTEST = 500, 10  # records of a run by default, and the least steps of one
MOST_STEPS = 2**32  # of a run: streams know a step by 32 bits, and would come again
MOST_NUMBERS = 2**30  # in the records of a run and in the losses between two of them: 8 GiB


@dataclass(frozen=True, eq=False)
class Setup:
    """All that a run depends on."""

    attention: str
    prompt_length: int
    variant: Variant
    Sigma: Floats
    noise: float
    task_variance: float
    batch: int
    lr: float
    steps: int
    every: int
    seed: int
    start: Floats

    def described(self) -> dict[str, Any]:
        """The same as JSON, by which a checkpoint knows its run; the start as a digest."""
        plain = {k: getattr(self, k) for k in ("attention", "prompt_length", "noise", "task_variance", "batch", "lr", "steps")}
        digest = hashlib.sha256(self.start.tobytes()).hexdigest()
        return plain | dict(every=self.every, seed=self.seed, Sigma=self.Sigma.tolist(), variant=asdict(self.variant), start=digest)

    def kernel_arguments(self) -> tuple[Any, ...]:
        """What a kernel takes between `lr` and `losses`, of one type in all runs: Numba compiles
        anew for every other.
        """
        from numerics.compiled.streams import key_of

        S, d = self.Sigma, len(self.Sigma)
        A, B = (np.array(x, dtype=np.float64, order="C") for x in (self.variant.prompt_root(S), self.variant.query_root(S)))
        deviations = math.sqrt(self.task_variance), math.sqrt(self.noise)
        scale, factor = float(self.variant.score_scale(d)), float(self.variant.gradient_factor)
        return A, B, *deviations, scale, factor, self.batch, *key_of(self.seed)


def read_setup(
    attention: str,
    prompt_length: int,
    d: int | None,
    Sigma: ArrayLike | None,
    noise: float,
    batch: int,
    lr: float,
    steps: int,
    seed: int,
    variant_name: str | Variant,
    start: Sequence[ArrayLike] | None,
    task_variance: float | None,
    every: int | None,
) -> Setup:
    """Check the arguments of `numerics.train`, in their order.

    Raises
    ------
    TypeError, ValueError
        With what was wrong and what to do.
    """
    if not isinstance(attention, str) or attention not in ATTENTIONS:
        raise ValueError(f"attention = {attention!r} is not known; take one of {', '.join(map(repr, ATTENTIONS))}")
    length = _whole("prompt_length", prompt_length, "the number of tokens in a prompt", MOST)
    S = _covariance(d, Sigma)
    size, chosen = len(S), variant(variant_name)
    of_task = 1 / size if task_variance is None else task_variance
    tau2, omega2, rate = (float(x) for x in read_arrays(noise=(noise, ""), task_variance=(of_task, ""), lr=(lr, "")))
    if tau2 < 0:
        raise ValueError(f"noise = {noise} is negative; it is the variance of the label noise")
    if omega2 <= 0:
        raise ValueError(f"task_variance = {task_variance} is not positive; it is the variance of an entry of w")
    if rate < 0:
        raise ValueError(f"lr = {lr} is negative: the risk would be climbed; take a learning rate >= 0 (0 only measures the start)")
    count = _whole("batch", batch, "the number of prompts in a step", MOST)
    total = _whole("steps", steps, "the number of steps of SGD", MOST_STEPS)
    theta = pack(initial_parameters(size, seed))  # also checks the seed
    if start is not None:
        theta = read_start(start, size, attention == "coupled")
    elif attention == "coupled":
        theta = np.stack([theta, theta])
    window = _window(total, theta.size, every)
    return Setup(attention, length, chosen, S, tau2, omega2, count, rate, total, window, int(seed), theta)


def _window(steps: int, size: int, every: int | None) -> int:
    """Steps between two records of so many parameters."""
    if every is None:
        fewer = max(1, min(RECORDS, MOST_NUMBERS // (8 * size)))  # of large models: 1 GiB
        window = min(max(SHORTEST, -(-steps // fewer)), steps, MOST_NUMBERS // 8)
    else:
        window = min(_whole("every", every, "the steps between two records", MOST_STEPS), steps)
    if (numbers := steps // window * size + window) > MOST_NUMBERS:
        where = "more" if window > numbers // 2 else "fewer"
        raise ValueError(f"every = {window} makes records of {numbers / 2**27:.3g} GiB; take {where} of them, or fewer steps")
    return window


def _whole(name: str, value: Any, meaning: str, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{name} = {value!r} is no whole number; it is {meaning}")
    if not 1 <= value <= most:
        raise ValueError(f"{name} = {value} is outside 1 ... {most}; it is {meaning}")
    return int(value)


def _covariance(d: int | None, Sigma: ArrayLike | None) -> Floats:
    if Sigma is None:
        return np.eye(_whole("d", 5 if d is None else d, "the dimension of the covariates", 10_000))
    S = read_covariance("Sigma", Sigma)
    if d is not None and _whole("d", d, "the dimension of the covariates", 10_000) != len(S):
        raise ValueError(f"d = {d}, but Sigma has {len(S)} rows; leave d out, Sigma says it")
    return S
