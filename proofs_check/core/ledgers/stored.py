"""Where ledgers are kept, and which one a command reads: the one that the user names, else that of
the last whole run, else the one that came with the release. The ledger of installed papers is kept
below the current folder, that of a folder of papers in this folder.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from numerics.evidence import Verdict
from numerics.terminal.inputs import InputError
from proofs_check.core.ledgers.files import SCHEMA, read_ledger
from proofs_check.core.ledgers.ledger import Ledger, merged
from proofs_check.papers.registered import Collection, collections, forgets, in_scope
from proofs_check.papers.statements import PACKAGE

__all__ = [
    "FOLDER",
    "PARTIAL",
    "RELEASE",
    "WHOLE",
    "Kept",
    "find_ledger",
    "folder_of",
    "how_to_run",
    "read_elsewhere",
    "release_text",
]

#: The folder in which a run keeps its ledger if the user names none, and the names there: of a
#: run of all claims that came to its end without a fault, and of any other run.
FOLDER, WHOLE, PARTIAL = Path("build"), "ledger.json", "ledger.partial.json"
#: The ledger that travels in the wheel.
RELEASE = PACKAGE / WHOLE


@dataclass(frozen=True, kw_only=True)
class Kept:
    """A ledger that was read."""

    #: As `proofs_check.core.ledgers.files.read_ledger` returns it.
    document: Mapping[str, Any]
    path: Path
    #: Which ledger it is, of what date and code, and why it does not speak for the papers if it is
    #: not of a whole run in order.
    says: str
    #: The same without its place.
    made: str


def folder_of(collection: Collection) -> Path:
    """Where the ledger of a run of a collection is kept, if the user names no place."""
    if collection.named:
        return collection.root / FOLDER
    return FOLDER if collection.root == PACKAGE else FOLDER / collection.name  # of another distribution


def find_ledger(given: str | None = None) -> Kept:
    """The ledger in the file or folder that the user named, else that of the last whole run of each
    collection in scope, else those of the release, as one. An InputError says that there is none of
    this version.
    """
    if given is not None:
        path = Path(given)
        return _kept(read_ledger(path), path, str(path / WHOLE if path.is_dir() else path))
    found = list({one.path: one for one in map(_of, in_scope())}.values())
    if len(found) == 1:
        return found[0]
    document = merged([one.document for one in found])
    says, made = ("; ".join(dict.fromkeys(told)) for told in zip(*((one.says, one.made) for one in found)))
    return Kept(document=document, path=found[0].path, says=says, made=made)


def _of(collection: Collection) -> Kept:
    """The ledger of a collection: of its last whole run, else of its release."""
    here, release = folder_of(collection) / WHOLE, collection.root / WHOLE
    if os.path.isfile(here):
        try:
            return _kept(read_ledger(here), here, str(here))
        except InputError as error:
            other = f"; without {here}, the ledger of the release is read" if release.is_file() else ""
            raise InputError(f"{error}{other}") from error
    if not release.is_file():
        raise InputError(f"{collection.name} has no ledger yet; write it with: {_run_of(collection)}")
    # A test holds it to the schema, whose check takes longer than all the rest of a command.
    document = read_ledger(release) if collection.named else _parsed(release, release.stat().st_mtime_ns)
    return _kept(document, release, "the ledger of the release")


@cache
def _parsed(path: Path, changed: int) -> dict[str, Any]:
    """A document, once for every time at which its file was changed."""
    document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return document


def _run_of(collection: Collection) -> str:
    return f"pytest {collection.name if collection.named else collection.root}"


def _home(id: str) -> Collection | None:
    """The collection that holds the paper of a claim or a row."""
    return next((c for c in collections() if id.split(":", 1)[0] in c.keys), None)


def how_to_run(need: str) -> str:
    """The command that judges a claim or a row of a collection out of scope; empty if it is in
    scope, or in none.

    >>> how_to_run("BB:LC.1")
    ''
    """
    home = _home(need)
    return _run_of(home) if home and home not in in_scope() else ""


@forgets
@cache
def _stored(collection: Collection) -> tuple[Ledger, str] | None:
    """The ledger of a collection and which one it is; None if there is none that can be read."""
    try:
        kept = _of(collection)
    except InputError:
        return None
    # folders of a machine do not belong there
    name = ", ".join(collection.keys) if collection.named else collection.name
    of = "release" if kept.path == collection.root / WHOLE else "last run"
    return Ledger(kept.document["claims"]), f"the ledger of the {of} of {name}, {kept.made}"


def read_elsewhere(paper: str, needs: Iterable[str]) -> dict[str, dict[str, Any]]:
    """What the ledgers of other collections say of that which a claim of a paper needs. By the
    need, where a ledger speaks of it: verdict as printed and chain of its weakest claim, the needs
    on which these rest in further collections, and which ledger it is.

    >>> list(read_elsewhere("ME", ["BB:CC.3.b", "ME:L1"])), read_elsewhere("OURS", ["BB:CC.3.b"])
    (['BB:CC.3.b'], {})
    """
    out = {}
    for need in needs:
        home = _home(need)
        if home is None or paper in home.keys or (stored := _stored(home)) is None:
            continue
        ledger, says = stored
        if claims := [ledger.entries[id] for id in ledger.claims_of(need)]:
            weakest = min(claims, key=lambda e: Verdict(e["chain"]).strength)
            further = [
                n
                for step in ledger.steps(need)
                for n in ledger.needs[step]
                if n.split(":", 1)[0] not in home.keys
            ]
            said = {
                "verdict": weakest["verdict"],
                "chain": weakest["chain"],
                "needs": sorted({*further}),
                "ledger": says,
            }
            out[need] = said
    return out


def _kept(document: Mapping[str, Any], path: Path, name: str) -> Kept:
    run = document["run"]
    version = run["versions"].get("largeprompt", "of unknown version")
    made = f"judged on {run['date'][:10]} with largeprompt {version} (code {run['code']}){_limits(document)}"
    return Kept(document=document, path=path, says=f"{name}, {made}", made=made)


def _limits(document: Mapping[str, Any]) -> str:
    """Why a ledger does not speak for the papers; empty if it does."""
    run = document["run"]
    reseed = run.get("reseed")
    limits = (
        (run["partial"], "; only some claims ran for it"),
        (reseed, f"; its random numbers are those of --reseed {reseed}"),
        (run["faults"] or any(c["faults"] for c in document["claims"]), "; a claim in it is not in order"),
    )
    return "".join(text for found, text in limits if found)


def release_text(document: Mapping[str, Any]) -> str:
    """A ledger as the release keeps it: a claim a line, without the seconds that change from run to
    run, so that two releases can be compared line by line.
    """

    def timeless(value: Any) -> Any:
        if isinstance(value, dict):
            return {k: 0.0 if k == "seconds" else timeless(v) for k, v in value.items()}
        return [timeless(v) for v in value] if isinstance(value, list) else value

    spelled = lambda value: json.dumps(value, ensure_ascii=False)
    run = spelled(timeless(document["run"]) | {"schema": SCHEMA})
    claims = ",\n".join(spelled(timeless(c)) for c in document["claims"])
    return f'{{"run": {run},\n"claims": [\n{claims}\n],\n"unsettled": {spelled(document["unsettled"])}}}\n'
