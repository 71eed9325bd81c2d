"""How long the attention of Li, Duan & Liang trains on a family of features: times of the flow from
Q = 0 to an attention or a loss, in units of ``1/(eta sigma_f^2)`` and losses in units of sigma_f^2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from numerics.regression.features.flow import attention_flow
from numerics.regression.features.margin import attention_margin
from theory.regression.features.data import FeatureRegression
from theory.regression.features.orbits import Orbit, cube, lattice, polygon, torus
from theory.regression.features.reduced import ReducedAttention

__all__ = ["FAMILIES", "Clock", "Features", "OrbitClock", "RandomClock", "families"]

Floats = NDArray[np.float64]
FAMILIES = ("orthonormal", "equiangular", "cube", "polygon", "torus", "lattice", "random")
#: Random features are integrated, at a cost that grows like K^3 or more.
MOST_RANDOM = 32
#: Times of that integration, which reach an attention of 1 - 1e-4.
RANDOM_TIMES = np.geomspace(1e-2, 1e12, 1401)


class Clock(Protocol):
    """What tells the times of one choice of features, for events that lie ahead at Q = 0."""

    def attention_time(self, eps: float) -> float:
        """Time until the attention of every query on its own class is ``1 - eps``."""

    def loss_time(self, level: float) -> float:
        """Time until the loss has fallen to a level."""


@dataclass(frozen=True)
class OrbitClock:
    """The clock of an orbit, whose training is one number lambda (our R12)."""

    orbit: Orbit

    def attention_time(self, eps: float) -> float:
        """Time until the attention on the own class is ``1 - eps``."""
        return self.orbit.attention_time(eps)

    def loss_time(self, level: float) -> float:
        """Time until the loss has fallen to a level."""
        from scipy.optimize import brentq

        orbit, far = self.orbit, 1.0
        while orbit.loss(far) > level:
            far *= 2
        return float(
            orbit.time(brentq(lambda lam: np.log(orbit.loss(lam) / level), 0.0, far, xtol=1e-14, rtol=1e-14))
        )


class RandomClock:
    """The clock of K random features of norm 1 in R^K, read off an integration of the flow."""

    def __init__(self, K: int, seed: int) -> None:
        from scipy.spatial.distance import pdist

        V = np.random.default_rng([seed, K]).standard_normal((K, K))
        V /= np.linalg.norm(V, axis=0)
        path = attention_flow(FeatureRegression(V, np.eye(K)), RANDOM_TIMES)
        rest = np.array([1 - np.diag(w) for w in path.attention])
        self.Delta = float(pdist(V.T).min())
        self.first_half = self._when(rest.min(axis=1), 0.5)
        self._rest: Floats = rest.max(axis=1)
        self._loss: Floats = path.loss
        self._gamma = attention_margin(V).value

    def attention_time(self, eps: float) -> float:
        """Time until the least attention of a query on its own class is ``1 - eps``."""
        return self._when(self._rest, eps)

    def loss_time(self, level: float) -> float:
        """Time until the loss has fallen to a level."""
        return self._when(self._loss, level)

    def late(self, t: float) -> float:
        """``4 gamma^2 t loss(t)`` with the margin gamma of our R11, which tends to 1."""
        return 4 * self._gamma**2 * t * float(np.interp(t, RANDOM_TIMES, self._loss))

    @staticmethod
    def _when(falling: Floats, level: float) -> float:
        """The first time at which a quantity that falls in the end has a level; nan if none."""
        i = int(np.argmax(falling <= level))
        if falling[i] > level:
            return float("nan")
        if i == 0:
            return 0.0
        pair = slice(i - 1, i + 1)
        return float(np.exp(np.interp(-np.log(level), -np.log(falling[pair]), np.log(RANDOM_TIMES[pair]))))


@dataclass(frozen=True)
class Features:
    """One choice of features with its clock."""

    #: One of `FAMILIES`.
    family: str
    name: str
    K: int
    #: Their least distance.
    Delta: float
    clock: Clock


def families(classes: Sequence[int], seed: int) -> list[Features]:
    """Every choice of features with a number of classes that is asked for, from 4 on, and the
    lattices: a cube has a power of two of them, a torus a square, and random features are at most
    32.
    """
    found: list[Features] = []
    for K in classes:
        d, m = K.bit_length() - 1, round(K**0.5)
        found.append(Features("orthonormal", "orthonormal", K, 2**0.5, ReducedAttention(K, 1.0)))
        found.append(Features("equiangular", "equiangular", K, 1.0, ReducedAttention(K, 0.25)))
        if 2**d == K:
            found.append(Features("cube", f"cube in dimension {d}", K, 2.0, OrbitClock(cube(d))))
        found.append(Features("polygon", f"regular polygon with {K} corners", K, 1.0, OrbitClock(polygon(K))))
        if m * m == K and m >= 3:
            found.append(
                Features("torus", f"product of 2 polygons with {m} corners", K, 1.0, OrbitClock(torus(m, 2)))
            )
        if K <= MOST_RANDOM:
            clock = RandomClock(K, seed)
            found.append(Features("random", "random, norm 1", K, clock.Delta, clock))
    for name in ("E8", "BW16", "Leech"):
        orbit = lattice(name)
        found.append(Features("lattice", f"minimal vectors of {name}", orbit.K, 1.0, OrbitClock(orbit)))
    return found
