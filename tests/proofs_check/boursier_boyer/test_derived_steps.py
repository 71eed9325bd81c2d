"""Derivations of single steps of the paper show no more than that."""

from dataclasses import replace
from fractions import Fraction

import pytest

from numerics.derivations.kernel.rules import assume
from numerics.derivations.kernel.sorts import NONNEGATIVE, ProofError
from numerics.derivations.kernel.terms import Variable
from numerics.derivations.statements import Statement, proved
from proofs_check.derivations.proofs import PROOFS
from proofs_check.derivations.tails import levels
from proofs_check.derivations.tails.largest import positive_part
from proofs_check.derivations.tails.levels import layers
from proofs_check.derivations.tails.whole_powers import Powers, at_least_one, compared, power_of_a_sum
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
    ("BB:F.2.lin", 0, {"last": "x"}),
    ("BB:B.2/limit", 0, {"factor": Fraction(99, 100)}),
    ("BB:2.def", 0, {"share": Fraction(49, 100)}),
    ("BB:2.def", 1, {"least": Fraction(1, 100)}),
    ("BB:LF.1.iii.a/convexity", 0, {"share": Fraction(99, 100)}),
    ("BB:LF.1.iii.a/root", 0, {"k": Fraction(99, 100)}),
    ("BB:LF.1.iii.a/maximum", 0, {"k": Fraction(99, 100)}),
    *(("BB:LF.1.iii.a", part, {"share": Fraction(99, 100)}) for part in range(3)),
    *(("BB:LF.1.iii", part, {"k": Fraction(99, 100)}) for part in range(2)),
    *((id, 0, {"whole": Fraction(99, 100)}) for id in ("BB:LC.4.int", "BB:LC.7.int")),
    ("BB:LC.4.int", 1, {"constant": 49}),  # R1 gives 50
    ("BB:LC.7.int", 1, {"front": Fraction(49, 108)}),
    ("BB:LC.4.union/inference", 0, {"two": Fraction(19, 10)}),
    ("BB:LC.4.union/inference", 0, {"at_most": 17}),
    ("BB:LC.7.8/inference", 0, {"eight": Fraction(79, 10)}),
    ("BB:LC.7.8/inference", 0, {"at_most": Fraction(1, 7)}),
]
#: Derivations each of whose hypotheses is needed.
NEEDED = [
    *(("BB:F.2.lin", 0), ("BB:B.2/limit", 0), ("BB:LF.1.iii.a/root", 0), ("BB:LF.1.iii.a/maximum", 0)),
    *(("BB:LF.1.iii.a/convexity", 0), *(("BB:LF.1.iii.a", part) for part in range(3))),
    *(("BB:LF.1.iii", 0), ("BB:LF.1.iii", 1), ("BB:LC.4.union/inference", 0), ("BB:LC.7.8/inference", 0)),
    *((id, part) for id in ("BB:LC.4.int", "BB:LC.7.int") for part in (0, 1)),
]


@pytest.mark.parametrize(("id", "part", "wrong"), WRONG)
def test_with_a_wrong_number_it_is_another_statement(id, part, wrong):
    proof = PROOFS[id]
    theorem = proof.theorems[part]()
    assert proved(proof.statements()[part], theorem).lhs == proof.statements()[part].lhs
    with pytest.raises(ProofError):
        proved(proof.statements(**wrong)[part], theorem)


@pytest.mark.parametrize(("id", "part"), NEEDED)
def test_without_a_hypothesis_it_is_another_statement(id, part):
    statement, theorem = PROOFS[id].statements()[part], PROOFS[id].theorems[part]()
    assert statement.assumptions
    for hypothesis in statement.assumptions:
        with pytest.raises(ProofError, match="assumes more"):
            proved(replace(statement, assumptions=statement.assumptions - {hypothesis}), theorem)


def test_powers_are_compared_as_their_bases_are():
    """Of x <= y, and not of y <= x or of 2x <= y, powers are made that grow so."""
    low, high = Variable("low", range=NONNEGATIVE), Variable("high", range=NONNEGATIVE)
    x, y = Powers("x", "low", low), Powers("y", "high", high)
    found = compared((x,), (y,), assume("low <= high", low, "<=", high))
    assert {a.name for a in found.assumptions} >= {"low <= high", "x_p^2 is low^p: x_0 = 1"}
    for base in (assume("high <= low", high, "<=", low), assume("low <= 2 high", low, "<=", 2 * high)):
        with pytest.raises(ProofError):
            compared((x,), (y,), base)
    with pytest.raises(ProofError):
        at_least_one(x, assume("1/2 <= low", Fraction(1, 2), "<=", low))
    with pytest.raises(ProofError):
        power_of_a_sum(y, x, x, assume("high <= 3 low", high, "<=", 3 * low))


def test_levels_are_measured_from_the_first_to_the_last_that_is_reached():
    """The integral of P(X >= t) from s on is E(X - s)_+, and not E X or E(X - 2s)_+."""
    whole = layers("mean", (levels.k,), levels.F, levels.s)
    goal = lambda least: Statement(whole.lhs, "==", levels.mean(positive_part(levels.F - least)))
    given = whole.assumptions
    assert proved(replace(goal(levels.s), assumptions=given), whole)
    for least in (0, 2 * levels.s):
        with pytest.raises(ProofError):
            proved(replace(goal(least), assumptions=given), whole)


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
