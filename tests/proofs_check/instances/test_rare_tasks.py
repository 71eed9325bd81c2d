"""The bounds for rare hard tasks hold where every prompt can be enumerated."""

import math

import numpy as np
import pytest
import sympy as sp

from numerics.provers import Closed, forall
from numerics.regression.softmax_vs_linear.few_atoms import Task, gaps
from proofs_check.instances.regression.rare_tasks import RareTasks

PARAMETERS = [(1.0, 1.0), (2.0, 1.0), (0.5, 3.0)]


def enumerated(tasks, L):
    """Return what prompts of L tokens change for hard tasks alone, at the loss (z - y)^2/2."""
    s, q = tasks.s, 1 / L
    values, masses = (s, -s / (L - 1)), (q, 1 - q)
    tokens = tuple((x, y) for x in (1.0, -1.0) for y in values)
    law = tuple(mass / 2 for _ in range(2) for mass in masses)
    return gaps([Task(1.0, tokens, law)], [[0.0, 0.0], [tasks.u, 0.0]], [0.0, tasks.v], L)


@pytest.mark.parametrize(("u", "v"), PARAMETERS)
def test_the_gradients_differ_by_more_than_the_lower_bound(u, v):
    hard = RareTasks(5.0, 1.0, u, v)
    found = enumerated(hard, 32)
    distance = abs(found.gradient_L - found.gradient)[5] / 2  # the loss is half of that of `gaps`
    assert hard.left < distance < 4 * hard.left


@pytest.mark.parametrize(("u", "v"), PARAMETERS)
def test_the_moments_in_the_right_side_are_upper_bounds(u, v):
    hard = RareTasks(5.0, 1.0, u, v)
    found = enumerated(hard, 32)
    bounds = v**2 * hard.s**2, hard.s**2, (hard.s + v * hard.s**2) ** 2
    assert all(x <= bound for x, bound in zip((found.T2, found.y2, found.J2), bounds))


@pytest.mark.parametrize("L", [32, 1000, 10**9])
def test_the_large_value_is_a_sub_gaussian_constant(L):
    s = RareTasks(math.log2(L), 1.0).s
    q, t = 1 / L, np.linspace(-3, 3, 401)
    cumulant = np.log(q * np.exp(t * s) + (1 - q) * np.exp(-t * s / (L - 1)))
    assert np.all(cumulant <= s**2 * t**2 / 2 + 1e-12)


def test_the_difference_is_a_twelfth_of_the_square_from_32_tokens_on():
    # x = 1/L; the prompts without the large value have probability (1 - x)^{1/x} >= 1/4
    x, twelfth = sp.Symbol("x", nonnegative=True), sp.Rational(1, 12)
    difference = ((1 - x) ** 2 - sp.Rational(3, 4) - 7 * x**2 / (1 - x) ** 2) / 2
    assert forall(difference, ">=", twelfth, {x: Closed(0, sp.Rational(1, 32))}).verdict.executed
    wide = forall(difference, ">=", twelfth, {x: Closed(0, sp.Rational(1, 10))})
    assert wide.verdict.value == "REFUTED"
    lengths = np.arange(2.0, 1000.0)
    assert np.all((1 - 1 / lengths) ** lengths >= 1 / 4)


def test_the_rarer_the_hard_tasks_the_worse_is_the_bound():
    def ratio(p):
        tasks = RareTasks(10.0**4, p, 2.0)
        return float(tasks.left / tasks.right(p, p))

    assert ratio(1e-60) == pytest.approx(10 * ratio(1e-58), rel=1e-9)  # like p^{-1/2}
    assert ratio(0.5) < 1e-20
