"""The loss of an attention window in plain NumPy, as a second route to the compiled one: the terms
as they stand in the definition, which cancel, on a fixed fine grid.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from theory.attention.window.classes import Spectrum
from theory.attention.window.gegenbauer import polynomials

__all__ = ["plain_spread", "plain_window_loss"]

Floats = NDArray[np.float64]
#: The logarithm of a number that is 0 among floats, with room for rounding.
NOTHING = -800.0
_rule = lru_cache(maxsize=8)(np.polynomial.legendre.leggauss)


@lru_cache(maxsize=8)
def _sphere(d: int, nodes: int) -> tuple[Floats, Floats]:
    """Heights t of points on the sphere and their weights, by the trapezoid rule in the angle for a
    periodic density or Gauss's rule.
    """
    y, weights = _rule(nodes)
    angle = math.pi / 2 * (1 + y)
    weights = weights * np.sin(angle) ** (d - 2)
    return np.cos(angle), weights / weights.sum()


def _parts(d: int, n: int, w: float, nodes: int, step: float) -> Iterator[tuple[Floats, Floats, Floats]]:
    """At some values of r after others, in rows: ``u = rW`` at the heights, ``e^{-u}`` times their
    weights, and the logarithm of its mean m. They end where ``n^2 m^{n-2}``, which falls with r,
    is 0 among floats.
    """
    t, weights = _sphere(d, nodes)
    v = np.arange(-math.log(n) - 30.0, 4 * w + 6.0, step)
    for part in np.array_split(v, max(1, len(v) // 200)):
        u = np.exp(np.minimum(part[:, None] - 2 * w * (1 - t), 300.0))  # e^{-u} is 0 there
        e = weights * np.exp(-u)
        gap = weights @ -np.expm1(-u.T)  # 1 - m: its n-th power would enlarge the rounding of m
        log_m = np.where(gap < 0.5, np.log1p(-np.minimum(gap, 0.5)), np.log(e.sum(1)))
        yield u, e, log_m
        if n > 2 and 2 * math.log(n) + (n - 2) * log_m[-1] < NOTHING:
            return


def plain_window_loss(
    spectrum: Spectrum, n: int, w: float, noise: float = 0.0, *, nodes: int = 800, step: float = 0.2
) -> float:
    """The loss ``v (1 + D) - 2 sum b_k A_k + sum b_k B_k + sigma^2 D`` over k >= 1, with
    ``D = E sum gamma_i^2``, ``A_k = E sum gamma_i P_k(t_i)`` and
    ``B_k = E sum_{i != j} gamma_i gamma_j P_k(t_i) P_k(t_j)``, v the sum of the b_k; degrees that
    the list leaves out count with means of P_k equal to 0. ``nodes`` are those of the law of a
    token, ``step`` that of the integral over log r; w above some hundred makes the nodes too
    coarse.
    """
    t, _ = _sphere(spectrum.d, nodes)
    P = polynomials(spectrum.d, len(spectrum.b) - 1, t)[1:]
    b = spectrum.b[1:]
    D, A, B = 0.0, np.zeros(len(b)), np.zeros(len(b))
    for u, e, log_m in _parts(spectrum.d, n, w, nodes, step):
        ones = n * np.exp((n - 1) * log_m) * step
        D += float(ones @ (u * u * e).sum(1))
        means = (u * e) @ P.T
        # n E[r W P_k e^{-rW}] m^{n-1}: one factor r more than 1/X needs, which is dv = dr/r.
        A += ones @ means
        if n > 1:
            B += n * (n - 1) * step * np.exp((n - 2) * log_m) @ means**2
    varying = spectrum.varying
    return float(varying * (1 + D) - 2 * b @ A + b @ B + noise * D)


def plain_spread(d: int, n: int, w: float, *, nodes: int = 800, step: float = 0.2) -> float:
    """The mean of ``sum gamma_i |x_i - x|^2``, which no signal term of a task with the Lipschitz
    constant 1 exceeds.
    """
    t, _ = _sphere(d, nodes)
    out = 0.0
    for u, e, log_m in _parts(d, n, w, nodes, step):
        out += float(n * np.exp((n - 1) * log_m) * step @ ((u * e) @ (2 * (1 - t))))
    return out
