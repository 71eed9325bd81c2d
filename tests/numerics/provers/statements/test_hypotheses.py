"""Hypotheses that are equations, or say that two sides are not equal."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import sympy as sp

from numerics import Closed, Evidence, forall

x, y = sp.symbols("x y", real=True)
p = sp.Symbol("p", positive=True)
LINE = dict.fromkeys((x, y), (-sp.oo, sp.oo))


def about_products(bound: sp.Expr, *where: object) -> Evidence:
    return forall(x * y, "<=", bound, LINE, where=where)


@pytest.mark.parametrize(
    "where", [(sp.Eq(x + y, 1),), ((x + y, "==", 1),), ((x + y, "<=", 1), (x + y, ">=", 1))]
)
def test_an_equation_is_two_inequalities(where: tuple[object, ...]) -> None:
    assert about_products(sp.Rational(1, 4), *where).verdict.value == "PROVED"
    false = about_products(sp.Rational(1, 5), *where)
    assert false.verdict.value == "REFUTED"
    assert sum(map(sp.Rational, dict(false.witness).values())) == 1


def test_what_is_not_equal_is_proved_on_both_sides() -> None:
    chord = lambda where: forall(sp.log(p) / (p - 1), "<=", 1 / sp.sqrt(p), {p: (0, sp.oo)}, where=where)
    for where in ([sp.Ne(p, 1)], [(p, "!=", 1)], [((p - 1) ** 2, ">", 0)]):
        assert chord(where).verdict.value == "CERTIFIED"
    undefined = chord([])
    assert undefined.verdict.value == "OPEN"
    assert "may be undefined" in undefined.reason


def test_a_counterexample_keeps_away_from_what_is_excluded() -> None:
    falls = forall(1 / x, ">=", -1, {x: Closed(-1, 1)}, where=[sp.Ne(x, 0)])
    assert falls.verdict.value == "REFUTED"
    assert sp.Rational(dict(falls.witness)["x"]) < 0


def test_hypotheses_are_shown_with_their_own_signs() -> None:
    shown = about_products(1, sp.Eq(x, y), sp.Ne(x, 2)).checked
    assert "x = y" in shown
    assert r"x \ne 2" in shown


@pytest.mark.parametrize("op", ["<=", ">="])
def test_a_conclusion_that_an_equation_says_is_vacuous(op: str) -> None:
    assert forall(x, op, y, LINE, where=[sp.Eq(y, x)]).vacuous
    assert not forall(x, op, y, LINE, where=[sp.Ne(y, x), sp.Eq(x, 0), sp.Eq(y, int(op == "<="))]).vacuous


def test_contradictions_and_unknown_signs_prove_nothing() -> None:
    with pytest.raises(ValueError, match="neither a triple"):
        about_products(1, (x, "=", y))
    with pytest.raises(ValueError, match="no point meets the hypotheses"):
        about_products(1, sp.Eq(sp.Integer(0), 1, evaluate=False))
    found = about_products(1, sp.Eq(x, 0), sp.Ne(x, 0))
    assert (found.verdict.value, "no point was found" in found.reason) == ("OPEN", True)


@pytest.mark.parametrize(
    ("f", "bound", "verdict"),
    [
        (sp.asin, lambda t: t, "CERTIFIED"),
        (sp.asin, lambda t: t * sp.Rational(11, 10), "REFUTED"),
        (sp.acos, lambda t: sp.Rational(157, 100) - sp.Rational(16, 10) * t, "CERTIFIED"),
        (sp.acos, lambda t: sp.Rational(158, 100) - t, "REFUTED"),
    ],
)
def test_arcs_are_enclosed_up_to_their_ends(
    f: type, bound: Callable[[sp.Expr], sp.Expr], verdict: str
) -> None:
    assert forall(f(x), ">=", bound(x), {x: Closed(0, 1)}).verdict.value == verdict
    beyond = forall(f(x), "<=", 4, {x: Closed(0, 2)})
    assert (beyond.verdict.value, "may be undefined" in beyond.reason) == ("OPEN", True)


def test_an_end_at_which_a_function_begins_has_its_value() -> None:
    """The limit there is rounded, and no value of the function."""
    end = {x: Closed(-1, -1)}
    for f, value in ((sp.asin, -sp.pi / 2), (sp.acos, sp.pi)):
        assert not forall(f(x), "<", value, end, effort=20_000).verdict.accepted
        assert forall(f(x), "<=", value + sp.Rational(1, 10**9), end).verdict.value == "CERTIFIED"
    zero, third = {x: Closed(0, 0)}, sp.Rational(1, 3)
    assert not forall(sp.uppergamma(third, x), ">", sp.gamma(third), zero, effort=20_000).verdict.accepted
    assert forall(sp.asin(x), ">=", -sp.pi / 2, {x: Closed(-1, 1)}, effort=20_000).verdict.value != "REFUTED"


def test_a_face_on_which_a_side_is_undefined_is_no_crash() -> None:
    side = sp.log(sp.Max(sp.exp(2 * x), sp.exp(3 * x)))
    assert forall(side, ">=", 3 * x, {x: (-sp.oo, sp.oo)}, effort=60_000).verdict.value != "REFUTED"


@pytest.mark.parametrize("comparison", [lambda s: s != 2 * s, lambda s: s == 2 * s])
def test_what_python_compared_is_no_hypothesis(comparison):
    """``x != y`` compares how two sides are written: it was dropped where it was True."""
    s = sp.Symbol("s", real=True)
    with pytest.raises(ValueError, match=r"write \(x, \"!=\", y\) or sp.Ne\(x, y\)"):
        forall(s**2, ">", 0, {s: (-1, 1)}, where=[comparison(s)])


def test_a_relation_that_evaluates_itself_is_still_a_hypothesis():
    p = sp.Symbol("p", positive=True)
    assert forall(p, ">", -1, {p: (0, 1)}, where=[sp.Gt(p, 0)]).verdict.accepted
    with pytest.raises(ValueError, match="evaluated itself to False"):
        forall(p, ">", -1, {p: (0, 1)}, where=[sp.Lt(p, 0)])


@pytest.mark.parametrize(
    ("goal", "op", "given", "by", "expected"),
    [
        (p * (x - 1), ">=", (x - 1) / p, ">=", "PROVED"),
        (sp.sqrt(p) * sp.log(x), ">", sp.log(x), ">", "PROVED"),
        (sp.exp(x) * (x - p), ">=", x - p, ">", "PROVED"),
        (x - p, ">", x - p, ">=", "REFUTED"),  # equality may hold
        (p - x, ">=", x - p, ">=", "REFUTED"),  # the factor is -1
        (y * (x - 1), ">=", x - 1, ">=", "REFUTED"),  # the factor has both signs
        ((x - 2) ** 2 * (x - 1), ">", x - 1, ">", "REFUTED"),  # the factor is 0 at 2
    ],
)
def test_a_positive_multiple_of_a_hypothesis_has_its_sign(
    goal: sp.Expr, op: str, given: sp.Expr, by: str, expected: str
) -> None:
    whole_line = LINE | {x: (1, sp.oo)} if goal.has(sp.log) else LINE
    domain = {s: (0, sp.oo) if s == p else whole_line[s] for s in goal.free_symbols}
    assert forall(goal, op, 0, domain, where=[(given, by, 0)]).verdict.value == expected
