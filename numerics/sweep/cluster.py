"""Computes the blocks of a sweep on a Dask cluster: the same numbers, bit for bit, wherever and in
whatever order they are computed. All machines need ``largeprompt[dask]`` in the version of the
machine that asks: a block names the code that it was made for and the versions of NumPy, SciPy and
Numba, and a worker with others refuses it.
"""

# Start ``dask scheduler`` on one machine and ``dask worker tcp://THAT-MACHINE:8786`` on each. Bits
# may still differ between kinds of processors (fused multiply-add, the linear algebra behind
# NumPy): use machines of one kind. In a hundred dimensions they also depend on the threads of that
# linear algebra: leave it the one that ``dask worker`` gives it, and set OMP_NUM_THREADS=1 in
# programs of your own. The processes of a cluster run whatever is sent to them; keep its ports
# inside a network that you trust.

from __future__ import annotations

import asyncio
import hashlib
import logging
import re
import socket
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from itertools import chain, islice
from queue import Empty, SimpleQueue
from typing import Any

import numpy as np
from numpy.typing import NDArray

from numerics.sweep.blocks import Block, run_block

__all__ = ["ClusterError", "run_on"]

ADDRESS = re.compile(
    r"(?:tcp|tls)://(?:\[(?P<six>[0-9a-fA-F:.%]+)\]|(?P<host>[^\s/:\[\]]+)):(?P<port>\d{1,5})/?"
)
#: Tasks sent for each thread of the cluster: so many that none of them waits for the next one, so
#: few that little is lost when the sweep is stopped.
AHEAD = 3
#: Seconds after which a task begins no further block. One costs the scheduler and the way there and
#: back some hundredths of a second, many times what a small block takes.
TASK = 0.5
#: Seconds between two looks at the cluster.
LOOK = 1.0


class ClusterError(ValueError):
    """A cluster does not answer, has no workers, or fails at a block. The message says what
    happened, where, and what to do.
    """


def run_on(
    address: str, blocks: Iterable[Block], *, patience: float = 10.0
) -> Iterator[tuple[Block, NDArray[np.float64]]]:
    """Run distinct blocks on the cluster of a scheduler: pairs (block, numbers) as they are
    finished. A few tasks for each thread are out at a time, each a block or as many small ones as
    take half a second. A block whose worker dies is computed by another one. `patience` is in
    seconds, for the scheduler and whenever there is no worker.
    """
    _check(address)
    _installed()
    _look(address, patience)
    return _results(address, iter(blocks), patience)


def _check(address: str) -> tuple[str, int]:
    found = ADDRESS.fullmatch(address) if isinstance(address, str) else None
    if found is None or not 1 <= int(found["port"]) < 2**16:
        raise ClusterError(f"{address!r} is no address of a scheduler; write it like tcp://scheduler:8786")
    return found["six"] or found["host"], int(found["port"])


def _installed() -> Any:
    try:
        import distributed
    except ImportError as error:
        raise ClusterError(
            "a cluster needs Dask, which is not installed: pip install 'largeprompt[dask]'"
        ) from error
    return distributed


def _look(address: str, patience: float) -> None:
    """Make sure that a scheduler answers; the errors of Dask's `Client` say less and come later."""
    from distributed import Security, rpc

    async def identity() -> Any:
        async with rpc(
            address, timeout=patience, connection_args=Security().get_connection_args("client")
        ) as other:
            return await asyncio.wait_for(other.identity(), patience)

    host, port = _check(address)
    advice = "start it with `dask scheduler`, or correct the address"
    try:
        socket.create_connection((host, port), timeout=patience).close()
    except (OSError, UnicodeError) as error:  # a name of the wrong form is a UnicodeError
        why = (
            "no answer" if isinstance(error, TimeoutError) else getattr(error, "strerror", None) or str(error)
        )
        raise ClusterError(f"no scheduler at {address} ({why}); {advice}") from error
    try:
        with ThreadPoolExecutor(1) as pool:  # a notebook has an event loop in this thread already
            kind = pool.submit(lambda: asyncio.run(identity())).result()["type"]
    except Exception as error:  # whatever the bytes of a stranger make of Dask's protocol
        raise ClusterError(
            f"what listens at {address} does not speak Dask's protocol ({type(error).__name__}); {advice}"
        ) from error
    if kind != "Scheduler":
        raise ClusterError(
            f"{address} is a {kind.lower()} of the cluster, not its scheduler; use the address that `dask "
            "scheduler` prints"
        )


@contextmanager
def _connected(address: str, patience: float) -> Iterator[Any]:
    from distributed import Client

    try:
        client = Client(address, timeout=patience, set_as_default=False, name="largeprompt")
    except (OSError, ValueError) as error:
        raise ClusterError(
            f"no connection to the scheduler at {address} ({error}); start it again, or correct the address"
        ) from error
    log = logging.getLogger("distributed.client")
    level = log.level
    log.setLevel(
        logging.CRITICAL
    )  # a lost scheduler is told in one sentence, not in the tracebacks of Dask's callbacks
    try:
        yield client
    finally:
        client.close(timeout=patience)  # which takes back what is not finished
        log.setLevel(level)


def _results(
    address: str, blocks: Iterator[Block], patience: float
) -> Iterator[tuple[Block, NDArray[np.float64]]]:
    out: dict[str, tuple[list[Block], Any]] = {}  # what the cluster has been given, by the key of the task
    done: SimpleQueue[str] = SimpleQueue()
    left: list[Block] = []  # given, but not begun in time
    size = 1
    with _connected(address, patience) as client:
        watch = _Watch(client, address, patience)
        while True:
            while len(out) < AHEAD * max(1, watch.threads()) and (
                task := list(islice(chain(left, blocks), size))
            ):
                del left[:size]
                # the key makes two sweeps that want one task, such as a long block, share its
                # computation
                key = (
                    f"largeprompt-{hashlib.sha256(''.join(block.key for block in task).encode()).hexdigest()}"
                )
                with _scheduler_answers(address):
                    future = client.submit(run_blocks, task, TASK, key=key)
                    future.add_done_callback(lambda _, key=key: done.put(key))
                out[key] = task, future
            if not out:
                return
            with suppress(Empty):
                task, future = out[key := done.get(timeout=LOOK)]
                seconds, numbers = _numbers(task, future, address)
                del out[key], future
                left += task[len(numbers) :]
                size = max(
                    1, int(2 * TASK * len(numbers) / max(seconds, 1e-3))
                )  # twice as many as it gets done
                yield from zip(task, numbers)


def run_blocks(blocks: list[Block], most: float) -> tuple[float, list[NDArray[np.float64]]]:
    """Run blocks one after the other, and begin none after so many seconds; return the seconds that
    it took, and the numbers of those that were done. A block that fails is not done; if it is the
    first one, its error goes through.
    """
    began, numbers = time.monotonic(), list[NDArray[np.float64]]()
    for block in blocks:
        if numbers and time.monotonic() - began >= most:
            break
        try:
            numbers.append(run_block(block))
        except Exception:
            if not numbers:
                raise
            break
    return time.monotonic() - began, numbers


class _Watch:
    """Asks now and then how many threads the cluster has, and raises an error when it has none for
    too long.
    """

    def __init__(self, client: Any, address: str, patience: float) -> None:
        self.client, self.address, self.patience = client, address, patience
        self.alive = time.monotonic()
        self.asked, self.known = self.alive - LOOK, 0

    def threads(self) -> int:
        now = time.monotonic()
        if (
            now - self.asked < LOOK or self.client.status != "running"
        ):  # the futures of a lost scheduler say so
            return self.known
        with _scheduler_answers(self.address):
            self.known, self.asked = sum(self.client.nthreads().values()), now
        if self.known:
            self.alive = now
        elif now - self.alive > self.patience:
            raise ClusterError(
                f"no worker at {self.address} for {self.patience:g} s; start some, each with `dask "
                f"worker {self.address}`"
            )
        return self.known


def _numbers(task: list[Block], future: Any, address: str) -> tuple[float, list[NDArray[np.float64]]]:
    if future.status != "finished":
        block = task[0]
        what = (
            f"block {block.key[:12]} (L = {block.L}, replicates {block.first} to "
            f"{block.first + block.count - 1})"
        )
        with _scheduler_answers(address):
            if future.status != "error":
                raise CancelledError
            error = future.exception()
        if type(error).__name__ == "KilledWorker":
            after = f" or the {len(task) - 1} sent with it" if len(task) > 1 else ""
            raise ClusterError(
                f"workers of {address} died one after the other at {what}{after}: largeprompt is not "
                "installed for them, or they lack memory; their logs tell which"
            ) from error
        raise ClusterError(
            f"a worker of {address} failed at {what}: {type(error).__name__}: {error}"
        ) from error
    with _scheduler_answers(address):
        found: tuple[float, list[NDArray[np.float64]]] = future.result()
    return found


@contextmanager
def _scheduler_answers(address: str) -> Iterator[None]:
    """Turn whatever goes wrong while the scheduler is asked into the error that it went away."""
    try:
        yield
    except (OSError, RuntimeError, CancelledError) as error:
        raise ClusterError(
            f"the scheduler at {address} went away; start it again, then the sweep: finished blocks are kept"
        ) from error
