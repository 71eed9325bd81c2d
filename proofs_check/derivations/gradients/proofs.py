"""Which claims are derived in this room."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from numerics.derivations.statements import Statement
from proofs_check.derivations.gradients import (
    layer,
    limit,
    tilted_powers,
)
from proofs_check.derivations.gradients.gradient_in_U import (
    Part,
    averaged,
    both_statements,
    first_term,
    in_the_form,
    second_term,
    statement_in_the_form,
    statement_of_a_term,
    whole,
)
from proofs_check.derivations.proof import Proof, by_normal_form, each, one

__all__ = ["PROOFS"]


def a_term(part: Part) -> Proof:
    """A term of the gradient in U."""
    return one(lambda **numbers: statement_of_a_term(part, **numbers), lambda: in_the_form(part))


def for_both_prompts(*statements: Callable[..., Statement]) -> Callable[..., tuple[Statement, ...]]:
    """The statements for a finite and for an infinite prompt, with the same numbers."""
    return lambda **numbers: tuple(statement(**numbers) for statement in statements)


#: By the id of a claim.
PROOFS: Mapping[str, Proof] = MappingProxyType(
    {
        "BB:KQ.1": Proof(
            for_both_prompts(layer.in_the_keys, limit.in_the_keys),
            (by_normal_form(layer.in_the_keys), limit.gradient_in_the_keys),
        ),
        "BB:KQ.2": Proof(
            for_both_prompts(layer.in_the_queries, limit.in_the_queries),
            (by_normal_form(layer.in_the_queries), limit.gradient_in_the_queries),
        ),
        "BB:KQ.3": Proof(
            for_both_prompts(layer.in_the_values, limit.in_the_values),
            (by_normal_form(layer.in_the_values), by_normal_form(limit.in_the_values)),
        ),
        "BB:C.7.fin": a_term(second_term),
        "BB:C.7.first": a_term(first_term),
        "BB:C.7.gU": one(layer.in_U, by_normal_form(layer.in_U)),
        "BB:C.7.gV": one(layer.in_the_row, by_normal_form(layer.in_the_row)),
        "BB:2.fin": one(layer.of_the_empirical_measure, by_normal_form(layer.of_the_empirical_measure)),
        "BB:20": Proof(
            tilted_powers.statements_20, (tilted_powers.mean_to_the_fourth, lambda: tilted_powers.moments(4))
        ),
        "BB:20/end": one(tilted_powers.statement_20_end, tilted_powers.with_a_fourth_power_below),
        "BB:C.7.M84": Proof(tilted_powers.statements_M84, each(tilted_powers.steps_of_M84, 2)),
        "BB:C.7.M84/jensen": one(tilted_powers.statement_jensen, tilted_powers.product_to_the_fourth),
        "BB:C.7.moments": Proof(tilted_powers.statements_of_moments, each(tilted_powers.theorems, 5)),
        "BB:P3.4.U/limit": one(limit.statement, limit.gradient),
        "BB:P3.4.U": one(statement_in_the_form, lambda: in_the_form(whole)),
        "OURS:P3.4.U": Proof(
            both_statements,
            (lambda: averaged(whole), lambda: in_the_form(whole, 8)),
        ),
    }
)
