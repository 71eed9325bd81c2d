"""The examples run."""

from __future__ import annotations

import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("plot_*.py"))


#: Runs each example in a child of a process that has imported what all of them import.
EACH = """
import os, runpy, sys, traceback
import matplotlib.backends.backend_svg
import numerics.sweep.run, numerics.rates.measure

for path in sys.argv[1:]:
    folder = os.path.splitext(os.path.basename(path))[0]
    os.mkdir(folder)
    if not (child := os.fork()):
        status = 1
        try:
            for name, file in (("stdout", 1), ("stderr", 2)):
                os.dup2(os.open(f"{folder}.{name}", os.O_CREAT | os.O_WRONLY), file)
            os.chdir(folder)
            sys.argv = [path, "--small"]
            runpy.run_path(path, run_name="__main__")
            status = 0
        except SystemExit as stop:
            status = stop.code or 0
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)
    print(folder, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """Where all examples have run, and the exit status of each."""
    folder = tmp_path_factory.mktemp("examples")
    command = [sys.executable, "-W", "error", "-c", EACH, *map(str, EXAMPLES)]
    limit = 120 * len(EXAMPLES)
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, timeout=limit, check=False)
    assert done.returncode == 0, done.stderr
    return folder, dict(line.split() for line in done.stdout.splitlines())


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_example_runs_small(path: Path, ran: tuple[Path, dict[str, str]]) -> None:
    folder, status = ran
    said = (folder / f"{path.stem}.stderr").read_text(encoding="utf-8")
    assert status[path.stem] == "0", said
    assert all(line.startswith("compiling the ") for line in said.splitlines()), said
    assert [p.suffix for p in (folder / path.stem).iterdir()] == [".svg"]


def test_there_is_an_example() -> None:
    assert EXAMPLES


def test_the_stored_table_of_lengths_is_what_the_script_prints(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    script = EXAMPLES[0].with_name("table_of_lengths.py")
    monkeypatch.setattr(sys, "argv", [str(script), "--small"])
    runpy.run_path(str(script))
    printed, stored = capsys.readouterr().out.splitlines(), script.with_suffix(".md").read_text(encoding="utf-8").splitlines()
    assert len(printed) == 2 + 4
    assert set(printed) <= set(stored)
    assert len(stored) == 2 + 3 * 2 * 5


def test_the_folder_of_another_paper_is_judged_and_its_errata_are_stored(tmp_path: Path) -> None:
    example = EXAMPLES[0].with_name("another_paper")
    shutil.copytree(example, tmp_path / "examples/another_paper", ignore=shutil.ignore_patterns("build"))

    def run(*words: str) -> None:
        done = subprocess.run(
            [sys.executable, "-m", *words], capture_output=True, text=True, cwd=tmp_path, timeout=300, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr

    run("pytest", "-q", "-p", "no:cacheprovider", "examples/another_paper")
    run("proofs_check.cli", "errata", "--papers", "examples/another_paper", "--out", "errata")
    written, stored = (path.read_text(encoding="utf-8") for path in (tmp_path / "errata/errata.md", example / "errata.md"))
    undated = lambda text: re.sub(r"was judged on.*?\)\.", "was judged.", text, count=1, flags=re.DOTALL)
    assert undated(written) == undated(stored)
    assert "1 false among 3 rows as printed" in stored
