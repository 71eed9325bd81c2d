"""The bounds of the late law R11 hold along integrated flows, from a time on at which the loss is
small, and they do not where a number in them is smaller.
"""

import numpy as np
import pytest

from numerics import attention_flow, attention_margin
from proofs_check.ours.features.r11_late import LAWFUL, PROBLEMS

TIMES = np.concatenate([[0.0], np.geomspace(1e-2, 1e12, 4000)])


def along(name, b=0.1):
    """4 gamma^2 t loss, q, theta, J and its bound since the loss is small, with all losses."""
    problem = PROBLEMS[name]
    path, gamma = attention_flow(problem, TIMES), attention_margin(problem.features).value
    covariance, K = np.array(problem.value_covariance), problem.K
    least = []
    for k in range(K):
        others = [m for m in range(K) if m != k]
        apart = np.eye(K)[others] - np.eye(K)[k]
        M = apart @ covariance @ apart.T
        least.append((problem.probabilities[k] * M.min(), M.min() / M.max()))
    pc, small = min(c for c, _ in least), min(c * ratio**2 / 2 for c, ratio in least)
    small = min(small, pc / (2 * (1 + b) ** 2))
    first = int(np.argmax(path.loss <= small))
    assert path.loss[first] <= small
    loss, Q, t = path.loss[first:], path.Q[first:], TIMES[first:] - TIMES[first]
    x = np.array([np.linalg.norm(problem.gradient(one)) for one in Q]) / (2 * loss)
    slope = np.maximum(1 / gamma - 1 / x, 0)
    psi = -np.log(loss)
    J = np.concatenate([[0.0], np.cumsum(np.diff(psi) * (slope[1:] + slope[:-1]) / 2)])
    masses = np.array(problem.prompts[0])[0]
    floor = pc / 2 * (masses.min() / (2 * masses.max())) ** 2
    most = 2 * np.linalg.norm(Q[0]) - (psi[0] + np.log(floor)) / gamma + 2 / (b * gamma)
    q, theta = np.sqrt(2 * loss / pc), 2 * (1 + 1 / b) ** 2
    return 4 * gamma**2 * t * loss, q, theta, J, most, loss, gamma


@pytest.mark.parametrize("name", LAWFUL)
def test_the_bounds_hold_along_a_flow(name):
    value, q, theta, J, most, loss, gamma = along(name)
    assert (value <= 1 + 2 * theta * q).all()
    assert (J >= 0).all()
    assert (most >= J).all()
    lower = lambda s, part: (
        1 - 2 * gamma * (J - J[s]) - 4 * gamma * J[s] * np.sqrt(loss / loss[s])
        - part * (1 + 2 * gamma * J[s]) * loss / loss[0]
    )  # fmt: skip
    for s in (0, 500, 2000):
        assert (value >= lower(s, 1) - 1e-3).all()
    assert not (value >= lower(0, 0) - 1e-3).all()
    assert value[-1] == pytest.approx(1, rel=3e-3)
