"""Where training ends: the integrated flow, its own optimality, symmetries and known cases."""

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize

from numerics.regression.flow.end_point import block_start, least_length, trained
from numerics.regression.flow.finite_prompt import training_flow
from numerics.regression.risk.bayes import bayes_risk
from numerics.regression.risk.block_manifold import exact_risk
from tests.numerics.regression.unit_tasks import unit
from theory.regression.task import RegressionTask
from theory.regression.valley import best_score_variance, linear_excess, valley_excess

Floats = NDArray[np.float64]
S = np.array([[1.0, 0.3], [0.3, 0.5]])


def test_the_flow_ends_there_from_a_start_that_does_not_commute():
    L, Theta2 = 20, np.array([[0.6, 0.2], [0.2, 0.3]])
    start = 0.5 * Theta2 / np.linalg.norm(Theta2), 0.5
    flow, end = training_flow(start, unit(S, 0.1), L, rtol=1e-6), trained(unit(S, 0.1), L, start=start)
    assert flow.converged
    assert (flow.risk[-1], flow.u[-1]) == (pytest.approx(end.risk, rel=1e-8), pytest.approx(end.u, rel=1e-5))
    assert flow.U[-1] == pytest.approx(end.U11, rel=1e-5)


@pytest.mark.parametrize("L", [2, 10**5])
def test_no_point_nearby_is_better(L):
    end, rng = trained(unit(S, 0.2), L), np.random.default_rng(L)
    assert end.speed < 1e-10
    assert end.time == math.inf
    for _ in range(10):  # entries off the common eigenbasis and the antisymmetric part included
        E, e = 0.02 * rng.standard_normal((2, 2)), 0.02 * rng.standard_normal()
        assert exact_risk(end.U11 + E, end.u + e, S, L, 0.2).risk > end.risk


@pytest.mark.parametrize("L", [2, 50])
def test_no_other_matrix_does_better(L):
    """Descents from starts all over the place, in all entries of U and either sign of u."""
    end, rng, found = trained(unit(S, 0.2), L), np.random.default_rng(L), []

    def risk(y: Floats) -> tuple[float, Floats]:
        at = exact_risk(y[:4].reshape(2, 2), y[4], S, L, 0.2)
        return at.risk, np.append(at.grad_U.ravel(), at.grad_u)

    for size in (0.1, 0.3, 1.0, 3.0):
        start = size * rng.standard_normal(5)
        found.append(minimize(risk, start, jac=True, method="BFGS", options={"gtol": 1e-7}).fun)
    assert min(found) == pytest.approx(end.risk, rel=1e-9)


def test_a_direction_of_almost_no_variance_hardly_matters():
    one = trained(unit(np.eye(1)), 100)
    for least in (1e-9, 1e-13):
        end = trained(unit(np.diag([1.0, least])), 100)
        assert end.risk == pytest.approx(one.risk, rel=1e-7)
        assert end.U11[0, 0] == pytest.approx(one.U11[0, 0], rel=1e-6)


def test_directions_of_small_variance_go_their_own_way():
    known = trained(unit(np.diag([1.0, 1e-8])), 10)
    for least in (1e-12, 1e-30):
        for query in (None, np.diag([1.0, least])):  # the second is invertible, however small
            end = trained(unit(np.diag([1.0, least]), 0.0, query), 10)
            assert np.diag(end.U11) == pytest.approx(np.diag(known.U11), rel=1e-6)
    # the second direction has no variance, and not a small one
    with pytest.raises(ValueError, match="mixes"):
        trained(unit(np.diag([1.0, 0.0]), 0.0, np.eye(2)), 10, start=(S, 0.5))
    assert trained(unit(np.diag([1.0, 1e-12]), 0.0, np.eye(2)), 10, start=(S, 0.5)).speed < 1e-12


@pytest.mark.parametrize("L", [2, 10, 1000])
def test_queries_unlike_the_tokens_leave_small_directions_their_own_way(L):
    """As an eigenvalue of Sigma vanishes, U tends to a limit there; the others do not see it."""
    known = trained(unit(np.diag([1.0, 1e-14]), 0.1, np.eye(2)), L)
    for least in (1e-20, 1e-40, 1e-100):
        end = trained(unit(np.diag([1.0, least]), 0.1, np.eye(2)), L)
        assert end.risk == pytest.approx(known.risk, rel=1e-10)
        assert np.diag(end.U11) == pytest.approx(np.diag(known.U11), rel=1e-6)


def test_queries_in_other_units_have_the_same_scores_and_errors_in_their_unit():
    one = trained(unit(S, 0.2, S @ S), 20)
    for k in (1e-100, 1e-20, 1e20, 1e100):
        end = trained(unit(S, 0.2, k * S @ S), 20)
        assert end.U11 * k**0.5 == pytest.approx(one.U11, rel=1e-6)
        assert end.u / k**0.5 == pytest.approx(one.u, rel=1e-6)
        assert end.risk - 0.1 == pytest.approx(k * (one.risk - 0.1), rel=1e-9, abs=1e-15)


def test_equal_eigenvalues_of_sigma_leave_the_query_its_own():
    turn = np.array([[0.6, 0.8], [-0.8, 0.6]])
    known = trained(unit(np.eye(2), 0.1, np.diag([1.5, 0.5])), 10)
    end = trained(unit(np.eye(2), 0.1, turn @ np.diag([1.5, 0.5]) @ turn.T), 10)
    assert end.speed < 1e-12
    assert end.risk == pytest.approx(known.risk, rel=1e-12)
    assert turn.T @ end.U11 @ turn == pytest.approx(known.U11, rel=1e-6)


def test_small_eigenvalues_of_sigma_do_not_hide_that_it_does_not_commute():
    query = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.5], [0.0, 0.5, 1.0]])
    with pytest.raises(ValueError, match="does not commute"):
        trained(unit(np.diag([1.0, 1e-12, 3e-12]), 0.1, query), 10)
    assert trained(unit(np.diag([1.0, 1e-12, 1e-12]), 0.1, query), 10).speed < 1e-12


def test_tiny_and_large_covariances():
    one = trained(unit(S, 0.2), 20)
    for k in (1e-290, 1e-8, 1e8, 1e140):
        end = trained(unit(k * S, 0.2 * k), 20)
        assert (end.risk, end.u) == (pytest.approx(k * one.risk, rel=1e-9), pytest.approx(one.u, rel=1e-6))
        assert k * end.U11 == pytest.approx(one.U11, rel=1e-6)


def test_units_of_the_task_rotation_and_directions_without_data():
    one, turn = trained(unit(S, 0.2), 20), np.array([[0.8, -0.6], [0.6, 0.8]])
    exact = pytest.approx(3 * one.risk, rel=1e-12)
    assert trained(RegressionTask(S, noise=0.6, task_variance=3.0), 20).risk == exact
    assert turn.T @ trained(unit(turn @ S @ turn.T, 0.2), 20).U11 @ turn == pytest.approx(one.U11, rel=1e-6)
    wide = np.zeros((3, 3))
    wide[:2, :2] = S
    padded = trained(unit(wide, 0.2), 20, start=(np.eye(3), 1.0))
    assert padded.risk == pytest.approx(one.risk, rel=1e-12)
    assert padded.U11[2] == pytest.approx([0, 0, 1])  # what no prompt shows stays as it was


@pytest.mark.parametrize("attention", ["softmax", "linear"])
def test_another_query_covariance(attention):
    end = trained(unit(S, 0.1, np.eye(2)), 30, attention=attention)
    assert end.speed < 1e-12
    other = trained(unit(S, 0.1), 30, attention=attention)
    moved = exact_risk(other.U11, other.u, unit(S, 0.1, np.eye(2)), 30, attention=attention).risk
    # linear has one optimum
    assert end.risk < moved if attention == "softmax" else end.risk == pytest.approx(moved, rel=1e-12)
    assert end.risk > bayes_risk(unit(S, 0.1, np.eye(2)), 30).value


def test_linear_attention_and_the_infinite_prompt():
    end = trained(unit(S, 0.1), 30, attention="linear")
    T, least = float(np.trace(S)) + 0.1, 0.05
    for l in np.linalg.eigvalsh(S):
        least += l * (l + T) / (2 * (31 * l + T))
    assert end.risk == pytest.approx(least, rel=1e-12)
    infinite = trained(unit(S, 0.1), None)
    expected = (0.05, float(np.linalg.norm(np.linalg.inv(S))) ** 0.5)
    assert (infinite.risk, infinite.u) == pytest.approx(expected, rel=1e-9)


def test_long_prompts_end_in_the_valley():
    law, L = {"trace": 1.5, "d": 2, "noise": 0.1}, 10**6
    task = unit(S, 0.1)
    softmax, linear, bayes = trained(task, L), trained(task, L, attention="linear"), bayes_risk(task, L)
    lam = best_score_variance(**law)
    assert softmax.u**-2 == pytest.approx(lam, rel=1e-2)
    assert 2 * L * (softmax.risk - 0.05) == pytest.approx(valley_excess(lam, **law), rel=1e-3)
    assert 2 * L * (linear.risk - 0.05) == pytest.approx(linear_excess(**law), rel=1e-4)
    assert bayes.value < linear.risk < softmax.risk


def test_one_token():
    end = trained(unit(S, 0.4), 1)
    assert (end.u, end.risk) == (0, pytest.approx((1.5 + 0.4) / 2))
    flow = training_flow(block_start(S), unit(S, 0.4), 1, rtol=1e-6)
    assert (flow.risk[-1], flow.U[-1]) == (pytest.approx(end.risk, rel=1e-6), pytest.approx(end.U11))


def test_a_stated_time_is_before_the_limit():
    early, end = trained(unit(np.eye(1)), 1000, time=20.0), trained(unit(np.eye(1)), 1000)
    assert early.time == 20.0
    assert early.risk > 1.2 * end.risk  # creeping along the valley
    assert early.speed < 1e-2


def test_least_lengths_by_going_through_all():
    S1, found = np.eye(1), {epsilon: least_length(unit(np.eye(1)), epsilon) for epsilon in (0.45, 0.3)}
    risks = np.array([trained(unit(S1), L).risk for L in range(1, 5)])
    assert (np.diff(risks) < 0).all()
    for epsilon, L in found.items():
        assert risks[L - 1] <= epsilon < risks[L - 2]
    assert least_length(unit(S1), 0.5) == 1
    assert least_length(unit(S1, 1.0), 0.3) > found[0.3]
    assert least_length(unit(4 * S1), 1.2) == found[0.3]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"attention": "relu"}, "softmax"),
        ({"prompt_length": 0}, "1e100"),
        ({"time": -1.0}, "time"),
        ({"start": (np.eye(2), 0.0)}, "Assumption 5.1"),
        ({"start": (-np.eye(2), 1.0)}, "Assumption 5.1"),
        ({"start": (np.zeros((2, 2)), 1.0)}, "Assumption 5.1"),
        ({"start": (1e-20 * np.diag([1.0, -1.0]), 1.0)}, "Assumption 5.1"),
        ({"start": (1e-20 * np.array([[1.0, 0.5], [0.1, 1.0]]), 1.0)}, "Assumption 5.1"),
        ({"start": (np.eye(3), 1.0)}, "shape"),
        ({"task": unit(S, 0.0, np.diag([1.0, 2.0]))}, "commute"),
        ({"task": unit(S, 0.0, np.diag([1.0, 0.0]))}, "singular"),
        ({"task": unit(np.diag([1.0, 0.0]), 0.0, np.eye(2)), "start": (S, 0.5)}, "mixes"),
        ({"task": unit(np.zeros((2, 2)))}, "zero"),
    ],
)
def test_bad_input(arguments, message):
    with pytest.raises(ValueError, match=message):
        trained(**({"task": unit(S), "prompt_length": 10} | arguments))


@pytest.mark.parametrize(
    ("made", "error", "message"),
    [
        (lambda: least_length(unit(S), 0.0), ValueError, "epsilon"),
        (lambda: least_length(unit(S), "small"), TypeError, "epsilon"),
        (lambda: block_start(S, alpha=-1.0), ValueError, "alpha"),
    ],
)
def test_bad_input_of_the_others(made, error, message):
    with pytest.raises(error, match=message):
        made()
