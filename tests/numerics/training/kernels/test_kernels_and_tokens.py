"""Loss and gradient have the same law as with every token drawn."""

import math
from typing import Any, NamedTuple

import numpy as np
import pytest

from numerics.compiled.streams import key_of
from numerics.training.full_tokens import full_token_kernel
from numerics.training.kernels.coupled_short import SHORT
from numerics.training.kernels.loop import sgd_kernel
from numerics.training.parameters import Parameters, initial_parameters, pack
from theory.regression.experiment import VARIANTS, kms
from theory.regression.task import RegressionTask

BATCHES, PROJECTIONS = 300, 8


class Case(NamedTuple):
    """Arguments of a kernel; d is that of A."""

    L: int
    A: Any = kms(2)
    B: Any = np.eye(2)
    seed: int = 1
    task_sd: float = 0.8
    noise_sd: float = 0.5
    scale: float = 1.0
    batch: int = 64
    K: Any = None
    Q: Any = None

    def start(self, attention: str) -> np.ndarray:
        d = len(self.A)
        theta = initial_parameters(d, self.seed)
        theta = theta._replace(
            K=theta.K if self.K is None else self.K(theta), Q=theta.Q if self.Q is None else self.Q(theta)
        )
        one, other = pack(theta), pack(initial_parameters(d, 99))
        return one if attention != "coupled" else np.stack([one, one if self.seed % 2 else other])


def batches(kernel: Any, attention: str, case: Case, key: int) -> np.ndarray:
    """A row each: losses and gradients, cosines and sines of projections of all of them."""
    theta, front = case.start(attention), (2,) if attention == "coupled" else ()
    rows = np.empty((BATCHES, len(np.ones(front).ravel()) + theta.size))
    A, B = (np.array(x, dtype=float, order="C") for x in (case.A, case.B))
    for step, row in enumerate(rows):
        losses, gradient, before = np.empty((*front, 1)), np.zeros_like(theta), theta.copy()
        settings = (A, B, case.task_sd, case.noise_sd, case.scale, 1.0, case.batch, *key_of(key))
        assert kernel(theta, case.L, step, 1, 0.0, *settings, losses, gradient) == -1
        assert np.array_equal(theta, before)
        row[:] = np.concatenate([losses.ravel(), gradient.ravel()])
    return rows


def deviations(one: np.ndarray, two: np.ndarray) -> np.ndarray:
    """|sum D| / sqrt(sum D²) for differences D of columns and of cosines and sines of projections.
    If both have one law, given |D| these are random signs: it exceeds t with probability below 2
    exp(-t²/2), whatever the law and its tails (Hoeffding).
    """
    spread = np.concatenate([one, two]).std(0)
    seen = spread > 1e-4 * spread.max()  # what vanishes is rounding in float32
    directions = np.random.default_rng(0).standard_normal((seen.sum(), PROJECTIONS)) / math.sqrt(seen.sum())
    columns = [x[:, seen] / spread[seen] for x in (one, two)]
    first, second = (
        np.c_[x, np.cos(x), np.sin(x), np.cos(2 * x @ directions), np.sin(2 * x @ directions)]
        for x in columns
    )
    return np.asarray(abs((first - second).sum(0)) / np.sqrt(((first - second) ** 2).sum(0)))


def parallel(theta: Parameters) -> np.ndarray:
    """K'Q z is a multiple of V'o for any z: scores and values are the same up to a factor."""
    return np.outer([1.0, 0.0, 0.0], theta.b)


CODED_ROOT = VARIANTS["as coded"].roots(RegressionTask(kms(3), noise=0.1, task_variance=1 / 3))[0]
CASES = {
    "one token": Case(1),
    "two tokens, d = 1, no noise": Case(2, A=[[1.5]], B=[[0.5]], noise_sd=0.0),
    "as coded": Case(5, CODED_ROOT, np.eye(3), scale=0.5, batch=130),
    "singular, long": Case(40, A=[[1.0, 0.0], [2.0, 0.0]], B=[[0.0, 0.0], [0.0, 1.0]], noise_sd=0.0, seed=2),
    "no scores": Case(4, K=lambda theta: 0 * theta.K),
    "parallel": Case(6, K=parallel, Q=lambda theta: np.outer([1.0, 0.0, 0.0], [0.5, -1.0, 0.3])),
    "no task": Case(3, task_sd=1e-12, seed=2),
    # Coupled prompts beyond SHORT tokens are reduced: the same again there.
    "as coded, longer": Case(SHORT + 3, CODED_ROOT, np.eye(3), scale=0.5, batch=130),
    "no scores, longer": Case(SHORT + 1, K=lambda theta: 0 * theta.K),
    "parallel, long": Case(
        SHORT + 1, K=parallel, Q=lambda theta: np.outer([1.0, 0.0, 0.0], [0.5, -1.0, 0.3])
    ),
    "no task, longer": Case(SHORT + 2, task_sd=1e-12, seed=2),
    "five dimensions": Case(7, kms(5), np.eye(5), seed=3, batch=32),
}


#: 36 times fewer than 1200 numbers are compared: if the laws are the same, all pass with
#: probability at least 1 - 1e-6.
LIMIT = math.sqrt(2 * math.log(2 * 36 * 1200 / 1e-6))


@pytest.mark.parametrize("attention", ["softmax", "linear", "coupled"])
@pytest.mark.parametrize("name", CASES)
def test_one_law(name, attention):
    one = batches(sgd_kernel(attention), attention, CASES[name], key=5)
    two = batches(full_token_kernel(attention), attention, CASES[name], key=6)
    found = deviations(one, two)
    assert len(found) < 1200
    assert found.max() < LIMIT


@pytest.mark.parametrize("attention", ["softmax", "linear", "coupled"])
def test_another_law_is_told_apart(attention):
    case = Case(5)
    two = batches(full_token_kernel(attention), attention, case, key=6)
    changes: list[dict[str, Any]] = [
        dict(L=1),
        dict(noise_sd=1.0),
        dict(task_sd=1.2),
        dict(scale=2.0),
        dict(A=case.B, B=case.A),
    ]
    for change in changes:
        one = batches(sgd_kernel(attention), attention, case._replace(**change), key=5)
        assert deviations(one, two).max() > LIMIT, change
