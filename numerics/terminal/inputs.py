"""Reads and checks what the commands are given: files, lists of prompt lengths, and folders to
write into. Arrays are read by `numerics.terminal.arrays`.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

__all__ = [
    "InputError",
    "MissingFolderError",
    "check_folder_around",
    "file_is_there",
    "length_grid",
    "make_folder",
    "path_of",
    "read_bytes",
    "writable_folder",
    "writing_into",
]

#: Prompt lengths that a logarithmic grid may have, and the longest of them.
MOST_LENGTHS, LONGEST = 10_000, 10**100


class InputError(ValueError):
    """What the user gave cannot be used. The message says in one line why, and what to do."""


def read_bytes(path: Path) -> bytes:
    """What is in a file, or an `InputError` that says why it cannot be read, without its name.

    >>> read_bytes(Path("nowhere.toml"))
    Traceback (most recent call last):
    numerics.terminal.inputs.InputError: No such file or directory
    """
    try:
        if path.exists() and not (path.is_file() or path.is_dir()):  # to read from it may never end
            raise InputError("it is a device or a pipe; save what it gives in a file")
        return path.read_bytes()
    except OSError as error:
        raise InputError(error.strerror or str(error)) from error
    except InputError:
        raise
    except ValueError as error:  # a null character
        raise InputError(f"this is no name of a file ({error})") from error


def path_of(name: str, value: Any) -> Path:
    """The path that an argument names.

    >>> path_of("checkpoint", "run.npz").name
    'run.npz'
    """
    if not isinstance(value, (str, os.PathLike)):
        raise TypeError(f"{name} = {value!r:.200} is no path; give the name of a file")
    return Path(value)


def file_is_there(path: Path, what: str, error: type[InputError]) -> bool:
    """Whether a file is there already; a place where none can be kept is refused, with an `error`
    that calls it `what`, before the work begins.

    >>> file_is_there(Path("no-such-file.npz"), "checkpoint", InputError)
    False
    """
    if "\0" in str(path):
        raise error(f"{str(path)!r} is no name of a file: it has a null character; give another one")
    try:
        path.lstat()
    except FileNotFoundError:
        pass
    except OSError as unusable:  # a name that is too long, a file in place of a folder
        raise error(
            f"cannot keep the {what} in {path!s:.200}: {unusable.strerror}; give another name"
        ) from unusable
    if path.is_dir():
        raise error(f"{path} is a folder; give the name of a file in it")
    folder = Path(os.path.realpath(path)).parent  # that of the file which a link points to
    if not folder.is_dir():
        raise error(f"there is no folder {folder} for the {what} {path.name}; create it first")
    if (there := path.exists()) and not path.is_file():  # to read from it may never end
        raise error(f"{path} is neither a file nor missing (a device, a pipe); give the name of a file")
    if not os.access(folder, os.W_OK):
        raise error(f"may not write to {folder}; change its permissions, or keep the {what} elsewhere")
    return there


def length_grid(text: str, name: str = "--lengths") -> list[int]:
    """Prompt lengths, or other whole numbers from 1 on, from ``10,30,100``, or ``10:1e6:9`` for a
    logarithmic grid (rounded; repeated lengths count once). ``1e6`` is the whole number that it is.
    """
    parts = text.split(":") if ":" in text else text.split(",")
    try:
        numbers = [Decimal(part.strip()) for part in parts]
    except InvalidOperation:
        numbers = []
    if not numbers or (":" in text and len(numbers) != 3):
        raise InputError(f"{name} {text:.80} is neither a list like 10,30,100 nor a grid like 10:10000:9")
    for part, number in zip(parts, numbers):
        if not (number.is_finite() and 1 <= number <= LONGEST and number == number.to_integral_value()):
            raise InputError(
                f"{name} {text:.80}: {part.strip():.40} is not a whole number from 1 to 1e100; give "
                "such numbers, like 10,30,100"
            )
    whole = [int(number) for number in numbers]
    if ":" not in text:
        return whole
    first, last, count = whole
    if not (1 <= first < last <= LONGEST and 2 <= count <= MOST_LENGTHS):
        raise InputError(
            f"{name} {text:.80}: a grid FIRST:LAST:COUNT needs 1 <= FIRST < LAST <= 1e100 and 2 <= "
            f"COUNT <= {MOST_LENGTHS}"
        )
    return sorted(
        {first, last, *(round(first * (last / first) ** (i / (count - 1))) for i in range(1, count - 1))}
    )


def writable_folder(out: Path) -> Path:
    """The folder for what a command writes, made and tried before the work begins."""
    with writing_into(out):
        make_folder(out)
        tempfile.TemporaryFile(dir=out).close()
    return out


class MissingFolderError(FileNotFoundError):
    """A folder around what is to be written is missing. Nobody named it, so it is not made."""


def make_folder(folder: Path) -> None:
    """Make a folder that was named, where it is missing; the folder around it must exist
    (`MissingFolderError`).
    """
    check_folder_around(folder)
    folder.mkdir(exist_ok=True)


def check_folder_around(path: Path) -> None:
    """Refuse a file or folder whose parent is missing (`MissingFolderError`).

    >>> check_folder_around(Path("blueprint.html"))
    """
    if "\0" in str(path):
        raise MissingFolderError(f"{str(path)!r} is no name: it has a null character; give another one")
    if not path.parent.is_dir():
        raise MissingFolderError(f"there is no folder {path.parent}; create it first")


@contextmanager
def writing_into(out: Path) -> Iterator[None]:
    """Turns an error of the system, met while a file or folder is written, into an `InputError`.

    >>> with writing_into(Path("disk")):
    ...     raise OSError(28, "No space left")
    Traceback (most recent call last):
    numerics.terminal.inputs.InputError: cannot write to disk: No space left; choose another place
    """
    try:
        yield
    except MissingFolderError as error:
        raise InputError(f"cannot write to {out}: {error}") from error
    except OSError as error:
        raise InputError(f"cannot write to {out}: {error.strerror or error}; choose another place") from error
