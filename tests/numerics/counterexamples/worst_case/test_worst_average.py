"""Worst cases known in closed form, and false constants with witnesses of their own."""

from fractions import Fraction as F
from typing import Any

import numpy as np
import pytest
import sympy as sp
from flint import arb
from scipy.stats import binom

import numerics.counterexamples.worst_case.worst_average as module
from numerics.attention.exact.softmax_average import (
    deviation_R,
    error_squared,
    failure,
    normaliser,
    softmax_average,
    symbol,
)
from numerics.counterexamples.worst_case.edge_cases import Worst
from numerics.counterexamples.worst_case.families import THREE_ATOMS, TWO_ATOMS, Point, on_line
from numerics.counterexamples.worst_case.statement import Mean, Tail, evaluate, normal_form
from numerics.counterexamples.worst_case.worst_average import at_point, worst_ratio
from numerics.evidence import Evidence, Verdict
from numerics.seeds import seeded

L, a2, F2, F4, S, EM2, EQ2 = map(symbol, ("L", "a2", "F2", "F4", "S", "EM2", "EQ2"))
delta, alpha = sp.symbols("delta alpha", positive=True)
R1 = sp.exp(4 * a2) * F4 / L
ORIGIN = Point(on_line((0,), (F(1),)), F(0), (F(0),))


@pytest.fixture(autouse=True)
def _only_the_search(monkeypatch):
    """The edge cases have their own tests; here they would only cost time."""
    monkeypatch.setattr(module, "worst_edge_case", lambda *_: Worst(0.0, "", 0.0, 0, 0, 0, False))


def again(e: Evidence) -> tuple[float, float]:
    """Both sides of R1 on two atoms, from the printed numbers and a binomial alone."""
    numbers = lambda name: np.array([float(F(v)) for v in str(e.witness[name]).split(", ")])
    (x1, x2), (q, _), f = numbers("atoms"), numbers("weights"), numbers("f")
    length, u = int(e.witness["L"]), float(F(str(e.witness["Uz"])))
    n = np.arange(length + 1)
    w1, w2 = np.exp(u * x1), np.exp(u * x2)
    average = (n * w1 * f[0] + (length - n) * w2 * f[1]) / (n * w1 + (length - n) * w2)
    limit = (q * w1 * f[0] + (1 - q) * w2 * f[1]) / (q * w1 + (1 - q) * w2)
    sigma2 = 0.25 if q == 0.5 else (1 - 2 * q) / (2 * np.log((1 - q) / q))
    rate = np.exp(4 * sigma2 * u * u) * np.sqrt(q * f[0] ** 4 + (1 - q) * f[1] ** 4) / length
    return float(binom.pmf(n, length, q) @ (average - limit) ** 2), float(rate)


def test_plain_means_reach_the_rate_exactly_and_at_length_one():
    e = worst_ratio(Mean(error_squared), "<=", F(99, 100) * R1, families=(TWO_ATOMS,))
    assert (e.verdict, e.witness["L"]) == (Verdict.REFUTED, 1)
    left, right = again(e)
    assert left > 0.99 * right
    assert (left, 0.99 * right) == pytest.approx((e.witness["left"], e.witness["right"]))


def test_beyond_one_the_witness_needs_a_long_prompt():
    e = worst_ratio(Mean(error_squared), "<=", R1, families=(TWO_ATOMS,))
    assert e.verdict is Verdict.REFUTED
    assert e.witness["L"] > 100
    left, right = again(e)
    assert left > right
    assert worst_ratio(Mean(error_squared), "<=", 2 * R1, families=(TWO_ATOMS,)).verdict is Verdict.SUPPORTED


@pytest.mark.parametrize("family", [TWO_ATOMS, THREE_ATOMS], ids=lambda f: f.name)
def test_chebyshev_is_attained(family):
    """P(|R_L - R|^2 >= t) <= L E|Q|^2 / t with equality for one Rademacher term."""
    families = (family,)
    holds = worst_ratio(Tail(deviation_R, ">=", EQ2 * L / delta, delta), "<=", delta, families=families)
    assert (holds.verdict, holds.slack) == (Verdict.SUPPORTED, pytest.approx(1, abs=1e-5))
    smaller = Tail(deviation_R, ">=", F(9, 10) * EQ2 * L / delta, delta)
    e = worst_ratio(smaller, "<=", delta, families=families)
    assert e.verdict is Verdict.REFUTED
    assert 0 < F(str(e.witness["delta"])) < 1
    known = float(e.witness["right"])
    assert float(e.witness["left"]) > float(F(str(e.witness["delta"]))) == pytest.approx(known)


def test_the_sub_gaussian_constant_of_two_atoms_is_attained():
    """ln E e^{x} <= a2/2 with equality: skewed laws reach it at a query away from 0."""
    families = (TWO_ATOMS,)
    assert worst_ratio(sp.log(S / L), "<=", a2 / 2, families=families).slack == pytest.approx(1, abs=1e-5)
    assert worst_ratio(sp.log(S / L), "<=", F(99, 200) * a2, families=families).verdict is Verdict.REFUTED


def test_exponents_compare_the_rates_of_a_lower_tail():
    tail = Tail(normaliser, "<=", (1 - alpha) * S, alpha)
    bound = sp.exp(-(alpha**2) * S**2 / (L * EM2))
    holds = worst_ratio(tail, "<=", sp.sqrt(bound), families=(TWO_ATOMS,), exponents=True)
    assert holds.verdict is Verdict.SUPPORTED
    assert 1 < float(holds.slack or 0) < 2
    e = worst_ratio(tail, "<=", bound, families=(TWO_ATOMS,), exponents=True)
    assert e.verdict is Verdict.REFUTED
    assert float(e.witness["left"]) > float(e.witness["right"])


def test_without_confirmation_by_arb_there_is_no_refutation(monkeypatch):
    monkeypatch.setattr(module, "_witness", lambda *_: None)
    e = worst_ratio(Mean(error_squared), "<=", F(1, 2) * R1, families=(TWO_ATOMS,))
    assert e.verdict is Verdict.OPEN
    assert "not confirmed by Arb" in e.reason


def test_the_degenerate_instance_is_evaluated_as_printed():
    """f = 0: the event {0 >= 0} is certain, {0 > 0} is impossible."""
    for op, verdict in ((">=", Verdict.REFUTED), (">", Verdict.SUPPORTED)):
        tail = Tail(error_squared, op, F4 / delta, delta)
        assert at_point(ORIGIN, 9, tail, delta, sp.Rational(4, 5)).verdict is verdict


def test_an_evaluation_that_overlaps_is_open():
    point = Point(on_line((F(9, 10), F(-1, 10)), (F(1, 10), F(9, 10))), F(1), (F(1), F(1, 3)))
    assert at_point(point, 3, sp.log(S / L), sp.log(S) - sp.log(L)).verdict is Verdict.OPEN


CERTAIN = Tail(error_squared, ">=", F4 / delta, delta)
judged = lambda left, op, right, **more: worst_ratio(left, op, right, **{"families": (TWO_ATOMS,)} | more)
MALFORMED: dict[str, tuple[Any, type[Exception]]] = {
    "exchange the sides": (lambda: judged(Mean(error_squared), ">=", R1), ValueError),
    "solutions": (lambda: normal_form(Tail(error_squared, ">=", L, delta), delta), ValueError),
    "no value": (lambda: evaluate(sp.Symbol("unknown"), {"L": 1}), ValueError),
    "at which value": (
        lambda: at_point(ORIGIN, 1, Tail(error_squared, ">=", F4 / delta, delta), delta),
        ValueError,
    ),
    "contains foo": (lambda: judged(Mean(normaliser), "<=", sp.Symbol("foo", positive=True)), ValueError),
    "finite bound": (lambda: judged(Mean(normaliser), "<=", sp.nan), ValueError),
    "positive right side": (lambda: judged(Mean(normaliser), "<=", -L), ValueError),
    "cannot evaluate sin": (lambda: judged(Mean(normaliser), "<=", sp.sin(L)), TypeError),
    "is not int or Fraction or Expr": (lambda: judged(Mean(normaliser), "<=", None), TypeError),
    "no statement": (lambda: judged("S_L", "<=", L), TypeError),
    "a family to search": (lambda: judged(Mean(normaliser), "<=", L, families=()), ValueError),
    "'=='": (lambda: Tail(normaliser, "==", L, delta), ValueError),
}


@pytest.mark.parametrize("says", MALFORMED)
def test_malformed_statements_say_what_is_wrong(says):
    made, error = MALFORMED[says]
    with pytest.raises(error, match=says):
        made()


def test_bounds_are_evaluated_as_sympy_does_and_enclosed_by_balls():
    x, y = sp.symbols("x y", positive=True)
    power = x ** sp.Rational(-2, 3) * sp.exp(-y / 7)
    expr = sp.E * sp.log(x / 3) + sp.sqrt(y) ** 3 - power + sp.Rational(1, 3)
    at = {"x": 2.5, "y": 0.75}
    expected = float(expr.subs({x: at["x"], y: at["y"]}))
    assert evaluate(expr, at) == pytest.approx(expected, rel=1e-14)
    ball = evaluate(expr, {"x": arb(2.5), "y": arb(0.75)})
    assert abs(float(ball.mid()) - expected) < 1e-14
    assert 0 < float(ball.rad()) < 1e-13


def test_claims_share_a_search_and_families_of_streams_do_not():
    strict, weak = (Tail(error_squared, op, F4 / (delta * L), delta) for op in (">", ">="))
    with seeded("BB:LC.1"):
        worst_ratio(strict, "<=", 150 * sp.exp(4 * a2) * delta, families=(TWO_ATOMS,))
    before = module._search.cache_info().misses
    with seeded("BB:CC.3"):
        worst_ratio(weak, "<=", 175 * sp.exp(4 * a2) * delta, families=(TWO_ATOMS,))
    assert module._search.cache_info().misses == before
    with seeded("BB:CC.3", 1):
        worst_ratio(weak, "<=", 175 * sp.exp(4 * a2) * delta, families=(TWO_ATOMS,))
    assert module._search.cache_info().misses == before + 1


def test_a_bound_without_a_value_is_not_accepted():
    """F2 <= F4, so that the root is real for functions of constant length only."""
    bound = 10**9 * sp.sqrt(symbol("F2") - symbol("F4"))
    found = worst_ratio(Mean(error_squared), "<=", bound, families=(TWO_ATOMS,))
    assert found.verdict is not Verdict.SUPPORTED


def test_an_event_that_balls_do_not_decide_is_neither_in_nor_out():
    """S_L = S/2 for 0, 0, ...: atoms 0 and ln 3 weigh 1 and 3, the mean is 2, up to a ball."""
    balls = lambda *values: np.array(values, dtype=object)
    half, scores = balls(arb(1) / 2, arb(1) / 2), balls(arb(0), arb(3).log())
    probability = softmax_average(1, scores, balls([arb(0), arb(0)]), half, arb(1)).mean(failure)
    assert probability.contains(0)
    assert probability.contains(arb(1) / 2)


def test_a_least_parameter_is_respected_by_search_and_witness():
    """A constant that fails below the least parameter may hold; above it, it is refuted."""
    least = 64 * sp.exp(4 * a2) / L**2

    def judged(c: F, least: sp.Expr | None) -> Evidence:
        tail = Tail(error_squared, ">", c * F4 * sp.exp(4 * a2) / (delta * L), delta, least)
        return worst_ratio(tail, "<=", delta, families=(TWO_ATOMS,))

    assert judged(F(4, 5), None).verdict is Verdict.REFUTED
    assert judged(F(4, 5), least).verdict is Verdict.SUPPORTED
    e = judged(F(2, 5), least)
    assert e.verdict is Verdict.REFUTED
    length, value = int(e.witness["L"]), F(str(e.witness["delta"]))
    # a number also for two unequal atoms
    size = sp.sympify(str(e.witness["sigma2"])) * sp.Rational(str(e.witness["Uz"])) ** 2
    assert 1 > value >= F(64, length**2)
    assert value * length**2 >= 64 * sp.exp(4 * size)
    assert e.witness["left"] > float(value)
    assert r"(\delta \ge \frac{64" in e.checked


def test_a_parameter_below_its_least_value_is_refused():
    rademacher = Point(on_line((1, -1), (F(1, 2), F(1, 2))), F(0), (F(1), F(-1)))
    tail = Tail(error_squared, ">", F4 / (delta * L), delta, 64 * sp.exp(4 * a2) / L**2)
    assert at_point(rademacher, 10, tail, delta, sp.Rational(2, 3)).verdict is Verdict.SUPPORTED
    with pytest.raises(ValueError, match="delta = 3/5 is below its least value"):
        at_point(rademacher, 10, tail, delta, sp.Rational(3, 5))
    with pytest.raises(ValueError, match="a least parameter belongs to a tail beyond its threshold"):
        Tail(normaliser, "<=", alpha * S, alpha, F4)


@pytest.mark.parametrize("q", [F(1, 9), F(2, 5), F(9, 10)])
def test_witnesses_name_the_proxy_of_two_atoms_as_a_number(q):
    point = Point(on_line((3 - 3 * q, -3 * q), (q, 1 - q)), F(1), (F(1), F(0)))
    assert float(sp.sympify(point.describe()["sigma2"])) == pytest.approx(float(point.sigma2()), rel=1e-12)
