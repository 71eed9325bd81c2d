"""Caps, truncated gamma sums and means of kernel sums against quadrature, draws and SciPy."""

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import quad
from scipy.special import ive

from tests.refusing import refusals
from theory.attention.window.caps import cap_measure, mean_kernel, truncated_gamma


def sphere(count, d):
    draws = np.random.default_rng(7).standard_normal((count, d))
    return draws / np.linalg.norm(draws, axis=1, keepdims=True)


@pytest.mark.parametrize("d", [2, 3, 4, 5, 8, 9])
def test_the_exact_cap_is_the_incomplete_beta_function(d):
    for eps in (sp.Rational(1, 10), sp.Rational(1, 2), sp.Integer(1)):
        exact = cap_measure(eps, d)
        assert float(exact) == pytest.approx(cap_measure(float(eps), d), rel=1e-12)
        assert d % 2 == 0 or exact.is_Rational
    assert cap_measure(sp.Integer(1), d) == sp.Rational(1, 2)
    assert cap_measure(sp.Integer(0), d) == 0


@pytest.mark.parametrize("d", [2, 3, 6])
def test_draws_on_the_sphere_meet_the_cap_and_the_mean(d):
    count = 200_000
    t = sphere(count, d)[:, 0]
    share = cap_measure(0.3, d)
    # Five standard errors of the empirical share and mean.
    assert abs(np.mean(t >= 0.7) - share) < 5 * np.sqrt(share / count)
    for p in (0, 1, 2):
        values = (2 * (1 - t)) ** (p / 2) * np.exp(-3 * 2 * (1 - t))
        assert abs(values.mean() - mean_kernel(p, 3.0, d)) < 5 * values.std() / np.sqrt(count)


@pytest.mark.parametrize("d", [3, 4, 7])
@pytest.mark.parametrize("p", [0, 1, 2])
@pytest.mark.parametrize("r", [0.0, 0.7, 40.0, 1000.0])
def test_the_mean_is_an_integral_over_the_angle(d, p, r):
    def weight(a):
        return float(np.sin(a) ** (d - 2))

    def kernel(a):
        s = 4 * np.sin(a / 2) ** 2
        return float(s ** (p / 2) * np.exp(-r * s) * weight(a))

    near = min(np.pi, 12 / np.sqrt(r + 1))
    top = quad(kernel, 0, near, epsabs=0, epsrel=1e-11)[0]
    top += quad(kernel, near, np.pi, epsabs=1e-30)[0]
    assert mean_kernel(p, r, d) == pytest.approx(top / quad(weight, 0, np.pi)[0], rel=1e-8)


@pytest.mark.parametrize("d", [2, 5, 6])
def test_the_mean_without_power_is_a_bessel_function(d):
    nu, kappa = d / 2 - 1, 5.0
    bessel = float(sp.gamma(d / 2)) * (2 / kappa) ** nu * ive(nu, kappa)
    assert mean_kernel(0, kappa / 2, d) == pytest.approx(bessel, rel=1e-10)


@pytest.mark.parametrize("d", [2, 3, 5])
@pytest.mark.parametrize("p", [0, 1, 2])
def test_symbols_and_floats_give_the_same_mean(d, p):
    r = sp.Symbol("r", positive=True)
    symbolic = mean_kernel(p, r, d).subs(r, sp.Rational(5, 4))
    assert complex(sp.N(symbolic, 30)).real == pytest.approx(mean_kernel(p, 1.25, d), rel=1e-10)


def test_the_mean_falls_with_the_power_that_the_dimension_of_the_sphere_gives():
    for d in (3, 5):
        for p in (0, 2):
            slope = np.log(mean_kernel(p, 4000.0, d) / mean_kernel(p, 1000.0, d)) / np.log(4)
            assert slope == pytest.approx(-(d - 1 + p) / 2, abs=0.01)


def test_the_truncated_sum_grows_to_the_polylogarithm():
    whole = sp.exp(-1) * (1 + sp.exp(-1)) / (1 - sp.exp(-1)) ** 3
    assert truncated_gamma(2, 1.0, 60) == pytest.approx(float(whole), rel=1e-12)
    assert truncated_gamma(3, 1.0, 0) == 0
    assert float(truncated_gamma(3, sp.Integer(1), 4)) == pytest.approx(truncated_gamma(3, 1.0, 4))
    symbol = truncated_gamma(3, sp.Integer(1), sp.Symbol("m", integer=True, positive=True))
    assert isinstance(symbol, sp.Sum)


test_what_is_no_cap_and_no_sum_is_refused = refusals(
    (lambda: cap_measure(1.5, 3), "height"),
    (lambda: cap_measure(sp.Integer(2), 3), "height"),
    (lambda: cap_measure(0.5, 1), "d >= 2"),
    (lambda: mean_kernel(-1, 1.0, 3), "p >= 0"),
    (lambda: truncated_gamma(3, 1.0, 2.5), "m >= 0"),
)
