"""The engines speak of the same experiment: where nothing moves, the risk of training is the
population risk.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from numerics.figures.plan import Plan
from numerics.figures.results import Measurements
from numerics.figures.run_plan import measure

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


def test_the_risk_of_training_is_the_population_risk_and_none_is_below_that_of_bayes() -> None:
    """12 comparisons at six standard errors, estimated from 3000 steps: an error probability below
    1e-6 in all.
    """
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


def test_a_wrong_variant_would_be_seen() -> None:
    """The control of the test above: with the other reading of the prompts the risks differ."""
    found = unmoved()
    run = found.run("anisotropic", "as written", "linear", 4, 0)
    other, error = found.final["anisotropic", "as coded", "linear", 4, 0]
    assert abs(float(run.risk[-1]) - other) > 6 * math.hypot(float(run.risk_error[-1]), error)
