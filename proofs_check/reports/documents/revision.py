"""What ``largeprompt revise`` is told to change, by numbers or in an edited list of statements, and
read before any claim is judged.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from pathlib import Path

from numerics.terminal.inputs import InputError
from proofs_check.papers.registered import files, read_statements
from proofs_check.papers.statements import all_rows
from proofs_check.reports.documents.names import named
from proofs_check.reports.documents.numbers import declared, must_be_a_number, rational

__all__ = ["Revision", "settings", "settings_of_file"]

#: By the id of a claim, the new values of its numbers.
Revision = Mapping[str, Mapping[str, int | Fraction]]


def settings(given: Iterable[str], paper: str) -> Revision:
    """What ``--set CLAIM:NAME=VALUE`` says, such as ``"CC.3.b:c=139"``, by claims of the paper,
    which are named as in ``largeprompt show``. A text of another form, or without such a claim or
    number, is an InputError.
    """
    split = [_split(text, paper) for text in given]
    known, out = declared() if split else {}, dict[str, dict[str, int | Fraction]]()
    for text, name, key, value in split:
        meant = named(name, known)
        rows = {r.id for r in meant.rows}
        ids = [meant.claim] if meant.claim else [id for id in known if id.partition("/")[0] in rows]
        having = [id for id in ids if key in known[id]]
        chosen = [id for id in having if id in rows] or having
        if len(chosen) != 1:
            said = "several claims have" if chosen else "no claim has"
            offered = ", ".join(chosen or ids) or "none"
            raise InputError(f"--set {text[:60]!r}: {said} the number {key}; name one of {offered}")
        must_be_a_number(chosen[0], known[chosen[0]], key)
        out.setdefault(chosen[0], {})[key] = value
    return out


def _split(text: str, paper: str) -> tuple[str, str, str, int | Fraction]:
    """The text, the name of a claim of the paper, the name of its number, and the value."""
    place, equals, value = text.partition("=")
    name, colon, key = (part.strip() for part in place.rpartition(":"))
    if not (equals and colon and name and key):
        raise InputError(f"--set {text[:60]!r} sets nothing; write CLAIM:NAME=VALUE, such as CC.3.b:c=139")
    try:
        number = rational(value.strip())
    except InputError as error:
        raise InputError(f"--set {text[:60]!r}: {error}") from None
    name = f"{paper}:{name.removeprefix(f'{paper}:')}"
    named(name.partition("/")[0])  # a row is known at once, its parts among claims only
    return text, name, key, number


def settings_of_file(path: Path, paper: str) -> tuple[Revision, tuple[str, ...], tuple[str, ...]]:
    """What an edited copy of a paper's ``statements.toml`` changes: the revision; rows whose
    printed formula is another one, and no number says how, so that nothing judges them; and rows of
    the paper that the copy no longer has, if it is a copy of all of them.

    A row, or a part of it, is judged with the numbers in its table ``set``: ``set = {"c" = "139"}``
    or ``set = {"part:c" = "139"}``. A file that cannot be read, of another paper, or with a row or
    a number that is not known is an InputError.
    """
    data = read_statements.__wrapped__(path)  # a copy that is edited may be read twice
    if data["paper"]["key"] != paper:
        raise InputError(f"{path} is about {data['paper']['key']}, not {paper}; give the copy of that paper")
    texts, rewritten, seen = [], [], set()
    known = {id: r for id, r in all_rows().items() if r.paper == paper}
    for r in data.get("row", ()):
        id = str(r.get("id"))
        if id not in known:
            raise InputError(
                f"{path} has the row {id}, which no claim is about; keep the ids of the statements"
            )
        seen.add(id)
        numbers = r.get("set", {})
        texts += [
            f"{id}/{name}={value}" if ":" in name else f"{id}:{name}={value}"
            for name, value in numbers.items()
        ]
        if not numbers and str(r.get("printed", "")).strip() != known[id].printed:
            rewritten.append(id)
    # of several parts a copy has one
    whole = sum(data["paper"]["key"] == key for key in _keys_of_files()) == 1
    dropped = tuple(id for id in known if id not in seen) if whole else ()
    return settings(texts, paper), tuple(rewritten), dropped


def _keys_of_files() -> list[str]:
    return [read_statements(file)["paper"]["key"] for file in files()]
