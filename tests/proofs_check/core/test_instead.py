"""What is said to be true instead is what was judged: its words have the numbers of the repair."""

from fractions import Fraction

import pytest
import sympy as sp

from numerics.provers import forall
from proofs_check.core.claim import REGISTRY, claim
from proofs_check.core.instead import numbers_in, told_instead, untold
from proofs_check.core.judging import load_claims


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        (r"Put $\sigma_\mu^8$ for $\sigma_\mu^4$.", {8, 4}),
        (r"Ask for $\delta_0\leq\frac{16}{27}$ or $16/27$.", {Fraction(16, 27), 16, 27}),
        (r"With $\tfrac12$ of it, at most a third.", {Fraction(1, 2), 1, 2, Fraction(1, 3)}),
        (r"At step 10 000, or $30\,000$, with the loss $.0281$.", {10_000, 30_000, Fraction(281, 10_000)}),
        ("Quote Theorem E.1 twice, to the first power.", {1, 2}),
        (r"With $\delta\leq c_1/(2K)$.", {Fraction(1, 2), 2}),
        (r"Put $-3$, or $d-2$.", {3, -3, 2, -2}),
        ("No number stands here, and none one could misread: nowhere, alone, often.", {1}),
    ],
)
def test_numbers_are_read_as_people_write_them(text, numbers):
    assert numbers_in(text) == frozenset(map(Fraction, numbers))


@pytest.mark.parametrize(
    ("printed", "repair", "wrong"),
    [
        (100, 1, True),
        (1, 100, False),
        (1, Fraction(1, 100), True),
        (None, sp.Rational(16, 27), True),
        (2.5, 3.35, True),
        (0, 1, False),  # a switch of the formula
        (1, -1, False),
        (False, True, False),
        ("as written", "as coded", False),
        ((10,), (20, 50), False),
    ],
)
def test_a_number_of_the_repair_is_named(printed, repair, wrong):
    assert bool(untold("It holds for delta up to 100.", {"top": printed}, {"top": repair})) == wrong


GAP = dict(false="gap", why="It fails at 2.", costs="constants", control=dict(top=2))


def planted(instead):
    """A claim on 0 < delta <= top that is printed for top = 100 and true for top = 1."""
    x = sp.Symbol("x", positive=True)
    try:

        @claim("XX:planted", **GAP, instead=instead, repair=dict(top=1), hypotheses=("x > 0",))
        def squares_stay_below(*, top=100):
            return forall(x**2, "<=", x, {x: (0, top)})

        return squares_stay_below
    finally:
        REGISTRY.pop("XX:planted", None)


def test_a_correction_that_the_repair_did_not_judge_is_a_fault_of_the_claim():
    said = planted("It holds for 0 < delta <= 100").judge(examples=20).faults
    unsaid = "the repair judges top = 1, a number that instead= does not have; say in instead="
    assert [f for f in said if unsaid in f]
    assert not any("instead=" in f for f in planted("It holds for 0 < delta <= 1").judge(examples=20).faults)


def test_every_claim_says_what_was_judged():
    wrong = {id: untold(c.instead, c.numbers, c.repair) for id, c in load_claims().items()}
    assert {id: faults for id, faults in wrong.items() if faults} == {}


def test_a_repair_that_was_not_accepted_executes_nothing():
    entry = {"instead": "Put $2$ for $1$.", "repair": {"verdict": "OPEN"}}
    assert told_instead(entry) == told_instead(entry | {"repair": None}) == "Put $2$ for $1$. (not executed)"
    assert told_instead(entry | {"repair": {"verdict": "SUPPORTED"}}) == "Put $2$ for $1$."
    assert told_instead(entry | {"instead": ""}) == ""


def test_what_costs_a_hypothesis_is_a_gap():
    why = "what costs a hypothesis is a gap, for the statement lacks one: give false='gap'"
    with pytest.raises(ValueError, match=why):
        claim("XX:1", false="false", why="It fails.", instead="Ask for more.", costs="a hypothesis")
