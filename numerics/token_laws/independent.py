"""Tokens F g whose coordinates g are independent and of one kind: their log-mgf is a sum over
coordinates, and so are its derivatives, mean and variance of the tilted law.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from numerics.token_laws.coordinates import COORDINATES, Coordinate, coordinate
from theory.inputs.arrays import read_covariance
from theory.inputs.spectrum import AGREED, covariance_factor, exact_rank, spectrum

__all__ = ["Independent", "Linear"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Linear:
    """The law of F g for coordinates g with covariance I and sub-Gaussian parameter 1."""

    #: Of the coordinates: ``"normal"``, ``"sign"``, ``"uniform"``, ``"sphere"`` or ``"ball"``.
    kind: str
    #: Shape (d, r).
    factor: Floats
    #: JSON content from which `numerics.token_laws.from_identity` rebuilds the law.
    identity: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """What the law is called in messages."""
        return ("image of " if "factor" in self.identity else "") + str(self.identity["kind"])

    @property
    def d(self) -> int:
        """Dimension of a token."""
        return len(self.factor)

    @property
    def sigma(self) -> float:
        """Optimal: that of g is 1, and no sigma is below a standard deviation."""
        return float(np.linalg.norm(self.factor, 2))

    def image(self, A: Floats) -> Self:
        """The law of A F g."""
        F, known = A @ self.factor, COORDINATES.get(self.kind)
        return type(self)(self.kind, F, {"kind": known.name if known else self.kind, "factor": F.tolist()})

    def _gaussian_fourth_moment(self, W: Floats) -> tuple[float, Floats]:
        """``E (Z'WZ)^2`` if g were normal, and F'WF."""
        M = self.factor.T @ W @ self.factor
        return float(np.trace(M)) ** 2 + 2 * float(np.sum(M * M.T)), M


class Independent(Linear):
    """The law of F g, where g has iid coordinates: normal, signs, or uniform."""

    @property
    def coordinate(self) -> Coordinate:
        """The law of one coordinate."""
        return coordinate(self.kind)

    @classmethod
    def gaussian(cls, Gamma: ArrayLike) -> Self:
        """N(0, Gamma), with as many coordinates as Gamma has rank, and at least one."""
        G = read_covariance("Gamma", Gamma)
        return cls("normal", covariance_factor(G), {"kind": "gaussian", "Gamma": G.tolist()})

    def image(self, A: Floats) -> Self:
        """The law of A F g; for Gaussian tokens with a factor of full rank, or with A F itself
        where its square has lost directions.
        """
        image = super().image(A)
        if self.kind != "normal":
            return image
        square = image.factor @ image.factor.T
        squared, found, F = self.gaussian(square), spectrum(square), image.factor
        if not (
            found.lost or found.condition * AGREED > 1 or exact_rank(F, found.values.size) > found.values.size
        ):
            return squared
        # A product F F' has half of the digits of F, and so perhaps fewer directions.
        F = F if F.shape[1] <= len(F) else np.linalg.qr(F.T)[1].T
        return type(self)("normal", F, {"kind": "gaussian", "factor": F.tolist()})

    def sample(self, rng: np.random.Generator, n: int) -> Floats:
        """n tokens, shape (n, d)."""
        return np.asarray(self.coordinate.sample(rng, (n, self.factor.shape[1])) @ self.factor.T)

    def log_mgf(self, a: NDArray[Any]) -> NDArray[Any]:
        """ln E e^{a.Z}, real or complex; -inf at a zero of the transform."""
        return self.coordinate.log_mgf(a @ self.factor).sum(-1)

    def tilted(self, a: Floats) -> tuple[Floats, Floats]:
        """Mean (..., d) and covariance (..., d, d) under the tilted law."""
        mean, variance = self.coordinate.tilted(a @ self.factor)
        return mean @ self.factor.T, (self.factor * variance[..., None, :]) @ self.factor.T

    def fourth_moment(self, W: Floats) -> float:
        """``E (Z'WZ)^2``."""
        gaussian, M = self._gaussian_fourth_moment(W)
        return gaussian + self.coordinate.excess * float(np.sum(np.diag(M) ** 2))
