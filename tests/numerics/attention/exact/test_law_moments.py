"""Moments of the token law in bounds under a growth condition, and the nodes where 0/0 occurs."""

from fractions import Fraction as F

import numpy as np
import pytest
import sympy as sp

from numerics.attention.exact.law_moments import OF_THE_LAW, LawMoments
from numerics.attention.exact.softmax_average import softmax_average, symbol
from numerics.counterexamples.worst_case.families import THREE_ATOMS, TWO_ATOMS, Point, on_line
from numerics.counterexamples.worst_case.statement import evaluate, population

POINT = Point(on_line((3, 0, -1), (F(1, 8), F(1, 2), F(3, 8))), F(1, 2), (F(6), F(0), F(-1)))


def test_the_quantities_are_their_definitions():
    at = population(POINT.approximate(2))
    p, z, f = (np.array(v, dtype=float) for v in (POINT.weights, POINT.atoms, POINT.f))
    expected = {"F8": np.sqrt(p @ f**8), "Z4": p @ z**4, "Z8": p @ z**8, "C_f": 2.0, "C_f2": 1.0, "d": 1}
    assert {name: pytest.approx(float(at[name])) for name in expected} == expected
    assert at["sigma2"] == pytest.approx(float(POINT.sigma2()))


def test_balls_agree_with_floats():
    rigorous, close = population(POINT.average(2)), population(POINT.approximate(2))
    for name in OF_THE_LAW:
        assert float(rigorous[name]) == pytest.approx(float(close[name]), rel=1e-12), name


def test_growth_at_the_origin():
    p, z2 = np.array([0.5, 0.5]), np.array([0.0, 4.0])
    assert LawMoments(p, np.array([0.0, 4.0]), z2, 1.0, 1).growth(1) == 1
    assert LawMoments(p, np.array([1.0, 4.0]), z2, 1.0, 1).growth(1) == np.inf
    assert LawMoments(p, np.zeros(2), z2, 1.0, 1).growth(2) == 0


def test_balls_at_the_origin():
    away = Point(on_line((1, 0, -1), (F(1, 4), F(1, 2), F(1, 4))), F(0), (F(0), F(1), F(0)))
    assert not population(away.average(1))["C_f"].is_finite()
    assert population(Point(on_line((0,), (F(1),)), F(0), (F(0),)).average(1))["C_f"] == 0


@pytest.mark.parametrize("family", [TWO_ATOMS, THREE_ATOMS], ids=lambda f: f.name)
def test_a_family_and_its_rational_point_agree(family):
    x = np.array(family.box).mean(1) + 0.1
    batch, point = family.average(2, x[:, None]), family.rational(x, 10**8).approximate(2)
    # does not see the scale of the tokens or of f
    free = symbol("C_f") ** 2 * symbol("sigma2") / symbol("F4")
    for e in (free, symbol("Z8") / symbol("sigma2") ** 4, symbol("F8") / symbol("F4") ** 2):
        known = float(evaluate(e, population(point)))
        assert float(np.squeeze(evaluate(e, population(batch)))) == pytest.approx(known, rel=1e-4)


def test_without_tokens_only_f_is_known():
    c = softmax_average(2, [0.5, -0.5], [[1.0, -1.0]], [0.5, 0.5], 0.25)
    at = population(c)
    assert "C_f" not in at
    assert at["F8"] == 1
    with pytest.raises(ValueError, match="no value"):
        evaluate(symbol("C_f"), at)


def test_the_root_of_the_length_is_enclosed():
    root = evaluate(sp.sqrt(symbol("L")), population(POINT.average(2)))
    assert 0 < float(root.rad()) < 1e-14
    assert (root**2).overlaps(root * 0 + 2)
