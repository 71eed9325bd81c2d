"""Tokens F g whose coordinates g are independent and of one kind: standard normal, signs, or
uniform on [-sqrt 3, sqrt 3]. Their log-mgf is a sum over coordinates, and mean and variance of the
tilted law are its first two derivatives, written so that they neither overflow nor cancel.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from numerics.token_laws.kinds import check_law
from theory.inputs.arrays import read_covariance
from theory.inputs.spectrum import AGREED, covariance_factor, exact_rank, spectrum

__all__ = ["Independent", "Linear", "coordinate_log_mgf", "coordinate_tilted"]

Floats = NDArray[np.float64]
#: The uniform law on [-H, H] has variance 1.
H = math.sqrt(3.0)
#: What a law with signs for coordinates is called; the other kinds give the law their name.
NAMES = {"sign": "rademacher"}
#: Terms of the series of the uniform law's transform for |t| < 1/2.
TERMS = 10
#: Up to which ``|t| H`` the mean of the tilted uniform law is summed as a series, which converges
#: below pi, and the number of its terms.
MEAN_SERIES, MEAN_TERMS = 1.0, 18


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
        F = A @ self.factor
        return type(self)(self.kind, F, {"kind": NAMES.get(self.kind, self.kind), "factor": F.tolist()})


class Independent(Linear):
    """The law of F g, where g has iid coordinates: normal, signs, or uniform."""

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
        check_law(self.kind, ("normal", "sign", "uniform"), "the sampler")
        shape = (n, self.factor.shape[1])
        if self.kind == "normal":
            return np.asarray(rng.standard_normal(shape) @ self.factor.T)
        g = 2.0 * rng.integers(0, 2, shape) - 1 if self.kind == "sign" else rng.uniform(-H, H, shape)
        return np.asarray(g @ self.factor.T)

    def log_mgf(self, a: NDArray[Any]) -> NDArray[Any]:
        """ln E e^{a.Z}, real or complex; -inf at a zero of the transform."""
        return coordinate_log_mgf(self.kind, a @ self.factor).sum(-1)

    def tilted(self, a: Floats) -> tuple[Floats, Floats]:
        """Mean (..., d) and covariance (..., d, d) under the tilted law."""
        mean, variance = coordinate_tilted(self.kind, a @ self.factor)
        return mean @ self.factor.T, (self.factor * variance[..., None, :]) @ self.factor.T


def coordinate_log_mgf(kind: str, t: NDArray[Any]) -> NDArray[Any]:
    """``ln E e^{tg}`` of one coordinate, ``"normal"``, ``"sign"`` or ``"uniform"``, up to a
    multiple of 2 pi i, for real or complex t. Relatively accurate near t = 0; -inf at a zero of the
    transform.
    """
    check_law(kind, ("normal", "sign", "uniform"), "the log-mgf")
    shape, t = np.shape(t), np.atleast_1d(t)
    if kind == "normal":
        return np.asarray(t * t / 2).reshape(shape)
    tau = t if kind == "sign" else H * t
    # Both transforms are even, so that the growing exponential can be taken out as tau.
    tau = np.where(tau.real < 0, -tau, tau)
    decay, near = np.exp(-2 * tau), np.abs(t) < 0.5
    with np.errstate(divide="ignore"):
        inside = (1 + decay) / 2 if kind == "sign" else (1 - decay) / (2 * np.where(near, 1.0, tau))
        value = tau + np.log(inside)
    # Near 0 the logarithm would lose the digits of a number close to 1, which log1p keeps.
    x = t[near]
    if kind == "sign":
        excess = 2 * np.sinh(x / 2) ** 2
    else:
        excess = np.polyval(
            [1 / math.factorial(2 * m + 1) for m in range(TERMS, 0, -1)] + [0.0], (H * x) ** 2
        )
    value[near] = np.log1p(excess)
    return value.reshape(shape)


def coordinate_tilted(kind: str, t: Floats) -> tuple[Floats, Floats]:
    """Mean and variance of the coordinate under ``e^{tg} / M(t)``, M'/M and its derivative."""
    from scipy.special import zeta

    check_law(kind, ("normal", "sign", "uniform"), "the tilted law")
    if kind == "normal":
        return t, np.ones_like(t)
    shape, t = np.shape(t), np.atleast_1d(t)
    decay = np.exp(-2 * np.abs(t) * (1.0 if kind == "sign" else H))
    if kind == "sign":
        return np.tanh(t).reshape(shape), (4 * decay / (1 + decay) ** 2).reshape(shape)
    tau = H * t
    near = np.abs(tau) < MEAN_SERIES
    safe = np.where(near, 1.0, tau)
    mean = 1 / np.tanh(safe) - 1 / safe
    variance = (1 / safe) ** 2 - 4 * np.where(near, 0.0, decay) / (1 - np.where(near, 0.0, decay)) ** 2
    # Near 0 the poles of coth x and 1/x cancel; the series of their difference has no poles:
    # coth x - 1/x = sum 2 (-1)^{n+1} zeta(2n) / pi^{2n} x^{2n-1}.
    c = [2 * (-1) ** (n + 1) * float(zeta(2 * n)) / math.pi ** (2 * n) for n in range(MEAN_TERMS, 0, -1)]
    square = tau[near] ** 2
    mean[near] = tau[near] * np.polyval(c, square)
    variance[near] = np.polyval([(2 * n - 1) * v for n, v in zip(range(MEAN_TERMS, 0, -1), c)], square)
    return H * mean.reshape(shape), 3 * variance.reshape(shape)
