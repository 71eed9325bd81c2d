"""Which claim has which derivation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import NamedTuple

from numerics.derivations.normal_form import LENGTH as L
from numerics.derivations.rules import equal, replace
from numerics.derivations.statements import Statement, derived
from numerics.derivations.theorems import Theorem
from numerics.evidence import Evidence, all_of
from proofs_check.derivations import (
    form_of_the_paper,
    fourth_moment,
    gaussian_tokens,
    lemma_c4,
    markov,
    moments,
    normaliser,
    query_average,
    second_moment,
    sums,
    tilted,
    tilted_mean,
    weighted_errors,
)

__all__ = ["PROOFS", "Proof", "derivation"]


class Proof(NamedTuple):
    """The parts of a claim as statements, which are functions of its numbers, and a theorem for
    each that should be it. The defaults are the numbers at which the claim holds: those that are
    printed, or else those of its repair.
    """

    statements: Callable[..., tuple[Statement, ...]]
    theorems: tuple[Callable[[], Theorem], ...]


def _by_normal_form(build: Callable[[], Statement]) -> Callable[[], Theorem]:
    return lambda: equal(build().lhs, build().rhs)


def _one(statement: Callable[..., Statement], theorem: Callable[[], Theorem]) -> Proof:
    """A claim of one part."""
    return Proof(lambda **numbers: (statement(**numbers),), (theorem,))


def _each(parts: Callable[[], tuple[Theorem, ...]], count: int) -> tuple[Callable[[], Theorem], ...]:
    """The theorems of a tuple one by one."""
    return tuple(lambda n=n: parts()[n] for n in range(count))


def _powers(theorem: Callable[[int], Theorem]) -> tuple[Callable[[], Theorem], ...]:
    """The theorem for f of linear and of quadratic growth, p = 1 and 2."""
    return tuple(lambda p=p: theorem(p) for p in (1, 2))


def _both_powers(statement: Callable[..., Statement]) -> Callable[..., tuple[Statement, ...]]:
    return lambda **numbers: tuple(statement(p, **numbers) for p in (1, 2))


#: By the id of a claim.
PROOFS: Mapping[str, Proof] = MappingProxyType(
    {
        "OURS:R1": _one(second_moment.statement, second_moment.theorem),
        "OURS:R1.off": _one(second_moment.part_statement, second_moment.where_the_normaliser_holds),
        "OURS:R1.off/numerator": _one(sums.numerator_statement, second_moment.numerator),
        "OURS:R1.on": Proof(second_moment.failure_statements, (normaliser.failure, second_moment.where_the_normaliser_fails)),
        "OURS:R1.LC1": _one(lambda c=27, top=75: markov.lemma_c1(c, Fraction(top, 27)), markov.error),
        "OURS:R1.CC3": _one(lambda c=108, top=75: markov.corollary_c3(c, Fraction(top, 108)), markov.error_weakly),
        "OURS:R1.LC4": _one(lambda top=75: second_moment.statement(top), second_moment.theorem),
        "OURS:R2": _one(fourth_moment.statement, fourth_moment.theorem),
        "OURS:R2.off": _one(fourth_moment.part_statement, fourth_moment.where_the_normaliser_holds),
        "OURS:R2.off/numerator": _one(fourth_moment.numerator_statement, fourth_moment.numerator),
        "OURS:R2.off/one": _one(fourth_moment.term_statement, fourth_moment.term_of_the_numerator),
        "OURS:R2.off/sum": Proof(
            lambda c=4, two=2: (sums.fourth_power(two), sums.fourth_power_bound(c)),
            (_by_normal_form(sums.fourth_power), sums.fourth_power_theorem),
        ),
        "OURS:R2.on": _one(fourth_moment.failure_statement, fourth_moment.where_the_normaliser_fails),
        "OURS:R3/exponential": _one(tilted.exponential_statement, tilted.exponential),
        "OURS:R3.tail": _one(tilted.quarter_statement, tilted.quarter),
        "OURS:QA.weight": Proof(tilted.weighted_statements, _each(tilted.weighted_theorems, 5)),
        "OURS:P3.1": _one(query_average.statement, query_average.theorem),
        "OURS:P3.4.V": _one(query_average.gradient_statement, query_average.gradient),
        "BB:LC.4": Proof(lemma_c4.statements, _powers(lemma_c4.theorem)),
        "OURS:LC.6": Proof(_both_powers(weighted_errors.statement_c6), _powers(weighted_errors.lemma_c6)),
        "OURS:LC.9": _one(weighted_errors.statement_c9, weighted_errors.lemma_c9),
        "BB:LC.6": Proof(_both_powers(form_of_the_paper.statement_c6), _powers(form_of_the_paper.lemma_c6)),
        "BB:LC.6/nu": Proof(_both_powers(form_of_the_paper.statement_c6), _powers(form_of_the_paper.lemma_c6)),
        "BB:LC.9": _one(form_of_the_paper.statement_c9, form_of_the_paper.lemma_c9),
        "BB:LC.9/nu": _one(form_of_the_paper.statement_c9, form_of_the_paper.lemma_c9),
        "BB:P3.1": _one(form_of_the_paper.output_statement, form_of_the_paper.output),
        "BB:P3.4.V": _one(form_of_the_paper.gradient_statement, form_of_the_paper.gradient),
        "BB:LD.1": _one(tilted_mean.output_statement, tilted_mean.output),
        "BB:LD.1.4th": _one(tilted_mean.fourth_moment_statement, tilted_mean.fourth_moment_of_the_query),
        "BB:LD.1.phi/gradient": _one(tilted_mean.size_statement, tilted_mean.size_of_the_mean),
        "BB:LD.2.1": _one(tilted.tail_statement, tilted.tail),
        "BB:LD.2.1.RH": _one(tilted.cited_statement, tilted.cited_tail),
        "BB:C.6": _one(tilted_mean.output_statement, tilted_mean.output),
        "BB:L2.1.a": _one(gaussian_tokens.statement, gaussian_tokens.theorem),
        "BB:LC.1": _one(markov.lemma_c1, markov.error),
        "BB:LC.1.BCL": Proof(normaliser.upper_statements, _each(normaliser.upper_tail, 2)),
        "BB:LC.1.CL": Proof(normaliser.lower_statements, _each(normaliser.lower_tail, 2)),
        "BB:LC.1.M": Proof(sums.weight_statements, sums.weight_theorems),
        "BB:LC.1.glue.a": _one(sums.least_statement, lambda: replace(1 * L, moments.weight_at_least_one())),
        "BB:LC.4/one-token": Proof(lemma_c4.single_statements, _powers(lemma_c4.single)),
        "BB:LC.1.Q2": Proof(moments.weighted_value_statements, _each(moments.weighted_value, 2)),
        "BB:LC.1.15": Proof(moments.length_statements, _each(moments.length_of_the_limit, 2)),
        "BB:LC.1.RL": _one(markov.numerator_statement, markov.numerator),
        "BB:LC.2": _one(markov.lemma_c2, markov.vectors),
        "BB:LC.2/variance": _one(sums.square_of_a_sum, _by_normal_form(sums.square_of_a_sum)),
        "BB:CC.3": _one(lambda event=">", c=108: markov.corollary_c3(c, 1, event, positive=False), markov.error_at_a_corollary),
    }
)


def derivation(id: str, *searches: Evidence, **numbers: object) -> Evidence:
    """The conjunction of the parts of a claim, each by its derivation and a second route."""
    proof = PROOFS[id]
    parts = zip(proof.statements(**numbers), proof.theorems, searches, strict=True)
    found = [derived(statement, theorem, search) for statement, theorem, search in parts]
    return found[0] if len(found) == 1 else all_of(*found)
