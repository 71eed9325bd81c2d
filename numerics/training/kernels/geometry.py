"""The two directions of R^n in which the tokens of a Gaussian prompt matter under given parameters,
for a block of prompts that are the lanes of float32 rows.
"""

# A token is M g with g ~ N(0, I_n), n = d + 1 and M = (A, 0; w'A, noise_sd). Scores are a·g and
# values b·g with a = M'K'Q z_q and b = M'V'o, both of R^n and different from prompt to prompt. Only
# the coordinates of g along b and along the part c of a across b are drawn for each token. What is
# left of g is Gaussian and independent of them, so that its two weighted sums, which the gradient
# needs, are two Gaussian vectors whose covariance the weights determine:
# `numerics.training.kernels.collect`.
#
# Row k of a flat array holds entries k LANES to (k + 1) LANES - 1. The rows of `normals` are those
# of the draw: w (d), xi (d), the label's noise, one that only linear attention uses, and two of n
# for the sums across. `frame` holds b, c, and A'w with a row for passing results; `scalars` the
# length of b, the coordinate of a along b, the length of c, and the label. The rows of `moments`
# are what comes from the tokens, with unit vectors e of b and f of c: the weighted sum of the
# tokens' coordinates is m0 e + m1 f + m2 p, that of the centred values times the coordinates m3 e +
# m4 f + m5 p + m6 q, where p and q are standard normal across e and f; and m7 is output less label.

from __future__ import annotations

import math

import numpy as np
from numba import njit

from numerics.compiled.streams import F32, LANES, U64
from numerics.training.kernels.matrices import FIRST, NEXT

__all__ = ["ERROR", "FRAME", "MOMENTS", "NORMALS", "SCALARS", "WORK", "frames"]

ROW = U64(LANES)
ZERO, ONE = F32(0), F32(1)
SCALARS, MOMENTS, WORK = 4, 8, 10
LABEL, ERROR = np.int64(3), np.int64(7)  # rows of `scalars` and of `moments`
LEAST_SQUARE = F32(1e-36)  # values of a variance below this are 0: its inverse would leave float32
SQUARED_SINE = F32(1e-8)  # below it a counts as a multiple of b: float32 leaves no direction across


@njit
def NORMALS(n):  # type: ignore[no-untyped-def]
    """Rows of `normals`, and one that `coordinates` may touch."""
    return 4 * n + 1


@njit
def FRAME(n):  # type: ignore[no-untyped-def]
    """Rows of `frame`."""
    return 3 * n


@njit(fastmath={"contract"})
def combine(matrix, at, step, count, factor, rows, source, y, to):  # type: ignore[no-untyped-def]
    """y = factor sum_k matrix[at + k step] rows_k: one row from `count` rows; entries 0 cost
    nothing.
    """
    i0 = U64(to * LANES)
    for i in range(LANES):
        y[i0 + U64(i)] = ZERO
    for k in range(count):
        f = F32(factor * matrix[at + k * step])
        if f != ZERO:
            x0 = U64((source + k) * LANES)
            for i in range(LANES):
                y[i0 + U64(i)] += f * rows[x0 + U64(i)]


@njit(fastmath={"contract"})
def dot(x, at, y, to, count, out, row):  # type: ignore[no-untyped-def]
    """out_row = sum_k x_k y_k over `count` rows of each."""
    o = U64(row * LANES)
    for i in range(LANES):
        out[o + U64(i)] = ZERO
    for k in range(count):
        p, q = U64((at + k) * LANES), U64((to + k) * LANES)
        for i in range(LANES):
            out[o + U64(i)] += x[p + U64(i)] * y[q + U64(i)]


@njit(fastmath={"contract"})
def frames(n, width, A, B, same, b, P, task_sd, noise_sd, normals, frame, scalars):  # type: ignore[no-untyped-def]
    """From w, xi and the label's noise of each lane: b, c, A'w, and the four scalars."""
    d = n - 1
    size, along, across, label = U64(0), ROW, ROW + ROW, ROW + ROW + ROW
    sd = F32(noise_sd)
    for j in range(d):
        combine(A, j, width, d, task_sd, normals, FIRST, frame, 2 * n + j)  # A'w
    if same:
        dot(frame, 2 * n, normals, d, d, scalars, LABEL)
    else:
        for i in range(LANES):
            scalars[label + U64(i)] = ZERO
        for j in range(d):  # w'B xi
            combine(B, j * width, NEXT, d, task_sd, normals, d, frame, 3 * n - 1)
            p, x = U64(j * LANES), U64((3 * n - 1) * LANES)
            for i in range(LANES):
                scalars[label + U64(i)] += normals[p + U64(i)] * frame[x + U64(i)]
    e, last = U64(2 * d * LANES), U64((n + d) * LANES)
    combine(P, d * width, NEXT, d, 1.0, normals, d, frame, n + d)  # a_y
    for i in range(LANES):
        scalars[label + U64(i)] += sd * normals[e + U64(i)]
        scalars[size + U64(i)] = ZERO
        scalars[along + U64(i)] = ZERO
        scalars[across + U64(i)] = ZERO
    by = F32(b[d])
    for j in range(d):
        combine(P, j * width, NEXT, d, 1.0, normals, d, frame, n + j)
        to, c, w, bx = U64(j * LANES), U64((n + j) * LANES), U64((2 * n + j) * LANES), F32(b[j])
        for i in range(LANES):
            k = U64(i)
            x = frame[c + k] + frame[w + k] * frame[last + k]
            y = bx + frame[w + k] * by
            frame[to + k], frame[c + k] = y, x
            scalars[size + k] += y * y
            scalars[along + k] += x * y
            scalars[across + k] += x * x
    to = U64(d * LANES)
    for i in range(LANES):
        k = U64(i)
        x, y = sd * frame[last + k], sd * by
        frame[to + k], frame[last + k] = y, x
        scalars[size + k] += y * y
        scalars[along + k] += x * y
        scalars[across + k] += x * x
    across_only(n, frame, scalars)


@njit(fastmath={"contract"}, error_model="numpy")
def across_only(n, frame, scalars):  # type: ignore[no-untyped-def]
    """Take the part along b out of the rows of a; then |b|, the coordinate along b, and the length
    of what is left.
    """
    size, along, across, label, ratio = U64(0), ROW, ROW + ROW, ROW + ROW + ROW, U64(3 * n - 1) * ROW
    for i in range(LANES):
        k = U64(i)
        square = scalars[size + k]
        inverse = ONE / square if square > LEAST_SQUARE else ZERO
        root = F32(math.sqrt(square)) if square > LEAST_SQUARE else ZERO
        scalars[label + k] += ZERO * (
            square + scalars[across + k]
        )  # what has left the range of float32 shows in the loss
        frame[ratio + k] = scalars[along + k] * inverse
        scalars[along + k] = frame[ratio + k] * root
        scalars[size + k] = root
    for j in range(n):
        b, c = U64(j * LANES), U64((n + j) * LANES)
        for i in range(LANES):
            k = U64(i)
            frame[c + k] -= frame[ratio + k] * frame[b + k]
    dot(frame, n, frame, n, n, frame, 3 * n - 1)
    for i in range(LANES):
        k = U64(i)
        square = frame[ratio + k]
        scalars[across + k] = F32(math.sqrt(square)) if square > SQUARED_SINE * scalars[across + k] else ZERO
