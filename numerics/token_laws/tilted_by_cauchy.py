"""Mean and covariance of a tilted law from the log-mgf alone, for laws that a user brings.

Derivatives of an analytic function are integrals over a circle (Cauchy), which the trapezoidal rule
computes to rounding where differences would lose half of the digits.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["mean_from_log_mgf", "moments_along", "scale_of", "tilted_from_log_mgf"]

Floats = NDArray[np.float64]
LogMgf = Callable[[NDArray[Any]], NDArray[Any]]
#: Radius of the circle in units of 1 / scale, its number of nodes, and the step of the central
#: difference that guesses the mean, in radii.
RADIUS, NODES, STEP = 0.5, 32, 0.1
#: Complex numbers held at a time.
MOST_NUMBERS = 1_000_000
#: The longest a at which a log-mgf is tried: tokens smaller than its inverse count as 0.
LONGEST = 1e100


def scale_of(log_mgf: LogMgf, d: int) -> float:
    """The size of tokens that a log-mgf shows, roughly between the standard deviation and sigma:
    1/t for the t at which ``ln E e^{t Z_i} + ln E e^{-t Z_i}`` is about 1 for some i; 0 for the
    point mass at 0.
    """
    axes = np.concatenate([np.eye(d), -np.eye(d)])
    low, t, high = 0.0, 1.0, math.inf  # the sum of the two increases with t
    while 0 < t < LONGEST:
        with np.errstate(all="ignore"):
            K = np.real(log_mgf(t * axes))
        size = float((K[:d] + K[d:]).max()) if np.isfinite(K).all() else math.inf
        if 0.5 <= size <= 2 or high <= low * (1 + 1e-6):
            break
        low, high = (t, high) if size < 1 else (low, t)
        t = math.sqrt(low * high) if low and high < math.inf else t / 8 if size > 1 else t * 8
    return 1 / t if 0 < t < LONGEST else 0.0


def moments_along(log_mgf: LogMgf, directions: Floats, order: int) -> Floats:
    """``E (u.Z)^order``, order at most 8, for unit vectors u (n, d), by a Cauchy integral."""
    scale = scale_of(log_mgf, directions.shape[1])
    if scale == 0:
        return np.zeros(len(directions))
    h = RADIUS / scale * _half_circle()[:, None]
    f = np.exp(log_mgf(h[..., None] * directions))
    return np.asarray((f / h**order).real.mean(0) * math.factorial(order))


def tilted_from_log_mgf(log_mgf: LogMgf, a: Floats) -> tuple[Floats, Floats]:
    """The first two derivatives of an analytic log-mgf, (..., d) and (..., d, d): mean and
    covariance of the tilted law. ``h -> E_a exp(h u.(Z - m))`` under it is entire, however the
    branches of the logarithm lie: its coefficients on a circle around 0 are the moments of u.Z, for
    every coordinate u and every sum of two.

    Both to about 1e-12 in units of `scale_of`, where the tilted law does not reach further than ten
    of these from its mean; the error grows with the size of the log-mgf (1e-9 where that is 1e6).
    """
    d = a.shape[-1]
    scale = scale_of(log_mgf, d)
    if scale == 0:
        return np.zeros(a.shape), np.zeros((*a.shape, d))
    first, second = np.triu_indices(d, 1)
    directions = np.vstack([np.eye(d), (np.eye(d)[first] + np.eye(d)[second]) / np.sqrt(2)])
    guess, c = _along(log_mgf, a.reshape(-1, d), directions, scale, RADIUS)
    variance = c[1] - c[0] ** 2
    covariance = variance[:, :d, None] * np.eye(d)
    mixed = variance[:, d:] - (variance[:, first] + variance[:, second]) / 2
    covariance[:, first, second] = covariance[:, second, first] = mixed
    return (guess + c[0, :, :d]).reshape(a.shape), covariance.reshape(*a.shape, d)


def mean_from_log_mgf(log_mgf: LogMgf, a: Floats, *, radius: float = RADIUS) -> Floats:
    """The mean alone, as `tilted_from_log_mgf` gives it, at a fraction of the cost, from a circle
    whose radius is in units of 1 / `scale_of`.

    >>> mean_from_log_mgf(lambda a: (a * a).sum(-1) / 2, np.array([3.0, 4.0])).round(9).tolist()
    [3.0, 4.0]
    """
    d = a.shape[-1]
    scale = scale_of(log_mgf, d)
    if scale == 0:
        return np.zeros(a.shape)
    guess, c = _along(log_mgf, a.reshape(-1, d), np.eye(d), scale, radius)
    return (guess + c[0]).reshape(a.shape)


def _along(
    log_mgf: LogMgf, points: Floats, directions: Floats, scale: float, radius: float
) -> tuple[Floats, Floats]:
    """Rough tilted means (n, d), and the first two moments of u.(Z - mean) for every direction u,
    (2, n, number of directions).
    """
    d, nudge = points.shape[1], STEP * radius / scale
    h = radius / scale * _half_circle()[:, None, None]
    c = np.empty((2, len(points), len(directions)))
    guess = np.empty_like(points)
    rows = max(1, MOST_NUMBERS // (h.size * d * len(directions)))
    columns = max(1, MOST_NUMBERS // (h.size * d))
    for i in range(0, len(points), rows):
        some = points[i : i + rows, None]
        with np.errstate(all="ignore"):
            rough = (log_mgf(some + nudge * np.eye(d)) - log_mgf(some - nudge * np.eye(d))).real / (2 * nudge)
        guess[i : i + rows] = rough
        for j in range(0, len(directions), columns):
            u = directions[j : j + columns]
            with np.errstate(all="ignore"):
                f = np.exp(log_mgf(some + h[..., None] * u) - log_mgf(some + 0j) - h * (rough @ u.T))
            for k in (1, 2):
                c[k - 1, i : i + rows, j : j + columns] = (f / h**k).real.mean(0) * k
    if not np.isfinite(c).all():
        bad = points[~np.isfinite(c).all(axis=(0, 2))][0]
        raise ValueError(
            f"log_mgf is not finite near a = {bad.tolist()!r:.200}; write it so that it does not overflow "
            "there, for example ln cosh x = |Re x| + ln((1 + exp(-2 |Re x|)) / 2) with the sign of Re x "
            "taken out"
        )
    return guess, c


def _half_circle() -> NDArray[np.complex128]:
    """Nodes on the upper half of the unit circle; the lower half gives the complex conjugates."""
    return np.asarray(np.exp(1j * np.pi * (2 * np.arange(NODES // 2) + 1) / NODES))
