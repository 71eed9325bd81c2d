"""Derivations of single steps of the paper show no more than that."""

from dataclasses import replace
from fractions import Fraction

import pytest

from numerics.derivations.kernel.sorts import ProofError
from numerics.derivations.statements import proved
from proofs_check.derivations.proofs import PROOFS
from proofs_check.derivations.transfer.linear_tasks import infinite_prompts, laws, theorem_5_2

#: What is wrong with which part, from 0 on, of which claim.
WRONG = [
    ("BB:T5.2/inference", 0, {"rescaled": False}),
    *((id, 0, {"total": Fraction(9, 10)}) for id in ("BB:LC.4.hull", "BB:P3.1.conv")),
    *((id, 1, {"least": 1}) for id in ("BB:LC.4.hull", "BB:P3.1.conv")),
    *((id, 2, {"total": 2}) for id in ("BB:LC.4.hull", "BB:P3.1.conv")),
    *((id, 3, {"most": Fraction(99, 100)}) for id in ("BB:LC.4.hull", "BB:P3.1.conv")),
    ("BB:LC.4.impl", 0, {"c": Fraction(19, 10)}),
    ("BB:LC.4.impl", 1, {"half": Fraction(51, 100)}),
    ("BB:LC.4.impl", 2, {"most": Fraction(99, 100)}),
    ("BB:CC.3.b", 0, {"front": Fraction(46, 100)}),  # R1 gives 50, which is less than half of 108
    ("BB:LE.4.gauss/gradient", 0, {"two": Fraction(19, 10)}),
    ("BB:LE.4.gauss/gradient", 1, {"two": Fraction(19, 10)}),
    ("BB:LE.4.gauss/slopes", 0, {"factor": 2}),
    ("BB:5.rows", 0, {"factor": 2}),
    ("BB:5.rows", 1, {"factor": 2}),
    ("BB:LF.1.ii.a-e/a", 0, {"least": Fraction(3, 2)}),
    ("BB:LF.1.ii.a-e/a", 1, {"least": Fraction(1, 2)}),
    ("BB:LD.1.arg", 0, {"norm": Fraction(99, 100)}),
    ("BB:LD.1.arg", 1, {"slope": Fraction(19, 10)}),
    ("BB:LD.1.arg", 2, {"norm": Fraction(99, 100)}),
    ("BB:LD.1.arg", 3, {"factor": Fraction(39, 10)}),
    ("BB:LC.4.subadd/display", 0, {"two": 1}),
    ("BB:5.block", 0, {"mirror": 2}),
    ("BB:5.block", 1, {"mirror": 2}),
    ("BB:5.block", 2, {"keeps": False}),
    *(("BB:T5.2", part, {"c": Fraction(1, 4)}) for part in range(3)),
    *(("BB:T5.2", part, {"any_start": True}) for part in range(3)),
    *(("BB:R5.3.noise", part, {"c": Fraction(1, 4)}) for part in (3, 4)),
    ("BB:T5.2/coordinates", 0, {"factor": 2}),
    ("BB:T5.2/coordinates", 1, {"power": 1}),
]


@pytest.mark.parametrize(("id", "part", "wrong"), WRONG)
def test_with_a_wrong_number_it_is_another_statement(id, part, wrong):
    proof = PROOFS[id]
    theorem = proof.theorems[part]()
    assert proved(proof.statements()[part], theorem).lhs == proof.statements()[part].lhs
    with pytest.raises(ProofError):
        proved(proof.statements(**wrong)[part], theorem)


def test_theorem_5_2_supposes_nothing_that_theorem_4_3_does_of_its_laws_and_flows():
    supposed = set(theorem_5_2.supposed())
    assert {a.name for a in supposed} > {"sub-Gaussian", "1-sub-Gaussian query", "E sigma^12 <= S"}
    for id in ("BB:T5.2", "BB:R5.3.noise"):
        assert not any(supposed & statement.assumptions for statement in PROOFS[id].statements())


@pytest.mark.parametrize(
    "needed",
    [*laws.MODEL, *infinite_prompts.on_the_manifold, infinite_prompts.in_the_ball, theorem_5_2.no_noise],
    ids=str,
)
def test_theorem_5_2_needs_all_of_its_model(needed):
    statement, theorem = PROOFS["BB:T5.2"].statements()[1], PROOFS["BB:T5.2"].theorems[1]()
    with pytest.raises(ProofError, match="assumes more"):
        proved(replace(statement, assumptions=statement.assumptions - needed.assumptions), theorem)
