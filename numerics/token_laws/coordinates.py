"""A coordinate of mean 0 and variance 1, of which tokens with independent coordinates are made: one
class for each kind, with all that engines ask of it.

Transforms are written so that they neither overflow nor cancel. Another kind is another class, in
`COORDINATES`; the compiled sampler of `numerics.attention.sampled` draws it by a quantile function.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from numerics.token_laws.kinds import check_law

__all__ = ["COORDINATES", "Coordinate", "coordinate"]

Floats = NDArray[np.float64]
Complex = NDArray[np.complex128]
#: The uniform law on [-H, H] has variance 1.
H = math.sqrt(3.0)
#: Terms of the series of the uniform law's transform for |t| < 1/2.
TERMS = 10
#: Up to which ``|t| H`` the mean of the tilted uniform law is summed as a series, which converges
#: below pi, and the number of its terms.
MEAN_SERIES, MEAN_TERMS = 1.0, 18
#: Up to which ``|t| H`` moments of the tilted uniform law are summed at these Gauss points, since
#: the closed form cancels there.
SMALL_TILT, GAUSS_RULE = 3.0, np.polynomial.legendre.leggauss(24)


class Coordinate(ABC):
    """The law of one coordinate g."""

    #: What the law of such coordinates is called.
    name: str
    #: ``E g^4 - 3``.
    excess: float

    @abstractmethod
    def sample(self, rng: np.random.Generator, shape: tuple[int, int]) -> Floats:
        """Independent coordinates."""

    @abstractmethod
    def log_mgf(self, t: NDArray[Any]) -> NDArray[Any]:
        """``ln E e^{tg}``, up to a multiple of 2 pi i, for real or complex t. Relatively accurate
        near t = 0; -inf at a zero of the transform.
        """

    @abstractmethod
    def tilted(self, t: Floats) -> tuple[Floats, Floats]:
        """Mean and variance under ``e^{tg} / M(t)``: M'/M and its derivative."""

    @abstractmethod
    def moments(self, t: Complex, h: Floats) -> tuple[Floats, Complex]:
        """``E[e^{tg} (g - h)^n]``, n = 0 to 4: the logarithm of a common factor, and the rest, of
        shape (..., 5).
        """


class Normal(Coordinate):
    """Standard normal."""

    name, excess = "gaussian", 0.0

    def sample(self, rng: np.random.Generator, shape: tuple[int, int]) -> Floats:
        return rng.standard_normal(shape)

    def log_mgf(self, t: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(t * t / 2)

    def tilted(self, t: Floats) -> tuple[Floats, Floats]:
        return t, np.ones_like(t)

    def moments(self, t: Complex, h: Floats) -> tuple[Floats, Complex]:
        m, shift = t - h, (t * t).real / 2  # N(t, 1) times e^{t^2/2}
        plain = [np.ones_like(m), m, m * m + 1, m**3 + 3 * m, m**4 + 6 * m * m + 3]
        return shift, np.stack(plain, -1) * np.exp(t * t / 2 - shift)[..., None]


class Bounded(Coordinate):
    """A symmetric law on [-scale, scale]."""

    scale: float

    @abstractmethod
    def _without_growth(self, tau: NDArray[Any], decay: NDArray[Any], near: NDArray[Any]) -> NDArray[Any]:
        """``e^{-tau} M``, of which only what is not `near` 0 counts."""

    @abstractmethod
    def _near_zero(self, t: NDArray[Any]) -> NDArray[Any]:
        """``M - 1`` near t = 0."""

    def log_mgf(self, t: NDArray[Any]) -> NDArray[Any]:
        shape, t = np.shape(t), np.atleast_1d(t)
        tau = self.scale * t
        # The transform is even, so that the growing exponential can be taken out as tau.
        tau = np.where(tau.real < 0, -tau, tau)
        decay, near = np.exp(-2 * tau), np.abs(t) < 0.5
        with np.errstate(divide="ignore"):
            value = tau + np.log(self._without_growth(tau, decay, near))
        # Near 0 the logarithm would lose the digits of a number close to 1, which log1p keeps.
        value[near] = np.log1p(self._near_zero(t[near]))
        return np.asarray(value.reshape(shape))

    def _ends(self, t: Complex, h: Floats) -> tuple[Any, ...]:
        """In units of the scale: t, the centre, ``|Re t|``; ``e^{tg - |Re t|} / 2`` at the ends."""
        x, eta = t * self.scale, h / self.scale
        shift = np.abs(x.real)
        return x, eta, shift, np.exp(x - shift) / 2, np.exp(-x - shift) / 2


class Sign(Bounded):
    """1 or -1, each with probability 1/2."""

    name, excess, scale = "rademacher", -2.0, 1.0

    def sample(self, rng: np.random.Generator, shape: tuple[int, int]) -> Floats:
        return np.asarray(2.0 * rng.integers(0, 2, shape) - 1)

    def _without_growth(self, tau: NDArray[Any], decay: NDArray[Any], near: NDArray[Any]) -> NDArray[Any]:
        return (1 + decay) / 2

    def _near_zero(self, t: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(2 * np.sinh(t / 2) ** 2)

    def tilted(self, t: Floats) -> tuple[Floats, Floats]:
        decay = np.exp(-2 * np.abs(t))
        return np.tanh(t), 4 * decay / (1 + decay) ** 2

    def moments(self, t: Complex, h: Floats) -> tuple[Floats, Complex]:
        _, eta, shift, up, down = self._ends(t, h)
        return shift, np.stack([(1 - eta) ** n * up + (-1 - eta) ** n * down for n in range(5)], -1)


class Uniform(Bounded):
    """Uniform on [-sqrt 3, sqrt 3]."""

    name, excess, scale = "uniform", -1.2, H

    def sample(self, rng: np.random.Generator, shape: tuple[int, int]) -> Floats:
        return rng.uniform(-H, H, shape)

    def _without_growth(self, tau: NDArray[Any], decay: NDArray[Any], near: NDArray[Any]) -> NDArray[Any]:
        return (1 - decay) / (2 * np.where(near, 1.0, tau))

    def _near_zero(self, t: NDArray[Any]) -> NDArray[Any]:
        series = [1 / math.factorial(2 * m + 1) for m in range(TERMS, 0, -1)]
        return np.asarray(np.polyval([*series, 0.0], (H * t) ** 2))

    def tilted(self, t: Floats) -> tuple[Floats, Floats]:
        from scipy.special import zeta

        shape, t = np.shape(t), np.atleast_1d(t)
        tau = H * t
        near = np.abs(tau) < MEAN_SERIES
        safe, decay = np.where(near, 1.0, tau), np.where(near, 0.0, np.exp(-2 * np.abs(t) * H))
        mean = 1 / np.tanh(safe) - 1 / safe
        variance = (1 / safe) ** 2 - 4 * decay / (1 - decay) ** 2
        # Near 0 the poles of coth x and 1/x cancel; the series of their difference has no poles:
        # coth x - 1/x = sum 2 (-1)^{n+1} zeta(2n) / pi^{2n} x^{2n-1}.
        c = [2 * (-1) ** (n + 1) * float(zeta(2 * n)) / math.pi ** (2 * n) for n in range(MEAN_TERMS, 0, -1)]
        square = tau[near] ** 2
        mean[near] = tau[near] * np.polyval(c, square)
        variance[near] = np.polyval([(2 * n - 1) * v for n, v in zip(range(MEAN_TERMS, 0, -1), c)], square)
        return H * mean.reshape(shape), 3 * variance.reshape(shape)

    def moments(self, t: Complex, h: Floats) -> tuple[Floats, Complex]:
        x, eta, shift, up, down = self._ends(t, h)
        near = np.abs(x) <= SMALL_TILT
        safe = np.where(near, 1.0, x)
        J = [(up - down) / safe]
        for n in range(1, 5):
            J.append(((1 - eta) ** n * up - (-1 - eta) ** n * down - n * J[-1]) / safe)
        u, w = GAUSS_RULE
        small = np.exp(x[near][:, None] * u - shift[near][:, None]) * (w / 2)
        for n in range(5):
            J[n][near] = (small * (u - np.broadcast_to(eta, x.shape)[near][:, None]) ** n).sum(axis=1)
        return shift, np.stack([H**n * J[n] for n in range(5)], -1)


#: By the kind that laws name.
COORDINATES: Mapping[str, Coordinate] = {"normal": Normal(), "sign": Sign(), "uniform": Uniform()}


def coordinate(kind: str) -> Coordinate:
    """The coordinates of a kind; a ValueError if nobody has written them.

    >>> coordinate("sign").excess
    -2.0
    """
    check_law(kind, COORDINATES, "this engine")
    return COORDINATES[kind]
