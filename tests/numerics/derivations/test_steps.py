"""Induction over steps: what it shows holds in worlds of sequences, and descent with another
constant is not what is derived.
"""

import random
from fractions import Fraction

import pytest
from flint import fmpq

from numerics.derivations.kernel.rules import arithmetic, assume, induction, instantiate
from numerics.derivations.kernel.sorts import ProofError, Sort
from numerics.derivations.kernel.steps import later
from numerics.derivations.kernel.terms import FIRST, Defined, Function, Variable
from numerics.derivations.statements import proved
from numerics.derivations.typeset import latex
from numerics.derivations.worlds import World, holds, meets
from proofs_check.derivations.features.any_prompts import (
    early_odds,
    early_own_scores,
    early_scores,
    phases,
    two_descents,
    updates,
)
from proofs_check.derivations.features.equiangular import descent

t, u = Variable("t", Sort.STEP), Function("u", (Sort.STEP,))
grows = assume("u grows by a half at least", u(t) * Fraction(3, 2), "<=", u.after(t), every=(t,))
start = assume("u starts at 1", u(FIRST), "==", 1)


def at_least_one():
    so_far = assume("u is at least 1 so far", 1, "<=", u(t), every=(t,))
    (hypothesis,) = so_far.assumptions
    step = arithmetic(1, "<=", u.after(t), grows, so_far)
    return induction(hypothesis, t, arithmetic(1, "<=", u(FIRST), start), step)


@pytest.mark.parametrize("seed", range(12))
def test_what_is_shown_holds_of_sequences(seed):
    rng, world = random.Random(seed), World(random.Random(seed))
    value = fmpq(1)
    for step in range(5):
        world.tables[("u", u.sorts, (step,))] = value
        value *= fmpq(3, 2) + fmpq(rng.randint(-1, 3), 4)
    found = at_least_one()
    met = all(meets(a, world) for a in found.assumptions)  # not if it grows less
    assert holds(found, world) or not met


def test_some_of_these_sequences_meet_the_hypotheses():
    world = World(random.Random(0))
    world.tables |= {("u", u.sorts, (step,)): fmpq(2**step) for step in range(5)}
    assert all(meets(a, world) for a in at_least_one().assumptions)
    world.tables[("u", u.sorts, (2,))] = fmpq(-1)
    assert not all(meets(a, world) for a in at_least_one().assumptions)


def test_a_step_later_is_seen():
    assert latex(u.after(t)) == "u(t+1)"
    assert latex(u.after.after(t)) == "u(t+1+1)"


def test_a_name_for_a_moving_term_is_not_kept():
    named = Defined("A", u(t) ** 2)
    assert later(named, t) == u.after(t) ** 2
    assert later(u(FIRST) + u(t), t) == u(FIRST) + u.after(t)


def test_what_holds_of_all_paths_holds_of_the_one_that_stays_at_a_step():
    now, path = Variable("now", Sort.TIME), Function("path", (Sort.TIME,), Fraction(1))
    square = arithmetic(2 * path(now), "<=", path(now) ** 2 + 1)
    assert instantiate(square, {path: ((now,), u(t))}).lhs == 2 * u(t)


#: Statements with a wrong number, and what is derived; other numbers are controls of the claims.
WRONG = {
    "one class less": (descent.score_statements(classes=2)[0], lambda: descent.scores()[0]),
    "another sign": (updates.other_statement(-1), updates.other_update),
    "twice the formula": (updates.formula_statements(2)[0], updates.entry),
    "a power of the Gram matrix": (updates.gram_statement(2), updates.for_any_features),
    "another loss": (two_descents.statements(square=1)[1], two_descents.losses),
    "half the bound of a step": (early_scores.step_statement(Fraction(1, 2)), early_scores.small_steps),
    "less attention": (
        early_own_scores.attention_statement(Fraction(5, 4)),
        early_own_scores.for_any_tasks,
    ),
    "a smaller gap": (
        early_own_scores.exchangeable_statements(gap=Fraction(4))[2],
        lambda: early_own_scores.for_exchangeable_tasks()[2],
    ),
    "odds that are nearer": (early_odds.ratio_statement(Fraction(2)), early_odds.ratio_of_two_classes),
    "a sum without its beginning": (phases.sum_statement(first=1), phases.sum_of_the_updates),
    "a sum that is too long": (phases.sum_statement(last=4), phases.sum_of_the_updates),
    "epsilon to the third power": (phases.phase_3_statement(power=3), phases.update_in_phase_3),
}


@pytest.mark.parametrize("name", WRONG)
def test_another_number_is_not_derived(name):
    statement, theorem = WRONG[name]
    with pytest.raises(ProofError):
        proved(statement, theorem(), 20_000)
