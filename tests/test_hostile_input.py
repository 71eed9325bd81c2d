"""Some of the calls that ``python -m benchmarks.hostile_input`` makes."""

import os
from contextlib import chdir
from functools import partial
from importlib import import_module

import numpy as np
import pytest

import theory
from numerics.terminal.files import replace_together
from tests.hostile.calls import inner, make_calls
from tests.hostile.judging import Outcome, differs, judged
from tests.hostile.rooms import ROOMS, UNTRIED
from tests.hostile.scaling import LAWS, ScaleLaw, fault_of_units, scaled_calls
from tests.hostile.targets import TARGETS


def test_500_calls_end_well(tmp_path):
    ends = list[tuple[str, Outcome]]()
    with chdir(inner(str(tmp_path))):
        make_calls(500, 0, lambda call, outcome: ends.append((call, outcome)), slow=False)
    assert len(ends) == 500
    assert [f"{call}: {outcome.fault}" for call, outcome in ends if outcome.fault] == []
    refused = sum(outcome.refused for _, outcome in ends)
    assert 50 < refused < 450, "of hostile input some is refused, and some has an answer"


def test_answers_scale_as_laws_say_or_are_refused():
    ends = list[tuple[str, str]]()
    scaled_calls(150, 0, lambda call, fault: ends.append((call, fault)))
    assert [f"{call}: {fault}" for call, fault in ends if fault not in ("", "refused")] == []
    assert sum(fault == "refused" for _, fault in ends) < 50, "most calls have an answer"


def test_a_wrong_law_of_scale_is_found():
    law = next(law for law in LAWS if law.target == "icl_risk")
    assert "in place of" in fault_of_units(ScaleLaw(law.target, law.given, {"": 3}), 100)
    assert fault_of_units(law, 100) == ""


def test_every_public_function_is_called():
    public = {name for room in ROOMS for name in import_module(room).__all__}
    called = {name.split(",")[0] for name in TARGETS}
    assert public - called == set(UNTRIED) & public
    assert not set(UNTRIED) & called


def test_good_arguments_are_answered():
    quick = [t for name, t in TARGETS.items() if getattr(theory, name.split(",")[0], None)]
    assert len(quick) > 20
    for target in quick:
        assert judged(partial(target.call, target.good())).fault == ""


@pytest.mark.parametrize(
    ("call", "fault"),
    [
        (lambda: float("x"), "ValueError at"),
        (lambda: np.ones(2) @ np.ones(3), "ValueError at"),
        (lambda: np.float64(1) / np.float64(0), "RuntimeWarning at"),
        (lambda: dict[str, int]()["x"], "KeyError at"),
        (lambda: theory.affine(-1), ""),
        (lambda: theory.affine(2), ""),
    ],
    ids=["of Python", "of NumPy", "a warning", "a key", "ours", "none"],
)
def test_what_counts_as_an_error_of_ours(call, fault):
    found = judged(call).fault
    assert found.startswith(fault) if fault else found == ""


def test_another_result_for_the_same_numbers_is_seen():
    assert differs((1.0, [np.array([2.0])]), (1.0, [np.array([2.0])])) == ""
    assert differs((1.0, 2.0), (1.0, 2.1)) == "2.0 in place of 2.1"
    assert differs((1.0,), (1.0, 2.0)) == "1 numbers in place of 2"


def test_a_file_never_takes_the_place_of_a_pipe_or_a_folder(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    for name in ("pipe", "folder"):
        with pytest.raises(OSError, match="is a folder or a device there"):
            replace_together(tmp_path, {"page.html": "new", name: "text"})
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "pipe"]
