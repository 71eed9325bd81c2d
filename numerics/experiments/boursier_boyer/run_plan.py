"""Measures what Figures 1 to 8 show: trainings and risks that the folder has are taken from there,
the others are computed and kept.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from numerics.experiments.boursier_boyer.engines import Engines, engines
from numerics.experiments.boursier_boyer.plan import Plan
from numerics.experiments.boursier_boyer.plan_jobs import PlanJobs
from numerics.experiments.boursier_boyer.results import Gaps, Measurements
from numerics.experiments.boursier_boyer.speed import ordinary, seconds_per_step
from numerics.jobs.job import Interrupted, Job, Progress
from numerics.jobs.runner import perform, thread_count
from numerics.jobs.store import Store
from numerics.jobs.workspace import Workspace

__all__ = ["measure"]

Floats = NDArray[np.float64]


def measure(
    plan: Plan,
    *,
    folder: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    progress: Callable[[Progress], None] | None = None,
    _engines: Engines | None = None,
) -> Measurements:
    """Train what the plan says and measure what the figures show. Finished work and checkpoints are
    kept in the folder: the same call goes on where a killed one was, and several at the same time
    share the work. Results of other code or other settings stay there unused. The time left that
    `progress` is told at first comes from steps timed on this machine, later from the work itself.
    """
    if not isinstance(plan, Plan):
        raise TypeError(f"plan = {plan!r} is no Plan; take Plan.full(), or a Plan of your own")
    threads = thread_count(threads)
    began = time.monotonic()
    by = engines() if _engines is None else _engines
    with Store() if folder is None else Workspace(folder) as store:
        try:
            jobs = PlanJobs(plan, by, ordinary)
            if progress is not None:
                stored = store.get(job.key for job in jobs.runs.values())
                missing = [key for key, job in jobs.runs.items() if job.key not in stored]
                jobs = PlanJobs(
                    plan, by, seconds_per_step(by.train, [(key.attention, key.L) for key in missing])
                )
        except KeyboardInterrupt:
            raise Interrupted(
                "interrupted before anything was begun; the same command starts again"
            ) from None
        numbers = perform(
            jobs.all, store, threads=threads, progress=progress or (lambda state: None), follow=jobs.follow
        )
        work_seconds = math.fsum(float(store.about(key)["seconds"]) for key in numbers)
    return _assembled(jobs, numbers, time.monotonic() - began, work_seconds)


def _assembled(
    jobs: PlanJobs, numbers: Mapping[str, Floats], seconds: float, work_seconds: float
) -> Measurements:
    plan = jobs.plan

    def of(job: Job) -> Floats:
        return numbers[job.key]

    gaps = {}
    for covariance, variant in dict.fromkeys((c, v) for c, v, _ in jobs.gaps):
        rows = np.stack([of(jobs.gaps[covariance, variant, seed]) for seed in range(plan.gap_seeds)], axis=1)
        gaps[covariance, variant] = Gaps(np.array(plan.gap_lengths), *rows)
    # Where a coupled run diverged, the finals of the two alone have taken the place of its own.
    final = {key: (float(of(job)[0]), float(of(job)[1])) for key, job in jobs.final.items() if of(job).size}
    spread = {
        key: (float(of(job)[2]), float(of(job)[3])) for key, job in jobs.final.items() if of(job).size > 2
    }
    return Measurements(
        plan=plan,
        runs={key: jobs.training(key, of(job)) for key, job in jobs.runs.items()},
        gaps=gaps,
        final=final,
        exact={key: float(of(job)[0]) for key, job in jobs.exact.items()},
        bayes={key: (float(of(job)[0]), float(of(job)[1])) for key, job in jobs.bayes.items()},
        seconds=seconds,
        work_seconds=work_seconds,
        spread=spread,
    )
