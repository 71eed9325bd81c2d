"""Which papers there are: those that installed packages register in the entry point group
``largeprompt.papers``, and those in folders that the user names. Papers that are installed together
or lie in one folder make a collection: its claims are judged together, in one ledger. A command
speaks of the collections in scope: of all installed ones, or of those that the user named.
"""

from __future__ import annotations

import os
import shlex
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import metadata, util
from pathlib import Path
from types import MappingProxyType
from typing import Any

from numerics.terminal.inputs import InputError, read_bytes

__all__ = [
    "GROUP",
    "STATEMENTS",
    "Collection",
    "collection_of",
    "collections",
    "drop_folder",
    "files",
    "in_scope",
    "in_scope_as_told",
    "limited",
    "name_folder",
    "read_statements",
    "statements_below",
]

#: The group of entry points: the key of a paper, and the package that holds its claims.
GROUP = "largeprompt.papers"
STATEMENTS = "statements.toml"
#: What a folder with papers holds; deeper ones would make every start slow.
_PATTERNS = (STATEMENTS, f"*/{STATEMENTS}", f"*/*/{STATEMENTS}")
_NOT_BELOW = ("build", "dist", "venv", "node_modules")


@dataclass(frozen=True)
class Collection:
    """Papers that are judged together."""

    #: The distribution that installed them, or the folder as the user named it.
    name: str
    #: The folder in which the ledger of a release and the sharp constants are kept.
    root: Path
    #: Every ``statements.toml``; the folder of each is a folder of claims.
    files: tuple[Path, ...]
    #: Whether it is a folder that the user named.
    named: bool = False

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(read_statements(file)["paper"]["key"] for file in self.files))


def statements_below(folder: Path) -> tuple[Path, ...]:
    """Every ``statements.toml`` in a folder or a little below it.

    >>> statements_below(Path("nowhere"))
    ()
    """
    found = (file for pattern in _PATTERNS for file in folder.glob(pattern))
    hidden = lambda part: part.startswith(".") or part in _NOT_BELOW
    return tuple(sorted(file for file in found if not any(map(hidden, file.relative_to(folder).parts[:-1]))))


@cache
def _installed() -> tuple[Collection, ...]:
    """The collections of installed packages, by the names of their distributions."""
    folders: dict[str, list[Path]] = {}
    for point in metadata.entry_points(group=GROUP):
        # The package is found and not imported: its claims need SymPy, which takes a second.
        spec = util.find_spec(point.value)
        for place in (spec and spec.submodule_search_locations) or ():
            folders.setdefault(point.dist.name if point.dist else point.value, []).append(Path(place))
    out = []
    for name, places in sorted(folders.items()):
        statements = tuple(
            dict.fromkeys(file for place in sorted(places) for file in statements_below(place))
        )
        out.append(Collection(name, Path(os.path.commonpath(places)), statements))
    return tuple(out)


_named: dict[Path, Collection] = {}
_scope: list[Collection] = []


def collections() -> tuple[Collection, ...]:
    """All collections: the installed ones, then those in folders that were named."""
    return (*_installed(), *_named.values())


def in_scope() -> tuple[Collection, ...]:
    """The collections of which a command speaks.

    >>> in_scope() == collections()
    True
    """
    return tuple(_scope) or collections()


def in_scope_as_told() -> str:
    """The options by which another command speaks of the same papers.

    >>> in_scope_as_told()
    ''
    """
    return "".join(f" --papers {shlex.quote(c.name)}" for c in in_scope() if c.named)


@contextmanager
def limited(scope: Iterable[Collection]) -> Iterator[None]:
    """Let commands speak of some collections only; of all, if there are none."""
    before, _scope[:] = list(_scope), scope
    _forget()
    try:
        yield
    finally:
        _scope[:] = before
        _forget()


def name_folder(folder: Path) -> Collection:
    """Register the papers in a folder, once. An InputError says that neither it nor the folders in
    it hold a ``statements.toml``, that one cannot be read, or that it has the key of another paper.
    """
    if "\0" in str(folder):
        raise InputError(f"{str(folder)!r} is no name of a folder: it has a null character; give another one")
    root = folder.resolve()
    if known := next(
        (c for c in collections() if c.root == root or any(f.is_relative_to(root) for f in c.files)), None
    ):
        return known
    found = statements_below(root) if root.is_dir() else ()
    if not found:
        raise InputError(
            f"{folder} holds no {STATEMENTS}; write a folder with: largeprompt new-paper {folder} "
            "--title TITLE --id KEY"
        )
    made = Collection(str(folder), root, found, named=True)
    for other in collections():
        if twice := set(made.keys) & set(other.keys):
            raise InputError(
                f"{folder} and {other.name} both hold a paper {', '.join(twice)}; give it a key of its own"
            )
    _named[root] = made
    _forget()
    return made


def drop_folder(collection: Collection) -> None:
    """Forget a folder that was named."""
    _named.pop(collection.root, None)
    _forget()


def collection_of(path: Path) -> Collection | None:
    """The collection in whose folder a file lies.

    >>> collection_of(Path("/nowhere")) is None
    True
    """
    return next((c for c in collections() for f in c.files if path.is_relative_to(f.parent)), None)


def files() -> tuple[Path, ...]:
    """Every ``statements.toml`` that is registered."""
    return tuple(file for c in collections() for file in c.files)


@cache
def read_statements(file: Path) -> Mapping[str, Any]:
    """The tables of a ``statements.toml``; an InputError if it cannot be read, or does not say of
    which paper it is.
    """
    try:
        data = tomllib.loads(read_bytes(file).decode("utf-8"))
    except (InputError, ValueError) as error:
        hint = "save it as TOML, or make one to begin with: largeprompt new-paper DIR --title TITLE --id KEY"
        raise InputError(f"cannot read {file}: {error}; {hint}") from error
    paper = data.get("paper")
    if not isinstance(paper, dict) or not isinstance(paper.get("key"), str):
        raise InputError(
            f'{file} does not say of which paper it is; begin it with: [paper], key = "ME", title = "..."'
        )
    return MappingProxyType(data)


_FORGETFUL: list[Any] = []


def forgets(cached: Any) -> Any:
    """Mark a cached function as one that depends on what is registered."""
    _FORGETFUL.append(cached)
    return cached


def _forget() -> None:
    for cached in _FORGETFUL:
        cached.cache_clear()
