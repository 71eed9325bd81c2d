"""Tails of exact cases by brute force, and `increasing` with true and false chains."""

import itertools
import math
from fractions import Fraction as F

import pytest
import sympy as sp

from numerics.attention.exact.softmax_average import symbol
from numerics.counterexamples.worst_case.tails import (
    ERROR,
    LIMIT,
    MAXIMUM_TAIL,
    OWN_TAIL,
    TOKEN_TAIL,
    _cases,
    increasing,
)
from numerics.evidence import Verdict


@pytest.mark.parametrize(("order", "growth"), [(2, 1), (2, 2), (4, 1)])
def test_a_case_against_brute_force(order, growth):
    wanted = {"L": 3, "Uz": "2", "atoms": "9/10, -1/10"}
    case = next(c for c in _cases(order, growth) if wanted.items() <= dict(c.where).items())
    law, c = ((0.9, 0.1), (-0.1, 0.9)), 2 ** (order - 1)
    f = lambda z: z**growth
    ratio = sum(p * math.exp(2 * z) * f(z) for z, p in law) / sum(p * math.exp(2 * z) for z, p in law)
    t0 = 3 * sum(p * f(z) ** 4 for z, p in law) ** (order / 4)
    error = beyond = 0.0
    for prompt in itertools.product(law, repeat=3):
        probability = math.prod(p for _, p in prompt)
        average = sum(math.exp(2 * z) * f(z) for z, _ in prompt) / sum(math.exp(2 * z) for z, _ in prompt)
        error += probability * abs(average - ratio) ** order
        largest = max(abs(f(z)) for z, _ in prompt)
        beyond += probability * max(0.0, c * largest**order + c * abs(ratio) ** order - t0)
    s = max(0.0, t0 / c - abs(ratio) ** order)
    own = sum(p * max(0.0, abs(f(z)) ** order - s) for z, p in law)
    expected = {ERROR: error, MAXIMUM_TAIL: beyond, LIMIT: s, OWN_TAIL: own, TOKEN_TAIL: own}
    assert {e: pytest.approx(float(case.at[e.name]), abs=1e-12) for e in expected} == expected


@pytest.mark.parametrize(("order", "growth"), [(2, 1), (2, 2), (4, 1)])
def test_one_law_in_four_does_not_reach_its_growth_constant(order, growth):
    strict = [c for c in _cases(order, growth) if c.at[TOKEN_TAIL.name] > c.at[OWN_TAIL.name]]
    assert strict
    assert {float(c.at["C_f" if growth == 1 else "C_f2"]) for c in strict} == {2.0}


def test_a_positive_part_in_a_bound():
    L = symbol("L")
    assert increasing(sp.Max(L - 3, 0), L, order=2).verdict is Verdict.SUPPORTED
    assert increasing(sp.Max(L - 3, 0), L - 3, order=2).witness["L"] == 1


def test_a_false_chain_is_refuted_at_the_shortest_prompt():
    found = increasing(ERROR, ERROR / 2, order=2)
    assert (found.verdict, found.witness["L"]) == (Verdict.REFUTED, 1)
    assert "link" not in found.witness
    assert increasing(ERROR, 2 * ERROR, ERROR, order=2).witness["link"] == 2


def test_equal_sides_are_accepted_and_hypotheses_select_cases():
    assert increasing(ERROR, ERROR, order=4).slack == pytest.approx(1)
    short = increasing(ERROR, ERROR, order=2, admitted=(symbol("L"), F(2)))
    assert int(short.covered.split()[0]) < int(increasing(ERROR, ERROR, order=2).covered.split()[0])
    with pytest.raises(ValueError, match="no case"):
        increasing(ERROR, ERROR, order=2, admitted=(symbol("L"), F(1, 2)))
