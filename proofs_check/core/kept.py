"""Where ledgers are kept, and which one a command reads: the one that the user names, else that of
the last whole run, else the one that came with the release. The ledger of installed papers is kept
below the current folder, that of a folder of papers in this folder.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numerics.terminal.inputs import InputError
from proofs_check.core.files import SCHEMA, read_ledger
from proofs_check.core.ledger import merged
from proofs_check.papers.registered import Collection, in_scope
from proofs_check.papers.statements import PACKAGE

__all__ = ["FOLDER", "PARTIAL", "RELEASE", "WHOLE", "Kept", "find_ledger", "folder_of", "release_text"]

#: The folder in which a run keeps its ledger if the user names none, and the names there: of a
#: run of all claims that came to its end without a fault, and of any other run.
FOLDER, WHOLE, PARTIAL = Path("build"), "ledger.json", "ledger.partial.json"
#: The ledger that travels in the wheel.
RELEASE = PACKAGE / WHOLE


@dataclass(frozen=True, kw_only=True)
class Kept:
    """A ledger that was read.

    Attributes
    ----------
    document : Mapping
        As `proofs_check.core.files.read_ledger` returns it.
    path : Path
    says : str
        Which ledger it is, of what date and code, and why it does not speak for the papers if it
        is not of a whole run in order.
    made : str
        The same without its place.
    """

    document: Mapping[str, Any]
    path: Path
    says: str
    made: str


def folder_of(collection: Collection) -> Path:
    """Where the ledger of a run of a collection is kept, if the user names no place."""
    if collection.named:
        return collection.root / FOLDER
    return FOLDER if collection.root == PACKAGE else FOLDER / collection.name  # of another distribution


def find_ledger(given: str | None = None) -> Kept:
    """The ledger that the user named, else that of the last whole run of each collection in scope,
    else those of the release, as one.

    Parameters
    ----------
    given : str, optional
        A file, or the folder that holds ``ledger.json``.

    Returns
    -------
    Kept

    Raises
    ------
    InputError
        If the file that is to be read holds no ledger of this version, or there is none.

    Examples
    --------
    >>> find_ledger().document["run"]["partial"]
    False
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
        place = collection.name if collection.named else collection.root
        raise InputError(f"{collection.name} has no ledger yet; write it with: pytest {place}")
    # A test holds it to the schema, whose check takes longer than all the rest of a command.
    document = read_ledger(release) if collection.named else json.loads(release.read_text(encoding="utf-8"))
    return _kept(document, release, "the ledger of the release")


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

    Parameters
    ----------
    document : Mapping

    Returns
    -------
    str
    """

    def timeless(value: Any) -> Any:
        if isinstance(value, dict):
            return {k: 0.0 if k == "seconds" else timeless(v) for k, v in value.items()}
        return [timeless(v) for v in value] if isinstance(value, list) else value

    spelled = lambda value: json.dumps(value, ensure_ascii=False)
    run = spelled(timeless(document["run"]) | {"schema": SCHEMA})
    claims = ",\n".join(spelled(timeless(c)) for c in document["claims"])
    return f'{{"run": {run},\n"claims": [\n{claims}\n],\n"unsettled": {spelled(document["unsettled"])}}}\n'
