"""Which claims are derived in this room."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from proofs_check.derivations.proof import Proof, one
from proofs_check.derivations.training import best_time, gronwall, our_transfer, two_flows
from proofs_check.derivations.training import parameters_at_a_time as at_a_time
from proofs_check.derivations.training import risk_along_the_flow as risk

__all__ = ["PROOFS"]

#: By the id of a claim.
PROOFS: Mapping[str, Proof] = MappingProxyType(
    {
        "BB:24-27": Proof(
            two_flows.statements,
            (two_flows.speed, two_flows.distance_in_the_ball, two_flows.norm_in_the_ball),
        ),
        "BB:24-27/gronwall": one(gronwall.statement, gronwall.theorem),
        "BB:E.1": Proof(
            risk.statements, (two_flows.norm_in_the_ball, risk.risks_stay_together, risk.within_two_epsilon)
        ),
        "BB:T4.3": one(risk.statement, risk.theorem),
        "BB:T5.2": one(risk.best_statement, risk.within_epsilon_of_the_best),
        "OURS:T4.3": Proof(
            our_transfer.statements,
            (
                our_transfer.distance,
                our_transfer.from_a_time_on,
                our_transfer.at_the_best_time,
                our_transfer.within_epsilon,
            ),
        ),
        "OURS:T4.3/best": Proof(
            best_time.statements, (best_time.not_negative, best_time.bound_there, best_time.half_of_epsilon)
        ),
        "BB:4.E1cor": one(at_a_time.statement, at_a_time.theorem),
        "BB:4.E1cor2": Proof(
            at_a_time.slow_statements, (at_a_time.at_the_slow_time, at_a_time.parameters_converge)
        ),
        "BB:LE.1": one(two_flows.statement, two_flows.distance),
    }
)
