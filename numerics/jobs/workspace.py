"""A workspace is a store for jobs that take minutes: beside the finished arrays it keeps the
checkpoints of those that are under way, and the locks that say who computes them.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from numerics.jobs.store import KEY, Store, StoreError
from numerics.terminal.inputs import make_folder

__all__ = ["Workspace"]


class Workspace(Store):
    """A store in a folder, which is made if the folder around it exists, with checkpoints, and with
    locks that go away with the process that holds them. ``results.sqlite`` is the file of the
    store. ``running/KEY.npz`` is the checkpoint of a job that was begun, ``running/KEY.lock`` says
    that a process computes it; both are deleted when its array is stored.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        if not isinstance(folder, (str, os.PathLike)):
            raise TypeError(f"folder = {folder!r} is no name of a folder; give a string or a Path")
        self._running = Path(folder) / "running"
        try:
            make_folder(Path(folder))
            self._running.mkdir(exist_ok=True)
        except OSError as error:
            raise StoreError(f"cannot make the folder {self._running} ({error}); give another one") from error
        super().__init__(Path(folder) / "results.sqlite")
        for path in self._running.iterdir():  # a kill may come between storing and deleting
            if KEY.fullmatch(path.name[:64]) and self.get([path.name[:64]]):
                _delete(path)

    def put(self, key: str, array: NDArray[np.float64], about: Mapping[str, Any]) -> None:
        """Store an array for good, and delete the checkpoint that led to it."""
        super().put(key, array, about)
        for path in self._running.glob(f"{key}.npz*"):  # a kill may leave a checkpoint half written
            _delete(path)

    def checkpoint(self, key: str) -> Path | None:
        """Where unfinished work under a key may be kept."""
        return self._running / f"{key}.npz"

    @contextmanager
    def turn(self, key: str) -> Iterator[bool]:
        """Whether this process may compute the array of a key now. Nobody else may until the block
        is left, or until the process ends in whatever way. Look into the store once the turn has
        come: who had it before may have finished the work.

        A transaction on an empty SQLite file is a lock that every operating system has, that
        threads respect too, and that no kill leaves behind. Its file is deleted only when the array
        is stored: whoever still holds it, misses it, or makes it anew finds the array there.
        """
        path = self._running / f"{key}.lock"
        with ExitStack() as held:
            try:
                connection = sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)
                held.callback(connection.close)
                connection.execute("BEGIN EXCLUSIVE")
                mine = True
            except sqlite3.OperationalError as error:
                mine = bool(self.get([key]))  # SQLite has noticed that the file was deleted
                if not mine and not getattr(error, "sqlite_errorname", "").startswith("SQLITE_BUSY"):
                    raise StoreError(
                        f"cannot lock {path} ({error}); make sure that you may write to its folder"
                    ) from error
            yield mine
        if mine and self.get([key]):
            _delete(path)


def _delete(path: Path) -> None:
    """Delete a file that is of no use any more; one that cannot be deleted does no harm."""
    with suppress(OSError):
        path.unlink(missing_ok=True)
