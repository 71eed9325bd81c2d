"""Where nothing moves, the risk of training is the population risk."""

import math
from functools import cache

import numpy as np

from numerics.experiments.boursier_boyer.plan import Plan
from numerics.experiments.boursier_boyer.results import Measurements
from numerics.experiments.boursier_boyer.run_plan import measure
from numerics.experiments.boursier_boyer.stop_rule import BAND

#: With this learning rate parameters stay where they are, up to 1e-9.
PLAN_WITHOUT_MOTION = Plan(
    figures=(5, 6, 7, 8),
    lengths=(3, 4),
    curve_lengths=(4,),
    gap_lengths=(4,),
    first_seed=0,
    band_seeds=1,
    most_steps=3000,
    records=1,
    batch=64,
    lr=1e-12,
    gap_prompts=2**12,
    points=2**8,
)


@cache
def unmoved() -> Measurements:
    return measure(PLAN_WITHOUT_MOTION)


def test_the_risk_of_training_is_the_population_risk_and_none_is_below_that_of_bayes():
    """12 comparisons at six standard errors, estimated from 3000 steps: below 1e-6 in all."""
    found = unmoved()
    assert len(found.final) == 8
    for key, (risk, error) in found.final.items():
        run = found.run(*key)
        assert run.diverged is None
        assert abs(float(run.risk[-1]) - risk) < 6 * math.hypot(float(run.risk_error[-1]), error)
    for (covariance, variant, attention, L), exact in found.exact.items():
        best, error = found.bayes[covariance, variant, L]
        assert found.noise_level < best < exact + 6 * error
        assert exact < found.final[covariance, variant, attention, L, 0][0]  # training has yet to begin
    for gaps in found.gaps.values():
        assert np.all(gaps.output - 6 * gaps.output_error > 0)


def test_a_wrong_variant_would_be_seen():
    found = unmoved()
    run = found.run("anisotropic", "as written", "linear", 4, 0)
    other, error = found.final["anisotropic", "as coded", "linear", 4, 0]
    assert abs(float(run.risk[-1]) - other) > 6 * math.hypot(float(run.risk_error[-1]), error)


def test_runs_that_end_early_are_where_their_losses_say():
    """Means of losses over the later half of the steps: 6 standard errors, below 1e-8."""
    plan = Plan(figures=(2,), lengths=(30,), variants=("as written",), settle=True, points=2**8)
    found = measure(plan)
    assert len(found.runs) == len(found.spread) == 2
    for key, run in found.runs.items():
        limit, (low, high) = found.exact[key[:4]], found.spread[tuple(key)]
        assert run.stopped is not None
        assert run.stopped < run.steps / 2
        half = len(run.step) // 2
        mean, error = run.risk[half:].mean(), np.linalg.norm(run.risk_error[half:]) / len(run.risk[half:])
        assert abs(mean - limit) < BAND * limit + 6 * error
        assert low - 6 * error < mean < high + 6 * error
        assert limit < low <= high < (1 + BAND) * limit
        assert run.risk[0] - 6 * run.risk_error[0] > (1 + BAND) * limit  # the control: it began elsewhere
