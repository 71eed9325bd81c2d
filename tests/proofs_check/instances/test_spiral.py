"""The spiral without a limit: flow and loss by two routes, and planted errors."""

import numpy as np
import pytest
import sympy as sp

from numerics.evidence import Verdict
from proofs_check.instances.spiral import SMOOTHNESS, curve, loss, no_limit, speed, steps
from theory.attention.layer import softmax_attention

TOKENS, E1 = np.array([[1.0, 1.0], [-1.0, -1.0]]), np.array([1.0, 0.0])
p1, p2 = sp.symbols("p1 p2", real=True)
h = sp.lambdify((p1, p2), loss(p1, p2))


def risk(theta):
    """The infinite-prompt risk: the measure on two atoms is a prompt of two tokens."""
    U, V = theta.reshape(2, 2, 2)
    return float(np.mean([h(*softmax_attention(TOKENS, x * E1, U, V)) for x in (1.0, -1.0)]))


def parameters(r):
    """U and V on the curve: multiples of (1, 1)'(1, 0) and v (1, 1)."""
    angle, root = 1 / (1 - r**2), np.sqrt(1 + r**2)
    U = np.arcsinh(r) / 2 * np.outer([1, 1], [1, 0])
    V = root / 2 * np.outer([np.cos(angle), np.sin(angle)], [1, 1])
    return np.concatenate([U.ravel(), V.ravel()])


@pytest.mark.parametrize("r", [0.2, 0.5, 0.8])
def test_the_curve_follows_the_gradient_of_the_risk_in_all_parameters(r):
    at, step = parameters(r), 1e-5
    slope = [(risk(at + step * e) - risk(at - step * e)) / (2 * step) for e in np.eye(8)]
    dr = float(speed().subs(sp.Symbol("r", positive=True), r))
    moved = dr * (parameters(r + step) - parameters(r - step)) / (2 * step)
    assert np.abs(slope).max() > 1e-2
    assert np.allclose(moved, -np.array(slope), atol=1e-7)


def test_the_hessian_is_bounded_and_small_at_the_edge():
    second = sp.lambdify((p1, p2), sp.hessian(loss(p1, p2), (p1, p2)))
    rng = np.random.default_rng(0)
    angle, radius = rng.uniform(0, 2 * np.pi, 400), np.sqrt(rng.uniform(0, 0.999, 400))
    for x, y in zip(radius * np.cos(angle), radius * np.sin(angle)):
        f = 1 / (1 - x * x - y * y)
        assert np.linalg.norm(second(x, y), 2) <= min(SMOOTHNESS, 800 * f**4 * np.exp(-f)) + 1e-9


def test_the_loss_is_even():
    assert all(h(x, y) == h(-x, -y) for x, y in ((0.3, -0.7), (0.1, 0.2)))


def test_the_direction_turns_for_ever_on_a_bounded_curve():
    v = sp.lambdify(sp.Symbol("r", positive=True), list(curve().values())[1:])
    ends = [v(np.sqrt(1 - 1 / (np.pi * n))) for n in (10_000, 10_001)]  # half a turn apart
    assert np.allclose(ends, [[np.sqrt(2), 0], [-np.sqrt(2), 0]], atol=1e-4)
    assert no_limit().verdict is Verdict.REFUTED


def test_another_loss_has_another_orbit():
    assert steps(factor=3)["orbit"].verdict is Verdict.REFUTED
