"""The harmonics of the sphere, the Gegenbauer polynomials P_k, with P_k(1) = 1, and the Bessel
functions of which their means are made.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln, ive

__all__ = ["harmonics", "polynomials", "scaled_bessel"]

Floats = NDArray[np.float64]
#: From this argument on Hankel's expansion, with so many terms, is exact to rounding for the orders
#: that spheres up to dimension 10 000 have; a little beyond, SciPy answers nan.
LARGE, TERMS = 1e9, 10


def harmonics(d: int, k: Any) -> Any:
    """The dimension of the harmonics of degree k on the sphere in R^d, for one k or an array."""
    k = np.asarray(k, dtype=float)
    with np.errstate(invalid="ignore", divide="ignore"):
        later = np.exp(gammaln(k + d - 2) - gammaln(k + 1) - gammaln(d - 1)) * (2 * k + d - 2)
    return np.where(k == 0, 1.0, np.where(d == 2, 2.0, later))


def polynomials(d: int, K: int, t: ArrayLike) -> Floats:
    """The Gegenbauer polynomials P_0, ..., P_K with P_k(1) = 1 at points, shape (K + 1, n)."""
    x = np.atleast_1d(np.asarray(t, dtype=float))
    P = np.ones((K + 1, len(x)))
    if K:
        P[1] = x
    for k in range(1, K):
        P[k + 1] = ((2 * k + d - 2) * x * P[k] - k * P[k - 1]) / (k + d - 2)
    return P


def scaled_bessel(order: ArrayLike, x: ArrayLike) -> Floats:
    """The Bessel function ``e^{-x} I_order(x)`` for every x >= 0, however large: it tends to
    ``(2 pi x)^{-1/2}``.
    """
    nu, x = np.broadcast_arrays(np.asarray(order, dtype=float), np.asarray(x, dtype=float))
    large = np.where(x > LARGE, x, np.inf)
    term = series = np.ones(x.shape)
    for k in range(1, TERMS):
        term = term * ((2 * k - 1) ** 2 - 4 * nu**2) / (8 * k * large)
        series = series + term
    return np.where(x > LARGE, series / np.sqrt(2 * np.pi * large), ive(nu, np.minimum(x, LARGE)))
