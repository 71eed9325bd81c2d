"""Who compiles says so before it begins: once, on stderr, and only if the cache is empty."""

import multiprocessing
import os
import subprocess
import sys
from pathlib import Path

import pytest
from numba import njit

from numerics.compiled import announce
from numerics.compiled.announce import announced, hushed
from numerics.terminal.progress import progress_bar

ROOT = Path(announce.__file__).parents[2]
#: Asks twice for the kernel that compiles fastest, and shows on stderr when it has it.
PROGRAM = """
import sys
import numpy as np
from numerics.compiled.streams import key_of
from numerics.attention.sampled.kernels.queries import query_kernel

if __name__ == "__main__":
    for _ in range(2):
        query_kernel()(0, 5, key_of(1), np.empty((2, 10)))
        print("done", file=sys.stderr)
"""


def stderr_of(program: str, cache: Path, **variables: str) -> list[str]:
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "NUMBA_CACHE_DIR": str(cache),
        "PYTEST_XDIST_WORKER": "",
        **variables,
    }
    if not environment["PYTEST_XDIST_WORKER"]:
        del environment["PYTEST_XDIST_WORKER"]  # this test may itself run in a worker
    command = [sys.executable, "-W", "error", "-c", program]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return done.stderr.splitlines()


def test_only_an_empty_cache_is_announced_and_before_the_work(tmp_path):
    assert stderr_of(PROGRAM, tmp_path) == [announce.SAMPLING, "done", "done"]
    assert stderr_of(PROGRAM, tmp_path) == ["done", "done"]


def test_a_worker_leaves_it_to_others(tmp_path):
    assert stderr_of(PROGRAM, tmp_path, PYTEST_XDIST_WORKER="gw1") == ["done", "done"]


@pytest.fixture
def speaks(monkeypatch):
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    monkeypatch.setattr(announce, "_SAID", set())


@pytest.mark.usefixtures("speaks")
def test_kernels_of_one_kind_share_their_line(capsys):
    for shift in (1, 2):
        kernel = announced(njit(lambda x, by=shift: x + by), "compiling the shifts")
        kernel(1)
        kernel(1.5)  # another type is compiled too
    announced(njit(lambda x: 2 * x), "compiling the double")(1)
    njit(lambda x: 3 * x)(1)  # none of ours
    assert capsys.readouterr().err == "compiling the shifts\ncompiling the double\n"


@pytest.mark.usefixtures("speaks")
def test_nothing_is_said_where_quiet_was_asked_for_or_nobody_hears(capsys, monkeypatch):
    with progress_bar(True, "working"):
        announced(njit(lambda x: x + 1), "one")(1)
    with hushed():
        announced(njit(lambda x: x + 2), "two")(1)
    monkeypatch.setattr(multiprocessing, "parent_process", lambda: object())
    announced(njit(lambda x: x + 3), "three")(1)
    monkeypatch.undo()
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == ("", "")
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    with progress_bar(False, "working"):
        announced(njit(lambda x: x + 4), "four")(1)
    assert capsys.readouterr().err == "four\n"


@pytest.mark.usefixtures("speaks")
def test_a_process_without_a_stderr_compiles_all_the_same(monkeypatch):
    kernel = announced(njit(lambda x: x + 1), "unheard")
    monkeypatch.setattr(sys, "stderr", None)
    assert kernel(1) == 2
