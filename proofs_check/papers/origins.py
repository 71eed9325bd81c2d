"""Where each thing that a check takes for granted comes from: the ``hypotheses.toml`` of a paper
says of every hypothesis that an engine received whether the paper prints it, whether it only says
what a symbol stands for, whether it is a theorem, or whether it was added.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from numerics.terminal.inputs import InputError, read_bytes
from proofs_check.papers.registered import collections, forgets, read_statements

__all__ = ["KINDS", "Origin", "beside", "origin", "origins"]

#: What a hypothesis can be: words of the paper, the meaning of a symbol, the theorem of another
#: row, the theorem of others, or something that the paper does not say.
KINDS = ("printed", "definition", "theorem", "cited", "added")
HYPOTHESES = "hypotheses.toml"
_WHAT = {
    "printed": "the id of the row, or the words of the paper",
    "definition": "the symbol that it explains, and give a model that meets it",
    "theorem": "the row whose theorem it is",
    "cited": "the theorem of others",
    "added": "why the check needs it",
}
#: How the kernel marks a hypothesis that is somebody's result.
_MARKED = {"given ": "cited", "argued ": "theorem"}


@dataclass(frozen=True, kw_only=True)
class Origin:
    """Where hypotheses of one kind come from."""

    #: One of `KINDS`.
    kind: str
    #: For ``printed`` the words of the paper or the row that prints it, for ``definition`` the
    #: symbol, for ``theorem`` the row, for ``cited`` the theorem, for ``added`` the reason.
    source: str
    #: Which hypotheses: their names, or what the engine received; ``*`` stands for anything.
    says: tuple[str, ...]
    #: In which claims, without the key of the paper, with ``*`` likewise; empty for all.
    rows: tuple[str, ...] = ()
    #: For ``definition``: what meets it.
    model: str = ""

    def speaks_of(self, claim: str, text: str) -> bool:
        """Whether it says where a hypothesis of a claim comes from.

        >>> here = Origin(kind="printed", source="Assumption 1", says=("sub-G*",), rows=("LC.1*",))
        >>> [here.speaks_of(claim, "sub-Gaussian: $x<1$") for claim in ("BB:LC.1/part", "BB:LC.4")]
        [True, False]
        """
        place, name = claim.split(":", 1)[1], text.split(": $", 1)[0]
        fits = lambda patterns, *given: any(_pattern(p).fullmatch(g) for p in patterns for g in given)
        return fits(self.says, text, name) and (
            not self.rows or fits(self.rows, place, place.split("/", 1)[0])
        )


@cache
def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(".*".join(map(re.escape, text.split("*"))), re.DOTALL)


def beside(key: str, name: str) -> Path | None:
    """The file of that name in the folder that holds all statements of a paper; None if there is
    none.
    """
    for collection in collections():
        folders = [file.parent for file in collection.files if read_statements(file)["paper"]["key"] == key]
        if folders and (file := Path(os.path.commonpath(folders)) / name).is_file():
            return file
    return None


@forgets
@cache
def origins(key: str) -> tuple[Origin, ...] | None:
    """What the ``hypotheses.toml`` of a paper says; None where it has none, and nothing is asked.
    One that cannot be read or is not in order is an InputError.
    """
    if (file := beside(key, HYPOTHESES)) is None:
        return None
    try:
        data = tomllib.loads(read_bytes(file).decode("utf-8"))
    except (InputError, ValueError) as error:
        raise InputError(f"cannot read {file}: {error}; save it as TOML") from error
    found = data.get("hypothesis")
    if set(data) != {"hypothesis"} or not isinstance(found, list):
        raise InputError(f"cannot read {file}: it is no list of hypotheses; write [[hypothesis]] tables")
    return tuple(_origin(entry, f"{file}, hypothesis {n}") for n, entry in enumerate(found, 1))


def _origin(entry: Mapping[str, Any], place: str) -> Origin:
    texts = lambda name: (
        isinstance(entry.get(name), list)
        and entry[name]
        and all(isinstance(t, str) and t for t in entry[name])
    )
    kind = entry.get("kind")
    if kind not in KINDS:
        raise InputError(f"{place} has the kind {kind!r}; use one of {', '.join(KINDS)}")
    if not texts("says") or ("rows" in entry and not texts("rows")):
        raise InputError(
            f'{place} does not list texts; write says = ["..."], and rows = ["..."] if it is of some '
            "rows only"
        )
    if not str(entry.get("source", "")).strip():
        raise InputError(f"{place} has no source; name {_WHAT[kind]}")
    if (kind == "definition") != bool(str(entry.get("model", "")).strip()):
        raise InputError(
            f"{place}: a definition, and nothing else, has a model = that meets it; give it, or drop it"
        )
    if unknown := set(entry) - {"kind", "source", "says", "rows", "model"}:
        raise InputError(
            f"{place} has {', '.join(sorted(unknown))}; it has kind, source, says, rows and model"
        )
    told = {name: str(entry.get(name, "")) for name in ("kind", "source", "model")}
    return Origin(**told, says=tuple(entry["says"]), rows=tuple(entry.get("rows", ())))


def origin(claim: str, text: str) -> Origin | None:
    """Where a hypothesis of a claim, as an engine states it, comes from; None if nothing says so.
    What stands later in the file is an exception to what stands before, and the kernel's own marks
    count where the file is silent.
    """
    for found in reversed(origins(claim.split(":", 1)[0]) or ()):
        if found.speaks_of(claim, text):
            return found
    for mark, kind in _MARKED.items():
        if text.startswith(mark):
            return Origin(kind=kind, source=text.removeprefix(mark).split(": $", 1)[0], says=(text,))
    return None
