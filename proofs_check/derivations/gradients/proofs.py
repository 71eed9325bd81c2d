"""Which claims are derived in this room."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from proofs_check.derivations.gradients import gradient_in_U, layer
from proofs_check.derivations.proof import Proof, by_normal_form, one

__all__ = ["PROOFS"]

#: By the id of a claim.
PROOFS: Mapping[str, Proof] = MappingProxyType(
    {
        "BB:KQ.1": one(layer.in_the_keys, by_normal_form(layer.in_the_keys)),
        "BB:KQ.2": one(layer.in_the_queries, by_normal_form(layer.in_the_queries)),
        "BB:KQ.3": one(layer.in_the_values, by_normal_form(layer.in_the_values)),
        "BB:C.7.gU": one(layer.in_U, by_normal_form(layer.in_U)),
        "BB:C.7.gV": one(layer.in_the_row, by_normal_form(layer.in_the_row)),
        "BB:P3.4.U": one(gradient_in_U.statement_in_the_form, gradient_in_U.in_the_form),
        "OURS:P3.4.U": Proof(gradient_in_U.both_statements, (gradient_in_U.theorem, lambda: gradient_in_U.in_the_form(8))),
    }
)
