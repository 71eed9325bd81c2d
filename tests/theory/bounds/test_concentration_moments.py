"""Thresholds, tails and fourth-moment bounds: second routes, scaling, bad input."""

import math

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import quad

from tests.refusing import refusals
from theory.bounds.concentration import lemma_c4
from theory.bounds.concentration_moments import (
    fourth_moment_R2,
    lemma_c7,
    tail_integral,
    threshold_c4,
    threshold_c7,
)

L, a2, F4, sigma2, C_f, Z4, k = sp.symbols("L a2 F4 sigma2 C_f Z4 k", positive=True)


def test_thresholds_are_multiples_of_the_moments():
    assert sp.simplify(threshold_c4(L, a2, F4) - L * F4) == 0
    assert sp.simplify(threshold_c7(L, a2, F4) - L * F4**2) == 0


@pytest.mark.parametrize("p", [1, 2])
@pytest.mark.parametrize("x", [0.0, 0.7, 5.0])
def test_the_tail_against_quadrature(p, x):
    numeric, _ = quad(lambda u: u ** (p - 1) * math.exp(-u / 1.7), x, np.inf)
    assert tail_integral(x, 1.7, p) == pytest.approx(numeric, rel=1e-9)


def test_lemma_c7_against_its_printed_form():
    L, a2, F4, s2, Cf, d, Z4 = 40, 0.3, 2.5, 1.5, 0.8, 3, 9.0
    C = 108 * math.exp(4 * a2) * F4
    rest = 1 + math.sqrt(L) / (32 * math.sqrt(2) * s2) * math.sqrt(Z4)
    tail = 16**3 * s2**2 * L * Cf**4 * math.exp(2 * d) * rest
    exponent = -(math.sqrt(L) / (2 * math.sqrt(2)) - math.exp(2 * a2)) * F4 / (16 * s2 * Cf**2)
    bound = 2 * C * F4 / math.sqrt(L) + tail * math.exp(exponent)
    assert lemma_c7(L, a2, F4, s2, Cf, d, Z4) == pytest.approx(bound)


def test_lemma_c7_is_homogeneous():
    """Of degree 4 in f, and invariant when tokens are rescaled and U divided."""
    bound = lemma_c7(L, a2, F4, sigma2, C_f, 2, Z4)
    assert sp.simplify(lemma_c7(L, a2, k**2 * F4, sigma2, k * C_f, 2, Z4) / bound) == k**4
    assert sp.simplify(lemma_c7(L, a2, F4, k**2 * sigma2, C_f / k, 2, k**4 * Z4) / bound) == 1


def test_floats_and_symbols_agree():
    at = {L: 40, a2: sp.Rational(1, 3), F4: 2, sigma2: 3, C_f: sp.Rational(1, 2), Z4: 5}
    exact = float(lemma_c7(L, a2, F4, sigma2, C_f, 2, Z4).subs(at))
    assert lemma_c7(40, 1 / 3, 2, 3, 0.5, 2, 5) == pytest.approx(exact, rel=1e-13)
    exact = float(fourth_moment_R2(L, a2, F4).subs(at))
    assert fourth_moment_R2(40, 1 / 3, 2) == pytest.approx(exact, rel=1e-13)


@pytest.mark.parametrize("p", [1, 2])
def test_the_display_is_below_the_lemma_and_meets_it_at_p_1(p):
    for length, a2 in ((1, 0.0), (2, 0.5), (50, 0.1), (50, 1.7)):
        at = (length, a2, 2.0, 1.5, 0.7, 2)
        display, lemma = (lemma_c4(*at, p=p, Z8=3.0, power=2, positive_part=part) for part in (True, False))
        assert display <= lemma * (1 + 1e-12)
        if p == 1 and length / 2 > math.exp(2 * a2):
            assert display == pytest.approx(lemma)


test_bad_input_is_named = refusals(
    (lambda: tail_integral(1, 1, 3), "neither 1 nor 2"),
    (lambda: tail_integral(-1, 1, 1), "lower limit"),
    (lambda: tail_integral(1, 0, 1), "scale"),
    (lambda: lemma_c7(0, 0, 1, 1, 1, 1, 1), "at least one token"),
    (lambda: lemma_c7(1, 0, 1, 1, 0, 1, 1), "C_f"),
    (lambda: fourth_moment_R2(1, -1, 1), "a2"),
)
