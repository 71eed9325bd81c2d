"""Text that takes long to make, kept between runs beside the module that makes it, where Python and
Numba keep compiled code: in ``__pycache__``, if one may write there.
"""

from __future__ import annotations

import gzip
import json
import os
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import wraps
from hashlib import sha256
from importlib.util import cache_from_source
from pathlib import Path
from typing import Concatenate, ParamSpec

__all__ = ["Kept"]

P = ParamSpec("P")
#: With more texts than this a run begins anew, so that the file does not grow for ever.
MOST = 100_000


class Kept:
    """What functions of a text made of it. What is kept holds for the same source of the modules
    `files`, of which the first is where it is kept, and for the same `versions`.
    """

    def __init__(self, *files: str, versions: str = "") -> None:
        self.files, self.versions = files, versions
        self.known: dict[str, str] = {}
        self.stored: frozenset[str] | None = None

    def remembered(self, make: Callable[Concatenate[str, P], str]) -> Callable[Concatenate[str, P], str]:
        """The function, which makes the same only once; what it raises is not kept."""

        @wraps(make)
        def looked_up(text: str, /, *args: P.args, **named: P.kwargs) -> str:
            key = "\n".join((make.__name__, *map(str, (*args, *named.values())), text))
            if key not in self.known:
                self.known[key] = make(text, *args, **named)
            return self.known[key]

        return looked_up

    @contextmanager
    def between_runs(self) -> Iterator[None]:
        """Begin with what earlier runs made, and keep what this one makes."""
        try:
            path = self._path()
        except NotImplementedError:  # an interpreter that keeps no compiled modules
            yield
            return
        if self.stored is None:
            before = _read(path)
            self.known |= before
            self.stored = frozenset(before)
        yield
        if self.known.keys() - self.stored:
            self.stored = frozenset(self.known)
            with suppress(OSError):
                _write(path, self.known)

    def _path(self) -> Path:
        sources = [Path(name).read_bytes() for name in self.files] + [self.versions.encode()]
        digest = sha256(b"\0".join(sources)).hexdigest()[:12]
        return Path(cache_from_source(self.files[0])).with_suffix(f".{digest}.json.gz")


def _read(path: Path) -> dict[str, str]:
    """What a file holds; nothing if there is none, or it is broken or too long."""
    try:
        found = json.loads(gzip.decompress(path.read_bytes()))
    except (OSError, EOFError, ValueError, zlib.error):
        return {}
    return found if isinstance(found, dict) and len(found) < MOST else {}


def _write(path: Path, known: dict[str, str]) -> None:
    """A reader finds the old file or the new one, and files of other sources go."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(f".{os.getpid()}.part")
    part.write_bytes(gzip.compress(json.dumps(known).encode(), compresslevel=1))
    part.replace(path)
    for other in path.parent.glob(f"{path.name.split('.')[0]}.*.json.gz"):
        if other != path:
            other.unlink()
