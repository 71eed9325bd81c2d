"""Sobol' points are the same from whatever thread they are asked for first."""

import subprocess
import sys

FIRST = """
import threading
import numpy as np
from numerics.regression.risk.sobol import sobol_points
found, together = [None] * 8, threading.Barrier(8)

def ask(i):
    together.wait()
    found[i] = sobol_points(10, 8, np.random.default_rng(0))

threads = [threading.Thread(target=ask, args=(i,)) for i in range(8)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert all(np.array_equal(x, found[0]) for x in found)
assert np.ptp(np.sort(found[0], axis=0) * 8 - np.arange(8)[:, None]) <= 1  # one in each eighth
"""


def test_the_first_call_may_come_from_several_threads():
    """In a process of its own, as SciPy up to 1.14 keeps what the first call has read."""
    run = subprocess.run([sys.executable, "-c", FIRST], capture_output=True, text=True)
    assert (run.returncode, run.stderr) == (0, "")
