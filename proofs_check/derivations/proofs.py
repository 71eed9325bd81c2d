"""Which claim has which derivation."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType

from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.rules import gcongr
from numerics.derivations.statements import derived
from numerics.evidence import Evidence, all_of
from proofs_check.derivations import __path__
from proofs_check.derivations.proof import Proof, both_powers, by_normal_form, each, one, powers, registered
from proofs_check.derivations.softmax_average import (
    form_of_the_paper,
    fourth_moment,
    gaussian_tokens,
    markov,
    moments,
    query_average,
    second_moment,
    sums,
    tilted,
    tilted_mean,
    weighted_errors,
    weighted_query,
)

__all__ = ["PROOFS", "derivation"]

for _found in pkgutil.walk_packages(__path__, f"{__package__}."):  # whose derivations register themselves
    importlib.import_module(_found.name)
#: The derivations of averages that do not.
HERE: Mapping[str, Proof] = MappingProxyType(
    {
        "OURS:R1.off/numerator": one(sums.numerator_statement, second_moment.numerator),
        "OURS:R1.LC1": one(lambda c=27, top=75: markov.lemma_c1(c, Fraction(top, 27), "<="), markov.error),
        "OURS:R1.CC3": one(
            lambda c=108, top=75: markov.corollary_c3(c, Fraction(top, 108)), markov.error_weakly
        ),
        "OURS:R2": one(fourth_moment.statement, fourth_moment.theorem),
        "OURS:R2.off": one(fourth_moment.part_statement, fourth_moment.where_the_normaliser_holds),
        "OURS:R2.off/numerator": one(fourth_moment.numerator_statement, fourth_moment.numerator),
        "OURS:R2.off/one": one(fourth_moment.term_statement, fourth_moment.term_of_the_numerator),
        "OURS:R2.off/sum": Proof(
            lambda c=4, two=2: (sums.fourth_power(two), sums.fourth_power_bound(c)),
            (by_normal_form(sums.fourth_power), sums.fourth_power_theorem),
        ),
        "OURS:R2.on": one(fourth_moment.failure_statement, fourth_moment.where_the_normaliser_fails),
        "OURS:R3/exponential": one(tilted.exponential_statement, tilted.exponential),
        "OURS:R3.tail": Proof(
            tilted.norm_statements, (tilted.quarter, tilted.of_a_gaussian_vector, tilted.tail_of_the_norm)
        ),
        "OURS:QA.tilt/second": Proof(tilted.tilted_statements, powers(tilted.tilted_moment)),
        "OURS:QA.weight": Proof(weighted_query.statements, each(weighted_query.theorems, 3)),
        "OURS:P3.1": Proof(
            form_of_the_paper.our_statements, (query_average.theorem, form_of_the_paper.our_output)
        ),
        "OURS:P3.4.V": one(query_average.gradient_statement, query_average.gradient),
        "OURS:LC.6": Proof(both_powers(weighted_errors.statement_c6), powers(weighted_errors.lemma_c6)),
        "OURS:LC.9": one(weighted_errors.statement_c9, weighted_errors.lemma_c9),
        "BB:LC.6": Proof(both_powers(form_of_the_paper.statement_c6), powers(form_of_the_paper.lemma_c6)),
        "BB:LC.6/nu": Proof(both_powers(form_of_the_paper.statement_c6), powers(form_of_the_paper.lemma_c6)),
        "BB:LC.9": one(form_of_the_paper.statement_c9, form_of_the_paper.lemma_c9),
        "BB:LC.9/nu": one(form_of_the_paper.statement_c9, form_of_the_paper.lemma_c9),
        "BB:P3.1": one(form_of_the_paper.output_statement, form_of_the_paper.output),
        "BB:P3.4.V": one(form_of_the_paper.gradient_statement, form_of_the_paper.gradient),
        "BB:LD.1": one(tilted_mean.output_statement, tilted_mean.output),
        "BB:LD.1.4th": one(tilted_mean.fourth_moment_statement, tilted_mean.fourth_moment_of_the_query),
        "BB:LD.1.phi/gradient": one(tilted_mean.size_statement, tilted_mean.size_of_the_mean),
        "BB:LD.2.1": one(tilted.tail_statement, tilted.tail),
        "BB:LD.2.1.RH": one(tilted.cited_statement, tilted.cited_tail),
        "BB:C.6": one(tilted_mean.moment_statement, tilted_mean.output),
        "BB:L2.1.a": one(gaussian_tokens.statement, gaussian_tokens.theorem),
        "BB:LC.1": one(markov.lemma_c1, markov.error_strictly),
        "BB:LC.1.M": Proof(sums.weight_statements, sums.weight_theorems),
        "BB:LC.1.glue.a": one(sums.least_statement, lambda: gcongr(1 * L, moments.weight_at_least_one())),
        "BB:LC.1.RL": one(markov.numerator_statement, markov.numerator_strictly),
        "BB:LC.2": one(markov.lemma_c2, markov.vectors),
        "BB:LC.2/variance": one(sums.square_of_a_sum, by_normal_form(sums.square_of_a_sum)),
        "BB:CC.3.b": one(markov.quarter_statement, markov.at_a_quarter),
        "BB:CC.3": one(
            lambda event=">", c=108: markov.corollary_c3(c, 1, event, positive=False),
            markov.error_at_a_corollary,
        ),
    }
)


def joined(*tables: Mapping[str, Proof]) -> Mapping[str, Proof]:
    """All derivations by the ids of their claims, of which none has two."""
    out: dict[str, Proof] = {}
    for table in tables:
        for id, proof in table.items():
            if id in out:
                raise ValueError(f"{id} has two derivations; remove one of them")
            out[id] = proof
    return MappingProxyType(out)


#: By the id of a claim.
PROOFS = joined(HERE, registered())


def derivation(id: str, *searches: Evidence, **numbers: object) -> Evidence:
    """The conjunction of the parts of a claim, each by its derivation and a second route."""
    proof = PROOFS[id]
    parts = zip(proof.statements(**numbers), proof.theorems, searches, strict=True)
    found = [derived(statement, theorem, search) for statement, theorem, search in parts]
    return found[0] if len(found) == 1 else all_of(*found)
