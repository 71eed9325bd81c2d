"""What ``largeprompt warm`` names is compiled once, and kept where it says."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numerics
from numerics.warm import NAMES
from proofs_check.reports.cli import main


def test_kernels_are_compiled_once_and_kept_where_it_says(tmp_path):
    root = str(Path(numerics.__file__).parents[1])
    environment = {**os.environ, "PYTHONPATH": root, "NUMBA_CACHE_DIR": str(tmp_path)}
    command, done = [sys.executable, "-m", "proofs_check.reports.cli", "warm", "flows"], []
    for _ in range(2):
        lines = subprocess.run(
            command, env=environment, capture_output=True, text=True, check=True
        ).stdout.splitlines()
        found = re.fullmatch(r"flows +[\d.]+ s  (\d+) functions compiled", lines[0])
        assert found
        done.append(int(found[1]))
        assert lines[1:] == [f"compiled code is kept in {tmp_path}"]
    assert done[0] > 0
    assert done[1] == 0
    assert list(tmp_path.rglob("*.nbc"))


def test_a_wrong_name_is_told_the_right_ones(capsys):
    assert main(["warm", "exact", "everything"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert all(name in err for name in ("everything", *NAMES))
