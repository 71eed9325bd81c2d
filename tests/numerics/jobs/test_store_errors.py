"""Nothing else is taken for a store, and nothing that goes wrong costs what was stored."""

import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from numerics.jobs.store import TABLE, Store, StoreError
from numerics.jobs.store_errors import APPLICATION
from tests.numerics.jobs.stores import everything, key, read, same, value

# ---------------------------------------------------------------- what is no store


def foreign(path: Path, *, kind: int = 0, wal: bool = False) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None)
    if wal:
        connection.execute("PRAGMA journal_mode = WAL")
    connection.execute(f"PRAGMA application_id = {kind}")
    connection.execute("CREATE TABLE results (key TEXT, shape TEXT, data BLOB, about TEXT, checksum TEXT)")
    connection.execute("INSERT INTO results VALUES ('theirs', '', '', '', '')")
    return connection


def changed(path: Path, script: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(script)


def refused(folder: Path, name: str, says: str) -> None:
    """Opening raises one clear sentence and changes not a byte in the folder."""
    before = everything(folder)
    for _ in range(2):
        with pytest.raises(StoreError, match=says) as caught:
            Store(folder / name)
        assert str(folder) in str(caught.value)
        assert "\n" not in str(caught.value)
    assert everything(folder) == before


NO_STORES = {
    "a letter": b"x",
    "a table": b"L,error\n10,0.5\n",
    "noise": random.Random(0).randbytes(20_000),
    "zeros": bytes(8192),
    "another header": b"SQLite format 2\0" + bytes(5000),
}


@pytest.mark.parametrize("content", NO_STORES.values(), ids=NO_STORES)
def test_a_file_that_is_no_database(content, tmp_path):
    (tmp_path / "notes").write_bytes(content)
    refused(tmp_path, "notes", "is not an SQLite file, and was left as it is; give another file")


@pytest.mark.parametrize("kind", [0, 1, 0x0F055112])
@pytest.mark.parametrize("wal", [False, True])
def test_a_database_of_another_program(kind, wal, tmp_path):
    foreign(tmp_path / "theirs", kind=kind, wal=wal).close()
    refused(tmp_path, "theirs", "a database of another program, and was left as it is; give another file")


def test_a_database_in_use_by_another_program(tmp_path):
    connection = foreign(tmp_path / "theirs", wal=True)
    assert (tmp_path / "theirs-wal").stat().st_size > 0
    refused(tmp_path, "theirs", "another program")
    connection.close()


def test_unfinished_work_of_another_program_is_left_for_it(tmp_path):
    """Its journal says what to take back; an ordinary opening would do that: the control."""
    whole, torn = tmp_path / "whole", tmp_path / "torn"
    whole.mkdir()
    torn.mkdir()
    connection = foreign(whole / "theirs")
    spill(connection)
    for file in whole.iterdir():
        shutil.copy(file, torn)
    connection.close()
    refused(torn, "theirs", "another program")
    control = sqlite3.connect(torn / "theirs")
    assert control.execute("SELECT count(*) FROM results").fetchone() == (1,)
    control.close()
    assert list(everything(torn)) == ["theirs"]


def spill(connection: sqlite3.Connection) -> None:
    """Begin a transaction so large that half of it is in the file already, beside its journal."""
    connection.execute("PRAGMA cache_size = 2")
    connection.execute("PRAGMA cache_spill = 1")
    connection.execute("BEGIN IMMEDIATE")
    for n in range(200):
        connection.execute("INSERT INTO results VALUES (?, '[]', zeroblob(900), '', '')", (key(10_000 + n),))


FUTURE, OURS = "PRAGMA user_version = 2", f"PRAGMA application_id = {APPLICATION}; PRAGMA user_version = 1"
FORMS = {
    "results.sqlite": (FUTURE, "has format 2, this version reads 1; update largeprompt"),
    "without its table": (f"{OURS}; CREATE TABLE other (x)", "damaged"),
}


@pytest.mark.parametrize("name", FORMS)
def test_a_store_of_another_form(name, filled):
    script, says = FORMS[name]
    changed(filled.with_name(name), script)
    refused(filled.parent, name, says)


def test_places_where_no_store_can_be(tmp_path):
    (tmp_path / "file").touch()
    for place, says in (
        (tmp_path, "is a folder; give the name of a file in it"),
        (tmp_path / "nowhere" / "s", r"there is no folder .*nowhere for the store s; create it first"),
        (tmp_path / "file" / "s", "Not a directory; give another name"),
        (tmp_path / ("s" * 300), r"cannot (open|keep) the store"),
        ("/dev/null", "neither a file nor missing"),
        ("a\0b", "null"),
    ):
        with pytest.raises(StoreError, match=says):
            Store(place)
    with pytest.raises(TypeError, match="path"):
        Store(3)
    assert list(everything(tmp_path)) == ["file"]


UNPRIVILEGED = """
import os, sys
from numerics.jobs.store import TABLE, Store, StoreError
if os.getuid() == 0:
    os.setgroups([]), os.setgid(65534), os.setuid(65534)
try:
    Store(sys.argv[1])
except StoreError as error:
    print(error)
"""


@pytest.mark.parametrize("locked", ["the file", "its folder", "the folder of a new one"])
def test_no_permission_to_write(locked, filled):
    with tempfile.TemporaryDirectory() as outside:  # pytest's own folders are closed to others
        folder = Path(outside) / "f"
        folder.mkdir()
        new = locked == "the folder of a new one"
        file = folder / ("new.sqlite" if new else shutil.copy(filled, folder / "s"))
        Path(outside).chmod(0o755)
        before = everything(folder)
        if file.exists():
            file.chmod(0o444 if locked == "the file" else 0o666)
        folder.chmod(0o777 if locked == "the file" else 0o555)
        try:
            command = [sys.executable, "-c", UNPRIVILEGED, file]
            says = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        finally:
            folder.chmod(0o700)
        assert f"may not write to {file if locked == 'the file' else folder};" in says
        assert everything(folder) == before


# ---------------------------------------------------------------- damage


def test_a_number_that_changed_is_found_when_it_is_read_and_the_advice_works(filled):
    content = filled.read_bytes()
    at = content.index(value(5).tobytes())
    filled.write_bytes(content[: at + 3] + bytes([content[at + 3] ^ 1]) + content[at + 4 :])
    with Store(filled) as store:
        assert same(store.get([key(4)])[key(4)], value(4))
        for call in (lambda: store.get([key(4), key(5)]), lambda: store.about(key(5))):
            with pytest.raises(StoreError, match="its checksum differs") as caught:
                call()
    said = str(caught.value)
    changed(filled, said[said.index(f"DELETE FROM results WHERE key = '{key(5)}'") :])
    with Store(filled) as store:
        assert len(store.get(key(n) for n in range(40))) == 39
        store.put(key(5), value(5), {})


def test_no_flipped_bit_anywhere_gives_a_wrong_number(filled):
    whole, rng = filled.read_bytes(), np.random.default_rng(4)
    places = [*range(100), *rng.integers(100, len(whole), 300).tolist()]
    outcomes = {"error": 0, "right": 0}
    for at in places:
        spoiled = bytearray(whole)
        spoiled[at] ^= 1 << int(rng.integers(8))
        filled.write_bytes(spoiled)
        try:
            found, says = read(filled), None
        except StoreError as error:
            found, says = {}, str(error)
        outcomes["right" if says is None else "error"] += 1
        assert says is None or str(filled) in says
        assert all(same(array, value(n)) for n in range(40) if (array := found.get(key(n))) is not None)
        assert filled.read_bytes() == spoiled
    assert min(outcomes.values()) > 20  # unused bytes of a page are harmless, all others are seen


@pytest.mark.parametrize("kept", [1, 50, 99, 100, 511, 512, 4095, 4096, 5000, 8192, -4096])
def test_a_truncated_file(kept, filled):
    filled.write_bytes(filled.read_bytes()[:kept])
    refused(filled.parent, filled.name, "not an SQLite file" if 0 < kept < 512 else "damaged")


def test_a_lost_page_is_found_at_the_door(filled):
    """Before a sweep has computed for hours what it could not find, or cannot store."""
    whole = filled.read_bytes()
    for start in range(4096, len(whole), 4096):
        filled.write_bytes(whole[:start] + bytes(4096) + whole[start + 4096 :])
        refused(filled.parent, filled.name, "damaged .*; restore a copy, or give a new file")


@pytest.mark.parametrize("lost", [1, 100, 4000])
def test_a_last_page_that_is_cut(lost, filled):
    """SQLite reads zeros for what is missing; they are not taken for numbers."""
    filled.write_bytes(filled.read_bytes()[:-lost])
    with pytest.raises(StoreError, match=r"damaged|checksum"):
        read(filled)


def test_what_was_half_written_is_taken_back(filled):
    before = filled.read_bytes()
    connection = sqlite3.connect(filled, isolation_level=None)
    spill(connection)
    copy = filled.parent / "copy.sqlite"
    shutil.copy(filled, copy)
    shutil.copy(f"{filled}-journal", f"{copy}-journal")
    connection.close()
    assert copy.read_bytes() != before
    assert len(read(copy)) == 40
    with Store(copy) as store:
        assert len(store) == 40
    assert not Path(f"{copy}-journal").exists()


def test_a_store_that_was_killed_while_it_was_made(path, template):
    """Its first page is written, the second is not; by the journal the file was empty."""
    connection = sqlite3.connect(path.with_name("other"), isolation_level=None)
    connection.execute("PRAGMA cache_size = 2")
    connection.execute("BEGIN IMMEDIATE")
    connection.execute(TABLE)
    for n in range(200):
        connection.execute("INSERT INTO results VALUES (?, '[]', zeroblob(900), '', '')", (key(n),))
    shutil.copy(path.with_name("other-journal"), f"{path}-journal")
    connection.close()
    path.write_bytes(template.read_bytes()[:4096])
    with Store(path) as store:
        assert len(store) == 0
        store.put(key(0), value(0), {})
    assert len(read(path)) == 1


def test_a_full_disk_costs_nothing_that_was_stored(filled):
    with Store(filled) as store:
        (pages,) = store._connection.execute("PRAGMA page_count").fetchone()
        store._connection.execute(f"PRAGMA max_page_count = {pages + 1}")
        with pytest.raises(StoreError, match=r"no room is left on the disk of .*make room and start again"):
            store.put(key(50), np.zeros(10_000), {})
        assert (len(store.get(key(n) for n in range(40))), store.get([key(50)])) == (40, {})
    assert len(read(filled)) == 40


LIMITED = """
import resource, sys
import numpy as np
from hashlib import sha256
from numerics.jobs.store import TABLE, Store, StoreError
path, extra = sys.argv[1:]
with Store(path) as store:
    for room in range(0, int(extra), 1500):
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))
        for n in range(1000 + room, 1003 + room):
            try:
                store.put(sha256(str(n).encode()).hexdigest(), np.full(100, float(n)), {})
                print("stored", n)
            except StoreError as error:
                print("refused", error)
"""


def test_a_disk_that_fails_at_any_write(filled):
    run = [sys.executable, "-c", LIMITED, filled, str(filled.stat().st_size + 20_000)]
    lines = subprocess.run(run, capture_output=True, text=True, check=True).stdout.splitlines()
    stored = [int(line.split()[1]) for line in lines if line.startswith("stored")]
    failed = [line for line in lines if line.startswith("refused")]
    assert len(stored) > 5
    assert len(failed) > 5
    assert all("start again" in line and str(filled) in line for line in failed)
    assert len(read(filled)) == 40
    with Store(filled) as store:
        found = store.get(key(n) for n in stored)
        assert all((found[key(n)] == n).all() for n in stored)
        assert len(store) == 40 + len(stored)


@pytest.mark.parametrize("change", ["deleted", "moved", "replaced"])
def test_a_file_that_goes_away_while_it_is_open(change, filled, tmp_path):
    """SQLite would go on writing to a file without a name."""
    with Store(filled) as store:
        if change == "deleted":
            filled.unlink()
        else:
            filled.rename(tmp_path / "elsewhere")
        if change == "replaced":
            with Store(filled) as other:
                other.put(key(60), value(60), {})
        with pytest.raises(StoreError, match="was moved or deleted while it was open"):
            store.put(key(50), value(50), {})
