"""What only a process of its own can show: which compiled code is used, and how much memory a run
takes.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import numerics

ROOT = Path(numerics.__file__).parents[1]
#: Twenty normals from the kernel of queries (it compiles fastest), the key of its sources, and
#: whether it came from the cache.
PROGRAM = """
import json, sys
import numpy as np
from numerics.compiled import source_digest
if len(sys.argv) > 1:
    forged = int(sys.argv[1])
    source_digest.kernel_key = lambda module: forged
from numerics.monte_carlo.kernels.queries import query_kernel
from numerics.compiled.streams import key_of
out = np.empty((2, 10))
kernel = query_kernel()
kernel(0, 5, key_of(1), out)
print(json.dumps([out.tolist(), source_digest.kernel_key("numerics.monte_carlo.kernels.queries"), sum(kernel.stats.cache_hits.values())]))
"""


def run(program: str, root: Path, *arguments: str, **variables: str) -> list[Any]:
    environment = {**os.environ, "PYTHONPATH": str(root), "OMP_NUM_THREADS": "1", **variables}
    command = [sys.executable, "-c", program, *arguments]
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout.splitlines()[-1])
    assert isinstance(found, list)
    return found


def test_a_changed_helper_is_never_served_from_the_cache(tmp_path: Path) -> None:
    for package in ("numerics", "theory"):
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    kernel = partial(run, PROGRAM, tmp_path, NUMBA_CACHE_DIR=str(tmp_path / "cache"))
    before, old, hits = kernel()
    assert not hits
    assert kernel() == [before, old, 1], "an unchanged source is compiled once"
    helper = tmp_path / "numerics" / "compiled" / "streams.py"
    text = helper.read_text(encoding="utf-8")
    changed = text.replace("radius * sine", "-radius * sine")
    assert changed != text
    helper.write_text(changed, encoding="utf-8")
    # control: under the old key the cache would go on serving the old code
    assert kernel(str(old)) == [before, old, 1]
    after, new, hits = kernel()
    assert not hits
    assert new != old
    assert after != before


#: Growth of the peak of resident memory, in MiB, as L grows to 10^5 and as the number of replicates
#: does.
MEMORY = """
import json, resource
import numpy as np
from numerics.monte_carlo.estimate import attention_errors
from numerics.token_laws import atoms
I = np.eye(4)
signs = atoms([[1.0], [-1.0]], [0.5, 0.5])  # drawn by NumPy
gauss = lambda L, n: attention_errors(I, I, I, None, L, query_cov=I, replicates=n, seed=1, threads=2, method="tokens")
plain = lambda L, n: attention_errors(signs, [[1.0]], [[1.0]], [1.0], L, replicates=n, seed=1, threads=2)
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
gauss(1000, 1000), plain(1000, 100)
start = peak()
gauss(100_000, 256), plain(100_000, 64)
middle = peak()
gauss(2, 100_000), plain(2, 100_000)
print(json.dumps([middle - start, peak() - middle]))
"""


def test_memory_grows_neither_with_the_length_nor_with_the_replicates() -> None:
    """A prompt of 10^5 tokens in 4 dimensions takes 1.5 MiB a replicate in float32, and 10^5
    replicates 2.3 MiB.
    """
    growth = run(MEMORY, ROOT)
    assert max(growth) < 8, growth
