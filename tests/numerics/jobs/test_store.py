"""The store: every bit comes back, and several may write to it."""

import hashlib
import json
import os
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from numerics.jobs.store import Store, StoreError
from tests.numerics.jobs.stores import ABOUT, everything, in_threads, key, read, same, value

# ---------------------------------------------------------------- what goes in comes out


@pytest.fixture(scope="module")
def open_store(tmp_path_factory):
    with Store(tmp_path_factory.mktemp("open") / "results.sqlite") as store:
        yield store


SHAPES = array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5)


@settings(max_examples=30, deadline=None, derandomize=True)
@given(arrays(np.float64, SHAPES, elements=st.floats(allow_nan=True, width=64)))
def test_every_bit_comes_back(open_store, array):
    name = key(len(open_store))
    open_store.put(name, array, {})
    found = open_store.get([name])[name]
    assert same(found, array)
    assert found.dtype == np.float64
    assert found.flags.writeable


REVERSED, ONE = (lambda a: a[::2, ::-1], lambda a: a[0, 0, ...])
OTHERS = (lambda a: a.T, np.asfortranarray, lambda a: a.astype(">f8"), lambda a: a[:0])


@pytest.mark.parametrize("view", [REVERSED, ONE, *OTHERS])
def test_the_layout_in_memory_does_not_matter(view, path):
    array = np.asarray(view(np.arange(24.0).reshape(4, 6) / 7))
    with Store(path) as store:
        store.put(key(0), array, {})
        store.put(key(0), array.copy(), {})
        np.testing.assert_array_equal(store.get([key(0)])[key(0)], array, strict=False)
        assert store.get([key(0)])[key(0)].shape == array.shape


def test_a_person_can_read_it_without_our_code(filled):
    asked = "SELECT key, shape, data, about, checksum FROM results WHERE key = ?"
    with closing(sqlite3.connect(filled)) as connection:
        name, shape, data, about, checksum = connection.execute(asked, (key(7),)).fetchone()
    np.testing.assert_array_equal(np.frombuffer(data, "<f8").reshape(json.loads(shape)), value(7))
    assert json.loads(about) == ABOUT | {"n": 7}
    assert "斜" in about
    assert hashlib.sha256(f"{name}\n{shape}\n{about}\n".encode() + data).hexdigest() == checksum
    assert filled.read_bytes()[68:72] == b"LPST"


def test_what_is_said_about_a_number_in_one_file(filled):
    assert list(everything(filled.parent)) == [filled.name]
    with Store(filled) as store:
        assert store.about(key(3)) == ABOUT | {"n": 3}
        with pytest.raises(KeyError, match=key(999)):
            store.about(key(999))


def test_thousands_of_keys(path):
    with Store(path) as store:
        stored = [key(n) for n in range(0, 3000, 200)]
        for n in range(0, 3000, 200):
            store.put(key(n), value(n), {})
        asked = [key(n) for n in range(3000)][::-1]
        found = store.get(iter(asked + asked))
        assert list(found) == [k for k in asked if k in set(stored)]
        assert all(same(found[key(n)], value(n)) for n in range(0, 3000, 200))
        assert (len(store), store.get([])) == (15, {})


def test_names_that_mean_something_to_sqlite(tmp_path):
    # other systems want names to be text
    bytes_only = [os.fsdecode(b"\xff.sqlite")] if sys.platform == "linux" else []
    for name in (":memory:", "a b?mode=ro#x%41&.db", "ü斜.sqlite", "file:x", "-wal", *bytes_only):
        with Store(tmp_path / name) as store:
            store.put(key(0), value(0), {})
        assert (tmp_path / name).stat().st_size > 0
        with Store(str(tmp_path / name)) as store:
            assert same(store.get([key(0)])[key(0)], value(0))


def test_a_relative_name_and_an_empty_file(path, monkeypatch):
    monkeypatch.chdir(path.parent)
    path.touch()
    with Store(path.name) as store:
        store.put(key(0), value(0), {})
    with Store(path) as store:
        assert len(store) == 1


def test_a_link_is_followed(filled, tmp_path):
    link = tmp_path / "a" / "link"
    link.parent.mkdir()
    link.symlink_to(filled)
    with Store(link) as store, Store(filled) as other:
        store.put(key(50), value(50), {})
        assert len(other) == 41
    link.unlink()
    link.symlink_to(tmp_path / "nowhere" / "s")
    with pytest.raises(StoreError, match=r"there is no folder .*nowhere"):
        Store(link)


# ---------------------------------------------------------------- a second put


def test_the_same_again_is_no_news(filled):
    before = filled.read_bytes()
    with Store(filled) as store:
        store.put(key(1), value(1), {"other": "words"})
        assert store.about(key(1)) == ABOUT | {"n": 1}
    assert filled.read_bytes() == before


@pytest.mark.parametrize(
    "other",
    [np.nextafter(value(1), 9), value(1).reshape(6, 3), -value(1), value(1)[:, :5], np.zeros((0,))],
    ids=["one bit", "shape", "sign", "shorter", "empty"],
)
def test_other_bytes_under_a_key_are_an_error_and_the_first_stay(other, filled):
    with Store(filled) as store:
        with pytest.raises(StoreError, match=r"not deterministic on this pair of machines.*the first stay"):
            store.put(key(1), other, {})
        assert same(store.get([key(1)])[key(1)], value(1))
        store.put(key(100), value(100), {})  # and the store goes on


def test_zeros_have_signs(path):
    with Store(path) as store:
        store.put(key(0), np.zeros(1), {})
        with pytest.raises(StoreError, match="not deterministic"):
            store.put(key(0), -np.zeros(1), {})


# ---------------------------------------------------------------- arguments


NO_KEYS = ["", "abc", "A" * 64, "g" * 64, "a" * 63, "a" * 65, "a" * 64 + "\n", "'; DROP TABLE results; --"]


@pytest.mark.parametrize("bad", NO_KEYS)
def test_keys_are_digests(bad, path):
    with Store(path) as store:
        for call in (store.about, lambda k: store.get([k]), lambda k: store.put(k, value(0), {})):
            with pytest.raises(ValueError, match="is not the SHA-256"):
                call(bad)
        with pytest.raises(TypeError, match="a key must be a string"):
            store.get([b"a" * 64])


NO_DOUBLES = [[1.0], 1.0, None, np.array(["a"]), *(np.ones(2, kind) for kind in (np.float32, int, complex))]


@pytest.mark.parametrize("bad", NO_DOUBLES)
def test_only_doubles_are_stored(bad, path):
    with Store(path) as store:
        with pytest.raises(TypeError, match="only arrays of float64"):
            store.put(key(0), bad, {})
        assert len(store) == 0


@pytest.mark.parametrize("bad", [{"x": np.ones(2)}, {"x": {1, 2}}, {"x": float("nan")}, 3, {"x": b"bytes"}])
def test_what_is_said_must_be_json(bad, path):
    with Store(path) as store:
        with pytest.raises(TypeError, match="must be JSON-able"):
            store.put(key(0), value(0), bad)
        assert len(store) == 0


def test_a_store_is_no_place_for_samples(path):
    with Store(path) as store, pytest.raises(ValueError, match="a store is for sums"):
        store.put(key(0), np.zeros(10**7 + 1), {})


def test_a_closed_store_says_so(filled):
    store = Store(filled)
    store.close()
    store.close()
    for call in (lambda: store.get([key(0)]), lambda: store.put(key(0), value(0), {}), lambda: len(store)):
        with pytest.raises(StoreError, match="closed"):
            call()


# ---------------------------------------------------------------- several at once


@pytest.fixture
def holder(filled):
    connection = sqlite3.connect(filled, isolation_level=None, check_same_thread=False)
    yield connection
    connection.close()


def test_a_put_waits_for_another_writer(filled, holder):
    with Store(filled, patience=30) as store:
        holder.execute("BEGIN EXCLUSIVE")
        released = []

        def release() -> None:
            time.sleep(0.4)
            released.append(True)
            holder.execute("COMMIT")

        thread = threading.Thread(target=release)
        thread.start()
        store.put(key(50), value(50), {})
        assert released
        thread.join()
        assert len(store) == 41


def test_nobody_waits_for_ever(filled, holder):
    with Store(filled, patience=0.1) as store:
        holder.execute("BEGIN EXCLUSIVE")
        put, get = lambda: store.put(key(50), value(50), {}), lambda: store.get([key(0)])
        for call in (put, get, lambda: Store(filled, patience=0.1)):
            says = r"another program has kept .* locked for 0.1 s; stop it or wait, and start again"
            with pytest.raises(StoreError, match=says):
                call()
        holder.execute("ROLLBACK")
        store.put(key(50), value(50), {})
        assert len(store) == 41


def test_a_write_that_a_reader_held_up_is_taken_back(filled, holder):
    with Store(filled, patience=0.1) as store:
        holder.execute("BEGIN")
        holder.execute("SELECT * FROM results").fetchone()
        with pytest.raises(StoreError, match="another program has kept"):
            store.put(key(50), value(50), {})
        holder.execute("COMMIT")
        assert store.get([key(50)]) == {}
        store.put(key(51), value(51), {})
        assert len(store) == 41


def test_reading_goes_on_while_another_begins_to_write(filled, holder):
    holder.execute("BEGIN IMMEDIATE")
    holder.execute("DELETE FROM results")
    with Store(filled, patience=0.1) as store:
        assert len(store.get(key(n) for n in range(40))) == 40


def test_a_second_store_on_the_file_does_not_take_the_locks_of_the_first(filled):
    """POSIX drops all locks of a process on a file when it closes any descriptor of that file."""
    other = "import sqlite3, sys\nother = sqlite3.connect(sys.argv[1], timeout=0, isolation_level=None)\n"
    other += "try: other.execute('BEGIN IMMEDIATE')\nexcept sqlite3.OperationalError as error: print(error)"
    attempt = lambda: subprocess.check_output([sys.executable, "-c", other, filled], text=True).strip()
    with Store(filled) as store:
        store._connection.execute("BEGIN IMMEDIATE")
        Store(filled).close()
        assert attempt() == "database is locked"
        store._connection.execute("ROLLBACK")
        assert attempt() == ""


def test_threads_share_a_store(path):
    with Store(path) as store:

        def work(start: int) -> None:
            for n in range(start, start + 8):
                store.put(key(n), value(n), {})
                assert same(store.get([key(n)])[key(n)], value(n))

        in_threads(work, 0, 4, 8, 12)
        assert len(store) == 20
        found = store.get(key(n) for n in range(20))
        assert all(same(found[key(n)], value(n)) for n in range(20))


def test_many_create_it_at_the_same_time(path):
    barrier, problems = threading.Barrier(6), []

    def work(n: int) -> None:
        barrier.wait()
        try:
            with Store(path) as store:
                store.put(key(n), value(n), {})
        except StoreError as error:
            problems.append(error)

    in_threads(work, *range(6))
    assert problems == []
    assert len(read(path)) == 6
