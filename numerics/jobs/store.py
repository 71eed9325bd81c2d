"""A store keeps the arrays of jobs in one file, under their keys; neither a kill nor a second
writer can spoil it.

The file is an SQLite database with one table. ``sqlite3 FILE "SELECT about FROM results"`` shows
what each array belongs to, so that it can be computed again by hand. A write is one transaction
under SQLite's rollback journal: the write-ahead log would be faster, but it needs memory shared by
all writers, which a network file system does not give, and keeps results in a second file that a
copy forgets. After a kill the journal may lie beside the file, and the next opening takes back what
was half written. The file system must honour locks: NFS version 4 does.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from numerics.jobs.store_errors import (
    APPLICATION,
    FORMAT,
    StoreError,
    check_header,
    connect,
    explained,
    inspected,
)

__all__ = ["Store", "StoreError"]

Floats = NDArray[np.float64]
Answer = TypeVar("Answer")
Row = tuple[str, str, bytes, str, str]

MOST_ENTRIES = 10**7  # of an array: a store keeps sums and records, not samples
PAUSE = 0.02  # seconds between two attempts while another program writes
KEY = re.compile(r"[0-9a-f]{64}")
COLUMNS = "key, shape, data, about, checksum"
TABLE = (
    "CREATE TABLE results (key TEXT NOT NULL PRIMARY KEY, shape TEXT NOT NULL, data BLOB NOT NULL, "
    "about TEXT NOT NULL,\n checksum TEXT NOT NULL) WITHOUT ROWID"
)


class Store:
    """Arrays under keys, in one file, or in memory without a path. A missing file is created, its
    folder is not; one that is no store is never changed. Another program that writes is waited for,
    ``patience`` seconds. Threads may share a `Store`, and processes may open the same file.

    The columns of the table ``results``: ``key``, 64 hexadecimal digits; ``shape``, JSON; ``data``,
    float64, little-endian, last index fastest; ``about``, JSON; ``checksum``, the SHA-256 in
    hexadecimal of key, shape and about, each followed by a line feed, and data.
    """

    def __init__(self, path: str | os.PathLike[str] | None = None, *, patience: float = 60.0) -> None:
        if path is not None and not isinstance(path, (str, os.PathLike)):
            raise TypeError(f"path = {path!r} is no name of a file; give a string or a Path")
        self.path = Path(":memory:" if path is None else path)
        self.patience = patience
        self._lock = threading.Lock()
        options = "mode=memory" if path is None else "mode=rwc" if inspected(self.path) else "mode=rw"
        try:
            self._connection = connect(self.path, options)
        except sqlite3.Error as error:
            raise explained(self.path, error) from error
        try:
            self._patiently(self._prepare)
        except BaseException:
            self.close()
            raise

    def get(self, keys: Iterable[str]) -> dict[str, Floats]:
        """The arrays stored under these keys, in their order, without those that are not stored. A
        row that does not have its checksum is a StoreError.
        """
        wanted = [_key(key) for key in dict.fromkeys(keys)]
        rows = self._rows(wanted)
        return {key: _array(rows[key]) for key in wanted if key in rows}

    def put(self, key: str, array: Floats, about: Mapping[str, Any]) -> None:
        """Store an array of at most ten million entries under a digest of everything that
        determines it. Once this has returned, the array survives a kill and a power cut. If the key
        holds different bytes already, they stay, and a StoreError says so; the first ``about``
        under a key stays, too.
        """
        row = _row(_key(key), array, about)

        def write() -> None:
            self._connection.execute("BEGIN IMMEDIATE")
            added = self._connection.execute(
                f"INSERT OR IGNORE INTO results ({COLUMNS}) VALUES (?, ?, ?, ?, ?)", row
            ).rowcount
            self._connection.execute("COMMIT")
            if not added:
                self._compare(row)

        self._patiently(write)

    def about(self, key: str) -> dict[str, Any]:
        """What was said about a stored array."""
        said: dict[str, Any] = json.loads(self._rows([_key(key)])[key][3])
        return said

    def checkpoint(self, key: str) -> Path | None:
        """Where unfinished work under a key may be kept: nowhere, unless this is a `Workspace`."""
        return None

    @contextmanager
    def turn(self, key: str) -> Iterator[bool]:
        """Whether this process may compute the array of a key now: always, unless this is a
        `Workspace`, which keeps two of them from the same work.
        """
        yield True

    def __len__(self) -> int:
        (count,) = self._patiently(
            lambda: self._connection.execute("SELECT count(*) FROM results").fetchone()
        )
        return int(count)

    def close(self) -> None:
        """Close the file. A second call does nothing."""
        with self._lock:
            self._connection.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _rows(self, keys: list[str]) -> dict[str, Row]:
        """The rows under these keys, their checksums verified."""
        # As JSON, since SQLite takes few parameters; sorted, so that each page of the file is read
        # once.
        query = f"SELECT {COLUMNS} FROM results WHERE key IN (SELECT value FROM json_each(?))"
        ordered = json.dumps(sorted(keys))
        found: list[Row] = self._patiently(lambda: self._connection.execute(query, [ordered]).fetchall())
        for row in found:
            if row[4] != _checksum(*row[:4]):
                raise StoreError(
                    f"a row of {self.path} has changed since it was written, its checksum differs; restore "
                    "a copy of the file, or have it computed again: DELETE FROM results WHERE key = "
                    f"'{row[0]}'"
                )
        return {row[0]: row for row in found}

    def _compare(self, row: Row) -> None:
        (kept,) = self._connection.execute(f"SELECT {COLUMNS} FROM results WHERE key = ?", row[:1]).fetchall()
        if kept[1:3] != row[1:3]:
            raise StoreError(
                f"{self.path} holds other numbers under {row[0]} than those computed now: the code is not "
                "deterministic on this pair of machines, and the first stay; use processors of one type for "
                "a store, or one store for each type"
            )

    def _prepare(self) -> None:
        """Create the table, or make sure that it is there and whole."""
        run = self._connection.execute
        # The folder is synced too: a power cut cannot bring back the journal of a finished write.
        run("PRAGMA synchronous = EXTRA")
        run("PRAGMA cell_size_check = ON")
        if run("PRAGMA application_id").fetchone() == (0,):
            run("BEGIN IMMEDIATE")  # whoever comes second finds a store
            if (
                run("PRAGMA application_id").fetchone()
                == (0,)
                == run("SELECT count(*) FROM sqlite_master").fetchone()
            ):
                run(TABLE)
                run(f"PRAGMA application_id = {APPLICATION}")
                run(f"PRAGMA user_version = {FORMAT}")
            run("COMMIT")
        check_header(self.path, self._connection)
        verdict = run("PRAGMA quick_check(1)").fetchall()
        names = ", ".join(column[1] for column in run("PRAGMA table_info(results)"))
        if verdict != [("ok",)] or names != COLUMNS:
            says = "; ".join(str(line) for (line,) in verdict).replace("\n", " ")
            raise StoreError(f"the store {self.path} is damaged ({says}); restore a copy, or give a new file")

    def _patiently(self, action: Callable[[], Answer]) -> Answer:
        """Do it once no other program is in the way. SQLite could wait, but deaf to Ctrl-C."""
        end = time.monotonic() + self.patience
        with self._lock:
            while True:
                try:
                    return action()
                except sqlite3.Error as error:
                    if not getattr(error, "sqlite_errorname", "").startswith("SQLITE_BUSY"):
                        raise explained(self.path, error) from error
                    if time.monotonic() > end:
                        raise StoreError(
                            f"another program has kept {self.path} locked for {self.patience:g} s; stop it "
                            "or wait, and start again"
                        ) from error
                finally:
                    with suppress(sqlite3.Error):
                        if self._connection.in_transaction:
                            self._connection.execute("ROLLBACK")
                time.sleep(PAUSE)


def _key(key: str) -> str:
    if not isinstance(key, str):
        raise TypeError(f"a key must be a string, not {key!r}")
    if not KEY.fullmatch(key):
        raise ValueError(f"key = {key!r} is not the SHA-256 of something: 64 digits from 0 to f")
    return key


def _row(key: str, array: Floats, about: Mapping[str, Any]) -> Row:
    if not isinstance(array, np.ndarray) or array.dtype.newbyteorder("=") != np.float64:
        raise TypeError(
            f"only arrays of float64 are stored, not {getattr(array, 'dtype', type(array))}; convert it first"
        )
    if array.size > MOST_ENTRIES:
        raise ValueError(
            f"an array of {array.size} entries; a store is for sums and records, up to {MOST_ENTRIES} "
            "entries: reduce it first"
        )
    try:
        said = json.dumps(dict(about), ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise TypeError(f"`about` must be JSON-able, with finite numbers ({error})") from error
    shape, data = json.dumps(array.shape), array.astype("<f8").tobytes()
    return key, shape, data, said, _checksum(key, shape, data, said)


def _checksum(key: str, shape: str, data: bytes, about: str) -> str:
    head = f"{key}\n{shape}\n{about}\n".encode("utf-8", "surrogateescape")
    return hashlib.sha256(head + data).hexdigest()


def _array(row: Row) -> Floats:
    shape = tuple(json.loads(row[1]))
    return np.frombuffer(row[2], "<f8").astype(np.float64).reshape(shape)
