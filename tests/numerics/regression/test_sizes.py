"""Sizes at the ends of the floats: the right answer, or a clear error, and always an end."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from numerics.regression.flow import integrator
from numerics.regression.flow.finite_prompt import training_flow
from numerics.regression.flow.infinite_prompt import integrate_flow
from numerics.regression.risk.bayes import bayes_risk
from numerics.regression.risk.block_manifold import exact_risk
from numerics.regression.risk.gap_to_infinite_prompt import finite_prompt_gap, finite_prompt_risk
from theory.regression.task import RegressionTask

I = np.eye(2)


def task(size: float, noise: float = 0.1) -> RegressionTask:
    return RegressionTask(size * I, noise=noise, task_variance=1.0)


BEYOND: dict[str, Callable[[], Any]] = {
    "u in softmax": lambda: exact_risk(I, 1e155, I, 10, noise=0.1),
    "u in linear": lambda: exact_risk(I, 1e155, I, 10, noise=0.1, attention="linear"),
    "u at the infinite prompt": lambda: exact_risk(I, 1e155, I, None, noise=0.1),
    "U": lambda: exact_risk(1e155 * I, 1.0, I, 10, noise=0.1),
    "Sigma": lambda: exact_risk(I, 1.0, 1e155 * I, 10, noise=0.1),
    "gap": lambda: finite_prompt_gap(I, 1e155, task(1.0), [1, 10]),
    "risk by the gap": lambda: finite_prompt_risk(I, 1e155, task(1.0), [1, 10]),
    "Bayes risk": lambda: bayes_risk(task(1e-320), 7, points=64),
    "flow, Sigma": lambda: integrate_flow(1e155 * I, I, 1.0),
    "flow, tiny Sigma": lambda: integrate_flow(1e-320 * I, I, 1.0),
    "flow, start": lambda: integrate_flow(I, 1e155 * I, 1e155),
    "training flow, Sigma": lambda: training_flow((I, 1.0), task(1e155), 7),
    "training flow, start": lambda: training_flow((I, 1e155), task(1.0), 7),
}


@pytest.mark.parametrize("name", BEYOND)
def test_what_leaves_the_floats_is_refused(name):
    with pytest.raises(ValueError, match="leaves the range of floats"):
        BEYOND[name]()


def test_large_and_small_sizes_that_cancel_have_their_risk():
    """In units where x'w is sqrt(Sigma) and U is 1/Sigma, the risk is Sigma times that."""
    plain = exact_risk(I, 0.8, I, 10, noise=0.1)
    for size in (2.0**-500, 2.0**500):
        found = exact_risk(I / size, 0.8, size * I, 10, noise=0.1 * size)
        assert found.risk == pytest.approx(size * plain.risk, rel=1e-12)
        assert found.grad_u == pytest.approx(size * plain.grad_u, rel=1e-12)


def test_an_integration_that_does_not_arrive_ends(monkeypatch):
    """Noise is 1e79 times Sigma: u falls in no time, U moves in no hurry, and steps stay short."""
    monkeypatch.setattr(integrator, "MOST_EVALUATIONS", 2000)
    says = r"gave up at t = .* after 2000 steps: parts of the flow differ too much in speed"
    with pytest.raises(RuntimeError, match=says):
        training_flow((I, 1.0), task(1e-80), 7)
    assert integrate_flow(I, I, 0.5).converged  # control: within as few steps others arrive
