"""What a claim takes for granted, by where it comes from, and whether it may: what is accepted as
printed rests on nothing that was added, and somebody read it beside the printed text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any

from numerics.evidence import Evidence, Verdict
from proofs_check.papers.origins import KINDS, origin, origins
from proofs_check.papers.reviews import Review
from proofs_check.papers.statements import Row, all_rows

__all__ = ["by_kind", "faults_of_dimension", "faults_of_hypotheses", "is_read", "told"]

#: How each kind is shown; what has no kind is of a paper that gives none.
_WORDS = {
    "printed": "printed",
    "definition": "by definition",
    "theorem": "by theorem",
    "cited": "cited",
    "added": "added",
}


def by_kind(claim: str, evidence: Evidence) -> dict[str, list[list[str]]]:
    """The hypotheses of an evidence, each with its source, by kind; those of no known kind come
    last, under the empty text.
    """
    out: dict[str, list[list[str]]] = {}
    for text in evidence.assumes:
        found = origin(claim, text)
        out.setdefault(found.kind if found else "", []).append([text, found.source if found else ""])
    return {kind: out[kind] for kind in (*KINDS, "") if kind in out}


#: The row that a source begins with.
_ID = re.compile(r"[A-Z]+:[^\s,:]+")
#: The dimension as a letter of a formula, and not that of an integral or of a name.
_DIMENSION = re.compile(r"(?<![A-Za-z\\_{^])d(?![A-Za-z(]|\\(?:mu|nu|theta|xi|sigma|lambda))")


def faults_of_dimension(says: str, held: Evidence) -> list[str]:
    """Whether a row speaks of the dimension, and an accepted statement was executed by engines that
    received none: then it was executed for one.
    """
    if not held.verdict.executed or held.dimension.startswith("every d"):
        return []
    spoken = " ".join(re.findall(r"\$([^$]*)\$", says))
    received = " ".join((*held.assumes, held.covered)).replace("$", "")
    if not _DIMENSION.search(spoken) or _DIMENSION.search(received):
        return []
    return [
        (
            "the row speaks of every d, and no engine received d; name the fragment that was executed, or "
            "the argument"
        )
    ]


def told(judged: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What a judged statement of a ledger, or its repair, takes for granted: kind, and hypotheses
    with their sources.

    >>> bare = {"evidence": {"assumes": ["x > 0"]}}
    >>> told(bare), told(bare | {"assumptions": {"printed": [["x > 0", "Section 2"]]}})
    ([('assumes', 'x > 0')], [('printed', 'Section 2: x > 0')])
    """
    out = []
    for kind, found in judged.get(
        "assumptions", {"": [[text, ""] for text in judged["evidence"]["assumes"]]}
    ).items():
        of_source: dict[str, list[str]] = {}
        for text, source in found:
            of_source.setdefault(source, []).append(text)
        said = [
            f"{source}: {'; '.join(texts)}" if source else "; ".join(texts)
            for source, texts in of_source.items()
        ]
        out.append((_WORDS.get(kind, "assumes"), "; ".join(said)))
    return [(kind, said) for kind, said in out if said]


def faults_of_hypotheses(
    claim: str, printed: Evidence, held: Evidence, fragment: str, needs: Iterable[str], read: bool = True
) -> list[str]:
    """Hypotheses without a kind, those that were added to what is accepted as printed (unless the
    claim executes a `fragment`, which one may bound), theorems of rows that the claim does not
    name, a dimension that no engine received, and, unless it is no verdict to be `read`, as of a
    revision, one that nobody held against the printed text.
    """
    row = all_rows().get(claim.split("/", 1)[0])
    if row is None:  # a quick look
        return []
    unread = _unread(row, printed.verdict) if read else []
    others = [*(faults_of_dimension(row.says, held) if claim == row.id else []), *unread]
    if origins(row.paper) is None:
        return others
    accepted = [e for e in (printed, held) if e.verdict.accepted]
    texts = dict.fromkeys(text for e in accepted for text in e.assumes)
    known = {text: found for text in texts if (found := origin(claim, text))}
    unsaid = "nobody says where the hypothesis {} comes from; give it a kind in hypotheses.toml"
    out = [unsaid.format(text) for text in texts if text not in known]
    if printed.verdict.accepted and not fragment:
        added = [text for text in printed.assumes if text in known and known[text].kind == "added"]
        hint = "refute the printed statement and repair it, or name the fragment"
        out += [
            f"it is accepted as printed under {text}, which the paper does not print; {hint}"
            for text in added
        ]
    rows = {name for need in needs for name in (need, need.split("/", 1)[0])}
    for text, found in known.items():
        of = _ID.match(found.source) if found.kind == "theorem" else None
        if of and of.group() not in rows:
            out.append(f"{text} is the theorem of {of.group()}; name that row in needs=")
    return out + others


def is_read(key: str) -> bool:
    """Whether rows of a paper have forms of a reading; then each has to.

    >>> is_read("nowhere")
    False
    """
    return any(row.read for row in all_rows().values() if row.paper == key)


def _unread(row: Row, verdict: Verdict) -> list[str]:
    """What nobody answered who read the row, in a paper whose rows are read."""
    if not is_read(row.paper):
        return []
    missing = (row.read or Review(on=date.min, answers={})).unanswered(verdict)
    hint = "read the row against the printed text and answer them in its read = {...}"
    return (
        [f"as printed it is {verdict}, and nobody answered {', '.join(missing)}; {hint}"] if missing else []
    )
