"""The command `sweep`: what it prints and writes, how it exits, and that a Ctrl-C loses nothing."""

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import numerics.rates.series
from numerics.jobs.store import Store
from numerics.rates.measure import assess
from numerics.sweep import blocks, run
from numerics.sweep.grid import example, read_grid
from numerics.sweep.run import stored_digest
from proofs_check.reports.cli import main
from proofs_check.reports.rates.report.write import FILES, PLOTS
from proofs_check.reports.sweep import add_sweep
from tests.numerics.refusals import refused
from tests.numerics.sweep.grids import TWO, stored_blocks, write

BOTH = TWO.format(replicates=200, lengths="[5, 50]", scales="[0.5]")
#: Without Gaussian queries, whose theory takes a second.
SMALL = TWO.format(replicates=200, lengths="[5, 50]", scales="[0.2, 0.5]")
SMALL = SMALL.partition('[[query]]\nname = "averaged"')[0]
BEYOND = (
    "largeprompt sweep: the numbers of '{}' are stored, but theory does not reach them ({}); "
    "take it out of the grid\n"
)


def sweep(*words):
    return main(["sweep", *map(str, words)])


@pytest.fixture
def grid(tmp_path):
    return write(tmp_path, SMALL)


def test_a_sweep_from_end_to_end_and_again(tmp_path, capsys):
    grid = write(tmp_path, BOTH)
    store, out = tmp_path / "results.sqlite", tmp_path / "report"
    assert sweep(grid, "--store", store, "--threads", "1", "--out", out) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"4 jobs: 0 reused, 4 computed; stored in {store}"
    assert [x.split(":")[0] for x in lines[1:5]] == ["fixed", "averaged", "holds  fixed", "holds  averaged"]
    assert lines[5].endswith(f"comparisons hold; report in {out / 'report.html'}")
    assert sorted(path.name for path in out.iterdir()) == sorted([*FILES, PLOTS])
    source = json.loads((out / "report.json").read_text())["provenance"]
    assert source["command"] == "largeprompt sweep grid.toml --store results.sqlite --out report"
    named = {entry["file"]: entry["sha256"] for entry in source["inputs"]}
    read = read_grid(grid)
    with Store(store) as opened:
        content = stored_digest(read, opened)
    assert named == {**read.inputs, "results.sqlite, the 4 jobs used": content}
    assert str(tmp_path) not in (out / "report.html").read_text()

    assert sweep(grid, "--store", store) == 0
    again = capsys.readouterr().out.splitlines()
    assert again[0] == f"4 jobs: 4 reused, 0 computed; stored in {store}"
    assert again[1:5] == lines[1:5]
    assert again[5].endswith("comparisons hold")


def test_quiet_says_nothing_and_no_report_is_written_unasked(grid, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert sweep("grid.toml", "--store", "results.sqlite", "--quiet") == 0
    assert capsys.readouterr() == ("", "")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["grid.toml", "results.sqlite"]


def test_where_a_report_goes_by_default():
    parser = argparse.ArgumentParser()
    add_sweep(parser.add_subparsers())
    out = lambda *words: parser.parse_args(["sweep", "grid.toml", *words]).out
    assert (out(), out("--out"), out("--out", "here")) == (None, "sweep-report", "here")


def test_a_failing_comparison_is_exit_status_1_and_comes_first(tmp_path, monkeypatch, capsys):
    exact = numerics.rates.series.exact_error
    twice = lambda e, setting: None if e is None else (2 - setting.averaged) * e
    doubled = lambda setting, *rest: twice(exact(setting, *rest), setting)
    monkeypatch.setattr(numerics.rates.series, "exact_error", doubled)
    assert sweep(write(tmp_path, BOTH), "--store", tmp_path / "s", "--threads", "1") == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].startswith("FAILS  fixed, ")
    assert [line[:5] for line in lines if "comparisons;" in line] == ["FAILS", "holds"]


def test_the_example_is_printed(capsys):
    assert sweep("--example") == 0
    assert capsys.readouterr().out == example()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "GRID.toml is missing; `largeprompt sweep --example > grid.toml` makes one to start from"),
        (["grid.toml"], "also needed: --store FILE"),
        (["none.toml", "--store", "s"], "none.toml: cannot read it: No such file"),
        (["wrong.toml", "--store", "s"], "wrong.toml: lengths: L = 0 is not a prompt length"),
        (["grid.toml", "--store", "s", "--threads", "0"], "--threads = 0"),
        (["grid.toml", "--store", "s", "--threads", "1000000"], "--threads = 1000000 is outside 1 ... 1024"),
        (["grid.toml", "--store", "s", "--out", "grid.toml/r"], "cannot write to grid.toml/r"),
        (["grid.toml", "--store", "no/folder"], "no"),
        (["grid.toml", "--store", "grid.toml"], "grid.toml"),
    ],
)
def test_bad_input_is_one_line_and_nothing_is_stored(words, message, grid, monkeypatch, capsys):
    monkeypatch.chdir(grid.parent)
    monkeypatch.setattr(run, "run_block", lambda block: pytest.fail("computed"))
    write(grid.parent, SMALL.replace("[5, 50]", "[0, 50]"), "wrong.toml")
    assert sweep(*words) == 2
    refused(capsys, "sweep", message)
    assert sorted(path.name for path in grid.parent.iterdir()) == ["grid.toml", "wrong.toml"]
    assert grid.read_text() == SMALL


def test_a_scheduler_that_is_not_there(grid, tmp_path, capsys):
    store = tmp_path / "results.sqlite"
    assert sweep(grid, "--store", store, "--scheduler", "tcp://127.0.0.1:9") == 2
    refused(capsys, "sweep", " (0 of 4 jobs are stored; the same command goes on)\n")
    assert stored_blocks(store) == 0
    # what is stored needs no cluster
    assert sweep(grid, "--store", store, "--quiet") == 0
    assert sweep(grid, "--store", store, "--quiet", "--scheduler", "tcp://127.0.0.1:9") == 0


def test_interrupted_in_the_middle(grid, tmp_path, monkeypatch, capsys):
    left = iter(range(1))

    def some(block):
        if next(left, None) is None:
            raise KeyboardInterrupt
        return blocks.run_block(block)

    with monkeypatch.context() as patch:
        patch.setattr(run, "run_block", some)
        assert sweep(grid, "--store", tmp_path / "s", "--threads", "1", "--out", tmp_path / "r") == 130
    printed = capsys.readouterr()
    assert printed.err == "largeprompt sweep: interrupted; 1 of 4 jobs are stored; the same command goes on\n"
    assert printed.out == ""
    assert sweep(grid, "--store", tmp_path / "s") == 0
    assert capsys.readouterr().out.startswith("4 jobs: 1 reused, 3 computed;")


FRAGILE = """
import numpy as np
from numerics import TokenLaw

def draw(rng, n):
    tokens = 1.0 - 2.0 * rng.integers(2, size=(n, 2))
    if n > 10:  # the checks at the door draw few
        {breaks}
    return tokens

signs = TokenLaw("signs", 2, 1.0, draw, lambda a: np.log(np.cosh(a)).sum(axis=-1))
"""


@pytest.mark.parametrize(
    ("breaks", "says"),
    [
        ("tokens[0] = np.nan", "not finite"),
        ("raise KeyError('lost')", "KeyError: 'lost'; look at what it draws there"),
        ("raise SystemExit", "SystemExit; look at what it draws there"),
        ("tokens[:] = 1e200", "not finite"),
        ("raise ValueError('x' * 10**6)", "ValueError: xxx"),
    ],
)
def test_a_law_of_ones_own_that_fails_late(breaks, says, tmp_path, capsys):
    (tmp_path / "my_law.py").write_text(FRAGILE.format(breaks=breaks), encoding="utf-8")
    grid = write(tmp_path, SMALL.replace("Gamma = { diagonal = [1.0, 0.5] }", 'python = "my_law.py:signs"'))
    assert sweep(grid, "--store", tmp_path / "s", "--threads", "1") == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("largeprompt sweep: your law 'signs' failed at L = 50: ")
    assert says in printed.err
    assert printed.err.endswith("(0 of 4 jobs are stored; the same command goes on)\n")
    assert len(printed.err) < 600
    assert stored_blocks(tmp_path / "s") == 0


@pytest.mark.parametrize(
    "error", [ZeroDivisionError("a bound of 0"), MemoryError("too long"), ValueError("beyond 1e9")]
)
def test_numbers_that_theory_does_not_reach_are_kept(error, grid, tmp_path, monkeypatch, capsys):
    def out_of_reach(*_):
        raise error

    monkeypatch.setattr("numerics.rates.measure.assess", out_of_reach)
    assert sweep(grid, "--store", tmp_path / "s", "--quiet") == 2
    assert capsys.readouterr().err == BEYOND.format("U x 0.2", error)
    assert stored_blocks(tmp_path / "s") == 4


def test_a_run_beyond_theory_leaves_the_others_their_verdicts(tmp_path, monkeypatch, capsys):
    def not_the_averaged(setting, errors):
        if setting.averaged:
            raise ZeroDivisionError("division by zero")
        return assess(setting, errors)

    monkeypatch.setattr("numerics.rates.measure.assess", not_the_averaged)
    assert sweep(write(tmp_path, BOTH), "--store", tmp_path / "s", "--quiet") == 1
    assert capsys.readouterr().err == BEYOND.format("averaged", "division by zero")
    assert sweep(tmp_path / "grid.toml", "--store", tmp_path / "s") == 1
    assert "comparisons hold" in capsys.readouterr().out


@pytest.mark.parametrize(
    "error", [FloatingPointError("not finite"), ValueError("not finite"), MemoryError("no room")]
)
def test_a_block_that_cannot_be_computed(error, grid, tmp_path, monkeypatch, capsys):
    def fails(block):
        raise error

    monkeypatch.setattr(run, "run_block", fails)
    assert sweep(grid, "--store", tmp_path / "s") == 2
    expected = f"largeprompt sweep: {error} (0 of 4 jobs are stored; the same command goes on)\n"
    assert capsys.readouterr().err == expected


def test_the_command_gives_linear_algebra_one_thread():
    """In a hundred dimensions the last bits of eigenvectors depend on the threads of OpenBLAS."""
    program = (
        "from proofs_check.reports.cli import main\n"
        "main(['sweep', 'none.toml', '--store', 'none'])\n"
        "import numpy as np\n"
        "A = np.random.default_rng(0).standard_normal((100, 100))\n"
        "print(*(np.ascontiguousarray(x).tobytes().hex() for x in np.linalg.eigh(A @ A.T)))"
    )
    how = dict(capture_output=True, check=True, cwd=Path(__file__).parents[3])

    def run(threads):
        env = os.environ | {"OPENBLAS_NUM_THREADS": threads, "OMP_NUM_THREADS": threads}
        return subprocess.run([sys.executable, "-c", program], env=env, **how).stdout

    assert run("1") == run("2") != b""


def test_ctrl_c_in_a_real_process(tmp_path, capsys):
    long = SMALL.replace("200", "10_000_000").replace("[5, 50]", "[100, 1000]")
    words = ["sweep", str(write(tmp_path, long)), "--store", str(store := tmp_path / "s"), "--threads", "2"]
    # A shell without job control starts its background jobs, perhaps these tests, with SIGINT
    # ignored, and children inherit that.
    program = (
        "import signal, sys\nfrom proofs_check.reports.cli import main\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\nsys.exit(main())"
    )
    pipes = dict(stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    process = subprocess.Popen([sys.executable, "-c", program, *words], **pipes)
    try:
        until = time.monotonic() + 120
        while stored_blocks(store) < 2:
            assert process.poll() is None, process.stderr.read() if process.stderr else ""
            assert time.monotonic() < until
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    stored = stored_blocks(store)
    assert (process.returncode, out) == (130, "")
    assert err.endswith("jobs are stored; the same command goes on\n")
    assert f"interrupted; {stored} of " in err
    assert "Traceback" not in err
