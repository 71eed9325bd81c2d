"""Errors of softmax attention and of its gradients at finite prompt length, over Gaussian prompts: one pass, no prompt is stored.

Tokens are z_k = A g_k with white g_k and A of orthogonal columns; everything is done in the coordinates of g. Replicates are the
lanes of contiguous arrays, tokens the outer loop: a tile of tokens is drawn, weighed against the running maximum of the scores (so
that no score overflows), summed in float32 and added to float64 accumulators.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numba import njit

from numerics.kernels.fingerprint import fingerprint
from numerics.streams import F32, U32, box_muller, exp32, philox

__all__ = ["attention_kernel"]

LANES = 64  # replicates side by side
TILE = 16  # tokens per pass; a multiple of 4, so that a draw of four normals never straddles two tiles
QUERY = 1 << 31  # marks the draws that belong to the query; lengths stay below it
FLOOR, NEGLIGIBLE = F32(-3e38), F32(-80)


@njit(fastmath={"contract"})
def draw(count, replicate, mark, start, key, words, normals):  # type: ignore[no-untyped-def]
    """normals[n] = number 4 start + n of the stream of each lane, for n < count (rounded up to fours)."""
    x0, x1, x2, x3 = words[0], words[1], words[2], words[3]
    for q in range((count + 3) // 4):
        for i in range(LANES):
            number = replicate + i
            x0[i], x1[i], x2[i], x3[i] = U32(start + q), U32(number), U32(number >> 32), U32(mark)
        philox(x0, x1, x2, x3, key[0], key[1])
        box_muller(x0, x1, normals[4 * q], normals[4 * q + 1])
        box_muller(x2, x3, normals[4 * q + 2], normals[4 * q + 3])


@njit(fastmath={"contract"})
def softmax_sums(L, replicate, key, scores_of, words, normals, weights, top, shrink, part, Z, M, C):  # type: ignore[no-untyped-def]
    """Z = Σ w, M = Σ w g, C = Σ w g gᵀ over the L tokens of each lane, up to a common factor per lane."""
    rank = M.shape[0]
    Z[:], M[:], C[:], top[:] = 0.0, 0.0, 0.0, FLOOR
    for start in range(0, L, TILE):
        tokens = min(TILE, L - start)
        draw(tokens * rank, replicate, L, start * rank // 4, key, words, normals)
        for i in range(LANES):
            shrink[i] = top[i]
        for l in range(tokens):
            w = weights[l]
            w[:] = F32(0)
            for j in range(rank):
                g, b = normals[l * rank + j], scores_of[j]
                for i in range(LANES):
                    w[i] += b[i] * g[i]
            for i in range(LANES):
                top[i] = max(top[i], w[i])
        for i in range(LANES):
            shrink[i] = exp32(max(shrink[i] - top[i], NEGLIGIBLE))
        for l in range(tokens):
            w = weights[l]
            for i in range(LANES):
                w[i] = exp32(max(w[i] - top[i], NEGLIGIBLE))
        part[:] = F32(0)
        for l in range(tokens):
            w = weights[l]
            for i in range(LANES):
                part[i] += w[i]
        for i in range(LANES):
            Z[i] = Z[i] * shrink[i] + part[i]
        entry = 0
        for j in range(rank):
            m = M[j]
            part[:] = F32(0)
            for l in range(tokens):
                w, g = weights[l], normals[l * rank + j]
                for i in range(LANES):
                    part[i] += w[i] * g[i]
            for i in range(LANES):
                m[i] = m[i] * shrink[i] + part[i]
            for k in range(j + 1):
                c = C[entry]
                part[:] = F32(0)
                for l in range(tokens):
                    w, g, h = weights[l], normals[l * rank + j], normals[l * rank + k]
                    for i in range(LANES):
                        part[i] += w[i] * g[i] * h[i]
                for i in range(LANES):
                    c[i] = c[i] * shrink[i] + part[i]
                entry += 1


@njit(fastmath={"contract"})
def errors(b, z2, variances, B, Z, M, C, D, row, values):  # type: ignore[no-untyped-def]
    """|V A (ḡ − b)|², d_out |A (ḡ − b)|² and |V A (C_g − 1) Aᵀ|² |z|² of each lane, C_g the softmax covariance of g."""
    rank, rows = M.shape[0], B.shape[0]
    values[:] = 0.0
    for i in range(LANES):
        Z[i] = 1 / Z[i]
    entry = 0
    for j in range(rank):
        for i in range(LANES):
            M[j, i] *= Z[i]
        for k in range(j + 1):
            for i in range(LANES):
                D[j, k, i] = C[entry, i] * Z[i] - M[j, i] * M[k, i]
                D[k, j, i] = D[j, k, i]
            entry += 1
        for i in range(LANES):
            D[j, j, i] -= 1.0
    for j in range(rank):
        for i in range(LANES):
            M[j, i] -= b[j, i]
            values[1, i] += rows * variances[j] * M[j, i] * M[j, i]
    for v in range(rows):
        row[:] = 0.0
        for j in range(rank):
            for i in range(LANES):
                row[i] += B[v, j] * M[j, i]
        for i in range(LANES):
            values[0, i] += row[i] * row[i]
        for k in range(rank):
            row[:] = 0.0
            for j in range(rank):
                for i in range(LANES):
                    row[i] += B[v, j] * D[j, k, i]
            for i in range(LANES):
                values[2, i] += variances[k] * row[i] * row[i] * z2[i]


@cache
def attention_kernel() -> Callable[..., None]:
    """The compiled kernel ``(first, L, key, b, W, z, F, variances, B, out)``, which releases the GIL.

    ``out[e, r]`` becomes the squared error of replicate number ``first + r`` at length L: e = 0 output, 1 grad_V, 2 grad_U. The
    query is z + F ξ and the scores are (b + W ξ)·g, with ξ white; ``variances`` are the squared lengths of the columns of A, and
    ``B = V A``.
    """
    sources = fingerprint()  # a closure variable, and so a part of the key under which Numba caches the compiled code

    @njit(nogil=True, cache=True, fastmath={"contract"}, error_model="numpy")
    def kernel(first, L, key, b0, W, z0, F, variances, B, out):  # type: ignore[no-untyped-def]
        _ = sources
        rank, white, count = W.shape[0], W.shape[1], out.shape[1]
        words, normals = np.empty((4, LANES), np.uint32), np.empty((max(TILE * rank, white + 3), LANES), np.float32)
        weights, top = np.empty((TILE, LANES), np.float32), np.empty(LANES, np.float32)
        shrink, part = np.empty(LANES, np.float32), np.empty(LANES, np.float32)
        b, b32, z2 = np.empty((rank, LANES)), np.empty((rank, LANES), np.float32), np.empty(LANES)
        Z, M, C = np.empty(LANES), np.empty((rank, LANES)), np.empty((rank * (rank + 1) // 2, LANES))
        D, row, values = np.empty((rank, rank, LANES)), np.empty(LANES), np.empty((3, LANES))
        for start in range(0, count, LANES):
            draw(white, first + start, L + QUERY, 0, key, words, normals)
            z2[:] = 0.0
            for j in range(z0.size):
                row[:] = z0[j]
                for k in range(white):
                    for i in range(LANES):
                        row[i] += F[j, k] * normals[k, i]
                for i in range(LANES):
                    z2[i] += row[i] * row[i]
            for j in range(rank):
                for i in range(LANES):
                    b[j, i] = b0[j]
                for k in range(white):
                    for i in range(LANES):
                        b[j, i] += W[j, k] * normals[k, i]
                for i in range(LANES):
                    b32[j, i] = b[j, i]
            softmax_sums(L, first + start, key, b32, words, normals, weights, top, shrink, part, Z, M, C)
            errors(b, z2, variances, B, Z, M, C, D, row, values)
            for e in range(3):
                for i in range(min(LANES, count - start)):
                    out[e, start + i] = values[e, i]

    compiled: Any = kernel
    return compiled
