"""What a finite prompt changes: true bounds are reached, wrong ones refuted; enclosures."""

from collections.abc import Callable
from fractions import Fraction as F
from typing import Any

import numpy as np
import pytest
import sympy as sp
from flint import arb

from numerics.counterexamples.drawn.holds import holds
from numerics.counterexamples.drawn.tasks import on_drawn_tasks
from numerics.evidence import Verdict
from numerics.regression.softmax_vs_linear.few_atoms import Gaps, Task, gaps
from theory.regression.transfer import gradient_gap, risk_gap

Side = Callable[[Gaps], Any]


def root(x: Any) -> Any:
    return sp.sqrt(x) if isinstance(x, sp.Basic) else np.sqrt(x)


RISK: Side = lambda g: abs(g.risk_L - g.risk)
GRADIENT: Side = lambda g: g.distance
RISK_BOUND: Side = lambda g: risk_gap(g.risk, g.D2)
GRADIENT_BOUND: Side = lambda g: gradient_gap(g.risk, g.D2, g.J2, g.dJ2)


BOUNDS = [(RISK, RISK_BOUND), (GRADIENT, GRADIENT_BOUND)]


@pytest.mark.parametrize(("left", "right"), BOUNDS, ids=["risk", "gradient"])
def test_the_bounds_hold_and_are_reached(left, right):
    found = holds(on_drawn_tasks(left, right))
    assert (found.verdict, found.slack) == (Verdict.SUPPORTED, pytest.approx(1.0, rel=1e-3))


@pytest.mark.parametrize(
    ("left", "right", "factor"),
    [
        (RISK, RISK_BOUND, F(95, 100)),
        (GRADIENT, GRADIENT_BOUND, F(95, 100)),
        (RISK, lambda g: root(2 * g.risk * g.D2), F(1)),
        (RISK, lambda g: g.y2 + g.D2 / 4, F(1)),
        (GRADIENT, lambda g: (root(2 * g.risk) + root(g.D2)) * root(g.dJ2), F(1, 2)),
        (GRADIENT, lambda g: root(g.D2 * g.dJ2) + root(g.J2 * g.D2), F(1)),
    ],
    ids=["95 % of E.2", "95 % of E.4", "last term dropped", "no risk", "J dropped", "residual dropped"],
)
def test_wrong_bounds_are_refuted_by_a_centred_law(left, right, factor):
    found = holds(on_drawn_tasks(left, right, factor))
    assert (found.verdict, found.witness_by) == (Verdict.REFUTED, "Arb")
    assert found.witness["left"] > found.witness["right"]
    x, weights = (np.array(eval(str(found.witness[name]))) for name in ("x", "weights of the values"))
    assert abs(x @ weights) < 1e-5 * weights.sum()
    assert np.ptp(x) <= 2


def test_enclosures_and_batches_say_the_same_as_floats():
    rng = np.random.default_rng(3)
    tokens, masses = rng.normal(size=(5, 3, 2)), rng.dirichlet(np.ones(3), size=5)
    U, v = rng.normal(size=(5, 2, 2)), rng.normal(size=(5, 2))
    batch = gaps([Task(np.ones(5), tokens, masses)], U, v, 3)
    for k in range(5):
        one = gaps([Task(1.0, tokens[k], masses[k])], U[k], v[k], 3)
        enclosed = np.vectorize(arb, otypes=[object])
        own = Task(arb(1), enclosed(tokens[k]), enclosed(masses[k]))
        exact = gaps([own], enclosed(U[k]), enclosed(v[k]), 3)
        for name in ("risk_L", "risk", "D2", "T2", "y2", "J2", "dJ2", "distance"):
            assert getattr(batch, name)[k] == pytest.approx(float(getattr(one, name)), rel=1e-12)
            assert float(getattr(exact, name)) == pytest.approx(float(getattr(one, name)), rel=1e-10)


def test_fractions_stay_exact():
    third = F(1, 3)
    own = Task(F(1), ((1, 2), (0, 1), (-1, -3)), (third, third, third))
    one = gaps([own], [[0, 0], [0, 0]], [F(1), third], 3)
    assert all(isinstance(getattr(one, name), F) for name in ("risk_L", "risk", "D2", "T2", "J2", "dJ2"))
    values = [1 + F(2, 3), F(1, 3), F(-2)]  # of x + y/3, whose mean is 0
    assert sum(x * x for x in values) / 9 == one.D2


def test_scores_beyond_the_range_of_exponentials_are_weighed():
    """A prompt without the value of the largest score has weights of its own."""
    own = Task(1.0, ((1.0, 2000.0), (-1.0, -2000.0)), (0.5, 0.5))
    far = gaps([own], [[0.0, 0.0], [30.0, 0.0]], (0.0, 1.0), 2)
    # one prompt in four shows the wrong value only, off by 4000
    assert (far.risk_L, far.risk) == (pytest.approx(2000.0**2 / 2), 0)
