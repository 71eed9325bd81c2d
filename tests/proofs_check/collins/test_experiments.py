"""The least loss of linear attention on the circle, by a second route."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.polynomial.chebyshev import chebval

from proofs_check.collins.experiments.circle import linear_loss, phases
from theory.attention.window.classes import TaskClass, affine, linear


def cosine_of_six_angles(t: Any, d: int) -> Any:
    return chebval(t, [0] * 6 + [0.5])


@pytest.mark.parametrize(
    ("tasks", "rho", "n"), [(linear(1.5), linear(1.5).rho, 10), (affine(1), affine(1).rho, 4), (phases(6), cosine_of_six_angles, 7)]
)
def test_the_least_loss_of_linear_attention(tasks: TaskClass, rho: Callable[[Any, int], Any], n: int) -> None:
    """Prompts are drawn, tasks and noise averaged exactly; the best factor of ``sum y_i x_i'x`` is
    that of the sample. Six standard errors, which a right formula leaves with probability 2e-9.
    """
    noise, x = 0.01, np.random.default_rng(3).normal(size=(40_000, n + 1, 2))
    x /= np.linalg.norm(x, axis=2, keepdims=True)
    t = np.einsum("pid,pd->pi", x[:, :-1], x[:, -1])
    among = rho(np.clip(np.einsum("pid,pjd->pij", x[:, :-1], x[:, :-1]), -1, 1), 2) + noise * np.eye(n)
    square = np.einsum("pi,pij,pj->p", t, among, t)
    product = np.einsum("pi,pi->p", t, rho(np.clip(t, -1, 1), 2))
    factor = product.mean() / square.mean()
    losses = rho(1.0, 2) - 2 * factor * product + factor**2 * square
    assert abs(losses.mean() - linear_loss(tasks, n, noise)) < 6 * losses.std() / len(losses) ** 0.5
