"""A killed or interrupted run goes on bit for bit; nothing else is its checkpoint."""

import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import numerics.training.checkpoint as checkpoint
import numerics.training.run as run
from numerics.training import train
from numerics.training.checkpoint import CheckpointError
from numerics.training.full_tokens import full_token_kernel
from tests.numerics.training.runs import same

ROOT = Path(__file__).parents[3]
SMALL: dict[str, Any] = dict(d=2, batch=8, lr=0.05, steps=23, seed=3, every=5)

pytestmark = pytest.mark.usefixtures("plain")


def stopping(after: int) -> Callable[[int, int], None]:
    """A progress that ends the run once so many steps are done."""

    def progress(done: int, total: int) -> None:
        if done >= after:
            raise KeyboardInterrupt

    return progress


def steps_in(file: Path) -> int:
    with np.load(file) as saved:
        return int(saved["where"][0])


def only_read(file: Path, whole: Any, attention: str, **more: Any) -> None:
    """A finished run is read: nothing is computed, nothing written."""
    finished = file.read_bytes()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "sgd_kernel", None)
        assert same(train(attention, 3, checkpoint=str(file), **more, **SMALL), whole)
    assert file.read_bytes() == finished


@pytest.fixture
def every_step(monkeypatch):
    """One step a call of the kernel, and a call of `progress` for each."""
    monkeypatch.setattr(run, "SHORT_CALL", 0.0)
    monkeypatch.setattr(run, "PROGRESS_PAUSE", 0.0)


def test_a_run_killed_at_random_moments_comes_to_the_same_end(tmp_path):
    program = [sys.executable, "-m", "tests.numerics.training.killed", str(tmp_path / "run.npz"), "coupled"]
    out = subprocess.run(program, cwd=ROOT, capture_output=True, text=True, check=False)
    assert out.returncode == 0, out.stderr
    assert int(out.stdout) >= 3, "too few children were killed for the test to say anything"


@pytest.mark.parametrize("attention", ["softmax", "coupled"])
def test_an_interrupted_run_keeps_what_it_has(attention, tmp_path, every_step):
    file, whole, seen = tmp_path / "run.npz", train(attention, 3, **SMALL), []
    for after in (0, 1, 5, 13, 22):
        with pytest.raises(KeyboardInterrupt):
            train(attention, 3, checkpoint=file, progress=stopping(after), **SMALL)
        seen.append(steps_in(file))
    assert seen == [0, 1, 5, 13, 22]
    assert same(train(attention, 3, checkpoint=file, **SMALL), whole)
    only_read(file, whole, attention)
    assert list(tmp_path.iterdir()) == [file]


def test_a_run_that_ends_early_does_so_wherever_it_was_interrupted(tmp_path, every_step):
    file, until, seen = tmp_path / "run.npz", lambda training: len(training.step) >= 3, []
    whole = train("linear", 3, until=until, **SMALL)
    assert whole.stopped == 15
    for after in (7, 10, 14, 15):  # at 15 the run has ended: nothing is interrupted any more
        with suppress(KeyboardInterrupt):
            train("linear", 3, checkpoint=file, until=until, progress=stopping(after), **SMALL)
        seen.append(steps_in(file))
    assert seen == [7, 10, 14, 15]
    only_read(file, whole, "linear", until=until)
    # whoever does not ask goes on from there to the last step
    assert same(train("linear", 3, checkpoint=file, **SMALL), train("linear", 3, **SMALL))


def test_ctrl_c_right_after_the_kernel_mixes_nothing(tmp_path, monkeypatch, every_step):
    """The kernel has moved its parameters, but the step is not yet counted."""
    whole, file = train("linear", 3, **SMALL), tmp_path / "run.npz"

    def interrupted(attention: str) -> Callable[..., int]:
        def kernel(*arguments: Any) -> int:
            stopped = full_token_kernel(attention)(*arguments)
            if arguments[2] == 7:
                raise KeyboardInterrupt
            return stopped

        return kernel

    monkeypatch.setattr(run, "sgd_kernel", interrupted)
    with pytest.raises(KeyboardInterrupt):
        train("linear", 3, checkpoint=file, **SMALL)
    monkeypatch.setattr(run, "sgd_kernel", full_token_kernel)
    assert same(train("linear", 3, checkpoint=file, **SMALL), whole)


def test_a_diverged_run_stays_so(tmp_path):
    one, two = (train("softmax", 3, checkpoint=tmp_path / "run.npz", **SMALL | dict(lr=1e9)) for _ in "12")
    assert one.diverged is not None
    assert same(one, two)


def test_a_finished_run_has_written_its_checkpoint_whole_or_not_at_all(tmp_path, monkeypatch):
    file = tmp_path / "run.npz"
    with pytest.raises(KeyboardInterrupt):
        train("softmax", 3, checkpoint=file, progress=stopping(0), **SMALL)
    before = file.read_bytes()

    def full(part: Any, **_: Any) -> None:
        part.write(b"as far as it goes")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(checkpoint.np, "savez", full)
    with pytest.raises(CheckpointError, match="No space left"):
        train("softmax", 3, checkpoint=file, **SMALL)
    assert file.read_bytes() == before
    assert list(tmp_path.iterdir()) == [file]


def test_two_runs_on_one_path_do_not_write_into_each_others_file(tmp_path, monkeypatch):
    """The second run writes its whole checkpoint while the first is half way through its own."""
    file, whole, replace = tmp_path / "run.npz", train("softmax", 3, **SMALL), os.replace

    def overtaken(part: Any, path: Any) -> None:
        monkeypatch.setattr(os, "replace", replace)
        other = threading.Thread(target=train, args=("softmax", 3), kwargs=dict(checkpoint=file, **SMALL))
        other.start()
        other.join()
        assert file.exists()
        replace(part, path)

    monkeypatch.setattr(os, "replace", overtaken)
    assert same(train("softmax", 3, checkpoint=file, **SMALL), whole)
    assert same(train("softmax", 3, checkpoint=file, **SMALL), whole)
    assert list(tmp_path.iterdir()) == [file]


# -- what is no checkpoint


def refused(file: Path, says: str, **changes: Any) -> None:
    """Refused in one clear sentence, and not a byte in the folder is changed."""
    before = {p: p.read_bytes() for p in file.parent.iterdir() if p.is_file()}
    with pytest.raises(CheckpointError, match=says) as caught:
        train(**dict(attention="softmax", prompt_length=3, checkpoint=file) | SMALL | changes)
    assert "\n" not in str(caught.value)
    assert {p: p.read_bytes() for p in file.parent.iterdir() if p.is_file()} == before


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    file = tmp_path_factory.mktemp("template") / "run.npz"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "sgd_kernel", full_token_kernel)
        patch.setattr(run, "PROGRESS_PAUSE", 0.0)
        with pytest.raises(KeyboardInterrupt):
            train("softmax", 3, checkpoint=file, progress=stopping(7), **SMALL)
    return file


@pytest.fixture
def file(tmp_path, template):
    return Path(shutil.copy(template, tmp_path))


CHANGES: list[tuple[dict[str, Any], str]] = [
    (dict(attention="linear"), "attention = 'softmax', this run 'linear'"),
    (dict(prompt_length=4), "prompt_length = 3, this run 4"),
    (dict(seed=4), "another run: it has seed = 3|another start"),
    (dict(lr=0.05 * (1 + 1e-15)), "lr = 0.05"),
    (dict(noise=0.2), "noise"),
    (dict(task_variance=1.0), "task_variance"),
    (dict(batch=9), "batch"),
    (dict(steps=24), "steps"),
    (dict(every=6), "every"),
    (dict(Sigma=[[1.0, 0.1], [0.1, 1.0]]), "another Sigma"),
    (dict(variant="as coded"), "another variant"),
    (dict(start=[np.zeros(3), np.eye(3), np.eye(3), np.eye(3)]), "another start"),
]


@pytest.mark.parametrize(("changes", "says"), CHANGES, ids=[next(iter(c)) for c, _ in CHANGES])
def test_the_checkpoint_of_another_run_is_left_alone(file, changes, says):
    refused(file, says, **changes)
    assert train("softmax", 3, checkpoint=file, **SMALL).step[-1] == 23  # its own run goes on


def test_other_kernels_do_not_go_on(file, monkeypatch):
    monkeypatch.setattr(run, "_kernel_key", lambda: 1)
    refused(file, "another version of the program")


def test_damage_anywhere_is_seen(file):
    content = file.read_bytes()
    rng = np.random.default_rng(0)
    whole = train("softmax", 3, **SMALL)
    for cut in (0, 1, len(content) // 2, len(content) - 1):
        file.write_bytes(content[:cut])
        refused(file, "left as it is")
    unharmed = 0
    for at in rng.integers(len(content), size=60):
        spoiled = bytearray(content)
        spoiled[at] ^= 1 << int(rng.integers(8))
        file.write_bytes(spoiled)
        try:
            # time stamps and the like mean nothing
            assert same(train("softmax", 3, checkpoint=file, **SMALL), whole)
            unharmed += 1
        except CheckpointError:
            assert file.read_bytes() == spoiled
    assert unharmed < 20


def rewritten(file: Path, **changes: Any) -> None:
    with np.load(file) as saved:
        arrays = dict(saved) | changes
    np.savez(file, **{k: x for k, x in arrays.items() if x is not None})


@pytest.mark.parametrize(
    "changes",
    [
        dict(theta=None),
        dict(theta=np.zeros((3, 3))),
        dict(theta=np.full((10, 3), np.nan)),
        dict(where=np.array([8, -1])),
        dict(where=np.array([-7, -1])),
        dict(where=np.array([7, 3])),
        dict(where=np.array([7])),
        dict(losses=np.zeros(3)),
        dict(records=np.zeros((0, 10, 3))),
        dict(run=np.array("{")),
        dict(run=np.array("[]")),
        dict(run=np.array(json.dumps(dict(format=2)))),
    ],
    ids=range(12),
)
def test_numbers_that_no_run_leaves_behind_are_refused(file, changes):
    rewritten(file, **changes)
    refused(file, "left as it is")


def test_other_files_and_places(tmp_path):
    for name, content in {"text": b"hello", "empty": b"", "pickle": b"\x80\x04K\x01."}.items():
        (tmp_path / name).write_bytes(content)
        refused(tmp_path / name, "damaged or no checkpoint")
    np.save(tmp_path / "array.npy", np.eye(2))
    refused(tmp_path / "array.npy", "damaged or no checkpoint")
    for place, says in (
        (tmp_path, "is a folder"),
        ("/dev/zero", "neither a file nor missing"),
        (tmp_path / "missing" / "run.npz", "create it first"),
        (str(tmp_path / "a\0b"), "no name of a file"),
    ):
        with pytest.raises(CheckpointError, match=says):
            train("softmax", 3, checkpoint=place, **SMALL)
    with pytest.raises(TypeError, match="path"):
        train("softmax", 3, checkpoint=3, **SMALL)
