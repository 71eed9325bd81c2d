"""Runs a sweep: the blocks that the store has are taken from there, the others are computed and
stored one by one, and the blocks of each run are joined.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable, Generator, Iterator

import numpy as np
from numpy.typing import NDArray

from numerics.attention.sampled.estimate import AttentionErrors, as_errors
from numerics.attention.sampled.joined_moments import joined
from numerics.attention.setting import AttentionSetting
from numerics.jobs.job import Job, Progress
from numerics.jobs.runner import perform, thread_count
from numerics.jobs.store import Store
from numerics.sweep.blocks import Block, run_block
from numerics.sweep.grid import Grid

__all__ = ["stored_digest", "sweep"]

Floats = NDArray[np.float64]
#: What a token in few dimensions takes on an ordinary processor; only the estimate at the
#: beginning of a sweep depends on it.
SECONDS_PER_TOKEN = 3e-9


def sweep(
    grid: Grid,
    store: Store,
    *,
    scheduler: str | None = None,
    threads: int | None = None,
    progress: Callable[[Progress], None] = lambda state: None,
) -> list[tuple[AttentionSetting, AttentionErrors]]:
    """Compute and store what the store lacks of a grid, and return all of it in the order of
    ``grid.runs``: bit for bit what `numerics.attention_errors` gives with the seed of the run,
    whatever the threads, the machines, the order and the interruptions. Without a Dask scheduler
    (``tcp://...``) blocks run in this process, on every processor by default.
    """
    threads = thread_count(threads)
    plan = {(i, L): grid.blocks(run, L) for i, run in enumerate(grid.runs) for L in grid.lengths}
    # Two entries of a grid may come to the same run: its blocks are computed once.
    blocks = {block.key: block for row in plan.values() for block in row}
    _describe_runs(grid, store, blocks)
    sums = perform(
        _shuffled(blocks),
        store,
        threads=threads,
        elsewhere=None
        if scheduler is None
        else lambda jobs: _on_cluster(scheduler, (blocks[job.key] for job in jobs)),
        progress=progress,
    )
    return [
        (
            run.setting,
            as_errors(
                grid.lengths,
                np.stack(
                    [
                        joined([piece for block in plan[i, L] for piece in sums[block.key]])
                        for L in grid.lengths
                    ]
                ),
                grid.replicates,
                run.seed,
                method=run.method,
            ),
        )
        for i, run in enumerate(grid.runs)
    ]


def stored_digest(grid: Grid, store: Store) -> str:
    """SHA-256 of the numbers of a grid as they are stored, with their keys: the same for every way
    to compute them.
    """
    digest = hashlib.sha256()
    for run in grid.runs:
        for L in grid.lengths:
            keys = [block.key for block in grid.blocks(run, L)]
            found = store.get(keys)
            for key in keys:
                digest.update(key.encode() + np.asarray(found[key], dtype="<f8").tobytes())
    return digest.hexdigest()


def _describe_runs(grid: Grid, store: Store, blocks: dict[str, Block]) -> None:
    """Store what the runs are under their own keys, with an empty array: the blocks name these keys
    only, since the matrices of a run may be long.
    """
    described = store.get({block.run for block in blocks.values()})
    for run in grid.runs:
        if run.key not in described:
            store.put(run.key, np.empty(0), {"label": run.setting.name, "content": json.loads(run.content)})


def _shuffled(blocks: dict[str, Block]) -> list[Job]:
    """The jobs, those of a run together, else in a random order: then two sweeps with one store
    share the work.
    """
    place = {block.run: random.random() for block in blocks.values()}
    return [
        _job(block)
        for block in sorted(blocks.values(), key=lambda block: (place[block.run], random.random()))
    ]


def _job(block: Block) -> Job:
    label = f"L = {block.L}, replicates {block.first} to {block.first + block.count - 1}"
    return Job(label, block.about(), SECONDS_PER_TOKEN * block.tokens, lambda attempt: run_block(block))


def _on_cluster(scheduler: str, blocks: Iterator[Block]) -> Generator[tuple[str, Floats], None, None]:
    from numerics.sweep.cluster import run_on

    yield from ((block.key, sums) for block, sums in run_on(scheduler, blocks))
