"""Which claims are derived in this room."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from proofs_check.derivations.proof import Proof
from proofs_check.derivations.transfer.risks import (
    corollaries,
)

__all__ = ["PROOFS"]


#: By the id of a claim.
PROOFS: Mapping[str, Proof] = MappingProxyType(
    {
        "BB:CE.3.a": Proof(
            corollaries.risk_statements, (corollaries.risks_come_together, corollaries.risks_tend_together)
        ),
        "BB:CE.5/limit": Proof(
            corollaries.gradient_statements,
            (corollaries.gradients_come_together, corollaries.gradients_tend_together),
        ),
    }
)
