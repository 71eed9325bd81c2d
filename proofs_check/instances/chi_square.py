"""Means over the chi-square law of functions with at most one kink, by two routes: for Lemma F.1 of
Boursier & Boyer and our repair of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

Floats = NDArray[np.float64]
Function = Callable[[Floats], Floats]
#: Panels in ln z, and Gauss's rule on each.
PANELS, RULE = 120, np.polynomial.legendre.leggauss(8)


def _density(d: int, z: Floats) -> Floats:
    """Return the density of chi-square with d degrees of freedom with respect to ln z."""
    return np.exp(d / 2 * np.log(z) - z / 2 - d / 2 * math.log(2) - gammaln(d / 2))


def mean_over_chi_square(d: int, f: Function, kink: float = 1.0) -> float:
    """Return E f(z), by Gauss's rule on panels of ln z, one of whose ends is at the kink."""
    ends = np.unique(np.append(np.linspace(-90 / d - 5, 9, PANELS), math.log(kink)))
    x, w = RULE
    half = np.diff(ends)[:, None] / 2
    z = np.exp(ends[:-1, None] + half * (1 + x))
    return float((half * w * _density(d, z) * f(z)).sum())


def mean_by_quad(d: int, f: Function, kink: float = 1.0, peak: float = 1.0) -> float:
    """Return the same by adaptive quadrature in z, which is split at the kink and beside a peak."""
    from scipy.integrate import quad

    integrand = lambda z: float(_density(d, np.asarray(z)) * f(np.asarray(z)) / z) if z > 0 else 0.0
    ends = sorted({0.0, kink, peak, 4 * peak, 40 * peak + 400.0})
    return sum(float(quad(integrand, a, b, epsabs=0, epsrel=1e-12, limit=400)[0]) for a, b in pairwise(ends))
