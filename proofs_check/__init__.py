"""The papers' statements as executable claims, and the ledger of their verdicts."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from proofs_check.core.claim import Claim as Claim
    from proofs_check.core.claim import claim as claim
    from proofs_check.core.judging import load_claims as load_claims
    from proofs_check.core.ledgers.ledger import Ledger as Ledger
    from proofs_check.papers.statements import row as row
    from proofs_check.papers.statements import rows as rows

_HOME = {
    "Claim": "proofs_check.core.claim",
    "Ledger": "proofs_check.core.ledgers.ledger",
    "claim": "proofs_check.core.claim",
    "load_claims": "proofs_check.core.judging",
    "row": "proofs_check.papers.statements",
    "rows": "proofs_check.papers.statements",
}
__all__ = list(_HOME)


def __getattr__(name: str) -> Any:
    """Load a public name when it is first asked for: the pytest plugin imports this package in
    every run.
    """
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})
