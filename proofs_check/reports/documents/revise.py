"""``largeprompt revise PAPER`` judges a revision of a paper: some claims with other numbers, and
the rest as the ledger has them.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from numerics.terminal.progress import Advance, counted
from proofs_check.core.claim import Claim
from proofs_check.core.judging import entry, load_claims, row_of
from proofs_check.core.ledgers.ledger import Ledger
from proofs_check.reports.documents.revision import Revision

__all__ = ["revised"]

#: What a claim says of an error; a claim that is no longer refuted has none of it.
_OF_ERRORS: Mapping[str, Any] = MappingProxyType(
    {
        **dict.fromkeys(("false", "at", "follows", "why", "details", "instead", "costs"), ""),
        "repair": {},
        "robust": None,
    }
)


def revised(
    document: Mapping[str, Any], revision: Revision, unjudged: Iterable[str], advance: Advance
) -> dict[str, Any]:
    """The ledger of the revision, from that of the paper as it is; `unjudged` are rows that no
    claim of the ledger speaks of any more.
    """
    gone = set(unjudged)
    claims = load_claims()
    changed = {id: _with(claims[id], numbers) for id, numbers in revision.items()}
    new = {}
    for id in counted(advance, list(changed), "judging"):
        new[id] = entry(changed[id], changed[id].judge(), row_of(changed[id]))
    lines = [new.get(e["id"], e) for e in document["claims"] if e["covers"] not in gone]
    run = {key: document["run"][key] for key in ("partial", "reseed", "seconds")}
    return Ledger(lines, run=run).to_json()


def _with(claim: Claim, numbers: Mapping[str, Any]) -> Claim:
    """A claim that prints other numbers. An error that it has no longer is not declared."""
    check = functools.partial(claim.check, **numbers)
    for name in ("__name__", "__doc__", "__module__", "__code__"):
        setattr(check, name, getattr(claim.check, name))
    made = replace(claim, check=check, revised=True)
    if claim.false and made().verdict.accepted:
        return replace(made, **_OF_ERRORS)
    return made
