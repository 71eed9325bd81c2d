"""Which claims are derived in this room."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from proofs_check.derivations.proof import Proof, each, one
from proofs_check.derivations.softmax_average import tilted
from proofs_check.derivations.tails import (
    choice_of_the_cut,
    cut_of_the_mean,
    hoelder,
    incomplete_gamma,
    lemma_c7,
    lemma_d2,
)
from proofs_check.derivations.tails import lemma_c7_statements as c7
from proofs_check.derivations.tails import lemma_d2_statements as d2

__all__ = ["PROOFS"]

#: By the id of a claim.
PROOFS: Mapping[str, Proof] = MappingProxyType(
    {
        "BB:LC.7": one(c7.lemma, lemma_c7.theorem),
        "BB:LC.7.int": one(c7.cut_of_the_mean, cut_of_the_mean.above_the_cut),
        "BB:LC.7.8": Proof(c7.tails, (lemma_c7.token_tail, lemma_c7.gamma_integral)),
        "BB:LC.7.8/dropped": Proof(
            c7.short, (cut_of_the_mean.size_in_a_short_prompt, cut_of_the_mean.error_in_a_short_prompt)
        ),
        "BB:LC.7.8/holder": one(c7.size_of_the_limit, hoelder.length),
        "BB:LC.7.lim": Proof(
            c7.limits, (lemma_c7.lower_limit, *each(lemma_c7.upper_limit, 2), lemma_c7.subadditivity)
        ),
        "BB:LC.7.lim/display": one(c7.display, lemma_c7.display),
        "BB:LD.2.1.a": one(lambda two=2: tilted.tail_statement(two), tilted.tail),
        "BB:LD.2.2": one(d2.maximum, lemma_d2.theorem),
        "BB:LD.2.2.G": one(d2.gamma, incomplete_gamma.some_constant),
        "BB:LD.2.2.B": Proof(
            d2.cuts,
            (
                choice_of_the_cut.size_of_the_choice,
                choice_of_the_cut.allowed,
                choice_of_the_cut.at_a_cut,
                choice_of_the_cut.theorem,
            ),
        ),
    }
)
