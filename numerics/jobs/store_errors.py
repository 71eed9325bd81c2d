"""What may go wrong with the file of a store, in one sentence: what happened, and what to do."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from numerics.terminal.inputs import InputError, file_is_there

__all__ = ["APPLICATION", "FORMAT", "StoreError", "check_header", "connect", "explained", "inspected"]

APPLICATION = 0x4C505354  # "LPST", in the header of the file
FORMAT = 1
SMALLEST_PAGE = 512  # bytes; a shorter file is no database, though SQLite takes it for an empty one
NOT_SQLITE = "{} is not an SQLite file, and was left as it is; give another file"
NOTHING_LOST = "nothing that was stored is lost"


class StoreError(InputError):
    """A store cannot be opened, read or written; the message says why, and what to do."""


def connect(path: Path, options: str) -> sqlite3.Connection:
    """A connection in autocommit mode that never waits, `options` as in SQLite's URIs."""
    uri = f"file:{quote(os.fsencode(os.path.abspath(path)))}?{options}"  # any bytes: names need not be text
    return sqlite3.connect(uri, uri=True, timeout=0, isolation_level=None, check_same_thread=False)


def inspected(path: Path) -> bool:
    """Refuse a file that is no store, before SQLite may write to it; whether the store is still to
    be created, the file being missing or empty.

    An ordinary connection rolls back an unfinished transaction or empties a write-ahead log, in
    somebody else's database too; with ``immutable`` SQLite looks at the file as it lies there.
    SQLite is asked, and not ``open``, because closing a file takes away every lock that this
    process holds on it, and with them the protection of another `Store` on the same file.

    >>> inspected(Path("no-such-file.sqlite"))
    True
    """
    try:
        if not file_is_there(path, "store", StoreError) or (size := path.stat().st_size) == 0:
            return True
        if not os.access(path, os.W_OK):
            raise StoreError(
                f"may not write to {path}; change its permissions, or copy the store to where you may write"
            )
        if size < SMALLEST_PAGE:
            raise StoreError(NOT_SQLITE.format(path))
        with closing(connect(path, "mode=ro&immutable=1")) as connection:
            # A size that an unfinished write left wrong is no reason to refuse.
            connection.execute("PRAGMA writable_schema = ON")
            check_header(path, connection)
    except OSError as error:
        raise StoreError(f"cannot open the store {path} ({error.strerror}); give another file") from error
    except sqlite3.Error as error:
        raise explained(path, error) from error
    return False


def check_header(path: Path, connection: sqlite3.Connection) -> None:
    """Refuse a database that is not ours, or ours in a format of the future."""
    (kind,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if kind != APPLICATION:
        raise StoreError(f"{path} is a database of another program, and was left as it is; give another file")
    if version != FORMAT:
        raise StoreError(
            f"the store {path} has format {version}, this version reads {FORMAT}; update largeprompt, or "
            "give another file"
        )


def explained(path: Path, error: sqlite3.Error) -> StoreError:
    """The error of a store for an error of SQLite."""
    name = getattr(error, "sqlite_errorname", "") or str(error)
    known = {
        "SQLITE_NOTADB": NOT_SQLITE.format(path),
        "SQLITE_CORRUPT": f"the store {path} is damaged ({error}); restore a copy, or give a new file",
        "SQLITE_FULL": f"no room is left on the disk of {path}; make room and start again: {NOTHING_LOST}",
        "SQLITE_READONLY_DBMOVED": (
            f"the store {path} was moved or deleted while it was open; put it back and start again"
        ),
        "SQLITE_READONLY": (
            f"may not write to {path}; change its permissions, or copy it to where you may write"
        ),
        "SQLITE_CANTOPEN": (
            f"cannot open {path} or its journal; make sure that you may write to its folder and start again"
        ),
        "SQLITE_IOERR": (
            f"reading or writing {path} failed ({name}); check its disk or network and start again: "
            f"{NOTHING_LOST}"
        ),
    }
    found = next(
        (says for start, says in sorted(known.items(), reverse=True) if name.startswith(start)), None
    )
    return StoreError(
        found or f"SQLite cannot use the store {path} ({error}); start again, or give another file"
    )
