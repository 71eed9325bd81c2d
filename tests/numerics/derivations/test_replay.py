"""Every step of every stored derivation holds in finite worlds."""

from __future__ import annotations

import random
from collections import Counter
from functools import cache

import pytest
from flint import arb
from latex2mathml.converter import convert

from numerics.derivations.theorems import Theorem
from numerics.derivations.typeset import latex
from proofs_check.derivations.proofs import PROOFS
from proofs_check.documents.proof_page import all_proofs
from tests.numerics.derivations.finite_worlds import Undecided, World, holds

#: What a world of `finite_worlds` is made to meet.
MET = ("sub-Gaussian", "1-sub-Gaussian query", "E|f|^4 > 0", "E|Q|^2 <= u", "t > 4 sqrt(d)", "L >= 2", "sigma >= 1")


@cache
def steps() -> tuple[Theorem, ...]:
    """All theorems on which stored derivations rest, each once."""
    found: dict[int, Theorem] = {}
    for proof in PROOFS.values():
        for theorem in proof.theorems:
            found |= {id(t): t for t in theorem().steps()}
    return tuple(found.values())


def met(theorem: Theorem, world: World) -> bool:
    """Whether the world meets all assumptions of a theorem."""
    names = {a.name for a in theorem.assumptions}
    return all(n in MET or n.startswith(("|f(z)| <=", "|U| is", "|V| is")) for n in names) and (
        "L >= 2" not in names or world.length >= 2
    )


@pytest.mark.parametrize("seed", range(30))
def test_every_step_holds(seed: int) -> None:
    """Prompts of one token are among the worlds, and laws on two and on four atoms."""
    count: Counter[str] = Counter()
    world = World(random.Random(seed), length=1 + seed % 3, size=1 + seed % 2)
    for theorem in steps():
        if not met(theorem, world):
            count["not met"] += 1
            continue
        try:
            assert holds(theorem, world), f"{theorem.rule}: {theorem}"
            count["held"] += 1
        except Undecided:  # a Gaussian vector
            count["undecided"] += 1
    assert count["held"] > 9 * count["not met"], count  # Gaussian vectors: test_gaussian_steps


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


def test_every_proof_can_be_shown() -> None:
    """The proof of each claim ends in its statement, cites other claims by name, and is LaTeX that
    MathML can show.
    """
    proofs = all_proofs()
    assert set(proofs) == set(PROOFS)
    for id, parts in proofs.items():
        for part, statement in zip(parts, PROOFS[id].statements(), strict=True):
            assert part.lines[-1][1].startswith(latex(statement.lhs))
            for line in (latex(statement.rhs), *part.names, *(line for _, line, _ in part.lines)):
                assert convert(line).startswith("<math")
    cited = {rule for part in proofs["OURS:R1.LC1"] for _, _, rule in part.lines}
    assert "OURS:R1" in cited
    assert "OURS:R1.LC1" not in cited
    assert len(proofs["OURS:R1.LC1"][0].lines) < len(proofs["OURS:R1"][0].lines)
