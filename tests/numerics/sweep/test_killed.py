"""Killed with SIGKILL at any moment: nothing stored is lost or computed again."""

import json
import re
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.numerics.jobs.stores import folder_in_memory
from tests.numerics.sweep.grids import TWO, stored_blocks, write

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def told():
    with folder_in_memory() as folder:
        run = [sys.executable, "-m", "tests.numerics.sweep.killing", str(folder), "4"]
        done = subprocess.run(run, capture_output=True, text=True, check=False, cwd=ROOT, timeout=300)
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    return result


@pytest.mark.parametrize(("name", "threads"), [("one thread", 1), ("two threads", 2)])
def test_a_killed_sweep_goes_on_as_if_nothing_had_happened(name, threads, told):
    """Only the blocks in flight at a kill, a few for each thread, are begun again."""
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


def test_a_writer_killed_in_the_middle_of_its_transactions(told):
    """At most the put that was under way is there without a promise."""
    saw = told["writers"]
    assert saw["journals"] >= 3, "no kill hit an unfinished transaction"
    assert saw["stored"] >= saw["kills"]
    assert (saw["lost"], saw["wrong"]) == (0, 0)
    assert saw["extra"] <= 1


def test_two_sweeps_write_one_store_while_a_third_program_locks_it(told):
    saw = told["together"]
    assert saw["statuses"] == [0, 0, 0]
    assert saw["same rows"]
    assert saw["same bits"] == [True, True]


#: The command, in a process that dies as soon as its store has promised to keep the fifth block.
DYING = """
import os, signal, sys
from proofs_check.reports.cli import main
from numerics.jobs.store import Store

put, stored = Store.put, []

def last(store, key, array, about):
    put(store, key, array, about)
    stored.extend([key] * bool(array.size))  # an empty one stands where the store says what a run is
    if len(stored) == 5:
        os.kill(os.getpid(), signal.SIGKILL)

Store.put = last
sys.exit(main())
"""


def test_the_command_killed_and_repeated(tmp_path):
    store = tmp_path / "results.sqlite"
    grid = write(tmp_path, TWO.format(replicates=4000, lengths="[100, 200]", scales="[0.2, 0.5]"))
    words = ["sweep", str(grid), "--store", str(store), "--threads", "1"]
    run = lambda *python: subprocess.run(
        [sys.executable, *python, *words], capture_output=True, text=True, check=False, cwd=ROOT, timeout=120
    )
    killed = run("-c", DYING)
    assert (killed.returncode, stored_blocks(store)) == (-signal.SIGKILL, 5), killed.stdout + killed.stderr
    done = run("-m", "proofs_check.reports.cli")
    found = re.search(r"(\d+) jobs: (\d+) reused, (\d+) computed", done.stdout)
    assert found is not None, done.stdout + done.stderr
    total, reused, new = map(int, found.groups())
    assert reused == 5 < total
    assert new == total - reused == stored_blocks(store) - reused
