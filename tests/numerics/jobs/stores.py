"""What the tests of the store share: numbers under keys, and the bytes of a folder."""

import hashlib
import os
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from numerics.jobs.store import Store

Floats = NDArray[np.float64]
ABOUT = {"law": "gaussian", "L": 10, "words": "schief, skew, 斜"}


def key(n: int) -> str:
    return hashlib.sha256(str(n).encode()).hexdigest()


def value(n: int) -> Floats:
    return np.random.default_rng(n).standard_normal((3, 6))


def same(a: Floats, b: Floats) -> bool:
    return a.shape == b.shape and a.tobytes() == b.tobytes()


def fill(path: Path, count: int = 40) -> Path:
    with Store(path) as store:
        for n in range(count):
            store.put(key(n), value(n), ABOUT | {"n": n})
    return path


def read(path: Path, count: int = 40) -> dict[str, Floats]:
    with Store(path) as store:
        return store.get(key(n) for n in range(count))


def everything(folder: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in sorted(folder.iterdir()) if p.is_file()}


def in_threads(work: Callable[..., object], *numbers: Any) -> None:
    """Call it in a thread for each number, all at once, and wait for them."""
    threads = [threading.Thread(target=work, args=(n,)) for n in numbers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@contextmanager
def folder_in_memory() -> Iterator[Path]:
    """Where writes need not wait for the disk; a kill does not ask what is on it."""
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as folder:
        yield Path(folder)
