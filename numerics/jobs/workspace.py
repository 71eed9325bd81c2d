"""The folder of a measurement: finished numbers in a store, checkpoints of what is under way, and
who is at it.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from numerics.jobs.store import KEY, Store, StoreError

__all__ = ["Folder", "Memory"]

Floats = NDArray[np.float64]


class Memory:
    """What a `Folder` does, for a measurement that keeps nothing.

    Examples
    --------
    >>> memory = Memory()
    >>> memory.put("key", np.zeros(1), {"seconds": 2.0})
    >>> memory.get(["key", "other"]), memory.about("key")
    ({'key': array([0.])}, {'seconds': 2.0})
    """

    def __init__(self) -> None:
        self._arrays: dict[str, tuple[Floats, dict[str, Any]]] = {}

    def get(self, keys: Iterable[str]) -> dict[str, Floats]:
        """The arrays under these keys, where there are some."""
        return {key: self._arrays[key][0] for key in keys if key in self._arrays}

    def about(self, key: str) -> dict[str, Any]:
        """What was said about an array."""
        return self._arrays[key][1]

    def put(self, key: str, array: Floats, about: Mapping[str, Any]) -> None:
        """Keep an array."""
        self._arrays[key] = (array, dict(about))

    def checkpoint(self, key: str) -> Path | None:
        """Nowhere."""
        return None

    @contextmanager
    def turn(self, key: str) -> Iterator[bool]:
        """Nobody else can be at it."""
        yield True

    def close(self) -> None:
        """Nothing to close."""


class Folder:
    """Arrays under keys, checkpoints, and locks that go away with the process that holds them.

    Parameters
    ----------
    path : path-like
        Made if missing.

    Raises
    ------
    TypeError
        If `path` is no name.
    StoreError
        If the folder, or the store in it, cannot be used.

    Notes
    -----
    ``results.sqlite`` is a `numerics.jobs.store.Store`. ``running/KEY.npz`` is the checkpoint of work that was begun,
    ``running/KEY.lock`` says that somebody is at it; both are deleted when its numbers are stored.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        if not isinstance(path, (str, os.PathLike)):
            raise TypeError(f"folder = {path!r} is no name of a folder; give a string or a Path")
        self.path = Path(path)
        self._running = self.path / "running"
        try:
            self._running.mkdir(parents=True, exist_ok=True)
        except (OSError, ValueError) as error:  # the second for a null character
            raise StoreError(f"cannot make the folder {self._running} ({error}); give another one") from error
        self._store = Store(self.path / "results.sqlite")
        for path in self._running.iterdir():  # what a kill left between storing and tidying up
            if KEY.fullmatch(path.name[:64]) and self._store.get([path.name[:64]]):
                self._tidy(path)

    def get(self, keys: Iterable[str]) -> dict[str, Floats]:
        """The arrays under these keys, where there are some."""
        return self._store.get(keys)

    def about(self, key: str) -> dict[str, Any]:
        """What was said about an array."""
        return self._store.about(key)

    def put(self, key: str, array: Floats, about: Mapping[str, Any]) -> None:
        """Store an array for good; its checkpoint has done its service."""
        self._store.put(key, array, about)
        for path in self._running.glob(f"{key}.npz*"):  # with what a kill may leave of a checkpoint half written
            self._tidy(path)

    def checkpoint(self, key: str) -> Path | None:
        """Where unfinished work under a key may be kept."""
        return self._running / f"{key}.npz"

    @contextmanager
    def turn(self, key: str) -> Iterator[bool]:
        """Whether this one may work on a key; nobody else may until the block is left, or the
        process ends in whatever way.

        Look into the store once the turn has come: who had it before may have finished the work.

        Notes
        -----
        A transaction on an empty SQLite file is a lock that every operating system has, that threads respect too, and that no kill
        leaves behind. Its file is deleted only when the numbers are stored: whoever still holds it, misses it, or makes it anew
        finds them there.
        """
        path = self._running / f"{key}.lock"
        with ExitStack() as held:
            try:
                connection = sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)
                held.callback(connection.close)
                connection.execute("BEGIN EXCLUSIVE")
                mine = True
            except sqlite3.OperationalError as error:
                mine = bool(self._store.get([key]))  # SQLite has noticed that the file is gone
                if not mine and not getattr(error, "sqlite_errorname", "").startswith("SQLITE_BUSY"):
                    raise StoreError(f"cannot lock {path} ({error}); make sure that you may write to its folder") from error
            yield mine
        if mine and self._store.get([key]):
            self._tidy(path)

    @staticmethod
    def _tidy(path: Path) -> None:
        with suppress(OSError):
            path.unlink(missing_ok=True)

    def close(self) -> None:
        """Close the store."""
        self._store.close()
