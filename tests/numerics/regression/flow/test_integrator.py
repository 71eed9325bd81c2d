"""Dormand and Prince, compiled, against a closed form and SciPy; who takes over if stiff."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

from numerics.regression.flow import integrator
from numerics.regression.flow.dormand_prince import ERROR, STAGES, a_decay
from numerics.regression.flow.infinite_prompt import integrate_flow
from numerics.regression.flow.integrator import follow_compiled
from theory.regression.risk import icl_risk, risk_and_gradient

Floats = NDArray[np.float64]
SIGMA = np.array([[1.3, 0.2, 0.0], [0.2, 0.6, 0.1], [0.0, 0.1, 0.4]])
U0 = np.array([[0.3, -1.0, 0.2], [0.5, -0.4, 0.1], [0.7, 0.0, 0.6]])


def a_turn(y: Floats, constants: Floats, out: Floats) -> float:
    out[0], out[1] = -constants[0] * y[1], constants[0] * y[0]
    return 0.0


def an_escape(y: Floats, constants: Floats, out: Floats) -> float:
    """It leaves the floats at the time ``1 / y(0)``."""
    out[0] = y[0] * y[0]
    return 0.0


def test_the_coefficients_meet_the_conditions_of_order_five():
    nodes, weights = STAGES.sum(1), np.append(STAGES[6], 0.0)
    A = np.column_stack([STAGES, np.zeros(7)])
    for power in range(5):
        assert weights @ nodes**power == pytest.approx(1 / (power + 1), abs=1e-15)
        if power < 4:
            assert ERROR @ nodes**power == pytest.approx(0, abs=1e-15)
    for power, exact in ((1, 1 / 6), (2, 1 / 24), (3, 1 / 120)):
        assert weights @ np.linalg.matrix_power(A, power) @ nodes == pytest.approx(exact, abs=1e-15)
    assert abs(ERROR @ nodes**4) > 1e-4  # control: the estimate compares with a method of order 4


@pytest.mark.parametrize("rtol", [1e-6, 1e-9, 1e-12])
def test_a_rotation_is_followed_to_the_tolerance(rtol):
    times = np.array([0.0, 0.1, 2.0, 2.0001, 9.0])
    start = np.array([1.0, 0.0])
    at, found, stopped = follow_compiled(a_turn, np.array([1.7]), start, 9.0, rtol=rtol, times=times)
    assert np.abs(found - np.stack([np.cos(1.7 * times), np.sin(1.7 * times)], axis=1)).max() < 30 * rtol
    assert (at == times).all()
    assert not stopped


def test_a_flow_ends_where_it_comes_to_stand_still_whatever_its_steps():
    for rtol in (1e-8, 1e-11):
        at, found, stopped = follow_compiled(a_decay, np.ones(2), np.array([3.0, 4.0]), 1e3, rtol=rtol)
        assert stopped
        assert at[-1] == pytest.approx(np.log(5000), abs=1e3 * rtol)
        assert np.hypot(*found[-1]) == pytest.approx(1e-3, rel=1e-9)
    assert not follow_compiled(a_decay, np.ones(2), np.array([3.0, 4.0]), 2.0, rtol=1e-8)[2]
    at, _, stopped = follow_compiled(a_decay, np.ones(1), np.array([1e-4]), 2.0, rtol=1e-8)
    assert stopped
    assert at.tolist() == [0.0]


def test_a_path_of_many_steps_is_whole():
    at, found, _ = follow_compiled(a_turn, np.array([1.0]), np.array([1.0, 0.0]), 300.0, rtol=1e-11)
    assert len(at) > 2 * integrator.ROOM
    assert (np.diff(at) > 0).all()
    assert np.abs(found - np.stack([np.cos(at), np.sin(at)], axis=1)).max() < 1e-7


def test_a_stiff_flow_is_followed_by_the_implicit_method():
    rates = np.array([1e7, 1.0])
    at, found, stopped = follow_compiled(a_decay, rates, np.ones(2), 30.0, rtol=1e-9)
    assert stopped
    assert len(at) < integrator.MOST_STEPS / 10
    assert found[-1, 1] == pytest.approx(np.exp(-at[-1]), rel=1e-5)
    times = np.array([1.0, 3.0])
    found = follow_compiled(a_decay, rates, np.ones(2), 3.0, rtol=1e-9, times=times)[1]
    assert found[:, 1] == pytest.approx(np.exp(-times), rel=1e-6)


def test_a_flow_that_leaves_the_floats_is_refused():
    with pytest.raises(RuntimeError, match="gave up"):
        follow_compiled(an_escape, np.zeros(1), np.ones(1), 2.0, rtol=1e-8)


@pytest.mark.parametrize(("L", "noise"), [(None, 0.0), (5, 0.4)])
def test_a_regression_flow_agrees_with_scipy_on_the_gradient_of_theory(L, noise):
    _, gradient = risk_and_gradient(SIGMA, prompt_length=L, noise=noise)

    def motion(_: float, y: Floats) -> Floats:
        to_U, to_u = gradient(y[:-1].reshape(3, 3), y[-1])
        return -np.append(to_U.ravel(), to_u)

    flow = integrate_flow(SIGMA, U0, 0.9, prompt_length=L, noise=noise, t_max=4.0)
    start = np.append(U0.ravel(), 0.9)
    known = solve_ivp(motion, (0, 4.0), start, method="DOP853", rtol=1e-13, atol=1e-15).y[:, -1]
    np.testing.assert_allclose(np.append(flow.U[-1].ravel(), flow.u[-1]), known, atol=1e-9)
    for k in (0, len(flow.t) // 2, -1):
        expected = float(icl_risk(SIGMA, flow.U[k], flow.u[k], prompt_length=L, noise=noise))
        assert flow.risk[k] == pytest.approx(expected, rel=1e-12)


def test_a_covariance_with_slow_modes_still_arrives():
    """A condition of 300 is a ratio of speeds of 2.7e7: too stiff for an explicit method."""
    flow = integrate_flow(np.diag([1.0, 1 / 300]), np.diag([0.5, 0.1]), 0.5)
    assert flow.converged
    np.testing.assert_allclose(flow.u[-1] * flow.U[-1] @ np.diag([1.0, 1 / 300]), np.eye(2), atol=1e-6)
