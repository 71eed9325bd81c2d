"""``largeprompt revise PAPER`` judges a revision of a paper: some claims with other numbers, and
the rest as the ledger has them. It says which verdicts change, and how the main results stand then.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import Any

from numerics.terminal.inputs import InputError
from numerics.terminal.progress import counted, progress_bar
from proofs_check.core.claim import Claim
from proofs_check.core.judging import entry, load_claims, row_of
from proofs_check.core.ledgers.ledger import Ledger
from proofs_check.core.ledgers.outcomes import account
from proofs_check.papers.registered import files, read_statements
from proofs_check.papers.statements import all_rows
from proofs_check.reports.documents.names import named
from proofs_check.reports.documents.what_if import number_of

__all__ = ["Revision", "main_results", "revised", "settings", "settings_of_file"]

#: What a claim says of an error; a claim that is no longer refuted has none of it.
_OF_ERRORS: Mapping[str, Any] = MappingProxyType(
    {
        **dict.fromkeys(("false", "at", "follows", "why", "details", "instead", "costs"), ""),
        "repair": {},
        "robust": None,
    }
)
#: By the id of a claim, the new values of its numbers.
Revision = Mapping[str, Mapping[str, int | Fraction]]


def settings(given: Iterable[str], paper: str) -> Revision:
    """What ``--set CLAIM:NAME=VALUE`` says, such as ``"CC.3.b:c=139"``, by claims of the paper,
    which are named as in ``largeprompt show``. A text of another form, or without such a claim or
    number, is an InputError.
    """
    claims, out = load_claims(), dict[str, dict[str, int | Fraction]]()
    for text in given:
        place, equals, value = text.partition("=")
        name, colon, key = place.rpartition(":")
        if not (equals and colon and name.strip() and key.strip()):
            raise InputError(
                f"--set {text[:60]!r} sets nothing; write CLAIM:NAME=VALUE, such as CC.3.b:c=139"
            )
        meant = named(f"{paper}:{name.strip().removeprefix(f'{paper}:')}", claims)
        ids = (
            [meant.claim]
            if meant.claim
            else [id for id, c in claims.items() if c.row in {r.id for r in meant.rows}]
        )
        having = [id for id in ids if key.strip() in claims[id].numbers]
        chosen = [id for id in having if id in {r.id for r in meant.rows}] or having
        if len(chosen) != 1:
            said = "several claims have" if chosen else "no claim has"
            offered = ", ".join(chosen or ids) or "none"
            raise InputError(f"--set {text[:60]!r}: {said} the number {key.strip()}; name one of {offered}")
        out.setdefault(chosen[0], {})[key.strip()] = number_of(claims[chosen[0]], key.strip(), value.strip())
    return out


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


def revised(document: Mapping[str, Any], revision: Revision, unjudged: Iterable[str] = ()) -> dict[str, Any]:
    """The ledger of the revision, from that of the paper as it is; `unjudged` are rows that no
    claim of the ledger speaks of any more.
    """
    gone = set(unjudged)
    with progress_bar(False, "loading the claims") as advance:
        claims = load_claims()
        changed = {id: _with(claims[id], numbers) for id, numbers in revision.items()}
        new = {}
        for id in counted(advance, list(changed), "judging"):
            new[id] = entry(changed[id], changed[id].judge(), row_of(changed[id]))
    lines = [new.get(e["id"], e) for e in document["claims"] if e["covers"] not in gone]
    run = {key: document["run"][key] for key in ("partial", "reseed", "seconds")}
    return Ledger(lines, run=run).to_json()


def _with(claim: Claim, numbers: Mapping[str, int | Fraction]) -> Claim:
    """A claim that prints other numbers. An error that it has no longer is not declared."""
    check = functools.partial(claim.check, **numbers)
    for name in ("__name__", "__doc__", "__module__", "__code__"):
        setattr(check, name, getattr(claim.check, name))
    made = replace(claim, check=check, revised=True)
    if claim.false and made().verdict.accepted:
        return replace(made, **_OF_ERRORS)
    return made


def main_results(old: Mapping[str, Any], new: Mapping[str, Any], paper: str) -> list[tuple[str, str, str]]:
    """Each main result of a paper with how it stands as printed, and as revised."""
    before, after = ({h.title: h for h in account(d, paper).headline} for d in (old, new))
    says = lambda h: "gone" if h is None else f"{h.told} ({h.evidence})"
    return [(title, says(before.get(title)), says(after.get(title))) for title in {**before, **after}]
