"""Sweeps killed with SIGKILL at any moment: nothing stored is lost or computed again, and the numbers are those of one in peace."""

from __future__ import annotations

import json
import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.numerics.stores import folder_in_memory
from tests.numerics.sweep.grids import TWO, write

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def told() -> dict[str, Any]:
    """What `killing` saw."""
    with folder_in_memory() as folder:
        run = [sys.executable, "-m", "tests.numerics.sweep.killing", str(folder), "4"]
        done = subprocess.run(run, capture_output=True, text=True, check=False, cwd=ROOT, timeout=300)
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    return result


@pytest.mark.parametrize(("name", "threads"), [("one thread", 1), ("two threads", 2)])
def test_a_killed_sweep_goes_on_as_if_nothing_had_happened(name: str, threads: int, told: dict[str, Any]) -> None:
    """No block that is stored is ever begun again; only those in flight at a kill are, a few for each thread."""
    saw = told[name]
    assert saw["kills"] == 5
    assert saw["same rows"]
    assert saw["same bits"]
    stored = set[str]()
    for run in saw["runs"]:
        assert not set(run["begun"]) & stored
        assert set(run["stored"]) <= set(run["begun"])
        assert max(Counter(run["begun"]).values(), default=1) == 1
        assert len(run["begun"]) - len(run["stored"]) <= 2 * threads
        stored |= set(run["stored"])
    begun = Counter(key for run in saw["runs"] for key in run["begun"])
    assert len(begun) == saw["blocks"] == 48
    assert sum(begun.values()) - saw["blocks"] <= 2 * threads * saw["kills"]


def test_a_writer_killed_in_the_middle_of_its_transactions(told: dict[str, Any]) -> None:
    """What `put` has promised is there; at most the one put that was under way is there without a promise."""
    saw = told["writers"]
    assert saw["journals"] >= 3, "no kill hit an unfinished transaction"
    assert saw["stored"] >= saw["kills"]
    assert (saw["lost"], saw["wrong"]) == (0, 0)
    assert saw["most extra"] <= 1


def test_two_sweeps_write_one_store_while_a_third_program_locks_it(told: dict[str, Any]) -> None:
    saw = told["together"]
    assert saw["statuses"] == [0, 0, 0]
    assert saw["same rows"]
    assert saw["same bits"] == [True, True]


def count(store: Path) -> int:
    try:
        with closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as connection:
            return int(connection.execute("SELECT count(*) FROM results WHERE shape != '[0]'").fetchone()[0])
    except sqlite3.Error:
        return 0


def test_the_command_killed_and_repeated(tmp_path: Path) -> None:
    grid = TWO.format(replicates=20_000, lengths="[1000, 2000]", scales="[0.2, 0.5]")
    spec = write(tmp_path, grid.partition('[[query]]\nname = "averaged"')[0])  # whose theory takes long
    store = tmp_path / "results.sqlite"
    command = [sys.executable, "-m", "numerics", "sweep", str(spec), "--store", str(store), "--threads", "1"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=ROOT) as process:
        end = time.monotonic() + 60
        while count(store) < 5:
            assert process.poll() is None
            assert time.monotonic() < end
            time.sleep(0.01)
        process.kill()
    assert process.returncode == -signal.SIGKILL
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, timeout=120)
    found = re.search(r"(\d+) blocks: (\d+) reused, (\d+) run", done.stdout)
    assert found is not None, done.stdout + done.stderr
    total, reused, run = map(int, found.groups())
    assert 5 <= reused < total
    assert run == total - reused == count(store) - reused
