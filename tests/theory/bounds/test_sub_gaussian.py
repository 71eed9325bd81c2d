"""Bounds of Appendix D and R3: second routes, order among each other, bad input."""

import math

import numpy as np
import pytest
import sympy as sp
from flint import arb
from scipy import integrate, stats

from theory.bounds import sub_gaussian as b


@pytest.mark.parametrize("p", [2, 2.5, 3, 4, 8, 17.5])
def test_c_p_is_the_ratio_at_one_sixteenth(p):
    half, x = arb(p) / 2, arb(1) / 16
    assert b.c_p(p) == pytest.approx(float(x.gamma_upper(half) * x.exp() / x**half), rel=1e-12)


@pytest.mark.parametrize("p", [2, 4, 5])
def test_numbers_and_symbols_agree(p):
    of_maxima = ((b.maximum_d2, (10, 3, p)), (b.maximum_R3, (10, 3, p)))
    for bound, at in (*of_maxima, (b.tilted_moment_R3, (2, 0.5, 3, p))):
        exact = bound(*(sp.Rational(x) for x in at))
        assert float(exact) == pytest.approx(bound(*at))


def test_arrays_are_answered_in_kind():
    t = np.array([0.0, 1.0, 5.0])
    assert np.allclose(b.tail_d2(t, 2), np.exp(4 - t**2 / 16))
    assert b.c_p(np.array([2.0, 4.0])).shape == (2,)


@pytest.mark.parametrize("d", [1, 2, 10, 100])
def test_tails_are_above_the_gaussian_one_and_ours_is_the_smaller(d):
    t = np.linspace(0, 20 + math.sqrt(d), 200)
    gaussian = stats.chi.sf(t, d)
    assert (gaussian <= b.tail_R3(t, d)).all()
    assert (b.tail_R3(t, d) <= b.tail_d2(t, d)).all()


@pytest.mark.parametrize("d", [1, 3, 20])
@pytest.mark.parametrize("L", [1, 5, 1000])
@pytest.mark.parametrize("p", [2, 3.5, 8])
def test_maxima_are_above_the_gaussian_one_and_ours_is_the_smaller(d, L, p):
    tail = lambda t: p * t ** (p - 1) * -math.expm1(L * stats.chi.logcdf(t, d)) if t > 0 else 0.0
    gaussian = integrate.quad(tail, 0, math.sqrt(d) + 12, limit=200, points=[math.sqrt(d)])[0]
    assert gaussian <= b.maximum_R3(L, d, p) <= b.maximum_d2(L, d, p)


def test_sigma_scales_the_maximum():
    assert b.maximum_R3(7, 2, 3, 2) == pytest.approx(8 * b.maximum_R3(7, 2, 3))


@pytest.mark.parametrize(("p", "q"), [(4, 0), (4, 8), (8, 4), (0, 8)])
def test_the_uniform_constant_is_above_that_of_a_gaussian_query(p, q):
    d, u = 3, 0.7
    moment = lambda r: 8 ** (p / 2) * (u**2 * r**2 + d / 5 + p / 2) ** (p / 2) * r**q
    for_gaussian = stats.chi.expect(moment, args=(d,))
    assert for_gaussian <= b.M_R3(p, q, u, d)


def test_tilted_moment_of_order_zero_is_one():
    assert b.tilted_moment_R3(1, 3, 2, 0) == 1


@pytest.mark.parametrize(
    "call",
    [
        lambda: b.C_p(1),
        lambda: b.tilted_moment_R3(0.5, 1, 1, 4),
        lambda: b.tilted_moment_R3(sp.Rational(1, 2), 1, 1, 4),
        lambda: b.maximum_d2(0, 1, 2),
        lambda: b.M_R3(3, 0, 1, 1),
        lambda: b.M_R3(4, -2, 1, 1),
        lambda: b.tail_d2(-1, 1),
        lambda: b.lemma_d1(1, -1, 1, 1),
    ],
)
def test_bad_input(call):
    with pytest.raises(ValueError, match=r"is outside|is below 1|no even number"):
        call()
