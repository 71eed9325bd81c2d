"""Which claims are derived in this room."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from proofs_check.derivations.proof import Proof, each, one
from proofs_check.derivations.window import affine, below, signal

__all__ = ["PROOFS"]

#: By the id of a claim.
PROOFS: Mapping[str, Proof] = MappingProxyType(
    {
        "COL:C.2": one(signal.bounded_statement, signal.bounded),
        "COL:C.3": Proof(affine.correlation_statements, affine.correlation_theorems),
        "COL:C.4a": Proof(signal.split_statements, (signal.second_moment, signal.split)),
        "COL:C.4b": one(signal.along_statement, signal.along_the_query),
        "COL:C.4p": Proof(signal.variance_statements, (signal.popoviciu, signal.variance_across)),
        "COL:C.5/wide": one(below.wide_statement, below.of_wide_windows),
        "COL:C.5.c2": one(below.case_two_statement, below.case_two),
        "COL:C.5.c3": one(below.case_three_statement, below.case_three),
        "COL:C.6/lower": one(below.every_width_statement, below.for_every_width),
        "COL:C.8p/first": one(signal.distance_statement, signal.by_distances),
        "COL:C.9": one(affine.half_statement, affine.relu_loses_half),
        "COL:C.9s": Proof(affine.side_statements, (affine.law_of_the_companion, affine.on_the_other_side)),
        "OURS:R8.relu": one(affine.relu_statement, affine.relu_beside_affine),
        "OURS:R8.below": Proof(below.below_statements, (below.from_below, below.with_the_bound)),
    }
)
