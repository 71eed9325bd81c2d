"""Tables of the moments of the softmax weights that the risk of in-context regression needs, with
their slopes, as functions of the root of the score variance: a flow asks for them at a hundred
variances thousands of times, and each of them costs a quadrature.

The functions ``ln P2`` and ``b / P2``, ``b = P2 + 6 P3 - 6 Q``, vary slowly in
``x = sqrt(1 + s) - 1``. For the largest variances one token has nearly all the weight, and the
difference from 1 is what counts: there ``sqrt(s) (1 - P2) = E g`` and ``P2 + s (1 - b) = E g^2``,
with the mean g of the standardised scores, vary slowly in ``y = 1 / (1 + x)``. All are stored as
Chebyshev polynomials on panels, which are halved until their last coefficients vanish.
"""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.polynomial import chebyshev
from numpy.typing import NDArray

from numerics.attention.quadrature.gaussian_transforms import laplace_transforms
from numerics.attention.quadrature.softmax_weights import mean_products, softmax_moments
from numerics.compiled.announce import QUADRATURE, announced

__all__ = ["WeightTable", "Weights", "weight_table"]

Floats = NDArray[np.float64]
#: Degree of the polynomial on a panel, the size at which its last coefficients count as 0, and how
#: often a panel is halved at most.
DEGREE, NEGLIGIBLE, HALVINGS = 15, 3e-13, 6
#: Edges of the panels in x before they are halved; beyond the last one panels are in y = 1 / (1 +
#: x), down to 0.
X_EDGES = np.append([0.0, 0.25, 0.5, 1.0], np.arange(2.0, 34.0, 2.0))
Y_EDGES = 1 / (1 + np.array([X_EDGES[-1], 65.0, 199.0, np.inf]))
#: Sums over tokens whose means are P2, E g (with a factor 1 = sum p) and E g^2.
MEANS = (((2, 0),), ((1, 1), (1, 0)), ((1, 1), (1, 1)))


class Weights(NamedTuple):
    """Moments and their derivatives in s, each of the shape of s."""

    #: ``E sum p^2``.
    P2: Floats
    #: ``P2 + 6 P3 - 6 Q``.
    b: Floats
    #: ``1 - P2``, and ``kept2 = 1 - b``, without cancellation.
    kept: Floats
    kept2: Floats
    dP2: Floats
    db: Floats


class _Panels(NamedTuple):
    """Neighbouring panels from ``edges[0]`` on: for each the coefficients of the functions, then
    those of their derivatives.
    """

    edges: Floats  # (n + 1,), ascending or descending
    coefficients: Floats  # (n, DEGREE + 1, 2 * functions)

    def at(self, z: Floats) -> Floats:
        """The functions and their derivatives at the points z, shape (2 * functions, n_points)."""
        out = np.empty((self.coefficients.shape[2], z.size))
        panel_sums(self.edges, self.coefficients, z, out)
        return out


@njit(cache=True, nogil=True, fastmath={"contract"}, error_model="numpy")
def panel_sums(edges, coefficients, z, out):  # type: ignore[no-untyped-def]
    """out[function, point] by Clenshaw's recurrence on the panel in which the point lies; points
    beyond the ends belong to the outermost panels.
    """
    sign = 1.0 if edges[-1] > edges[0] else -1.0
    degree, functions = coefficients.shape[1] - 1, coefficients.shape[2]
    for i in range(z.size):
        k, high = 0, edges.size - 2
        while k < high:
            middle = (k + high + 1) // 2
            if sign * edges[middle] <= sign * z[i]:
                k = middle
            else:
                high = middle - 1
        twice = 2 * (2 * z[i] - edges[k] - edges[k + 1]) / (edges[k + 1] - edges[k])
        for f in range(0, functions, 2):  # two at a time, since each step waits for the one before
            a, a_before, b, b_before = 0.0, 0.0, 0.0, 0.0
            for n in range(degree, 0, -1):
                a, a_before = twice * a + (coefficients[k, n, f] - a_before), a
                b, b_before = twice * b + (coefficients[k, n, f + 1] - b_before), b
            out[f, i] = twice / 2 * a + (coefficients[k, 0, f] - a_before)
            out[f + 1, i] = twice / 2 * b + (coefficients[k, 0, f + 1] - b_before)


announced(panel_sums, QUADRATURE)

NO_X_PANELS, NO_Y_PANELS = (
    _Panels(np.zeros(0), np.zeros((0, DEGREE + 1, 2 * functions))) for functions in (2, 3)
)


class WeightTable:
    """The table for one prompt length, computed as far as it is asked for."""

    def __init__(self, L: float) -> None:
        self.L = float(L)
        # Replaced as a whole: threads may share a table.
        self._found: tuple[_Panels, _Panels] = (NO_X_PANELS, NO_Y_PANELS)

    def __call__(self, s: Floats) -> Weights:
        """Moments at variances of any shape, nonnegative and finite."""
        if self.L == 1:
            one, zero = np.ones_like(s), np.zeros_like(s)
            return Weights(one, one, zero, zero, zero, zero)
        flat = s.ravel()
        root = np.sqrt(1 + flat)
        x = flat / (1 + root)
        far = x >= X_EDGES[-1]
        y = np.minimum(1 / root, Y_EDGES[0])  # rounding must not put a point between the two kinds of panels
        near, beyond = self._reaching(float(x[~far].max(initial=0.0)), float(y[far].min(initial=1.0)))
        found = np.empty((6, flat.size))
        if not far.all():
            usual = ~far if far.any() else slice(None)  # a slice copies nothing
            log_P2, ratio, dlog, dratio = near.at(x[usual])
            P2, slope = np.exp(np.minimum(log_P2, 0.0)), 1 / (2 * root[usual])
            b = P2 * ratio
            found[:, usual] = P2, b, 1 - P2, 1 - b, slope * P2 * dlog, slope * P2 * (dlog * ratio + dratio)
        if far.any():
            (P2, mean, mean2, dP2, _, dmean2), v, slope = beyond.at(y[far]), flat[far], -(y[far] ** 3) / 2
            kept2 = (mean2 - P2) / v
            found[:, far] = (
                P2,
                1 - kept2,
                mean / np.sqrt(v),
                kept2,
                slope * dP2,
                (kept2 - slope * (dmean2 - dP2)) / v,
            )
        return Weights(*found.reshape(6, *s.shape))

    def _reaching(self, x: float, y: float) -> tuple[_Panels, _Panels]:
        """The panels in x and in y, with those added that reach the points x and y."""
        near, beyond = self._found
        for edge, end in pairwise(X_EDGES):
            if edge <= x and (not near.edges.size or near.edges[-1] < end):
                near = self._longer(near, float(edge), float(end), far=False)
        for edge, end in pairwise(Y_EDGES):
            if edge >= y and (not beyond.edges.size or beyond.edges[-1] > end):
                beyond = self._longer(beyond, float(edge), float(end), far=True)
        self._found = (near, beyond)
        return near, beyond

    def _longer(
        self, panels: _Panels, start: float, end: float, *, far: bool, halvings: int = HALVINGS
    ) -> _Panels:
        """The panels with one more from start to end, or with its halves if one is not enough."""
        local = np.cos((2 * np.arange(DEGREE + 1) + 1) * np.pi / (2 * DEGREE + 2))
        z = (start + end) / 2 + (end - start) / 2 * local
        coefficients = chebyshev.chebfit(
            local, self._largest(1 / z**2 - 1) if far else self._usual(z * (z + 2)), DEGREE
        )
        # An error of ln P2 and of b / P2 is a relative one already; E g and E g^2 may be as large
        # as 2 ln L.
        size = np.maximum(np.abs(coefficients[0]), 1.0) if far else 1.0
        if halvings and (np.abs(coefficients[-2:]) > NEGLIGIBLE * size).any():
            middle = (start + end) / 2
            return self._longer(
                self._longer(panels, start, middle, far=far, halvings=halvings - 1),
                middle,
                end,
                far=far,
                halvings=halvings - 1,
            )
        slopes = np.vstack(
            [chebyshev.chebder(coefficients) * (2 / (end - start)), np.zeros((1, coefficients.shape[1]))]
        )
        edges = np.append(panels.edges if panels.edges.size else [start], end)
        return _Panels(edges, np.concatenate([panels.coefficients, np.hstack([coefficients, slopes])[None]]))

    def _usual(self, s: Floats) -> Floats:
        """ln P2 and b / P2 at the variances s, in columns."""
        m = softmax_moments(s, self.L)
        return np.column_stack([np.log(m.P2), 1 + 6 * (np.asarray(m.P3) - m.Q) / m.P2])

    def _largest(self, s: Floats) -> Floats:
        """P2, E g and E g^2 at the variances s, in columns."""
        L, rows = np.array([self.L]), []
        for v in s:
            means = mean_products(laplace_transforms(float(v), math.log(self.L), MEANS), L, MEANS)
            rows.append([float(means[key][0]) for key in MEANS])
        return np.array(rows)


@lru_cache(maxsize=64)
def weight_table(L: float) -> WeightTable:
    return WeightTable(L)
