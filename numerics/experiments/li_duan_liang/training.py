"""What Figures 1 to 4 of Li, Duan & Liang show, trained: the attention alone and a block, on cosine
and on polynomial tasks, for both sets of L.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from numerics.compiled.source_digest import digest_of_sources
from numerics.experiments.li_duan_liang.block import Curves, initial_block, train
from numerics.experiments.li_duan_liang.prompts import cosine_prompts, polynomial_prompts
from numerics.experiments.trained import run_jobs
from numerics.jobs.job import Attempt, Job, Progress

__all__ = ["FIGURES", "FLAT", "MODELS", "SHARP", "Choices", "Experiments", "Key", "measure"]

Floats = NDArray[np.floating]
FIGURES = range(1, 5)
#: The two sets of L.
FLAT, SHARP = (0.1, 0.2, 0.4), (1.0, 1.5, 2.0)
#: The model that the theorems analyse, and one like that which the paper trains.
MODELS = ("attention alone", "block")
#: Rough seconds of an epoch, for the time left.
SECONDS = {
    ("cosine", MODELS[0]): 1e-4,
    ("cosine", MODELS[1]): 5e-4,
    ("polynomial", MODELS[0]): 6e-4,
    ("polynomial", MODELS[1]): 1.4e-3,
}


@dataclass(frozen=True)
class Choices:
    """What the paper does not say, and how large the experiment is."""

    #: The width of the residual stream; that of the hidden layer is twice as large.
    width: int = 32
    #: That of the block.
    optimiser: str = "adam"
    #: Learning rate of the block.
    rate: float = 0.002
    #: Rates of gradient descent for the attention alone, on the two kinds of tasks.
    cosine_rate: float = 0.02
    polynomial_rate: float = 0.5
    #: Over which the losses of Figure 4 are averaged.
    runs: int = 30
    #: Prompts of a run of Figure 4.
    prompts: int = 500
    epochs: int = 400


class Key(NamedTuple):
    """Which training: ``tasks`` are "cosine" or "polynomial", and ``model`` one of `MODELS`."""

    tasks: str
    model: str
    L: float
    seed: int


@dataclass(frozen=True)
class Experiments:
    """Everything that was trained."""

    choices: Choices
    figures: tuple[int, ...]
    curves: Mapping[Key, Curves]
    #: Seconds by the clock, and of processor time.
    seconds: float
    work_seconds: float

    def loss(self, tasks: str, model: str, L: float) -> Floats:
        """Mean squared error over the epochs, (epochs + 1,), averaged over the runs."""
        return np.mean([c.loss for key, c in self.curves.items() if key[:3] == (tasks, model, L)], axis=0)

    def attention(self, model: str, L: float) -> Floats:
        """Attention on class i of a query of class j, (epochs + 1, 4, 4), on the cosine tasks."""
        return self.curves[Key("cosine", model, L, 0)].attention

    def diverged(self) -> list[tuple[Key, int]]:
        """The runs that did not stay finite, with their last finite epoch."""
        ends = {key: int(np.isfinite(c.loss).sum()) - 1 for key, c in self.curves.items()}
        return [(key, end) for key, end in ends.items() if end < self.choices.epochs]


def _keys(figures: Iterable[int], runs: int) -> list[Key]:
    wanted = [("cosine", 1)] if {1, 2, 3} & set(figures) else []
    wanted += [("polynomial", runs)] if 4 in figures else []
    return [
        Key(tasks, model, L, seed)
        for tasks, n in wanted
        for model in MODELS
        for L in (*FLAT, *SHARP)
        for seed in range(n)
    ]


def _trained(key: Key, choices: Choices) -> Curves:
    if key.tasks == "cosine":
        data, rate = cosine_prompts(key.L, seed=key.seed), choices.cosine_rate
    else:
        data, rate = polynomial_prompts(key.L, M=choices.prompts, seed=key.seed), choices.polynomial_rate
    d, dtype = data.query.shape[1], data.query.dtype
    if key.model == "block":
        return train(
            initial_block(d, choices.width, key.seed, dtype),
            data,
            choices.epochs,
            choices.rate,
            choices.optimiser,
        )
    return train({"Q": np.zeros((d, d), dtype)}, data, choices.epochs, rate, "gd")


def _job(key: Key, choices: Choices, code: str) -> Job:
    def compute(attempt: Attempt) -> NDArray[np.float64]:
        found = _trained(key, choices)
        return np.column_stack([found.loss, found.attention.reshape(choices.epochs + 1, -1)]).astype(float)

    # The number of runs decides which keys there are, and none of their curves.
    content = (
        key._asdict()
        | {name: value for name, value in asdict(choices).items() if name != "runs"}
        | {"code": code}
    )
    content |= {name: float(value).hex() for name, value in content.items() if isinstance(value, float)}
    label = f"{key.model}, {key.tasks} tasks, L = {key.L:g}, seed {key.seed}"
    return Job(label, content, choices.epochs * SECONDS[key[:2]], compute)


def measure(
    choices: Choices = Choices(),
    figures: Iterable[int] = FIGURES,
    *,
    folder: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    progress: Callable[[Progress], None] = lambda state: None,
) -> Experiments:
    """Train what the figures, from 1 to 4, show. Finished runs are kept in the folder, and the same
    call goes on where a killed one was; the numbers do not depend on the threads.
    """
    figures = tuple(sorted(set(figures)))
    if not figures or not set(figures) <= set(FIGURES):
        raise ValueError(f"figures = {list(figures)} are none of 1 to 4; pass some of these, such as [1, 4]")
    for name in ("width", "runs", "prompts", "epochs"):
        if getattr(choices, name) < 1:
            raise ValueError(
                f"{name} = {getattr(choices, name)} is less than 1; pass a positive whole number"
            )
    code = digest_of_sources(__name__)
    jobs = {key: _job(key, choices, code) for key in _keys(figures, choices.runs)}
    numbers, seconds, work = run_jobs(jobs, folder, threads, progress)
    curves = {}
    for key, table in numbers.items():
        K = math.isqrt(table.shape[1] - 1)
        curves[key] = Curves(table[:, 0], table[:, 1:].reshape(len(table), K, K))
    return Experiments(choices, figures, curves, seconds, work)
