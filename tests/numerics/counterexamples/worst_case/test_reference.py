"""What a bound gives away at an instance is what a second route says, and it changes no verdict."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy as sp
from scipy.stats import binom

from numerics.attention.exact.softmax_average import error_squared, failure, normaliser, symbol
from numerics.counterexamples.worst_case.families import TWO_ATOMS, Point, on_line
from numerics.counterexamples.worst_case.reference import (
    NoLoss,
    ReferenceInstance,
    StatisticBound,
    with_losses,
)
from numerics.counterexamples.worst_case.statement import Mean, Tail
from numerics.counterexamples.worst_case.worst_average import worst_ratio
from numerics.evidence import Evidence, Verdict, all_of, confirmed
from numerics.provers import Closed, Integers, forall, identity
from numerics.provers.statements.statement import Inequality

L, a2, F4, S, EM2 = map(symbol, ("L", "a2", "F4", "S", "EM2"))
delta, alpha = sp.symbols("delta alpha", positive=True)
LENGTH, HALF, ONE = 100, Fraction(1, 2), Fraction(1)
#: Signs with score 1/2 and f(z) = z.
AT = ReferenceInstance(
    name="signs",
    point=Point(on_line((1, -1), (HALF, HALF)), HALF, (ONE, -ONE)),
    length=LENGTH,
    values=dict(L=sp.Integer(LENGTH), a2=sp.Rational(1, 4), delta=sp.Rational(1, 10), F4=sp.Integer(1)),
)
COUNT = np.arange(LENGTH + 1)
WEIGHT = binom.pmf(COUNT, LENGTH, 0.5)
UP, DOWN = COUNT * math.exp(0.5), (LENGTH - COUNT) * math.exp(-0.5)
ERROR = ((UP - DOWN) / (UP + DOWN) - math.tanh(0.5)) ** 2

REFUTED = Evidence(verdict=Verdict.REFUTED, engine="exact arithmetic", witness={"L": 1}, witness_by="exact")


def test_an_equation_has_no_loss_and_hides_none():
    part = identity((delta + 1) ** 2 - delta**2, 2 * delta + 1)
    bound = forall(delta, "<=", 3 * delta, {delta: (0, sp.oo)})
    alone, why = with_losses(part, AT)
    assert alone.reference is None
    assert set(why) == {"an equation gives nothing away"}
    assert with_losses(all_of(part, bound), AT)[0].reference == 3


def test_an_expectation_against_brute_force():
    loss = AT.loss(StatisticBound(Mean(error_squared), 75 * sp.exp(4 * a2) * F4 / L))
    assert loss == pytest.approx(75 * math.e / 100 / (WEIGHT @ ERROR), rel=1e-12)


@pytest.mark.parametrize("op", [">=", ">"])
def test_a_tail_loses_the_threshold_over_the_least_true_one(op):
    bound, tail = 0.1, Tail(error_squared, op, 108 * sp.exp(4 * a2) * F4 / (delta * L), delta)
    least = 10.8 * math.e / AT.loss(StatisticBound(tail, delta))
    beyond = lambda t: WEIGHT[t <= ERROR].sum()
    assert beyond(least * (1 + 1e-9)) <= bound < beyond(least * (1 - 1e-9))


def test_a_lower_tail_and_its_exponent():
    at, total = AT.with_values({"alpha": sp.Rational(1, 10)}), UP + DOWN
    tail = Tail(normaliser, "<=", (1 - alpha) * S, alpha)
    level = at.loss(StatisticBound(tail, sp.Rational(1, 20)))
    exponent = at.loss(StatisticBound(tail, sp.exp(-(alpha**2) * L), exponents=True))
    mean = LENGTH * math.cosh(0.5)
    assert exponent == pytest.approx(-math.log(WEIGHT[total <= 0.9 * mean].sum()) / 1.0, rel=1e-9)
    best = level * 0.9 * mean
    assert WEIGHT[total < best * (1 - 1e-9)].sum() <= 0.05 < WEIGHT[total <= best * (1 + 1e-9)].sum()


def test_an_inequality_and_the_values_it_needs():
    n, y = sp.Symbol("L", integer=True, positive=True), sp.Symbol("y", positive=True)
    root = sp.Symbol("r", positive=True)
    domain = {n: Integers(1, sp.oo), y: (0, 1)}
    thirds = AT.with_values({"y": Fraction(1, 3), "r": Fraction(1, 4)})
    for found in (forall(n, ">=", n * y, domain), forall(n * y, "<=", n, domain)):
        assert with_losses(found, thirds)[0].reference == pytest.approx(3)
        assert found.reference is None
    unit, up_to, larger = {root: (0, 1)}, {root: (0, sp.Rational(1, 5))}, [(root, ">=", HALF)]
    silent = {
        "no value for y": (forall(n, ">=", n * y, domain), AT),
        "the sides are -0.75 and 0": (forall(root - 1, "<=", 0, unit), thirds),
        "the hypothesis 1/5 - r >= 0 does not hold": (forall(root, "<=", 1, up_to), thirds),
        "the hypothesis r - 1/2 >= 0 does not hold": (forall(root, "<=", 1, unit, where=larger), thirds),
    }
    for why, (found, at) in silent.items():
        seen, (reason,) = with_losses(found, at)
        assert reason.split(" at the")[0] == why
        assert seen == found


@pytest.mark.parametrize(
    "sides",
    [
        StatisticBound(Mean(failure), sp.exp(-L)),
        StatisticBound(Tail(error_squared, ">=", F4 / delta, delta), 20 * delta),
        StatisticBound(Mean(error_squared), alpha * F4),
    ],
    ids=["the truth is 0", "the bound is above 1", "a symbol without value"],
)
def test_a_bound_without_a_ratio(sides):
    with pytest.raises(NoLoss):
        AT.loss(sides)


def test_a_float_is_refused():
    with pytest.raises(TypeError, match="not an exact number"):
        AT.with_values({"y": 0.5})


def test_a_search_hands_over_its_sides():
    found = worst_ratio(Mean(normaliser), "<=", L * sp.exp(a2 / 2), families=(TWO_ATOMS,))
    seen, _ = with_losses(found, AT)
    assert seen.reference == pytest.approx(math.exp(0.125) / math.cosh(0.5))
    assert seen.replace(reference=None) == found


def test_a_conjunction_shows_its_largest_loss_and_keeps_those_of_its_parts():
    proved: dict[str, Any] = {"verdict": Verdict.PROVED, "engine": "exact arithmetic"}
    one, two = (Evidence(**proved, sides=(Inequality(sp.Integer(1), sp.Rational(k)),)) for k in ("3/2", "4"))
    both, _ = with_losses(all_of(one, Evidence(**proved), two), AT)
    assert both.reference == 4
    assert [p.reference for p in both.parts] == [1.5, None, 4]
    assert Evidence.from_json(both.to_json()) == both
    route = one.replace(control=REFUTED.replace(sides=two.sides))
    routed, _ = with_losses(confirmed(Evidence(**proved), route), AT)
    assert (routed.reference, routed.routes[0].reference) == (None, 1.5)
    assert routed.routes[0].control.reference == 4


def test_closed_domains_are_met_at_their_ends():
    f = sp.Symbol("F4", positive=True)
    up_to_one, from_one_on = {f: sp.Interval.Lopen(0, 1)}, {f: Closed(1, sp.oo)}
    at_the_end = forall(f, "<=", 2, up_to_one), forall(1 / f, "<=", 1, from_one_on)
    assert [with_losses(e, AT)[0].reference for e in at_the_end] == pytest.approx([2, 1])
