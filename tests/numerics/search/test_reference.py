"""The reference instance: its table agrees with brute force, and what a bound gives away there is
what a second route says.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
from scipy.stats import binom

from numerics.attention.law_moments import OF_THE_LAW
from numerics.attention.softmax_average import error_squared, failure, normaliser, symbol
from numerics.evidence import Evidence, Verdict, all_of
from numerics.provers import Closed, Integers, forall
from numerics.search.families import TWO_ATOMS
from numerics.search.reference import INSTANCE, LENGTH, TABLE, at_reference, loss_of_statistic
from numerics.search.statement import Mean, Tail, population
from numerics.search.worst_average import worst_ratio

L, a2, F4, S, EM2 = map(symbol, ("L", "a2", "F4", "S", "EM2"))
delta, alpha = sp.symbols("delta alpha", positive=True)
COUNT = np.arange(LENGTH + 1)
WEIGHT = binom.pmf(COUNT, LENGTH, 0.5)
UP, DOWN = COUNT * math.exp(0.5), (LENGTH - COUNT) * math.exp(-0.5)
ERROR = ((UP - DOWN) / (UP + DOWN) - math.tanh(0.5)) ** 2


def test_the_table_says_what_the_instance_is() -> None:
    quantities = population(INSTANCE.average(LENGTH))
    for name in set(quantities) & set(TABLE):
        assert float(TABLE[name]) == pytest.approx(float(quantities[name]), rel=1e-14), name
    assert set(quantities) - {"EM4", "EQ4"} <= set(TABLE)


def test_an_expectation_against_brute_force() -> None:
    with at_reference({}):
        loss = loss_of_statistic(Mean(error_squared), 75 * sp.exp(4 * a2) * F4 / L)
    assert loss == pytest.approx(75 * math.e / 100 / (WEIGHT @ ERROR), rel=1e-12)


@pytest.mark.parametrize("op", [">=", ">"])
def test_a_tail_loses_the_threshold_over_the_least_true_one(op: str) -> None:
    bound = 0.1
    with at_reference({}):
        loss = loss_of_statistic(Tail(error_squared, op, 108 * sp.exp(4 * a2) * F4 / (delta * L), delta), delta)
    assert loss is not None
    least = 10.8 * math.e / loss
    beyond = lambda t: WEIGHT[t <= ERROR].sum()
    assert beyond(least * (1 + 1e-9)) <= bound < beyond(least * (1 - 1e-9))


def test_a_lower_tail_and_its_exponent() -> None:
    at = {"alpha": sp.Rational(1, 10)}
    total = UP + DOWN
    with at_reference(at):
        level = loss_of_statistic(Tail(normaliser, "<=", (1 - alpha) * S, alpha), sp.Rational(1, 20) + 0 * alpha)
        tail = Tail(normaliser, "<=", (1 - alpha) * S, alpha)
        exponent = loss_of_statistic(tail, sp.exp(-(alpha**2) * L), exponents=True)
    mean = LENGTH * math.cosh(0.5)
    probability = WEIGHT[total <= 0.9 * mean].sum()
    assert exponent == pytest.approx(-math.log(probability) / 1.0, rel=1e-9)
    assert level is not None
    best = level * 0.9 * mean
    assert WEIGHT[total < best * (1 - 1e-9)].sum() <= 0.05 < WEIGHT[total <= best * (1 + 1e-9)].sum()


def test_an_inequality_and_the_values_it_needs() -> None:
    n, y, root = sp.Symbol("L", integer=True, positive=True), sp.Symbol("y", positive=True), sp.Symbol("alpha_-", positive=True)
    domain = {n: Integers(1, sp.oo), y: (0, 1)}
    with at_reference(dict(y=Fraction(1, 3))):
        assert forall(n, ">=", n * y, domain).reference == pytest.approx(3)
        assert forall(n * y, "<=", n, domain).reference == pytest.approx(3)
    with at_reference({}) as request:
        assert forall(n, ">=", n * y, domain).reference is None
        assert forall(root - 1, "<=", 0, {root: (0, 1)}).reference is None
        assert forall(root, "<=", 1, {root: (0, sp.Rational(1, 5))}).reference is None
        assert forall(root, "<=", 1, {root: (0, 1)}, where=[(root, ">=", sp.Rational(1, 2))]).reference is None
    assert [text.split(" at the")[0] for text in request.why_not] == [
        "no value for y",
        "the sides are -0.724453 and 0",
        "the hypothesis 1/5 - alpha_- >= 0 does not hold",
        "the hypothesis alpha_- - 1/2 >= 0 does not hold",
    ]
    assert forall(n, ">=", n * y, domain).reference is None


def test_nothing_is_said_where_the_truth_is_zero_or_the_bound_trivial() -> None:
    with at_reference({}) as request:
        assert loss_of_statistic(Mean(failure), sp.exp(-L)) is None
        assert loss_of_statistic(Tail(error_squared, ">=", F4 / delta, delta), 20 * delta) is None
        assert loss_of_statistic(Mean(error_squared), alpha * F4) is None
    assert len(request.why_not) == 3


def test_a_float_is_refused() -> None:
    with pytest.raises(TypeError, match="not an exact number"), at_reference(dict(y=0.5)):
        pass


def test_the_verdict_and_the_search_do_not_depend_on_it() -> None:
    bound = L * sp.exp(a2 / 2)
    plain = worst_ratio(Mean(normaliser), "<=", bound, families=(TWO_ATOMS,))
    with at_reference({}):
        asked = worst_ratio(Mean(normaliser), "<=", bound, families=(TWO_ATOMS,))
    assert asked.reference == pytest.approx(math.exp(0.125) / math.cosh(0.5))
    assert asked.replace(reference=None, seconds=0) == plain.replace(seconds=0)


def test_a_conjunction_shows_its_largest_loss_and_keeps_those_of_its_parts() -> None:
    one = Evidence(verdict=Verdict.PROVED, engine="exact arithmetic", reference=1.5)
    two = Evidence(verdict=Verdict.PROVED, engine="exact arithmetic", reference=4)
    none = Evidence(verdict=Verdict.PROVED, engine="exact arithmetic")
    both = all_of(one, none, two)
    assert both.reference == 4
    assert [p.reference for p in both.parts] == [1.5, None, 4]
    assert Evidence.from_json(both.to_json()) == both
    assert all_of(none).reference is None


def test_closed_domains_are_met_at_their_ends() -> None:
    f = sp.Symbol("F4", positive=True)
    with at_reference({}):
        assert forall(f, "<=", 2, {f: sp.Interval.Lopen(0, 1)}).reference == pytest.approx(2)
        assert forall(1 / f, "<=", 1, {f: Closed(1, sp.oo)}).reference == pytest.approx(1)


def test_without_the_search_nothing_is_accepted() -> None:
    bound = L * sp.exp(a2 / 2)
    with at_reference({}, only=True):
        alone = worst_ratio(Mean(normaliser), "<=", bound)
        n = sp.Symbol("L", integer=True, positive=True)
        cheap = forall(n, "<=", 2 * n, {n: Integers(1, sp.oo)})
    assert (alone.verdict, cheap.verdict) == (Verdict.OPEN, Verdict.PROVED)
    assert alone.reference == pytest.approx(math.exp(0.125) / math.cosh(0.5))
    assert cheap.reference == pytest.approx(2)


def test_quantities_of_the_law_have_values_too() -> None:
    law = population(INSTANCE.average(LENGTH))
    assert "C_f2" not in TABLE  # f(z) = z has no quadratic bound near 0, though one at the atoms
    for name in OF_THE_LAW.keys() - {"C_f2"}:
        assert float(TABLE[name]) == pytest.approx(float(law[name])), name
