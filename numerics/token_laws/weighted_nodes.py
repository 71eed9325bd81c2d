"""A law as weighted nodes: the form in which exact sums, cubature and the search for the worst law
take expectations; and cubature rules for Gaussian laws, spheres and balls in one to three
dimensions.

The nodes are floats or Arb balls, and trailing axes are independent laws: one expression serves a
population of candidates, an edge case and a rational witness. The rules are exact far beyond
rounding for the smooth integrands of the bounds: Gauss and Hermite along each axis, equal weights
on circles, Gauss and Legendre along heights and radii.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["WeightedNodes", "ball_rule", "gaussian_rule", "sphere_rule"]

Array = npt.NDArray[Any]
#: Gauss-Hermite nodes on each axis in one, two and more dimensions.
HERMITE = {1: 60, 2: 40}
HERMITE_BEYOND = 24
#: Nodes on a circle, heights of circles on the sphere in R^3, and radii in a ball.
ON_CIRCLE, HEIGHTS, RADII = 48, 32, 24


@dataclass(frozen=True, eq=False)
class WeightedNodes:
    """Nodes and masses of a centred law on R^d, with a variance proxy; trailing axes are laws."""

    #: Shape (k, d, ...): the atoms of a discrete law, or the nodes of a cubature rule.
    nodes: Array
    #: Their positive weights (k, ...), with sum 1.
    masses: Array
    #: A number with ``E exp(v.Z) <= exp(sigma2 |v|^2 / 2)`` for every v.
    sigma2: Any

    @property
    def squares(self) -> Array:
        """``|z|^2`` at every node, shape (k, ...)."""
        return (self.nodes * self.nodes).sum(1)

    def mean(self, values: Array) -> Any:
        """The expectation of a function, given by its values at the nodes, shape (k, ...)."""
        return (self.masses * values).sum(0)

    def tilted(self, a: Array) -> WeightedNodes:
        """The law with density proportional to ``e^{a.z}``, for a of shape (d, ...).

        The variance proxy stays that of the original law, in whose terms the bounds are written.
        """
        score = (self.nodes * a).sum(1)
        # The largest score is subtracted lest floats overflow; Arb balls need no such care.
        w = self.masses * np.exp(score - score.max(0) if score.dtype != object else score)
        return WeightedNodes(self.nodes, w / w.sum(0), self.sigma2)

    def scaled(self, factor: float) -> WeightedNodes:
        """The law of ``factor * Z``."""
        return WeightedNodes(self.nodes * factor, self.masses, self.sigma2 * factor**2)


def gaussian_rule(factor: Array, sigma2: float) -> WeightedNodes:
    """The law of F g for a standard normal g in R^d; ``sigma2`` is the largest eigenvalue of F F'.

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
