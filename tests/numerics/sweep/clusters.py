"""Real Dask schedulers and workers on loopback; each is ended by its own handle."""

import importlib.util
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from numerics.jobs.content import canonical
from numerics.jobs.hexadecimal import as_hex
from numerics.sweep.blocks import Block, code_digest
from numerics.sweep.laws import describe_gaussian

PATIENCE = 60.0  # a busy machine takes seconds to start a process


def need_dask() -> None:
    """Skip where Dask is not installed, and say so; with CI=true it must be."""
    if importlib.util.find_spec("distributed") is None:
        if os.environ.get("CI") == "true":
            pytest.fail("no dask.distributed: install .[dask]")
        pytest.skip(
            "DID NOT RUN: no dask.distributed on this machine, so no cluster was tried: install .[dask]",
            allow_module_level=True,
        )


class Cluster:
    """A scheduler, and workers that a test asks for; `settings` are environment variables."""

    def __init__(self, folder: Path, **settings: str) -> None:
        self.folder, self.processes, self.address = folder, list[subprocess.Popen[bytes]](), ""
        self.environment = os.environ | settings
        info = folder / "scheduler.json"
        self.scheduler = self._start(
            "scheduler", "--dashboard-address=127.0.0.1:0", "--port=0", f"--scheduler-file={info}"
        )
        end = time.monotonic() + PATIENCE
        while not self.address:
            assert time.monotonic() < end, self.logs()
            time.sleep(0.02)
            try:
                self.address = json.loads(info.read_text())["address"]
            except (FileNotFoundError, json.JSONDecodeError):
                continue

    def worker(self, name: str, preload: str = "") -> subprocess.Popen[bytes]:
        """A worker with one thread, in its own process; `preload` is code that it runs first."""
        extra = []
        if preload:
            script = self.folder / f"{name}_preload.py"
            script.write_text(preload, encoding="utf-8")
            extra = ["--preload", str(script)]
        local = ["--no-dashboard", "--local-directory", str(self.folder)]
        return self._start(
            "worker", self.address, "--no-nanny", "--nthreads", "1", "--name", name, *local, *extra
        )

    def logs(self) -> str:
        return "\n".join(f"{p.name}:\n{p.read_text()}" for p in sorted(self.folder.glob("*.log")))

    def _start(self, kind: str, *arguments: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", f"distributed.cli.dask_{kind}", "--host", "127.0.0.1", *arguments]
        with (self.folder / f"{len(self.processes)}-{kind}.log").open("wb") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log, cwd=self.folder, env=self.environment)
        self.processes.append(process)
        return process

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        for process in reversed(self.processes):
            process.kill()
        for process in self.processes:
            process.wait(timeout=PATIENCE)


@contextmanager
def asking(cluster: Cluster, workers: int) -> Iterator[Any]:
    from distributed import Client

    with Client(cluster.address, set_as_default=False, timeout=PATIENCE) as client:
        if workers:
            client.wait_for_workers(workers, timeout=PATIENCE)
        yield client


def content(seed: int = 1, **changes: object) -> str:
    run = {
        "law": describe_gaussian(np.eye(2)),
        "U": as_hex(np.eye(2) / 2),
        "V": as_hex(np.eye(2)),
        "query": as_hex([1.0, -0.5]),
    }
    return canonical(run | {"method": "tokens", "seed": seed} | changes)


def block(number: int, L: int = 300, **changes: object) -> Block:
    return Block(content(**changes), L, 1024 * number, 1024, code_digest())
