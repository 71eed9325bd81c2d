"""Says in sentences what a revision changes: what became of each claim that was judged anew, of
those that rest on it, and of the main results.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from rich.text import Text

from numerics.evidence import Verdict
from numerics.terminal.mathematics import as_unicode
from proofs_check.core.ledgers.losses import CHANGED, LOST, STANDS, Result, listed
from proofs_check.core.ledgers.outcomes import account
from proofs_check.papers.statements import all_rows, place
from proofs_check.reports.documents.row_page import verdict_of_claim, witness_text

__all__ = ["what_became"]

Entry = Mapping[str, Any]
#: How a result stands, and how it stood.
_NOW: Mapping[str, str] = MappingProxyType({STANDS: STANDS, CHANGED: CHANGED, LOST: f"is {LOST}"})
_THEN: Mapping[str, str] = MappingProxyType(
    {STANDS: "stood", CHANGED: "stood with a change", LOST: f"was {LOST}"}
)


def what_became(
    old: Mapping[str, Any], new: Mapping[str, Any], judged: Iterable[str], paper: str
) -> list[Text]:
    """A paragraph for each claim that was judged anew, one for the claims whose standing follows,
    and one for each main result of the paper that changes.
    """
    before, after = ({e["id"]: e for e in document["claims"]} for document in (old, new))
    anew = list(judged)
    said = [_claim(before.get(id), after[id]) for id in anew]
    return said + [Text(line) for line in (*_others(before, after, anew), *_results(old, new, paper))]


def _claim(was: Entry | None, now: Entry) -> Text:
    """What became of one claim: how it was with the printed numbers, and how it is with others."""
    then = was["numbers"] if was else {}
    moved = [k for k, v in now["numbers"].items() if v != then.get(k)]
    said = Text.assemble((now["id"], "bold"), ".")
    for when, e in (("As printed", was), ("As revised", now)):
        if e is not None:
            values = ", ".join(f"{k} = {e['numbers'][k]}" for k in moved if k in e["numbers"])
            said.append(f" {when}{f', with {values},' * bool(values)} it {_state(e)}: ")
            said.append_text(verdict_of_claim(e)).append(".")
    return said


def _state(e: Entry) -> str:
    evidence = e["evidence"]
    if e["verdict"] == "REFUTED":
        return "is false" + (
            f" at {witness_text(evidence['witness'], evidence['witness_by'])}" if evidence["witness"] else ""
        )
    if Verdict(e["verdict"]).accepted:
        return "holds"
    return f"is not decided ({as_unicode(evidence['reason'])})"


def _others(before: Mapping[str, Entry], after: Mapping[str, Entry], judged: list[str]) -> Iterator[str]:
    """What follows for claims that were not judged."""
    rest = [(e, after[id]) for id, e in before.items() if id in after and id not in judged]
    for stands, says in (
        (True, "stand now, since what they need holds"),
        (False, "stand no longer, for what they need fails"),
    ):
        if ids := [now["id"] for was, now in rest if now["stands"] is stands is not was["stands"]]:
            yield f"Claims that {says}: {', '.join(ids)}."
    refuted = lambda entries, id: id in entries and entries[id]["verdict"] == "REFUTED"
    mended = {id for id in judged if refuted(before, id) and not refuted(after, id)}
    if heirs := [now["id"] for _, now in rest if now["follows"] in mended]:
        yield (
            f"These have the error of {', '.join(sorted(mended))} by inheritance, and were not judged with "
            f"other numbers; set theirs as well: {', '.join(heirs)}."
        )


def _results(old: Mapping[str, Any], new: Mapping[str, Any], paper: str) -> Iterator[str]:
    before, after = ({r.title: r for r in account(d, paper).headline} for d in (old, new))
    pairs = [(was, after[title]) for title, was in before.items() if title in after]
    yield from (f"{was.title} is gone." for title, was in before.items() if title not in after)
    yield from (said for was, now in pairs if (said := _changed(was, now)))
    if same := [now.title for was, now in pairs if not _changed(was, now)]:
        yield f"Nothing changes for the main result{'s' * (len(same) > 1)} {listed(same)}."


def _changed(was: Result, now: Result) -> str:
    """What became of a main result, in a sentence; empty if nothing did."""
    parts = []
    if now.standing != was.standing:
        parts.append(f"{_NOW[now.standing]} now, where it {_THEN[was.standing]} before")
    if now.standing == LOST and now.reason != was.reason:
        parts.append(f"the reason is: {now.reason}")
    if now.evidence != was.evidence:
        parts.append(f"its weakest link is {now.evidence} now, and was {was.evidence}")
    lost, won = ([id for id in a.errors if id not in b.errors] for a, b in ((was, now), (now, was)))
    left = f", but {now.proof.removeprefix('its printed proof ')}" if now.proof else ", and has no other"
    if lost:
        parts.append(f"its printed proof no longer has the error of {_where(lost)}{left}")
    if won:
        parts.append(f"its printed proof has the error of {_where(won)} now")
    if not parts:
        return ""
    same = "" if now.standing != was.standing else f"{_NOW[now.standing]} as before; "
    return f"{now.title} {same}{'; '.join(parts)}."


def _where(ids: Iterable[str]) -> str:
    return listed(dict.fromkeys(place(all_rows()[id.split("/", 1)[0]])[1] for id in ids))
