"""Moments of a token under every tilt of its law, real or complex, up to order four: what the exact
errors at one query need to know of the law.

In coordinates g with Z = F g, scores ``b.g`` (b = F'Uz) and a centre h, the moments of y = g - h
are

    E[e^{t b.g}],  E[e^{t b.g} y],  E[e^{t b.g} yy'],
    E[e^{t b.g} (y'My) y],  E[e^{t b.g} y'Wy y'Xy]

for complex t. The last two are contracted with symmetric matrices M, W, X (``matrices``: W first,
then the X), so that no tensor of order three or four is ever held. All are combinations of few
functions of t: nine for a radial law in every dimension, about r^2/2 for a law of r independent
coordinates.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from numerics.token_laws.coordinates import Coordinate
from numerics.token_laws.radial import sphere_derivatives

__all__ = [
    "AtomicMoments",
    "Basis",
    "IndependentMoments",
    "RadialMoments",
    "TiltedMoments",
    "entrywise_basis",
]

Floats = NDArray[np.float64]
Complex = NDArray[np.complex128]
#: Accuracy of closed forms, as a natural logarithm: integrals are followed to e^{-DIGITS}.
DIGITS = 40.0


@dataclass(frozen=True, eq=False)
class Basis:
    """How the moments are put together from the functions of t."""

    #: Shape (n1, r); ``second`` has the shape (n2, r, r).
    first: Floats
    second: Floats
    #: (n3, r) for each matrix M.
    third: Sequence[Floats]
    #: (n4,) for each X, together with W, the first of the M.
    fourth: Sequence[Floats]

    @property
    def parts(self) -> tuple[slice, slice, slice, slice, slice]:
        """The slices of the functions that belong to the moments of order 0 to 4."""
        ends = np.cumsum([0, 1, len(self.first), len(self.second), len(self.third[0]), len(self.fourth[0])])
        a, b, c, d, e = (slice(int(i), int(j)) for i, j in pairwise(ends))
        return a, b, c, d, e


class TiltedMoments(Protocol):
    """The moments of a law of tokens at one query: one class for each kind of law."""

    @property
    def basis(self) -> Basis:
        """How the moments are put together from the functions."""
        ...

    @property
    def digits(self) -> float:
        """Integrals of the functions along a line are followed to e^{-digits} of their maximum."""
        ...

    def log_mgf(self, t: Floats) -> Floats:
        """``K(t) = ln E e^{t b.g}`` for real t."""
        ...

    def functions(self, t: Complex) -> Complex:
        """The functions at t, of shape (n, size), all times ``e^{-K(Re t)}``."""
        ...


def entrywise_basis(r: int, matrices: int) -> Basis:
    """The basis whose functions are the entries of the moments themselves; of the second moments
    those on and above the diagonal, row by row.
    """
    i, j = np.triu_indices(r)
    second = np.zeros((i.size, r, r))
    second[np.arange(i.size), i, j] = second[np.arange(i.size), j, i] = 1.0
    third = np.eye(matrices * r).reshape(matrices, r, matrices * r).transpose(0, 2, 1)
    return Basis(np.eye(r), second, tuple(third), tuple(np.eye(matrices - 1)))


@dataclass(frozen=True, eq=False)
class IndependentMoments:
    """Moments of g with independent coordinates."""

    coordinate: Coordinate
    b: Floats
    h: Floats
    matrices: Sequence[Floats]
    digits = DIGITS

    @property
    def basis(self) -> Basis:
        return entrywise_basis(self.b.size, len(self.matrices))

    def log_mgf(self, t: Floats) -> Floats:
        return np.asarray(self.coordinate.log_mgf(np.asarray(t)[..., None] * self.b).sum(axis=-1))

    def functions(self, t: Complex) -> Complex:
        shift, e = self.coordinate.moments(t[:, None] * self.b, self.h)
        whole = np.exp(shift.sum(axis=1) - self.log_mgf(t.real)) * e[..., 0].prod(axis=1)
        m1, m2, m3, m4 = (e[..., n] / e[..., 0] for n in range(1, 5))
        # The coordinates stay independent under a complex tilt: moments of quadratic forms follow
        # from their (complex) means and cumulants.
        variance = m2 - m1 * m1
        skew = m3 - 3 * m1 * m2 + 2 * m1**3
        excess = m4 - 4 * m3 * m1 - 3 * m2 * m2 + 12 * m2 * m1 * m1 - 6 * m1**4
        i, j = np.triu_indices(self.b.size)
        second = m1[:, i] * m1[:, j]
        second[:, i == j] += variance
        along = [m1 @ M for M in self.matrices]
        # The means of y'My.
        size = [variance @ np.diag(M) + (m1 * Mm).sum(axis=1) for M, Mm in zip(self.matrices, along)]
        third = [
            skew * np.diag(M) + 2 * variance * Mm + m1 * s[:, None]
            for M, Mm, s in zip(self.matrices, along, size)
        ]
        W, Wm = self.matrices[0], along[0]
        fourth = []
        for X, Xm, s in zip(self.matrices[1:], along[1:], size[1:]):
            pairs = 2 * ((variance @ (W * X)) * variance).sum(axis=1) + 4 * (variance * Wm * Xm).sum(axis=1)
            cubes = 2 * (skew * (np.diag(W) * Xm + Wm * np.diag(X))).sum(axis=1)
            fourth.append(size[0] * s + pairs + cubes + excess @ (np.diag(W) * np.diag(X)))
        return whole[:, None] * np.hstack([np.ones((t.size, 1)), m1, second, *third, np.stack(fourth, -1)])


@dataclass(frozen=True, eq=False)
class RadialMoments:
    """Moments of g uniform on the sphere of radius sqrt q in R^q, or of its projection to r < q
    dimensions (for q = r + 2 uniform in a ball), about h = centre b/|b|.
    """

    q: int
    b: Floats
    centre: float
    matrices: Sequence[Floats]
    digits = DIGITS

    @property
    def basis(self) -> Basis:
        """The nine functions are the moments 1; x; xx, cc; xxx, xcc; xxxx, xxcc, ccdd, where x is y
        along b, and c, d are two coordinates across b.
        """
        u = self.b / np.linalg.norm(self.b) if self.b.any() else np.eye(self.b.size)[0]
        P = np.eye(u.size) - np.outer(u, u)
        uMu, trace = [u @ M @ u for M in self.matrices], [float(np.sum(P * M)) for M in self.matrices]
        third = [np.stack([s * u, t * u + 2 * P @ M @ u]) for M, s, t in zip(self.matrices, uMu, trace)]
        W, ww, tw = self.matrices[0], uMu[0], trace[0]
        fourth = [
            np.array([ww * s, ww * t + s * tw + 4 * u @ W @ P @ X @ u, tw * t + 2 * np.sum((P @ W @ P) * X)])
            for X, s, t in zip(self.matrices[1:], uMu[1:], trace[1:])
        ]
        return Basis(u[None], np.stack([np.outer(u, u), P]), third, fourth)

    def log_mgf(self, t: Floats) -> Floats:
        shift, D = sphere_derivatives(self.q, (np.asarray(t, dtype=float) * np.linalg.norm(self.b)) ** 2, 1)
        return np.asarray(shift + np.log(D[..., 0].real))

    def functions(self, t: Complex) -> Complex:
        s, c = t * np.linalg.norm(self.b), self.centre
        shift, derivatives = sphere_derivatives(self.q, s * s)
        D0, D1, D2, D3, D4 = (2**n * derivatives[:, n] for n in range(5))  # (d/ds / s)^n
        x = [D0, s * D1, D1 + s**2 * D2, 3 * s * D2 + s**3 * D3, 3 * D2 + 6 * s**2 * D3 + s**4 * D4]
        across = [D1, s * D2, D2 + s**2 * D3]
        about = lambda raw, n: sum(math.comb(n, j) * (-c) ** (n - j) * raw[j] for j in range(n + 1))
        columns = [
            D0,
            about(x, 1),
            about(x, 2),
            D1,
            about(x, 3),
            about(across, 1),
            about(x, 4),
            about(across, 2),
            D2,
        ]
        return np.exp(shift - self.log_mgf(t.real))[:, None] * np.stack(columns, -1)


@dataclass(frozen=True, eq=False)
class AtomicMoments:
    """Moments of g on finitely many points (n, r)."""

    points: Floats
    weights: Floats
    b: Floats
    h: Floats
    matrices: Sequence[Floats]
    digits = DIGITS

    @property
    def basis(self) -> Basis:
        return entrywise_basis(self.b.size, len(self.matrices))

    @cached_property
    def values(self) -> Floats:
        """The functions at each point, shape (n, size)."""
        y = self.points - self.h
        i, j = np.triu_indices(self.b.size)
        squares = [((y @ M) * y).sum(axis=1) for M in self.matrices]
        third = [s[:, None] * y for s in squares]
        return np.hstack(
            [
                np.ones((len(y), 1)),
                y,
                y[:, i] * y[:, j],
                *third,
                squares[0][:, None] * np.stack(squares[1:], -1),
            ]
        )

    @cached_property
    def log_w(self) -> Floats:
        """The logarithms of the weights w at the points: the scores less ln E e^{score}."""
        return np.asarray(self.points @ self.b - self.log_mgf(np.ones(1)))

    def log_mgf(self, t: Floats) -> Floats:
        score = np.asarray(t, dtype=float)[..., None] * (self.points @ self.b)
        top = score.max(axis=-1)
        return np.asarray(top + np.log(np.exp(score - top[..., None]) @ self.weights))

    def functions(self, t: Complex) -> Complex:
        score = t[:, None] * (self.points @ self.b) - self.log_mgf(t.real)[:, None]
        return np.asarray((np.exp(score) * self.weights) @ self.values)
