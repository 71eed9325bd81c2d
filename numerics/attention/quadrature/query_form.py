"""Averages over a Gaussian query of functions of a quadratic form in it, by one-dimensional
quadrature in every dimension.

For x ~ N(0, I), A positive semidefinite and M_1, M_2, ... symmetric, E[g(x'Ax) x'M_1x x'M_2x ...]
is the integral of g against a function of one variable, whose Laplace transform is elementary: the
factor e^{-p x'Ax} turns x into N(0, R), R = (I + 2pA)^{-1}, up to the factor det(R)^{1/2}, and what
remains is a Gaussian moment.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "QuadraticFormLaw",
    "quadratic_form_averages",
    "quadratic_form_densities",
    "quadratic_form_law",
    "talbot_contour",
]

Floats = NDArray[np.float64]
Complex = NDArray[np.complex128]
Forms = Sequence[Floats]


@cache
def talbot_contour(dimension: int) -> tuple[Complex, Complex]:
    """Nodes and derivatives of Weideman's modified Talbot contour (SIAM J. Numer. Anal. 44, 2006),
    whose error falls like 3.89^-N. The transform falls like p^{-dimension/2}, which costs about one
    node a dimension. Only the upper half: the lower is conjugate.
    """
    N = 24 + 2 * ((dimension + 1) // 2)
    theta = (2 * np.arange(N // 2, N) + 1) * np.pi / N - np.pi
    a = 0.6407 * theta
    z = N * (0.5071 * theta / np.tan(a) - 0.6122 + 0.2645j * theta)
    return z, 0.5071 * (1 / np.tan(a) - a / np.sin(a) ** 2) + 0.2645j


@dataclass(frozen=True)
class QuadraticFormLaw:
    """Nodes and weights for integrals against the law of s = x'Ax."""

    #: Values of s.
    nodes: Floats
    #: Weights w with E g(s) = sum_i w_i g(s_i).
    density: Floats
    #: Weights v with E[g(s) x'Mx] = sum_i v_i g(s_i).
    moment: Floats


def _inverse_transforms(s: Floats, ratios: Floats, vectors: Floats, products: Sequence[Forms]) -> Floats:
    """The density of s / lambda_1 = sum_j ratios_j x_j^2 times e^{s/2}, with each product of forms
    as a factor: one row for each product. With the factor e^{s/2} all singularities lie on the
    negative axis, so that the tail keeps its relative accuracy.
    """
    from numerics.attention.quadrature.transform_kernel import inverse_transforms

    distinct = {id(M): M for forms in products for M in forms}
    turned = {name: vectors.T @ M @ vectors for name, M in distinct.items()}
    # The saddle of the integrand is at half the degrees of freedom of s: a contour far to the left
    # of it loses digits.
    freedom = float(ratios.sum() ** 2 / (ratios**2).sum())
    contour = talbot_contour(max(int(np.count_nonzero(ratios)), round(2 * freedom) - 24))
    return inverse_transforms(s, ratios, contour, [[turned[id(M)] for M in forms] for forms in products])


def quadratic_form_densities(s: Floats, A: Floats, products: Sequence[Forms]) -> Floats:
    """The density of x'Ax, x ~ N(0, I), at given positive values, with each product of forms as a
    factor, shape (n_products, n): ``E[g(x'Ax) prod_j x'M_jx]`` is the integral of g times it. For
    averages of functions that are known at these values only.
    """
    top, ratios, vectors = _spectrum(A)
    return _inverse_transforms(s / top, ratios, vectors, products) * np.exp(-s / (2 * top)) / top


def _spectrum(A: Floats) -> tuple[float, Floats, Floats]:
    """The largest eigenvalue of A, all of them over it, and the eigenvectors."""
    eigenvalues, vectors = np.linalg.eigh(A)
    top = float(eigenvalues[-1])
    if not top > 0:
        raise ValueError(
            "the quadratic form is zero: the score of every token vanishes for every query, and no "
            "quadrature is needed"
        )
    return top, np.where(eigenvalues > 1e-13 * top, eigenvalues / top, 0.0), vectors


def quadratic_form_averages(
    A: Floats,
    products: Sequence[Forms],
    *,
    log_reach: float = 0.0,
    step: float = 0.08,
    keep: Callable[[Floats, Floats], NDArray[np.bool_]] | None = None,
) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """Quadrature for E[g(x'Ax) prod_j x'M_jx], x ~ N(0, I), for several products of up to three
    symmetric matrices M_j and every smooth g: the nodes s = x'Ax, and weights with the average
    ``weights[i] @ g(nodes)``; with twice the weights at the ``even`` nodes alone one has the rule
    of twice the step, to see the error. The empty product gives E g.

    The integrand may exceed its typical size by e^{log_reach} in the tail: the nodes go that much
    further. The trapezoid rule of the step converges geometrically. ``keep`` says which nodes to
    keep, from the nodes and their weights in the law of s. For A = 0 there is nothing to integrate.

    E (x'x)^2 = d (d + 2) and E (x'x)^3 = d (d + 2) (d + 4), half of it read off from s:

    >>> one = np.eye(2)
    >>> nodes, weights, _ = quadratic_form_averages(one, [(one, one), (one, one, one)])
    >>> (weights @ np.ones_like(nodes)).round(6).tolist(), (weights[0] @ nodes).round(6).tolist()
    ([8.0, 48.0], 48.0)
    """
    top, ratios, vectors = _spectrum(A)
    rank = np.count_nonzero(ratios)
    x = np.arange(-4.4, np.log(2 * (40.0 + rank + log_reach)), step)
    # s -> 0 doubly exponentially at the left end, so that the square-root singularity of one degree
    # of freedom does no harm.
    s = np.exp(x - np.exp(-x))
    measure = np.exp(-s / 2) * s * (1 + np.exp(-x)) * step
    kept = np.ones(x.size, dtype=bool)
    if keep is not None:
        kept = keep(top * s, _inverse_transforms(s, ratios, vectors, [()])[0] * measure)
    weights = _inverse_transforms(s[kept], ratios, vectors, products) * measure[kept]
    return top * s[kept], weights, np.flatnonzero(kept) % 2 == 0


def quadratic_form_law(
    A: Floats, M: Floats, *, log_reach: float = 0.0, step: float = 0.08
) -> QuadraticFormLaw:
    """`quadratic_form_averages` of E[g(x'Ax)] and E[g(x'Ax) x'Mx]."""
    nodes, (density, moment), _ = quadratic_form_averages(A, [(), (M,)], log_reach=log_reach, step=step)
    return QuadraticFormLaw(nodes=nodes, density=density, moment=moment)
