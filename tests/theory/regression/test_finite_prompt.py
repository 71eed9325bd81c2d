"""The finite-prompt risk at a query, its excess, and the bounds of the gap."""

import numpy as np
import pytest
import sympy as sp

from numerics.regression.risk.gap_to_infinite_prompt import finite_prompt_gap
from tests.numerics.regression.unit_tasks import unit
from tests.refusing import refusals
from theory.regression.finite_prompt import (
    GRADIENT_CONSTANT,
    error_at_query,
    excess_at_query,
    flow_constants,
    gap_bounds,
    log_length,
    ridge_penalty,
)
from theory.regression.polyak_lojasiewicz import polyak_lojasiewicz
from theory.symbolic.stein import TokenAlgebra


def test_excess_is_error_less_the_limit():
    P2, P3, Q, trace, h2, x2, noise = sp.symbols("P2 P3 Q trace h2 x2 noise", positive=True)
    xh, u = sp.symbols("xh u", real=True)
    error = error_at_query(P2, P3, Q, trace=trace, h2=h2, xh=xh, x2=x2, u=u, noise=noise)
    excess = excess_at_query(P2, P3, Q, trace=trace, h2=h2, xh=xh, u=u, noise=noise)
    assert sp.expand(error - excess - (u**2 * h2 - 2 * u * xh + x2)) == 0


def test_constant_of_the_gradient_is_the_sum_of_absolute_coefficients():
    A = TokenAlgebra()
    slope = sp.Poly((-1 * A.sum(2) - 6 * A.sum(3) + 6 * A.sum(2) ** 2).heat(), *A.symbols[1:])
    assert sum(abs(c) for c in slope.coeffs()) == GRADIENT_CONSTANT
    assert slope.coeff_monomial(1) == 0


def test_gap_stays_below_its_bound():
    rng, lengths = np.random.default_rng(0), np.array([1.0, 10.0, 1e3, 1e9])
    for Sigma in (np.eye(1), np.diag([4.0, 0.0]), np.array([[0.3, 0.1], [0.1, 0.2]])):
        for rho in (0.3, 1.5):
            U = rng.standard_normal(Sigma.shape)
            U *= rho / np.linalg.norm(U, 2)
            gap = finite_prompt_gap(U, rho, unit(Sigma, 0.3), lengths)
            assert (abs(gap) <= gap_bounds(Sigma, rho, lengths, noise=0.3)[0]).all()


def test_penalty_of_section_6():
    d, tau2 = sp.symbols("d tau2", positive=True)
    assert ridge_penalty(tau2, 1 / d) == d * tau2


def test_constants_of_the_flow():
    Sigma, Theta = sp.diag(1, sp.Rational(1, 2)), sp.Matrix([[sp.Rational(3, 5)], [sp.Rational(4, 5)]])
    found = flow_constants(np.diag([1.0, 0.5]), np.array([[0.6], [0.8]]), 0.5)
    assert found.mu == pytest.approx(float(polyak_lojasiewicz(Sigma, Theta, sp.Rational(1, 2))))
    assert found.kappa > found.rho > 0


def test_longer_prompts_for_smaller_epsilon_and_for_noise():
    at = (np.eye(2), np.diag([0.6**0.5, 0.8**0.5]), 0.5)
    assert 0 < log_length(*at, 0.1) < log_length(*at, 0.01)
    assert log_length(*at, 0.1) <= log_length(*at, 0.1, noise=1.0)


def test_flow_constants_of_a_start_at_a_minimum_are_numbers():
    """The risk there is 0, or below it by rounding, as at this variance."""
    S = np.array([[0.21]])
    found = flow_constants(S, np.eye(1), 0.21**-0.5)
    assert found.excess == pytest.approx(0, abs=1e-15)
    assert found.rho == pytest.approx(np.sqrt(2 / 0.21))


I = np.eye(1)
test_what_is_out_of_range_is_refused = refusals(
    (lambda: gap_bounds(I, 0.0, 10), "positive"),
    (lambda: gap_bounds(0 * I, 1.0, 10), "positive|semi-definite|covariance"),
    (lambda: gap_bounds(-I, 1.0, 10), "semi-definite|covariance"),
    (lambda: ridge_penalty(0.1, 0), "task_variance"),
    (lambda: flow_constants(I, I, 2.0), "alpha"),
    (lambda: flow_constants(I, 2 * I, 0.5), "Theta"),
    (lambda: flow_constants(I, I, -0.5), "alpha"),
    (lambda: log_length(I, I, 0.5, 0.0), "epsilon"),
)
