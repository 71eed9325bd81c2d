"""Tokens on finitely many points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Atomic"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Atomic:
    """A law on k points.

    Parameters
    ----------
    points : ndarray, shape (k, d)
    weights : ndarray, shape (k,)
        Positive, sum 1; the mean is 0 up to rounding.
    sigma : float
        What the law was built with: found by a search, or given.
    """

    points: Floats
    weights: Floats
    sigma: float = 0.0

    def sample(self, rng: np.random.Generator, n: int) -> Floats:
        """n tokens, shape (n, d)."""
        return self.points[rng.choice(self.weights.size, size=n, p=self.weights)]

    def log_mgf(self, a: NDArray[Any]) -> NDArray[Any]:
        """ln E e^{a.Z}, real or complex; -inf at a zero of the transform. Relatively accurate near
        0.
        """
        score = a @ self.points.T
        shift = score.real.max(-1, keepdims=True)
        with np.errstate(divide="ignore"):
            value = np.asarray(shift[..., 0] + np.log(np.exp(score - shift) @ self.weights))
        near = np.asarray(np.abs(score).max(-1) < 0.5)
        value[near] = np.log1p((np.expm1(score[near]) - score[near]) @ self.weights)
        return value

    def tilted(self, a: Floats) -> tuple[Floats, Floats]:
        """Mean (..., d) and covariance (..., d, d) under the tilted law."""
        mean, y, w = self.about(a)
        return mean, np.swapaxes(y, -1, -2) @ (w[..., None] * y)

    def about(self, a: Floats) -> tuple[Floats, Floats, Floats]:
        """The tilted mean (..., d), the points less it (..., k, d), and their tilted weights (...,
        k).

        Differences from the point that the tilt favours come first, lest rounding hide how close
        the mean is to it.
        """
        score = a @ self.points.T
        w = np.exp(score - score.max(-1, keepdims=True)) * self.weights
        w = w / w.sum(-1, keepdims=True)
        origin = self.points[score.argmax(-1)]
        away = self.points - origin[..., None, :]
        mean = np.asarray((w[..., None, :] @ away)[..., 0, :])
        return origin + mean, away - mean[..., None, :], w
