"""What a prover said is looked up for the same question only, and only while a claim is judged."""

from typing import Any

import pytest
import sympy as sp

from numerics.evidence import Evidence, Verdict
from numerics.provers import Integers, forall, identity
from numerics.provers.remembered import cached, noting, remembered, remembering
from numerics.seeds import seeded

x = sp.Symbol("x", positive=True)
asked: list[Any] = []


@remembered
def prover(*args: Any, **kwargs: Any) -> Evidence:
    asked.append((args, kwargs))
    return Evidence(verdict=Verdict.PROVED, engine="exact arithmetic")


@pytest.fixture(autouse=True)
def nothing_was_asked():
    asked.clear()


def test_the_same_question_is_asked_once_within_the_block():
    with remembering():
        assert prover(x + 1, "<=", {x: (0, sp.oo)}) is prover(x + 1, "<=", {x: (0, sp.oo)})
    prover(x + 1, "<=", {x: (0, sp.oo)})
    with remembering():
        prover(x + 1, "<=", {x: (0, sp.oo)})
    assert len(asked) == 3


def test_whole_numbers_have_their_ends():
    with remembering():
        for end in (5, 5, 6, sp.oo, sp.Integer(5), True):
            prover(x + 1, "<=", {x: Integers(0, end)})
    assert len(asked) == 5


@pytest.mark.parametrize(
    "other",
    [
        (x + 2, "<=", {x: (0, 1)}),
        (x + 1, "<", {x: (0, 1)}),
        (x + 1, "<=", {x: (0, 2)}),
        (x + 1, "<=", {x: (0, True)}),
        (x + 1, "<=", {x: [0, 1]}),
        (x + 1, "<=", {x: Integers(0, 1)}),
        (sp.Symbol("x", real=True) + 1, "<=", {x: (0, 1)}),
        (sp.UnevaluatedExpr(x + 1), "<=", {x: (0, 1)}),
    ],
)
def test_another_question_is_asked_again(other):
    with remembering():
        prover(x + 1, "<=", {x: (0, 1)})
        prover(*other)
    assert len(asked) == 2


def test_another_seed_and_what_is_not_known_are_asked_again():
    with remembering():
        for name in ("A", "B"):
            with seeded(name):
                prover(x)
        for _ in range(2):
            prover(y for y in (x,))
            prover(1.0)
    assert len(asked) == 6


def test_bad_input_is_refused_after_good_input_of_equal_value():
    with remembering():
        assert forall(x, ">", 0, {x: (0, 1)}).verdict is Verdict.PROVED
        with pytest.raises(TypeError, match="float"):
            forall(x, ">", 0.0, {x: (0, 1)})
        assert identity(2 * x, x * 2).vacuous
        with pytest.raises(TypeError, match="float"):
            identity(2 * x, x * 2.0)


def test_what_is_kept_for_the_process_notes_its_questions_each_time():
    @cached
    def kept(k: Any) -> Evidence:
        return prover(x, "<=", k)

    with noting() as first:
        kept(1)
    with remembering(), noting() as second:
        assert kept(1) is kept(1)
    assert len(asked) == 1
    assert first == second[:1] == second[1:]
    kept(True)
    assert len(asked) == 2
