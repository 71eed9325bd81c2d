"""Which claims are derived in this room."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from proofs_check.derivations.features import (
    balance,
    counts,
    updates,
)
from proofs_check.derivations.proof import Proof, by_normal_form, each, one

__all__ = ["PROOFS"]

#: By the id of a claim.
PROOFS: Mapping[str, Proof] = MappingProxyType(
    {
        "LDL:eq9": one(counts.floored_statement, counts.without_a_floor),
        "LDL:eq9/floor": one(counts.statement, counts.without_a_floor),
        "LDL:eq9.bal": one(balance.cubic_statement, balance.cubic),
        "LDL:eq9.bal/log": one(balance.logarithmic_statement, balance.logarithmic),  # the bound from above
        "LDL:eq9.bal/least": one(balance.chernoff_statement, balance.no_rare_class),
        "LDL:L4.1/upper": one(updates.own_statement, updates.own_update),
        "LDL:P2/rate.upper": one(
            lambda **numbers: updates.own_statement(rate=updates.eta, **numbers),
            lambda: updates.at_the_rate(updates.own_update(), updates.eta),
        ),
        "LDL:L4.2": one(updates.other_statement, updates.other_update),
        "LDL:P2.off": one(
            lambda **numbers: updates.other_statement(rate=updates.eta, **numbers),
            lambda: updates.at_the_rate(updates.other_update(), updates.eta),
        ),
        "LDL:L2.van": Proof(updates.vanishing_statements, each(updates.vanishing_update, 2)),
        "LDL:L5.off": one(updates.first_statement, updates.first_phase),
        "LDL:L8.off/inference": one(updates.second_statement, updates.second_phase),
        "LDL:C.step5": Proof(updates.regrouped_statements, each(updates.regrouped, 2)),
        "LDL:D3.drop": one(updates.mean_statement, by_normal_form(updates.mean_statement)),
    }
)
