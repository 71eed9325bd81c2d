"""Which claims are derived in this room."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from proofs_check.derivations.gradients import gradient_in_U
from proofs_check.derivations.proof import Proof, one

__all__ = ["PROOFS"]

#: By the id of a claim.
PROOFS: Mapping[str, Proof] = MappingProxyType(
    {
        "BB:P3.4.U": one(gradient_in_U.statement_in_the_form, gradient_in_U.in_the_form),
        "OURS:P3.4.U": Proof(gradient_in_U.both_statements, (gradient_in_U.theorem, lambda: gradient_in_U.in_the_form(8))),
    }
)
