"""Which claims are derived in this room."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from proofs_check.derivations.proof import Proof, by_normal_form, each, one
from proofs_check.derivations.window import (
    blocks,
    kernel_sums,
    low_rank,
    lower_sums,
    pair_terms,
    powers,
    rotation,
    setting,
    signal,
)

__all__ = ["PROOFS"]

#: By the id of a claim.
PROOFS: Mapping[str, Proof] = MappingProxyType(
    {
        "COL:2.tradeoff": one(kernel_sums.narrower_statement, kernel_sums.narrower),
        "COL:4.project": one(blocks.projection_statement, blocks.value_of_the_projection),
        "COL:4.scales": Proof(blocks.scales_statements, blocks.scales_theorems),
        "COL:4.window": one(blocks.window_statement, by_normal_form(blocks.window_statement)),
        "COL:ATTN": one(setting.attention_statement, by_normal_form(setting.attention_statement)),
        "COL:B.1": Proof(setting.covariates_statements, each(setting.without_covariates, 2)),
        "COL:B.1-dec": one(setting.parts_statement, setting.signal_and_noise),
        "COL:B.5.map": Proof(setting.minimiser_statements, each(setting.one_minimiser, 2)),
        "COL:B.5.mono": Proof(setting.monotone_statements, (setting.growing, setting.ordered_alike)),
        "COL:C.2": one(signal.bounded_statement, signal.bounded),
        "COL:C.4a": Proof(signal.split_statements, (signal.second_moment, signal.split)),
        "COL:C.4b": one(signal.along_statement, signal.along_the_query),
        "COL:C.4p": Proof(signal.variance_statements, (signal.popoviciu, signal.variance_across)),
        "COL:C.8p/first": one(signal.distance_statement, signal.by_distances),
        "COL:D4.1/outside": one(blocks.outside_statement, blocks.constant_outside),
        "COL:D4.2": one(blocks.second_moment_statement, signal.isotropic),
        "COL:E.1.low": one(powers.lower_statement, powers.lower_end),
        "COL:E.1.up": one(powers.upper_statement, powers.upper_end),
        "COL:E.3.cvx": Proof(powers.range_statements, (powers.convex, *each(powers.values_at_the_ends, 2))),
        "COL:G.3.cite": one(powers.largest_statement, powers.largest_term),
        "COL:G.3.low": one(powers.compared_statement, powers.terms_compared),
        "COL:G.3.sum": one(powers.ratio_statement, powers.ratio_of_the_tail),
        "COL:G.3/small.lower": one(powers.last_statement, powers.last_term),
        "COL:G.4.shell": Proof(kernel_sums.shell_statements, each(kernel_sums.one_shell, 3)),
        "COL:G.4/lower": one(lower_sums.statement, lower_sums.kernel_sums_from_below),
        "COL:G.5/small": Proof(kernel_sums.small_statements, each(kernel_sums.small_arguments, 2)),
        "COL:H.2.rot": Proof(rotation.statements, rotation.theorems),
        "COL:H.2a/32": Proof(low_rank.centre_statements, (low_rank.difference, low_rank.signal_at_the_query)),
        "COL:H.3.perp": Proof(
            blocks.perpendicular_statements, (blocks.height_of_the_flip, blocks.no_mean_across)
        ),
        "COL:H.3a/41": one(blocks.derivative_statement, blocks.derivative_of_the_signal),
        "COL:H.3c": Proof(low_rank.order_statements, low_rank.order_theorems),
        "COL:H.5i": one(blocks.homogeneous_statement, blocks.homogeneous),
        "COL:I.3": one(kernel_sums.order_statement, kernel_sums.ordered_weights),
        "COL:R2.1.i": Proof(setting.window_statements, each(setting.no_window, 2)),
        "COL:gp": Proof(setting.derivative_statements, each(setting.derivative_of_the_sums, 2)),
        "OURS:R8.54": Proof(low_rank.range_statements, (low_rank.order_54, low_rank.beyond)),
        "OURS:R13/weights": one(pair_terms.statement, pair_terms.by_pairs),
    }
)
