"""A measurement has the same numbers, whole, resumed, shared, interrupted or saved."""

import json
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

from numerics.experiments.boursier_boyer import speed
from numerics.experiments.boursier_boyer.engines import engines
from numerics.experiments.boursier_boyer.failed_runs import settled
from numerics.experiments.boursier_boyer.plan import RunKey
from numerics.experiments.boursier_boyer.plan_jobs import FINAL_SECONDS, PlanJobs
from numerics.experiments.boursier_boyer.run_arrays import as_array
from numerics.experiments.boursier_boyer.run_plan import measure
from numerics.jobs import schedule
from numerics.jobs.job import Interrupted, Progress
from numerics.jobs.store import Store
from numerics.training.checkpoint import CheckpointError
from tests.numerics.experiments.fake_engines import SMALL, Fake, numbers
from tests.numerics.jobs.stores import folder_in_memory, in_threads

ROOT = Path(__file__).parents[3]
LOST = Fake(diverging=(("coupled", 2), ("linear", 2), ("softmax", 5)))
WHOLE = numbers(measure(SMALL, _engines=Fake().engines()))


@pytest.fixture
def folder():
    with folder_in_memory() as made:
        yield made


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_numbers_do_not_depend_on_threads_or_the_folder(folder, threads):
    assert numbers(measure(SMALL, folder=folder, threads=threads, _engines=Fake().engines())) == WHOLE


def test_every_part_of_the_plan_is_there():
    found = measure(SMALL, _engines=Fake().engines())
    assert set(found.runs) == set(SMALL.runs)
    halves_of = lambda run: ("softmax", "linear") if run.attention == "coupled" else (run.attention,)
    halves = {(*run[:2], half, *run[3:]) for run in SMALL.runs for half in halves_of(run)}
    assert set(found.final) == halves
    exact, of_plan = {(*key[:2], *key[3:]) for key in found.exact}, {(*run[:2], run.L) for run in SMALL.runs}
    assert exact == of_plan == set(found.bayes)
    for gaps in found.gaps.values():
        assert gaps.output.shape == gaps.gradient_error.shape == (2, 2)
        assert gaps.output[1].tolist() == [1 + 3, 1 + 4]  # the fake's: seed + L
    only = measure(SMALL.only(1), _engines=Fake().engines())
    assert set(only.gaps) == {("isotropic", "as written"), ("isotropic", "as coded")}
    assert (only.runs, only.exact) == ({}, {})


def test_a_coupled_run_is_both_of_its_halves():
    found = measure(SMALL.only(3), _engines=Fake().engines())
    coupled = found.runs[RunKey("isotropic", "as coded", "coupled", 9, 0)]
    for i, attention in enumerate(("softmax", "linear")):
        alone = found.run("isotropic", "as coded", attention, 9, 0)
        assert alone.attention == attention
        assert np.array_equal(alone.final.K, coupled.final.K[i])
        assert np.array_equal(alone.initial.O, coupled.initial.O[i])
        assert alone.risk.shape == (4,)
        expected = float(np.sum(coupled.final.V[i])) + i
        assert found.final["isotropic", "as coded", attention, 9, 0] == (expected, 0.25)
    for missing in (("isotropic", "as coded", "linear", 9, 7), ("isotropic", "as coded", "both", 9, 0)):
        with pytest.raises(KeyError):
            found.run(*missing)


def test_what_diverged_stays_so_and_the_other_half_of_a_coupled_run_is_trained_alone():
    found = measure(SMALL.only(2), _engines=LOST.engines())
    data = ("isotropic", "as written")
    assert found.runs[RunKey(*data, "coupled", 2, 0)].diverged == 6
    assert found.run(*data, "linear", 2, 0).diverged == 6  # alone too
    assert found.run(*data, "softmax", 2, 0).diverged is None
    assert len(found.run(*data, "softmax", 2, 0).step) == 4 > len(found.run(*data, "linear", 2, 0).step)
    lost = {(a, L) for a, L in (("linear", 2), ("softmax", 5))}
    known = {(a, L) for a in ("softmax", "linear") for L in (2, 5, 9)} - lost
    assert {(a, L) for *_, a, L, _ in found.final} == known
    assert all(np.isfinite(value).all() for value in found.final.values())


def test_a_second_command_computes_nothing_and_a_larger_plan_the_rest_only(folder):
    first, second, third = (replace(LOST, calls=[]) for _ in range(3))
    one = measure(SMALL, folder=folder, _engines=first.engines())
    two = measure(SMALL, folder=folder, _engines=second.engines())
    assert numbers(one) == numbers(two)
    assert not second.calls
    assert two.work_seconds == one.work_seconds  # that of the first: what was measured
    measure(replace(SMALL, lengths=(2, 5, 6, 9)), folder=folder, _engines=third.engines())
    assert {call[1] for kind, call in third.calls if kind == "train"} == {6}
    assert not list((folder / "running").iterdir())


SETTLING = replace(SMALL, settle=True, records=12)


def test_runs_of_one_architecture_end_once_they_have_settled():
    """Those of both go on to the last step, and so does what is elsewhere."""
    by, away = Fake(excess=1e-3), Fake(excess=0.1)
    cases = (SETTLING, by), (replace(SETTLING, settle=False), by), (SETTLING, away)
    found, whole, elsewhere = (measure(plan, _engines=fake.engines()) for plan, fake in cases)
    alone = {key for key in found.runs if key.attention != "coupled"}
    assert alone
    for key, run in found.runs.items():
        assert run.stopped == (9 if key in alone else None)
        rows = as_array(run)
        # as far as it went it is the same run
        assert np.array_equal(rows, as_array(whole.runs[key])[: len(rows)])
    assert set(found.spread) == alone
    for key, (low, high) in found.spread.items():
        assert low == high == found.final[key][0]  # the fake's risk does not fluctuate
    assert not whole.spread
    assert not elsewhere.spread
    assert all(run.stopped is None for run in elsewhere.runs.values())
    assert [(e.ended, e.runs, e.least, e.most) for e in settled(found)] == [(1, 1, 9, 9)] * 8
    assert {e.ended for e in settled(elsewhere)} == {0}


def test_a_whole_measurement_keeps_the_coupled_runs_of_one_that_ended_early(folder):
    measure(SETTLING, folder=folder, _engines=Fake(excess=1e-3).engines())
    again, whole = Fake(excess=1e-3), Fake(excess=1e-3)
    measure(SETTLING, folder=folder, _engines=again.engines())
    assert not again.calls
    measure(replace(SETTLING, settle=False), folder=folder, _engines=whole.engines())
    assert {call[0] for kind, call in whole.calls if kind == "train"} == {"softmax", "linear"}


def test_changed_settings_train_anew(folder):
    plan = replace(SMALL.only(3), variants=("as coded",))
    for change in ({}, {"lr": 0.5}, {"noise": 0.0}, {"batch": 2}, {"most_steps": 13}, {"records": 6}):
        other = Fake()
        measure(replace(plan, **change), folder=folder, _engines=other.engines())
        assert other.count("train") == len(plan.runs)


def test_changed_code_computes_anew_what_depends_on_it(folder):
    measure(SMALL, folder=folder, _engines=Fake().engines())
    other = Fake()
    measure(SMALL, folder=folder, _engines=other.engines("another"))
    assert other.count("train") == len(SMALL.runs)
    finer = Fake()
    measure(replace(SMALL, points=16), folder=folder, _engines=finer.engines())
    assert finer.count("train") == 0 < finer.count("final")


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(schedule, "LOOK", 0.02)


@pytest.mark.usefixtures("impatient")
def test_two_commands_on_one_folder_share_the_work(folder, tmp_path):
    log, found, fakes = tmp_path / "steps", [], []

    def command(_: int) -> None:
        fakes.append(fake := Fake(log=log, pause=1e-3))
        found.append(measure(SMALL, folder=folder, threads=2, _engines=fake.engines()))

    in_threads(command, 1, 2)
    assert [numbers(one) for one in found] == [WHOLE, WHOLE]
    assert set(Counter(log.read_text().splitlines()).values()) == {1}
    assert min(fake.count("train") for fake in fakes) > 0
    assert sum(fake.count("train") for fake in fakes) == len(SMALL.runs)


# A shell without job control starts its background jobs, perhaps these tests, with SIGINT ignored,
# and children inherit that.
PROGRAM = """
import signal
import sys
from pathlib import Path
signal.signal(signal.SIGINT, signal.default_int_handler)
from numerics.experiments.boursier_boyer.run_plan import measure
from tests.numerics.experiments.fake_engines import SMALL, Fake
# It slows down, or on a busy machine a kill may come late.
fake = Fake(log=Path(sys.argv[2]), pause=4e-3, brisk=int(sys.argv[3]))
measure(SMALL, folder=sys.argv[1], threads=2, _engines=fake.engines())
"""


def test_a_killed_command_goes_on_where_it_was(folder, tmp_path):
    """At most the step that each of two threads was in is done twice; Ctrl-C waits."""
    log = tmp_path / "steps"
    done = lambda: log.read_text().splitlines() if log.exists() else []
    twice = lambda: sum(count - 1 for count in Counter(done()).values())
    for how, after in ((signal.SIGINT, 50), (signal.SIGKILL, 120)):  # of 12 steps in each of 20 runs
        start = [sys.executable, "-c", PROGRAM, str(folder), str(log), str(after)]
        with subprocess.Popen(start, cwd=ROOT, stderr=subprocess.PIPE, text=True) as command:
            while len(done()) < after:
                assert command.poll() is None
                time.sleep(0.005)
            command.send_signal(how)
            _, error = command.communicate()
        assert command.returncode != 0
        assert ("the same command goes on" in error) == (how is signal.SIGINT)
        assert len(done()) < 12 * len(SMALL.runs)
        assert how is signal.SIGKILL or twice() == 0
    resumed = Fake(log=log)
    assert numbers(measure(SMALL, folder=folder, threads=2, _engines=resumed.engines())) == WHOLE
    assert 0 < resumed.count("train") < len(SMALL.runs) - 2
    assert twice() <= 2
    assert not list((folder / "running").iterdir())


@pytest.mark.usefixtures("impatient")
def test_ctrl_c_says_what_is_stored(folder):
    def interrupt(done: Progress) -> None:
        if done.done > 5:
            raise KeyboardInterrupt

    fake = Fake(pause=1e-4)
    words = r"interrupted; (\d+) of \d+ jobs are stored; the same command goes on"
    with pytest.raises(Interrupted, match=words) as stop:
        measure(SMALL, folder=folder, threads=2, progress=interrupt, _engines=fake.engines())
    with Store(folder / "results.sqlite") as store:
        assert int(str(stop.value).split()[1]) == len(store) > 5
    assert numbers(measure(SMALL, folder=folder, _engines=Fake().engines())) == WHOLE


def test_ctrl_c_before_the_first_step_is_told_apart():
    class Timed(Fake):
        def train(self, *args: Any, **how: Any) -> Any:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted, match="before anything was begun"):
        measure(SMALL, progress=lambda done: None, _engines=Timed().engines())


def test_an_error_in_a_run_is_raised_and_the_rest_is_kept(folder):
    class Broken(Fake):
        def train(self, attention: str, L: int, **how: Any) -> Any:
            if L == 2:
                raise ValueError("no room is left")
            return super().train(attention, L, **how)

    with pytest.raises(ValueError, match="no room is left"):
        measure(SMALL, folder=folder, threads=1, _engines=Broken().engines())
    rest = Fake()
    assert numbers(measure(SMALL, folder=folder, _engines=rest.engines())) == WHOLE
    assert rest.count("train") < len(SMALL.runs)  # the longest, L = 9, came first


def test_a_damaged_checkpoint_is_named_and_left_as_it_is(tmp_path):
    plan = replace(SMALL.only(8), variants=("as coded",), curve_lengths=(2,), band_seeds=1)
    by = Fake().engines()._replace(train=engines().train)
    (run,) = PlanJobs(plan, by, speed.ordinary).runs.values()
    path = tmp_path / "running" / f"{run.key}.npz"
    path.parent.mkdir()
    path.write_bytes(b"PK, but no archive")
    with pytest.raises(CheckpointError, match=r"is damaged or no checkpoint .*: delete it to start anew"):
        measure(plan, folder=tmp_path, _engines=by)
    assert path.read_bytes() == b"PK, but no archive"


def test_the_longest_runs_come_first():
    fake = Fake()
    measure(SMALL, threads=1, _engines=fake.engines())
    # each with the longest job that waits for it
    last = FINAL_SECONDS | {"coupled": FINAL_SECONDS["softmax"]}
    runs = [call for kind, call in fake.calls if kind == "train"]
    work = [speed.ordinary(attention, L) * steps + last[attention] for attention, L, steps, _ in runs]
    assert all(a >= b for a, b in pairwise(work))


def test_progress_begins_with_an_estimate_and_ends_with_all(folder, monkeypatch):
    monkeypatch.setattr(speed, "LONG_ENOUGH", 0.01)
    seen: list[Progress] = []
    engines = Fake(pause=1e-3).engines()
    found = measure(SMALL, folder=folder, threads=2, progress=seen.append, _engines=engines)
    assert seen[0].done == 0 < seen[0].seconds_left
    # 20 runs of 12 steps of at least a millisecond on two threads; other pieces are guessed at
    # a second at most.
    assert 0.12 < seen[0].seconds_left < seen[0].total
    assert all(a.share <= b.share + 1e-12 and a.done <= b.done for a, b in pairwise(seen))
    assert (seen[-1].done, seen[-1].share, seen[-1].seconds_left) == (seen[-1].total, 1.0, 0.0)
    assert any(says.startswith("coupled L = 9, ") for one in seen for says in one.running)
    again: list[Progress] = []
    measure(SMALL, folder=folder, progress=again.append, _engines=Fake().engines())
    assert [(one.reused, one.share, one.seconds_left) for one in again] == [(seen[-1].total, 1.0, 0.0)]
    assert numbers(found) == WHOLE


@pytest.mark.parametrize("plan", [SMALL, SMALL.only(1), SMALL.only(8), SETTLING])
def test_the_json_is_as_its_schema_says(plan):
    beside = files("numerics.experiments.boursier_boyer")
    schema = json.loads(beside.joinpath("measurements.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    found = measure(plan, _engines=replace(LOST, excess=1e-3).engines())
    document = json.loads(json.dumps(found.as_json(), allow_nan=False))
    jsonschema.validate(document, schema)
    for run in document["runs"]:
        key = RunKey(*(run[name] for name in RunKey._fields))
        assert (run["diverged"], run["stopped"]) == (found.runs[key].diverged, found.runs[key].stopped)
        for part in run["architectures"]:
            alone = found.runs[key] if len(run["architectures"]) == 1 else None
            assert alone is None or np.array_equal(part["parameters"]["K"], alone.final.K)
    document["noise_level"] = "none"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document, schema)


DOOR: dict[str, tuple[dict[str, Any], type[Exception]]] = {
    r"plan = None is no Plan; take Plan.full\(\)": ({"plan": None}, TypeError),
    r"threads = 0 is outside 1 \.\.\. 1024": ({"threads": 0}, ValueError),
    "folder = 7 is no name of a folder": ({"folder": 7}, TypeError),
    "cannot make the folder .*; give another one": ({"folder": "file"}, ValueError),
    "is not an SQLite file, and was left as it is": ({"folder": "."}, ValueError),
}


@pytest.mark.parametrize("says", DOOR)
def test_the_door(says, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("mine")
    (tmp_path / "results.sqlite").write_bytes(b"x" * 1000)
    change, error = DOOR[says]
    with pytest.raises(error, match=says):
        measure(**{"plan": SMALL} | change)
    assert (tmp_path / "file").read_text() == "mine"
