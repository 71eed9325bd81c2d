"""The gradient of half the squared error of a block of prompts by the score matrix and the value
vector of `numerics.training.kernels.matrices.forward`, put together and projected back from the
moments that belong to the two directions e and f in which the tokens of a prompt were drawn, and to
two standard normal vectors p and q across them (`numerics.training.kernels.geometry`).
"""

from __future__ import annotations

import numpy as np
from numba import njit

from numerics.compiled.streams import F32, LANES, U64
from numerics.training.kernels.geometry import ERROR
from numerics.training.kernels.matrices import FIRST, NEXT

__all__ = ["collect"]

ROW, TWO, THREE, FOUR = U64(LANES), U64(2 * LANES), U64(3 * LANES), U64(4 * LANES)
ZERO, ONE = F32(0), F32(1)
VALUE, SLOPE = (
    np.int64(2),
    np.int64(3),
)  # rows of `work`: one coordinate of the two sums; the first two are for the label's
F64 = np.float64


@njit(fastmath={"contract"})
def coordinates(n, normals, frame, out):  # type: ignore[no-untyped-def]
    """Rows of `out`: the products of the two normal vectors with b and c. Two coordinates at once;
    behind an odd n come zeros.
    """
    for i in range(4 * LANES):
        out[U64(i)] = ZERO
    one, two, three = ROW, ROW + ROW, ROW + ROW + ROW
    for j in range(0, n, 2):
        b, p, q = U64(j) * ROW, U64(2 * n + j) * ROW, U64(3 * n + j) * ROW
        c = b + U64(n) * ROW
        last = ZERO if j + 1 == n else ONE
        for i in range(LANES):
            k = U64(i)
            x, y, u, v = (
                normals[p + k],
                normals[q + k],
                last * normals[p + one + k],
                last * normals[q + one + k],
            )
            e, f, g, h = frame[b + k], frame[c + k], frame[b + one + k], frame[c + one + k]
            out[k] += x * e + u * g
            out[one + k] += x * f + u * h
            out[two + k] += y * e + v * g
            out[three + k] += y * f + v * h


@njit(fastmath={"contract"}, error_model="numpy")
def collect(n, lanes, noise_sd, normals, frame, scalars, moments, work, gb, gP):  # type: ignore[no-untyped-def]
    """Add to gb and gP the sums over the first `lanes` lanes of the derivatives of half the squared
    error, by b and P of `forward`. Returns the sum of the squared errors. `moments` is overwritten.
    """
    d = n - 1
    width, p, q = gP.size // n, 2 * n, 3 * n
    error = U64(ERROR) * ROW
    for i in range(lanes, LANES):
        moments[error + U64(i)] = ZERO
    coordinates(n, normals, frame, work)
    for i in range(LANES):
        k = U64(i)
        b, c = scalars[k], scalars[ROW + ROW + k]
        b = ONE / b if b > ZERO else ZERO  # a direction of length 0 takes no part
        c = ONE / c if c > ZERO else ZERO
        p0, p1, q0, q1 = (
            b * work[k],
            c * work[ROW + k],
            b * work[ROW + ROW + k],
            c * work[ROW + ROW + ROW + k],
        )
        delta = moments[error + k]
        m2, m5, m6 = moments[U64(2) * ROW + k], moments[U64(5) * ROW + k], moments[U64(6) * ROW + k]
        m0 = (moments[k] - m2 * p0) * b
        m1 = (moments[ROW + k] - m2 * p1) * c
        m3 = (moments[U64(3) * ROW + k] - m5 * p0 - m6 * q0) * b
        m4 = (moments[U64(4) * ROW + k] - m5 * p1 - m6 * q1) * c
        moments[k], moments[ROW + k], moments[U64(2) * ROW + k] = delta * m0, delta * m1, delta * m2
        moments[U64(3) * ROW + k], moments[U64(4) * ROW + k] = delta * m3, delta * m4
        moments[U64(5) * ROW + k], moments[U64(6) * ROW + k] = delta * m5, delta * m6
        work[k], work[ROW + k] = ZERO, ZERO
    sums = U64(VALUE) * ROW
    for j in range(n):
        b, c, x, y = U64(j * LANES), U64((n + j) * LANES), U64((p + j) * LANES), U64((q + j) * LANES)
        for i in range(LANES):
            k = U64(i)
            m = (
                moments[k] * frame[b + k]
                + moments[ROW + k] * frame[c + k]
                + moments[U64(2) * ROW + k] * normals[x + k]
            )
            g = moments[U64(3) * ROW + k] * frame[b + k] + moments[U64(4) * ROW + k] * frame[c + k]
            g += moments[U64(5) * ROW + k] * normals[x + k] + moments[U64(6) * ROW + k] * normals[y + k]
            work[sums + k], work[sums + ROW + k] = m, g
        if j < d:
            w = U64((2 * n + j) * LANES)
            for i in range(LANES):
                k = U64(i)
                work[k] += frame[w + k] * work[sums + k]
                work[ROW + k] += frame[w + k] * work[sums + ROW + k]
            gb[j] += total(work, VALUE)
            products(d, work, SLOPE, normals, d, gP, j * width)
    sd = F32(noise_sd)  # the label of a token: w'A times the first d coordinates, and the last times noise_sd
    for i in range(LANES):
        k = U64(i)
        work[k] += sd * work[sums + k]
        work[ROW + k] += sd * work[sums + ROW + k]
    gb[d] += total(work, FIRST)
    products(d, work, NEXT, normals, d, gP, d * width)
    return product(moments, ERROR, moments, ERROR)


# Sums over lanes may be taken in any order, in vectors: the float32 sum of 128 numbers is short.
@njit(fastmath={"contract", "reassoc"})
def total(x, row):  # type: ignore[no-untyped-def]
    """The sum over the lanes of a row."""
    s, at = ZERO, U64(row) * ROW
    for i in range(LANES):
        s += x[at + U64(i)]
    return F64(s)


@njit(fastmath={"contract", "reassoc"})
def products(count, x, row, y, other, out, to):  # type: ignore[no-untyped-def]
    """out_l += the sum over the lanes of a row of x times row other + l of y, for l < count. Five
    at once: the sums over the lanes of a vector, one by one, would wait for each other.
    """
    p = U64(row) * ROW
    for l in range(0, count - 4, 5):
        q, s0, s1, s2, s3, s4 = U64(other + l) * ROW, ZERO, ZERO, ZERO, ZERO, ZERO
        for i in range(LANES):
            k, z = q + U64(i), x[p + U64(i)]
            s0, s1, s2, s3, s4 = (
                s0 + z * y[k],
                s1 + z * y[k + ROW],
                s2 + z * y[k + TWO],
                s3 + z * y[k + THREE],
                s4 + z * y[k + FOUR],
            )
        out[to + l] += F64(s0)
        out[to + l + 1] += F64(s1)
        out[to + l + 2] += F64(s2)
        out[to + l + 3] += F64(s3)
        out[to + l + 4] += F64(s4)
    for l in range(count - count % 5, count):
        out[to + l] += product(x, row, y, other + l)


@njit(fastmath={"contract", "reassoc"})
def product(x, row, y, other):  # type: ignore[no-untyped-def]
    """The sum over the lanes of the product of two rows."""
    s, p, q = ZERO, U64(row) * ROW, U64(other) * ROW
    for i in range(LANES):
        s += x[p + U64(i)] * y[q + U64(i)]
    return F64(s)
