"""What only a process of its own can show: which compiled code is used, and how much memory."""

import json
import os
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

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
from numerics.attention.sampled.kernels.queries import query_kernel
from numerics.compiled.streams import key_of
out = np.empty((2, 10))
kernel = query_kernel()
kernel(0, 5, key_of(1), out)
key = source_digest.kernel_key("numerics.attention.sampled.kernels.queries")
print(json.dumps([out.tolist(), key, sum(kernel.stats.cache_hits.values())]))
"""


def run(program: str, root: Path, *arguments: str, **variables: str) -> list[Any]:
    environment = {**os.environ, "PYTHONPATH": str(root), "OMP_NUM_THREADS": "1", **variables}
    command = [sys.executable, "-c", program, *arguments]
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout.splitlines()[-1])
    assert isinstance(found, list)
    return found


@pytest.fixture
def copied_tree(tmp_path):
    for package in ("numerics", "theory"):
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def test_a_changed_helper_is_never_served_from_the_cache(copied_tree):
    kernel = partial(run, PROGRAM, copied_tree, NUMBA_CACHE_DIR=str(copied_tree / "cache"))
    before, old, hits = kernel()
    assert not hits
    assert kernel() == [before, old, 1], "an unchanged source is compiled once"
    helper = copied_tree / "numerics" / "compiled" / "streams.py"
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


#: Under what each kind of work files its results: blocks of sweeps, trainings, and kernels of both;
#: as the sources are, and after a change of each file that is named. A process reads the sources
#: once, so each question has its own.
DIGESTS = """
import json, os, sys
from pathlib import Path
from numerics.compiled.source_digest import kernel_key
from numerics.experiments.boursier_boyer.engines import engines
from numerics.sweep.blocks import code_digest
def digests():
    names = ("training.kernels.loop", "attention.sampled.kernels.scores_only")
    kernels = {name: kernel_key(f"numerics.{name}") for name in names}
    return {"blocks of sweeps": code_digest(), "trainings": engines().code("train")} | kernels

def changed(path):
    text = path.read_bytes()
    path.write_bytes(text + b"# changed\\n")
    found = digests()
    path.write_bytes(text)
    return found

told = []
for name in (None, *sys.argv[1:]):
    read, write = os.pipe()
    if not os.fork():
        os.write(write, json.dumps(changed(Path("numerics", name)) if name else digests()).encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as answer:
        told.append(json.load(answer))
    os.wait()
print(json.dumps(told))
"""


def test_a_change_invalidates_what_depends_on_it_in_other_folders_and_leaves_the_rest_alone(copied_tree):
    scores = "attention.sampled.kernels.scores_only"
    everything = {"blocks of sweeps", "trainings", "training.kernels.loop", scores}
    dependent = {
        "training/kernels/chi.py": {"trainings", "training.kernels.loop"},
        "token_laws/sub_gaussian.py": {"blocks of sweeps"},
        "attention/sampled/kernels/score_sums.py": {"blocks of sweeps", scores},
        "compiled/streams.py": everything,
        "rates/measure.py": set(),
    }
    before, *after = run(DIGESTS, copied_tree, *dependent)
    assert set(before) == everything
    moved = [{name for name in before if found[name] != before[name]} for found in after]
    assert dict(zip(dependent, moved, strict=True)) == dependent


#: Growth of the peak of resident memory, in MiB, as L grows to 10^5 and as the number of replicates
#: does.
MEMORY = """
import json, resource
import numpy as np
from numerics.attention.sampled.estimate import attention_errors
from numerics.token_laws import atoms
I = np.eye(4)
signs = atoms([[1.0], [-1.0]], [0.5, 0.5])  # drawn by NumPy
rest = dict(query_cov=I, seed=1, threads=2, method="tokens")
gauss = lambda L, n: attention_errors(I, I, I, None, L, replicates=n, **rest)
scores = lambda L: attention_errors(I, I, I, np.ones(4), L, replicates=128, seed=1, method="scores")
plain = lambda L, n: attention_errors(signs, [[1.0]], [[1.0]], [1.0], L, replicates=n, seed=1, threads=2)
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
gauss(1000, 1000), plain(1000, 100), scores(1000)
start = peak()
gauss(100_000, 256), plain(100_000, 64), scores(1_000_000)
middle = peak()
gauss(2, 100_000), plain(2, 100_000)
print(json.dumps([middle - start, peak() - middle]))
"""


def test_memory_grows_neither_with_the_length_nor_with_the_replicates():
    """10^5 tokens in 4 dimensions are 1.5 MiB a replicate in float32, 10^6 scores 3.8 MiB."""
    growth = run(MEMORY, ROOT)
    assert max(growth) < 8, growth
