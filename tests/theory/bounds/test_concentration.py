"""The explicit bounds: symbols, scaling, and the edges at which the printed lemmas fail."""

import math
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

from tests.refusing import refusals
from theory.bounds import concentration as c
from theory.bounds.concentration import (
    C,
    alpha_minus,
    alpha_plus,
    beta,
    delta_0,
    delta_min,
    exponent_16,
    lemma_c4,
    second_moment_R1,
)

POINT = {"L": 40, "a2": sp.Rational(1, 3), "delta": sp.Rational(1, 5), "K": sp.Rational(7, 2)}
FOUR = (POINT["L"], POINT["a2"], POINT["delta"], POINT["K"])


@pytest.mark.parametrize(
    "f",
    [
        lambda L, a2, delta, K: delta_min(L, a2),
        lambda L, a2, delta, K: delta_0(L, a2),
        lambda L, a2, delta, K: alpha_minus(L, a2, delta),
        lambda L, a2, delta, K: alpha_plus(L, a2, delta),
        lambda L, a2, delta, K: beta(L, a2, delta, K),
        lambda L, a2, delta, K: c.lemma_c1(L, a2, delta, K),
        lambda L, a2, delta, K: lemma_c4(L, a2, K, 2, 3, 4, power=2),
        lambda L, a2, delta, K: lemma_c4(L, a2, K, 2, 3, 4, p=2, Z8=5),
        lambda L, a2, delta, K: exponent_16(L, a2),
        lambda L, a2, delta, K: second_moment_R1(L, a2, K),
    ],
)
def test_symbols_floats_fractions_and_arrays_agree(f):
    exact = float(f(*map(sp.sympify, FOUR)))
    names = sp.symbols("L a2 delta K", positive=True)
    assert float(f(*names).subs(dict(zip(names, FOUR)))) == pytest.approx(exact, rel=1e-13)
    assert f(*map(float, FOUR)) == pytest.approx(exact, rel=1e-13)
    assert f(40, Fraction(1, 3), Fraction(1, 5), Fraction(7, 2)) == pytest.approx(exact, rel=1e-13)
    column = f(*(np.full(3, float(x)) for x in FOUR))
    np.testing.assert_allclose(column, exact, rtol=1e-13)


def test_a_chain_of_the_appendix():
    """alpha_- is 1/2 at delta_min; delta/4 turns 27 into 108; 27 is 3 times 3 squared."""
    L, a2, delta, K, two, eight = sp.symbols("L a2 delta K two eight", positive=True)
    assert sp.simplify(alpha_minus(L, a2, delta_min(L, a2)) - sp.Rational(1, 2)) == 0
    assert sp.simplify(alpha_minus(L, a2, delta_min(L, a2, eight), two) ** 2 - two / eight) == 0
    assert sp.simplify(c.lemma_c1(L, a2, delta / 4, K) - C(a2, K) / (delta * L)) == 0
    assert sp.simplify((3 * beta(L, a2, delta, K)) ** 2 - c.lemma_c1(L, a2, delta, K)) == 0


def test_markov_from_our_second_moment_contains_corollary_c3():
    """P(|err|^2 >= 108 x/(delta L)) <= 50 delta/108 with x = e^{4 a2} F4, whatever delta."""
    for L, a2, delta, F4 in [(1, 0.0, 0.9, 1.0), (50, 0.7, 1e-4, 3.0)]:
        markov = second_moment_R1(L, a2, F4) / (C(a2, F4) / (delta * L))
        assert markov == pytest.approx(delta * 50 / 108, rel=1e-12)
        assert markov <= delta


def test_scaling_of_f_shows_the_missing_power():
    """f -> 10 f: the left side grows 100-fold, as the bound with C_f^2, not the printed one."""
    for p in (1, 2):
        plain, scaled = (lemma_c4(5, 0.1, 2 * k**2, 1, 3 * k, 2, p=p, Z8=9, power=2) for k in (1, 10))
        assert scaled == pytest.approx(100 * plain, rel=1e-12)
        printed, short = (lemma_c4(5, 0.1, 2 * k**2, 1, 3 * k, 2, p=p, Z8=9) for k in (1, 10))
        assert short < 99 * printed


def test_scaling_of_the_tokens():
    """Z -> 2Z: sigma^2, F4, C_f, Z8 and Lemma C.4 (power 2) move together."""
    for p in (1, 2):
        before = lemma_c4(7, 0.2, 3, 1.5, 1, 2, p=p, Z8=9, power=2)
        after = lemma_c4(7, 0.2, 3 * 4.0**p, 1.5 * 4, 1, 2, p=p, Z8=9 * 2.0**8, power=2)
        assert after == pytest.approx(4.0**p * before, rel=1e-12)


def test_first_term_vanishes_at_one_token():
    tail = lemma_c4(1, 0, 1e-9, 1, 1, 1)
    assert tail == pytest.approx(32 * math.e**2, rel=1e-8)
    assert lemma_c4(2, 0, 1, 1, 1, 1) > 108 * math.log(2)


def test_bounds_that_overflow_are_infinite_not_errors():
    assert second_moment_R1(10, 300, 1) == math.inf
    assert lemma_c4(10, 400, 1, 1, 1, 1) == lemma_c4(10, 400, 1, 1, 1, 1, p=2, Z8=105) == math.inf
    assert lemma_c4(10, 1, 1, 1, 1e300, 2, power=2) == math.inf
    assert lemma_c4(10, 1, 1, 1e300, 1, 2, p=2, Z8=1) == math.inf
    assert delta_min(1e100, 0) == 0


def test_exponent_has_two_regimes():
    assert exponent_16(5.0, 0.0) == 1 / 3
    assert exponent_16(1.0, 0.125) == 1 / 3  # 192/64 = 3: the regimes meet
    assert exponent_16(2.0, 1.0) == 1 / 768
    sigma, norm = sp.symbols("sigma U", positive=True)
    assert exponent_16(sigma, norm).subs({sigma: 2, norm: 1}) == sp.Rational(1, 768)


test_arguments_outside_their_domain = refusals(
    (lambda: delta_min(0, 1), r"L = 0 is outside \[1, oo\): a prompt has at least one token"),
    (lambda: delta_min(2, -1), "a2 = -1 is outside"),
    (lambda: delta_min(2, math.nan), "a2 = nan is outside"),
    (lambda: alpha_minus(2, 0, 0), r"delta = 0 is outside \(0, 1\]"),
    (lambda: alpha_plus(2, 0, 1.5), "delta = 1.5 is outside"),
    (lambda: delta_min(sp.Symbol("L"), sp.Integer(-1)), "a2 = -1 is outside"),
    (lambda: alpha_plus(sp.Symbol("L"), 0, sp.Integer(2)), "delta = 2 is outside"),
    (lambda: C(0, -1), "K = -1 is outside"),
    (lambda: lemma_c4(2, 0, 1, 1, 0, 1), "f is not zero"),
    (lambda: lemma_c4(2, 0, 1, 1, 1, 1, p=3), "p = 3 is neither 1 nor 2"),
    (lambda: lemma_c4(2, 0, 1, 1, 1, 1, power=0), "power = 0 is neither 1 nor 2"),
    (lambda: lemma_c4(2, 0, 1, 1, 1, 1, p=2), "pass it as Z8"),
    (lambda: exponent_16(0, 1), "sigma = 0 is outside"),
    (lambda: second_moment_R1(np.array([1.0, 0.5]), 0, 1), "L = 0.5 is outside"),
    (lambda: lemma_c4(10, 1, 1, 1, 1e-320, 2), "choose other units"),
    # sigma^4 is infinite, and C_f^2 is 0
    (lambda: lemma_c4(1, 1e-300, 1e-300, 1e200, 1e-200, 1, p=2, Z8=1, power=2), "0 times infinity in floats"),
)


NUMBERLESS = ("1", None, 1j, True, object())
WORDS = "neither a real number nor an expression"
test_what_is_no_number = refusals(
    *((lambda value=value: delta_min(value, 0), "not a real number") for value in NUMBERLESS),
    *((lambda value=value: delta_min(sp.Symbol("L"), value), WORDS) for value in NUMBERLESS),
    error=TypeError,
)
