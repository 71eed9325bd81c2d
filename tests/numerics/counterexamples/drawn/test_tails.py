"""What is drawn for chains of tails, by a second route, and what examples alone find."""

from fractions import Fraction as F

import numpy as np
import pytest
import sympy as sp

from numerics.attention.exact.softmax_average import symbol
from numerics.counterexamples.drawn.dispatch import of_statements
from numerics.counterexamples.drawn.holds import holds
from numerics.counterexamples.drawn.scalars import MOST
from numerics.counterexamples.drawn.tails import LENGTH, LONGEST, TailProperty, averages, instance, length_of
from numerics.counterexamples.worst_case.tails import (
    ERROR,
    LIMIT,
    MAXIMUM_TAIL,
    OWN_TAIL,
    TOKEN_TAIL,
    TailChain,
    increasing,
    quantities,
)
from numerics.evidence import Verdict

L = symbol("L")
NAMES = [e.name for e in (ERROR, MAXIMUM_TAIL, LIMIT, OWN_TAIL, TOKEN_TAIL)]
EXAMPLES = [
    (0, 0, 0, 0, 0, 0, 0, 0),
    (900, 1800, -600, 2000, 300, -200, 100, 300),
    (-2000, 0, 0, -2500, -500, 0, 900, 700),
    (600, 0, 0, 600, 256, 0, 0, 3000),
]


@pytest.mark.parametrize("example", EXAMPLES)
@pytest.mark.parametrize(("order", "growth"), [(2, 1), (2, 2), (4, 1)])
def test_floats_against_balls(example, order, growth):
    length, point = instance(example, growth)
    drawn = quantities(averages(np.array([example]), length, growth), order, growth)
    exact = quantities(point.average(length), order, growth)
    assert max(point.atoms) > min(point.atoms)
    scale = float(point.sigma2()) ** (order * growth / 2)  # the drawn law has sigma = 1, the exact one nearly
    for name in NAMES:
        assert float(exact[name]) / scale == pytest.approx(float(drawn[name][0]), rel=0.02, abs=1e-9)
    for name in ("C_f" if growth == 1 else "C_f2", "L"):
        assert float(exact[name]) == pytest.approx(float(np.ravel(drawn[name])[0]), rel=1e-9)


def test_every_length_is_drawn():
    assert {length_of((*[0] * LENGTH, code)) for code in range(MOST + 1)} == set(range(1, LONGEST + 1))


def test_a_true_chain_is_supported_and_its_edge_reached():
    chain = TailChain((MAXIMUM_TAIL, 2 * L * OWN_TAIL), 2, 1, (sp.exp(2 * symbol("a2")) / L, F(1, 2)))
    found = holds(TailProperty(chain))
    assert (found.verdict, found.slack) == (Verdict.SUPPORTED, pytest.approx(1, abs=1e-3))


@pytest.mark.parametrize(
    "chain",
    [
        TailChain((ERROR, ERROR / 2), 2),
        TailChain((ERROR, 2 * ERROR, F(19, 10) * ERROR), 4),
        TailChain((TOKEN_TAIL, OWN_TAIL), 2),  # f need not reach C_f at each atom
        TailChain((MAXIMUM_TAIL, 2 * OWN_TAIL), 2),  # the factor L is lost
        TailChain((ERROR, symbol("F4")), 2, 1, (L, F(2))),
    ],
)
def test_a_false_chain_is_refuted_by_examples_alone(chain):
    found = holds(TailProperty(chain))
    assert (found.verdict, found.witness_by) == (Verdict.REFUTED, "Arb")
    assert found.witness["left"] > found.witness["right"]


def test_the_hypothesis_is_kept():
    up_to = lambda L_most: holds(TailProperty(TailChain((ERROR, symbol("F4") / 100), 2, 1, (L, L_most))))
    assert up_to(F(3)).witness["L"] <= 3
    assert up_to(F(1, 2)).verdict is Verdict.OPEN


def test_a_chain_of_the_search_brings_itself():
    (tried,) = of_statements(increasing(ERROR, 2 * ERROR, order=2).sides)
    assert (holds(tried).slack, holds(tried.scaled(F(2, 5))).verdict) == (pytest.approx(2), Verdict.REFUTED)


@pytest.mark.parametrize("left", [0 * ERROR, -symbol("F4")], ids=["0", "negative"])
def test_a_side_that_is_not_positive_exceeds_a_smaller_one(left):
    """The limit without its positive part is negative where the limit is 0."""
    assert holds(TailProperty(TailChain((left, -2 * symbol("F4")), 2))).verdict is Verdict.REFUTED
    assert holds(TailProperty(TailChain((-2 * symbol("F4"), left), 2))).verdict is Verdict.SUPPORTED
