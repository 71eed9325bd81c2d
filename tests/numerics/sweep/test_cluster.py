"""Blocks on a Dask cluster: a real scheduler and real workers, some of which are killed."""

import asyncio
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import numerics.sweep.cluster
from numerics.jobs.job import Progress
from numerics.jobs.store import Store
from numerics.sweep.blocks import Block, run_block
from numerics.sweep.cluster import AHEAD, ClusterError, run_blocks, run_on
from numerics.sweep.run import stored_digest, sweep
from tests.numerics.sweep.clusters import PATIENCE, Cluster, asking, block, need_dask
from tests.numerics.sweep.grids import bits, two

need_dask()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    with Cluster(tmp_path_factory.mktemp("cluster")) as cluster:
        cluster.worker("first")
        cluster.worker("second")
        with asking(cluster, 2):
            pass
        yield cluster


def same(found: dict[Block, Any], blocks: list[Block]) -> bool:
    return set(found) == set(blocks) and all(found[b].tobytes() == run_block(b).tobytes() for b in blocks)


def until(true: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end
        time.sleep(0.02)


# ---------------------------------------------------------------- the numbers


def test_the_same_bits_as_here_each_block_once(cluster):
    blocks = [block(n, seed=seed, L=L) for n in range(3) for seed in (1, 2) for L in (1, 10, 300)]
    pairs = list(run_on(cluster.address, blocks, patience=PATIENCE))
    assert len(pairs) == len(blocks)
    assert same(dict(pairs), blocks)
    assert all(numbers.dtype == np.float64 for _, numbers in pairs)


def test_blocks_are_read_as_they_are_needed(cluster, monkeypatch):
    """A grid of a million blocks is not in memory; a block that takes a task's time is one."""
    monkeypatch.setattr(numerics.sweep.cluster, "TASK", 0.0)
    read, given, ahead = 0, 0, []

    def blocks() -> Iterator[Block]:
        nonlocal read
        for n in range(40):
            read += 1
            yield block(n)

    for _ in run_on(cluster.address, blocks(), patience=PATIENCE):
        given += 1
        ahead.append(read - given)
    assert given == 40
    assert max(ahead) <= AHEAD * 2
    assert list(run_on(cluster.address, [], patience=PATIENCE)) == []


def test_small_blocks_go_together(cluster, monkeypatch):
    """As many as fit into the time of a task: here all that are left once the first is back."""
    from distributed import Client

    sent, submit = list[list[Block]](), Client.submit

    def noted(client: Any, work: Any, task: list[Block], *rest: Any, **options: Any) -> Any:
        sent.append(task)
        return submit(client, work, task, *rest, **options)

    monkeypatch.setattr(Client, "submit", noted)
    monkeypatch.setattr(numerics.sweep.cluster, "TASK", 1e6)
    blocks = [block(n, seed=8, L=1) for n in range(60)]
    assert same(dict(run_on(cluster.address, blocks, patience=PATIENCE)), blocks)
    assert [b for task in sent for b in task] == blocks
    assert [len(task) for task in sent[:-1]] == [1] * (len(sent) - 1)
    assert len(sent) <= AHEAD * 2 + 1


def test_a_task_that_takes_too_long_leaves_blocks_for_the_next(cluster):
    """Whatever its size was made from: here it is for blocks of one token."""
    blocks = [block(n, seed=9, L=1) for n in range(30)] + [block(n, seed=9, L=20_000) for n in range(12)]
    pairs = list(run_on(cluster.address, blocks, patience=PATIENCE))
    assert len(pairs) == len(blocks)
    assert same(dict(pairs), blocks)
    began = time.monotonic()
    seconds, numbers = run_blocks(blocks[30:], 0.0)
    assert len(numbers) == 1
    assert 0 < seconds <= time.monotonic() - began
    assert len(run_blocks(blocks, 1e6)[1]) == len(blocks)


def test_in_a_notebook(cluster):
    """There an event loop is running already in the thread that asks."""
    blocks = [block(n) for n in range(3)]

    async def cell() -> dict[Block, Any]:
        return dict(run_on(cluster.address, blocks, patience=PATIENCE))

    assert same(asyncio.run(cell()), blocks)


def test_two_at_once_want_the_same_blocks(cluster):
    blocks, found = [block(n, seed=5, L=3000) for n in range(8)], list[dict[Block, Any]]()
    work = lambda: found.append(dict(run_on(cluster.address, blocks, patience=PATIENCE)))
    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 2
    assert all(same(one, blocks) for one in found)


def test_who_stops_listening_leaves_nothing_behind(cluster):
    results = run_on(cluster.address, (block(n, seed=6, L=3000) for n in range(100)), patience=PATIENCE)
    next(results)
    results.close()
    with asking(cluster, 2) as client:
        tasks = lambda: client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks))
        until(lambda: tasks() == 0)


def test_a_worker_killed_in_the_middle_of_a_block(cluster):
    victim = cluster.worker("victim")
    blocks = [block(n, seed=3, L=10_000) for n in range(24)]
    with asking(cluster, 3) as client:
        names = lambda: {
            info["name"]: at for at, info in client.scheduler_info(n_workers=-1)["workers"].items()
        }
        at = names()["victim"]
        results = run_on(cluster.address, blocks, patience=PATIENCE)
        found = dict([next(results)])
        until(lambda: client.processing()[at])
        victim.kill()
        found |= dict(results)
        assert "victim" not in names()
    assert same(found, blocks)


def test_a_sweep_on_a_cluster(cluster, tmp_path):
    """The numbers of a sweep here, and a store that tells no difference."""
    grid = two(tmp_path)
    with Store(tmp_path / "here") as here, Store(tmp_path / "there") as there:
        expected = [bits(errors) for _, errors in sweep(grid, here)]
        states: list[Progress] = []
        found = [
            bits(errors)
            for _, errors in sweep(grid, there, scheduler=cluster.address, progress=states.append)
        ]
        assert found == expected
        assert states[-1].computed == states[-1].total
        assert len(here) == len(there) == states[-1].total + len(grid.runs)  # and a row on each run
        assert stored_digest(grid, here) == stored_digest(grid, there)


# ---------------------------------------------------------------- what fails on a worker


def test_an_error_in_a_block_names_the_block(cluster):
    law = {"kind": "python", "source": "raise ArithmeticError('no such law')", "name": "law"}
    spoiled = block(2, L=70, law=law)
    words = rf"block {spoiled.key[:12]} \(L = 70, replicates 2048 to 3071\): .*ArithmeticError: no such"
    with pytest.raises(ClusterError, match=words):
        list(run_on(cluster.address, [block(0), spoiled], patience=PATIENCE))
    # and the cluster goes on
    assert same(dict(run_on(cluster.address, [block(0)], patience=PATIENCE)), [block(0)])


def test_a_block_that_fails_among_small_ones(cluster, monkeypatch):
    """Those before it in its task are kept, and it is the one that is named."""
    monkeypatch.setattr(numerics.sweep.cluster, "TASK", 1e6)
    law = {"kind": "python", "source": "raise ArithmeticError('no such law')", "name": "law"}
    good, spoiled = [block(n, L=1) for n in range(30)], block(2, L=70, law=law)
    with pytest.raises(ClusterError, match=rf"failed at block {spoiled.key[:12]} \(L = 70"):
        list(run_on(cluster.address, [*good, spoiled, block(0, L=2)], patience=PATIENCE))
    _, numbers = run_blocks([*good, spoiled, block(0, L=2)], 1e6)
    assert same(dict(zip(good, numbers, strict=True)), good)


def test_a_block_of_other_code_is_refused(cluster):
    told = "has other code than the block; install the same versions of largeprompt"
    with pytest.raises(ClusterError, match=told):
        list(run_on(cluster.address, [replace(block(0), code="0" * 64)], patience=PATIENCE))


NOT_INSTALLED = "import sys\nsys.modules['numerics'] = None\n"
DIES = "import os, numerics.sweep.blocks\nnumerics.sweep.blocks.run_block = lambda block: os._exit(1)\n"


def test_a_cluster_without_workers_with_bad_ones_and_without_scheduler(tmp_path, caplog):
    """One after the other on one cluster: starting processes is what takes the time."""
    with Cluster(tmp_path, DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES="0") as cluster:
        began = time.monotonic()
        with pytest.raises(
            ClusterError,
            match=rf"no worker at {cluster.address} for 0.5 s; start some, each with `dask worker",
        ):
            list(run_on(cluster.address, [block(0)], patience=0.5))
        assert time.monotonic() - began < 10
        for name, preload, says in (
            ("bare", NOT_INSTALLED, r"one after the other at block .*: largeprompt is not installed"),
            ("dying", DIES, r"one after the other at block .*, or they lack memory; their logs tell which"),
        ):
            process = cluster.worker(name, preload)
            with pytest.raises(ClusterError, match=says):
                list(run_on(cluster.address, [block(0)], patience=PATIENCE))
            process.kill()
            with asking(cluster, 0) as client:
                until(lambda: not client.nthreads())
        cluster.worker("good")
        results = run_on(cluster.address, (block(n, L=3000) for n in range(1000)), patience=PATIENCE)
        first, numbers = next(results)
        caplog.clear()
        cluster.scheduler.kill()
        began = time.monotonic()
        with pytest.raises(
            ClusterError, match="went away; start it again, then the sweep: finished blocks are kept"
        ):
            list(results)
        assert time.monotonic() - began < 20
        assert [record.message for record in caplog.records if record.levelname == "ERROR"] == []
    assert numbers.tobytes() == run_block(first).tobytes()


# ---------------------------------------------------------------- no cluster


HOSTS = ["localhost", "scheduler:8786", "http://h:1", "tcp://h", "tcp://:8786", "tcp://h:0", "tcp://h:65536"]


@pytest.mark.parametrize("bad", ["", *HOSTS, "tcp://a b:1", "tcp://h:8786/x"])
def test_addresses_that_are_none(bad):
    with pytest.raises(
        ClusterError, match=r"is no address of a scheduler; write it like tcp://scheduler:8786"
    ):
        run_on(bad, [])


def test_no_dask(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ClusterError, match=r"pip install 'largeprompt\[dask\]'"):
        run_on("tcp://127.0.0.1:8786", [])


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


@pytest.mark.parametrize(
    "address", ["tcp://127.0.0.1:{}", "tcp://[::1]:{}", "tcp://no-such-host.invalid:{}", "tcp://a..b:{}"]
)
def test_nobody_there(address):
    address = address.format(free_port())
    began = time.monotonic()
    with pytest.raises(ClusterError, match="no scheduler at ") as caught:
        run_on(address, [block(0)], patience=5)
    assert address in str(caught.value)
    assert "start it with `dask scheduler`" in str(caught.value)
    assert time.monotonic() - began < 15


@pytest.mark.parametrize(
    "says",
    [b"", b"HTTP/1.1 400 Bad Request\r\n\r\n" + bytes(200), bytes(64)],
    ids=["nothing", "HTTP", "zeros"],
)
def test_a_stranger_answers(says):
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.1)
        going, kept = True, list[socket.socket]()

        def serve() -> None:
            while going:
                try:
                    connection, _ = server.accept()
                except TimeoutError:
                    continue
                connection.sendall(says)
                kept.append(connection)

        thread = threading.Thread(target=serve)
        thread.start()
        began = time.monotonic()
        try:
            with pytest.raises(ClusterError, match="does not speak Dask's protocol"):
                run_on(f"tcp://127.0.0.1:{server.getsockname()[1]}", [block(0)], patience=1)
        finally:
            going = False
            thread.join()
            for connection in kept:
                connection.close()
        assert time.monotonic() - began < 10


def test_the_address_of_a_worker(cluster):
    with asking(cluster, 2) as client:
        at = next(iter(client.nthreads()))
    with pytest.raises(ClusterError, match="is a worker of the cluster, not its scheduler"):
        run_on(at, [block(0)], patience=PATIENCE)
