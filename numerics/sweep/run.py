"""Running a sweep: what the store has is taken from there, the rest is computed and stored as it
comes.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from numerics.attention.setting import AttentionSetting
from numerics.monte_carlo.estimate import AttentionErrors, as_errors
from numerics.monte_carlo.joined_moments import joined
from numerics.monte_carlo.sampler import whole
from numerics.sweep.blocks import Block, run_block
from numerics.sweep.spec import Spec

__all__ = ["Done", "Interrupted", "Keeper", "run_here", "stored_digest", "sweep"]

Floats = NDArray[np.float64]
MOST_THREADS = 1024  # systems refuse some thousands


class Keeper(Protocol):
    """What a sweep asks of a store, see `numerics.jobs.store.Store`."""

    def get(self, keys: Iterable[str]) -> Mapping[str, Floats]:
        """What is stored under these keys."""
        ...

    def put(self, key: str, array: Floats, about: Mapping[str, Any]) -> None:
        """Store an array for good."""
        ...


@dataclass(frozen=True)
class Done:
    """How far a sweep is.

    Parameters
    ----------
    blocks, total : int
        Stored blocks, of those that the spec asks for.
    reused : int
        Blocks that were stored when the sweep began, or that another one has stored since.
    tokens, total_tokens : int
        The same in tokens, without the reused ones: what costs time.
    """

    blocks: int
    total: int
    reused: int
    tokens: int
    total_tokens: int

    @property
    def run(self) -> int:
        """Blocks that this sweep has computed."""
        return self.blocks - self.reused


class Interrupted(KeyboardInterrupt):
    """Ctrl-C in the middle of a sweep.

    Parameters
    ----------
    done : Done
        What is stored and stays so.
    """

    def __init__(self, done: Done) -> None:
        super().__init__(f"interrupted; {done.blocks} of {done.total} blocks are stored; the same command goes on")
        self.done = done


def sweep(
    spec: Spec,
    store: Keeper,
    *,
    scheduler: str | None = None,
    threads: int | None = None,
    progress: Callable[[Done], None] = lambda done: None,
) -> list[tuple[AttentionSetting, AttentionErrors]]:
    """Compute what is missing of a grid and return all of it.

    Parameters
    ----------
    spec : Spec
        From `read_spec`.
    store : Store
        Every finished block is stored at once; blocks that it has, or gets from another sweep, are
        not computed again.
    scheduler : str, optional
        Address of a Dask scheduler, such as ``tcp://127.0.0.1:8786``; without it the blocks run in
        this process.
    threads : int, optional
        In this process; one for every processor by default. The numbers do not depend on it.
    progress : callable
        Called with a `Done` at the beginning and after every block.

    Returns
    -------
    list of (AttentionSetting, AttentionErrors)
        In the order of ``spec.runs``; bit for bit what `numerics.attention_errors` gives with the
        seed of the run, whatever the threads, the machines, the order and the interruptions.

    Raises
    ------
    Interrupted
        At Ctrl-C.
    TypeError, ValueError
        If `threads` is no integer from 1 to 1024, or the store or the scheduler cannot be used.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from numerics.jobs.store import Store
    >>> from numerics.sweep.spec import example, read_spec
    >>> with TemporaryDirectory() as folder, Store(Path(folder) / "results.sqlite") as store:
    ...     file = Path(folder) / "grid.toml"
    ...     _ = file.write_text(example().replace("20_000", "100").replace("10:3000:6", "10:100:2"))
    ...     (setting, errors), *others = sweep(read_spec(file), store, threads=1)
    >>> setting.name, errors.lengths.tolist(), len(others)
    ('isotropic, U x 0.1', [10, 100], 5)
    """
    workers = whole("threads", min(os.cpu_count() or 1, MOST_THREADS) if threads is None else threads, 1, MOST_THREADS)
    plan = {(i, L): spec.blocks(run, L) for i, run in enumerate(spec.runs) for L in spec.lengths}
    # Two entries of a grid may come to the same run: its blocks are computed once.
    blocks = {block.key: block for row in plan.values() for block in row}
    results = dict(store.get(blocks))
    missing = [block for key, block in blocks.items() if key not in results]
    # Large ones first, and those of a run together; else every sweep has an order of its own, and
    # two on one store share the work.
    rank = {block.run: random.random() for block in missing}
    missing.sort(key=lambda block: (-block.tokens, rank[block.run], random.random()))
    said: set[str] = set()
    done = Done(len(results), len(blocks), len(results), 0, sum(block.tokens for block in missing))
    progress(done)

    def wanted() -> Iterator[Block]:
        nonlocal done
        for block in missing:
            if found := store.get([block.key]):  # from another sweep, in the meantime
                results.update(found)
                left = done.total_tokens - block.tokens
                done = replace(done, blocks=done.blocks + 1, reused=done.reused + 1, total_tokens=left)
                progress(done)
            else:
                yield block

    try:
        for block, sums in _computed(wanted(), scheduler if missing else None, workers):
            if block.run not in said:  # what the runs are stands in the store once, before their numbers
                store.put(block.run, np.zeros(0), {"run": json.loads(block.content)})
                said.add(block.run)
            store.put(block.key, sums, block.about())
            results[block.key] = sums
            done = replace(done, blocks=done.blocks + 1, tokens=done.tokens + block.tokens)
            progress(done)
    except KeyboardInterrupt:
        # The last block may have been stored without having been counted.
        late = store.get(key for key in blocks if key not in results)
        raise Interrupted(replace(done, blocks=len(results) + len(late))) from None
    return [
        (
            run.setting,
            as_errors(
                spec.lengths,
                np.stack([joined([piece for block in plan[i, L] for piece in results[block.key]]) for L in spec.lengths]),
                spec.replicates,
                run.seed,
                method=run.method,
            ),
        )
        for i, run in enumerate(spec.runs)
    ]


def stored_digest(spec: Spec, store: Keeper) -> str:
    """SHA-256 of the numbers of a grid as they are stored, with their keys: the same for every way
    to compute them.
    """
    digest = hashlib.sha256()
    for run in spec.runs:
        for L in spec.lengths:
            keys = [block.key for block in spec.blocks(run, L)]
            found = store.get(keys)
            for key in keys:
                digest.update(key.encode() + np.asarray(found[key], dtype="<f8").tobytes())
    return digest.hexdigest()


def _computed(blocks: Iterator[Block], scheduler: str | None, threads: int) -> Iterator[tuple[Block, Floats]]:
    if scheduler is None:
        return run_here(blocks, threads)
    from numerics.sweep.cluster import run_on

    return run_on(scheduler, blocks)


def run_here(blocks: Iterable[Block], threads: int) -> Iterator[tuple[Block, Floats]]:
    """Run blocks on threads (the kernels release the GIL), and give them back as they are ready.

    After an error, or Ctrl-C, no block is begun; those that are running are given back before it is
    raised.

    Examples
    --------
    >>> list(run_here([], threads=1))
    []
    """
    waiting = iter(blocks)
    running: dict[Future[Floats], Block] = {}
    error: BaseException | None = None
    with ThreadPoolExecutor(threads) as pool:
        try:
            while True:
                if error is None:  # one more for each thread, so that none waits for us
                    for block in islice(waiting, 2 * threads - len(running)):
                        running[pool.submit(run_block, block)] = block
                else:
                    running = {future: block for future, block in running.items() if not future.cancel()}
                if not running:
                    break
                ready: Iterable[Future[Floats]] = ()
                try:
                    ready = wait(running, return_when=FIRST_COMPLETED).done
                except KeyboardInterrupt as stop:
                    if error is not None:  # the second time
                        raise
                    error = stop
                for future in ready:
                    block, failed = running.pop(future), future.exception()
                    error = error or failed
                    if failed is None:
                        yield block, future.result()
        finally:
            for future in running:
                future.cancel()
    if error is not None:
        raise error
