"""What the tests of the store share: numbers under keys, and the bytes of a folder."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from numerics.store import Store

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
