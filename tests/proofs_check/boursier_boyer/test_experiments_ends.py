"""A run counts as failed only if it stands still, and its errors do not hide whether it falls."""

from dataclasses import replace

import numpy as np
import pytest

from numerics.evidence import Verdict
from numerics.experiments.boursier_boyer.plan import Plan, RunKey
from proofs_check.boursier_boyer.experiments import training as experiments_training
from proofs_check.boursier_boyer.experiments.curves import (
    distances_are_more_erratic,
    risks_are_more_irregular,
)
from proofs_check.boursier_boyer.experiments.ends import Pace, failed_runs, failures, pace
from proofs_check.boursier_boyer.experiments.risk import runs_end_at_the_limits
from proofs_check.boursier_boyer.experiments.training import (
    converges_before_50_000_steps,
    from_one_start_it_takes_longer,
    linear_attention_fails_from_a_start,
    softmax_fails_more_seldom,
    the_block_start_is_not_necessary,
)
from tests.numerics.experiments.synthetic import measurements
from theory.regression.experiment import TASK

SHORT = dict(lengths=(10, 100), curve_lengths=(10, 100), records=100)
PLAN = replace(Plan.full(), figures=(2, 3), variants=("as written",), **SHORT)
KEY = ("isotropic", "as written", "softmax", 100, 3)
#: A tenth of the 100 records later the risk has fallen by this part of what was missing.
STANDING, FALLING = 0.001, 0.2


def ended(found, key, risk, share, error=1e-5):
    """Another last half of one run: it falls to `risk` by `share` of what is missing each tenth."""
    coupled, half = RunKey(*key)._replace(attention="coupled"), ("softmax", "linear").index(key[2])
    run, limit = found.runs[coupled], found.exact[key[:4]]
    risks, errors = run.risk.copy(), np.full_like(run.risk_error, error)
    risks[:, half] = limit + (risk - limit) * (1 + share) ** np.linspace(10, 0, len(risks))
    runs = {**found.runs, coupled: replace(run, risk=risks, risk_error=errors)}
    return replace(found, runs=runs, final={**found.final, key: (risk, 1e-6)})


@pytest.fixture(scope="module")
def found():
    """Every run has arrived."""
    made = measurements(PLAN)
    return replace(made, final={key: (made.exact[key[:4]], 1e-6) for key in made.final})


@pytest.mark.parametrize(
    ("share", "error", "expected", "lost"),
    [
        (STANDING, 1e-5, Pace(falls=False, stands=True), True),
        (FALLING, 1e-5, Pace(falls=True, stands=False), None),
        (-FALLING, 1e-5, Pace(falls=False, stands=True), True),  # it rises: it will not arrive
        (STANDING, 1e-1, Pace(falls=False, stands=False), None),
        (STANDING, float("nan"), Pace(falls=False, stands=False), None),
    ],
)
def test_failed_is_what_stands(found, share, error, expected, lost):
    moved = ended(found, KEY, 0.3, share, error)
    assert pace(moved.run(*KEY), found.exact[KEY[:4]], 6.5) == expected
    assert failed_runs(moved)[KEY] is lost
    assert failed_runs(found)[KEY] is False
    assert ((*KEY[:2], *KEY[3:]) in failures(moved)) is (lost is not None)


def test_a_run_of_few_records_tells_nothing(found):
    run = found.run(*KEY)
    few = replace(run, step=run.step[:9], risk=run.risk[:9], risk_error=run.risk_error[:9])
    assert pace(few, 0.1, 6.5) == (False, False)


def lost(monkeypatch, *pairs):
    """The verdict on softmax's stability if these runs alone fail: data, seed, attention."""
    of = lambda lost: {name: name == lost for name in ("softmax", "linear")}
    numbered = enumerate(pairs, start=10)
    ends = {(data, "as written", L, seed): of(name) for L, (data, seed, name) in numbered}
    monkeypatch.setattr(experiments_training, "failures", lambda runs: ends)
    return softmax_fails_more_seldom(measured=measurements(PLAN)).verdict


def test_few_starts_decide_nothing(monkeypatch):
    """The sign test counts starts, on both kinds of data; and many runs from one start are one."""
    linear = [("isotropic", seed, "linear") for seed in range(30)]
    softmax = [("anisotropic", seed, "softmax") for seed in range(30, 60)]
    assert lost(monkeypatch) is Verdict.OPEN
    assert lost(monkeypatch, *linear[:4]) is Verdict.OPEN
    assert lost(monkeypatch, *linear[:19]) is Verdict.OPEN
    assert lost(monkeypatch, *linear[:20]) is Verdict.SUPPORTED
    assert lost(monkeypatch, *linear[:1] * 30) is Verdict.OPEN
    assert lost(monkeypatch, *linear, *softmax) is Verdict.OPEN
    assert lost(monkeypatch, *softmax[:29]) is Verdict.OPEN
    assert lost(monkeypatch, *softmax) is Verdict.REFUTED


def test_linear_attention_fails_from_one_start_and_not_from_another():
    assert linear_attention_fails_from_a_start().verdict is Verdict.SUPPORTED
    fine = linear_attention_fails_from_a_start(seed=1)
    assert fine.verdict is Verdict.REFUTED
    assert fine.witness["risk at the end"] == pytest.approx(fine.witness["from the block start"], rel=1e-6)


def test_most_runs_converge_early_and_not_all():
    assert converges_before_50_000_steps().verdict is Verdict.SUPPORTED
    early = converges_before_50_000_steps(step=20_000)
    assert early.verdict is Verdict.REFUTED
    assert early.witness["not converged"] > early.witness["runs"] / 2
    assert from_one_start_it_takes_longer(start="seed 1").verdict is Verdict.REFUTED


def test_the_start_at_zero_stays_there():
    stuck = the_block_start_is_not_necessary(start="zero", longest=10)
    assert stuck.verdict is Verdict.REFUTED
    assert stuck.witness["risk at the end"] == TASK.null_risk


def test_a_run_that_is_not_there_yet_has_no_end(found):
    """Near its limit, but farther than 1/50, it counts where it stands, and not while it falls."""
    near = found.exact[KEY[:4]] * 1.1
    standing, falling = ended(found, KEY, near, STANDING), ended(found, KEY, near, FALLING)
    assert failed_runs(standing)[KEY] is failed_runs(falling)[KEY] is False
    assert runs_end_at_the_limits(measured=standing).verdict is Verdict.REFUTED
    short = replace(standing, plan=replace(PLAN, most_steps=1000))
    assert runs_end_at_the_limits(measured=short).verdict is Verdict.OPEN
    outcome = runs_end_at_the_limits(measured=falling)
    assert outcome.verdict is Verdict.SUPPORTED
    assert "softmax L = 100 seed 3 as written (falling)" in outcome.covered


@pytest.mark.parametrize(("share", "says"), [(STANDING, "is stuck"), (FALLING, "perhaps still fell")])
def test_from_the_random_starts_every_run_has_to_arrive(found, share, says):
    assert the_block_start_is_not_necessary(measured=found).verdict is Verdict.SUPPORTED
    outcome = the_block_start_is_not_necessary(measured=ended(found, KEY, 0.3, share))
    assert outcome.verdict is Verdict.OPEN
    assert says in outcome.reason


@pytest.mark.parametrize("first_seed", [1, 4])
def test_figures_7_and_8_are_judged_on_the_seed_that_every_length_has(first_seed):
    whole = replace(PLAN, figures=(3, 4, 7, 8), first_seed=first_seed, curve_lengths=(10, 100, 1000))
    made = measurements(whole)
    for check in (distances_are_more_erratic, risks_are_more_irregular):
        evidence = check(measured=made)
        assert f"seed {first_seed}" in evidence.covered + evidence.reason
        missing = {key: run for key, run in made.runs.items() if (key.L, key.seed) != (1000, first_seed)}
        outcome = check(measured=replace(made, runs=missing))
        assert outcome.reason == f"no anisotropic run from seed {first_seed} at L = [1000]"


def test_figure_8_leaves_out_starts_from_which_a_run_fails():
    whole = replace(PLAN, figures=(2, 3, 4, 6, 7, 8), lengths=(10, 100, 1000), curve_lengths=(10, 100, 1000))
    made = measurements(whole)
    made = replace(made, final={key: (made.exact[key[:4]], 1e-6) for key in made.final})
    assert "softmax L = 100 seed 3: " in risks_are_more_irregular(measured=made).covered
    for covariance in ("isotropic", "anisotropic"):
        stuck = ended(made, (covariance, *KEY[1:]), 0.4, STANDING)
        says = risks_are_more_irregular(measured=stuck).covered
        assert "softmax L = 100 seed 3: " not in says
        assert "softmax L = 100 seed 2: " in says
    lost = made
    for seed in made.plan.all_seeds:
        lost = ended(lost, ("isotropic", "as written", "linear", 10, seed), 0.5, STANDING)
    assert "at L = [10] a run fails" in risks_are_more_irregular(measured=lost).reason
