"""Enumerated prompts against differences and sampling; the scalar case by integration."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from numerics.regression.risk.gap_to_infinite_prompt import finite_prompt_gap
from numerics.regression.softmax_vs_linear.few_atoms import gaps, tasks_on_atoms
from numerics.regression.softmax_vs_linear.scalar_constants import transfers
from numerics.regression.softmax_vs_linear.scalar_flows import scalar_regressions
from tests.numerics.regression.unit_tasks import unit
from theory.attention.layer import softmax_attention

TASKS = tasks_on_atoms([0.5, -1.5], [0.75, 0.25], [-1.0, 2.0])
U, V = np.array([[0.4, 7.0], [-0.3, -9.0]]), np.array([0.2, 0.6])


@pytest.mark.parametrize("L", [1, 2, 5])
def test_gradients_are_those_of_the_risks(L):
    found, h = gaps(TASKS, U, V, L), 1e-5
    for name in ("", "_L"):
        slopes = []
        for i in range(6):
            step = np.zeros(6)
            step[i] = h
            ends = [gaps(TASKS, U + s * step[:4].reshape(2, 2), V + s * step[4:], L) for s in (1, -1)]
            slopes.append((getattr(ends[0], "risk" + name) - getattr(ends[1], "risk" + name)) / (2 * h))
        np.testing.assert_allclose(getattr(found, "gradient" + name), slopes, atol=1e-8)


def test_risk_against_the_definition_on_all_ordered_prompts():
    total = 0.0
    for task in TASKS:
        for i, a in enumerate(task.tokens):
            for j, b in enumerate(task.tokens):
                for q, (x, y) in enumerate(task.tokens):
                    out = softmax_attention([a, b], [x, 0.0], U, V[None])[0]
                    mass = task.probability * task.masses[i] * task.masses[j] * task.masses[q]
                    total += mass * (out - y) ** 2 / 2
    assert gaps(TASKS, U, V, 2).risk_L == pytest.approx(total, rel=1e-13)


def test_fractions_need_zero_scores():
    half = Fraction(1, 2)
    tasks = tasks_on_atoms([1, -1], [half, half], [3])
    assert gaps(tasks, np.zeros((2, 2)), [Fraction(0), Fraction(1)], 3).risk_L == 9 * (half + Fraction(1, 6))
    with pytest.raises(ValueError, match="exponentials"):
        gaps(tasks, np.eye(2), [Fraction(0), Fraction(1)], 3)


def test_scalar_regression_against_integration_over_two_tokens():
    S, c, u = 0.5, 1.2, 0.9
    nodes, mass = np.polynomial.hermite_e.hermegauss(40)
    mass = mass / mass.sum()
    x1, x2, x = (np.sqrt(S) * a for a in np.meshgrid(nodes, nodes, nodes, indexing="ij"))
    weight = mass[:, None, None] * mass[:, None] * mass
    p = 1 / (1 + np.exp(c * x * (x2 - x1)))
    exact = float((weight * (u * (p * x1 + (1 - p) * x2) - x) ** 2).sum()) / 2  # E w^2 = 1 in front
    two = scalar_regressions(S, [2], 2.0)[1]
    assert float(two.risk(c, u)) == pytest.approx(exact, rel=1e-6)


@pytest.mark.parametrize("L", [1, 10, 10**6, 10**20])
def test_scalar_regression_against_the_general_risk(L):
    S = 1 / 64
    model = scalar_regressions(S, [L], 24.0)[1]
    for c, u in ((3.0, 8.0), (-7.0, 2.0), (16.0, -11.0), (0.0, 5.0)):
        general = float(finite_prompt_gap(np.array([[c]]), u, unit(np.array([[S]])), L))
        assert float(model.risk_gap(c, u)) == pytest.approx(general, rel=1e-6)


def test_scalar_regression_over_a_wide_range():
    model = scalar_regressions(1.0, [6], 3.0)[1]
    for c in (0.05, 0.7, 1.9, 2.95):
        general = float(finite_prompt_gap(np.array([[c]]), 1.3, unit(np.eye(1)), 6, step=0.04))
        assert float(model.risk_gap(c, 1.3)) == pytest.approx(general, rel=1e-6)


def test_scalar_gradient_and_flow():
    infinite, long = scalar_regressions(0.25, [1e4], 8.0)
    h = 1e-5
    for model in (infinite, long):
        g = model.gradient(1.5, 2.5)
        to_c = (model.risk(1.5 + h, 2.5) - model.risk(1.5 - h, 2.5)) / (2 * h)
        to_u = (model.risk(1.5, 2.5 + h) - model.risk(1.5, 2.5 - h)) / (2 * h)
        np.testing.assert_allclose(g, [to_c, to_u], atol=1e-8)
    path = infinite.flow((1.0, 1.0), np.linspace(0, 400, 9))
    np.testing.assert_allclose(path.theta[:, -1], 2.0, rtol=1e-6)  # c u S = 1 on the diagonal
    assert (np.diff(path.risk) <= 1e-15).all()


def test_constants_of_the_ball_against_a_search():
    (transfer,) = transfers([100.0])
    S, r = transfer.infinite.S, 2 * transfer.rho
    rng = np.random.default_rng(0)
    theta = rng.normal(size=(2, 4000))
    theta *= r * rng.uniform(size=4000) ** 0.5 / np.linalg.norm(theta, axis=0)
    theta[:, 0] = r / np.sqrt(2), -r / np.sqrt(2)  # where both constants are reached
    c, u = theta
    hessian = S**2 * np.array([[S * u**2, 2 * S * u * c - 1], [2 * S * u * c - 1, S * c**2]])
    steepest = np.abs(np.linalg.eigvalsh(hessian.transpose(2, 0, 1))).max(axis=1)
    assert steepest.max() == pytest.approx(transfer.beta) == steepest[0]
    slope = np.linalg.norm(transfer.infinite.gradient(c, u), axis=0)
    assert slope.max() == pytest.approx(transfer.kappa) == slope[0]
    assert np.abs(transfer.finite.risk(c, u) - transfer.infinite.risk(c, u)).max() <= transfer.g1


def test_equation_27_is_solved():
    for transfer in transfers([10.0, 1e6]):
        assert transfer.bound_26(np.array([transfer.T_27]))[0] == pytest.approx(transfer.rho)


@pytest.mark.parametrize("k", [0, 1, 2])
def test_flows_agree_with_scipy_on_the_gradient(k):
    model = scalar_regressions(1 / 64, [1, 100], 24.0)[k]
    times, start = np.array([0.0, 50.0, 3000.0]), (4.0, -4.3)
    found = model.flow(start, times)
    motion = lambda _, y: -model.gradient(y[0], y[1])
    known = solve_ivp(motion, (0, 3000.0), start, method="DOP853", t_eval=times, rtol=1e-12, atol=1e-14).y
    np.testing.assert_allclose(found.theta, known, atol=1e-8)
    assert np.abs(known[:, 2] - known[:, 0]).max() > 0.1  # control: the flow moves
    if k:
        with pytest.raises(RuntimeError, match="interpolated up to 24"):
            model.flow((30.0, 1.0), times)
