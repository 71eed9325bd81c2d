"""The reduced attention against full gradients, enumeration of all prompts, and integrals."""

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import quad

from tests.refusing import refusals
from theory import FeatureRegression, ReducedAttention

KAPPA, SPREAD = 0.8, 1.7


def equiangular(K, N):
    """Features of one norm at squared distance 2 KAPPA, tasks of spread SPREAD."""
    V = np.linalg.cholesky(KAPPA * np.eye(K) + 0.4).T
    return FeatureRegression(V, SPREAD * np.eye(K) + 0.3, prompt_length=N)


@pytest.mark.parametrize(("K", "N"), [(3, None), (6, None), (3, 4), (4, 3), (2, 7), (3, 6)])
def test_descent_on_the_matrix_is_the_scalar_map(K, N):
    problem, eta, z = equiangular(K, N), 0.9, 0.0
    reduced, Q = ReducedAttention(K, eta * KAPPA**2 * SPREAD, prompt_length=N), np.zeros((K, K))
    for _ in range(300):
        Q, z = Q - eta * problem.gradient(Q), reduced.step(z)
    scores = problem.scores(Q)
    np.testing.assert_allclose(scores.diagonal()[:, None] - scores, z * (1 - np.eye(K)), atol=1e-12)
    assert problem.loss(Q) == pytest.approx(SPREAD * reduced.loss(z), rel=1e-12)
    np.testing.assert_allclose(problem.attention(Q).diagonal(), reduced.attention(z), rtol=1e-12)


@pytest.mark.parametrize("N", [None, 2, 5, 400])
def test_slope_time_and_flow_belong_together(N):
    reduced, h = ReducedAttention(5, 0.3, prompt_length=N), 1e-5
    for z in (0.0, 0.7, 4.0):
        fall = (reduced.loss(z - h) - reduced.loss(z + h)) / (2 * h)  # exact to 1e-10
        assert reduced.slope(z) == pytest.approx(0.3 / (5 - 1) * fall, rel=1e-6)
        waited = quad(lambda x: 1 / reduced.slope(x), 0, z, epsrel=1e-12)[0]
        assert reduced.time(z) == pytest.approx(waited, rel=1e-11)
    assert reduced.flow(reduced.time(3.0)) == pytest.approx(3.0, rel=1e-12)
    level = (reduced.loss(0.0) + reduced.floor) / 2
    assert reduced.loss(reduced.flow(reduced.loss_time(level))) == pytest.approx(level, rel=1e-11)
    assert reduced.loss(60.0) == pytest.approx(reduced.floor, abs=1e-20)


def test_late_and_large_limits():
    for N in (None, 4, 100):
        reduced = ReducedAttention(4, 2.0, prompt_length=N)
        z = reduced.flow(1e9)
        # the law is exact to order t^-1/2, and the difference loses the digits of the floor
        assert (reduced.loss(z) - reduced.floor) / reduced.late_loss(1e9) == pytest.approx(1, rel=1e-3)
    for K in (10**3, 10**5):
        expansion = K**2 + 3 * K * np.log(K) - K / 2 - 6 * np.log(K)
        remainder = ReducedAttention(K, 1.0).attention_time(0.5) - expansion
        assert remainder == pytest.approx(-8 + 3 * np.log(K) / K, abs=9 / K + 1e-5)
    many = ReducedAttention(4, 2.0, prompt_length=100_000)
    assert many.slope(1.0) == pytest.approx(ReducedAttention(4, 2.0).slope(1.0), rel=1e-4)


def test_symbols():
    K, c, z = sp.symbols("K c z", positive=True, integer=True)
    reduced = ReducedAttention(K, c)
    assert sp.simplify(sp.diff(reduced.time(z), z) * reduced.slope(z)) == 1
    assert reduced.attention_time(1 - 1 / K).simplify() == 0
    third = sp.Rational(1, 3)
    exact = ReducedAttention(sp.Integer(3), sp.Rational(1, 2), prompt_length=4)
    floats = ReducedAttention(3, 0.5, prompt_length=4)
    for name in ("attention", "loss", "slope", "step"):
        known = getattr(floats, name)(1 / 3)
        assert float(getattr(exact, name)(third)) == pytest.approx(known, rel=1e-14)


test_bad_input = refusals(
    (lambda: ReducedAttention(1, 1.0), "K = 1 is below 2"),
    (lambda: ReducedAttention(sp.Rational(5, 2), 1), "no whole number from 2 on"),
    (lambda: ReducedAttention(3, 0.0), "c = 0.0 is not positive"),
    (lambda: ReducedAttention(3, 1.0, prompt_length=1), "prompt_length = 1 is below 2"),
    (lambda: ReducedAttention(3, 1.0).attention_time(0.0), r"outside \(0, 1 - 1/K\]"),
    (lambda: ReducedAttention(3, 1.0).attention_time(0.7), r"outside \(0, 1 - 1/K\]"),
    (lambda: ReducedAttention(3, 1.0, prompt_length=9).attention_time(0.5), "use loss_time"),
    (lambda: ReducedAttention(3, 1.0, prompt_length=9).loss_time(1e-9), "from the floor"),
    (lambda: ReducedAttention(3, 1.0).time(-1.0), "z = -1.0 is negative"),
    (lambda: ReducedAttention(3, 1.0).flow(-1.0), "t = -1.0 is negative"),
    (lambda: ReducedAttention(3, 1.0).late_loss(0.0), "t = 0.0 is not positive"),
)
