"""Which claims are derived in this room."""

from __future__ import annotations

from collections.abc import Mapping

from proofs_check.derivations.proof import Proof

__all__ = ["PROOFS"]

#: By the id of a claim.
PROOFS: Mapping[str, Proof] = {}
