"""Parameters to scores and back, once a step of SGD: products of small matrices whose rows are padded to a multiple of eight.

Eight entries of a row are worked on at once, whether or not all are in use. Matrices are flat, entry (i, j) at i width + j; theta
is the rows of o, V, K and Q, n = d + 1 in number but for o.
"""

from __future__ import annotations

from numba import njit

from numerics.streams import U64

__all__ = ["forward", "gradient", "load", "padded", "store"]

EIGHT = 8
ONE, TWO, THREE, FOUR, FIVE, SIX, SEVEN = U64(1), U64(2), U64(3), U64(4), U64(5), U64(6), U64(7)


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


@njit(fastmath={"contract"})
def multiply(rows, inner, X, x, down, across, Y, y, width, factor, out, to):  # type: ignore[no-untyped-def]
    """out_i = factor sum_k X[x + i down + k across] Y_k: rows of the product of two matrices, the first transposed if one likes.

    Eight sums of a row stay in registers: in memory each would wait for the one before.
    """
    for i in range(rows):
        for start in range(0, width, EIGHT):
            s0, s1, s2, s3, s4, s5, s6, s7 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
            at, j = U64(x + i * down), U64(y + start)
            for _ in range(inner):
                f = X[at]
                s0, s1, s2, s3 = s0 + f * Y[j], s1 + f * Y[j + ONE], s2 + f * Y[j + TWO], s3 + f * Y[j + THREE]
                s4, s5, s6, s7 = s4 + f * Y[j + FOUR], s5 + f * Y[j + FIVE], s6 + f * Y[j + SIX], s7 + f * Y[j + SEVEN]
                at, j = at + U64(across), j + U64(width)
            j = U64(to + i * width + start)
            out[j], out[j + ONE], out[j + TWO], out[j + THREE] = factor * s0, factor * s1, factor * s2, factor * s3
            out[j + FOUR], out[j + FIVE], out[j + SIX], out[j + SEVEN] = factor * s4, factor * s5, factor * s6, factor * s7


@njit
def forward(n, width, theta, A, B, scale, b, U, P, scratch):  # type: ignore[no-untyped-def]
    """From the parameters: U = scale K'Q, b = (A'b_x, b_y) with b = V'o, and P = (A' U_xx B; U_yx B), all in padded rows.

    The scores of tokens M g with M = (A, 0; w'A, noise) are then a'g with a = (P_x xi + A'w a_y, noise a_y), a_y = P_y xi, the
    query being B xi.
    """
    d = n - 1
    V, K, Q = width, (1 + n) * width, (1 + 2 * n) * width
    multiply(1, n, theta, 0, 0, 1, theta, V, width, 1.0, scratch, 0)
    multiply(1, d, scratch, 0, 0, 1, A, 0, width, 1.0, b, 0)
    b[d] = scratch[d]
    multiply(n, n, theta, K, 1, width, theta, Q, width, scale, U, 0)
    multiply(n, d, U, 0, width, 1, B, 0, width, 1.0, scratch, 0)
    multiply(d, d, A, 0, 1, width, scratch, 0, width, 1.0, P, 0)
    for j in range(d * width, n * width):
        P[j] = scratch[j]


@njit
def gradient(n, width, theta, AT, BT, scale, gb, gP, gU, scratch, out):  # type: ignore[no-untyped-def]
    """From the derivatives gb, gP by b and P as `forward` defines them: those by o, V, K and Q, the rows of `out`.

    AT and BT are the transposes of A and B.
    """
    d = n - 1
    V, K, Q = width, (1 + n) * width, (1 + 2 * n) * width
    multiply(1, d, gb, 0, 0, 1, AT, 0, width, 1.0, scratch, 0)
    scratch[d] = gb[d]
    multiply(n, 1, theta, 0, 1, 0, scratch, 0, width, 1.0, out, V)
    for i in range(n):
        total = 0.0
        for k in range(n):
            total += theta[V + i * width + k] * scratch[k]
        out[i] = total
    multiply(d, d, AT, 0, 1, width, gP, 0, width, 1.0, scratch, 0)
    for j in range(d * width, n * width):
        scratch[j] = gP[j]
    multiply(n, d, scratch, 0, width, 1, BT, 0, width, scale, gU, 0)
    multiply(n, n, theta, K, width, 1, gU, 0, width, 1.0, out, Q)
    for j in range(n):
        for k in range(n):
            scratch[j * width + k] = gU[k * width + j]
    multiply(n, n, theta, Q, width, 1, scratch, 0, width, 1.0, out, K)
