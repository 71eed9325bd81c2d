"""The matrices between parameters and scores, once a step of SGD: from (O, V, K, Q) to the value
vector and the score matrix of a token's normals, and back from their derivatives.
"""

# Rows are padded to a multiple of eight. A padded row is one vector of the processor, or a few: a
# product of n x n matrices costs n^2 operations on rows where its entries one by one would cost
# n^3. Matrices are flat, entry (i, j) at i width + j; theta is the row o and the n = d + 1 rows of
# each of V, K and Q.

from __future__ import annotations

import numpy as np
from numba import njit

from numerics.compiled.streams import U64

__all__ = ["forward", "gradient", "load", "padded", "store", "transpose"]

EIGHT = 8
FIRST, NEXT = np.int64(0), np.int64(1)  # for each literal 0 or 1 in a call Numba would compile `row` anew


@njit
def padded(n):  # type: ignore[no-untyped-def]
    """The width of a row of n entries."""
    return (n + EIGHT - 1) // EIGHT * EIGHT


@njit
def load(matrix, width, rows):  # type: ignore[no-untyped-def]
    """Copy a matrix into padded rows."""
    for i in range(matrix.shape[0]):
        for j in range(matrix.shape[1]):
            rows[i * width + j] = matrix[i, j]


@njit
def store(rows, width, matrix):  # type: ignore[no-untyped-def]
    """Copy padded rows into a matrix."""
    for i in range(matrix.shape[0]):
        for j in range(matrix.shape[1]):
            matrix[i, j] = rows[i * width + j]


@njit
def transpose(size, width, x, y):  # type: ignore[no-untyped-def]
    """y = x', both in padded rows."""
    for i in range(size):
        for j in range(size):
            y[U64(i * width + j)] = x[U64(j * width + i)]


@njit(fastmath={"contract"})
def row(count, factor, x, at, step, y, start, width, out, to):  # type: ignore[no-untyped-def]
    """out_to = factor sum_k x[at + k step] y_k: a row from `count` rows of y, the first of which
    begins at `start`.
    """
    for block in range(0, width, EIGHT):
        s0, s1, s2, s3, s4, s5, s6, s7 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for k in range(count):
            f, i = x[U64(at + k * step)], U64(start + block + k * width)
            s0, s1, s2, s3 = (
                s0 + f * y[i],
                s1 + f * y[i + U64(1)],
                s2 + f * y[i + U64(2)],
                s3 + f * y[i + U64(3)],
            )
            s4, s5, s6, s7 = (
                s4 + f * y[i + U64(4)],
                s5 + f * y[i + U64(5)],
                s6 + f * y[i + U64(6)],
                s7 + f * y[i + U64(7)],
            )
        j = U64(to + block)
        out[j], out[j + U64(1)], out[j + U64(2)], out[j + U64(3)] = (
            factor * s0,
            factor * s1,
            factor * s2,
            factor * s3,
        )
        out[j + U64(4)], out[j + U64(5)], out[j + U64(6)], out[j + U64(7)] = (
            factor * s4,
            factor * s5,
            factor * s6,
            factor * s7,
        )


@njit
def forward(n, width, theta, A, B, scale, b, U, P, scratch):  # type: ignore[no-untyped-def]
    """From the parameters: U = scale K'Q, b = (A'b_x, b_y) with b = V'o, and P = (A' U_xx B; U_yx
    B), all in padded rows. The scores of tokens M g with M = (A, 0; w'A, noise) are then a'g with a
    = (P_x xi + A'w a_y, noise a_y), a_y = P_y xi, where the query is B xi.
    """
    d = n - 1
    V, K, Q, last = width, (1 + n) * width, (1 + 2 * n) * width, d * width
    row(n, 1.0, theta, FIRST, NEXT, theta, V, width, scratch, FIRST)
    row(d, 1.0, scratch, FIRST, NEXT, A, FIRST, width, b, FIRST)
    b[d] = scratch[d]
    for j in range(n):
        row(n, scale, theta, K + j, width, theta, Q, width, U, j * width)
    for j in range(n):
        row(d, 1.0, U, j * width, NEXT, B, FIRST, width, scratch, j * width)
    for j in range(d):
        row(d, 1.0, A, j, width, scratch, FIRST, width, P, j * width)
    for i in range(last, last + width):
        P[i] = scratch[i]


@njit
def gradient(n, width, theta, AT, BT, scale, gb, gP, gU, scratch, out):  # type: ignore[no-untyped-def]
    """From the derivatives gb, gP by b and P as `forward` defines them: those by o, V, K and Q, the
    rows of `out`. AT and BT are the transposes of A and B.
    """
    d = n - 1
    V, K, Q, last = width, (1 + n) * width, (1 + 2 * n) * width, d * width
    row(d, 1.0, gb, FIRST, NEXT, AT, FIRST, width, scratch, FIRST)
    scratch[d] = gb[d]
    for k in range(n):
        total = 0.0
        for j in range(n):
            total += theta[U64(V + k * width + j)] * scratch[U64(j)]
        out[k] = total
        row(NEXT, 1.0, theta, k, FIRST, scratch, FIRST, width, out, V + k * width)
    for j in range(d):
        row(d, 1.0, AT, j, width, gP, FIRST, width, scratch, j * width)
    for i in range(last, last + width):
        scratch[i] = gP[i]
    for j in range(n):
        row(d, scale, scratch, j * width, NEXT, BT, FIRST, width, gU, j * width)
    transpose(n, width, gU, scratch)
    for l in range(n):
        row(d, 1.0, theta, Q + l * width, NEXT, scratch, FIRST, width, out, K + l * width)
        row(n, 1.0, theta, K + l * width, NEXT, gU, FIRST, width, out, Q + l * width)
