"""Tokens F g whose g is uniform on a sphere or in a ball of covariance I.

The ball of radius sqrt(r + 2) in R^r is the projection of the sphere of that radius in R^{r+2}.
Both laws therefore have the log-mgf of a sphere of radius sqrt(q) in R^q, with q = r for the sphere
and q = r + 2 for the ball, which `numerics.token_laws.bessel` computes.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from numerics.token_laws.bessel import bessel_ratio, sphere_derivatives
from numerics.token_laws.independent import Linear

__all__ = ["Radial"]

Floats = NDArray[np.float64]


class Radial(Linear):
    """The law of F g, where g is uniform on a sphere (radius sqrt r) or in a ball (radius sqrt(r +
    2)) of R^r.
    """

    @property
    def q(self) -> int:
        """Dimension of the sphere, of radius sqrt(q), of which g is a projection."""
        return int(self.factor.shape[1]) + 2 * (self.kind == "ball")

    def sample(self, rng: np.random.Generator, n: int) -> Floats:
        """n tokens, shape (n, d)."""
        r = self.factor.shape[1]
        # The volume of a ball grows with the r-th power of its radius.
        radius = math.sqrt(self.q / r) * rng.random((n, 1)) ** (1 / r) if self.kind == "ball" else 1.0
        g = rng.standard_normal((n, r))
        return radius * (np.sqrt(r) * g / np.linalg.norm(g, axis=1, keepdims=True)) @ self.factor.T

    def log_mgf(self, a: NDArray[Any]) -> NDArray[Any]:
        """ln E e^{a.Z}, real or complex; -inf at a zero of the transform."""
        b = a @ self.factor
        w = np.asarray((b * b).sum(-1))
        shift, D = sphere_derivatives(self.q, w, 1)
        with np.errstate(divide="ignore"):
            value = np.asarray(shift + np.log(D[..., 0]))
        near = np.asarray(np.abs(w) * self.q < 1)
        y, term, total = self.q * w[near] / 4, 1.0, 0.0
        for k in range(1, 15):
            term = term * y / (k * (self.q / 2 + k - 1))
            total = total + term
        value[near] = np.log1p(total)
        return value if np.iscomplexobj(a) else value.real

    def tilted(self, a: Floats) -> tuple[Floats, Floats]:
        """Mean (..., d) and covariance (..., d, d) under the tilted law."""
        b = a @ self.factor
        largest = np.abs(b).max(-1, keepdims=True)
        unit = b / np.where(largest > 0, largest, 1.0)  # its squares do not overflow
        length = largest[..., 0] * np.linalg.norm(unit, axis=-1)
        _, across, along = bessel_ratio(self.q, math.sqrt(self.q) * length)
        direction = unit / np.where(length > 0, np.linalg.norm(unit, axis=-1), 1.0)[..., None]
        image, F = direction @ self.factor.T, self.factor
        covariance = across[..., None, None] * (F @ F.T)
        covariance = covariance + (along - across)[..., None, None] * image[..., :, None] * image[..., None, :]
        return (across[..., None] * b) @ F.T, covariance
