"""The jobs behind Figures 1 to 8 of Boursier & Boyer: trainings, their final risks, gaps at the
start, ends of the exact flow and Bayes risks, each with all that its numbers depend on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from numerics.experiments.boursier_boyer.engines import Engines
from numerics.experiments.boursier_boyer.plan import Plan, RunKey
from numerics.experiments.boursier_boyer.run_arrays import ARCHITECTURES, as_array, from_array, half
from numerics.experiments.boursier_boyer.speed import Speed
from numerics.experiments.boursier_boyer.stop_rule import POINTS, Watch, records_a_look, spread
from numerics.jobs.hexadecimal import as_hex
from numerics.jobs.job import Attempt, Job
from numerics.training.parameters import Parameters, initial_parameters
from numerics.training.result import Training
from theory.regression.experiment import VARIANTS

__all__ = ["PlanJobs"]

Floats = NDArray[np.float64]
#: Covariance, variant, attention, prompt length and seed.
FinalKey = tuple[str, str, str, int, int]
#: Seconds that a final risk and the end of an exact flow take, roughly.
FINAL_SECONDS = {"softmax": 0.3, "linear": 0.01}
EXACT_SECONDS = {"softmax": 0.1, "linear": 0.01}
#: The same for a Bayes risk, and for a gap of gradients at one length.
BAYES_SECONDS, GRADIENT_SECONDS = 0.2, 0.1
#: The part of its steps that a run takes until it has settled, roughly.
SETTLED_SHARE = 0.35
#: Sobol' points of each randomisation behind a gap of gradients.
GRADIENT_POINTS = 2**12


class PlanJobs:
    """The jobs of a plan, and what their numbers are, with `speed` the seconds of a step of SGD, of
    attention and prompt length.
    """

    def __init__(self, plan: Plan, engines: Engines, speed: Speed) -> None:
        self.plan, self.engines, self.speed = plan, engines, speed
        self.runs: dict[RunKey, Job] = {}
        self.final: dict[FinalKey, Job] = {}
        self.gaps: dict[tuple[str, str, int], Job] = {}
        self.exact: dict[tuple[str, str, str, int], Job] = {}
        self.bayes: dict[tuple[str, str, int], Job] = {}
        self._run_of: dict[str, RunKey] = {}
        for covariance in plan.covariances:
            for variant in plan.variants:
                self._add_data(covariance, variant)
        for key in plan.runs:  # some of which need the ends of the exact flow
            self._add_run(key)

    @property
    def all(self) -> list[Job]:
        """Every job of the plan."""
        return [
            job
            for part in (self.runs, self.final, self.gaps, self.exact, self.bayes)
            for job in part.values()
        ]

    def follow(self, job: Job, numbers: Floats) -> Sequence[Job]:
        """A coupled run ends when one of the two architectures diverges: then each is trained alone
        as well.
        """
        key = self._run_of.get(job.key)
        if key is None or key.attention != "coupled" or self.training(key, numbers).diverged is None:
            return ()
        return [
            new for attention in ARCHITECTURES for new in self._add_run(key._replace(attention=attention))
        ]

    def training(self, key: RunKey, numbers: Floats) -> Training:
        """The run that these numbers are."""
        plan = self.plan
        return from_array(
            numbers,
            dict(
                attention=key.attention,
                prompt_length=key.L,
                variant=key.variant,
                task=self.plan.task(key.covariance),
                batch=plan.batch,
                lr=float(plan.lr),
                steps=plan.steps(key.variant),
                every=plan.every(key.variant),
                seed=key.seed,
            ),
        )

    def _data(self, covariance: str, variant: str, engine: str) -> dict[str, Any]:
        """What every job on these data depends on."""
        task = self.plan.task(covariance)
        return {
            "engine": engine,
            "code": self.engines.code(engine),
            "Sigma": as_hex(task.Sigma),
            "variant": asdict(VARIANTS[variant]),
            "noise": task.noise.hex(),
            "task_variance": task.task_variance.hex(),
        }

    def _add_run(self, key: RunKey) -> list[Job]:
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
        limit = self._limit(key)
        if limit is not None:
            content |= {
                "ends": self.engines.code("stop_rule"),
                "limit": limit.key,
                "looks": self.engines.code("population_risk"),
            }

        def train(attempt: Attempt) -> Floats:
            end = attempt.needed  # of the exact flow
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
                checkpoint=attempt.checkpoint,
                progress=attempt.advance,
                until=None
                if end is None
                else Watch(self._look(key), float(end[0]), records_a_look(plan.records)),
            )
            return as_array(training)

        label = f"{key.attention} L = {key.L}, {key.covariance}, {key.variant}, seed {key.seed}"
        work = steps * self.speed(key.attention, key.L) * (1.0 if limit is None else SETTLED_SHARE)
        run = Job(label, content, work, train, needs=limit)
        self.runs[key], self._run_of[run.key] = run, key
        finals = [
            self._final(key, run, attention)
            for attention in (ARCHITECTURES if key.attention == "coupled" else (key.attention,))
        ]
        return [run, *finals]

    def _limit(self, key: RunKey) -> Job | None:
        """Where the exact flow ends, if the run may end once it is there."""
        alone = self.plan.settle and key.attention != "coupled"
        return self.exact[key.covariance, key.variant, key.attention, key.L] if alone else None

    def _look(self, key: RunKey) -> Callable[[Parameters], float]:
        """What the rule by which a run may end looks at."""
        return lambda parameters: self._risk(key, key.attention, parameters, POINTS)[0]

    def _risk(self, key: RunKey, attention: str, parameters: Parameters, points: int) -> tuple[float, float]:
        of, how = self.plan.task(key.covariance), {"variant": key.variant, "points": points}
        value, error = self.engines.population_risk(parameters, attention, of, key.L, **how)
        return float(value), float(error)

    def _final(self, key: RunKey, run: Job, attention: str) -> Job:
        content = self._data(key.covariance, key.variant, "population_risk") | {
            "run": run.key,
            "attention": attention,
            "points": self.plan.points,
        }

        def risk(attempt: Attempt) -> Floats:
            assert attempt.needed is not None
            training = self.training(key, attempt.needed)
            if training.diverged is not None:
                return np.empty(0)  # a diverged run has no final risk
            alone = half(training, attention) if key.attention == "coupled" else training
            found = self._risk(key, attention, alone.final, self.plan.points)
            if training.stopped is None:
                return np.array(found)
            return np.array([*found, *spread(training, self._look(key), records_a_look(self.plan.records))])

        job = Job(
            f"final risk, {attention} of {run.label}", content, FINAL_SECONDS[attention], risk, needs=run
        )
        self.final[(key.covariance, key.variant, attention, key.L, key.seed)] = job
        return job

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
            for attention in ARCHITECTURES:
                self.exact[covariance, variant, attention, L] = self._exact(covariance, variant, attention, L)

    def _gap(self, covariance: str, variant: str, seed: int) -> Job:
        plan, of = self.plan, self.plan.task(covariance)
        content = self._data(covariance, variant, "initial_gap")
        content |= {"lengths": list(plan.gap_lengths), "prompts": plan.gap_prompts, "seed": seed}
        content |= {"gradient": self.engines.code("gradient_gap"), "gradient points": GRADIENT_POINTS}

        def gap(attempt: Attempt) -> Floats:
            start, lengths, how = (
                initial_parameters(of.d, seed),
                plan.gap_lengths,
                {"variant": variant, "seed": seed},
            )
            outputs = self.engines.initial_gap(start, of, lengths, prompts=plan.gap_prompts, **how)
            # The mean over prompts is in closed form; where they are long, prompts that are drawn
            # hardly tell the gap from 0.
            gradients = self.engines.gradient_gap(start, of, lengths, points=GRADIENT_POINTS, **how)
            return np.array(
                [outputs.output, outputs.output_error, gradients.value, gradients.error], dtype=float
            )

        label = f"gaps at the start, {covariance}, {variant}, seed {seed}"
        work = plan.gap_prompts / plan.batch * sum(self.speed("coupled", L) for L in plan.gap_lengths)
        work += GRADIENT_SECONDS * len(plan.gap_lengths)
        return Job(label, content, work, gap)

    def _exact(self, covariance: str, variant: str, attention: str, L: int) -> Job:
        drawn = VARIANTS[variant].drawn(self.plan.task(covariance))

        def end(attempt: Attempt) -> Floats:
            return np.array([self.engines.trained(drawn, L, attention=attention).risk])

        content = self._data(covariance, variant, "trained") | {"attention": attention, "L": L}
        return Job(
            f"end of the exact flow, {attention} L = {L}, {covariance}, {variant}",
            content,
            EXACT_SECONDS[attention],
            end,
        )

    def _best(self, covariance: str, variant: str, L: int) -> Job:
        drawn = VARIANTS[variant].drawn(self.plan.task(covariance))

        def best(attempt: Attempt) -> Floats:
            return np.array(self.engines.bayes_risk(drawn, L))

        content = self._data(covariance, variant, "bayes_risk") | {"L": L}
        return Job(f"Bayes risk, L = {L}, {covariance}, {variant}", content, BAYES_SECONDS, best)
