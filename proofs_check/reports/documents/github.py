"""What a ledger says to the continuous integration of others: annotations of GitHub, a badge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from proofs_check.core.ledgers.outcomes import NOT_SETTLED, outcomes

__all__ = ["as_annotations", "badge"]


def as_annotations(document: Mapping[str, Any]) -> Iterator[str]:
    r"""A line for each claim that is not in order, which is an error, and for each statement that
    is false as printed, which is a warning, in the form that GitHub shows beside the source.

    >>> told = {"line": "mine/lemmas.py:23", "why": "1 < 2,\n100 %", "faults": []}
    >>> claim = {"id": "ME:L2", "verdict": "REFUTED", **told}
    >>> print(*as_annotations({"run": {"faults": []}, "claims": [claim]}))
    ::warning file=mine/lemmas.py,line=23,title=ME%3AL2 is false as printed::1 < 2,%0A100 %25
    """
    for fault in document["run"]["faults"]:
        yield f"::error::{_data(fault)}"
    for c in document["claims"]:
        path, _, line = c["line"].rpartition(":")
        where = f"file={_property(path)},line={line}," if path else ""
        for fault in c["faults"]:
            yield f"::error {where}title={_property(c['id'])} is not in order::{_data(fault)}"
        if c["verdict"] == "REFUTED":
            yield f"::warning {where}title={_property(c['id'])} is false as printed::{_data(c['why'])}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def badge(document: Mapping[str, Any]) -> dict[str, Any]:
    """How many statements hold, are false and are not settled, as the JSON that shields.io draws.

    >>> badge({"run": {"faults": ["a circle"]}, "claims": []})["color"]
    'red'
    """
    mine = {c["paper"] for c in document["claims"]}
    found = Counter(
        "false" if o.verdict == "REFUTED" else "open" if o.verdict in ("OPEN", NOT_SETTLED) else "hold"
        for o in outcomes(document).values()
        if o.row.paper in mine
    )
    faulty = bool(document["run"]["faults"]) or any(c["faults"] for c in document["claims"])
    said = ", ".join(f"{found[word]} {word}" for word in ("hold", "false", "open") if found[word]) or "none"
    colour = "red" if faulty else "orange" if found["false"] else "yellow" if found["open"] else "brightgreen"
    return {
        "schemaVersion": 1,
        "label": "statements",
        "message": "not in order" if faulty else said,
        "color": colour,
    }
