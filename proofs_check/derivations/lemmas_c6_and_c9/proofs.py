"""Which claims are derived in this room."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement
from proofs_check.derivations.lemmas_c6_and_c9 import (
    assumption_33,
    averages,
    integrals,
    lemma_c1,
    lemma_c1_glue,
    lemma_c4,
    lemma_d1,
    queries,
    real_moments,
    term_3,
)
from proofs_check.derivations.lemmas_c6_and_c9.term_3 import Lemma
from proofs_check.derivations.proof import Proof, both_powers, each, one, powers

__all__ = ["PROOFS"]

C6, C9 = (Lemma(4, 1), Lemma(4, 2)), (Lemma(8, 1),)


def _statements(
    of: tuple[Any, ...], parts: Callable[..., tuple[Statement, ...]]
) -> Callable[..., tuple[Statement, ...]]:
    """The statements for each of the lemmas or powers."""
    return lambda **numbers: tuple(s for x in of for s in parts(x, **numbers))


def _theorems(
    of: tuple[Any, ...], parts: Callable[[Any], tuple[Theorem, ...]], count: int
) -> tuple[Callable[[], Theorem], ...]:
    """Their theorems, one by one."""
    return tuple(theorem for x in of for theorem in each(partial(parts, x), count))


def _every(of: tuple[Any, ...], statements: Any, theorems: Any, count: int) -> Proof:
    """A claim with so many parts for each of the lemmas or powers."""
    return Proof(_statements(of, statements), _theorems(of, theorems, count))


#: By the id of a claim.
PROOFS: Mapping[str, Proof] = MappingProxyType(
    {
        "BB:LC.1.13-14": one(lemma_c1.two_terms_statement, lemma_c1.two_terms),
        "BB:LC.1.am": one(lambda **numbers: lemma_c1.sandwich_statements(**numbers)[0], lemma_c1.lower_event),
        "BB:LC.1.sand": one(
            lambda **numbers: lemma_c1.sandwich_statements(**numbers)[1], lemma_c1.probability
        ),
        "BB:LC.1.inv": Proof(lemma_c1.inverse_statements, each(lemma_c1.inverse_theorems, 7)),
        "BB:LC.1.glue.b": one(lemma_c1_glue.glued_statement, lemma_c1_glue.glued),
        "BB:LC.1.half": Proof(lemma_c1_glue.halved_statements, each(lemma_c1_glue.halved, 2)),
        "BB:LC.1.fin": Proof(lemma_c1_glue.last_statements, each(lemma_c1_glue.last, 2)),
        "BB:LC.1.dmin": Proof(lemma_c1.least_delta_statements, each(lemma_c1.least_delta, 2)),
        "BB:LC.1.fin/sum": Proof(lemma_c1.last_line_statements, each(lemma_c1.last_line, 2)),
        "BB:LC.4.int/split": Proof(integrals.split_statements, each(integrals.split, 2)),
        "BB:LC.4.sub/closed": _every((1, 2), integrals.closed_form_statements, integrals.closed_form, 2),
        "BB:LC.4.union/max": one(lemma_c4.union_statement, lemma_c4.union),
        "BB:LC.4.union/variables": _every((1, 2), lemma_c4.tail_statements, lemma_c4.tails, 4),
        "BB:LC.4.t0": Proof(lemma_c4.threshold_statements, each(lemma_c4.thresholds, 4)),
        "BB:LC.4.lo": Proof(both_powers(lemma_c4.lower_statement), powers(lemma_c4.lower)),
        "BB:LC.4.up": Proof(lemma_c4.upper_statements, each(lemma_c4.upper, 5)),
        "BB:LC.4.subadd": Proof(lemma_c4.subadditivity_statements, each(lemma_c4.subadditivity, 4)),
        "BB:LC.6/query": Proof(averages.rare_query_statements, each(averages.rare_query, 2)),
        "BB:17": Proof(
            lambda **numbers: averages.term_1_statements(2, **numbers), each(lambda: averages.term_1(2), 4)
        ),
        "BB:19": Proof(
            lambda **numbers: averages.term_1_statements(4, **numbers), each(lambda: averages.term_1(4), 4)
        ),
        "BB:LC.6.T2": Proof(both_powers(averages.term_2_statement), powers(averages.term_2)),
        "BB:LC.9.T2/display": one(
            lambda share=12: averages.term_2_statement(1, share, 4), lambda: averages.term_2(1, 4)
        ),
        "BB:18/c3": one(averages.third_constant_statement, averages.third_constant),
        "BB:LC.6.T3": _every(C6, term_3.statements, term_3.lines, 5),
        "BB:LC.9.T3": _every(C9, term_3.statements, term_3.lines, 5),
        "BB:LC.6.T3/maximum": _every(C6, term_3.maximum_statements, term_3.maximum_theorems, 3),
        "BB:LC.9.T3/maximum": _every(C9, term_3.maximum_statements, term_3.maximum_theorems, 3),
        "BB:LD.1.phi": Proof(lemma_d1.statements, each(lemma_d1.theorems, 8)),
        "BB:LD.1.4th/line": Proof(lemma_d1.line_statements, each(lemma_d1.on_the_line, 2)),
        "BB:LD.1.4th/every_d": Proof(lemma_d1.norm_statements, each(lemma_d1.of_the_norm, 2)),
        "OURS:QA.min": Proof(queries.smaller_statements, each(queries.smaller, 3)),
        "OURS:QA.tilt": Proof(
            real_moments.statements, (real_moments.of_tilted_tokens, real_moments.of_the_largest)
        ),
        "OURS:R3": one(real_moments.statement_R3, real_moments.theorem_R3),
        "OURS:R3.max": one(real_moments.largest_statement, real_moments.of_the_largest),
        "OURS:R3.A33": Proof(assumption_33.statements, each(assumption_33.theorems, 8)),
        "OURS:R3.A33/ball": Proof(assumption_33.ball_statements, each(assumption_33.ball_theorems, 8)),
        "OURS:R3.A33/uniform": Proof(queries.constant_statements, each(queries.constants, 8)),
    }
)
