"""Averages over many Gaussian queries on one grid of score variances: the moments of the softmax
weights are computed once, and only the law of the score variance changes from query to query.

With ``y = sqrt(s)`` the moments vary over distances of order 1 in y, and laws of small variance
live where y is small. So the nodes are equidistant in x with ``y = ln(1 + e^x)``: geometric near 0
and equidistant far from it, where trapezoid sums converge geometrically.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from numerics.attention.quadrature.query_form import quadratic_form_densities
from numerics.attention.quadrature.softmax_weights import softmax_moments

__all__ = ["STEP", "CommonNodes", "common_nodes"]

Floats = NDArray[np.float64]
#: Step and start of the nodes in x.
STEP, START = 0.2, -12.0
#: Below this variance the moments are linear in it, to ten digits, and it has little mass.
LINEAR = 1e-5


class CommonNodes(NamedTuple):
    """Nodes in s, the first of which is 0, and the moments there."""

    lengths: Floats
    #: Nodes, and weights ``ds`` of the integral over s.
    s: Floats
    ds: Floats
    #: ``E sum p^2``, (n, n_lengths).
    P2: Floats
    #: ``P2 + 6 P3 - 6 Q``, (n, n_lengths).
    b: Floats

    def averages(self, A: Floats, *forms: Floats) -> Floats:
        """Weights of ``E g(x'Ax)`` and of ``E[g(x'Ax) x'Mx]`` for each form M, x standard normal: a
        row times the values of g at the nodes is the average.
        """
        out = np.zeros((1 + len(forms), self.s.size))
        if float(np.abs(A).max()) > 0:
            out[:, 1:] = quadratic_form_densities(self.s[1:], A, [(), *((M,) for M in forms)]) * self.ds[1:]
        # What lies below the first positive node, or everything without scores, is at s = 0.
        out[:, 0] = np.array([1.0, *map(np.trace, forms)]) - out.sum(axis=1)
        return out


@cache
def common_nodes(lengths: tuple[float, ...], largest: float, step: float = STEP) -> CommonNodes:
    """The nodes up to the largest score variance asked for, kept; another step shows the error."""
    x = np.arange(START, np.sqrt(largest) + step, step)
    y = np.log1p(np.exp(x))
    s = np.append(0.0, y**2)
    ds = np.append(0.0, 2 * y * step / (1 + np.exp(-x)))
    L = np.array(lengths)
    small = s < LINEAR
    m = softmax_moments(np.append([0.0, LINEAR], s[~small])[:, None], L)
    found = []
    for moment in (np.asarray(m.P2), np.asarray(m.P2) + 6 * (np.asarray(m.P3) - np.asarray(m.Q))):
        slope = (moment[1] - moment[0]) / LINEAR
        found.append(np.vstack([moment[0] + s[small, None] * slope, moment[2:]]))
    return CommonNodes(L, s, ds, *found)
