"""When a run of training has failed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from numerics.figures.failed_runs import failed, has_failed
from numerics.figures.plan import Plan
from tests.numerics.figures.synthetic import measurements
from theory.regression.experiment import COVARIANCES, VARIANTS


def test_a_run_has_failed_with_a_twentieth_of_its_drop_missing() -> None:
    # The drop is from 1/2 to 1/10 above the noise level.
    assert [has_failed(0.05 + excess, 0.15, 0.05) for excess in (0.11, 0.13)] == [False, True]


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("covariance", COVARIANCES)
def test_the_risk_of_predicting_0_is_a_half_above_the_noise(covariance: str, variant: str) -> None:
    """It is E (w'x)^2 / 2 for tasks w of variance 1/d: tr Cov(x) / 2d."""
    Sigma = COVARIANCES[covariance]
    assert np.trace(VARIANTS[variant].query_covariance(Sigma)) / len(Sigma) == pytest.approx(1.0, rel=1e-14)


def test_a_measured_run_fails_by_its_risk_and_not_without_a_limit() -> None:
    found = measurements(Plan(figures=(2,), lengths=(10,), curve_lengths=(10,)))
    key = ("isotropic", "as written", "softmax", 10, 4)
    stuck = replace(found, final=found.final | {key: (0.4, 0.0)})
    assert not failed(found, *key)
    assert failed(stuck, *key)
    assert not failed(replace(stuck, exact={}), *key)
