"""Conditional means, given the scores, of the errors of softmax attention and of its gradients at finite prompt length.

Tokens are A g with g in R^n standard normal or uniform on the sphere of radius √n, A of orthogonal columns (columns of zeros left
out). With b = AᵀUz and e = b/|b| the scores are |b| times x = e·g, and given x the rest of g is symmetric in the n − 1 directions
across e: of covariance v(x), of fourth moments φ v(x)² (δδ + δδ + δδ). So a replicate needs one number a token. For the sphere
v = (n − x²)/(n − 1) and φ = (n − 1)/(n + 1), for the normal law v = φ = 1.

Replicates are the lanes of contiguous arrays, tokens the outer loop: a tile of tokens is drawn, weighed against the running maximum
of the scores (so that none overflows), summed in float32 about a centre near the infinite prompt's mean and added to float64
accumulators.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numba import njit

from numerics.kernels.fingerprint import fingerprint
from numerics.streams import F32, U32, box_muller, exp32, philox

__all__ = ["score_kernel"]

LANES = 128  # replicates side by side
TILE = 32  # tokens per pass; a multiple of 4, so that a draw of four normals never straddles two tiles
QUERY = 1 << 31  # marks the draws that belong to the query; lengths stay below it
OWN = U32(1 << 31)  # in the high word of the replicate: streams that the kernel of whole tokens never reads
FLOOR, NEGLIGIBLE, SMALL, LEAST = F32(-3e38), F32(-80), F32(1e-12), F32(1e-30)
ZERO, ONE, TWO = F32(0), F32(1), F32(2)
F64 = np.float64
UNSEEN = 1e-280  # scores of a variance below this weigh all tokens alike


@njit(fastmath={"contract"})
def draw(count, replicate, mark, start, key, words, normals):  # type: ignore[no-untyped-def]
    """normals[n] = number 4 start + n of the stream of each lane, for n < count (rounded up to fours)."""
    x0, x1, x2, x3 = words[0], words[1], words[2], words[3]
    for q in range((count + 3) // 4):
        for i in range(LANES):
            number = replicate + i
            x0[i], x1[i], x2[i], x3[i] = U32(start + q), U32(number), U32(number >> 32) | OWN, U32(mark)
        philox(x0, x1, x2, x3, key[0], key[1])
        box_muller(x0, x1, normals[4 * q], normals[4 * q + 1])
        box_muller(x2, x3, normals[4 * q + 2], normals[4 * q + 3])


@njit(fastmath={"contract"})
def heights(x, y, n, out):  # type: ignore[no-untyped-def]
    """out = t − 1 with t a coordinate of a uniform point of the unit sphere in R^n, from two normals.

    Two coordinates of the point have squared length 1 − u^{2/(n−2)}, u uniform, in a uniform direction; −2 log u is the squared
    length of the pair of normals, and the direction is theirs. Close to t = 1 no digit is lost.
    """
    rate = F32(1 / (n - 2)) if n > 2 else F32(1e30)
    circle = ONE if n > 1 else ZERO  # in R^1 all that is left of the direction is a sign
    for i in range(LANES):
        square = max(F32(x[i] * x[i] + y[i] * y[i]), LEAST)
        q = exp32(max(-rate * square, NEGLIGIBLE))
        radius = F32(math.sqrt(max(ONE - q, ZERO)))
        down = circle * y[i] * y[i] / (square + F32(math.sqrt(square)) * abs(x[i]))  # 1 − |cos|
        down = down if x[i] > ZERO else TWO - down
        out[i] = -(q / (ONE + radius) + radius * down)


@njit(fastmath={"contract"})
def normal_terms(x, rate, top, centre):  # type: ignore[no-untyped-def]
    """w, w h, w h², w², w² h, w² h², w³ for h = x − centre and the weight w = e^{rate (x − top)}."""
    w = exp32(max(rate * (x - top), NEGLIGIBLE))
    h = x - centre
    wh = w * h
    u = max(w, SMALL)  # so that no power is subnormal
    u2 = u * u
    u2h = u2 * h
    return w, wh, wh * h, u2, u2h, u2h * h, u2 * u


@njit(fastmath={"contract"})
def add_four_normals(x0, x1, x2, x3, rate, top, centre, part):  # type: ignore[no-untyped-def]
    """Add the terms of four tokens; arrays and not offsets into one, whose signs LLVM cannot tell and would gather for."""
    for i in range(LANES):
        a, b = normal_terms(x0[i], rate[i], top[i], centre[i]), normal_terms(x1[i], rate[i], top[i], centre[i])
        c, d = normal_terms(x2[i], rate[i], top[i], centre[i]), normal_terms(x3[i], rate[i], top[i], centre[i])
        part[i] += (a[0] + b[0]) + (c[0] + d[0])
        part[LANES + i] += (a[1] + b[1]) + (c[1] + d[1])
        part[2 * LANES + i] += (a[2] + b[2]) + (c[2] + d[2])
        part[3 * LANES + i] += (a[3] + b[3]) + (c[3] + d[3])
        part[4 * LANES + i] += (a[4] + b[4]) + (c[4] + d[4])
        part[5 * LANES + i] += (a[5] + b[5]) + (c[5] + d[5])
        part[6 * LANES + i] += (a[6] + b[6]) + (c[6] + d[6])


@njit(fastmath={"contract"})
def add_normal(x, rate, top, centre, part):  # type: ignore[no-untyped-def]
    for i in range(LANES):
        a = normal_terms(x[i], rate[i], top[i], centre[i])
        part[i] += a[0]
        part[LANES + i] += a[1]
        part[2 * LANES + i] += a[2]
        part[3 * LANES + i] += a[3]
        part[4 * LANES + i] += a[4]
        part[5 * LANES + i] += a[5]
        part[6 * LANES + i] += a[6]


@njit(fastmath={"contract"})
def add_height(x, rate, top, centre, total):  # type: ignore[no-untyped-def]
    """Add w, w h, w h², w² v, w² v h, w² v h², w² v², w³ v², w⁴ v² with v = 1 − t² = −x (2 + x).

    In float64: where one token has almost all the weight the errors are differences of these sums, and far smaller than they.
    """
    for i in range(LANES):
        w, y = F64(exp32(max(rate[i] * (x[i] - top[i]), NEGLIGIBLE))), F64(x[i])  # float() would stay in 32 bits
        h = y - centre[i]
        wh, wv = w * h, -w * y * (2.0 + y)
        w2v, w2v2 = w * wv, wv * wv
        w2vh, w3v2 = w2v * h, w * w2v2
        total[i] += w
        total[LANES + i] += wh
        total[2 * LANES + i] += wh * h
        total[3 * LANES + i] += w2v
        total[4 * LANES + i] += w2vh
        total[5 * LANES + i] += w2vh * h
        total[6 * LANES + i] += w2v2
        total[7 * LANES + i] += w3v2
        total[8 * LANES + i] += w * w3v2


@njit(fastmath={"contract"})
def raise_top(tokens, x, rate, top, shrink, total, powers):  # type: ignore[no-untyped-def]
    """Bring sums of the degrees `powers` in the weights to the maximum of the scores with a new tile."""
    for i in range(LANES):
        shrink[i] = top[i]
    for l in range(tokens):
        row = x[l]
        for i in range(LANES):
            top[i] = max(top[i], row[i])
    for i in range(LANES):
        shrink[i] = exp32(max(rate[i] * F32(shrink[i] - top[i]), NEGLIGIBLE))
    for k in range(powers.size):
        sums = total[k * LANES : (k + 1) * LANES]
        for _ in range(powers[k]):
            for i in range(LANES):
                sums[i] *= shrink[i]


@njit(fastmath={"contract"})
def normal_sums(L, replicate, key, words, x, lane, shrink, part, total):  # type: ignore[no-untyped-def]
    """total = the sums over the L tokens of each lane of what `normal_terms` lists, up to powers of a factor."""
    rate, centre, top, powers = lane[0], lane[1], lane[2], np.array([1, 1, 1, 2, 2, 2, 3])
    total[:], top[:] = 0.0, FLOOR
    for start in range(0, L, TILE):
        tokens = min(TILE, L - start)
        draw(tokens, replicate, L, start // 4, key, words, x)
        raise_top(tokens, x, rate, top, shrink, total, powers)
        part[:] = ZERO
        for l in range(0, tokens - 3, 4):
            add_four_normals(x[l], x[l + 1], x[l + 2], x[l + 3], rate, top, centre, part)
        for l in range(tokens - tokens % 4, tokens):
            add_normal(x[l], rate, top, centre, part)
        for i in range(part.size):
            total[i] += part[i]


@njit(fastmath={"contract"})
def height_sums(L, replicate, key, n, words, normals, x, lane, shrink, total):  # type: ignore[no-untyped-def]
    """The same for what `add_height` lists."""
    rate, centre, top, powers = lane[0], lane[1], lane[2], np.array([1, 1, 1, 2, 2, 2, 2, 3, 4])
    total[:], top[:] = 0.0, FLOOR
    for start in range(0, L, TILE):
        tokens = min(TILE, L - start)
        draw(2 * tokens, replicate, L, start // 2, key, words, normals)
        for l in range(tokens):
            heights(normals[2 * l], normals[2 * l + 1], n, x[l])
        raise_top(tokens, x, rate, top, shrink, total, powers)
        for l in range(tokens):
            add_height(x[l], rate, top, centre, total)


@njit(fastmath={"contract"})
def queries(first, L, key, n, b0, W, z0, F, variances, B, words, x, e, row, other, geometry):  # type: ignore[no-untyped-def]
    """geometry = |b|, eᵀXe, eᵀYe, eᵀXYe and |z|² of each lane, X = AᵀA = diag(variances) and Y = AᵀVᵀVA = BᵀB."""
    size, along_x, along_y, mixed, z2 = geometry[0], geometry[1], geometry[2], geometry[3], geometry[4]
    white = W.shape[1]
    draw(white, first, L + QUERY, 0, key, words, x)
    geometry[:] = 0.0
    for j in range(z0.size):
        row[:] = z0[j]
        for k in range(white):
            for i in range(LANES):
                row[i] += F[j, k] * x[k, i]
        for i in range(LANES):
            z2[i] += row[i] * row[i]
    for j in range(b0.size):
        b = e[j]
        b[:] = b0[j]
        for k in range(white):
            for i in range(LANES):
                b[i] += W[j, k] * x[k, i]
        for i in range(LANES):
            size[i] += b[i] * b[i]
    for i in range(LANES):
        # where no token is preferred every direction serves; for the normal law it is best to single out none
        size[i] = math.sqrt(size[i]) if size[i] > UNSEEN else 0.0
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
    """A − 1 and A′ at the rate, A = I_{n/2} / I_{n/2−1}: mean and variance of t − 1 on the unit sphere of R^n under e^{rate t}."""
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
    """Rate and centre of each lane, and mean and variance of x (normal) or t − 1 (sphere) at an infinite prompt."""
    reach = math.sqrt(2 * math.log(L))  # where the largest of L normals lies: with steep scores the sums live there
    for i in range(LANES):
        if n > 0:
            rate = math.sqrt(n) * size[i]
            same = i > 0 and size[i] == size[i - 1]
            mean[i], spread[i] = (mean[i - 1], spread[i - 1]) if same else tilted_height(n, rate, expansion)
            centre = mean[i]
        else:
            rate, mean[i], spread[i] = size[i], size[i], 1.0
            centre = min(rate, reach)
        lane[0, i], lane[1, i] = rate, centre


@njit(fastmath={"contract"})
def conditional_means(n, d_out, traces, geometry, lane, mean, spread, total, values):  # type: ignore[no-untyped-def]
    """The squared errors of output, grad_V and grad_U of each lane, averaged over what the scores leave open.

    In the frame of e the softmax covariance of g less its limit is D ee' + ec' + ce' + E: D a number that the scores determine, c
    and E of mean 0 and ηP given them, P = 1 − ee'.
    """
    trace_x, trace_y, trace_xy = traces[0], traces[1], traces[2]
    unit, of_v, excess = (n, n / (n - 1) if n > 1 else 0.0, 2 / (n + 1)) if n > 0 else (1.0, 1.0, 0.0)  # excess = 1 − φ
    for i in range(LANES):
        along_x, along_y, mixed = geometry[1, i], geometry[2, i], geometry[3, i]
        across_x, across_y = trace_x - along_x, trace_y - along_y
        across_xy = trace_xy - 2 * mixed + along_x * along_y
        mixed -= along_x * along_y
        z = 1 / total[i]
        z2 = z * z
        gap = total[LANES + i] * z  # of the softmax mean from the centre
        h = gap + (F64(lane[1, i]) - mean[i])
        D = total[2 * LANES + i] * z - gap * gap - spread[i]
        S2 = of_v * total[3 * LANES + i] * z2
        C = (
            of_v * unit * (total[5 * LANES + i] - 2 * gap * total[4 * LANES + i] + gap * gap * total[3 * LANES + i]) * z2
        )  # of E cc' = CP
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
        U = along_x * along_y * D * D + 2 * D * eta * mixed + C * (along_x * across_y + along_y * across_x + 2 * mixed)
        U += across_xy * (eta * eta - excesses + K) + across_x * across_y * K
        values[2, i] = geometry[4, i] * max(U, 0.0)  # below 0 by rounding only


@cache
def score_kernel() -> Callable[..., None]:
    """The compiled kernel ``(first, L, key, n, b, W, z, F, variances, B, d_out, traces, expansion, out)``, which releases the GIL.

    ``out[e, r]`` becomes the conditional mean of replicate number ``first + r`` at length L: e = 0 output, 1 grad_V, 2 grad_U.
    Tokens have white coordinates in R^n on a sphere, or normal ones for n = 0. The query is z + F ξ and AᵀUz is b + W ξ, with ξ
    white; ``variances`` are the squared lengths of the columns of A, BᵀB = AᵀVᵀVA, ``traces`` those of X = diag(variances), of
    Y = BᵀB and of XY, and ``expansion`` the coefficients of I_{n/2}/I_{n/2−1} in powers of 1/x.
    """
    sources = fingerprint()  # a closure variable, and so a part of the key under which Numba caches the compiled code

    @njit(nogil=True, cache=True, fastmath={"contract"}, error_model="numpy")
    def kernel(first, L, key, n, b0, W, z0, F, variances, B, d_out, traces, expansion, out):  # type: ignore[no-untyped-def]
        _ = sources
        rank, white, count = W.shape[0], W.shape[1], out.shape[1]
        words, normals = np.empty((4, LANES), np.uint32), np.empty((max(2 * TILE, white + 3), LANES), np.float32)
        points, lane = np.empty((TILE, LANES), np.float32), np.empty((3, LANES), np.float32)
        part, shrink, total = np.empty(7 * LANES, np.float32), np.empty(LANES), np.empty(9 * LANES)
        e, row, other, geometry = np.empty((rank, LANES)), np.empty(LANES), np.empty(LANES), np.empty((5, LANES))
        mean, spread, values = np.empty(LANES), np.empty(LANES), np.empty((3, LANES))
        for start in range(0, count, LANES):
            if white > 0 or start == 0:
                queries(first + start, L, key, n, b0, W, z0, F, variances, B, words, normals, e, row, other, geometry)
                limits(L, n, geometry[0], expansion, lane, mean, spread)
            if n > 0:
                height_sums(L, first + start, key, n, words, normals, points, lane, shrink, total)
            else:
                normal_sums(L, first + start, key, words, normals, lane, shrink, part, total)
            conditional_means(n, d_out, traces, geometry, lane, mean, spread, total, values)
            for k in range(3):
                for i in range(min(LANES, count - start)):
                    out[k, start + i] = values[k, i]

    compiled: Any = kernel
    return compiled
