"""Which claims are derived in this room."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from proofs_check.derivations.linear_attention.softmax_errors import (
    softmax_weights,
    theorem_a,
    token_errors,
    two_tokens,
)
from proofs_check.derivations.proof import Proof, one

__all__ = ["PROOFS"]

#: By the id of a claim.
PROOFS: Mapping[str, Proof] = MappingProxyType(
    {
        "OURS:R4.c": one(theorem_a.second_moment_statement, token_errors.error),
        "OURS:R4.A.ode": Proof(
            lambda one=1: (theorem_a.solution_statement(one), softmax_weights.equal_statement(one)),
            (two_tokens.weights_are_spread, softmax_weights.equal_weights),
        ),
    }
)
