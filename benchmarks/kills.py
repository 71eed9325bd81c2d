"""Kill programs with ``kill -9`` at random moments and let them go on:
``python -m benchmarks.kills [--kills N] [--seed N] [--only NAME ...]``.

Run it from the root of a checkout, on a system that can fork. The programs are a sweep, a training,
the runs behind figures (with quick stand-ins for the training in them), and the writing of a
ledger. A program is killed until it comes to its end by itself, in a new folder then, until it was
killed often enough; each time the end has to be, bit for bit, that of a program in peace. It exits
with 1 if one is not. Where Dask is installed, a sweep also loses a worker or the scheduler.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numerics.training.run as training
from numerics.experiments.boursier_boyer.run_plan import measure
from numerics.jobs.store import Store
from numerics.sweep import blocks
from numerics.sweep.cluster import ClusterError
from numerics.sweep.run import sweep
from numerics.training.full_tokens import full_token_kernel
from proofs_check.core.ledgers.ledger import as_text, write_json
from proofs_check.core.ledgers.stored import RELEASE
from tests.forks import child, ended
from tests.numerics.experiments.fake_engines import SMALL, Fake, numbers
from tests.numerics.sweep.clusters import Cluster
from tests.numerics.sweep.grids import two
from tests.numerics.sweep.killing import rows

#: A child that is killed lives at most this share of the time of a program in peace.
SHARE = 0.4
#: The chance after each block that somebody in a cluster is killed.
STRIKES = 0.1


class Program(NamedTuple):
    """What is killed: it works in a folder, and what it leaves there can be compared. After each
    kill the folder has to be `sound`.
    """

    work: Callable[[Path], Any]
    left: Callable[[Path], Any]
    sound: Callable[[Path], bool] = lambda folder: True


def _sweep(folder: Path, **how: Any) -> None:
    with Store(folder / "store") as store:
        list(sweep(two(folder, replicates=3000, lengths="[100, 400]"), store, threads=1, **how))


def _train(folder: Path) -> Any:
    return training.train(
        "softmax", 3, checkpoint=folder / "run.npz", d=2, batch=4, lr=0.05, steps=400, seed=3, every=7
    )


def _trained(folder: Path) -> list[bytes]:
    run = _train(folder)  # a finished run is read
    return [array.tobytes() for array in (run.step, run.risk, run.risk_error, *run.parameters)]


def _figures(folder: Path) -> Any:
    return numbers(measure(SMALL, folder=folder, threads=1, _engines=Fake(pause=1e-3).engines()))


@cache
def _ledgers() -> tuple[dict[str, Any], ...]:
    whole = json.loads(RELEASE.read_text(encoding="utf-8"))
    return tuple(whole | {"claims": whole["claims"][:n]} for n in (20, 40))


def _write(folder: Path) -> None:
    for document in _ledgers() * 10:
        write_json(document, folder / "ledger.json")


def _ledger(folder: Path) -> str:
    return (folder / "ledger.json").read_text(encoding="utf-8")


def _is_one(folder: Path) -> bool:
    return not (folder / "ledger.json").exists() or _ledger(folder) in map(as_text, _ledgers())


PROGRAMS = {
    "sweep": Program(_sweep, lambda folder: rows(folder / "store")),
    "train": Program(_train, _trained),
    "figures": Program(_figures, _figures),
    "ledger": Program(_write, _ledger, _is_one),
}


def _survived(work: Callable[[], Any], seconds: float | None) -> bool:
    """Whether a child came to its end before it was killed."""
    status = ended(child(work), seconds)
    if status not in (0, -signal.SIGKILL):
        raise RuntimeError(f"a child ended with status {status}; what it printed says why")
    return status == 0


def kill(program: Program, kills: int, chance: random.Random, where: Path) -> tuple[int, int, int]:
    """Numbers of kills, of programs that came to their end, and of faults."""
    (peace := where / "peace").mkdir(parents=True)
    began = time.monotonic()
    _survived(lambda: program.work(peace), None)
    seconds, expected = time.monotonic() - began, program.left(peace)
    done = ends = faults = 0
    while done < kills:
        (folder := where / str(ends)).mkdir()
        longest = SHARE * seconds
        while not _survived(partial(program.work, folder), chance.uniform(0, longest)):
            done += 1
            faults += not program.sound(folder)
            longest *= 1.1  # on a busy machine lives grow until they get somewhere
        ends += 1
        faults += program.left(folder) != expected
    return done, ends, faults


def kill_in_a_cluster(kills: int, chance: random.Random, where: Path) -> tuple[int, int, int]:
    """The same numbers for a sweep on a cluster: a worker or the scheduler is killed when some
    block is done, and the sweep goes on, after the death of the scheduler on a new cluster.
    """
    (peace := where / "peace").mkdir(parents=True)
    _sweep(peace)
    done = ends = faults = 0
    while done < kills:
        (folder := where / str(ends)).mkdir()
        over = False
        while not over:
            with Cluster(Path(tempfile.mkdtemp(dir=folder))) as cluster:
                victim = chance.choice([cluster.worker("one"), cluster.worker("other"), cluster.scheduler])
                try:
                    _sweep(
                        folder,
                        scheduler=cluster.address,
                        progress=lambda _, v=victim: chance.random() < STRIKES and v.kill(),
                    )
                    over = True
                except ClusterError:
                    over = victim is not cluster.scheduler  # then it should not have stopped
                done += victim.poll() is not None
        ends += 1
        faults += rows(folder / "store") != rows(peace / "store")
    return done, ends, faults


def main(arguments: list[str] | None = None) -> int:
    """Kill, and print how often and what came of it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=100, help="in all; each program gets its share")
    parser.add_argument("--seed", type=int, default=0, help="another seed is another choice of moments")
    names = list(PROGRAMS) + ["dask"] * bool(find_spec("distributed"))  # last: a fork copies no threads
    parser.add_argument("--only", nargs="+", choices=names, default=names)
    options = parser.parse_args(arguments)
    if not hasattr(os, "fork"):
        print("this system cannot fork; run it on Linux or macOS", file=sys.stderr)
        return 2
    # Blocks of one piece each; a checkpoint after every step, by the kernel that is not compiled.
    blocks.TOKENS = 1
    training.CHECKPOINT_PAUSE, training.WORK_PER_CHECKPOINT, training.SHORT_CALL = 0.0, 0, 0.0
    training.sgd_kernel = full_token_kernel
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        (warm := Path(folder) / "warm").mkdir()
        for name in set(options.only) & set(PROGRAMS):
            PROGRAMS[name].work(warm)  # children are forked from a process that has loaded everything
        for name in sorted(options.only, key=names.index):
            share = -(-options.kills // len(options.only))
            killed = partial(kill, PROGRAMS[name]) if name in PROGRAMS else kill_in_a_cluster
            done, ends, faults = killed(share, random.Random(f"{name} {options.seed}"), Path(folder) / name)
            print(f"{name}: {done} kills, {ends} came to their end, {faults} faults", flush=True)
            bad += faults
    return 1 if bad else 0


if __name__ == "__main__":
    raise SystemExit(main())
