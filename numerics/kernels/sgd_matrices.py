"""Parameters to scores and back, once a step of SGD: products of small matrices whose rows are padded to a multiple of eight.

A padded row is one vector, or a few: a matrix of n rows costs n operations where its entries one by one would cost n^2. Matrices are
flat, entry (i, j) at i width + j; theta is the rows of o, V, K and Q, n = d + 1 in number but for o.
"""

from __future__ import annotations

from numba import njit

from numerics.streams import U64

__all__ = ["EIGHT", "add_row", "forward", "gradient", "load", "padded", "store"]

EIGHT = 8


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
def add_row(factor, x, at, y, to, width):  # type: ignore[no-untyped-def]
    """y += factor x for one row of each."""
    for start in range(0, width, EIGHT):
        i, j = U64(at + start), U64(to + start)
        for k in range(EIGHT):
            y[j + U64(k)] += factor * x[i + U64(k)]


@njit
def forward(n, width, theta, A, B, scale, b, U, P, scratch):  # type: ignore[no-untyped-def]
    """From the parameters: U = scale K'Q, b = (A'b_x, b_y) with b = V'o, and P = (A' U_xx B; U_yx B), all in padded rows.

    The scores of tokens M g with M = (A, 0; w'A, noise) are then a'g with a = (P_x xi + A'w a_y, noise a_y), a_y = P_y xi, where the
    query is B xi.
    """
    d = n - 1
    V, K, Q = width, (1 + n) * width, (1 + 2 * n) * width
    b[:], U[:], P[:], scratch[:] = 0.0, 0.0, 0.0, 0.0
    for k in range(n):
        add_row(theta[k], theta, V + k * width, scratch, 0, width)
    for k in range(d):
        add_row(scratch[k], A, k * width, b, 0, width)
    b[d] = scratch[d]
    for l in range(n):
        for j in range(n):
            add_row(scale * theta[K + l * width + j], theta, Q + l * width, U, j * width, width)
    scratch[:] = 0.0
    for j in range(n):
        for k in range(d):
            add_row(U[j * width + k], B, k * width, scratch, j * width, width)
    for k in range(d):
        for j in range(d):
            add_row(A[k * width + j], scratch, k * width, P, j * width, width)
    add_row(1.0, scratch, d * width, P, d * width, width)


@njit
def gradient(n, width, theta, AT, BT, scale, gb, gP, gU, scratch, out):  # type: ignore[no-untyped-def]
    """From the derivatives gb, gP by b and P as `forward` defines them: those by o, V, K and Q, the rows of `out`.

    AT and BT are the transposes of A and B. `gb` and `gP` are overwritten.
    """
    d = n - 1
    V, K, Q = width, (1 + n) * width, (1 + 2 * n) * width
    out[:], gU[:], scratch[:] = 0.0, 0.0, 0.0
    for k in range(d):
        add_row(gb[k], AT, k * width, scratch, 0, width)
    scratch[d] = gb[d]
    for k in range(n):
        total = 0.0
        for j in range(n):
            total += theta[V + k * width + j] * scratch[j]
        out[k] = total
        add_row(theta[k], scratch, 0, out, V + k * width, width)
    scratch[:] = 0.0
    for k in range(d):
        for j in range(d):
            add_row(AT[k * width + j], gP, k * width, scratch, j * width, width)
    add_row(1.0, gP, d * width, scratch, d * width, width)
    for j in range(n):
        for k in range(d):
            add_row(scale * scratch[j * width + k], BT, k * width, gU, j * width, width)
    for j in range(n):
        for k in range(n):
            scratch[j * width + k] = gU[k * width + j]
    for l in range(n):
        for k in range(d):
            add_row(theta[Q + l * width + k], scratch, k * width, out, K + l * width, width)
        for j in range(n):
            add_row(theta[K + l * width + j], gU, j * width, out, Q + l * width, width)
