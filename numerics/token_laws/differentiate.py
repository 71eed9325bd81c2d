"""Mean and covariance of a tilted law from its log-mgf alone, by Cauchy integrals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["tilted_from_log_mgf"]

Floats = NDArray[np.float64]
LogMgf = Callable[[NDArray[Any]], NDArray[Any]]
#: Radius of the circle in units of 1 / sigma, its number of nodes, and the step of the first guess of the mean.
RADIUS, NODES, STEP = 0.5, 32, 0.05
#: Complex numbers handled at a time.
CHUNK = 1_000_000


def tilted_from_log_mgf(log_mgf: LogMgf, sigma: float, a: Floats) -> tuple[Floats, Floats]:
    """The first two derivatives of an analytic log-mgf.

    ``h -> E_a exp(h u.(Z - m))`` under the tilted law is entire, however the branches of the logarithm lie: its coefficients on a
    circle around 0 are the moments of u.Z, for every coordinate u and every sum of two.

    Parameters
    ----------
    log_mgf : callable
        (..., d) complex -> (...).
    sigma : float
        The sub-Gaussian parameter, which sets the radius.
    a : ndarray, shape (..., d)

    Returns
    -------
    mean : ndarray, shape (..., d)
    covariance : ndarray, shape (..., d, d)
        Both to about 1e-12 in units of sigma, where the tilted law does not reach further than 10 sigma from its mean; the error
        grows with the size of the log-mgf (1e-9 where that is 1e6).

    Raises
    ------
    ValueError
        If the log-mgf is not finite around a.

    Examples
    --------
    >>> mean, covariance = tilted_from_log_mgf(lambda a: (a * a).sum(-1) / 2, 1.0, np.array([[3.0, 4.0]]))
    >>> np.allclose(mean, [[3, 4]]), np.allclose(covariance, np.eye(2))
    (True, True)
    """
    d = a.shape[-1]
    if sigma == 0:
        return np.zeros(a.shape), np.zeros((*a.shape, d))
    first, second = np.triu_indices(d, 1)
    directions = np.vstack([np.eye(d), (np.eye(d)[first] + np.eye(d)[second]) / np.sqrt(2)])
    angle = np.pi * (2 * np.arange(NODES // 2) + 1) / NODES  # the lower half circle gives the complex conjugates
    circle = RADIUS / sigma * np.exp(1j * angle)
    means, covariances = [], []
    for point in a.reshape(-1, d):
        nudge = STEP / sigma * np.eye(d)
        guess = (log_mgf(point + nudge) - log_mgf(point - nudge)).real / (2 * STEP / sigma)
        c = np.empty((2, len(directions)))
        step = max(1, CHUNK // (circle.size * d))
        for start in range(0, len(directions), step):
            u = directions[start : start + step]
            h = circle[:, None]
            with np.errstate(all="ignore"):
                f = np.exp(log_mgf(point + h[..., None] * u) - log_mgf(point + 0j) - h * (u @ guess))
            for k in (1, 2):
                c[k - 1, start : start + step] = (f / h**k).real.mean(0) * k
        if not np.isfinite(c).all():
            raise ValueError(
                f"log_mgf is not finite near a = {point.tolist()!r:.200}; write it so that it does not overflow there, "
                "for example ln cosh x = |Re x| + ln((1 + exp(-2 |Re x|)) / 2) with the sign of Re x taken out"
            )
        variance = c[1] - c[0] ** 2
        covariance = np.diag(variance[:d])
        mixed = variance[d:] - (variance[first] + variance[second]) / 2
        covariance[first, second] = covariance[second, first] = mixed
        means.append(guess + c[0, :d])
        covariances.append(covariance)
    return np.reshape(means, a.shape), np.reshape(covariances, (*a.shape, d))
