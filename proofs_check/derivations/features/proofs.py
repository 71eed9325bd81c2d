"""Which claims are derived in this room."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from proofs_check.derivations.features import (
    universal_bound,
)
from proofs_check.derivations.proof import Proof, one

__all__ = ["PROOFS"]

#: By the id of a claim.
PROOFS: Mapping[str, Proof] = MappingProxyType(
    {
        "OURS:R12.lower": one(universal_bound.statement, universal_bound.theorem),
    }
)
