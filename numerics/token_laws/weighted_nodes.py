"""A law as weighted nodes: the form in which exact sums, cubature and the search for the worst law
take expectations.

The nodes are floats or Arb balls, and trailing axes are independent laws, so that one expression
serves a population of candidates, a hostile law and a rational witness.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["WeightedNodes"]

Array = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class WeightedNodes:
    """Nodes and masses of a centred law on R^d, with a sub-Gaussian variance proxy.

    Parameters
    ----------
    nodes : ndarray, shape (k, d, ...)
        The atoms of a discrete law, or the nodes of a cubature rule.
    masses : ndarray, shape (k, ...)
        Their positive weights, with sum 1.
    sigma2 : scalar or ndarray, shape (...)
        A number with ``E exp(v.Z) <= exp(sigma2 |v|^2 / 2)`` for every v.

    Examples
    --------
    >>> law = WeightedNodes(np.array([[1.0], [-1.0]]), np.array([0.5, 0.5]), 1.0)
    >>> bool(np.isclose(law.tilted(np.array([1.0])).mean(law.nodes[:, 0]), np.tanh(1)))
    True
    """

    nodes: Array
    masses: Array
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
