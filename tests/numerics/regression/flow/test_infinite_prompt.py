"""The integrator keeps what the flow keeps, and says when it has not arrived."""

import math

import numpy as np
import pytest

from numerics.regression.flow import integrator
from numerics.regression.flow.infinite_prompt import integrate_flow
from theory.regression.limit import limit_parameters
from theory.regression.risk import invariants, vector_field

SIGMA = np.diag([1.0, 0.4, 0.0])
U0 = np.array([[0.3, -1.0, 0.2], [0.5, -0.4, 0.1], [0.7, 0.0, 2.0]])


@pytest.mark.parametrize(("L", "noise"), [(None, 0.0), (3, 0.5)])
def test_invariants_are_kept_and_the_risk_falls_along_the_path(L, noise):
    flow = integrate_flow(SIGMA, U0, 0.9, prompt_length=L, noise=noise)
    assert flow.converged
    balance, kept = invariants(SIGMA, U0, 0.9)
    for U, u in zip(flow.U, flow.u):
        now, part = invariants(SIGMA, U, u)
        assert now == pytest.approx(balance, abs=1e-7)
        np.testing.assert_allclose(part, kept, atol=1e-14)
    assert (np.diff(flow.risk) <= 1e-12).all()
    assert np.ptp(flow.u) > 0.1


def test_off_diagonal_entries_decay_like_the_integral_of_u_squared():
    """In the eigenbasis U_ij(t) = U_ij(0) exp(-l_i l_j m_i int u^2), which it is not told."""
    flow = integrate_flow(SIGMA, U0, 0.9, t_max=0.7)
    area = np.sum(np.diff(flow.t) * (flow.u[1:] ** 2 + flow.u[:-1] ** 2) / 2)
    for (i, j), rate in {(0, 1): 0.4, (1, 0): 0.16}.items():
        assert flow.U[-1][i, j] == pytest.approx(U0[i, j] * np.exp(-rate * area), rel=1e-3)


def test_a_path_that_is_cut_short_or_sits_in_a_saddle_has_not_converged():
    assert not integrate_flow(SIGMA, U0, 0.9, t_max=0.1).converged
    assert not integrate_flow(SIGMA, np.zeros((3, 3)), 0.0).converged


@pytest.mark.parametrize("sizes", [(1e-2, 1.0), (1e-4, 1.0), (3e-5, 1e-3, 1.0)])
@pytest.mark.parametrize("start", [1e-6, 0.1, 3.0])
@pytest.mark.parametrize("unit", [2.0**-60, 1.0, 2.0**60])
def test_the_slowest_mode_is_waited_for(sizes, start, unit):
    """To the end of the closed form; units are those of `test_time_scales_with_sigma`."""
    Sigma, U0 = unit * np.diag(sizes), start / math.sqrt(unit) * np.eye(len(sizes))
    u0 = start / math.sqrt(unit)
    flow, limit = integrate_flow(Sigma, U0, u0), limit_parameters(Sigma, U0=U0, u0=u0)
    assert flow.converged
    assert flow.u[-1] == pytest.approx(limit.V[-1, -1], rel=1e-6)
    assert not integrate_flow(Sigma, U0, u0, t_max=flow.t[-1] / 10).converged


def test_a_flow_that_is_given_up_says_so_in_the_units_of_the_caller(monkeypatch):
    monkeypatch.setattr(integrator, "MOST_STEPS", 10)
    monkeypatch.setattr(integrator, "MOST_EVALUATIONS", 100)
    for unit in (1.0, 2.0**40):
        with pytest.raises(RuntimeError, match=r"gave up at t = .* differ too much in speed; give") as caught:
            integrate_flow(unit * SIGMA, U0 / math.sqrt(unit), 0.9 / math.sqrt(unit))
        assert 1e-3 < float(str(caught.value).split("t = ")[1].split()[0].rstrip(":")) * unit**2 < 1e3


def test_a_start_at_the_minimum_stays():
    flow = integrate_flow(np.eye(2), np.eye(2), 1.0)
    assert flow.converged
    assert len(flow.t) == 1


def test_time_scales_with_sigma():
    """Sigma -> k Sigma with U, u -> U, u / sqrt k is the same path in time t / k^2."""
    k = 1e-3
    slow = integrate_flow(k * SIGMA, U0 / np.sqrt(k), 0.9 / np.sqrt(k), t_max=2 / k**2)
    fast = integrate_flow(SIGMA, U0, 0.9, t_max=2.0)
    np.testing.assert_allclose(slow.U[-1] * np.sqrt(k), fast.U[-1], atol=1e-8)


@pytest.mark.parametrize(
    ("change", "error", "says"),
    [
        ({"Sigma": -np.eye(2)}, ValueError, "positive semidefinite"),
        ({"Sigma": [[1.0, 0.5], [0.0, 1.0]]}, ValueError, "not symmetric"),
        ({"Sigma": np.zeros((2, 2))}, ValueError, "zero matrix"),
        ({"Sigma": np.ones(2)}, ValueError, r"\(2,\)"),
        ({"U0": np.eye(3)}, ValueError, r"\(3, 3\)"),
        ({"U0": np.full((2, 2), np.nan)}, ValueError, "finite"),
        ({"u0": [1.0]}, ValueError, r"\(1,\)"),
        ({"u0": "1"}, TypeError, "real numbers"),
        ({"u0": 1j}, TypeError, "real numbers"),
        ({"prompt_length": math.nan}, ValueError, "positive integer"),
        ({"prompt_length": 0}, ValueError, "positive integer"),
        ({"noise": -0.1}, ValueError, "variance is nonnegative"),
        ({"t_max": math.nan}, ValueError, "entry nan"),
        ({"tolerance": 0.0}, ValueError, "not positive"),
        ({"rtol": -1.0}, ValueError, "not positive"),
    ],
)
def test_what_is_no_flow_is_refused(change, error, says):
    good = {"Sigma": np.eye(2), "U0": np.eye(2), "u0": 1.0}
    with pytest.raises(error, match=says):
        integrate_flow(**good | change)


def test_a_flow_too_stiff_to_follow_names_what_still_answers():
    Sigma = np.diag([1e-4, 1.0, 1e3])
    with pytest.raises(RuntimeError, match=r"earlier last time; theory\.limit_parameters has the end"):
        integrate_flow(Sigma, np.eye(3), 1.0)
    assert integrate_flow(Sigma, np.eye(3), 1.0, t_max=1e3).t[-1] == pytest.approx(1e3)
    end = limit_parameters(Sigma, U0=np.eye(3), u0=1.0)
    motion = vector_field(Sigma, end.U[:-1, :-1], end.V[-1, -1])
    assert np.abs(motion[0]).max() < 1e-8
