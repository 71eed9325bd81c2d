"""The loss of an attention window on drawn tasks, tokens and noise, beside the exact loss."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from numerics.attention.window.loss import window_loss
from proofs_check.reports.rates.windows.widths import AFFINE, RELU, finite
from theory.attention.window.classes import TaskClass, cosine

__all__ = ["ALLOWED", "CASES", "ERROR", "Case", "Drawn", "attention_weights", "drawn_losses", "drawn_prompts"]

Floats = NDArray[np.float64]
#: Prompts of a case, in parts of this many, and the deviation that is allowed, in standard errors.
PROMPTS, PART, ALLOWED = 60_000, 5000, 5.0


class Case(NamedTuple):
    """Tasks, and how their values at tokens and query are drawn: ``draw(rng, heights)`` takes the
    heights ``u'x`` over a random direction u, of shape (prompts, tokens).
    """

    tasks: TaskClass
    draw: Callable[[np.random.Generator, Floats], Floats]
    d: int
    n: int
    noise: float


def _uniform(rng: np.random.Generator, heights: Floats, count: int) -> Floats:
    """Numbers of a task, each uniform on [-1, 1]."""
    return rng.uniform(-1, 1, (count, len(heights), 1))


def _affine(rng: np.random.Generator, heights: Floats) -> Floats:
    slope, b = _uniform(rng, heights, 2)
    return slope * heights + b


def _relu(rng: np.random.Generator, heights: Floats) -> Floats:
    right, left, b = _uniform(rng, heights, 3)
    return right * np.maximum(heights, 0) + left * np.maximum(-heights, 0) + b


CASES = (
    Case(AFFINE, _affine, 3, 20, 0.1),
    Case(RELU, _relu, 5, 50, 0.01),
    Case(cosine(3), lambda rng, heights: np.cos(3 * heights), 2, 30, 0.05),
)


class Drawn(NamedTuple):
    """An estimated loss beside the exact one."""

    tasks: str
    d: int
    n: int
    #: sigma^2.
    noise: float
    #: The width, and the best one.
    w: float
    best: float
    exact: float
    mean: float
    standard_error: float

    @property
    def deviation(self) -> float:
        """In standard errors."""
        return (self.mean - self.exact) / self.standard_error


#: Widths over the best one, and how likely it is, for means with a normal law, that one of all
#: exact losses is called wrong by accident: twice the normal tail at 5 for each.
SHARES = (0.5, 1.0, 2.0)
ERROR = 5.8e-7 * len(CASES) * len(SHARES)


def drawn_losses(seed: int) -> list[Drawn]:
    """Estimated and exact losses at the best width of each case, at half of it and at twice."""
    found = []
    for number, case in enumerate(CASES):
        rng, best = np.random.default_rng([seed, number]), finite(case.tasks, case.d, case.n, case.noise)
        widths = best * np.array(SHARES)
        errors = np.concatenate([_squared_errors(rng, case, widths) for _ in range(PROMPTS // PART)])
        exact = window_loss(case.tasks, case.d, case.n, widths, case.noise).loss
        means, spread = errors.mean(axis=0), errors.std(axis=0, ddof=1) / PROMPTS**0.5
        for row in zip(
            widths.tolist(), [best] * len(widths), exact.tolist(), means.tolist(), spread.tolist()
        ):
            found.append(Drawn(case.tasks.name, case.d, case.n, case.noise, *row))
    return found


def _squared_errors(rng: np.random.Generator, case: Case, widths: Floats) -> Floats:
    """Squared errors of one part of the prompts, of shape (PART, widths)."""
    heights, squares = drawn_prompts(rng, PART, case.n, case.d)
    values = case.draw(rng, heights)
    labels = values[:, :-1] + case.noise**0.5 * rng.standard_normal((PART, case.n))
    estimates = [np.sum(attention_weights(squares, w) * labels, axis=1) for w in widths]
    return (np.stack(estimates, axis=1) - values[:, -1:]) ** 2


def drawn_prompts(rng: np.random.Generator, count: int, n: int, d: int) -> tuple[Floats, Floats]:
    """Prompts of n tokens and a query on the sphere: ``u'x`` of the tokens and, last, of the query
    over a random direction u (count, n + 1), and ``|x_i - x|^2`` (count, n).
    """
    points = rng.standard_normal((count, n + 2, d))
    points /= np.linalg.norm(points, axis=2, keepdims=True)
    heights = np.einsum("pnd,pd->pn", points[:, :-1], points[:, -1])
    return heights, np.sum((points[:, :-2] - points[:, -2][:, None]) ** 2, axis=2)


def attention_weights(squares: Floats, w: float) -> Floats:
    """The weights, proportional to ``e^{-w|x_i-x|^2}``, of tokens in their last axis.

    >>> attention_weights(np.array([0.0, 4.0]), 0.0).tolist()
    [0.5, 0.5]
    """
    weights = np.exp(-w * (squares - squares.min(axis=-1, keepdims=True)))
    return np.asarray(weights / weights.sum(axis=-1, keepdims=True))
