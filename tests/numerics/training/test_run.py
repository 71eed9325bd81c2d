"""What `train` promises: records, starts, seeds, divergence, and what it refuses at the door."""

import math
from typing import Any

import numpy as np
import pytest

import numerics.training.run as run
from numerics.training import Parameters, initial_parameters, train
from numerics.training.full_tokens import full_token_kernel
from numerics.training.parameters import pack, unpack
from numerics.training.records import mean_and_error
from numerics.training.setup import read_setup
from tests.numerics.training.runs import same
from theory.regression.experiment import TASK, VARIANTS, Variant, kms
from theory.regression.task import RegressionTask

pytestmark = pytest.mark.usefixtures("plain")
QUERY = RegressionTask(np.eye(2), noise=0.1, task_variance=1.0, query_covariance=2 * np.eye(2))
SMALL: dict[str, Any] = dict(d=2, batch=8, lr=0.05, steps=23, seed=3)


@pytest.mark.parametrize("attention", ["softmax", "linear", "coupled"])
def test_a_run_is_the_loop_of_appendix_a(attention):
    result = train(attention, 4, Sigma=kms(2), noise=0.2, task_variance=0.7, every=5, **SMALL | dict(d=None))
    written, kinds = VARIANTS["as written"], ("softmax", "linear") if attention == "coupled" else (attention,)
    for i, kind in enumerate(kinds):
        risk = result.risk.reshape(5, len(kinds))[:, i]
        records = pack(result.parameters).reshape(5, len(kinds), 10, 3)[:, i]
        theta, losses = pack(initial_parameters(2, seed=3)), np.empty(23)
        settings = (*written.roots(result.task), math.sqrt(0.7), math.sqrt(0.2), 1.0, 1.0, 8, 3, 0)
        for k, (first, last) in enumerate([(0, 5), (5, 10), (10, 15), (15, 20), (20, 23)]):
            part = np.empty(last - first)
            full_token_kernel(kind)(theta, 4, first, last - first, 0.05, *settings, part, np.empty((0, 0)))
            losses[first:last] = part
            assert result.step[k] == last
            assert np.isclose(risk[k], part.mean(), rtol=1e-14)
            assert np.array_equal(records[k], theta)
        assert (result.diverged, len(result.step)) == (None, 5)
        assert np.array_equal(pack(result.final)[i] if attention == "coupled" else pack(result.final), theta)
    if attention == "coupled":
        gaps = pack(result.parameters)[:, 0] - pack(result.parameters)[:, 1]
        assert np.allclose(result.distance, [np.linalg.norm(g) ** 2 for g in gaps])
        assert (result.distance > 0).all()


def test_plain_values_stand_in_the_paper_s_task():
    assert train("softmax", 3, steps=1).task is TASK
    task = train("softmax", 3, **SMALL | dict(steps=1)).task
    assert (task.d, task.noise, task.task_variance) == (2, TASK.noise, 0.5)
    given = train("softmax", 3, Sigma=kms(2), noise=0.0, task_variance=2.0, steps=1).task
    assert given.described() == dict(Sigma=kms(2).tolist(), noise=0.0, task_variance=2.0)
    assert train("softmax", 3, task=given, steps=1).task is given


def test_records_only_look_and_pieces_do_not_matter(monkeypatch):
    whole, fine = (train("softmax", 3, every=every, **SMALL) for every in (23, 4))
    assert np.array_equal(pack(whole.final), pack(fine.final))
    assert np.isclose(whole.risk[0], np.average(fine.risk, weights=np.diff(fine.step, prepend=0)), rtol=1e-13)
    single = train("softmax", 3, every=1, **SMALL)
    assert len(single.step) == 23
    assert np.isnan(single.risk_error).all()
    assert "nan" not in str(single)
    assert np.isfinite(single.risk).all()
    assert np.isclose(fine.risk_error[0], mean_and_error(single.risk[:4])[1], rtol=1e-13)
    monkeypatch.setattr(run, "SHORT_CALL", 0.0)  # one step a call
    assert same(fine, train("softmax", 3, every=4, **SMALL))


def test_the_error_of_a_record_is_that_of_its_mean():
    # losses whose mean falls: neighbours tell noise from slope. Relative error of the estimate 1.2
    # %, so 8 % are 6.6 deviations
    losses = np.linspace(5, 0, 10_000) + np.random.default_rng(1).standard_normal(10_000)
    assert abs(mean_and_error(losses)[1] * 100 - 1) < 0.08 < abs(losses.std() - 1)
    # squares would overflow
    assert np.allclose(mean_and_error(1e200 * losses), 1e200 * np.array(mean_and_error(losses)))
    assert mean_and_error(np.zeros(3)) == (0, 0)


def test_starts_are_shared_and_seeds_are_not():
    runs = {a: train(a, 3, **SMALL) for a in ("softmax", "linear", "coupled")}
    start = pack(runs["softmax"].initial)
    assert np.array_equal(start, pack(runs["linear"].initial))
    assert np.array_equal(np.stack([start, start]), pack(runs["coupled"].initial))
    other = train("softmax", 3, **SMALL | dict(seed=4))
    assert not np.array_equal(start, pack(other.initial))
    assert not np.array_equal(runs["softmax"].risk, other.risk)
    assert same(runs["softmax"], train("softmax", 3, **SMALL))
    # the same start, other prompts
    moved = train("softmax", 3, start=runs["softmax"].initial, **SMALL | dict(seed=4))
    assert np.array_equal(start, pack(moved.initial))
    assert not np.array_equal(runs["softmax"].risk, moved.risk)
    # a pair of starts, given as such
    coupled = train("coupled", 3, start=unpack(np.stack([start, pack(other.initial)])), **SMALL)
    assert np.array_equal(pack(coupled.initial), np.stack([start, pack(other.initial)]))
    assert np.array_equal(coupled.risk[:, 0], runs["coupled"].risk[:, 0])
    assert not np.array_equal(coupled.risk, runs["coupled"].risk)


def test_a_start_is_uniform_and_the_users_arrays_stay_as_they_are():
    starts = [pack(initial_parameters(5, seed)).ravel() for seed in range(200)]
    entries = math.sqrt(6) * np.concatenate(starts)
    # 22 800 uniform entries: mean and mean square within 7 standard errors, which are 1/sqrt(3 n)
    # and sqrt(4/45/n)
    assert abs(entries).max() < 1
    assert abs(entries.mean()) < 7 / math.sqrt(3 * entries.size)
    assert abs((entries**2).mean() - 1 / 3) < 7 * math.sqrt(4 / 45 / entries.size)
    mine = initial_parameters(2, seed=9)
    before = pack(mine)
    result = train("softmax", 3, start=mine, **SMALL)
    assert np.array_equal(before, pack(mine))
    assert not np.shares_memory(result.initial.V, mine.V)


def test_variants_scale_scores_and_steps():
    # "as coded" is "as written" with Q / sqrt(d + 1) in the scores and twice the learning rate, on
    # isotropic tokens
    scaled, doubled = Variant("scaled", True, 1.0, 1, False), Variant("doubled", False, 2.0, 1, False)
    one, two = train("softmax", 3, variant=doubled, **SMALL), train("softmax", 3, **SMALL | dict(lr=0.1))
    assert np.array_equal(pack(one.final), pack(two.final))
    start = initial_parameters(2, seed=3)
    one = train("softmax", 3, variant=scaled, start=start, **SMALL | dict(lr=0.0))
    two = train("softmax", 3, start=start._replace(Q=start.Q / math.sqrt(3)), **SMALL | dict(lr=0.0))
    assert np.allclose(one.risk, two.risk, rtol=1e-13)
    both = Variant("both", True, 2.0, 1, False)
    coded = train("linear", 3, variant="as coded", **SMALL)
    assert coded.variant == "as coded"
    assert np.array_equal(pack(coded.final), pack(train("linear", 3, variant=both, **SMALL).final))
    # and on others the prompt has another law than the query
    of = lambda v: train("linear", 3, Sigma=kms(2), variant=v, **SMALL | dict(d=None)).risk
    assert not np.array_equal(of(both), of("as coded"))


def test_nothing_to_learn_and_nothing_learned():
    still = train("linear", 3, **SMALL | dict(lr=0.0))
    assert np.array_equal(pack(still.final), pack(still.initial))
    assert np.isfinite(still.risk).all()
    # covariates that vanish: the label is noise alone, in one dimension and at a single token too
    alone = train("softmax", 1, Sigma=[[0.0]], noise=0.0, **SMALL | dict(d=None))
    assert not alone.risk.any()
    assert np.array_equal(pack(alone.final), pack(alone.initial))


@pytest.mark.parametrize("attention", ["softmax", "linear", "coupled"])
def test_divergence_is_said_with_its_step_and_leaves_finite_numbers(attention):
    result = train(attention, 3, every=4, **SMALL | dict(lr=1e9))
    assert result.diverged is not None
    assert 0 < result.diverged < 23
    assert list(result.step) == [*range(4, result.diverged, 4), result.diverged]
    for numbers in (result.risk, result.risk_error[:-1], pack(result.parameters), pack(result.final)):
        assert np.isfinite(numbers).all()
    # up to there it is the run that was told to stop in time
    cut = train(attention, 3, every=4, **SMALL | dict(lr=1e9, steps=result.diverged))
    assert cut.diverged is None
    assert np.array_equal(pack(cut.final), pack(result.final))
    assert np.array_equal(cut.risk, result.risk)
    assert f"not finite at step {result.diverged}" in str(result)
    assert "not finite" not in str(cut)


def test_a_start_that_is_lost_at_once_has_no_records():
    start = Parameters(*(1e150 * x for x in initial_parameters(2, seed=0)))
    result = train("linear", 3, start=start, **SMALL)
    assert result.diverged == 0
    assert len(result.step) == len(result.risk) == 0
    assert np.array_equal(pack(result.final), pack(start))
    assert "step 0" in str(result)


def test_progress_rises_to_the_end():
    seen: list[tuple[int, int]] = []
    train("softmax", 3, progress=lambda done, total: seen.append((done, total)), **SMALL)
    assert (seen[0], seen[-1], seen) == ((0, 23), (23, 23), sorted(seen))


@pytest.mark.parametrize("attention", ["softmax", "coupled"])
def test_until_is_asked_at_the_records_and_ends_the_run(attention):
    asked: list[int] = []

    def until(training: run.Training) -> bool:
        asked.append(int(training.step[-1]))
        assert len(training.step) * 4 == asked[-1]
        return asked[-1] == 12

    ended, whole = train(attention, 3, every=4, until=until, **SMALL), train(attention, 3, every=4, **SMALL)
    assert asked == [4, 8, 12]
    assert (ended.stopped, whole.stopped) == (12, None)
    assert ended.steps == whole.steps == 23
    assert same(ended, train(attention, 3, every=4, **SMALL | dict(steps=12)))
    assert np.array_equal(pack(ended.parameters), pack(whole.parameters)[:3])
    assert train(attention, 3, every=4, until=lambda training: False, **SMALL).stopped is None
    assert train(attention, 3, every=4, until=lambda training: False, **SMALL | dict(lr=1e9)).stopped is None


BAD: list[tuple[dict[str, Any], Any, str]] = [
    (dict(attention="relu"), ValueError, "take one of 'softmax', 'linear', 'coupled'"),
    (dict(attention=None), ValueError, "take one of"),
    (dict(prompt_length=0), ValueError, "outside 1"),
    (dict(prompt_length=2**31), ValueError, "number of tokens"),
    (dict(prompt_length=10.0), TypeError, "no whole number"),
    (dict(prompt_length=True), TypeError, "no whole number"),
    (dict(d=0), ValueError, "d = 0"),
    (dict(d=3, Sigma=np.eye(2)), ValueError, "leave d out"),
    (dict(Sigma=[[1.0, 0.5], [0.0, 1.0]]), ValueError, "not symmetric"),
    (dict(Sigma=[[1.0, 2.0], [2.0, 1.0]]), ValueError, "eigenvalue"),
    (dict(Sigma=[[math.nan]]), ValueError, "finite"),
    (dict(noise=-0.1), ValueError, "variance of the label noise"),
    (dict(noise=math.inf), ValueError, "finite"),
    (dict(noise="0.1"), TypeError, "real numbers"),
    (dict(task=TASK, noise=0.1), TypeError, "beside a task"),
    (dict(task=np.eye(2)), TypeError, "no RegressionTask"),
    (dict(task=QUERY, variant="as coded"), ValueError, "draws queries from"),
    (dict(task_variance=0.0), ValueError, "not positive"),
    (dict(batch=0), ValueError, "number of prompts"),
    (dict(lr=-1e-3), ValueError, "negative"),
    (dict(lr=math.nan), ValueError, "finite"),
    (dict(steps=0), ValueError, "number of steps"),
    (dict(steps=1e5), TypeError, "no whole number"),
    (dict(every=0), ValueError, "steps between two records"),
    (dict(steps=10**8, every=1), ValueError, "84.9 GiB; take fewer"),
    (dict(steps=2**32, every=2**32), ValueError, "32 GiB; take more"),
    (dict(steps=2**32 + 1), ValueError, "number of steps"),
    (dict(progress=3), TypeError, "cannot be called"),
    (dict(until=True), TypeError, "until = True cannot be called"),
    (dict(start=[[[1.0], [1.0, 2.0]]] * 4), (TypeError, ValueError), "O "),
    (dict(attention="coupled", start=[[[1.0], [1.0, 2.0]]] * 4), (TypeError, ValueError), "O "),
    (dict(seed=-1), ValueError, "Philox"),
    (dict(seed=0.5), TypeError, "seed"),
    (dict(variant="as printed"), ValueError, "as coded"),
    (dict(start=np.zeros((7, 2))), TypeError, "O, V, K, Q"),
    (dict(start=initial_parameters(3, 0)), ValueError, r"needs \(n,\) = \(6,\)"),
    (dict(start=[np.zeros(6), np.eye(6), np.eye(6), np.eye(5)]), ValueError, "Q has shape"),
    (dict(start=[np.zeros(6), np.eye(6), np.eye(6), np.full((6, 6), np.nan)]), ValueError, "finite"),
    (dict(attention="coupled", start=unpack(np.zeros((3, 19, 6)))), ValueError, r"\(2, n\)"),
]


@pytest.mark.parametrize(("arguments", "kind", "says"), BAD, ids=range(len(BAD)))
def test_what_is_refused_at_the_door(arguments, kind, says):
    with pytest.raises(kind, match=says):
        train(**dict(attention="softmax", prompt_length=3, steps=2) | arguments)


def test_records_of_long_runs_and_large_models_fit_into_memory():
    task = lambda d: RegressionTask(np.eye(d), noise=0.1, task_variance=1 / d)
    setup = lambda steps, d: read_setup("linear", 3, task(d), 1, 0.0, steps, 0, "as written", None, None)
    every = lambda steps, d: setup(steps, d).every
    assert [every(steps, 5) for steps in (1, 7, 500, 5000, 5001, 500_000)] == [1, 7, 10, 10, 11, 1000]
    for steps, d in [(2**32, 1), (500_000, 700), (10**9, 100)]:
        window = every(steps, d)
        assert (steps // window * (3 * d + 4) * (d + 1) + window) * 8 <= 2.1 * 2**30


def test_a_distance_needs_both():
    with pytest.raises(ValueError, match='train\\("coupled"'):
        _ = train("softmax", 3, **SMALL).distance
