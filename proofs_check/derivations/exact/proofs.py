"""Which claims are derived in this room."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from proofs_check.derivations.exact import (
    softmax_weights,
    theorem_a,
    token_errors,
)
from proofs_check.derivations.proof import Proof, one

__all__ = ["PROOFS"]

#: By the id of a claim.
PROOFS: Mapping[str, Proof] = MappingProxyType(
    {
        "OURS:R4.c": one(theorem_a.second_moment_statement, token_errors.error),
        "OURS:R4.A.ode/slope": one(theorem_a.slope_statement, theorem_a.slope),
        "OURS:R4.A.ode": Proof(
            lambda one=1: (theorem_a.solution_statement(one), softmax_weights.equal_statement(one)),
            (theorem_a.solution, softmax_weights.equal_weights),
        ),
        "OURS:R4.A": Proof(theorem_a.error_statements, (theorem_a.error, theorem_a.weaker_error)),
        "OURS:R4.A.limit": Proof(
            theorem_a.ratio_statements, (lambda: theorem_a.ratios()[0], lambda: theorem_a.ratios()[1])
        ),
    }
)
