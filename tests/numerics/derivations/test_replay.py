"""Every step of every stored derivation holds in finite worlds, and so do random derivations."""

from __future__ import annotations

import itertools
import random
from functools import cache

import pytest
from flint import arb, fmpq

from numerics.derivations.theorems import Assumption, Theorem
from numerics.derivations.typeset import latex
from numerics.derivations.worlds import Undecided, World, holds, made, meets
from proofs_check.derivations.proofs import PROOFS
from proofs_check.documents.proof_page import all_proofs
from tests.numerics.derivations.random_proofs import false_theorems


@cache
def steps() -> tuple[Theorem, ...]:
    """All theorems on which stored derivations rest, each once."""
    found: dict[int, Theorem] = {}
    for proof in PROOFS.values():
        for theorem in proof.theorems:
            found |= {id(t): t for t in theorem().steps()}
    return tuple(found.values())


def met(theorem: Theorem, world: World, known: dict[Assumption, bool]) -> bool:
    """Whether the world meets all assumptions of a theorem. `known` keeps what was found: most
    theorems assume the same, and what a world has once drawn stays.
    """

    def kept(a: Assumption) -> bool:
        if a not in known:
            known[a] = made(a, world.length) or meets(a, world)
        return known[a]

    return all(map(kept, theorem.assumptions))


@cache
def replayed(seed: int) -> dict[int, str]:
    """What becomes of each step in one world: held, not met, or undecided. A step that fails is an
    error.
    """
    out: dict[int, str] = {}
    known: dict[Assumption, bool] = {}
    world = World(random.Random(seed), length=1 + seed % 3, size=1 + seed % 2)
    for n, theorem in enumerate(steps()):
        try:
            out[n] = "held" if met(theorem, world, known) else "not met"
            assert out[n] == "not met" or holds(theorem, world), f"{theorem.rule}: {theorem}"
        except Undecided:  # a Gaussian vector
            out[n] = "undecided"
    return out


SEEDS = range(6)


@pytest.mark.parametrize("seed", SEEDS)
def test_every_step_holds(seed: int) -> None:
    """Prompts of one token are among the worlds, and laws on two and on four atoms."""
    assert "held" in replayed(seed).values()


def test_most_steps_are_tried() -> None:
    """Two of three steps hold in some world that meets their assumptions. The others assume what a
    world without choice does not have, such as flows, inverse matrices, or tokens of one class.
    """
    tried = {n for seed in SEEDS for n, what in replayed(seed).items() if what == "held"}
    assert len(tried) > 2 / 3 * len(steps())


def test_random_derivations_hold() -> None:
    found, tried = false_theorems(0, 60)
    assert not found
    assert len(tried) > 5


def test_a_false_step_would_be_seen() -> None:
    """Most equations between different terms fail in some world with the right side doubled."""
    worlds = [World(random.Random(seed), length=1 + seed % 3, size=1 + seed % 2) for seed in range(30)]
    tight = [t for t in steps() if t.op == "==" and t.lhs != t.rhs and t.rule == "normal form"]
    seen = 0
    for theorem in tight:
        for world in worlds:
            try:
                left, right = world.value(theorem.lhs), world.value(theorem.rhs)
            except Undecided:
                break
            if not abs(arb(left)) < 1 and not arb(left).overlaps(arb(right) * 2):
                seen += 1
                break
    assert seen > len(tight) / 2


def test_every_choice_can_be_made() -> None:
    """A number that a derivation chooses exists in every world: a thousandth of what the choice
    leaves open is enough if the number is large, and not if it is small.
    """
    choices = {a for t in steps() for a in t.assumptions if a.chosen}
    assert choices
    for a, seed, large in itertools.product(choices, SEEDS, (True, False)):
        world = World(random.Random(seed))
        world.numbers[a.chosen] = fmpq(10**30) if large else fmpq(1, 10**30)
        world.numbers |= {v: fmpq(1, 1000) for v in a.rhs.free if v.name == "epsilon"}
        assert meets(a, world) == large, str(a)


def test_every_proof_can_be_shown() -> None:
    """The proof of each claim ends in its statement and cites other claims by name; that MathML can
    show its lines is seen where ``largeprompt blueprint --proofs`` writes them.
    """
    proofs = all_proofs()
    assert set(proofs) == set(PROOFS)
    for id, parts in proofs.items():
        for part, statement in zip(parts, PROOFS[id].statements(), strict=True):
            assert part.lines[-1][1].startswith(latex(statement.lhs))
    cited = {rule for part in proofs["OURS:R1.LC1"] for _, _, rule in part.lines}
    assert "OURS:R1" in cited
    assert "OURS:R1.LC1" not in cited
    assert len(proofs["OURS:R1.LC1"][0].lines) < len(proofs["OURS:R1"][0].lines)
