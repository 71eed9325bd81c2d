"""Compiled kernel for the squared errors of softmax attention and of its gradients at finite prompt
length, with tokens z_k = A g_k drawn one by one. Everything is computed in the coordinates of g.
The pass over the tokens is in `numerics.attention.sampled.kernels.token_sums`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit

from numerics.attention.sampled.kernels.coordinates import (
    EXTRA,
    SIZE,
    TILE,
    balls,
    normals,
    quantiles,
    signs,
    spheres,
    uniforms,
)
from numerics.attention.sampled.kernels.token_sums import add_tile, rows_of_sums, start_sums
from numerics.compiled.announce import SAMPLING, SAMPLING_QUANTILE, announced
from numerics.compiled.build_once import once
from numerics.compiled.source_digest import kernel_key
from numerics.compiled.streams import LANES, U64, start_lanes
from numerics.token_laws.kinds import check_law

__all__ = ["attention_kernel"]

#: Digest of the sources of this module, taken on import: a part of the key of cached kernels.
SOURCES = kernel_key(__name__)

#: Entries of one row of an array with one entry for each lane.
ROW = U64(LANES)


@njit
def mean_and_covariance(pairs, sums, M, C):  # type: ignore[no-untyped-def]
    """Softmax mean M and covariance C of each lane's coordinates: rows j, and j 2 pairs + k."""
    for i in range(LANES):
        sums[i] = 1 / sums[i]
    row, width = 1, 2 * pairs
    for j in range(0, width, 2):
        for i in range(2 * LANES):
            M[j * LANES + i] = sums[row * LANES + i] * sums[i % LANES]
        covariance(j, j, row + 2, width, sums, M, C)
        covariance(j + 1, j, row + 3, width, sums, M, C)
        covariance(j + 1, j + 1, row + 4, width, sums, M, C)
        row += 5
        for k in range(0, j, 2):
            for s in range(4):
                covariance(j + s // 2, k + s % 2, row + s, width, sums, M, C)
            row += 4


@njit(fastmath={"contract"})
def covariance(j, k, row, width, sums, M, C):  # type: ignore[no-untyped-def]
    at, x, y = U64(row * LANES), U64(j * LANES), U64(k * LANES)
    z, t = U64((j * width + k) * LANES), U64((k * width + j) * LANES)
    for n in range(LANES):
        i = U64(n)
        C[z + i] = sums[at + i] * sums[i] - M[x + i] * M[y + i]
        C[t + i] = C[z + i]


@njit
def errors(start, pairs, R, B, h, Vh, VH, z2, d_out, M, C, row, BC, values):  # type: ignore[no-untyped-def]
    """|B M − Vh|², d_out |R M − h|² and |z|² |B C Rᵀ − VH|² of each lane, in three rows."""
    width, m = 2 * pairs, R.shape[0]
    values[:] = 0.0
    for q in range(m):
        distance(R, q, M, h, q, start, d_out, row, values, ROW)
    for v in range(B.shape[0]):
        distance(B, v, M, Vh, v, start, 1.0, row, values, U64(0))
        BC[:] = 0.0
        for j in range(0, width, 2):
            for k in range(width):
                add(
                    B[v, j],
                    B[v, j + 1],
                    C,
                    U64((j * width + k) * LANES),
                    U64(width * LANES),
                    BC,
                    U64(k * LANES),
                )
        for q in range(m):
            distance(R, q, BC, VH, v * m + q, start, 1.0, row, values, U64(2 * LANES))
    for i in range(LANES):
        values[2 * LANES + i] *= z2[min(start + i, z2.size - 1)]


@njit
def distance(A, q, x, limits, target, start, factor, row, values, at):  # type: ignore[no-untyped-def]
    """Add factor |(A x)_q − limit|² to the row of values; common limits have one column."""
    first, last = 0, A.shape[1] - 2
    while first < last and A[q, first] == 0 and A[q, first + 1] == 0:
        first += 2
    while last > first and A[q, last] == 0 and A[q, last + 1] == 0:
        last -= 2
    if limits.shape[1] == 1 and first == last:  # A is diagonal: one pass is enough
        square(A[q, first], A[q, first + 1], x, U64(first * LANES), limits[target, 0], factor, values, at)
        return
    if limits.shape[1] == 1:
        row[:] = -limits[target, 0]
    else:
        for i in range(min(LANES, limits.shape[1] - start)):
            row[i] = -limits[target, start + i]
    for j in range(first, last + 2, 2):
        add(A[q, j], A[q, j + 1], x, U64(j * LANES), ROW, row, U64(0))
    for i in range(LANES):
        values[at + U64(i)] += factor * row[i] * row[i]


@njit(fastmath={"contract"})
def square(a, b, x, at, limit, factor, y, to):  # type: ignore[no-untyped-def]
    """y += factor (a x + b x' − limit)², x' a row behind x."""
    for n in range(LANES):
        i = U64(n)
        gap = a * x[at + i] + b * x[at + ROW + i] - limit
        y[to + i] += factor * gap * gap


@njit(fastmath={"contract"})
def add(a, b, x, at, step, y, to):  # type: ignore[no-untyped-def]
    """y += a x + b x', x' a step behind x; most entries of a root of a covariance are 0."""
    if a != 0 or b != 0:
        for n in range(LANES):
            i = U64(n)
            y[to + i] += a * x[at + i] + b * x[at + step + i]


@once
def attention_kernel(kind: str, quantile: Any = None) -> Callable[..., None]:
    """The compiled kernel ``(first, L, key, b, R, B, h, Vh, VH, z2, d_out, out)``, which releases
    the GIL. A kernel for a user's quantile function is compiled anew in every process: Numba cannot
    tell whether the function has changed.

    ``out[e, r]`` becomes the squared error of replicate number ``first + r`` at length L: e = 0 for
    the output, 1 for grad_V, 2 for grad_U. Tokens are A g with r coordinates g of the given kind;
    A = Q R and V A = P B with orthonormal columns of Q (d, m) and P (d_out, p). R (m, r) and B (p,
    r) end with a column of zeros if r is odd. The scores are b·g, b of shape (r, n). The limits are
    the tilted mean as h = Qᵀ E (m, n) and Vh = PᵀV E (p, n), and the tilted covariance as PᵀV H Q
    in the rows of VH (p m, n); z2 (n,) is |z|². There n is the number of replicates, or 1 if the
    query is the same for all.
    """
    check_law(kind, ("normal", "sign", "uniform", "sphere", "ball", "quantile"), "the sampler")
    # A closure variable, and so a part of the key under which Numba caches the compiled code.
    sources = SOURCES
    custom, extra = kind == "quantile", EXTRA.get(kind, 0)

    @njit(nogil=True, cache=not custom, error_model="numpy")
    def kernel(first, L, key, b, R, B, h, Vh, VH, z2, d_out, out):  # type: ignore[no-untyped-def]
        _ = sources
        rank, count, pairs = b.shape[0], out.shape[1], R.shape[1] // 2
        state, words = np.empty(4 * LANES, np.uint32), np.empty(rank * SIZE, np.uint32)
        g = np.zeros((2 * pairs + extra) * SIZE, np.float32)
        w, wg, b32 = (
            np.empty(SIZE, np.float32),
            np.empty(2 * SIZE, np.float32),
            np.zeros(2 * pairs * LANES, np.float32),
        )
        reference, shrink, row = np.empty(LANES, np.float32), np.empty(LANES, np.float32), np.empty(LANES)
        part, total = np.empty(rows_of_sums(rank) * LANES, np.float32), np.empty(rows_of_sums(rank) * LANES)
        M, C, BC = (
            np.empty(2 * pairs * LANES),
            np.empty(4 * pairs * pairs * LANES),
            np.empty(2 * pairs * LANES),
        )
        values = np.empty(3 * LANES)
        for start in range(0, count, LANES):
            for j in range(rank):
                for i in range(LANES):
                    b32[j * LANES + i] = b[j, min(start + i, b.shape[1] - 1)]
            start_sums(reference, part, total)
            start_lanes(0, first + start, L, key[0], key[1], state)
            for token in range(0, L, TILE):
                if kind == "normal":
                    normals(rank, state, g)
                elif kind == "sign":
                    signs(rank, token, state, words, g)
                elif kind == "uniform":
                    uniforms(rank, state, words, g)
                elif kind == "sphere":
                    spheres(rank, state, words, g)
                elif kind == "ball":
                    balls(rank, state, words, g)
                else:
                    quantiles(quantile, rank, state, words, g)
                add_tile(token, L, b32, g, w, wg, reference, shrink, part, total)
            mean_and_covariance(pairs, total, M, C)
            errors(start, pairs, R, B, h, Vh, VH, z2, d_out, M, C, row, BC, values)
            for e in range(3):
                for i in range(min(LANES, count - start)):
                    out[e, start + i] = values[e * LANES + i]

    compiled: Any = announced(kernel, SAMPLING_QUANTILE if custom else SAMPLING)
    return compiled
