"""The valley of long prompts: its formulas by integrals, differences and limits."""

import math

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import quad
from scipy.optimize import minimize_scalar

from tests.refusing import refusals
from theory.regression.valley import best_score_variance, linear_excess, valley_excess, valley_speed


@pytest.mark.parametrize(("d", "noise"), [(1, 0.0), (3, 0.7)])
def test_the_excess_is_the_mean_that_theorem_a_asks_for(d, noise):
    lam, trace = 0.17, 2.5
    # E e^s (u^2 T + |x|^2), s = lam r^2, and |x|^2 has the mean (tr Sigma/d) r^2 at |xi| = r
    density = lambda r: r ** (d - 1) * math.exp(-(r**2) / 2) * 2 ** (1 - d / 2) / math.gamma(d / 2)
    of_norm = lambda r: math.exp(lam * r**2) * ((trace + noise) / lam + trace / d * r**2)
    mean = quad(lambda r: density(r) * of_norm(r), 0, 40)[0]
    assert valley_excess(lam, trace=trace, d=d, noise=noise) == pytest.approx(mean, rel=1e-9)


@pytest.mark.parametrize(
    ("trace", "d", "noise"), [(1.0, 1, 0.0), (3.0, 2, 0.4), (1e-3, 7, 5.0), (40.0, 30, 0.0)]
)
def test_the_best_point_is_the_least_excess(trace, d, noise):
    law = {"trace": trace, "d": d, "noise": noise}
    excess, options = lambda lam: valley_excess(lam, **law), {"xatol": 1e-10}
    found = minimize_scalar(excess, bounds=(1e-6, 0.499), method="bounded", options=options)
    assert best_score_variance(**law) == pytest.approx(found.x, rel=1e-5)


def test_scaling_and_limits():
    best = best_score_variance(trace=3, d=4, noise=1)
    for k in (2, 1e-300, 1e300):
        assert best_score_variance(trace=3 * k, d=4, noise=k) == pytest.approx(best, rel=1e-14)
    twice, once = (valley_excess(0.2, trace=3 * k, d=4, noise=k) for k in (2, 1))
    assert twice == pytest.approx(2 * once, rel=1e-14)
    # with much noise (1 - 2 lam)^(-d/2)/lam alone is to be least
    assert best_score_variance(trace=1, d=4, noise=1e12) == pytest.approx(1 / 6, rel=1e-9)
    # without noise softmax pays e times what linear attention pays, in many dimensions
    d = 10**6
    pays = valley_excess(best_score_variance(trace=1, d=d), trace=1, d=d) / linear_excess(trace=1, d=d)
    assert pays == pytest.approx(math.e, rel=1e-5)


def test_the_speed_is_that_of_the_gradient_flow_on_the_line():
    law, inverse_square, h = {"trace": 2.0, "d": 3, "noise": 0.3}, 1.7, 1e-6
    for lam in (0.05, 0.2, 0.4):
        u = lam**-0.5
        slope = (valley_excess((u + h) ** -2, **law) - valley_excess((u - h) ** -2, **law)) / (2 * h)
        du = -slope / 2 / (1 + inverse_square * lam**2)
        speed = valley_speed(lam, inverse_square=inverse_square, **law)
        assert speed == pytest.approx(-2 * u**-3 * du, rel=1e-6)


def test_symbols_and_arrays():
    lam = sp.Symbol("lam", positive=True)
    exact = best_score_variance(trace=sp.Integer(1), d=1)
    assert sp.expand(sp.radsimp(exact) - (5 - sp.sqrt(13)) / 6) == 0
    assert abs(sp.N(sp.diff(valley_excess(lam, trace=1, d=1), lam).subs(lam, exact), 40)) < 1e-35
    assert valley_excess(np.array([0.1, 0.2]), trace=1, d=2).shape == (2,)


BEYOND = (0.6, 0.5, np.array([0.2, 0.5]), sp.Rational(1, 2), sp.Rational(3, 5))
test_bad_input = refusals(
    *((lambda lam=lam: valley_excess(lam, trace=1, d=1), "below 1/2") for lam in BEYOND),
    (lambda: best_score_variance(trace=-1, d=1), "trace"),
    (lambda: best_score_variance(trace=0, d=1), "both 0"),
    (lambda: linear_excess(trace=1, d=1, noise="much"), TypeError, "noise"),
)
