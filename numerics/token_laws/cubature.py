"""Cubature rules for the continuous laws among the hostile ones: Gaussian, sphere and ball in one
to three dimensions.

The rules are exact far beyond rounding for the smooth integrands of the bounds: Gauss and Hermite
along each axis, equal weights on circles, Gauss and Legendre along heights and radii.
"""

from __future__ import annotations

import itertools

import numpy as np
import numpy.typing as npt

from numerics.token_laws.weighted_nodes import WeightedNodes

__all__ = ["ball_rule", "gaussian_rule", "sphere_rule"]

Array = npt.NDArray[np.float64]
#: Gauss-Hermite nodes on each axis in one, two and more dimensions.
HERMITE = {1: 60, 2: 40}
HERMITE_BEYOND = 24
#: Nodes on a circle, heights of circles on the sphere in R^3, and radii in a ball.
ON_CIRCLE, HEIGHTS, RADII = 48, 32, 24


def gaussian_rule(factor: Array, sigma2: float) -> WeightedNodes:
    """The law of F g for a standard normal g in R^d.

    Parameters
    ----------
    factor : ndarray, shape (d, d)
    sigma2 : float
        The largest eigenvalue of F F'.

    Returns
    -------
    WeightedNodes

    Examples
    --------
    >>> law = gaussian_rule(np.eye(1), 1.0)
    >>> bool(np.isclose(law.mean(law.squares**4), 105))
    True
    """
    d = len(factor)
    points, mass = np.polynomial.hermite_e.hermegauss(HERMITE.get(d, HERMITE_BEYOND))
    grid = np.array(list(itertools.product(points, repeat=d)))
    masses = np.prod(np.array(list(itertools.product(mass / mass.sum(), repeat=d))), axis=1)
    return WeightedNodes(grid @ factor.T, masses, sigma2)


def sphere_rule(d: int) -> WeightedNodes:
    """The uniform law on the sphere of radius sqrt(d) in R^d, for d = 1, 2, 3; its variance proxy
    is 1.

    Examples
    --------
    >>> law = sphere_rule(3)
    >>> bool(np.isclose(law.mean(law.nodes[:, 2] ** 4), 9 / 5))
    True
    """
    if d == 1:
        nodes, masses = np.array([[1.0], [-1.0]]), np.array([0.5, 0.5])
    else:
        angle = 2 * np.pi * np.arange(ON_CIRCLE) / ON_CIRCLE
        circle = np.stack([np.cos(angle), np.sin(angle)], axis=1)
        nodes, masses = circle, np.full(ON_CIRCLE, 1 / ON_CIRCLE)
        if d == 3:
            height, mass = np.polynomial.legendre.leggauss(HEIGHTS)
            ring = np.sqrt(1 - height**2)[:, None, None] * circle
            heights = np.broadcast_to(height[:, None, None], (HEIGHTS, ON_CIRCLE, 1))
            nodes = np.concatenate([ring, heights], axis=2).reshape(-1, 3)
            masses = np.repeat(mass / 2, ON_CIRCLE) / ON_CIRCLE
    return WeightedNodes(nodes * np.sqrt(d), masses, 1.0)


def ball_rule(d: int) -> WeightedNodes:
    """The uniform law in the ball of radius sqrt(d + 2) in R^d, for d = 1, 2, 3; its variance proxy
    is 1.

    Examples
    --------
    >>> law = ball_rule(2)
    >>> bool(np.isclose(law.mean(law.squares), 2))
    True
    """
    surface = sphere_rule(d)
    points, mass = np.polynomial.legendre.leggauss(RADII)
    radius, weight = (points + 1) / 2, mass / 2 * d * ((points + 1) / 2) ** (d - 1)
    scale = np.sqrt((d + 2) / d)
    nodes = (scale * radius[:, None, None] * surface.nodes).reshape(-1, d)
    return WeightedNodes(nodes, (weight[:, None] * surface.masses).ravel(), 1.0)
