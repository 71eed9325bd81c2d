"""For each prompt of the coupled kernel, orthonormal directions of R^n along the score and value
vectors of both architectures, by Householder's reflections.
"""

# The reflections turn the four columns of a lane into an upper triangle. They are orthogonal
# whatever the columns are, parallel, nearly so, or zero, and no case needs a test: a column that
# adds no direction has (nearly) 0 on the diagonal. Entry j of column c of lane i is at ((c n + j)
# LANES + i); the entries below the diagonal become those of the reflections.

from __future__ import annotations

import math

from numba import njit

from numerics.compiled.streams import F32, LANES, U64

__all__ = ["COLUMNS", "TRIANGLE", "reduce_columns", "rotate_back", "triangle"]

COLUMNS, TRIANGLE = 4, 10
ROW, TWO, THREE, FOUR = U64(LANES), U64(2 * LANES), U64(3 * LANES), U64(4 * LANES)
#: A column of smaller squared norm stays as it is: its inverse would leave the range of float32.
LEAST_SQUARE, ZERO, ONE = F32(1e-36), F32(0), F32(1)


@njit(forceinline=True, fastmath={"contract"}, error_model="numpy")
def reduce_columns(n, columns, heads, factors, dot):  # type: ignore[no-untyped-def]
    """Make the columns an upper triangle by reflections I − factors[k] v v', v = (heads[k], what is
    below the diagonal).
    """
    for k in range(min(COLUMNS, n - 1)):
        at, row = U64((k * n + k) * LANES), U64(k * LANES)
        dot[:] = ZERO
        for j in range(n - k):
            below = at + U64(j * LANES)
            for i in range(LANES):
                dot[i] += columns[below + U64(i)] * columns[below + U64(i)]
        for i in range(LANES):
            x = columns[at + U64(i)]
            seen = dot[i] > LEAST_SQUARE
            size = F32(math.sqrt(dot[i]))
            size = size if x > ZERO else -size
            heads[row + U64(i)] = x + size
            factors[row + U64(i)] = ONE / max(dot[i] + x * size, LEAST_SQUARE) if seen else ZERO
            columns[at + U64(i)] = -size if seen else x
        for c in range(k + 1, COLUMNS):
            reflect(n - k, columns, at, heads, factors, row, U64((c * n + k) * LANES), dot)


@njit(forceinline=True, fastmath={"contract"}, error_model="numpy")
def reflect(size, columns, at, heads, factors, row, to, dot):  # type: ignore[no-untyped-def]
    """Apply a reflection to the `size` entries of a later column from `to` on."""
    for i in range(LANES):
        dot[i] = heads[row + U64(i)] * columns[to + U64(i)]
    for j in range(1, size):
        v, x = at + U64(j * LANES), to + U64(j * LANES)
        for i in range(LANES):
            dot[i] += columns[v + U64(i)] * columns[x + U64(i)]
    for i in range(LANES):
        dot[i] *= factors[row + U64(i)]
        columns[to + U64(i)] -= dot[i] * heads[row + U64(i)]
    for j in range(1, size):
        v, x = at + U64(j * LANES), to + U64(j * LANES)
        for i in range(LANES):
            columns[x + U64(i)] -= dot[i] * columns[v + U64(i)]


@njit(forceinline=True)
def triangle(n, columns, R):  # type: ignore[no-untyped-def]
    """The entries of the triangle, column by column, 1 + 2 + 3 + 4 rows; 0 where n < 4 leaves
    none.
    """
    row = 0
    for c in range(COLUMNS):
        for j in range(c + 1):
            for i in range(LANES):
                R[row * LANES + i] = columns[(c * n + j) * LANES + i] if j < n else ZERO
            row += 1


@njit(forceinline=True, fastmath={"contract"}, error_model="numpy")
def rotate_back(n, columns, heads, factors, y, dots):  # type: ignore[no-untyped-def]
    """Turn four vectors from coordinates in the frame into those of R^n; their entries j are the
    four rows of y from 4 j on.
    """
    for k in range(min(COLUMNS, n - 1) - 1, -1, -1):
        at, row, to = U64((k * n + k) * LANES), U64(k * LANES), U64(4 * k * LANES)
        for i in range(LANES):
            v, x = heads[row + U64(i)], to + U64(i)
            dots[i], dots[LANES + i] = v * y[x], v * y[x + ROW]
            dots[2 * LANES + i], dots[3 * LANES + i] = v * y[x + TWO], v * y[x + THREE]
        first = 2 - (n - k) % 2
        if first == 2:
            for i in range(LANES):
                v, x = columns[at + ROW + U64(i)], to + FOUR + U64(i)
                dots[i] += v * y[x]
                dots[LANES + i] += v * y[x + ROW]
                dots[2 * LANES + i] += v * y[x + TWO]
                dots[3 * LANES + i] += v * y[x + THREE]
        for j in range(first, n - k, 2):
            below, next_ = at + U64(j * LANES), to + U64(4 * j * LANES)
            for i in range(LANES):
                v, w, x = columns[below + U64(i)], columns[below + ROW + U64(i)], next_ + U64(i)
                dots[i] += v * y[x] + w * y[x + FOUR]
                dots[LANES + i] += v * y[x + ROW] + w * y[x + FOUR + ROW]
                dots[2 * LANES + i] += v * y[x + TWO] + w * y[x + FOUR + TWO]
                dots[3 * LANES + i] += v * y[x + THREE] + w * y[x + FOUR + THREE]
        for i in range(LANES):
            v, f, x = heads[row + U64(i)], factors[row + U64(i)], to + U64(i)
            a, b, c, d = f * dots[i], f * dots[LANES + i], f * dots[2 * LANES + i], f * dots[3 * LANES + i]
            dots[i], dots[LANES + i], dots[2 * LANES + i], dots[3 * LANES + i] = a, b, c, d
            y[x] -= a * v
            y[x + ROW] -= b * v
            y[x + TWO] -= c * v
            y[x + THREE] -= d * v
        for j in range(1, n - k):
            below, next_ = at + U64(j * LANES), to + U64(4 * j * LANES)
            for i in range(LANES):
                v, x = columns[below + U64(i)], next_ + U64(i)
                y[x] -= dots[i] * v
                y[x + ROW] -= dots[LANES + i] * v
                y[x + TWO] -= dots[2 * LANES + i] * v
                y[x + THREE] -= dots[3 * LANES + i] * v
