"""Reads arrays of numbers from the files that people keep them in. NumPy is loaded only when one is
read, so that ``--help`` is fast.
"""

from __future__ import annotations

import hashlib
import io
import json
import sys
from pathlib import Path
from typing import Any

from numerics.terminal.inputs import InputError, read_bytes

__all__ = ["FORMATS", "map_array", "read_array"]

#: What can be read, for errors and helps.
FORMATS = ".npy, .npz (one array, or FILE.npz:NAME), .csv (commas) or .json (nested lists)"


def read_array(given: Path | str) -> tuple[Any, str]:
    """An array of real, finite floats from a ``.npy``, ``.npz``, ``.csv`` or ``.json`` file
    (``FILE.npz:NAME`` for one of several arrays), and the SHA-256 of the file. A ``.csv`` has
    commas between its numbers and gives two axes; a first line that holds no numbers is taken as a
    header, and this is said on stderr.
    """
    path, name = _of_archive(str(given))
    kind = path.suffix.lower()
    if kind not in _READERS:
        raise InputError(f"{path} is of no kind that is read here; keep the array as {FORMATS}")
    try:
        if path.is_fifo():  # to read from it may never end
            raise InputError(f"it is a pipe; save the array in a file, as {FORMATS}")
        content = read_bytes(path)
    except (InputError, OSError) as error:
        why = error if isinstance(error, InputError) else error.strerror
        raise InputError(f"cannot read {path}: {why}; name another file") from error
    try:
        array = _from_archive(content, path, name) if kind == ".npz" else _READERS[kind](content, path)
    except InputError:
        raise
    except (
        Exception
    ) as error:  # NumPy tells in ten ways that a file is broken; some are neither ValueError nor OSError
        raise InputError(f"{path} holds no array of numbers: {error}; save it again, as {FORMATS}") from error
    return _checked(array, str(given)), hashlib.sha256(content).hexdigest()


def map_array(given: Path | str) -> tuple[Any, str]:
    """An array that may be large, as `read_array` reads it: a ``.npy`` file stays on disk, in its
    own kind of numbers, and its entries are not looked at.
    """
    path, _ = _of_archive(str(given))
    if path.suffix.lower() != ".npy":
        return read_array(given)
    import numpy as np

    try:
        with path.open("rb") as file:
            head = file.read(6)
            file.seek(0)
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        if head != b"\x93NUMPY":
            _from_npy(head, path)
        return np.load(path, mmap_mode="r", allow_pickle=False), digest
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}; name another file") from error
    except InputError:
        raise
    except ValueError as error:
        raise InputError(f"{path} holds no array of numbers: {error}; save it again, as {FORMATS}") from error


def _of_archive(given: str) -> tuple[Path, str]:
    """The file, and the name of an array in it or an empty one."""
    before, colon, name = given.rpartition(".npz:")
    return (Path(f"{before}.npz"), name) if colon else (Path(given), "")


def _from_npy(content: bytes, path: Path) -> Any:
    import numpy as np

    if content[:2] == b"PK":
        raise InputError(
            f"{path} is an archive of arrays; call it {path.stem}.npz, and "
            f"{path.stem}.npz:NAME if it holds several"
        )
    if not content.startswith(b"\x93NUMPY"):
        raise InputError(
            f"{path} is not a file that numpy.save wrote, or a pickle, which is not read "
            "since it may run programs"
        )
    try:
        return np.load(io.BytesIO(content), allow_pickle=False)
    except ValueError as error:
        if "Object arrays" in str(error):
            raise InputError(
                f"{path} holds Python objects and no array of numbers; save numpy.asarray(M, dtype=float)"
            ) from error
        raise


def _from_archive(content: bytes, path: Path, name: str) -> Any:
    import numpy as np

    with np.load(io.BytesIO(content), allow_pickle=False) as archive:
        names = list(archive.files) if hasattr(archive, "files") else []
        if not name and len(names) != 1:
            raise InputError(f"{path} holds {len(names)} arrays ({', '.join(names)}); say which: {path}:NAME")
        if name and name not in names:
            raise InputError(f"{path} holds no array {name!r}; it holds {', '.join(names)}")
        try:
            return archive[name or names[0]]
        except ValueError as error:
            if "Object arrays" in str(error):
                raise InputError(
                    f"{path}:{name or names[0]} holds Python objects; save numpy.asarray(M, dtype=float)"
                ) from error
            raise


def _from_json(content: bytes, path: Path) -> Any:
    """The array that nested lists make."""
    import numpy as np

    return np.array(json.loads(content))


def _from_csv(content: bytes, path: Path) -> Any:
    """The numbers of a table with commas, and perhaps a header."""
    import numpy as np

    try:
        lines = [
            (i, line) for i, line in enumerate(content.decode("utf-8-sig").splitlines(), 1) if line.strip()
        ]
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path} is no text in UTF-8 ({error.reason} at byte {error.start}); export it as CSV again"
        ) from error
    if lines and not any(_is_number(word) for word in lines[0][1].split(",")):
        print(f"note: the first line of {path} ({lines[0][1]:.60}) is taken as a header", file=sys.stderr)
        lines = lines[1:]
    width = len(lines[0][1].split(",")) if lines else 0
    for i, line in lines:
        words = line.split(",")
        wrong = next((j for j, word in enumerate(words, 1) if not _is_number(word)), None)
        if wrong is not None:
            raise InputError(
                f"{path}, line {i}, entry {wrong}: {words[wrong - 1]!r:.40} is not a number; write 0.5,1e-3 "
                "with commas"
            )
        if len(words) != width:
            raise InputError(
                f"{path}, line {i} has {len(words)} numbers, line {lines[0][0]} has {width}; rows must be "
                "equally long"
            )
    return np.array([[float(word) for word in line.split(",")] for _, line in lines]).reshape(
        len(lines), width
    )


def _is_number(word: str) -> bool:
    """Whether a word is a real number; Python's underscores in numbers are none of a table."""
    try:
        float(word)
    except ValueError:
        return False
    return "_" not in word


def _checked(array: Any, given: str) -> Any:
    """The array, if it holds real and finite numbers."""
    import numpy as np

    kinds = {
        "O": "Python objects",
        "c": "complex numbers",
        "U": "texts",
        "S": "texts",
        "b": "true and false",
        "V": "records",
    }
    if array.dtype.kind not in "iuf":
        found = kinds.get(array.dtype.kind, f"entries of type {array.dtype}")
        hint = (
            "take the real part if the rest is rounding"
            if array.dtype.kind == "c"
            else "save numbers, such as M.astype(float)"
        )
        raise InputError(f"{given} holds no array of numbers but {found}; {hint}")
    if not array.size:
        raise InputError(f"{given} holds an empty array of shape {array.shape}; it needs at least one number")
    with np.errstate(over="ignore"):  # of numbers longer than a float
        array = array.astype(float)
    if not np.isfinite(array).all():
        at = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise InputError(f"{given} has the entry {array[at]} at {list(at)}; every entry must be finite")
    return array


_READERS = {".npy": _from_npy, ".npz": _from_npy, ".csv": _from_csv, ".json": _from_json}
