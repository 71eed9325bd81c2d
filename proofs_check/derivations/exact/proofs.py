"""Which claims are derived in this room."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from proofs_check.derivations.exact import (
    gaussian_scores,
    gaussian_sums,
    gaussian_weights,
    softmax_weights,
    theorem_a,
    token_errors,
)
from proofs_check.derivations.proof import Proof, by_normal_form, each, one

__all__ = ["PROOFS"]

#: By the id of a claim.
PROOFS: Mapping[str, Proof] = MappingProxyType(
    {
        "OURS:R6.fixed/integral": Proof(
            gaussian_weights.statements, (gaussian_weights.finite, gaussian_weights.infinite)
        ),
        "OURS:R4.b": one(gaussian_scores.statement, gaussian_scores.theorem),
        "OURS:R4.c": one(theorem_a.second_moment_statement, token_errors.error),
        "OURS:R4.d": one(
            gaussian_sums.derivative_statement, by_normal_form(gaussian_sums.derivative_statement)
        ),
        "OURS:R4.Q": Proof(gaussian_sums.gradient_statements, each(gaussian_sums.gradients, 3)),
        "OURS:R4.e/jensen": one(softmax_weights.jensen_statement, softmax_weights.jensen),
        "OURS:R4.e/order": one(softmax_weights.order_statement, softmax_weights.order),
        "OURS:R4.A.low": one(softmax_weights.least_statement, softmax_weights.least),
        "OURS:R4.A.ode/slope": one(theorem_a.slope_statement, theorem_a.slope),
        "OURS:R4.A.ode": Proof(
            lambda one=1: (theorem_a.solution_statement(one), softmax_weights.equal_statement(one)),
            (theorem_a.solution, softmax_weights.equal_weights),
        ),
        "OURS:R4.A": Proof(theorem_a.error_statements, (theorem_a.error, theorem_a.weaker_error)),
        "OURS:R4.A.limit": Proof(theorem_a.ratio_statements, each(theorem_a.ratios, 2)),
    }
)
