"""Where ledgers are kept, and which one a command reads: the one that the user names, else that of
the last whole run in this folder, else the one that came with the release.
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
from proofs_check.core.statements import PACKAGE

__all__ = ["FOLDER", "PARTIAL", "RELEASE", "WHOLE", "Kept", "find_ledger", "release_text"]

#: The folder in which a run keeps its ledger if the user names none, and the names there: of a
#: run of all claims that came to its end without a fault, and of any other run.
FOLDER, WHOLE, PARTIAL = Path("build"), "ledger.json", "ledger.partial.json"
#: The ledger that travels in the wheel.
RELEASE = PACKAGE / "ledger.json"


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
    """

    document: Mapping[str, Any]
    path: Path
    says: str


def find_ledger(given: str | None = None) -> Kept:
    """The ledger that the user named, else ``build/ledger.json`` below the current folder, else
    that of the release.

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
        If the file that is to be read holds no ledger of this version.

    Examples
    --------
    >>> find_ledger(str(RELEASE)).document["run"]["partial"]
    False
    """
    here = FOLDER / WHOLE
    path = Path(given) if given is not None else here if os.path.isfile(here) else RELEASE
    if path == RELEASE and given is None:
        # A test holds it to the schema, whose check takes longer than all the rest of a command.
        document = json.loads(path.read_text(encoding="utf-8"))
        name = "the ledger of the release"
    else:
        try:
            document = read_ledger(path)
        except InputError as error:
            other = "" if given is not None else f"; without {path}, the ledger of the release is read"
            raise InputError(f"{error}{other}") from error
        name = str(path / WHOLE if path.is_dir() else path)
    run = document["run"]
    made = f"judged on {run['date'][:10]} with largeprompt {run['versions'].get('largeprompt', 'of unknown version')}"
    return Kept(document=document, path=path, says=f"{name}, {made} (code {run['code']}){_limits(document)}")


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
