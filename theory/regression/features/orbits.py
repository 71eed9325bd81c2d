"""Features that one finite orthogonal group carries into each other (our R12): cubes, polygons,
products of polygons, minimal vectors of lattices.

If the group acts absolutely irreducibly, tasks are exchangeable, classes equally likely and prompts
balanced, then training from Q = 0 stays at ``Q = lambda I`` (Schur's lemma), so that the squared
distances from one feature to the others decide everything. Losses are in units of sigma_f^2, and
times are those of the flow with ``eta sigma_f^2 = 1``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from theory.inputs.arrays import read_arrays
from theory.inputs.whole_numbers import read_whole

__all__ = ["LATTICES", "Orbit", "cube", "lattice", "polygon", "simplex", "torus"]

Floats = NDArray[np.float64]
#: Minimal vectors of a lattice: dimension, norm, and how many have each inner product with one of
#: them, from the largest down (Conway & Sloane, Sphere Packings, Lattices and Groups, Chapter 4 for
#: the root lattice E8; Chapters 4 and 10 for the Barnes-Wall lattice and for that of Leech).
LATTICES: dict[str, tuple[int, int, dict[int, int]]] = {
    "E8": (8, 2, {2: 1, 1: 56, 0: 126, -1: 56, -2: 1}),
    "BW16": (16, 4, {4: 1, 2: 280, 1: 1024, 0: 1710, -1: 1024, -2: 280, -4: 1}),
    "Leech": (24, 4, {4: 1, 2: 4600, 1: 47104, 0: 93150, -1: 47104, -2: 4600, -4: 1}),
}


@dataclass(frozen=True, eq=False)
class Orbit:
    """An orbit of features, or the product of some copies of one, by its distances."""

    #: Half the squared distances from a feature to the other features.
    half_squares: Floats
    #: How many features lie at each distance.
    multiplicities: Floats
    #: Dimension r of the space in which one copy lies.
    dimension: int
    copies: int = 1
    name: str = field(default="orbit")

    def __init__(
        self,
        half_squares: ArrayLike,
        multiplicities: ArrayLike,
        dimension: int,
        *,
        copies: int = 1,
        name: str = "orbit",
    ) -> None:
        distances, many = read_arrays(half_squares=(half_squares, "n"), multiplicities=(multiplicities, "n"))
        for what, array in {"half_squares": distances, "multiplicities": many}.items():
            if not (array > 0).all():
                raise ValueError(
                    f"{what} has the entry {array.min()}, but the features are distinct; leave out the "
                    "feature itself"
                )
        values = {
            "half_squares": distances,
            "multiplicities": many,
            "dimension": read_whole(
                "dimension", dimension, "it is the dimension of the space of the features"
            ),
            "copies": read_whole(
                "copies", copies, "it is the number of copies of which the features are the product"
            ),
            "name": name,
        }
        for key, value in values.items():
            object.__setattr__(self, key, value)  # the way into a frozen dataclass

    @property
    def K(self) -> int:
        """Number of features."""
        return (1 + round(float(self.multiplicities.sum()))) ** self.copies

    @property
    def r(self) -> int:
        """Dimension of the space that the features span."""
        return self.dimension * self.copies

    @property
    def margin(self) -> float:
        """The margin of our R11, ``Delta^2 / (2 sqrt r)`` with the least distance Delta."""
        return float(self.half_squares.min()) / float(np.sqrt(self.r))

    def _weights(self, lam: Any) -> tuple[Any, ...]:
        """``w``, ``1 - w``, ``|w|^2/w^2 - 1``, and minus the derivatives by lambda of ``D ln Z``
        and ``D ln Z_2``, where ``w = Z(lam)^-D`` is the attention on the query's own class, D the
        number of copies, ``Z = 1 + sum m e^(-lam h)`` and ``Z_2(lam) = Z(2 lam)``.
        """
        lam = np.asarray(lam, dtype=float)[..., None]
        h, m, D = self.half_squares, self.multiplicities, self.copies
        near, nearer = m * np.exp(-lam * h), m * np.exp(-2 * lam * h)
        rest, rest_2 = near.sum(axis=-1), nearer.sum(axis=-1)
        fall = D * (near * h).sum(axis=-1) / (1 + rest)
        fall_2 = 2 * D * (nearer * h).sum(axis=-1) / (1 + rest_2)
        logarithm = D * np.log1p(rest)
        return np.exp(-logarithm), -np.expm1(-logarithm), np.expm1(D * np.log1p(rest_2)), fall, fall_2

    def attention(self, lam: Any) -> Any:
        """Attention of a query on its own class at ``Q = lam I``."""
        return self._weights(lam)[0]

    def loss(self, lam: Any) -> Any:
        """The loss at ``Q = lam I``, ``(1 - 2 w_k + |w|^2) / 2``."""
        w, rest, excess, *_ = self._weights(lam)
        return (rest**2 + w**2 * excess) / 2

    def slope(self, lam: Any) -> Any:
        """Speed of lambda under the flow, ``-(1/r)`` times the derivative of the loss."""
        w, rest, excess, fall, fall_2 = self._weights(lam)
        return (w * fall * (rest - w * excess) + w**2 * (1 + excess) * fall_2 / 2) / self.r

    def lam(self, eps: float) -> float:
        """The lambda at which the attention on the own class is ``1 - eps >= 1/K``."""
        from scipy.optimize import brentq

        eps = float(read_arrays(eps=(eps, ""))[0])
        if not 0 < eps <= 1 - 1 / self.K:
            raise ValueError(
                f"eps = {eps} lies outside (0, 1 - 1/K] = (0, {1 - 1 / self.K}]; training starts at the "
                "attention 1/K"
            )
        far = 1.0
        while self._weights(far)[1] > eps:
            far *= 2
        start = float(self._weights(0.0)[1])
        return (
            0.0
            if eps >= start
            else float(brentq(lambda x: np.log(self._weights(x)[1] / eps), 0.0, far, xtol=1e-15))
        )

    def time(self, lam: float) -> float:
        """Time of the flow from Q = 0 to ``Q = lam I``, lam >= 0, in ``1/(eta sigma_f^2)``."""
        from scipy.integrate import quad

        lam = float(read_arrays(lam=(lam, ""))[0])
        if lam < 0:
            raise ValueError(
                f"lam = {lam} is negative, but training starts at 0 and increases it; pass a number from 0 on"
            )
        if lam == 0:
            return 0.0
        # In the logarithm of lambda every scale of the distances is as wide as any other. What lies
        # below e^-40 lam adds a share of e^-40, as the speed is nearly constant there.
        speed = lambda u: np.exp(u) / self.slope(np.exp(u))
        end = float(np.log(lam))
        return float(sum(quad(speed, end - k - 1, end - k, epsabs=0.0, epsrel=1e-12)[0] for k in range(40)))

    def attention_time(self, eps: float) -> float:
        """Time of the flow until a query's attention on its own class is ``1 - eps``, in units of
        ``1/(eta sigma_f^2)``.
        """
        return self.time(self.lam(eps))


def cube(d: int) -> Orbit:
    """The corners of the cube ``{-1, 1}^d``: ``2^d`` features, neighbours at distance 2."""
    return Orbit(
        [2.0], [1.0], 1, copies=read_whole("d", d, "it is the dimension of the cube"), name=f"cube in R^{d}"
    )


def polygon(m: int) -> Orbit:
    """The regular polygon with m >= 3 corners and side 1."""
    return torus(m, 1)


def torus(m: int, D: int) -> Orbit:
    """The product of D regular polygons with m corners and side 1: ``m^D`` features in R^(2D)."""
    read_whole("m", m, "it is the number of corners of a polygon", least=3)
    sines = np.sin(np.pi * np.arange(1, m) / m) / np.sin(np.pi / m)
    name = f"regular polygon with {m} corners" if D == 1 else f"product of {D} polygons with {m} corners"
    return Orbit(sines**2 / 2, np.ones(m - 1), 2, copies=D, name=name)


def simplex(K: int, distance: float = 1.0) -> Orbit:
    """K equiangular features of one norm whose mean is 0, such as a triangle or a tetrahedron, any
    two of them at the distance.
    """
    read_whole("K", K, "it is the number of classes", least=2)
    return Orbit([distance**2 / 2], [K - 1], K - 1, name=f"simplex with {K} corners")


def lattice(name: str) -> Orbit:
    """The minimal vectors of a lattice, "E8", "BW16" or "Leech", scaled to norm 1; the least
    distance is then 1.
    """
    if name not in LATTICES:
        raise ValueError(f"the lattice {name!r} is not known; pass one of {', '.join(LATTICES)}")
    r, norm, products = LATTICES[name]
    rest = {product: many for product, many in products.items() if product < norm}
    return Orbit(
        [1 - product / norm for product in rest], list(rest.values()), r, name=f"minimal vectors of {name}"
    )
