"""Descent, flow and margin over features: plain gradients, scaling, late times, bad input."""

from typing import Any

import numpy as np
import pytest
import sympy as sp

from numerics import attention_descent, attention_flow, attention_margin
from numerics.regression.features import descent
from numerics.training.checkpoint import CheckpointError
from theory import FeatureRegression, ReducedAttention

RNG = np.random.default_rng(20)
V, TASKS, P = RNG.normal(size=(3, 5)), RNG.normal(size=(6, 5)), np.array([0.1, 0.15, 0.2, 0.25, 0.3])
MASSES = RNG.dirichlet(np.ones(5), size=4)
MASSES[0, 2] = 0.0  # an empty class
PROBLEMS: dict[str, FeatureRegression] = {
    "any tasks, four prompts": FeatureRegression(V, tasks=TASKS, probabilities=P, masses=MASSES),
    "exchangeable tasks": FeatureRegression(V, 2 * np.eye(5) + 0.3, probabilities=P),
    "every prompt of five tokens": FeatureRegression(V[:, :3], tasks=TASKS[:, :3], prompt_length=5),
    "orthonormal": FeatureRegression(np.eye(4), np.eye(4)),
    # eight softmaxes at a time: eight queries of a prompt, or a query in eight prompts
    "more queries than fit together": FeatureRegression(
        RNG.normal(size=(9, 19)) / 3, tasks=RNG.normal(size=(2, 19))
    ),
    "orthonormal, more queries than fit together": FeatureRegression(
        np.eye(19), tasks=RNG.normal(size=(2, 19)), masses=RNG.dirichlet(np.ones(19), size=2)
    ),
    "every prompt of four tokens": FeatureRegression(np.eye(4), np.eye(4), prompt_length=4),
}


@pytest.mark.parametrize("name", PROBLEMS)
def test_descent_is_that_of_plain_gradients(name):
    problem, eta = PROBLEMS[name], 0.2
    Q = start = RNG.normal(size=(problem.d, problem.d)) / 4
    path = attention_descent(problem, eta, 100, start=start, records=[0, 37, 100])
    for step in range(101):
        if step in (0, 37, 100):
            i = (0, 37, 100).index(step)
            np.testing.assert_allclose(path.Q[i], Q, atol=1e-13)
            assert path.loss[i] == pytest.approx(problem.loss(Q), rel=1e-12)
            np.testing.assert_allclose(path.scores[i], problem.scores(Q), atol=1e-12)
            np.testing.assert_allclose(path.attention[i], problem.attention(Q), atol=1e-13)
        Q = Q - eta * problem.gradient(Q)


@pytest.mark.parametrize("tasks", [np.eye(3), TASKS[:, :3]], ids=["alike", "any"])
@pytest.mark.parametrize("count", [2, 11])
def test_scores_that_are_far_apart_leave_no_weight_unseen(tasks, count):
    # the largest score has few tokens or none
    masses = np.tile([[1e-280, 1e-140, 1.0], [0.0, 1.0, 2.0]], (count, 1))
    problem = FeatureRegression(np.eye(3), tasks=tasks, masses=masses[:count])
    for size in (310.0, 650.0, 5000.0):
        Q = size * np.array([[1.0, 1.0, 0.99], [0.5, -0.3, 0.0], [0.501, -0.301, -0.01]])
        path = attention_descent(problem, 0.5, 1, start=Q, records=[0, 1])
        assert path.loss[0] == pytest.approx(problem.loss(Q), rel=1e-12)
        np.testing.assert_allclose(path.coefficients[1], 0.5 * problem.H(Q), rtol=1e-11, atol=1e-16)


def test_scaled_tasks_with_a_scaled_rate_take_the_same_path_bit_for_bit():
    runs = [
        attention_descent(
            FeatureRegression(V, tasks=TASKS / s, probabilities=P, masses=MASSES), 0.3 * s**2, 300
        )
        for s in (1, 8, 0.25)
    ]
    for other, s in zip(runs[1:], (8, 0.25)):
        assert (other.Q == runs[0].Q).all()
        assert (other.loss * s**2 == runs[0].loss).all()


@pytest.mark.parametrize("N", [None, 5])
def test_the_flow_is_the_reduced_one_up_to_late_times(N):
    problem, times = FeatureRegression(np.eye(4), 0.7 * np.eye(4), prompt_length=N), [0.0, 1.0, 1e3, 1e10]
    reduced, path = ReducedAttention(4, 0.7, prompt_length=N), attention_flow(problem, times)
    np.testing.assert_allclose(path.loss, [0.7 * reduced.loss(reduced.flow(t)) for t in times], rtol=1e-8)
    assert path.error is not None
    assert path.error < 1e-6


def test_small_steps_follow_the_flow():
    problem = PROBLEMS["any tasks, four prompts"]
    flow = attention_flow(problem, [2.0, 20.0])
    gaps = []
    for eta in (0.02, 0.01):
        steps = attention_descent(problem, eta, round(20 / eta), records=[round(2 / eta), round(20 / eta)])
        gaps.append(abs(steps.loss - flow.loss).max())
    assert gaps[0] / gaps[1] == pytest.approx(2, rel=0.1)  # the error is of first order


ANGLES = np.arange(6) * np.pi / 3
LATE: dict[str, tuple[FeatureRegression, float, float]] = {
    "orthonormal, p of any kind": (
        FeatureRegression(np.eye(4), np.eye(4), probabilities=[0.1, 0.2, 0.3, 0.4]),
        1.0,
        1e-3,
    ),
    "hexagon": (FeatureRegression(np.array([np.cos(ANGLES), np.sin(ANGLES)]), np.eye(6)), 1.0, 1e-3),
    # without positive moments of differences the law is another one: 2/3, as class 1 has loss 0
    "one task that spares a class": (FeatureRegression(np.eye(3), tasks=[[0, 0.5, -0.5]]), 2 / 3, 1e-3),
}


@pytest.mark.parametrize("name", LATE)
def test_the_margin_decides_late_losses(name):
    problem, limit, tolerance = LATE[name]
    gamma, t = attention_margin(problem.features).value, 1e10
    assert 4 * gamma**2 * t * attention_flow(problem, [t]).loss[0] == pytest.approx(limit, rel=tolerance)


def test_finite_prompts_have_a_margin_of_their_own():
    V = np.array([[1, 0, 0], [0.5, 1, 0], [-0.3, 0.4, 1.5]]).T
    plain, own = attention_margin(V), attention_margin(V, same_elsewhere=True)
    excess = (
        attention_flow(FeatureRegression(V, np.eye(3), prompt_length=3), [1e10]).loss[0]
        - ReducedAttention(3, 1.0, prompt_length=3).floor
    )
    assert 4e10 * own.value**2 * excess == pytest.approx(1, rel=1e-3)
    assert 4e10 * plain.value**2 * excess == pytest.approx(1.1009, rel=1e-3)


def test_margins_have_no_gap_and_scale_with_the_square():
    for d, K in ((4, 4), (3, 4), (6, 5)):
        features = RNG.normal(size=(d, K))
        found, larger = attention_margin(features), attention_margin(1e3 * features)
        assert found.gap >= -1e-12
        assert found.gap < 1e-10 * found.value
        assert larger.value == pytest.approx(1e6 * found.value, rel=1e-9)
        differences = features[:, :, None] - features[:, None, :]
        margins = np.einsum("dkm,de,ek->km", differences, found.Q, features)
        assert margins[~np.eye(K, dtype=bool)].min() == pytest.approx(found.value, rel=1e-12)
        for Q in RNG.normal(size=(300, d, d)):  # no other direction has a larger margin
            worst = np.einsum("dkm,de,ek->km", differences, Q / np.linalg.norm(Q), features)[
                ~np.eye(K, dtype=bool)
            ].min()
            assert worst <= found.value + found.gap
    for K in (2, 5, 9):
        assert attention_margin(np.eye(K)).value == pytest.approx((K - 1) ** -0.5, rel=1e-12)


@pytest.mark.parametrize(
    ("features", "options", "message"),
    [
        ([[0.0, 1.0]], {}, "v_1 lies in the convex hull of v_2, or is 0"),
        ([[1.0, 2.0]], {}, "a combination of several comparisons"),
        ([[0.0, 1.0, 0.5], [1.0, 0.0, 0.5]], {}, "v_3 lies in the convex hull of v_1, v_2"),
        ([[1.0, 1.0, -1.0, -1.0], [1.0, -1.0, 1.0, -1.0]], {"same_elsewhere": True}, "gamma_c is 0"),
        ([[1.0], [2.0]], {}, "one feature"),
        ([1.0, 2.0], {}, "features has shape"),
    ],
)
def test_features_without_a_margin(features, options, message):
    with pytest.raises(ValueError, match=message):
        attention_margin(features, **options)


def test_a_divergence_is_told_with_its_step():
    problem = FeatureRegression(np.array([[1e3, 2e3, 4e3]]), tasks=[[1.0, -1.0, 2.0], [0.0, 2.0, 1.0]])
    path = attention_descent(problem, 1e300, 50, records=range(51))
    assert path.diverged is not None
    assert len(path.time) <= path.diverged
    assert np.isfinite(path.loss).all()
    assert "diverged at step" in repr(path)
    Q, step = np.zeros((1, 1)), 0
    with np.errstate(all="ignore"):
        while np.isfinite(problem.features.T @ Q @ problem.features).all():
            Q, step = Q - 1e300 * problem.gradient(Q), step + 1
    assert path.diverged == step
    # a score of minus infinity leaves the softmax finite, but is told at once too
    problem = FeatureRegression(np.eye(3), tasks=[[100, 80, -300]], probabilities=[0.6, 0.3, 0.1])
    path = attention_descent(problem, 2e305, 9, start=np.diag([0.0, 0.0, 20.0]), records=range(10))
    assert (path.diverged, list(path.time)) == (1, [0.0])


@pytest.mark.parametrize("alone", [2, 11])
def test_one_query_of_many_that_diverges_ends_the_run(alone, tmp_path):
    """Whether it is among the eight that go first or not, though eight go many steps at a time."""
    # the other queries see their own class only, and stand still
    tasks, start = (np.zeros(12), 800 * np.eye(12))
    tasks[[0, 1, alone]], start[alone, alone] = (100, 80, -300), 0
    problem = FeatureRegression(np.eye(12), tasks=[tasks], probabilities=np.array([8] + 11 * [1]) / 19)
    for file in (
        None,
        tmp_path / "run.npz",
        tmp_path / "run.npz",
    ):  # the last run goes on from where it diverged
        path = attention_descent(problem, 1e307, 200, start=start, records=range(201), checkpoint=file)
        assert (path.diverged, list(path.time)) == (1, [0.0])
    start[alone, alone] = 800
    assert attention_descent(problem, 1e307, 200, start=start).diverged is None


@pytest.mark.parametrize(
    "name",
    ["any tasks, four prompts", "every prompt of four tokens", "orthonormal, more queries than fit together"],
)
def test_a_killed_run_goes_on_bit_for_bit(name, tmp_path, monkeypatch):
    problem, file = PROBLEMS[name], tmp_path / "run.npz"
    whole = attention_descent(problem, 0.3, 4000)
    kernel, calls = descent.descent_kernel(), []

    def killed(*arguments: Any) -> tuple[int, int]:
        calls.append(0)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return kernel(*arguments)

    with monkeypatch.context() as patched:
        patched.setattr(descent, "CHECKPOINT_PAUSE", 0.0)
        patched.setattr(descent, "descent_kernel", lambda: killed)
        with pytest.raises(KeyboardInterrupt):
            attention_descent(problem, 0.3, 4000, checkpoint=file)
    assert file.exists()
    again = attention_descent(problem, 0.3, 4000, checkpoint=file)
    assert (again.loss == whole.loss).all()
    assert (again.coefficients == whole.coefficients).all()
    other = FeatureRegression(
        problem.features, (1 + 1e-15) * problem.value_covariance, masses=problem.prompts[0]
    )
    for changed, eta in ((problem, 0.2), (other, 0.3)):
        with pytest.raises(CheckpointError, match="another run"):
            attention_descent(changed, eta, 4000, checkpoint=file)
    file.write_bytes(b"no checkpoint")
    with pytest.raises(CheckpointError, match="damaged or no checkpoint"):
        attention_descent(problem, 0.3, 4000, checkpoint=file)
    assert file.read_bytes() == b"no checkpoint"


GOOD = PROBLEMS["orthonormal"]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: attention_descent(GOOD, 0.0, 5), ValueError, "eta = 0.0 is not positive"),
        (lambda: attention_descent(GOOD, 1.0, -1), ValueError, "steps = -1 is below 0"),
        (lambda: attention_descent(GOOD, 1.0, 5, records=[3, 2]), ValueError, "increasing whole numbers"),
        (lambda: attention_descent(GOOD, 1.0, 5, records=[6]), ValueError, "from 0 to steps = 5"),
        (lambda: attention_descent(GOOD, 1.0, 5, start=np.eye(3)), ValueError, "the features lie in R\\^4"),
        (lambda: attention_descent(np.eye(3), 1.0, 5), TypeError, "pass theory.FeatureRegression"),
        (lambda: attention_descent(FeatureRegression(sp.eye(2), sp.eye(2)), 1.0, 5), TypeError, "SymPy"),
        (lambda: attention_flow(GOOD, [1.0, 1.0]), ValueError, "do not increase"),
        (lambda: attention_flow(GOOD, [-1.0, 1.0]), ValueError, "do not increase from 0 on"),
    ],
)
def test_bad_input(call, error, message):
    with pytest.raises(error, match=message):
        call()
