"""What has to be computed for a plan, in pieces that say everything their numbers depend on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from numerics.compiled.source_digest import digest_of_sources
from numerics.figures.plan import Plan, RunKey
from numerics.figures.run_arrays import BOTH, as_array, from_array, half
from numerics.figures.speed import Speed
from numerics.jobs.schedule import Task
from numerics.jobs.store import StoreError
from numerics.sweep.matrices import as_hex
from numerics.training.checkpoint import CheckpointError
from numerics.training.parameters import initial_parameters
from numerics.training.result import Training
from theory.regression.experiment import VARIANTS

__all__ = ["Engines", "Work", "engines"]

Floats = NDArray[np.float64]
Advance = Callable[[int, int], None]
FinalKey = tuple[str, str, str, int, int]
#: Seconds, roughly, of a final risk, the end of an exact flow, a Bayes risk and a gap of gradients.
FINAL, EXACT, BAYES, GRADIENT = {"softmax": 0.3, "linear": 0.01}, {"softmax": 0.1, "linear": 0.01}, 0.2, 0.1
#: Sobol' points of each randomisation behind a gap of gradients.
GRADIENT_POINTS = 2**12
NO_NUMBERS = np.empty(0)


class Engines(NamedTuple):
    """What computes the numbers, and of each of these names a digest of its code."""

    train: Callable[..., Any]
    population_risk: Callable[..., Any]
    initial_gap: Callable[..., Any]
    gradient_gap: Callable[..., Any]
    trained: Callable[..., Any]
    bayes_risk: Callable[..., Any]
    code: Callable[[str], str]


#: Where the engines live.
HOMES = {
    "train": "numerics.training.run",
    "population_risk": "numerics.regression.risk.any_parameters",
    "initial_gap": "numerics.regression.softmax_vs_linear.at_start",
    "gradient_gap": "numerics.regression.softmax_vs_linear.gradient",
    "trained": "numerics.regression.flow.end_point",
    "bayes_risk": "numerics.regression.risk.bayes",
}


def engines() -> Engines:
    """Those of this package, each loaded when it is first called.

    Examples
    --------
    >>> len(engines().code("train"))
    64
    """
    return Engines(**{name: _lazy(home, name) for name, home in HOMES.items()}, code=lambda name: digest_of_sources(HOMES[name]))


def _lazy(home: str, name: str) -> Callable[..., Any]:
    return lambda *args, **kwargs: getattr(import_module(home), name)(*args, **kwargs)


class Work:
    """The tasks of a plan, and what their numbers are.

    Parameters
    ----------
    plan : Plan
    engines : Engines
    speed : callable
        Of attention and prompt length: seconds of a step of SGD.

    Attributes
    ----------
    runs : dict of RunKey to Task
    final : dict of (covariance, variant, attention, L, seed) to Task
    gaps : dict of (covariance, variant, seed) to Task
    exact : dict of (covariance, variant, attention, L) to Task
    bayes : dict of (covariance, variant, L) to Task
    """

    def __init__(self, plan: Plan, engines: Engines, speed: Speed) -> None:
        self.plan, self.engines, self.speed = plan, engines, speed
        self.runs: dict[RunKey, Task] = {}
        self.final: dict[FinalKey, Task] = {}
        self.gaps: dict[tuple[str, str, int], Task] = {}
        self.exact: dict[tuple[str, str, str, int], Task] = {}
        self.bayes: dict[tuple[str, str, int], Task] = {}
        self._run_of: dict[str, RunKey] = {}
        for key in plan.runs:
            self._add_run(key)
        for covariance in plan.covariances:
            for variant in plan.variants:
                self._add_data(covariance, variant)

    @property
    def tasks(self) -> list[Task]:
        """All of them."""
        return [task for part in (self.runs, self.final, self.gaps, self.exact, self.bayes) for task in part.values()]

    def follow(self, task: Task, numbers: Floats) -> Sequence[Task]:
        """A coupled run ends when one of the two architectures diverges: then each is trained alone
        as well.
        """
        key = self._run_of.get(task.key)
        if key is None or key.attention != "coupled" or self.training(key, numbers).diverged is None:
            return ()
        return [new for attention in BOTH for new in self._add_run(key._replace(attention=attention))]

    def training(self, key: RunKey, numbers: Floats) -> Training:
        """The run that these numbers are."""
        plan = self.plan
        return from_array(
            numbers,
            dict(
                attention=key.attention,
                prompt_length=key.L,
                variant=key.variant,
                task=self.plan.task(key.covariance).described(),
                batch=plan.batch,
                lr=float(plan.lr),
                steps=plan.steps(key.variant),
                every=plan.every(key.variant),
                seed=key.seed,
            ),
        )

    def _data(self, covariance: str, variant: str, engine: str) -> dict[str, Any]:
        """What every task of these data depends on."""
        task = self.plan.task(covariance)
        return {
            "engine": engine,
            "code": self.engines.code(engine),
            "Sigma": as_hex(task.Sigma),
            "variant": asdict(VARIANTS[variant]),
            "noise": task.noise.hex(),
            "task_variance": task.task_variance.hex(),
        }

    def _add_run(self, key: RunKey) -> list[Task]:
        """A run and the final risk of each architecture in it."""
        plan, steps, every = self.plan, self.plan.steps(key.variant), self.plan.every(key.variant)
        content = self._data(key.covariance, key.variant, "train") | {
            "attention": key.attention,
            "L": key.L,
            "seed": key.seed,
            "batch": plan.batch,
            "lr": float(plan.lr).hex(),
            "steps": steps,
            "every": every,
        }

        def train(need: Floats | None, checkpoint: Path | None, advance: Advance) -> Floats:
            try:
                training = self.engines.train(
                    key.attention,
                    key.L,
                    task=self.plan.task(key.covariance),
                    batch=plan.batch,
                    lr=plan.lr,
                    steps=steps,
                    seed=key.seed,
                    variant=key.variant,
                    every=every,
                    checkpoint=checkpoint,
                    progress=advance,
                )
            except CheckpointError as error:  # the folder's fault, like every other StoreError
                raise StoreError(str(error)) from error
            return as_array(training)

        says = f"{key.attention} L = {key.L}, {key.covariance}, {key.variant}, seed {key.seed}"
        run = Task(says, content, steps * self.speed(key.attention, key.L), train)
        self.runs[key], self._run_of[run.key] = run, key
        finals = [self._final(key, run, attention) for attention in (BOTH if key.attention == "coupled" else (key.attention,))]
        return [run, *finals]

    def _final(self, key: RunKey, run: Task, attention: str) -> Task:
        content = self._data(key.covariance, key.variant, "population_risk") | {
            "run": run.key,
            "attention": attention,
            "points": self.plan.points,
        }

        def risk(need: Floats | None, checkpoint: Path | None, advance: Advance) -> Floats:
            assert need is not None
            training = self.training(key, need)
            if training.diverged is not None:
                return NO_NUMBERS
            alone = half(training, attention) if key.attention == "coupled" else training
            value, error = self.engines.population_risk(
                alone.final,
                attention,
                self.plan.task(key.covariance),
                key.L,
                variant=key.variant,
                points=self.plan.points,
            )
            return np.array([value, error], dtype=float)

        task = Task(f"final risk, {attention} of {run.says}", content, FINAL[attention], risk, needs=run)
        self.final[(key.covariance, key.variant, attention, key.L, key.seed)] = task
        return task

    def _add_data(self, covariance: str, variant: str) -> None:
        """What does not depend on a run: gaps at the start, the ends of the exact flow, the best
        risks.
        """
        plan = self.plan
        if plan.shows(1, covariance):
            for seed in range(plan.gap_seeds):
                self.gaps[covariance, variant, seed] = self._gap(covariance, variant, seed)
        for L in plan.lengths_of(covariance):
            self.bayes[covariance, variant, L] = self._best(covariance, variant, L)
            for attention in BOTH:
                self.exact[covariance, variant, attention, L] = self._exact(covariance, variant, attention, L)

    def _gap(self, covariance: str, variant: str, seed: int) -> Task:
        plan, of = self.plan, self.plan.task(covariance)
        content = self._data(covariance, variant, "initial_gap")
        content |= {"lengths": list(plan.gap_lengths), "prompts": plan.gap_prompts, "seed": seed}
        content |= {"gradient": self.engines.code("gradient_gap"), "gradient points": GRADIENT_POINTS}

        def gap(need: Floats | None, checkpoint: Path | None, advance: Advance) -> Floats:
            start, lengths, how = initial_parameters(of.d, seed), plan.gap_lengths, {"variant": variant, "seed": seed}
            outputs = self.engines.initial_gap(start, of, lengths, prompts=plan.gap_prompts, **how)
            # The mean over prompts is in closed form; where they are long, prompts that are drawn
            # hardly tell the gap from 0.
            gradients = self.engines.gradient_gap(start, of, lengths, points=GRADIENT_POINTS, **how)
            return np.array([outputs.output, outputs.output_error, gradients.value, gradients.error], dtype=float)

        says = f"gaps at the start, {covariance}, {variant}, seed {seed}"
        work = plan.gap_prompts / plan.batch * sum(self.speed("coupled", L) for L in plan.gap_lengths)
        work += GRADIENT * len(plan.gap_lengths)
        return Task(says, content, work, gap)

    def _exact(self, covariance: str, variant: str, attention: str, L: int) -> Task:
        drawn = VARIANTS[variant].drawn(self.plan.task(covariance))

        def end(need: Floats | None, checkpoint: Path | None, advance: Advance) -> Floats:
            return np.array([self.engines.trained(drawn, L, attention=attention).risk])

        content = self._data(covariance, variant, "trained") | {"attention": attention, "L": L}
        return Task(f"end of the exact flow, {attention} L = {L}, {covariance}, {variant}", content, EXACT[attention], end)

    def _best(self, covariance: str, variant: str, L: int) -> Task:
        drawn = VARIANTS[variant].drawn(self.plan.task(covariance))

        def best(need: Floats | None, checkpoint: Path | None, advance: Advance) -> Floats:
            return np.array(self.engines.bayes_risk(drawn, L))

        content = self._data(covariance, variant, "bayes_risk") | {"L": L}
        return Task(f"Bayes risk, L = {L}, {covariance}, {variant}", content, BAYES, best)
