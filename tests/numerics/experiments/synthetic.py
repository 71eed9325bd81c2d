"""Made-up measurements: curves of the right shapes for the page, made in milliseconds."""

from dataclasses import replace

import numpy as np

from numerics.experiments.boursier_boyer.plan import Plan
from numerics.experiments.boursier_boyer.results import Gaps, Measurements
from numerics.training.parameters import Parameters
from numerics.training.result import Training
from theory.regression.experiment import COVARIANCES, variant

#: Linear attention loses this one, at a third of its steps.
DIVERGED = ("isotropic", "as written", "linear", 20, 4)


def _training(covariance, name, attention, L, seed, plan, rng):
    steps = min(variant(name).steps, plan.most_steps or 10**9)
    every = max(1, steps // plan.records)
    step = np.arange(every, steps + 1, every)
    bent = 1.0 if covariance == "isotropic" else 2.5
    halves = ("softmax", "linear") if attention == "coupled" else (attention,)
    risk = np.stack(
        [_risk(half, L, bent) + 0.5 * np.exp(-step / (8000 * bent * (1 + 0.1 * seed))) for half in halves],
        axis=-1,
    )
    risk *= 1 + 0.004 * rng.standard_normal(risk.shape)
    n = len(COVARIANCES[covariance]) + 1
    theta = rng.standard_normal((1 + 3 * n, n)) / 3
    away = (
        (bent * 4 / L * (1 - np.exp(-step / 30000)))[:, None, None] * rng.standard_normal((1 + 3 * n, n)) / 4
    )
    start = Parameters(theta[0], theta[1 : n + 1], theta[n + 1 : 2 * n + 1], theta[2 * n + 1 :])
    moving = np.stack([theta + away, theta - away], axis=1) if attention == "coupled" else theta + away
    O, V, K, Q = (
        moving[..., part, :] for part in (0, slice(1, n + 1), slice(n + 1, 2 * n + 1), slice(2 * n + 1, None))
    )
    coupled = attention == "coupled"
    return Training(
        attention=attention, prompt_length=L, variant=name, task=plan.task(covariance),
        batch=plan.batch, lr=plan.lr, steps=steps, every=every, seed=seed, step=step,
        risk=risk if coupled else risk[:, 0],
        risk_error=np.full((len(step), 2) if coupled else len(step), 1e-3),
        parameters=Parameters(O, V, K, Q), initial=start, diverged=None,
    )  # fmt: skip


def _risk(attention: str, L: int, bent: float) -> float:
    return 0.05 + bent * (1.6 if attention == "softmax" else 1.2) / (L + 8)


def measurements(plan: Plan | None = None) -> Measurements:
    plan = plan or Plan.full()
    rng = np.random.default_rng(5)
    runs = {key: _training(*key, plan, rng) for key in plan.runs}
    final, exact, bayes, gaps = {}, {}, {}, {}
    for key, run in runs.items():
        if tuple(key) == DIVERGED:
            third = len(run.step) // 3
            runs[key] = replace(
                run, step=run.step[:third], risk=run.risk[:third], risk_error=run.risk_error[:third],
                parameters=run.parameters.at(slice(third)), diverged=int(run.step[third - 1]) + 7,
            )  # fmt: skip
            continue
        bent = 1.0 if key.covariance == "isotropic" else 2.5
        for half in ("softmax", "linear") if key.attention == "coupled" else (key.attention,):
            value = _risk(half, key.L, bent)
            final[key.covariance, key.variant, half, key.L, key.seed] = (value * (1 + 0.01 * key.seed), 1e-5)
            bayes[key.covariance, key.variant, key.L] = (0.05 + bent / (key.L + 8), 1e-6)
            if key.variant == "as written":
                exact[key.covariance, key.variant, half, key.L] = value * 0.99
    for covariance in plan.covariances:
        for name in plan.variants:
            L = np.array(plan.gap_lengths)
            far = (1 + 0.2 * np.arange(plan.band_seeds)[:, None]) / L
            gaps[covariance, name] = Gaps(L, 0.3 * far, 0.003 * far, 2 * far, 0.02 * far)
    return Measurements(plan, runs, gaps, final, exact, bayes, 754.0, 1480.0)
