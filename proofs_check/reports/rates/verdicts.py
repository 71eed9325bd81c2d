"""What the ledger of the release says of the laws that a report draws."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

from proofs_check.core.ledgers.outcomes import outcomes
from proofs_check.core.ledgers.stored import RELEASE

__all__ = ["PRINTED", "declared", "repaired", "verdicts"]

#: The rows of printed laws, by how the names of their curves begin. Lemma C.4 is drawn from L = 2
#: on, and of equations (16) and (18) the exponents alone: these parts the ledger declares true.
PRINTED: Mapping[str, str] = MappingProxyType(
    {"Lemma C.4": "BB:LC.4", "eq. (16)": "BB:16", "eq. (18)": "BB:18"}
)


@cache
def _release() -> Mapping[str, Any]:
    found: dict[str, Any] = json.loads(RELEASE.read_text(encoding="utf-8"))
    return found


@cache
def verdicts() -> Mapping[str, str]:
    """The verdict of every claim as printed, by its id."""
    return MappingProxyType({claim["id"]: claim["verdict"] for claim in _release()["claims"]})


@cache
def repaired() -> Mapping[str, str]:
    """The verdict of every claim as repaired, where it is, by its id."""
    judged = {claim["id"]: claim["repair"] or claim for claim in _release()["claims"]}
    return MappingProxyType({id: found["verdict"] for id, found in judged.items()})


@cache
def declared(curve: str) -> str:
    """What the ledger says of the printed law behind the curve of this name; else empty.

    >>> declared("eq. (18), exponent only")
    'a gap in its proof, false at L = 1 only; SUPPORTED as repaired'
    >>> declared("Theorem A")
    ''
    """
    row = next((row for name, row in PRINTED.items() if curve.startswith(name)), None)
    if row is None:
        return ""
    found = outcomes(_release())[row]
    if not found.errors:
        return found.verdict
    kind = {"edge": "an edge case", "gap": "a gap in its proof"}.get(found.severity, found.severity)
    places = dict.fromkeys(error["at"] for error in found.errors if error["severity"] == "edge")
    where = f", false at {' and '.join(places)} only" if places else ""
    return f"{kind}{where}; {found.held} as repaired"
