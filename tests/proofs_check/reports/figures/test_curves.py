"""What is drawn is the median of the seeds between their extremes, and nothing that was lost."""

from dataclasses import replace

import numpy as np
import pytest

from numerics.experiments.boursier_boyer.failed_runs import failures
from numerics.experiments.boursier_boyer.plan import Plan, RunKey
from numerics.training.parameters import pack
from proofs_check.reports.figures.boursier_boyer.captions import keys
from proofs_check.reports.figures.boursier_boyer.curves import KINDS, lines
from proofs_check.reports.figures.boursier_boyer.plots import draw
from tests.numerics.experiments.synthetic import DIVERGED, measurements

PLAN = replace(Plan.full(), records=20)
SETTING = ("isotropic", "as written")
#: One panel, where something is to be drawn.
FEW = replace(PLAN, figures=(4,), variants=("as written",), curve_lengths=(100,))


@pytest.fixture(scope="module")
def found():
    return measurements(PLAN)


def named(measured, kind, setting=SETTING):
    return {(line.quantity, line.curve): line for line in lines(measured, kind, *setting)}


def ended(run, records, diverged):
    """The first records of a run that diverged then."""
    first = {name: getattr(run, name)[:records] for name in ("step", "risk", "risk_error")}
    return replace(run, **first, parameters=run.parameters.at(slice(records)), diverged=diverged)


def test_the_middle_of_five_seeds_lies_between_their_extremes(found):
    line = named(found, 2)["risk", "softmax"]
    at = list(line.x).index(10)
    risks = sorted(found.final[(*SETTING, "softmax", 10, seed)][0] for seed in range(5))
    assert (line.low[at], line.middle[at], line.high[at]) == (risks[0], risks[2], risks[4])
    assert line.seeds.tolist() == [PLAN.seeds_at(int(L)) for L in line.x]
    assert list(line.x) == list(PLAN.lengths)


def test_the_error_is_that_of_the_run_in_the_middle(found):
    final = dict(found.final)
    ends = [(0.113, 1e-3), (0.111, 2e-3), (0.112, 7e-3), (0.114, 3e-3), (0.11, 4e-3)]
    final |= {(*SETTING, "linear", 10, seed): end for seed, end in enumerate(ends)}
    line = named(replace(found, final=final), 2)["risk", "linear"]
    assert (line.middle[0], line.error[0]) == (0.112, 7e-3)
    ridge = found.bayes[(*SETTING, 10)]
    above = named(replace(found, final=final), 2)["risk above ridge", "linear"]
    assert above.middle[0] == pytest.approx(0.112 - ridge[0])
    assert above.error[0] == pytest.approx(np.hypot(7e-3, ridge[1]))


def test_a_lost_run_leaves_a_cross_and_no_point(found):
    line = named(found, 2)["risk", "linear"]
    assert DIVERGED[3] not in line.x
    assert [x for x, _ in line.lost] == [DIVERGED[3]]
    assert np.isnan(line.lost[0][1])
    assert not named(found, 2)["risk", "softmax"].lost
    assert not named(found, 2, ("isotropic", "as coded"))["risk", "linear"].lost


def test_a_curve_ends_where_its_run_ended(found):
    key = RunKey(*SETTING, "coupled", 100, 3)
    run = found.runs[key]
    broken = replace(found, runs={**found.runs, key: ended(run, 7, int(run.step[6]) + 1)})
    for kind, quantity, curve in ((3, "distance", "L = 100"), (4, "risk in training", "linear, L = 100")):
        line = named(broken, kind)[quantity, curve]
        assert line.seeds.tolist() == [5] * 7 + [4] * (len(run.step) - 7)
        assert [x for x, _ in line.lost] == [run.step[6]]
        assert named(found, kind)[quantity, curve].lost == ()


def test_where_both_were_trained_alone_the_curves_are_theirs(found):
    """A coupled run ends with its first half that diverges; the other has a curve to the end."""
    key = RunKey(*SETTING, "coupled", 1000, PLAN.first_seed)
    run, alone = found.runs[key], found.runs[RunKey(*SETTING, "softmax", 20, PLAN.first_seed)]
    softmax = {key._replace(attention="softmax"): replace(alone, prompt_length=1000)}
    runs = {**found.runs, key: ended(run, 2, 9), **softmax}
    curve = named(replace(found, runs=runs), 4)
    assert np.array_equal(curve["risk in training", "softmax, L = 1000"].middle, alone.risk)
    assert len(curve["risk in training", "linear, L = 1000"].x) == 2


def test_a_run_that_failed_is_drawn_alone_and_in_no_median(found):
    """One of five linear runs lacks a twentieth of its drop: the curves are the others'."""
    limit, null = found.exact[(*SETTING, "linear", 100)], 0.55
    edge = limit + (null - limit) / 20
    for risk, lost in ((edge + 1e-9, True), (edge - 1e-9, False)):
        stuck = replace(found, final={**found.final, (*SETTING, "linear", 100, 3): (risk, 1e-5)})
        two, four, three = (named(stuck, kind) for kind in (2, 4, 3))
        risks, curve = two["risk", "linear"], four["risk in training", "linear, L = 100"]
        distance = three["distance", "L = 100"]
        at = list(risks.x).index(100)
        assert risks.seeds[at] == 5 - lost
        assert (risks.high[at] == risk) is not lost
        assert set(curve.seeds) == set(distance.seeds) == {5 - lost}
        assert set(four["risk in training", "softmax, L = 100"].seeds) == {5}  # its other half did not fail
        alone = [(two, "risk", "linear"), (two, "risk above ridge", "linear")]
        alone += [(four, "risk in training", "linear, L = 100"), (three, "distance", "L = 100")]
        for kind, quantity, of in alone:
            line = kind.get((quantity, f"{of}, seed 3, failed"))
            assert (line is not None) is lost
            if line is not None:
                assert line.failed == of
                assert set(line.seeds) == {1}
        if lost:
            assert two["risk", "linear, seed 3, failed"].middle.tolist() == [risk]
            known = found.run(*SETTING, "linear", 100, 3).risk
            assert np.array_equal(four["risk in training", "linear, L = 100, seed 3, failed"].middle, known)
        texts = [key.text for figure in draw(replace(stuck, plan=FEW)) for key in keys(figure, PLAN)]
        assert ("hollow: a run that failed, in no median" in texts) is lost
        (entry,) = [entry for entry in failures(stuck) if entry[:3] == (*SETTING, "linear")]
        assert entry.failed == ({100: [3]} if lost else {})
        assert entry.runs[100] == 5


def test_where_every_run_failed_there_is_no_median(found):
    final = {key: (0.5, 1e-5) if key[2] == "linear" else value for key, value in found.final.items()}
    four = named(replace(found, final=final), 4)
    assert four["risk in training", "linear, L = 1000"].x.size == 0
    wanted = PLAN.records
    assert four["risk in training", f"linear, L = 1000, seed {PLAN.first_seed}, failed"].x.size == wanted
    plan = replace(FEW, curve_lengths=(1000,))
    (figure,) = draw(replace(found, final=final, plan=plan))
    # its colour is explained all the same
    assert "linear, L = 1000" in [key.text for key in keys(figure, plan)]


def test_the_distance_is_over_all_parameters(found):
    run = found.runs[RunKey(*SETTING, "coupled", 1000, PLAN.first_seed)]
    soft, linear = (pack(run.parameters.at((slice(None), half))) for half in (0, 1))
    expected = [np.linalg.norm(a - b) ** 2 for a, b in zip(soft, linear)]
    np.testing.assert_allclose(named(found, 3)["distance", "L = 1000"].middle, expected, rtol=1e-12)


def test_exact_limits_are_where_they_are_known(found):
    line = named(found, 2)["risk", "softmax, limit of the flow"]
    assert line.middle.tolist() == [found.exact[(*SETTING, "softmax", int(L))] for L in line.x]
    assert (line.error == 0).all()
    key = "risk in training", "linear, L = 100"
    assert named(found, 4)[key].limit == found.exact[(*SETTING, "linear", 100)]
    assert named(found, 4, ("isotropic", "as coded"))[key].limit is None
    assert named(found, 2, ("isotropic", "as coded"))["risk", "softmax, limit of the flow"].x.size == 0


def test_a_run_that_ended_early_is_drawn_with_its_spread(found):
    plain = named(found, 2)
    at = list(plain["risk", "softmax"].x).index(30)
    risk, ridge = plain["risk", "softmax"].middle[at], found.bayes[(*SETTING, 30)][0]
    shaky = replace(found, spread={(*SETTING, "softmax", 30, 4): (risk - 1e-3, risk + 2e-3)})
    for quantity, level in (("risk", 0.0), ("risk above ridge", ridge)):
        line, before = named(shaky, 2)[quantity, "softmax"], plain[quantity, "softmax"]
        assert np.array_equal(line.middle, before.middle)
        exact = (risk - 1e-3 - level, risk + 2e-3 - level)
        np.testing.assert_allclose((line.low[at], line.high[at]), exact, rtol=1e-12)
        others = np.arange(line.x.size) != at
        assert np.array_equal(line.low[others], before.low[others])
        assert np.array_equal(line.high[others], before.high[others])


def test_gaps_are_over_the_starts(found):
    line, gaps = named(found, 1)["gradient gap", "softmax minus linear"], found.gaps[SETTING]
    assert np.array_equal(line.middle, gaps.gradient[2])  # the synthetic seeds are in order
    assert np.array_equal(line.high, gaps.gradient[4])
    assert np.array_equal(line.error, gaps.gradient_error[2])


def test_what_sampling_does_not_tell_from_zero_is_no_point(found):
    """An unbiased square may come out negative; then the figure says how large it is at most."""
    gaps = found.gaps[SETTING]
    gradient, error = gaps.gradient.copy(), gaps.gradient_error.copy()
    gradient[:, -2:] = [-1e-6, 1e-6]
    error[:, -2:] = 2e-6
    shaky = replace(found, gaps={SETTING: replace(gaps, gradient=gradient, gradient_error=error)})
    line = named(shaky, 1)["gradient gap", "softmax minus linear"]
    assert line.clear.tolist() == [True] * (len(gaps.lengths) - 2) + [False] * 2
    np.testing.assert_allclose(line.ceiling[-2:], [2.92e-6, 4.92e-6])
    figure = next(f for f in draw(replace(shaky, plan=replace(FEW, figures=(1,)))) if f.number == 1)
    assert "triangle" in [key.mark for key in keys(figure, PLAN)]
    low, _ = figure.panels[0].ends["gradient gap"]
    assert low > 1e-6  # the noise does not stretch the axis
    assert named(found, 1)["gradient gap", "softmax minus linear"].clear.all()


def test_nothing_measured_gives_empty_curves(found):
    bare = replace(found, runs={}, final={}, exact={}, bayes={}, gaps={})
    assert all(line.x.size == 0 and line.lost == () for kind in KINDS for line in lines(bare, kind, *SETTING))
