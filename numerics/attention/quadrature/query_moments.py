"""Averages E[g(s) x_i^2 x_j^2] over a Gaussian query x, s = sum_i lambda_i x_i^2, of one function
of s for all i and j at once: for the risk of in-context regression and its gradient. In the
eigenbasis of the quadratic form odd moments vanish and E[g(s) xx'] is diagonal, so that one
inversion of Laplace transforms serves every moment of the second and of the fourth order.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from numerics.attention.quadrature.query_form import talbot_contour

__all__ = ["QueryMoments", "query_moments"]

Floats = NDArray[np.float64]
Complex = NDArray[np.complex128]
#: Logarithm of s / top below which values are not resolved: their probability is about
#: e^{SMALLEST_LOG / 2}, the size of rounding.
SMALLEST_LOG = -70.0
#: Logarithm of a probability that is left out.
NEGLIGIBLE_LOG_MASS = -45.0


@dataclass(frozen=True, eq=False)
class QueryMoments:
    """Averages over x ~ N(0, I) of functions of ``s = sum_i lambda_i x_i^2`` at the nodes s."""

    s: Floats
    _weights: Complex  # (n, contour)
    _variances: Complex  # (n, contour, d): of x_i under the tilt e^{-ps}, on the contour

    def mean(self, g: Floats) -> float:
        """``E g(s)``."""
        return float(self._weights.imag.sum(axis=1) @ g)

    def second(self, g: Floats) -> Floats:
        """``E[g(s) x_i^2]``, shape (d,)."""
        return np.asarray(((self._weights * g[:, None]).ravel() @ self._flat).imag)

    def fourth(self, g: Floats) -> Floats:
        """``E[g(s) x_i^2 x_j^2]``, shape (d, d)."""
        pairs = self._flat.T @ ((self._weights * g[:, None]).reshape(-1, 1) * self._flat)
        return np.asarray(pairs.imag + 2 * np.diag(np.diag(pairs.imag)))

    @property
    def _flat(self) -> Complex:
        """The variances as a matrix, one row for each node and point of the contour."""
        return self._variances.reshape(-1, self._variances.shape[-1])


def query_moments(eigenvalues: Floats, *, log_reach: float = 0.0, step: float = 0.16) -> QueryMoments:
    """Quadrature for averages over x ~ N(0, I) of smooth functions of ``sum_i lambda_i x_i^2``,
    with one node s = 0 if all eigenvalues vanish. Relative errors are near 1e-13 up to a dozen
    dimensions, and in more if the eigenvalues are of one size; of a hundred that are not, 1e-8.

    The integrand may exceed its typical size by e^{log_reach} in the tail: the nodes go that much
    further. The step of the trapezoid rule in ln s is made smaller where s is concentrated.
    """
    top = float(eigenvalues.max())
    if not top > 0:
        return QueryMoments(
            np.zeros(1), np.full((1, 1), 1j), np.ones((1, 1, eigenvalues.size), dtype=complex)
        )
    ratios = np.where(eigenvalues > 1e-13 * top, eigenvalues / top, 0.0)
    rank = int(np.count_nonzero(ratios))
    # The density of s / top changes where s is as small as an eigenvalue, and g(s) where s is about
    # 1: down to there x is the logarithm. Then s -> 0 doubly exponentially, so that the square-root
    # singularity of one degree of freedom does no harm.
    least = max(min(np.log(ratios[ratios > 0].min()), -np.log(top)), SMALLEST_LOG)
    # In ln s a chi-squared law of k degrees of freedom, tilted to where e^{log_reach} counts, is
    # (k/2 + log_reach)^{-1/2} wide.
    step = min(step, 0.6 / np.sqrt(rank / 2 + log_reach))
    x = np.arange(-4.4 + least, np.log(2 * (40.0 + rank + log_reach)), step)
    bend = np.exp(least - x)
    log_s = x - bend
    # Left of s the mass is at most prod_i min(1, sqrt(s / ratio_i)): many dimensions need no nodes
    # there.
    log_mass = np.minimum(log_s[:, None] - np.log(ratios[ratios > 0]), 0).sum(axis=1) / 2
    bend, log_s = bend[log_mass > NEGLIGIBLE_LOG_MASS], log_s[log_mass > NEGLIGIBLE_LOG_MASS]
    s = np.exp(log_s)
    measure = np.exp(-s / 2) * (1 + bend) * step
    # The saddle of the integrand is at half the degrees of freedom of s: a contour far to the left
    # of it loses digits.
    freedom = float(ratios.sum() ** 2 / (ratios**2).sum())
    z, dz = talbot_contour(max(rank, round(2 * freedom) - 24))
    p = z / s[:, None]
    # e^{s/2} is taken out: all singularities lie on the negative axis.
    factors = (1 - ratios) + 2 * ratios * p[..., None]
    # The product of a hundred roots is no float any more; logarithms take twice the time.
    tilt = 1 / np.sqrt(factors).prod(axis=-1) if rank <= 100 else np.exp(-np.log(factors).sum(axis=-1) / 2)
    weights = 2 * measure[:, None] * dz * np.exp(z) * tilt
    return QueryMoments(top * s, weights, 1 / factors)
