"""The frame in which the coupled kernel sees a prompt: orthonormal directions along the vectors of both architectures.

For each lane Householder's reflections turn four columns of R^n into an upper triangle. They are orthogonal whatever the columns
are, parallel, nearly so, or zero, and no case needs a test: where a column adds no direction its entry on the diagonal is (nearly) 0.
Entry j of column c of lane i is at ((c n + j) LANES + i); the entries below the diagonal become those of the reflections.
"""

from __future__ import annotations

import math

from numba import njit

from numerics.streams import F32, LANES, U64

__all__ = ["COLUMNS", "reduce_columns", "rotate_back"]

COLUMNS = 4
#: A column of smaller squared norm stays as it is: its inverse would leave the range of float32.
UNSEEN, ZERO, ONE = F32(1e-36), F32(0), F32(1)


@njit(fastmath={"contract"}, error_model="numpy")
def reduce_columns(n, columns, heads, factors, dot):  # type: ignore[no-untyped-def]
    """Replace the columns by the upper triangle; reflection k is I − factors[k] v v', v = (heads[k], what is below the diagonal)."""
    for k in range(min(COLUMNS, n - 1)):
        at, row = U64((k * n + k) * LANES), U64(k * LANES)
        for i in range(LANES):
            dot[i] = columns[at + U64(i)] * columns[at + U64(i)]
        for j in range(1, n - k):
            below = at + U64(j * LANES)
            for i in range(LANES):
                dot[i] += columns[below + U64(i)] * columns[below + U64(i)]
        for i in range(LANES):
            x = columns[at + U64(i)]
            seen = dot[i] > UNSEEN
            size = F32(math.sqrt(dot[i]))
            size = size if x > ZERO else -size
            heads[row + U64(i)] = x + size
            factors[row + U64(i)] = ONE / max(dot[i] + x * size, UNSEEN) if seen else ZERO
            columns[at + U64(i)] = -size if seen else x
        for c in range(k + 1, COLUMNS):
            reflect(n - k, columns, at, heads, factors, row, columns, U64((c * n + k) * LANES), dot)


@njit(fastmath={"contract"}, error_model="numpy")
def reflect(size, columns, at, heads, factors, row, y, to, dot):  # type: ignore[no-untyped-def]
    """Apply a reflection to the `size` entries of y from `to` on."""
    for i in range(LANES):
        dot[i] = heads[row + U64(i)] * y[to + U64(i)]
    for j in range(1, size):
        v, x = at + U64(j * LANES), to + U64(j * LANES)
        for i in range(LANES):
            dot[i] += columns[v + U64(i)] * y[x + U64(i)]
    for i in range(LANES):
        dot[i] *= factors[row + U64(i)]
        y[to + U64(i)] -= dot[i] * heads[row + U64(i)]
    for j in range(1, size):
        v, x = at + U64(j * LANES), to + U64(j * LANES)
        for i in range(LANES):
            y[x + U64(i)] -= dot[i] * columns[v + U64(i)]


@njit
def rotate_back(n, columns, heads, factors, y, to, dot):  # type: ignore[no-untyped-def]
    """Turn the coordinates y in the frame, from `to` on, into those of R^n."""
    for k in range(min(COLUMNS, n - 1) - 1, -1, -1):
        at, row = U64((k * n + k) * LANES), U64(k * LANES)
        reflect(n - k, columns, at, heads, factors, row, y, to + U64(k * LANES), dot)
