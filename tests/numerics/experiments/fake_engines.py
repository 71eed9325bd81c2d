"""Engines that cost nothing: runs of a few numbers that write down every step they take."""

import hashlib
import math
import os
import pickle
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from numerics.experiments.boursier_boyer.engines import Engines
from numerics.experiments.boursier_boyer.plan import Plan
from numerics.experiments.boursier_boyer.results import GAPS, Measurements
from numerics.experiments.boursier_boyer.run_arrays import as_array
from numerics.training.parameters import initial_parameters, pack, unpack
from numerics.training.result import Training
from theory.regression.experiment import TASK, VARIANTS

LENGTHS: dict[str, Any] = dict(lengths=(2, 5, 9), curve_lengths=(2, 9), gap_lengths=(3, 4), band_lengths=(2,))
SMALL = Plan(**LENGTHS, first_seed=0, band_seeds=2, gap_seeds=2, most_steps=12, records=4, points=8)


@dataclass
class Fake:
    """A trainer whose theta is a running hash. `log` gets a line for every step; a step takes
    `pause`, a hundred times that once the log has `brisk` lines; (attention, L) in `diverging`
    diverge; with `excess` population risks exceed the limit of the flow by this part of it.
    """

    log: Path | None = None
    pause: float = 0.0
    brisk: float = math.inf
    diverging: tuple[tuple[str, int], ...] = ()
    excess: float | None = None
    calls: list[tuple[str, tuple[Any, ...]]] = field(default_factory=list)

    def train(self, attention: str, L: int, *, steps: int, task: Any = None, **how: Any) -> Training:
        config = {"batch": 1, "lr": 1.0, "seed": 0, "every": 1, "variant": "as written"} | how
        checkpoint: Path | None = config.pop("checkpoint", None)
        progress: Callable[[int, int], None] = config.pop("progress", lambda done, total: None)
        log, task = (None, TASK) if task is None else (self.log, task)  # without a task it is only timed
        every, seed = config["every"], config["seed"]
        name = f"{attention} {L} {task.Sigma.sum()} {config['variant']} {seed}"
        self.calls.append(("train", (attention, L, steps, seed)))
        start = pack(initial_parameters(5, seed))
        start = np.stack([start, start]) if attention == "coupled" else start
        theta, records, done = start.copy(), [], 0
        if checkpoint is not None and checkpoint.exists():
            theta, records, done = pickle.loads(checkpoint.read_bytes())
        bad = steps // 2 if (attention, L) in self.diverging else steps + 1
        until: Callable[[Training], bool] = config.pop("until", None) or (lambda training: False)

        def so_far() -> Training:
            shape = (len(records), 2) if attention == "coupled" else (len(records),)
            parameters = unpack(np.array(records).reshape(len(records), *start.shape))
            return Training(
                attention=attention, prompt_length=L, task=task, steps=steps, parameters=parameters,
                step=every * np.arange(1, len(records) + 1), risk=np.ones(shape) / L, initial=unpack(start),
                risk_error=np.zeros(shape), diverged=bad if done >= bad else None, **config,
            )  # fmt: skip

        while done < min(steps, bad) and not (done % every == 0 and records and until(so_far())):
            progress(done, steps)
            theta = theta + _noise(f"{name} {done} {theta.tobytes().hex()}")
            if log is not None:
                with log.open("a") as file:
                    file.write(f"{name} {done}\n")
            slow = log is not None and len(log.read_text().splitlines()) >= self.brisk
            time.sleep(self.pause * (100 if slow else 1))
            done += 1
            if done % every == 0:
                records.append(theta)
            if checkpoint is not None:
                part = checkpoint.with_name(checkpoint.name + ".part")
                part.write_bytes(pickle.dumps((theta, records, done)))
                os.replace(part, checkpoint)
        return so_far()

    def engines(self, code: str = "c0de") -> Engines:
        def population_risk(parameters, attention, task, L, **config):
            self.calls.append(("final", (attention, L)))
            if self.excess is not None:
                end = trained(VARIANTS[config["variant"]].drawn(task), L, attention=attention)
                return (1 + self.excess) * end.risk, 0.25
            return float(np.sum(parameters.V)) + (attention == "linear"), 0.25

        def initial_gap(parameters: Any, task: Any, lengths: Any, *, seed: int, **config: Any) -> Any:
            L = np.array(lengths, dtype=float)
            return SimpleNamespace(output=seed + L, output_error=L / 10)

        def gradient_gap(parameters: Any, task: Any, lengths: Any, **config: Any) -> Any:
            L = np.array(lengths, dtype=float)
            return SimpleNamespace(value=-L, error=L / 20)

        def trained(task: Any, L: int, *, attention: str) -> Any:
            return SimpleNamespace(risk=float(np.trace(task.Sigma)) + L + (attention == "linear") / 2)

        def bayes_risk(task: Any, L: int) -> tuple[float, float]:
            return float(np.trace(task.Sigma)) * task.task_variance / L + task.noise / 2, 0.125

        of_plans = population_risk, initial_gap, gradient_gap, trained, bayes_risk
        return Engines(self.train, *of_plans, lambda name: f"{code} {name}")

    def count(self, kind: str) -> int:
        return sum(name == kind for name, _ in self.calls)


def _noise(text: str) -> float:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big") / 2**32 - 0.5


def numbers(found: Measurements) -> dict[str, Any]:
    return {
        "runs": {key: as_array(run).tobytes() for key, run in found.runs.items()},
        "gaps": {key: [getattr(gaps, name).tobytes() for name in GAPS] for key, gaps in found.gaps.items()},
        "final": found.final,
        "exact": found.exact,
        "bayes": found.bayes,
        "plan": found.plan,
    }
