"""Each planted wrong rule lets a statement pass that an attack shows to be false."""

import random
from contextlib import nullcontext

import pytest

from tests.numerics.provers.soundness.generator import FAMILIES, TIES
from tests.numerics.provers.soundness.mutations import (
    wrong_consequences,
    wrong_derivatives,
    wrong_equations,
    wrong_inequalities,
)
from tests.numerics.provers.soundness.mutations.planting import Mutation, planted
from tests.numerics.provers.soundness.running import Result, attacked, blind

WRONG = (wrong_inequalities, wrong_equations, wrong_consequences, wrong_derivatives)
MUTATIONS = [m for wrong in WRONG for m in wrong.MUTATIONS]
FALSE = {**wrong_consequences.FALSE, **wrong_derivatives.FALSE}


def _judged(mutation: Mutation, seed: int) -> Result:
    st = {**FAMILIES, **TIES, **FALSE}[mutation.family](random.Random(seed))
    with blind() if mutation.blind else nullcontext():
        return attacked(
            st, mutation.effort, lambda e: st.fault(e, random.Random(1)), frozenset({mutation.family})
        )


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda m: m.name)
def test_a_wrong_rule_is_caught(mutation, monkeypatch):
    assert [r.fault for r in (_judged(mutation, seed) for seed in mutation.seeds) if r.fault] == []
    planted(mutation, monkeypatch)
    assert any(_judged(mutation, seed).fault for seed in mutation.seeds)


def test_wrong_rules_are_planted_in_every_file_that_decides():
    planted_in = {m.rule.partition(":")[0].partition(".")[0] for m in MUTATIONS}
    assert planted_in >= {
        "enclosures",
        "exact",
        "statements",
        "identities",
        "inequalities",
        "integrals",
        "eigenbasis",
        "as_written",
    }
