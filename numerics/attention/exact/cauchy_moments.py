"""Moments of a tilted law from its log-mgf alone, for `exact.any_law`: derivatives by
Cauchy's formula on circles, and moments of several coordinates by polarisation.

The moment generating function of a sub-Gaussian law is entire. Its values at a + rho e^{i phi} u,
on a circle along the direction u, give E[e^{a.Z} (u.Z - m)^n] for n = 0 to 4. The centre m is the
mean under the tilt Re a: with it no value on the circle is much larger than the moments, and little
is lost to rounding. Products of linear forms combine such powers, as in
``xy = ((x + y)^2 - (x - y)^2)/4``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
from numpy.typing import NDArray

from numerics.attention.exact.tilted_moments import Basis, entrywise_basis

__all__ = ["CauchyMoments"]

Floats = NDArray[np.float64]
Complex = NDArray[np.complex128]
#: Points on a circle, and its radius in units of 1/sigma. The rule confuses the n-th with the (n +
#: 20)-th power; for a Gaussian law the latter adds 3e-16.
POINTS, RADIUS = 20, 0.5
#: Complex numbers held in memory at once.
NUMBERS_AT_ONCE = 1_000_000


@dataclass(frozen=True, eq=False)
class CauchyMoments:
    """A law on R^d of which the log-mgf and a sub-Gaussian parameter are known."""

    #: ``log_mgf`` of complex arguments, (..., d) to (...).
    transform: Callable[[NDArray[Any]], NDArray[Any]]
    sigma: float
    b: Floats
    h: Floats
    #: W first, then the X, of shape (d, d).
    matrices: Sequence[Floats]
    digits = 30.0

    @property
    def basis(self) -> Basis:
        return entrywise_basis(self.b.size, len(self.matrices))

    def log_mgf(self, t: Floats) -> Floats:
        return np.asarray(self.transform(np.asarray(t, dtype=float)[..., None] * self.b)).real

    def functions(self, t: Complex) -> Complex:
        units, table = self._polarised
        reals, which = np.unique(t.real, return_inverse=True)
        size = self.log_mgf(reals)
        plain = self._powers(reals.astype(complex), size, np.zeros((reals.size, len(units))))
        means = (plain[:, :, 1] / plain[:, :, 0]).real
        about = self._powers(t, size[which], means[which])
        step = (means - units @ self.h)[which]
        moments = [
            sum(math.comb(n, j) * step ** (n - j) * about[:, :, j] for j in range(n + 1)) for n in range(5)
        ]
        return np.asarray(np.tensordot(np.stack(moments, -1), table, axes=2))

    @cached_property
    def _polarised(self) -> tuple[Floats, Floats]:
        """Unit vectors u, and the coefficients of the functions in the moments E[e^{t b.Z}
        (u.y)^n]: shape (n_u, 5, size).
        """
        d, axes = self.b.size, np.eye(self.b.size)
        forms = [_squares(M) for M in self.matrices]
        columns: list[list[tuple[float, int, Floats]]] = [[(1.0, 0, axes[0])]]
        columns += [[(1.0, 1, e)] for e in axes]
        for i, j in combinations_with_replacement(range(d), 2):
            e, f = axes[i], axes[j]
            columns.append([(1.0, 2, e)] if i == j else [(0.25, 2, e + f), (-0.25, 2, e - f)])
        for form in forms:
            columns += [
                [(c * a / 6, 3, u) for a, x in form for c, u in ((1, x + e), (-1, x - e), (-2, e))]
                for e in axes
            ]
        for form in forms[1:]:
            pairs = [(a * b / 12, x, y) for a, x in forms[0] for b, y in form]
            columns.append(
                [(c * s, 4, u) for s, x, y in pairs for c, u in ((1, x + y), (1, x - y), (-2, x), (-2, y))]
            )
        known: dict[tuple[float, ...], tuple[int, Floats]] = {}
        entries = []
        for column, terms in enumerate(columns):
            for c, n, u in terms:
                length = float(np.linalg.norm(u))
                if length < 1e-12:
                    continue
                unit = u / length * (1 if u[np.abs(u).argmax()] > 0 else -1)
                known.setdefault(key := tuple((np.round(unit, 10) + 0.0).tolist()), (len(known), unit))
                index, unit = known[key]
                entries.append((index, n, column, c * (length if unit @ u > 0 else -length) ** n))
        table = np.zeros((len(known), 5, len(columns)))
        for i, n, column, c in entries:
            table[i, n, column] += c
        return np.array([unit for _, unit in known.values()]), table

    def _powers(self, t: Complex, log_size: Floats, means: Floats) -> Complex:
        """The moments ``E[e^{t b.Z} (u.Z - mean)^n] e^{-log_size}``, shape (n, n_u, 5)."""
        units, _ = self._polarised
        circle = RADIUS / self.sigma * np.exp(2j * np.pi * np.arange(POINTS) / POINTS)
        read = np.stack([math.factorial(n) * circle**-n / POINTS for n in range(5)], -1)
        away = units[:, None, :] * circle[:, None]
        out = np.empty((t.size, len(units), 5), complex)
        batch = max(1, NUMBERS_AT_ONCE // away.size)
        for first in range(0, t.size, batch):
            rows = slice(first, first + batch)
            exponent = self.transform(t[rows, None, None, None] * self.b + away) - log_size[rows, None, None]
            out[rows] = np.exp(exponent - means[rows, :, None] * circle) @ read
        return out


def _squares(M: Floats) -> list[tuple[float, Floats]]:
    """Pairs (a, x) with M = sum a xx', without those of a = 0."""
    values, vectors = np.linalg.eigh(M)
    scale = max(float(np.abs(values).max()), 1e-300)
    return [(float(a), x) for a, x in zip(values, vectors.T) if abs(a) > 1e-15 * scale]
