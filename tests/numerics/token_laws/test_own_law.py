"""The page on a law of one's own runs, and its two routes agree."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]


def test_the_example_runs_small(tmp_path):
    command = [sys.executable, "-W", "error", str(ROOT / "examples" / "own_law.py"), "--small"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    assert "0.4082: SUPPORTED" in done.stdout
    assert "0.4001: REFUTED" in done.stdout
    assert not list(tmp_path.iterdir())
