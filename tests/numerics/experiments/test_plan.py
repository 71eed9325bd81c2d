"""Which runs a plan has."""

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from numerics.experiments.boursier_boyer.plan import FIGURES, Plan
from theory.regression.experiment import PROMPT_LENGTHS, VARIANTS


def test_the_full_plan_has_the_runs_of_the_paper():
    plan = Plan.full()
    assert len(set(plan.runs)) == len(plan.runs)
    for covariance in ("isotropic", "anisotropic"):
        for variant in VARIANTS:
            mine = [run for run in plan.runs if run[:2] == (covariance, variant)]
            for attention in ("softmax", "linear"):  # Figures 2 and 6: each length, for either architecture
                seen = Counter(run.L for run in mine if run.attention in (attention, "coupled"))
                assert seen == {L: 5 if L in (10, 100) else 1 for L in PROMPT_LENGTHS}
            assert {run.L for run in mine if run.attention == "coupled"} == {10, 100, 1000}
    assert (plan.steps("as written"), plan.steps("as coded")) == (500_000, 300_000)


def test_the_usual_plan_has_fewer_seeds_and_the_quick_one_all_figures():
    full, usual, quick = Plan.full(), Plan.usual(), Plan.quick()
    assert set(quick.figures) == set(FIGURES)
    expected = {run for run in usual.runs if run.L not in (10, 100)}
    assert {run for run in full.runs if run.L not in usual.band_lengths} == expected
    assert {L: len(usual.seeds_of(L)) for L in (10, 100)} == {10: 3, 100: 3}
    assert set(quick.runs) < set(usual.runs) < set(full.runs)
    assert usual.steps("as written") == full.steps("as written") > quick.steps("as written")
    assert (usual.settle, quick.settle, full.settle) == (True, True, False)
    assert usual.gap_seeds == full.gap_seeds > quick.gap_seeds
    assert Plan.usual(7).seeds_of(10) == Plan.full(7).seeds_of(10) == tuple(range(7))


def test_more_seeds_contain_the_runs_of_fewer():
    assert set(Plan.full().runs) < set(Plan.full(3).runs) < set(Plan.full(7).runs)
    runs = Plan.full(7).runs
    assert {run.seed for run in runs if run.L == 30} == set(range(7)) == {run.seed for run in runs}


def test_every_length_has_the_first_seed_and_the_least_others():
    lengths: dict[str, Any] = dict(band_lengths=(10,), lengths=(10, 20), curve_lengths=(10, 1000))
    plan = Plan(seeds=2, first_seed=7, band_seeds=3, **lengths)
    assert {L: plan.seeds_of(L) for L in (10, 20, 1000)} == {10: (0, 1, 7), 20: (0, 7), 1000: (0, 7)}
    assert plan.all_seeds == (0, 1, 7)
    expected = {(10, 0), (10, 1), (10, 7), (20, 0), (20, 7), (1000, 0), (1000, 7)}
    assert {(run.L, run.seed) for run in plan.runs} == expected
    for seeds in (1, 3, 5, 8):  # as many runs whichever it is, and those of the bands stay
        assert len(Plan.full(seeds).runs) == len(replace(Plan.full(seeds), first_seed=0).runs)
        assert {run.seed for run in Plan.full(seeds).runs if run.L == 100} == set(range(max(5, seeds)))


def test_figures_together_are_the_plan_and_each_asks_for_its_own():
    plan = Plan.full()
    assert set().union(*(plan.only(figure).runs for figure in FIGURES)) == set(plan.runs)
    assert not plan.only(1, 5).runs
    expected = {run for run in plan.runs if run.covariance == "isotropic" and run.attention == "coupled"}
    assert (set(plan.only(3).runs), set(plan.only(7).runs)) == (expected, set(plan.only(8).runs))
    assert {run.covariance for run in plan.only(6).runs} == {"anisotropic"}
    assert plan.only(5).covariances == ("anisotropic",)
    assert [plan.only(5).shows(1, data) for data in ("anisotropic", "isotropic")] == [True, False]


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("records", [1, 7, 200, 10**6])
def test_records_divide_the_steps(variant, records):
    plan = Plan(most_steps=1000, records=records)
    assert 1 <= plan.every(variant) <= plan.steps(variant) == 1000
    assert min(records, 1000) <= -(-1000 // plan.every(variant)) <= 2 * records


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"figures": (0,)}, "figures has 0; take some of 1, 2"),
        ({"figures": ()}, "figures is empty"),
        ({"figures": 3}, r"figures = 3 is no tuple; write figures=\(1, 2\)"),
        ({"variants": ("written",)}, "'written'; take some of 'as written', 'as coded'"),
        ({"lengths": (10, 10)}, "names something twice"),
        ({"curve_lengths": (0,)}, "curve_lengths = 0 is below 1"),
        ({"gap_lengths": (1.5,)}, "gap_lengths = 1.5 is no whole number"),
        ({"seeds": 0}, "seeds = 0 is below 1"),
        ({"seeds": True}, "True is no whole number"),
        ({"first_seed": -1}, "first_seed = -1 is outside 0"),
        ({"first_seed": 1.0}, "first_seed = 1.0 is no whole number"),
        ({"most_steps": 0}, "most_steps = 0 is below 1"),
        ({"settle": 1}, "settle = 1 is neither True nor False"),
        ({"gap_seeds": 0}, "gap_seeds = 0 is below 1"),
        ({"noise": -0.1}, "noise = -0.1; it must be finite and >= 0"),
        ({"noise": "0.1"}, "noise = '0.1' is no number"),
        ({"lr": 0.0}, "lr = 0.0; it must be finite and > 0"),
        ({"lr": float("inf")}, "lr = inf"),
    ],
)
def test_what_is_no_plan_is_refused(change, says):
    with pytest.raises((TypeError, ValueError), match=says):
        Plan(**change)


def test_a_plan_has_figures_left():
    with pytest.raises(ValueError, match="figures is empty"):
        Plan.full().only(1).only(2)
    with pytest.raises(TypeError, match="seeds = '3' is no whole number"):
        Plan.full("3")
