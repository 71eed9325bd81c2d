"""The harmonics of the sphere and the Gegenbauer polynomials P_k, with P_k(1) = 1."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln

__all__ = ["harmonics", "polynomials"]

Floats = NDArray[np.float64]


def harmonics(d: int, k: Any) -> Any:
    """The dimension of the harmonics of degree k on the sphere in R^d, for one k or an array.

    Examples
    --------
    >>> [int(harmonics(3, k)) for k in range(4)], int(harmonics(2, 5))
    ([1, 3, 5, 7], 2)
    """
    k = np.asarray(k, dtype=float)
    with np.errstate(invalid="ignore", divide="ignore"):
        later = np.exp(gammaln(k + d - 2) - gammaln(k + 1) - gammaln(d - 1)) * (2 * k + d - 2)
    return np.where(k == 0, 1.0, np.where(d == 2, 2.0, later))


def polynomials(d: int, K: int, t: ArrayLike) -> Floats:
    """The Gegenbauer polynomials P_0, ..., P_K with P_k(1) = 1 at points, shape (K + 1, n).

    Examples
    --------
    >>> polynomials(3, 2, [0.5])[:, 0].tolist()
    [1.0, 0.5, -0.125]
    """
    x = np.atleast_1d(np.asarray(t, dtype=float))
    P = np.ones((K + 1, len(x)))
    if K:
        P[1] = x
    for k in range(1, K):
        P[k + 1] = ((2 * k + d - 2) * x * P[k] - k * P[k - 1]) / (k + d - 2)
    return P
