"""Large calls, and many small ones: `python -m benchmarks.scale`.

CPU time is that of one thread. The sweep runs on two workers of a Dask cluster on this machine and
on two threads of this process, in wall time.
"""

from __future__ import annotations

import importlib.util
import tempfile
import time
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks._ratio import typical
from benchmarks.growth import LENGTHS, setting_of, table_of
from numerics import attention_descent, exact_errors, how_linear
from numerics.jobs.store import Store
from numerics.sweep.grid import Grid, read_grid
from numerics.sweep.run import sweep
from theory import FeatureRegression

K, STEPS = 1024, 64
#: Blocks of a sweep, each of some milliseconds.
BLOCKS = 2000
GRID = """
seed = 0
replicates = 500
lengths = [100]
[[tokens]]
name = "isotropic"
Gamma = { identity = 2 }
[[U]]
identity = 2
scales = SCALES
[[V]]
identity = 2
[[query]]
vector = [1.0, -0.5]
"""


def a_step() -> float:
    """Seconds of a step of gradient descent: what twice as many steps take longer."""
    problem = FeatureRegression(np.eye(K), np.eye(K))
    short, long = (
        typical(partial(attention_descent, problem, 1.0, n, records=[n]), repeats=3)
        for n in (STEPS, 3 * STEPS)
    )
    return (long - short) / (2 * STEPS)


def swept(grid: Grid, scheduler: str | None) -> float:
    """Seconds of a sweep with an empty store."""
    with Store() as store:
        start = time.perf_counter()
        sweep(grid, store, scheduler=scheduler, threads=2)
        return time.perf_counter() - start


def sweeps() -> None:
    """Print the rows of sweeps."""
    from distributed import LocalCluster

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "grid.toml"
        file.write_text(GRID.replace("SCALES", str(np.linspace(0.1, 1.0, BLOCKS).tolist())))
        grid = read_grid(file)
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        for where, scheduler in (
            ("two threads here", None),
            ("two workers of Dask", cluster.scheduler_address),
        ):
            swept(grid, scheduler)  # the first sweep compiles
            took = min(swept(grid, scheduler) for _ in range(3))
            print(
                f"| `sweep` | {BLOCKS} blocks on {where} | {took:.2f} s of wall time, "
                f"{1e3 * took / BLOCKS:.2f} ms a block |"
            )


if __name__ == "__main__":
    print("| call | of what size | time |\n|---|---|---|")
    for d in (100, 200, 400):
        took = typical(
            partial(exact_errors, **setting_of(d), lengths=LENGTHS, query_cov=np.eye(d)), repeats=3
        )
        print(f"| `exact_errors(query_cov=)` | d = {d} | {took:.2f} s of CPU time |", flush=True)
    took = typical(lambda: how_linear(table_of(50_000, 768), LENGTHS), repeats=1)
    print(f"| `how_linear`, with the law | a table of 50 000 x 768 | {took:.1f} s of CPU time |", flush=True)
    step = a_step()
    print(
        f"| `attention_descent` | a step at K = {K} | {1e3 * step:.2f} ms of CPU time, "
        f"{1e9 * step / K**2:.1f} ns per K^2 |",
        flush=True,
    )
    if importlib.util.find_spec("distributed") is not None:
        sweeps()
