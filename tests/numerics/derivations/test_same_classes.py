"""What the rule of classes gives, in a world with three classes of tokens."""

import itertools
import random

import pytest
from flint import fmpq

from numerics.derivations.derived import exp
from numerics.derivations.kernel.sorts import Sort
from numerics.derivations.kernel.terms import Function
from numerics.derivations.worlds import World, holds, meets
from proofs_check.derivations.features.independent_tokens import descent, exchanged, late, two_classes
from tests.numerics.derivations.attacks.attacks_on_classes import U, c, classes, i, own, rule, softmax, x, y

PLACES = list(itertools.product(range(3), repeat=3))


class Classes(World):
    """A token for each of three classes, with given probabilities."""

    def __init__(self, *weights: int) -> None:
        super().__init__(random.Random(0), length=2, size=3)
        self.weights = tuple(fmpq(w, sum(weights)) for w in weights)

    def apply(self, f: Function, at: tuple[int, ...]) -> fmpq:
        if f.name == "delta":
            return fmpq(int(at[0] == at[1] < 3))
        if f.name == "of" and f.sorts == (Sort.INDEX, Sort.TOKEN):
            return fmpq(int(at[0] == at[1]) - 1)
        return super().apply(f, at)

    def at(self, place):
        """The same world with the classes k, m and n."""
        self.memory = {}
        names = (exchanged.k, exchanged.m, exchanged.n)
        self.numbers = dict(zip(names, place)) | {descent.M: fmpq(2)}
        self.numbers |= dict.fromkeys((exchanged.z, late.x), fmpq(3, 4))
        return self


def kept(theorem, world):
    return [holds(theorem, world.at(place)) for place in PLACES]


@pytest.mark.parametrize("e", [softmax, U(own) ** 2, classes(U(y(i, x)) ** 2), exp(c * U(own))], ids=str)
def test_classes_with_one_law(e):
    assert rule(e).op == "=="


@pytest.mark.parametrize("make", [exchanged.exchanged, exchanged.rows, descent.entries_on_the_line])
def test_equally_likely_classes_may_be_exchanged(make):
    assert all(kept(make(), Classes(1, 1, 1)))
    assert meets(*two_classes.uniform.assumptions, Classes(1, 1, 1).at((0, 1, 2)))


@pytest.mark.parametrize("make", [exchanged.exchanged, exchanged.rows, descent.entries_on_the_line])
def test_others_may_not(make):
    assert not all(kept(make(), Classes(3, 2, 1)))
    assert not meets(*two_classes.uniform.assumptions, Classes(3, 2, 1).at((0, 1, 2)))


def test_attention_on_the_tokens_of_a_class():
    """What is said of a prompt holds for every law."""
    for theorem in (late.of_a_prompt(), exchanged.on_the_own_class()):
        for weights in ((1, 1, 1), (3, 2, 1)):
            assert all(kept(theorem, Classes(*weights)))
