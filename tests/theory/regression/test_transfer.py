"""The bounds of the transfer against exact risks and flows, and each other."""

from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

from tests.refusing import refusals
from theory.regression.transfer import (
    distance_26,
    distance_of_flows,
    gradient_gap,
    horizon,
    mean_of_rate,
    risk_gap,
    risk_gap_smooth,
    slow_time,
    sufficient_g2,
    transferred_limit,
    transferred_risk,
)


def test_risk_gap_is_an_equality_for_a_shift_along_the_residual():
    residual, shift = 3.0, 0.5  # T - y and T_L - T, without chance
    exact = ((residual + shift) ** 2 - residual**2) / 2
    assert risk_gap(residual**2 / 2, shift**2) == pytest.approx(exact, rel=1e-14)


@pytest.mark.parametrize("seed", range(5))
def test_gaps_hold_for_random_outputs(seed):
    rng = np.random.default_rng(seed)
    n, k = 50, 4
    T, y, D = rng.normal(size=(3, n)) * rng.exponential(size=(3, 1))
    J, dJ = rng.normal(size=(2, n, k)) * rng.exponential(size=(2, 1, 1))
    mean = lambda x: float(np.mean(x))
    R, R_L = mean((T - y) ** 2) / 2, mean((T + D - y) ** 2) / 2
    D2, J2, dJ2 = mean(D**2), mean((J**2).sum(1)), mean((dJ**2).sum(1))
    assert abs(R_L - R) <= risk_gap(R, D2) * (1 + 1e-12)
    # The squared loss is jointly 2-smooth.
    assert abs(R_L - R) <= 2 * risk_gap_smooth(mean(T**2), mean(y**2), D2)
    difference = ((T + D - y)[:, None] * (J + dJ) - (T - y)[:, None] * J).mean(0)
    assert np.linalg.norm(difference) <= gradient_gap(R, D2, J2, dJ2) * (1 + 1e-12)


def test_gronwall_is_sharp_for_a_linear_repeller():
    g, beta, t = sp.symbols("g beta t", positive=True)
    f = distance_of_flows(g, beta, t)
    assert sp.simplify(f.diff(t) - g - beta * f) == 0
    assert f.subs(t, 0) == 0
    times = np.linspace(0, 5, 11)
    assert (distance_of_flows(0.1, 0.7, times) <= distance_26(0.1, 0.7, times)).all()


def test_horizon_and_limit_belong_to_the_transferred_risk():
    excess, mu, kappa, g2, beta = 2.0, 0.5, 3.0, 1e-4, 1.5
    q = kappa * g2 / (excess * mu)
    time = np.log(1 / q) / (mu + beta)
    best = transferred_risk(excess * np.exp(-mu * time), 0.01, kappa, g2, beta, time)
    limit = transferred_limit(excess, mu, 0.01, kappa, g2, beta)
    assert best <= limit <= best + kappa * g2 / beta + 1e-12
    assert distance_of_flows(g2, beta, horizon(g2, beta, 0.3)) == pytest.approx(0.3)


def test_sufficient_g2_gives_epsilon():
    args = dict(excess=2.0, mu=0.5, kappa=3.0, beta=1.5)
    g2 = sufficient_g2(0.1, **args)
    assert transferred_limit(g1=0.05, g2=g2, **args) == pytest.approx(0.1)


def test_slow_time_grows_and_the_distance_vanishes():
    g2 = np.array([1e-4, 1e-8, 1e-16, 1e-32])
    distance = distance_26(g2, 2.0, slow_time(g2, 2.0))
    assert (np.diff(slow_time(g2, 2.0)) > 0).all()
    assert (np.diff(distance) < 0).all()
    assert distance[-1] < 1e-14


@pytest.mark.parametrize(
    ("p", "a", "c"), [(0, 4, 1), (6, 1, Fraction(1, 2)), (3, Fraction(1, 2), Fraction(1, 8)), (8, 1, 2)]
)
def test_mean_of_rate_bounds_a_point_mass_and_is_reached(p, a, c):
    k = 6 - p / 2
    for L in (2.0, 1e3, 1e9, 1e100):
        sigma2 = np.array([1.0, 2.0, 9.0, 100.0, max(1.0, float(c) * np.log(L) / k)])
        exact = sigma2 ** (p / 2) * np.log(L) ** float(a) * np.exp(-float(c) * np.log(L) / sigma2)
        bound = np.array([mean_of_rate(L, float(c), p, a, s**6) for s in sigma2])
        assert (exact <= bound * (1 + 1e-12)).all()
    assert exact[-1] == pytest.approx(bound[-1])


test_negative_risks_and_more_than_twelve_moments_are_refused = refusals(
    *((lambda p=p: mean_of_rate(10.0, 1.0, p, 1, 1.0), "twelve moments") for p in (12, -1, 13)),
    (lambda: risk_gap(-1.0, 1.0), "mean square"),
    (lambda: distance_of_flows(1.0, 0.0, 1.0), "Lipschitz"),
)
