"""Exponents against lambda: their equation, what they rest on, settings without one."""

from itertools import pairwise

import numpy as np
import pytest

from numerics.attention.exponents import (
    REGIONS,
    exponent_curve,
    next_order,
    paper_curve,
    paper_exponent,
    region,
    sharp_exponent,
    standing,
    theorem_B_constant,
    theorem_B_law,
)
from numerics.attention.setting import QUANTITIES, AttentionSetting
from numerics.token_laws import rademacher
from tests.numerics.rates.settings import averaged

FIXED = AttentionSetting(np.diag([2.0, 1.0]), 0.5 * np.eye(2), np.eye(2), np.ones(2))


def test_exponents():
    assert sharp_exponent(FIXED) == sharp_exponent(averaged(0.4)) == sharp_exponent(averaged(0.0)) == 1
    assert sharp_exponent(averaged(0.5)) == pytest.approx(1)
    b = sharp_exponent(averaged(2.0))
    assert b**2 + b == pytest.approx(1 / 2)  # the defining equation
    assert next_order(FIXED) == next_order(averaged(1 / 6)) == pytest.approx(1)
    near = next_order(averaged(0.3))
    assert near is not None
    assert 0 < near < 1
    assert next_order(averaged(0.5)) is None
    # 1/2 but for rounding: Theorem B counts it as 1/2, and its constant there bounds nothing.
    rounded = averaged(0.5 - 5e-14)
    assert next_order(rounded) is theorem_B_constant(rounded, "output") is None


def test_the_curve_is_that_of_the_settings():
    lam = [0.0, 0.2, 0.7, 3.0]
    assert exponent_curve(lam) == pytest.approx([sharp_exponent(averaged(x)) for x in lam])


def test_other_laws_have_an_exponent_at_one_query_only():
    signs = rademacher(2)
    assert all(
        sharp_exponent(AttentionSetting(signs, np.eye(2), np.eye(2), np.ones(2)), q) == 1 for q in QUANTITIES
    )
    over_queries = AttentionSetting(signs, np.eye(2), np.eye(2), query_cov=np.eye(2))
    assert all(sharp_exponent(over_queries, q) is None for q in QUANTITIES)
    assert all(standing(over_queries, q) == "not known" for q in QUANTITIES)
    # One sign: without scores the sample covariance is 1 - mean^2, whose error is of order 1/L^2.
    coin = AttentionSetting(rademacher(1), np.zeros((1, 1)), np.eye(1), np.ones(1))
    assert sharp_exponent(coin, "grad_U") is None
    assert sharp_exponent(coin) == 1
    plane = AttentionSetting(rademacher(2).image(np.diag([1.0, 1e-20])), np.eye(2), np.eye(2), np.ones(2))
    assert sharp_exponent(plane, "grad_U") == 1, "tokens in a plane are on no line, however narrow it is"


def test_regions_cover_every_lambda_once():
    assert REGIONS[0].low == 0
    assert REGIONS[-1].high == np.inf
    assert all(a.high == b.low for a, b in pairwise(REGIONS))
    assert [REGIONS.index(region(x)) for x in (0.0, 0.25, 0.49, 0.5, 0.99, 1.0, 1e6)] == [0, 1, 1, 2, 2, 3, 3]


def test_the_papers_exponents_are_below_the_sharp_ones():
    kappa = np.geomspace(1e-3, 1e3, 61)
    for quantity in QUANTITIES:
        paper = paper_curve(kappa, quantity)
        assert np.all(paper < exponent_curve(kappa))
        assert paper[0] == pytest.approx(1 / 12 if quantity == "grad_U" else 1 / 3)
    assert paper_exponent(FIXED, "output") is None
    # The paper is about 1-sub-Gaussian queries, and about sigma >= 1.
    found = AttentionSetting(np.eye(1), np.eye(1), np.eye(1), query_cov=2 * np.eye(1))
    assert paper_exponent(found, "output") is None
    small = AttentionSetting(0.01 * np.eye(1), np.eye(1), np.eye(1), query_cov=np.eye(1))
    assert paper_exponent(small, "output") == pytest.approx(1 / 192)


def test_how_exponents_are_known():
    """Also in one dimension, and where V sees only, or not, the direction of the scores."""
    line = AttentionSetting(np.eye(2), np.diag([2.0, 0.0]), np.array([[1.0, 0.0]]), query_cov=np.eye(2))
    blind = AttentionSetting(np.eye(2), np.diag([2.0, 0.0]), np.array([[0.0, 1.0]]), query_cov=np.eye(2))
    for setting in (FIXED, averaged(0.5), averaged(2.0), averaged(2.0, 2), line, blind):
        assert all(standing(setting, quantity) == "proved by hand" for quantity in QUANTITIES)


def test_without_a_query_the_gradient_in_U_has_no_error():
    for query in ({"query": np.zeros(2)}, {"query_cov": np.zeros((2, 2))}):
        silent = AttentionSetting(FIXED.Gamma, FIXED.U, FIXED.V, **query)
        assert sharp_exponent(silent, "grad_U") is None
        assert sharp_exponent(silent) == 1


@pytest.mark.parametrize("quantity", ["output", "grad_V"])
def test_the_law_of_theorem_B_does_not_feed_on_rounding(quantity):
    """V is orthogonal to what scores see, up to rounding: no constant for the output."""
    rng = np.random.default_rng(0)
    a, v = rng.standard_normal((2, 3))
    v -= a * (a @ v) / (a @ a)
    assert a @ v != 0
    setting = AttentionSetting(np.eye(3), np.outer(a, [2.0, 0.0, 0.0]), v[None], query_cov=np.eye(3))
    if quantity == "output":
        with pytest.raises(ValueError, match="rho = 0"):
            theorem_B_law(setting, quantity)
    else:
        assert theorem_B_law(setting, quantity).constant > 1e-3
