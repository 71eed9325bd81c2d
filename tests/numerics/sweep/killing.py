"""A program: sweeps in children killed at moments of its choosing; prints JSON. They are forked
from a process that has compiled everything, so that dozens of kills take seconds.
"""

import json
import random
import signal
import sqlite3
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from numerics.jobs.store import Store
from numerics.sweep import blocks, run
from numerics.sweep.blocks import Block
from numerics.sweep.run import sweep
from tests.forks import child, ended
from tests.numerics.jobs.stores import key, value
from tests.numerics.sweep.grids import bits, two

LIMIT = 60.0


def wait_until(true: Callable[[], object]) -> None:
    end = time.monotonic() + LIMIT
    while not true() and time.monotonic() < end:
        time.sleep(0.001)


def rows(path: Path) -> list[Any]:
    """Every array and what is said of it apart from the time that it took, without our code."""
    columns = "key, shape, hex(data), json_remove(about, '$.seconds')"
    with closing(sqlite3.connect(path)) as connection:
        found = connection.execute(f"SELECT {columns} FROM results ORDER BY key").fetchall()
    return [list(row) for row in found]


class Diary:
    """A line for each block that is begun, and for each that is stored, at once."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def bits(self) -> Path:
        return self.path.with_suffix(".bits")

    def write(self, what: str, block_key: str) -> None:
        with self.path.open("a") as file:
            file.write(f"{what} {block_key}\n")

    def read(self, what: str) -> list[str]:
        lines = self.path.read_text().splitlines() if self.path.exists() else []
        return [line.split()[1] for line in lines if line.startswith(what)]


class DiaryStore(Store):
    diary: Diary

    def put(self, block_key: str, array: Any, about: Any) -> None:
        super().put(block_key, array, about)
        if array.size:  # an empty one stands where the store says what a run is
            self.diary.write("stored", block_key)


def sweeping(folder, name, diary, threads, most=None):
    """A sweep that stops and waits to be killed when it should begin more than `most` blocks."""

    def work() -> None:
        compute = blocks.run_block

        def noted(block: Block) -> Any:
            if most is not None and len(diary.read("begun")) >= most:
                time.sleep(LIMIT)
            diary.write("begun", block.key)
            return compute(block)

        run.run_block = noted
        with DiaryStore(folder / name) as store:
            store.diary = diary
            results = sweep(four_runs(folder), store, threads=threads)
        diary.bits.write_bytes(b"".join(bits(errors) for _, errors in results))

    return work


def four_runs(folder: Path) -> Any:
    return two(folder, replicates=6000, lengths="[100, 400]")


def kill_sweeps(folder: Path, chance: random.Random, kills: int, threads: int) -> dict[str, Any]:
    """One in peace, one killed and started again: what each run began and stored; no run gets so
    far, though a kill may come late, that nothing would be left.
    """
    assert ended(child(sweeping(folder, "peace", Diary(folder / "peace.txt"), threads))) == 0
    runs, done = list[Diary](), 0
    for number in range(kills):
        diary = Diary(folder / f"run{number}.txt")
        pid, least = child(sweeping(folder, "war", diary, threads, most=8)), chance.randrange(4)
        wait_until(lambda diary=diary, least=least: len(diary.read("stored")) >= least)
        done += ended(pid, chance.uniform(0, 0.01)) == -signal.SIGKILL
        runs.append(diary)
    runs.append(Diary(folder / "last.txt"))
    assert ended(child(sweeping(folder, "war", runs[-1], threads))) == 0
    return {
        "kills": done,
        "same rows": rows(folder / "peace") == rows(folder / "war"),
        "same bits": (folder / "peace.bits").read_bytes() == (folder / "last.bits").read_bytes(),
        "blocks": sum(row[1] != "[0]" for row in rows(folder / "peace")),
        "runs": [{"begun": d.read("begun"), "stored": d.read("stored")} for d in runs],
    }


def kill_writers(folder: Path, chance: random.Random, journals: int) -> dict[str, Any]:
    """Until it has left an unfinished transaction behind a number of times."""
    path, end = folder / "store", time.monotonic() + LIMIT
    Store(path).close()
    start = seen = kills = lost = wrong = extra = 0
    while seen < journals and time.monotonic() < end:
        diary = Diary(folder / f"writer{kills}.txt")

        def work(diary: Diary = diary, start: int = start) -> None:
            with DiaryStore(path) as store:
                store.diary = diary
                for n in range(start, start + 10**6):
                    store.put(key(n), value(n), {"n": n})

        pid = child(work)
        wait_until(lambda diary=diary: diary.read("stored"))
        ended(pid, chance.uniform(0, 0.02))
        kills += 1
        seen += Path(f"{path}-journal").exists()
        said = diary.read("stored")
        with Store(path) as store:
            found = store.get(key(n) for n in range(start, start + len(said) + 10))
            lost += len(set(said) - set(found))
            extra = max(extra, len(found) - len(said))
            wrong += sum(
                found[key(n)].tobytes() != value(n).tobytes() for n in range(start, start + len(found))
            )
            start += len(found)
            assert len(store) == start
    return {"journals": seen, "kills": kills, "lost": lost, "extra": extra, "wrong": wrong, "stored": start}


def together(folder: Path) -> dict[str, Any]:
    """Into one store, from its creation on, and a third program that keeps it locked."""
    assert ended(child(sweeping(folder, "peace", Diary(folder / "peace.txt"), 1))) == 0
    diaries = [Diary(folder / f"sweep{n}.txt") for n in range(2)]

    def lock() -> None:
        with closing(sqlite3.connect(folder / "war", timeout=LIMIT, isolation_level=None)) as connection:
            for _ in range(2):
                connection.execute("BEGIN EXCLUSIVE")
                time.sleep(0.3)
                connection.execute("COMMIT")
                time.sleep(0.05)

    children = [child(sweeping(folder, "war", diary, 1)) for diary in diaries]
    wait_until(lambda: all(diary.read("stored") for diary in diaries))
    children.append(child(lock))
    return {
        "statuses": [ended(pid) for pid in children],
        "same rows": rows(folder / "peace") == rows(folder / "war"),
        "same bits": [diary.bits.read_bytes() == (folder / "peace.bits").read_bytes() for diary in diaries],
    }


def main(where: Path, seed: int) -> dict[str, Any]:
    blocks.TOKENS = 1  # blocks of one piece each
    grid, chance = four_runs(where), random.Random(seed)
    for one in grid.runs:
        blocks.run_block(grid.blocks(one, 100)[0])
    folder = lambda name: (where / name).mkdir() or where / name
    return {
        "one thread": kill_sweeps(folder("one"), chance, kills=5, threads=1),
        "two threads": kill_sweeps(folder("two"), chance, kills=5, threads=2),
        "writers": kill_writers(folder("writers"), chance, journals=3),
        "together": together(folder("together")),
    }


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]), int(sys.argv[2]))))
