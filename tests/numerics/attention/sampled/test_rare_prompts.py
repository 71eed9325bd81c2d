"""True runs hold where tokens take few values; what rare prompts may add is not too little."""

import numpy as np
import pytest

from numerics import exact_errors
from numerics.attention.sampled.rare_prompts import rare_prompts
from numerics.attention.setting import AttentionSetting
from numerics.rates.measure import rates
from numerics.token_laws import atoms, rademacher, sphere, uniform

LENGTHS = [1, 2, 4, 8, 12, 16, 32]
RARE = atoms([[10.0], [-10 / 999]], [1 / 1000, 999 / 1000])


@pytest.mark.parametrize(
    ("law", "u"),
    [(rademacher(1), 4.0), (rademacher(1), 16.0), (rademacher(2), 8.0), (sphere(1), 8.0), (RARE, 1.0)],
)
@pytest.mark.parametrize("replicates", [100, 1000])
def test_true_runs_hold(law, u, replicates):
    """Attention picks a value; the exact mean is that of the few prompts without it."""
    setting = AttentionSetting(law, u * np.eye(law.d), np.eye(law.d), np.ones(law.d))
    for seed in range(4):
        run = rates(setting, LENGTHS, replicates=replicates, seed=seed)
        assert run.holds, [c for c in run.comparisons if not c.holds]
    assert any("prompts so rare" in warning for warning in run.warnings)


def test_they_are_all_of_the_mean_where_scores_are_steep():
    """The error is 4 if all signs are wrong, next to 0 else: the bound is the exact mean."""
    setting = AttentionSetting(rademacher(1), [[16.0]], [[1.0]], [1.0])
    exact = exact_errors(rademacher(1), [[16.0]], [[1.0]], [12], query=[1.0]).output
    assert rare_prompts(setting, np.array([12.0]), 1000)[0] == pytest.approx(exact, rel=1e-6)


def test_nothing_is_rare_where_samples_show_it():
    L = np.array([1.0, 2.0, 3.0])
    one = np.eye(1)
    assert rare_prompts(AttentionSetting(rademacher(1), one, one, [1.0]), L, 1000).max() < 1e-10
    assert not rare_prompts(AttentionSetting(uniform(1), one, one, [1.0]), L, 10).any()
    assert not rare_prompts(AttentionSetting(rademacher(1), one, one, query_cov=one), L, 10).any()


def test_a_wrong_curve_still_fails(monkeypatch):
    """Long prompts of signs lack none: 10 % too little is seen."""
    import numerics.rates.series

    true = numerics.rates.series.exact_error
    scaled = lambda *a: None if (x := true(*a)) is None else 1.1 * x
    monkeypatch.setattr(numerics.rates.series, "exact_error", scaled)
    assert not rates(
        AttentionSetting(rademacher(1), 0.5 * np.eye(1), np.eye(1), [1.0]), [64, 128], replicates=40_000
    ).holds
