"""A theorem is freed of a hypothesis that another one shows, and assumes what that one assumes."""

import random
from fractions import Fraction

import pytest

from numerics.derivations.kernel.binding import bind
from numerics.derivations.kernel.rules import assume, discharge, instantiate, integrate
from numerics.derivations.kernel.sorts import POSITIVE, REALS, ProofError, Sort
from numerics.derivations.kernel.terms import Function, Variable
from numerics.derivations.tactics import show
from numerics.derivations.worlds import World, holds, meets

x, y = (Variable(name, range=REALS) for name in "xy")
c = Variable("c", range=POSITIVE)
i, m = Variable("i", Sort.INDEX), Variable("k", Sort.TOKEN)
f, v = Function("f", (Sort.TOKEN,), Fraction(2)), Function("v", (Sort.INDEX,))
bounded = assume("f^2 <= c", f(m) ** 2, "<=", c, every=(m,))
mean_square = assume("E f^2 <= 2c", bind("mean", (m,), f(m) ** 2), "<=", 2 * c)


def by_the_bound():
    """E f^2 <= 3c by a bound of the mean, which one of every value shows."""
    (hypothesis,) = mean_square.assumptions
    shown = show(hypothesis.lhs, "<=", hypothesis.rhs, integrate("mean", (m,), bounded))
    return discharge(show(hypothesis.lhs, "<=", 3 * c, mean_square), hypothesis, shown)


def test_the_assumptions_are_those_of_what_shows_it():
    assert {a.name for a in by_the_bound().assumptions} == {"f^2 <= c"}


@pytest.mark.parametrize("seed", range(40))
def test_what_is_freed_holds_in_finite_worlds(seed):
    world = World(random.Random(seed))
    found = by_the_bound()
    assert holds(found, world) or not all(meets(a, world) for a in found.assumptions)


def test_a_hypothesis_for_all_values_is_shown_for_all_values():
    """Of every v, by a theorem in which v is arbitrary."""
    every = assume("-v^2 <= y for every v", -(v(i) ** 2), "<=", y, every=(v, i))
    (hypothesis,) = every.assumptions
    sign = assume("y >= 0", 0, "<=", y)
    shown = show(-(v(i) ** 2), "<=", y, sign)
    found = discharge(instantiate(every, {v: ((i,), v(i) + 1)}), hypothesis, shown)
    assert {a.name for a in found.assumptions} == {"y >= 0"}
    one = assume("-v^2 <= 0 for one v", -(v(i) ** 2), "<=", 0, every=(i,))
    with pytest.raises(ProofError, match="is fixed by"):
        discharge(every, hypothesis, show(-(v(i) ** 2), "<=", y, sign, one))
