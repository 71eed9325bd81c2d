"""Which claims are derived in this room."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType

from numerics.derivations.statements import Statement
from proofs_check.derivations.gaussian import linear_model, task_moments, tilted_tokens
from proofs_check.derivations.proof import Proof

__all__ = ["PROOFS"]


def _lemma_f1(
    k: int | Fraction = 1,
    share: int | Fraction = 1,
    rate: int | Fraction = 1,
    growth: int | Fraction = 1,
    own: int | Fraction = 1,
) -> tuple[Statement, ...]:
    """The three parts of Assumption 4.2 for the linear in-context model, at every task."""
    moments = (tilted_tokens.statement(p, r, growth, own if p == 0 else 1) for p, r in tilted_tokens.ORDERS)
    return (*linear_model.statements(k), *task_moments.statements(rate, share), *moments)


#: By the id of a claim.
PROOFS: Mapping[str, Proof] = MappingProxyType(
    {
        "BB:LF.1": Proof(
            _lemma_f1,
            (
                linear_model.query,
                linear_model.tokens,
                linear_model.at_least_one,
                task_moments.twelfth_moment,
                task_moments.decay_times_logarithm,
                *(lambda k=k, r=r: tilted_tokens.theorem(k, r) for k, r in tilted_tokens.ORDERS),
            ),
        ),
    }
)
