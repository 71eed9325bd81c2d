"""Averages over a Gaussian query of functions of a quadratic form, by quadrature.

For x ~ N(0, I) and A, M positive semidefinite, E[g(x'Ax)] and E[g(x'Ax) x'Mx] are integrals of g against two functions of one
variable whose Laplace transforms are elementary: in an eigenbasis of A the cross terms of M vanish by symmetry, and a factor x_j^2
turns the chi^2 of one degree of freedom in direction j into one of three.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["QuadraticFormLaw", "quadratic_form_law"]

Floats = NDArray[np.float64]


def _contour(dimension: int) -> tuple[NDArray[np.complex128], NDArray[np.complex128]]:
    """Nodes and derivatives of Weideman's modified Talbot contour (SIAM J. Numer. Anal. 44, 2006), whose error falls like 3.89^-N.

    The transform falls like p^{-dimension/2}, which costs about one node a dimension.
    """
    N = 24 + 2 * ((dimension + 1) // 2)
    theta = (2 * np.arange(N) + 1) * np.pi / N - np.pi
    a = 0.6407 * theta
    z = N * (0.5071 * theta / np.tan(a) - 0.6122 + 0.2645j * theta)
    return z, 0.5071 * (1 / np.tan(a) - a / np.sin(a) ** 2) + 0.2645j


@dataclass(frozen=True)
class QuadraticFormLaw:
    """Nodes and weights for integrals against the law of s = x'Ax.

    Parameters
    ----------
    nodes : array, shape (n,)
        Values of s.
    density : array, shape (n,)
        Weights w with E g(s) = sum_i w_i g(s_i).
    moment : array, shape (n,)
        Weights v with E[g(s) x'Mx] = sum_i v_i g(s_i).
    """

    nodes: Floats
    density: Floats
    moment: Floats


def _inverse_transform(s: Floats, ratios: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Density of s / lambda_1 = sum_j ratios_j x_j^2 times e^{s/2} and the same with the factor sum_j weights_j x_j^2.

    With the exponential taken out all singularities lie on the negative axis, and the tail keeps its relative accuracy.
    """
    z, dz = _contour(len(ratios))
    p = z / s[:, None]
    factors = (1 - ratios) + 2 * ratios * p[..., None]
    plain = dz * np.exp(z - np.log(factors).sum(axis=-1) / 2)
    with_moment = plain * (weights / factors).sum(axis=-1)
    return plain.sum(axis=1).imag / s, with_moment.sum(axis=1).imag / s


def quadratic_form_law(A: Floats, M: Floats, *, log_reach: float = 0.0, step: float = 0.08) -> QuadraticFormLaw:
    """Quadrature for E[g(x'Ax)] and E[g(x'Ax) x'Mx], x ~ N(0, I), g smooth and of at most the growth that ``log_reach`` allows for.

    Parameters
    ----------
    A, M : array, shape (d, d)
        Symmetric positive semidefinite, A not zero.
    log_reach : float
        The integrand may exceed its typical size by e^{log_reach} in the tail: the nodes go that much further.
    step : float
        Step of the trapezoid rule, which converges geometrically; halve it to see the error.

    Returns
    -------
    QuadraticFormLaw

    Raises
    ------
    ValueError
        If A = 0 (then s = 0 surely and there is nothing to integrate).

    Examples
    --------
    >>> law = quadratic_form_law(np.diag([2.0, 1.0]), np.diag([1.0, 0.0]))
    >>> [round(float(v), 9) for v in (law.density.sum(), law.density @ law.nodes, law.moment.sum())]  # 1, trace A, trace M
    [1.0, 3.0, 1.0]
    """
    eigenvalues, vectors = np.linalg.eigh(A)
    top = float(eigenvalues[-1])
    if not top > 0:
        raise ValueError(
            "the quadratic form is zero: the score of every token vanishes for every query, and no quadrature is needed"
        )
    kept = eigenvalues > 1e-13 * top
    weights = np.einsum("ij,ik,kj->j", vectors, M, vectors)
    x = np.arange(-4.4, np.log(2 * (40.0 + kept.sum() + log_reach)), step)
    # s -> 0 doubly exponentially at the left end, so that the square-root singularity of one degree of freedom does no harm.
    s = np.exp(x - np.exp(-x))
    density, moment = _inverse_transform(s, eigenvalues[kept] / top, weights[kept])
    moment += weights[~kept].sum() * density  # directions that A does not see are independent of s
    measure = np.exp(-s / 2) * s * (1 + np.exp(-x)) * step
    return QuadraticFormLaw(nodes=top * s, density=density * measure, moment=moment * measure)
