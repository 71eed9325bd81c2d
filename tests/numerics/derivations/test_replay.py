"""Every step of every stored derivation, and random derivations, hold in finite worlds. A child
makes the steps as they are made anywhere: tactics ask provers what may be false, so that a prover
that granted everything would make steps that no derivation has.
"""

import copy
import itertools
import random
from dataclasses import replace
from typing import NamedTuple

import pytest
from flint import arb, fmpq

from numerics.derivations.kernel.sorts import ProofError
from numerics.derivations.kernel.terms import Function
from numerics.derivations.kernel.theorems import Assumption, Theorem
from numerics.derivations.statements import proved
from numerics.derivations.typeset import relation
from numerics.derivations.worlds import Undecided, World, holds, made, meets
from proofs_check.derivations.proofs import PROOFS
from proofs_check.reports.documents.proof_page import Displayed, all_proofs
from tests.forks import apart
from tests.numerics.derivations.attacks.random_proofs import false_theorems

SEEDS, TABLES = range(6), range(6, 9)


class Tables(World):
    """A world in which what is called delta tells whether two indices are the same."""

    def apply(self, f: Function, at: tuple[int, ...]) -> fmpq:
        if f.name.startswith("delta") and len(at) == 2:
            return fmpq(int(at[0] == at[1] < self.size))
        return super().apply(f, at)


class Replay(NamedTuple):
    """What was found of all steps."""

    #: For each world what becomes of each step: held, not met, undecided, or which one is false.
    became: list[list[str]]
    #: Which steps assume a derivative or a recursion, which no world without choice meets.
    moves: list[bool]
    #: Whether an equation between different terms fails somewhere with the right side doubled.
    told_apart: list[bool]
    choices: int
    #: The parts of stored derivations that were proved without one of their hypotheses.
    needless: list[str]
    #: Choices for which a large number is not enough, or a small one is.
    not_made: list[str]
    proofs: dict[str, list[Displayed]]


@pytest.fixture(scope="module")
def replay():
    return apart(_replay)


def _replay() -> Replay:
    steps = _steps()
    # Prompts of one token are among the worlds, and laws on two and on four atoms.
    kinds = [*zip(SEEDS, itertools.repeat(World)), *zip(TABLES, itertools.repeat(Tables))]
    worlds = [kind(random.Random(seed), length=1 + seed % 3, size=1 + seed % 2) for seed, kind in kinds]
    moves = [any(map(_moves, t.assumptions)) for t in steps]
    became = [_became(world, steps) for world in worlds]
    tight = [t for t in steps if t.op == "==" and t.lhs != t.rhs and t.rule == "normal form"]
    choices = {a for t in steps for a in t.assumptions if a.chosen}
    tried = itertools.product(choices, SEEDS, (True, False))
    not_made = [str(a) for a, seed, large in tried if _can_be(a, seed, large) != large]
    apart = [any(_apart(t, world) for world in worlds) for t in tight]
    return Replay(became, moves, apart, len(choices), _needless(random.Random(9)), not_made, all_proofs())


def _needless(rng: random.Random) -> list[str]:
    """The parts that are proved with one hypothesis less, a random one of those that are used."""
    found = []
    for id, proof in PROOFS.items():
        for statement, make in zip(proof.statements(), proof.theorems, strict=True):
            if used := sorted((theorem := make()).assumptions, key=str):
                fewer = replace(statement, assumptions=statement.assumptions - {rng.choice(used)})
                try:
                    proved(fewer, theorem)
                except ProofError as stop:
                    if "assumes more than the statement" in str(stop):
                        continue
                found.append(id)
    return found


def _steps() -> list[Theorem]:
    """All theorems on which stored derivations rest, each once."""
    found: dict[int, Theorem] = {}
    for proof in PROOFS.values():
        for theorem in proof.theorems:
            found |= {id(t): t for t in theorem().steps()}
    return list(found.values())


def _moves(a: Assumption) -> bool:
    return any(f.name.endswith(("'", "+")) for f in a.lhs.functions | a.rhs.functions)


def _became(world: World, steps: list[Theorem]) -> list[str]:
    out: list[str] = []
    known: dict[Assumption, bool] = {}
    for theorem in steps:
        try:
            if not _met(theorem, world, known):
                out.append("not met")
            else:
                out.append("held" if holds(theorem, world) else f"false: {theorem.rule}: {theorem}")
        except Undecided:  # a Gaussian vector
            out.append("undecided")
    return out


def _met(theorem: Theorem, world: World, known: dict[Assumption, bool]) -> bool:
    """Whether the world meets all assumptions; `known` keeps what was found, as a world stays."""

    def kept(a: Assumption) -> bool:
        if a not in known:
            known[a] = made(a, world.length) or meets(a, world) or _meets_units(a, world)
        return known[a]

    return all(map(kept, theorem.assumptions))


def _meets_units(a: Assumption, world: World) -> bool:
    """Whether an equation for all values of one array of indices holds for those with one entry,
    which decides one that is linear in it, and for that of the world.
    """
    functions = [f for f in a.every if isinstance(f, Function)]
    if len(functions) != 1 or a.op != "==":
        return False
    (f,) = functions
    rest = replace(a, every=a.every - {f})
    if not meets(rest, world):
        return False
    places = list(itertools.product(range(3), repeat=len(f.sorts)))
    for one in places:
        here = copy.copy(world)
        here.tables = world.tables | {(f.name, f.sorts, at): fmpq(int(at == one)) for at in places}
        here.memory = {}
        if not meets(rest, here):
            return False
    return True


def _apart(equation: Theorem, world: World) -> bool:
    try:
        left, right = arb(world.value(equation.lhs)), arb(world.value(equation.rhs))
    except Undecided:
        return False
    return not abs(left) < 1 and not left.overlaps(right * 2)


def _can_be(a: Assumption, seed: int, large: bool) -> bool:
    """Whether a choice is met by a large number or by a small one."""
    world = World(random.Random(seed))
    world.numbers[a.chosen] = fmpq(10**30) if large else fmpq(1, 10**30)
    world.numbers |= {v: fmpq(1, 1000) for v in a.rhs.free if v.name == "epsilon"}
    return meets(a, world)


@pytest.mark.parametrize("seed", [*SEEDS, *TABLES])
def test_every_step_holds(seed, replay):
    assert [what for what in replay.became[seed] if what.startswith("false")] == []
    assert "held" in replay.became[seed]


def test_most_steps_are_tried(replay):
    """Two of three that assume no flow and no descent: the others assume what no world without
    choice has, as inverses.
    """
    each = zip(zip(*replay.became, strict=True), replay.moves, strict=True)
    tried = ["held" in step for step, moves in each if not moves]
    assert sum(tried) > 2 / 3 * len(tried)


def test_random_derivations_hold():
    found, tried = false_theorems(0, 60)
    assert not found
    assert len(tried) > 5


def test_a_false_step_would_be_seen(replay):
    assert sum(replay.told_apart) > len(replay.told_apart) / 2 > 0


def test_every_choice_can_be_made(replay):
    assert replay.choices
    assert replay.not_made == []


def left(s):
    """The left side of a statement, with the letters that its bound variables get beside the right
    one.
    """
    pairs = zip(*(relation(s.lhs, op, s.rhs) for op in ("<=", "==")), strict=False)
    return "".join(a for a, b in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))


def test_no_derivation_does_without_one_of_its_hypotheses(replay):
    assert replay.needless == []


def test_every_proof_can_be_shown(replay):
    proofs = replay.proofs
    assert set(proofs) == set(PROOFS)
    for id, parts in proofs.items():
        for part, statement in zip(parts, PROOFS[id].statements(), strict=True):
            assert part.lines[-1][1].startswith(left(statement))
    cited = {rule for part in proofs["OURS:R1.LC1"] for _, _, rule in part.lines}
    assert "OURS:R1" in cited
    assert "OURS:R1.LC1" not in cited
    assert len(proofs["OURS:R1.LC1"][0].lines) < len(proofs["OURS:R1"][0].lines)
