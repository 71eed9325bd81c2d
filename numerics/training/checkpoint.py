"""The file from which a killed run of SGD goes on, bit for bit: it is replaced whole or not at all,
and refused if it is damaged or belongs to another run.
"""

from __future__ import annotations

import io
import json
import os
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from numerics.terminal.inputs import InputError

__all__ = ["CheckpointError", "read_checkpoint", "write_checkpoint"]

T = TypeVar("T")
FORMAT_VERSION = 1
UNCHANGED = "the file was left as it is"


class CheckpointError(InputError):
    """A checkpoint that cannot be written, read or continued: what, where, and what to do."""


def write_checkpoint(path: Path, run: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Replace the file in one step: whoever looks, also after a kill or a power cut, sees the old
    one or the new one. `run` is what the run depends on, as JSON. The new file grows beside the old
    one, under a name of this process and thread that ends in ``.part``.
    """
    try:
        path = path.resolve()  # a link stays one
        # of its own: a second run on this path must not write into a file that is already in place
        part = path.with_name(f"{path.name}.{os.getpid()}-{threading.get_native_id()}.part")
        try:
            with part.open("wb") as file:
                np.savez(
                    file,
                    allow_pickle=False,
                    run=np.array(json.dumps(dict(run) | {"format": FORMAT_VERSION})),
                    **arrays,
                )
                file.flush()
                os.fsync(file.fileno())
            os.replace(part, path)
        except BaseException:  # an interrupt too: half a file is of no use, and a full disk needs the room
            part.unlink(missing_ok=True)
            raise
    except OSError as error:
        why = f"cannot write the checkpoint {path} ({error.strerror})"
        raise CheckpointError(f"{why}; make room, or keep it elsewhere, and start again") from error


def read_checkpoint(path: Path, run: Mapping[str, Any], restore: Callable[[dict[str, NDArray[Any]]], T]) -> T:
    """What `restore` makes of the arrays in a checkpoint of this very `run`; where it raises
    KeyError or ValueError, the arrays do not fit. A file that is damaged, or belongs to another run
    or version, is refused and left as it is.
    """
    try:
        content = io.BytesIO(path.read_bytes())  # NumPy forgets to close the file if it is damaged
    except OSError as error:
        raise CheckpointError(
            f"cannot read {path} ({error.strerror}); {UNCHANGED}: give another name"
        ) from error
    try:
        with np.load(
            content, allow_pickle=False
        ) as file:  # every member carries a checksum, which reading compares
            known, arrays = (
                json.loads(str(file["run"])),
                {name: file[name] for name in file.files if name != "run"},
            )
    except Exception as error:  # zip files break in ten ways; some are neither ValueError nor OSError
        raise _damaged(path, error) from error
    if not isinstance(known, dict) or known.pop("format", None) != FORMAT_VERSION:
        raise CheckpointError(
            f"{path} has a format that this version does not read; {UNCHANGED}: give another name"
        )
    wanted = json.loads(json.dumps(dict(run)))
    other = [
        name
        for name in wanted | known
        if name not in known or name not in wanted or known[name] != wanted[name]
    ]
    if other:
        raise CheckpointError(
            f"{path} belongs to another run: {_difference(other[0], known, wanted)}; {UNCHANGED}: give "
            "another name"
        )
    try:
        return restore(arrays)
    except (KeyError, ValueError) as error:
        raise _damaged(path, error) from error


def _damaged(path: Path, error: Exception) -> CheckpointError:
    why = str(error) or type(error).__name__
    return CheckpointError(
        f"{path} is damaged or no checkpoint ({why}); {UNCHANGED}: delete it to start "
        "anew, or give another name"
    )


def _difference(name: str, known: Mapping[str, Any], wanted: Mapping[str, Any]) -> str:
    """How the run of a checkpoint differs from the one that is wanted."""
    if name == "kernels":
        return (
            "it was computed by another version of the program, whose numbers need not be the same to the "
            "last bit"
        )
    if name in ("start", "Sigma", "query_covariance", "variant"):
        return f"it has another {name}"
    return f"it has {name} = {known.get(name)!r}, this run {wanted.get(name)!r}"
