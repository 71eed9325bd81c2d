"""Every step about Gaussian vectors holds in dimension 1, where their means are quadratures."""

import itertools
import math
import random
from collections import Counter
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest

from numerics.derivations.kernel.sorts import Sort
from numerics.derivations.kernel.terms import Apply, Bind, Defined, Function, Given, Op, Term, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.worlds import World
from proofs_check.derivations.proofs import PROOFS
from tests.numerics.derivations.rooms import of_room


def rule(count: int) -> list[tuple[float, tuple[float]]]:
    nodes, weights = np.polynomial.hermite_e.hermegauss(count)
    return [(float(w), (float(x),)) for x, w in zip(nodes, weights / weights.sum(), strict=True)]


#: For functions with kinks, and for smooth ones, whose means have more digits from fewer nodes.
KINKED, SMOOTH = rule(26), rule(12)
#: Atoms of tokens and queries, in opposite pairs.
ATOMS = [(0.3, (0,)), (0.2, (1,)), (0.3, (2,)), (0.2, (3,))]
#: Relative accuracy of the quadrature, for functions with kinks.
ACCURACY = 2e-3


@cache
def kinked(e: Term) -> bool:
    """Whether a term contains a function that has no derivative somewhere."""
    inside = (
        e.args if isinstance(e, (Op, Apply)) else (e.body,) if isinstance(e, (Bind, Defined, Given)) else ()
    )
    return (isinstance(e, Op) and e.head in ("max", "min", "ind", "above")) or any(map(kinked, inside))


class GaussianWorld(World):
    """A world in floating point: numbers and tables that meet the hypotheses of the derivations."""

    def __post_init__(self) -> None:
        self.root, self.matrix, self.last = (self.rng.uniform(-b, b) for b in (1, 0.8, 0.6))
        self.seed = self.rng.random()

    def _of(self, name: Any) -> random.Random:
        """Where what has this name comes from, whatever was drawn before."""
        return random.Random(f"{self.seed} {name}")

    def number(self, x: Fraction) -> float:
        return float(x)

    def apply(self, f: Function, at: tuple[Any, ...]) -> float:
        if f.name == "xi":
            return float(at[-1])
        fixed = {"R": self.root, "U": self.matrix, "p": self.last, "J": 1 / self.root**2}
        if f.name in fixed:
            return fixed[f.name]
        if (f, at) not in self.tables:
            opposite = f.name in ("e", "y", "z") and at[-1] >= 2
            self.tables[f, at] = (
                -self.apply(f, (*at[:-1], at[-1] - 2)) if opposite else self._of((f.name, at)).uniform(-1, 1)
            )
        return self.tables[f, at]

    def variable(self, v: Variable) -> Any:
        if v not in self.numbers:
            self.numbers[v] = self._drawn(v)
        return self.numbers[v]

    def _drawn(self, v: Variable) -> Any:
        rng = self._of(v.name)
        if v.of is Sort.NORMAL:
            return rng.gauss(0, 1)
        if v.of is Sort.PROMPT:
            return tuple(rng.randrange(4) for _ in range(self.length))
        if v.range is None:
            return 0 if v.of in (Sort.INDEX, Sort.TIME) else rng.randrange(4)
        more = rng.choice((1, 1.5))
        named = dict(L=self.length, top=self.root**2, S=more * self.root**2, k=more * self.root**2, kappa=2.5)
        named["t"] = rng.uniform(1, 3)  # U is J/t, and nodes resolve a small one
        named |= {"normU": more * math.hypot(self.matrix, self.last), "P": rng.random() / self.length}
        if v.name in named:
            return named[v.name]
        if v.range.whole:
            return 1
        lo = -2.0 if v.range.lo is None else float(v.range.lo)
        return rng.uniform(lo, lo + 3 if v.range.hi is None else float(v.range.hi))

    def operation(self, head: str, a: list[Any]) -> Any:
        heads = {"add": math.fsum, "mul": math.prod, "max": max, "min": min}
        if head in heads:
            return heads[head](a)
        if head in ("ind", "above"):
            return float(a[0] >= -1e-12) if head == "ind" else float(a[0] > 1e-12)
        return a[0] ** a[1] if head == "pow" else math.exp(a[0]) if head == "exp" else math.log(a[0])

    def integral(self, e: Bind, env: tuple[Any, ...]) -> Any:
        return math.fsum(w * self.value(e.body, (*at, *env)) for w, at in self.weighted(e, env))

    def weighted(self, e: Bind, env: tuple[Any, ...]) -> list[tuple[float, tuple[Any, ...]]]:
        if e.kind == "prompt":
            prompts = itertools.product(range(4), repeat=self.length)
            return [(math.prod(ATOMS[k][0] for k in prompt), (prompt,)) for prompt in prompts]
        if e.kind == "sum":
            prompt = self.value(e.heads[0], env)
            return [
                (1.0, tuple(prompt[n] for n in at))
                for at in itertools.permutations(range(self.length), e.count)
            ]
        normal = KINKED if kinked(e.body) else SMOOTH
        return {"normal": normal, "mean": ATOMS, "query": ATOMS}.get(e.kind, [(1.0, (0,) * e.count)])

    def meets(self, theorem: Theorem) -> bool:
        return all(self.compared(a.lhs, a.op, a.rhs, 1e-9) for a in theorem.assumptions)

    def compared(self, lhs: Term, op: str, rhs: Term, accuracy: float, factor: float = 1) -> bool:
        left, right = self.value(lhs), factor * self.value(rhs)
        near = accuracy * (abs(left) + abs(right)) + 1e-7
        return bool(abs(left - right) <= near if op == "==" else left <= right + near)


@cache
def steps() -> tuple[Theorem, ...]:
    theorems = (theorem() for id in of_room("gaussian_tokens") for theorem in PROOFS[id].theorems)
    found = {str(t): t for theorem in theorems for t in theorem.steps() if not by_recursion(t)}
    return tuple(found.values())


def by_recursion(theorem: Theorem) -> bool:
    """Whether a hypothesis says how a sequence goes on, which no sequence that is drawn meets."""
    sides = (e for a in theorem.assumptions for e in (a.lhs, a.rhs))
    return any(Sort.STEP in g.sorts for e in sides for g in e.functions)


@cache
def world_of(seed: int) -> GaussianWorld:
    """A world with prompts of one or two tokens, which keeps the values of terms."""
    return GaussianWorld(random.Random(seed), 1 + seed % 2)


@pytest.mark.parametrize("seed", range(2))
def test_every_gaussian_step_holds(seed):
    world, count = world_of(seed), Counter[str]()
    for theorem in steps():
        if not world.meets(theorem):
            count["not met"] += 1
            continue
        assert world.compared(theorem.lhs, theorem.op, theorem.rhs, ACCURACY), f"{theorem.rule}: {theorem}"
        count["held"] += 1
    assert count["held"] > 9 * count["not met"], count


def test_a_false_gaussian_step_would_be_seen():
    world = world_of(1)
    equations = [t for t in steps() if t.op == "==" and t.lhs != t.rhs]
    seen = sum(not world.compared(t.lhs, "==", t.rhs, ACCURACY, factor=2) for t in equations)
    assert seen > 0.8 * len(equations)
