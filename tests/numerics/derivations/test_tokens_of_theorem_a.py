"""Every step of Theorem A holds for two tokens on a line, where means are quadratures."""

import itertools
import random
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest

from numerics.derivations.derived import exp, log
from numerics.derivations.kernel.normal_form import LENGTH as L
from numerics.derivations.kernel.sorts import ProofError, Sort
from numerics.derivations.kernel.terms import Bind, Function, Variable
from numerics.derivations.kernel.theorems import Theorem
from numerics.derivations.statements import Statement, proved
from proofs_check.derivations.linear_attention.softmax_errors import theorem_a, token_errors
from tests.numerics.derivations.test_gaussian_steps import GaussianWorld

NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(6)
LINE = [(float(w), float(x)) for x, w in zip(NODES, WEIGHTS / WEIGHTS.sum(), strict=True)]
PLANE = [(v * w, ((x, y),)) for (v, x), (w, y) in itertools.product(LINE, LINE)]
#: Relative accuracy of the quadrature for scores of the variance below 1/3.
ACCURACY = 1e-3
SIZES = {"L": 2, "rank": 2, "d": 1, "m": 1, "n": 1.0}


class TwoTokens(GaussianWorld):
    """Two tokens root xi_1 and root xi_2; an index beyond is no token."""

    def meets(self, theorem: Theorem) -> bool:
        return all(self.compared(a.lhs, a.op, a.rhs, ACCURACY) for a in theorem.assumptions)

    def apply(self, f: Function, at: tuple[Any, ...]) -> float:
        if f.name == "xi":
            return float(at[1][at[0]])
        if f.name == "same":
            return 1.0 if at[0] == at[1] < 2 else -1.0
        if f.name == "factor":
            return self.root if at[0] == at[2] else 0.0
        if f.name == "Gamma":
            return self.root**2
        return self.tables.setdefault((f, at), self.rng.uniform(0.2, 0.9))

    def _drawn(self, v: Variable) -> Any:
        if v.of is Sort.NORMAL:
            return (self.rng.gauss(0, 1), self.rng.gauss(0, 1))
        if v.of is Sort.INDEX:
            return self.rng.randrange(3)
        return SIZES[v.name] if v.name in SIZES else super()._drawn(v)

    def weighted(self, e: Bind, env: tuple[Any, ...]) -> list[tuple[float, tuple[Any, ...]]]:
        if e.kind == "normal":
            return PLANE
        return [(1.0, at) for at in itertools.product(*(range(int(self.value(h, env))) for h in e.heads))]


@cache
def steps() -> tuple[Theorem, ...]:
    return tuple(
        {
            str(t): t
            for thm in (theorem_a.weaker_error(), theorem_a.slope(), theorem_a.below_a_power())
            for t in thm.steps()
        }.values()
    )


@cache
def world_of(seed: int) -> TwoTokens:
    """A world for two tokens l and k, or for any indices, which keeps the values of terms."""
    world = TwoTokens(random.Random(seed))
    world.numbers |= {token_errors.l: 0, token_errors.k: 1} if seed == 0 else {}
    return world


@pytest.mark.parametrize("seed", range(2))
def test_every_step_holds(seed):
    world, met = world_of(seed), 0
    for theorem in steps():
        if world.meets(theorem):
            met += 1
            assert world.compared(theorem.lhs, theorem.op, theorem.rhs, ACCURACY), (
                f"{theorem.rule}: {theorem}"
            )
    assert met > 0.95 * len(steps())


def test_a_false_step_would_be_seen():
    world = world_of(0)
    equations = [t for t in steps() if t.op == "==" and t.lhs != t.rhs]
    seen = sum(not world.compared(t.lhs, "==", t.rhs, ACCURACY, factor=1.1) for t in equations)
    assert seen > 0.8 * len(equations)


@pytest.mark.parametrize("of_s", [1, Fraction(1, 2)])
def test_the_power_of_the_length_is_that_of_the_exponential(of_s):
    power = theorem_a.theta * (of_s * token_errors.s - (2 - of_s) * log(L))
    stated = Statement(theorem_a.P2, "<=", exp(power), theorem_a.power_statement().assumptions)
    if of_s == 1:
        assert proved(stated, theorem_a.below_a_power()).rhs == stated.rhs
    else:
        with pytest.raises(ProofError):
            proved(stated, theorem_a.below_a_power(), effort=2_000)


@pytest.mark.parametrize("name", token_errors.INTEGRANDS)
def test_what_is_cited_of_stein_is_true(name):
    world, cited = TwoTokens(random.Random(4)), token_errors.stein(name)
    assert world.compared(cited.lhs, "==", cited.rhs, 1e-4)
    assert not world.compared(cited.lhs, "==", cited.rhs, 1e-4, factor=1.01)
    assert abs(world.value(cited.lhs)) > 1e-3
