"""The examples run."""

import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("plot_*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_example_runs_small(path, tmp_path):
    command = [sys.executable, "-W", "error", str(path), "--small"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert all(line.startswith("compiling the ") for line in done.stderr.splitlines()), done.stderr
    assert [p.suffix for p in tmp_path.iterdir()] == [".svg"]


def test_the_stored_table_of_lengths_is_what_the_script_prints(monkeypatch, capsys):
    script = EXAMPLES[0].with_name("table_of_lengths.py")
    monkeypatch.setattr(sys, "argv", [str(script), "--small"])
    runpy.run_path(str(script))
    printed = capsys.readouterr().out.splitlines()
    stored = script.with_suffix(".md").read_text(encoding="utf-8").splitlines()
    assert 2 < len(printed) < len(stored)  # more than the head of a table
    assert set(printed) <= set(stored)


def test_the_folder_of_another_paper_is_judged_and_its_errata_are_stored(tmp_path):
    example = EXAMPLES[0].with_name("another_paper")
    shutil.copytree(example, tmp_path / "examples/another_paper", ignore=shutil.ignore_patterns("build"))

    def run(*words):
        command = [sys.executable, "-m", *words]
        done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=300, check=False)
        assert done.returncode == 0, done.stdout + done.stderr

    run("pytest", "-q", "-p", "no:cacheprovider", "examples/another_paper")
    run("proofs_check.reports.cli", "errata", "--papers", "examples/another_paper", "--out", "errata")
    written, stored = (folder / "errata.md" for folder in (tmp_path / "errata", example))
    undated = lambda text: re.sub(r"was judged on.*?\)\.", "was judged.", text, count=1, flags=re.DOTALL)
    assert undated(written.read_text("utf-8")) == undated(stored.read_text("utf-8"))
