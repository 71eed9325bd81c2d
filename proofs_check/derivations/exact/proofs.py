"""Which claims are derived in this room."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from proofs_check.derivations.exact import (
    bounded_flow,
    critical_points,
    fixed_point,
    gaussian_scores,
    gaussian_sums,
    gaussian_weights,
    global_minima,
    long_prompts,
    matrix_flow,
    polyak_lojasiewicz,
    projection,
    reading_off,
    softmax_weights,
    theorem_a,
    token_errors,
    two_tokens,
)
from proofs_check.derivations.proof import Proof, by_normal_form, each, one

__all__ = ["PROOFS"]

#: By the id of a claim.
PROOFS: Mapping[str, Proof] = MappingProxyType(
    {
        "BB:F.2.C2/ball": one(bounded_flow.ball_statement, bounded_flow.ball),
        "BB:F.2.Zh/fixed_point": Proof(fixed_point.statements, each(fixed_point.stands_still, 3)),
        "OURS:R5.cons/entries": Proof(
            reading_off.entries_statements, (reading_off.entries_of_U, reading_off.entries_of_u)
        ),
        "OURS:R5.limit/orthant": Proof(
            reading_off.field_statements, (reading_off.diagonal_equation, reading_off.scalar_equation)
        ),
        "OURS:R5.limit/square": one(reading_off.square_statement, reading_off.square),
        "OURS:R5.limit/critical": Proof(
            critical_points.height_statements, (critical_points.height, critical_points.product_of_heights)
        ),
        "OURS:R5.limit/repel": Proof(
            critical_points.repel_statements,
            (critical_points.no_excess, critical_points.no_diagonal, critical_points.repel),
        ),
        "OURS:R5.limit/fixed_point": Proof(
            lambda factor=1, one=1: (*fixed_point.statements(factor), fixed_point.unique_statement(one)),
            (*each(fixed_point.stands_still, 3), fixed_point.unique),
        ),
        "BB:F.3.2": one(global_minima.statement, global_minima.theorem),
        "OURS:R6.valley/scores": one(global_minima.line_statement, global_minima.line),
        "OURS:R6.fixed/integral": Proof(
            gaussian_weights.statements, (gaussian_weights.finite, gaussian_weights.infinite)
        ),
        "BB:F.3.3": one(lambda c=1: polyak_lojasiewicz.statements(c)[0], polyak_lojasiewicz.along_the_flow),
        "BB:F.3.fin/bounded": Proof(
            lambda c=1, one=1: (*bounded_flow.degenerate_statements(c), projection.risk_statement(one)),
            (bounded_flow.degenerate, bounded_flow.degenerate_in_U, projection.risk),
        ),
        "OURS:R5.limit/bounded": Proof(
            bounded_flow.limit_statements,
            (lambda: bounded_flow.square_of_u(bounded_flow.finite), bounded_flow.square_of_U),
        ),
        "BB:F.3.1": Proof(
            long_prompts.statements,
            (by_normal_form(lambda: long_prompts.statements()[0]), long_prompts.theorem),
        ),
        "BB:F.3.4a": one(matrix_flow.affine_statement, matrix_flow.affine),
        "BB:F.3.4b": Proof(
            projection.statements,
            (
                projection.on_the_set_and_the_ray,
                projection.member_on_the_ray,
                projection.member_in_the_set,
                *each(projection.projection, 3),
            ),
        ),
        "BB:F.3.cons": Proof(
            matrix_flow.balancedness_statements, (matrix_flow.balance_is_kept, matrix_flow.balanced)
        ),
        "OURS:R5.cons": Proof(
            matrix_flow.conservation_statements, (matrix_flow.balance_is_kept, matrix_flow.rest_is_kept)
        ),
        "OURS:R5.PL": Proof(
            polyak_lojasiewicz.statements, (polyak_lojasiewicz.along_the_flow, polyak_lojasiewicz.square_of_u)
        ),
        "OURS:R5.PL/gradient": one(polyak_lojasiewicz.gradient_statement, polyak_lojasiewicz.gradient),
        "OURS:R5.PL/start": one(polyak_lojasiewicz.start_statement, polyak_lojasiewicz.start_by_halves),
        "OURS:R5.PL/trace": Proof(
            polyak_lojasiewicz.trace_statements,
            (polyak_lojasiewicz.squares_of_the_start, polyak_lojasiewicz.half_of_the_risk_at_the_start),
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
        "OURS:R4.A.ode": Proof(
            lambda one=1: (theorem_a.solution_statement(one), softmax_weights.equal_statement(one)),
            (two_tokens.weights_are_spread, softmax_weights.equal_weights),
        ),
    }
)
