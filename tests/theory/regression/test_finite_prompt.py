"""The finite-prompt risk at a query, its excess, and the bounds of the gap."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

from numerics.regression.risk.gap_to_infinite_prompt import finite_prompt_gap
from tests.numerics.regression.unit_tasks import unit
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


def test_excess_is_error_less_the_limit() -> None:
    P2, P3, Q, trace, h2, x2, noise = sp.symbols("P2 P3 Q trace h2 x2 noise", positive=True)
    xh, u = sp.symbols("xh u", real=True)
    error = error_at_query(P2, P3, Q, trace=trace, h2=h2, xh=xh, x2=x2, u=u, noise=noise)
    excess = excess_at_query(P2, P3, Q, trace=trace, h2=h2, xh=xh, u=u, noise=noise)
    assert sp.expand(error - excess - (u**2 * h2 - 2 * u * xh + x2)) == 0


def test_constant_of_the_gradient_is_the_sum_of_absolute_coefficients() -> None:
    A = TokenAlgebra()
    slope = sp.Poly((-1 * A.sum(2) - 6 * A.sum(3) + 6 * A.sum(2) ** 2).heat(), *A.symbols[1:])
    assert sum(abs(c) for c in slope.coeffs()) == GRADIENT_CONSTANT
    assert slope.coeff_monomial(1) == 0


def test_gap_stays_below_its_bound() -> None:
    rng, lengths = np.random.default_rng(0), np.array([1.0, 10.0, 1e3, 1e9])
    for Sigma in (np.eye(1), np.diag([4.0, 0.0]), np.array([[0.3, 0.1], [0.1, 0.2]])):
        for rho in (0.3, 1.5):
            U = rng.standard_normal(Sigma.shape)
            U *= rho / np.linalg.norm(U, 2)
            gap = finite_prompt_gap(U, rho, unit(Sigma, 0.3), lengths)
            assert (abs(gap) <= gap_bounds(Sigma, rho, lengths, noise=0.3)[0]).all()


@pytest.mark.parametrize(("rho", "Sigma"), [(0.0, np.eye(1)), (1.0, np.zeros((1, 1))), (1.0, -np.eye(1))])
def test_gap_bounds_refuse(rho: float, Sigma: np.ndarray) -> None:
    with pytest.raises(ValueError, match=r"positive|semi-definite|covariance"):
        gap_bounds(Sigma, rho, 10)


def test_penalty_of_section_6() -> None:
    d, tau2 = sp.symbols("d tau2", positive=True)
    assert ridge_penalty(tau2, 1 / d) == d * tau2
    with pytest.raises(ValueError, match="task_variance"):
        ridge_penalty(0.1, 0)


def test_constants_of_the_flow() -> None:
    Sigma, Theta = sp.diag(1, sp.Rational(1, 2)), sp.Matrix([[sp.Rational(3, 5)], [sp.Rational(4, 5)]])
    found = flow_constants(np.diag([1.0, 0.5]), np.array([[0.6], [0.8]]), 0.5)
    assert found.mu == pytest.approx(float(polyak_lojasiewicz(Sigma, Theta, sp.Rational(1, 2))))
    assert found.kappa > found.rho > 0


def test_longer_prompts_for_smaller_epsilon_and_for_noise() -> None:
    at = (np.eye(2), np.diag([0.6**0.5, 0.8**0.5]), 0.5)
    assert 0 < log_length(*at, 0.1) < log_length(*at, 0.01)
    assert log_length(*at, 0.1) <= log_length(*at, 0.1, noise=1.0)


def test_flow_constants_of_a_start_at_a_minimum_are_numbers() -> None:
    """The risk there is 0, or below it by rounding, as at this variance."""
    S = np.array([[0.21]])
    found = flow_constants(S, np.eye(1), 0.21**-0.5)
    assert found.excess == pytest.approx(0, abs=1e-15)
    assert found.rho == pytest.approx(np.sqrt(2 / 0.21))


@pytest.mark.parametrize(
    ("Theta", "alpha", "said"),
    [(np.eye(1), 2.0, "alpha"), (2 * np.eye(1), 0.5, "Theta"), (np.eye(1), -0.5, "alpha")],
)
def test_flow_constants_refuse(Theta: np.ndarray, alpha: float, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        flow_constants(np.eye(1), Theta, alpha)


def test_epsilon_has_to_be_positive() -> None:
    with pytest.raises(ValueError, match="epsilon"):
        log_length(np.eye(1), np.eye(1), 0.5, 0.0)
