"""Reads ledgers and writes documents. A file that is no ledger is refused with the reason, and
writing never leaves half a file behind.
"""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

from numerics.terminal.files import replace_together
from numerics.terminal.inputs import InputError, check_folder_around, read_bytes, writing_into

__all__ = ["SCHEMA", "read_ledger", "schema", "write_text"]

#: Version of ``ledger.schema.json``; it rises when a reader of older ledgers would go wrong.
SCHEMA = 5
_AGAIN = (
    "write it anew with: pytest --pyargs proofs_check (or pytest FOLDER), without -k, -m and --reseed; "
    "--ledger DIR says where"
)


def schema() -> dict[str, Any]:
    """The JSON schema of the ledger."""
    text = (Path(__file__).parent / "ledger.schema.json").read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


def read_ledger(path: Path, *, older: bool = False) -> dict[str, Any]:
    """The document in a ``ledger.json``, or in that of a folder; one of the version before is read
    only if asked for, and returned in the present form. Anything else is an InputError.
    """
    try:
        path = path / "ledger.json" if path.is_dir() else path
        content = read_bytes(path)
    except (InputError, OSError) as error:
        raise InputError(
            f"cannot read {path}: {getattr(error, 'strerror', None) or error}; {_AGAIN}"
        ) from error
    try:
        found = json.loads(content.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is not JSON ({error}); {_AGAIN}") from error
    form = schema()
    if (
        not isinstance(found, dict)
        or not set(form["required"]) <= set(found)
        or not isinstance(found["run"], dict)
    ):
        raise InputError(f"{path} is not a ledger: it has no {', '.join(form['required'])}; {_AGAIN}")
    version = found["run"].get("schema", "none")
    if older and version == SCHEMA - 1:
        found, version = _renewed(found), SCHEMA
    if version != SCHEMA:
        raise InputError(
            f"{path} has version {version} of the ledger's schema, this program reads {SCHEMA}; {_AGAIN}"
        )
    if wrong := _wrong(found):
        raise InputError(f"{path} is not a ledger: {wrong}; {_AGAIN}")
    twice = [id for id, n in Counter(c["id"] for c in found["claims"]).items() if n > 1]
    if twice:
        raise InputError(f"{path} is not a ledger: it holds {', '.join(twice)} twice; {_AGAIN}")
    return found


@cache
def _validator() -> Any:
    """The schema as compiled Python, which takes a tenth of the time of what walks it: most
    commands read a ledger of many megabytes.
    """
    from fastjsonschema import compile as compiled

    return compiled(schema())


def _wrong(found: Any) -> str:
    """Where a document differs from the schema first, and how; empty if it does not."""
    from fastjsonschema import JsonSchemaValueException

    try:
        _validator()(found)
    except JsonSchemaValueException as error:
        said = f"{error.message.removeprefix(error.name)}, and is {error.value!r}"
        if error.rule == "required":
            said = f" has no {', '.join(name for name in error.rule_definition if name not in error.value)}"
        return _shortened(f"${error.name.removeprefix('data')}{said}")
    return ""


def _renewed(found: dict[str, Any]) -> dict[str, Any]:
    """A ledger of version 4 in the form of version 5, in which the number that has a sharp constant
    is no longer called its dial.
    """
    claims = found["claims"]
    if isinstance(claims, list):
        claims = [_without_dial(c) if isinstance(c, dict) else c for c in claims]
    return {**found, "run": {**found["run"], "schema": SCHEMA}, "claims": claims}


def _without_dial(claim: dict[str, Any]) -> dict[str, Any]:
    if not isinstance(sharp := claim.get("sharp"), dict):
        return claim
    return {**claim, "sharp": {"number" if key == "dial" else key: x for key, x in sharp.items()}}


def _shortened(message: str) -> str:
    """A message on one line, without the middle if it quotes half the ledger."""
    line = " ".join(message.split())
    return line if len(line) <= 160 else f"{line[:75]} ... {line[-75:]}"


def write_text(path: Path, text: str) -> None:
    """Write a file so that an interrupted run never damages what was there; an InputError if its
    folder is missing or cannot be written to.
    """
    with writing_into(path):
        check_folder_around(path)
        replace_together(path.parent, {path.name: text})
