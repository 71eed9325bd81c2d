"""Inequalities of a few variables: codes, reach, and statements that are false by little."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy as sp
from flint import fmpq

from numerics.counterexamples.drawn.holds import holds
from numerics.counterexamples.drawn.scalars import MOST, ZERO, ScalarInequality, decoded, table
from numerics.evidence import Verdict
from numerics.provers import Closed, Integers
from numerics.provers.enclosures.boxes import Side
from numerics.provers.statements.statement import statement

x, y = sp.symbols("x y", positive=True)
r = sp.Symbol("r", real=True)
n = sp.Symbol("n", integer=True, positive=True)
SIDES = {
    "reals": Side(None, None),
    "positive": Side(fmpq(0), None, True),
    "from one on": Side(fmpq(1), None),
    "up to three": Side(None, fmpq(3), False, True),
    "closed unit": Side(fmpq(0), fmpq(1)),
    "open unit": Side(fmpq(0), fmpq(1), True, True),
    "a point": Side(fmpq(2), fmpq(2)),
    "whole from one": Side(fmpq(1), None, False, False, True),
    "whole": Side(None, None, False, False, True),
    "two to seven": Side(fmpq(2), fmpq(7), False, False, True),
}
BOTH_POSITIVE = {x: (0, sp.oo), y: (0, sp.oo)}
CODES = range(-MOST, MOST + 1, 11)


def tried(lhs: Any, op: str, rhs: Any, domain: Any, where: Any = ()) -> Any:
    st = statement(lhs, op, rhs, domain, where)
    return holds(ScalarInequality(st, len(st.box)))


@pytest.mark.parametrize("side", SIDES.values(), ids=SIDES)
def test_codes_stay_in_their_range_and_have_one_value(side):
    exact = [decoded(side, c) for c in CODES]
    assert all(side.contains(q) for q in exact)
    np.testing.assert_allclose(table(side)[::11], [float(q) for q in exact], rtol=1e-14)


@pytest.mark.parametrize("name", [n for n, s in SIDES.items() if not s.point and not s.integer])
def test_codes_walk_through_a_range_in_its_order(name):
    assert (np.diff(table(SIDES[name])) > 0).all()


def test_the_simplest_values_have_the_code_nought_and_ends_the_extreme_codes():
    assert {decoded(SIDES[name], 0) for name in ("reals", "positive", "whole from one")} == {1}
    assert (decoded(SIDES["reals"], ZERO), decoded(SIDES["closed unit"], -MOST)) == (0, 0)
    assert decoded(SIDES["closed unit"], MOST) == 1


@pytest.mark.parametrize(
    ("lhs", "rhs", "domain"),
    [
        (x / (1 + x**2), sp.Rational(1, 2), {x: (0, sp.oo)}),
        (r * sp.exp(-r), sp.exp(-1), {r: Closed(0, sp.oo)}),
        (2 * x * y, x**2 + y**2, BOTH_POSITIVE),
        (r**2 * (3 - 2 * r), 1, {r: Closed(0, 1)}),
        (sp.log(n) / n, sp.log(3) / 3, {n: Integers(1, sp.oo)}),
    ],
    ids=["ratio", "decay", "means", "closed end", "whole"],
)
def test_examples_reach_the_edge_and_not_beyond(lhs, rhs, domain):
    """Each statement holds with equality at one place; with 95 % of its right side it is false."""
    found = tried(lhs, "<=", rhs, domain)
    assert (found.verdict, found.slack) == (Verdict.SUPPORTED, pytest.approx(1, rel=1e-3))
    assert tried(lhs, "<=", sp.Rational(95, 100) * rhs, domain).verdict is Verdict.REFUTED


def test_a_counterexample_is_simple_and_meets_the_hypotheses():
    found = tried(x, "<=", y, BOTH_POSITIVE, [(x + y, ">=", 4)])
    assert found.verdict is Verdict.REFUTED
    at = {name: Fraction(str(value)) for name, value in found.witness.items()}
    assert at["x"] > at["y"]
    assert at["x"] + at["y"] >= 4
    assert max(v.denominator for v in at.values()) <= 256


LINE, OPEN_RAY = {r: (-sp.oo, sp.oo)}, {x: (0, sp.oo)}
#: r^2, which in floats differs from (1 + r)^2 - 1 - 2 r by all of it for small r.
CANCELLING = sp.Add((1 + r) ** 2, -1, -2 * r, evaluate=False)
NOWHERE = [(x, "<=", sp.Rational(1, 10**12))]
JUDGED: dict[str, tuple[Any, Verdict]] = {
    "no example meets the hypotheses": ((x, "<=", 2, OPEN_RAY, NOWHERE), Verdict.OPEN),
    "strict, by equality": ((2 * x * y, "<", x**2 + y**2, BOTH_POSITIVE), Verdict.REFUTED),
    "strict, at an end": ((0, "<", r, {r: Closed(0, 1)}), Verdict.REFUTED),
    "cancellation in floating point": ((CANCELLING, "<=", r**2, LINE), Verdict.SUPPORTED),
}


@pytest.mark.parametrize("name", JUDGED)
def test_verdicts(name):
    given, verdict = JUDGED[name]
    assert tried(*given).verdict is verdict


def test_a_lowered_bound_is_the_control():
    p = ScalarInequality(statement(x / (1 + x**2), "<=", 1, {x: (0, sp.oo)}, ()), 1)
    assert holds(p).slack == pytest.approx(2)
    assert holds(p.scaled(Fraction(51, 100))).verdict is Verdict.SUPPORTED
    assert holds(p.scaled(Fraction(49, 100))).verdict is Verdict.REFUTED


def test_a_clear_failure_is_not_hidden_by_an_equality_at_a_simpler_point():
    """Up to x = 1000 the sides differ by less than floats can tell."""
    false = statement(1 + sp.Max(0, x / 1000 - 1), "<", 1 + sp.Rational(1, 10**20), {x: (0, sp.oo)}, [])
    p = ScalarInequality(false, 1)
    assert p.exactly((0,), (0,)).verdict is Verdict.SUPPORTED
    assert p.exactly((0,), p.tried((0,)).at).verdict is Verdict.REFUTED


def test_cancelling_digits_are_no_large_ratio():
    """The sides are x^6 and 2 x^6, but for small x floats see nothing but rounding on the left."""
    left = sp.Add(sp.Pow(1 + x, 6), *(-sp.binomial(6, k) * x**k for k in range(6)))
    slack = holds(ScalarInequality(statement(left, "<=", 2 * x**6, {x: (0, sp.oo)}, []), 1)).slack
    assert slack is not None
    assert slack > 1.4


def test_a_point_outside_the_hypotheses_is_no_example():
    p = ScalarInequality(statement(x, "<=", sp.Integer(1), {x: (0, sp.oo)}, [(x, "<=", 1)]), 1)
    assert p.exactly((MOST,), (MOST,)).vacuous == "the point does not meet the hypotheses"
    assert not p.exactly((0,), (0,)).vacuous
