"""Compiled kernel for the conditional means, given the scores, of the squared errors of softmax
attention and of its gradients at finite prompt length.

Tokens are A g with g in R^n standard normal or uniform on the sphere of radius √n, and A has
orthogonal columns (columns of zeros are left out). With b = AᵀUz and e = b/|b| the scores are |b|
times x = e·g. Given x the rest of g is symmetric in the n − 1 directions across e, with covariance
v(x) and fourth moments φ v(x)² (δδ + δδ + δδ); so a replicate needs one number for each token. For
the sphere v = (n − x²)/(n − 1) and φ = (n − 1)/(n + 1), for the normal law v = φ = 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit

from numerics.attention.sampled.kernels.queries import QUERY_MARK
from numerics.attention.sampled.kernels.score_sums import TILE, height_sums, normal_sums, start_scores
from numerics.compiled.announce import SAMPLING, announced
from numerics.compiled.build_once import once
from numerics.compiled.source_digest import kernel_key
from numerics.compiled.streams import LANES, U64, normal_rows

__all__ = ["score_kernel"]

#: Digest of the sources of this module, taken on import: a part of the key of cached kernels.
SOURCES = kernel_key(__name__)

#: Entries of one row of an array with one entry for each lane.
ROW = U64(LANES)
#: Scores of a variance below this weigh all tokens alike.
SMALLEST_VARIANCE = 1e-280


@njit(fastmath={"contract"})
def queries(n, b0, W, z0, F, variances, B, state, x, e, row, other, geometry):  # type: ignore[no-untyped-def]
    """geometry = |b|, eᵀXe, eᵀYe, eᵀXYe and |z|² of each lane, X = AᵀA = diag(variances) and Y =
    AᵀVᵀVA = BᵀB.
    """
    size, along_x, along_y, mixed, z2 = geometry[0], geometry[1], geometry[2], geometry[3], geometry[4]
    white = W.shape[1]
    normal_rows(white, state, x)
    geometry[:] = 0.0
    for j in range(z0.size):
        row[:] = z0[j]
        for k in range(white):
            for i in range(LANES):
                row[i] += F[j, k] * x[U64(k) * ROW + U64(i)]
        for i in range(LANES):
            z2[i] += row[i] * row[i]
    for j in range(b0.size):
        b = e[j]
        b[:] = b0[j]
        for k in range(white):
            for i in range(LANES):
                b[i] += W[j, k] * x[U64(k) * ROW + U64(i)]
        for i in range(LANES):
            size[i] += b[i] * b[i]
    for i in range(LANES):
        # where no token is preferred every direction serves; for the normal law it is best to
        # single out none
        size[i] = math.sqrt(size[i]) if size[i] > SMALLEST_VARIANCE else 0.0
        row[i] = 1 / size[i] if size[i] > 0 else 0.0
        other[i] = 1.0 if size[i] == 0 and n > 0 else 0.0
    for j in range(b0.size):
        b = e[j]
        for i in range(LANES):
            b[i] = b[i] * row[i] + (other[i] if j == 0 else 0.0)
            along_x[i] += variances[j] * b[i] * b[i]
    for v in range(B.shape[0]):
        row[:], other[:] = 0.0, 0.0
        for j in range(b0.size):
            b, by_x = e[j], B[v, j] * variances[j]
            for i in range(LANES):
                row[i] += B[v, j] * b[i]
                other[i] += by_x * b[i]
        for i in range(LANES):
            along_y[i] += row[i] * row[i]
            mixed[i] += row[i] * other[i]


@njit(fastmath={"contract"})
def tilted_height(n, rate, expansion):  # type: ignore[no-untyped-def]
    """A − 1 and A′ at the rate, A = I_{n/2} / I_{n/2−1}: mean and variance of t − 1 on the unit
    sphere of R^n under e^{rate t}.
    """
    if n == 1:
        decay = math.exp(-2 * rate)
        return -2 * decay / (1 + decay), 4 * decay / (1 + decay) ** 2
    if rate > 60 + 20 * (n - 1):
        mean, slope = 0.0, 0.0
        for k in range(expansion.size - 1, 0, -1):
            mean = (mean + expansion[k]) / rate
            slope = (slope - k * expansion[k]) / rate
        return mean, slope / rate
    steps = int(20 + rate)
    m = float(n + 2 * steps)
    A = rate / (m / 2 + math.sqrt(m * m / 4 + rate * rate))
    for _ in range(steps):
        m -= 2.0
        A = rate / (m + rate * A)  # 1/A_m = m/x + A_{m+2}
    return A - 1.0, (1 - A) * (1 + A) - (n - 1) * (A / rate if rate > 0 else 1 / n)


@njit(fastmath={"contract"})
def limits(L, n, size, expansion, lane, mean, spread):  # type: ignore[no-untyped-def]
    """Rate and centre of each lane, and mean and variance of x (normal) or t − 1 (sphere) at an
    infinite prompt.
    """
    # Where the largest of L normals lies: with steep scores the sums live there.
    reach = math.sqrt(2 * math.log(L))
    for i in range(LANES):
        if n > 0:
            rate = math.sqrt(n) * size[i]
            same = i > 0 and size[i] == size[i - 1]
            mean[i], spread[i] = (mean[i - 1], spread[i - 1]) if same else tilted_height(n, rate, expansion)
            centre = mean[i]
        else:
            rate, mean[i], spread[i] = size[i], size[i], 1.0
            centre = min(rate, reach)
        lane[i], lane[LANES + i] = rate, centre


@njit(fastmath={"contract"})
def conditional_means(n, d_out, traces, geometry, lane, mean, spread, total, values):  # type: ignore[no-untyped-def]
    """The squared errors of output, grad_V and grad_U of each lane, averaged over what the scores
    leave open. In the frame of e the softmax covariance of g less its limit is D ee' + ec' + ce' +
    E: D a number that the scores determine; given them c has mean 0 and covariance CP, and E has
    mean ηP, P = 1 − ee'.
    """
    trace_x, trace_y, trace_xy = traces[0], traces[1], traces[2]
    # The excess is 1 − φ.
    unit, of_v, excess = (n, n / (n - 1) if n > 1 else 0.0, 2 / (n + 1)) if n > 0 else (1.0, 1.0, 0.0)
    for i in range(LANES):
        along_x, along_y, mixed = geometry[1, i], geometry[2, i], geometry[3, i]
        across_x, across_y = max(trace_x - along_x, 0.0), max(trace_y - along_y, 0.0)
        across_xy = trace_xy - 2 * mixed + along_x * along_y
        mixed -= along_x * along_y
        z = 1 / total[i]
        z2 = z * z
        gap = total[LANES + i] * z  # of the softmax mean from the centre
        h = gap + (lane[LANES + i] - mean[i])
        D = total[2 * LANES + i] * z - gap * gap - spread[i]
        S2 = of_v * total[3 * LANES + i] * z2
        C = (
            of_v
            * unit
            * (total[5 * LANES + i] - 2 * gap * total[4 * LANES + i] + gap * gap * total[3 * LANES + i])
            * z2
        )
        if n > 0:
            S1 = -of_v * (D + h * (2 + 2 * mean[i] + h))  # Σ p v less its limit
            N = of_v * of_v * (total[6 * LANES + i] - 2 * total[7 * LANES + i] * z) * z2
            excesses = excess * (N + of_v * of_v * total[8 * LANES + i] * z2 * z2)
        else:
            S1, N, excesses = 0.0, (total[3 * LANES + i] - 2 * total[6 * LANES + i] * z) * z2, 0.0
        eta, K = S1 - S2, N + S2 * S2 - excesses
        h2, D = unit * h * h, unit * D
        values[0, i] = along_y * h2 + across_y * S2
        values[1, i] = d_out * (along_x * h2 + across_x * S2)
        U = (
            along_x * along_y * D * D
            + 2 * D * eta * mixed
            + C * (along_x * across_y + along_y * across_x + 2 * mixed)
        )
        U += across_xy * (eta * eta - excesses + K) + across_x * across_y * K
        values[2, i] = geometry[4, i] * max(U, 0.0)  # below 0 by rounding only


@once
def score_kernel() -> Callable[..., None]:
    """The compiled kernel, which releases the GIL, with the arguments ``first, L, key, n, b, W, z,
    F, variances, B, d_out, traces, expansion, out``.

    ``out[e, r]`` becomes the conditional mean of replicate number ``first + r`` at length L: e = 0
    output, 1 grad_V, 2 grad_U. Tokens have white coordinates in R^n on a sphere, or normal ones for
    n = 0. The query is z + F ξ and AᵀUz is b + W ξ, with ξ white; ``variances`` are the squared
    lengths of the columns of A, BᵀB = AᵀVᵀVA, ``traces`` those of X = diag(variances), of Y = BᵀB
    and of XY, and ``expansion`` the coefficients of I_{n/2}/I_{n/2−1} in powers of 1/x.
    """
    # A closure variable, and so a part of the key under which Numba caches the compiled code.
    sources = SOURCES

    @njit(nogil=True, cache=True, fastmath={"contract"}, error_model="numpy")
    def kernel(first, L, key, n, b0, W, z0, F, variances, B, d_out, traces, expansion, out):  # type: ignore[no-untyped-def]
        _ = sources
        rank, white, count = W.shape[0], W.shape[1], out.shape[1]
        state, normals = (
            np.empty(4 * LANES, np.uint32),
            np.empty(max(2 * TILE, white + 1) * LANES, np.float32),
        )
        x, lane, part = (
            np.empty(TILE * LANES, np.float32),
            np.empty(3 * LANES, np.float32),
            np.empty(7 * LANES, np.float32),
        )
        shrink, total = np.empty(LANES), np.empty(9 * LANES)
        e, row, other, geometry = (
            np.empty((rank, LANES)),
            np.empty(LANES),
            np.empty(LANES),
            np.empty((5, LANES)),
        )
        mean, spread, values = np.empty(LANES), np.empty(LANES), np.empty((3, LANES))
        for start in range(0, count, LANES):
            if white > 0 or start == 0:
                start_scores(first + start, L + QUERY_MARK, key, state)
                queries(n, b0, W, z0, F, variances, B, state, normals, e, row, other, geometry)
                limits(L, n, geometry[0], expansion, lane, mean, spread)
            start_scores(first + start, L, key, state)
            if n > 0:
                height_sums(L, n, state, normals, x, lane, shrink, part, total)
            else:
                normal_sums(L, state, normals, lane, shrink, part, total)
            conditional_means(n, d_out, traces, geometry, lane, mean, spread, total, values)
            for k in range(3):
                for i in range(min(LANES, count - start)):
                    out[k, start + i] = values[k, i]

    compiled: Any = announced(kernel, SAMPLING)
    return compiled
