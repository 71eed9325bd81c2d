"""Ledgers for tests: real entries of quick claims, and entries made up from them."""

from __future__ import annotations

import copy
import json
from functools import cache
from typing import Any

from proofs_check.core.ledgers.ledger import Ledger
from proofs_check.core.ledgers.stored import RELEASE
from proofs_check.papers.statements import rows

#: Some claims: a gap with a sharp constant and what it uses, an edge, a proved step, and typos,
#: one of which is an inference.
QUICK = (
    "BB:CC.3.a",
    "BB:CC.3.b",
    "BB:LC.4/zero",
    "BB:LC.1.am/choice",
    "BB:LC.1/inference",
    "BB:P3.1.conv",
    "BB:LF.1.corner",
)


@cache
def _release() -> dict[str, dict[str, Any]]:
    """The entries of the release, which is in step with the claims: to judge takes far longer."""
    return {e["id"]: e for e in json.loads(RELEASE.read_text(encoding="utf-8"))["claims"]}


def line(name: str, /, **changes: Any) -> dict[str, Any]:
    """The entry of a claim, with changes."""
    return copy.deepcopy(_release()[name]) | changes


def made_up(id: str, verdict: str, **changes: Any) -> dict[str, Any]:
    """An entry for any id, in the form of a proved one."""
    plain = line(
        "BB:CC.3.a",
        id=id,
        covers=id.split("/")[0],
        paper=id.split(":")[0],
        verdict=verdict,
        needs=[],
        sharp=None,
    )
    plain["evidence"]["verdict"] = verdict
    if known := rows().get(plain["covers"]):
        plain |= {"where": known.where, "kind": known.kind, "says": known.says, "printed": known.printed}
        if known.no_property.strip():  # a row that says why no property test tries it
            plain["evidence"] = {**plain["evidence"], "routes": []}
    return plain | changes


def document(*lines: dict[str, Any], partial: bool = False) -> dict[str, Any]:
    """The ledger of some entries, or of the quick claims, as it is read from a file."""
    entries = lines or tuple(line(id) for id in QUICK)
    return Ledger(copy.deepcopy(entries), run={"partial": partial, "reseed": 0, "seconds": 1.0}).to_json()
