"""The diameter of a large set of points: all pairs that can be farthest apart are compared, in
blocks, from the outermost points inwards.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from numerics.terminal.progress import Advance

__all__ = ["Diameter", "diameter"]

Floats = NDArray[np.float64]
#: Points of one block, and how many products of entries are computed unless more is asked for: a
#: second or two.
BLOCK, MOST_PRODUCTS = 4096, 4e10


class Diameter(NamedTuple):
    """A diameter lies between ``least`` and ``most``, which differ by the rounding of single
    precision only if it is ``complete``: no pair was left out.
    """

    least: float
    most: float
    complete: bool


def diameter(
    points: Callable[[NDArray[np.intp]], Floats],
    norms: Floats,
    *,
    progress: Advance,
    most_products: float = MOST_PRODUCTS,
) -> Diameter:
    """The largest distance between two points of a set, which ``points`` gives by their numbers,
    from their norms about their mean. Two points are at most the sum of their norms apart: pairs of
    blocks are taken by the largest such sum, until it is below the largest distance found, so that
    few pairs are compared if few points lie far out. After ``most_products`` products of entries
    what is left bounds the diameter by the largest sum of norms among the remaining pairs.
    """
    order = np.argsort(norms, kind="stable")[::-1]
    blocks = [order[i : i + BLOCK] for i in range(0, order.size, BLOCK)]
    reach = norms[[block[0] for block in blocks]]
    i, j = np.triu_indices(len(blocks))
    sums = reach[i] + reach[j]
    turn = np.lexsort((j, i, -sums))
    unit = float(reach[0])
    d = points(blocks[0][:1]).shape[1]
    # In units of the largest norm, a squared distance in single precision is off by at most
    # 4 (d + 4) 2^-24. The mean lies amid the points, so that the diameter is at least this unit.
    rounding = 2 * (d + 4) * 2.0**-24
    square, products, held = 0.0, 0.0, (-1, np.empty((0, d + 2), np.float32))
    for k, pair in enumerate(turn):
        if sums[pair] <= math.sqrt(square) * unit * (1 - rounding):
            break
        one, other = blocks[i[pair]], blocks[j[pair]]
        products += float(one.size) * other.size * d
        if k and products > most_products:
            found = math.sqrt(square) * unit
            return Diameter(
                max(found * (1 - rounding), unit), max(float(sums[pair]), found * (1 + rounding)), False
            )
        if held[0] != i[pair]:
            held = int(i[pair]), _left(points(one) / unit)
        square = max(square, float((held[1] @ _right(points(other) / unit).T).max()))
        progress(k + 1, turn.size, "measuring the diameter of the table")
    found = math.sqrt(square) * unit
    return Diameter(max(found * (1 - rounding), unit), found * (1 + rounding), True)


# |x - y|^2 = -2 x.y + |x|^2 + |y|^2 as one product of vectors with two entries more.


def _left(x: Floats) -> NDArray[np.float32]:
    return np.column_stack([-2 * x, (x * x).sum(1), np.ones(len(x))]).astype(np.float32)


def _right(y: Floats) -> NDArray[np.float32]:
    return np.column_stack([y, np.ones(len(y)), (y * y).sum(1)]).astype(np.float32)
