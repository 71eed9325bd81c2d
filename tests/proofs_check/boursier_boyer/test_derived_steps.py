"""Derivations of single steps of the paper show no more than that."""

from fractions import Fraction

import pytest

from numerics.derivations.kernel.sorts import ProofError
from numerics.derivations.statements import proved
from proofs_check.derivations.proofs import PROOFS

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
]


@pytest.mark.parametrize(("id", "part", "wrong"), WRONG)
def test_with_a_wrong_number_it_is_another_statement(id, part, wrong):
    proof = PROOFS[id]
    theorem = proof.theorems[part]()
    assert proved(proof.statements()[part], theorem).lhs == proof.statements()[part].lhs
    with pytest.raises(ProofError):
        proved(proof.statements(**wrong)[part], theorem)
