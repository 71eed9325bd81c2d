"""Compiled sums over the tokens of a prompt of which only the scores are drawn: normal ones, or
those of points on a sphere.

Replicates are the lanes of contiguous arrays, and tokens the outer loop: a tile of tokens is drawn,
weighed against the running maximum of the scores (so that no weight overflows), and summed about a
centre near the infinite prompt's mean. Row k of an array holds the entries from k LANES to (k + 1)
LANES − 1. The rows of `lane` are the rate at which scores grow with x, the centre, and the greatest
x so far.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from numerics.compiled.streams import F32, LANES, U64, exp32, normal_rows, start_lanes

__all__ = ["TILE", "height_sums", "normal_sums", "start_scores"]

#: Tokens of one pass; an even number, since normals come in pairs.
TILE = 64
ROW = U64(LANES)
#: Added to the number of a replicate: random streams that the kernel of whole tokens never reads.
SCORE_STREAMS = U64(1 << 63)
#: Lowest maximum of scores; exponent below which a weight is cut off; least weight of which powers
#: are taken, so that none is subnormal; least squared length of a pair of normals.
LOWEST, NEGLIGIBLE_EXPONENT, SMALL, LEAST = F32(-3e38), F32(-80), F32(1e-12), F32(1e-30)
ZERO, ONE, TWO = F32(0), F32(1), F32(2)
F64 = np.float64  # float() leaves float32 what it is


@njit
def start_scores(replicate, mark, key, state):  # type: ignore[no-untyped-def]
    """The states of the lanes from number `replicate` on."""
    start_lanes(0, U64(replicate) + SCORE_STREAMS, mark, key[0], key[1], state)


@njit(fastmath={"contract"})
def heights(tokens, n, normals, x):  # type: ignore[no-untyped-def]
    """x = t − 1 of each token, t a coordinate of a uniform point of the unit sphere in R^n, from
    two normals; close to t = 1 no digit is lost. Two coordinates of the point have squared length 1
    − u^{2/(n−2)}, u uniform, in a uniform direction; −2 log u is the squared length of the pair of
    normals, and the direction is theirs.
    """
    rate = F32(1 / (n - 2)) if n > 2 else F32(1e30)
    circle = ONE if n > 1 else ZERO  # in R^1 all that is left of the direction is a sign
    for l in range(tokens):
        to, at = U64(l) * ROW, U64(2 * l) * ROW
        for i in range(LANES):
            a, b = normals[at + U64(i)], normals[at + ROW + U64(i)]
            square = max(F32(a * a + b * b), LEAST)
            q = exp32(max(-rate * square, NEGLIGIBLE_EXPONENT))
            radius = F32(math.sqrt(max(ONE - q, ZERO)))
            down = circle * b * b / (square + F32(math.sqrt(square)) * abs(a))  # 1 − |cos|
            down = down if a > ZERO else TWO - down
            x[to + U64(i)] = -(q / (ONE + radius) + radius * down)


@njit(fastmath={"contract"})
def with_normal(sums, x, rate, centre, top):  # type: ignore[no-untyped-def]
    """Add w, w h, w h², w², w² h, w² h², w³ for h = x − centre, w = e^{rate (x − top)}."""
    s0, s1, s2, s3, s4, s5, s6 = sums
    w = exp32(max(rate * (x - top), NEGLIGIBLE_EXPONENT))
    h = x - centre
    wh = w * h
    u = max(w, SMALL)  # so that no power is subnormal
    u2 = u * u
    u2h = u2 * h
    return s0 + w, s1 + wh, s2 + wh * h, s3 + u2, s4 + u2h, s5 + u2h * h, s6 + u2 * u


@njit(fastmath={"contract"})
def add_normals(l, four, x, lane, part):  # type: ignore[no-untyped-def]
    """Add token l to the rows of `part`, or the four tokens from l on."""
    at = U64(l) * ROW
    for i in range(LANES):
        j, rate, centre, top = at + U64(i), lane[i], lane[LANES + i], lane[2 * LANES + i]
        s = (
            part[i],
            part[LANES + i],
            part[2 * LANES + i],
            part[3 * LANES + i],
            part[4 * LANES + i],
            part[5 * LANES + i],
            part[6 * LANES + i],
        )
        s = with_normal(s, x[j], rate, centre, top)
        if four:
            s = with_normal(s, x[j + ROW], rate, centre, top)
            s = with_normal(s, x[j + ROW + ROW], rate, centre, top)
            s = with_normal(s, x[j + ROW + ROW + ROW], rate, centre, top)
        part[i], part[LANES + i], part[2 * LANES + i], part[3 * LANES + i] = s[0], s[1], s[2], s[3]
        part[4 * LANES + i], part[5 * LANES + i], part[6 * LANES + i] = s[4], s[5], s[6]


@njit(fastmath={"contract"})
def fold_normals(shrink, part, total):  # type: ignore[no-untyped-def]
    """Bring sums linear, quadratic, cubic in the weights to the new maximum, and add a tile's."""
    for i in range(LANES):
        f = shrink[i]
        f2 = f * f
        total[i] = total[i] * f + part[i]
        total[LANES + i] = total[LANES + i] * f + part[LANES + i]
        total[2 * LANES + i] = total[2 * LANES + i] * f + part[2 * LANES + i]
        total[3 * LANES + i] = total[3 * LANES + i] * f2 + part[3 * LANES + i]
        total[4 * LANES + i] = total[4 * LANES + i] * f2 + part[4 * LANES + i]
        total[5 * LANES + i] = total[5 * LANES + i] * f2 + part[5 * LANES + i]
        total[6 * LANES + i] = total[6 * LANES + i] * (f2 * f) + part[6 * LANES + i]


@njit(fastmath={"contract"})
def add_height(l, x, lane, shrink, weight, total):  # type: ignore[no-untyped-def]
    """Add w, w h, w h², w² v, w² v h, w² v h², w² v², w³ v², w⁴ v² with v = 1 − t² = −x (2 + x),
    first times powers of `shrink`. In float64: where one token has almost all the weight the errors
    are differences of these sums, and far smaller than they.
    """
    at = U64(l) * ROW
    for i in range(LANES):
        weight[i] = exp32(max(lane[i] * (x[at + U64(i)] - lane[2 * LANES + i]), NEGLIGIBLE_EXPONENT))
    for i in range(LANES):
        f, w, y = shrink[i], F64(weight[i]), F64(x[at + U64(i)])
        h, f2 = y - lane[LANES + i], f * f
        wh, wv = w * h, -w * y * (2.0 + y)
        w2v, w2v2 = w * wv, wv * wv
        w2vh, w3v2 = w2v * h, w * w2v2
        total[i] = total[i] * f + w
        total[LANES + i] = total[LANES + i] * f + wh
        total[2 * LANES + i] = total[2 * LANES + i] * f + wh * h
        total[3 * LANES + i] = total[3 * LANES + i] * f2 + w2v
        total[4 * LANES + i] = total[4 * LANES + i] * f2 + w2vh
        total[5 * LANES + i] = total[5 * LANES + i] * f2 + w2vh * h
        total[6 * LANES + i] = total[6 * LANES + i] * f2 + w2v2
        total[7 * LANES + i] = total[7 * LANES + i] * (f2 * f) + w3v2
        total[8 * LANES + i] = total[8 * LANES + i] * (f2 * f2) + w * w3v2


@njit(fastmath={"contract"})
def raise_top(tokens, x, lane, shrink):  # type: ignore[no-untyped-def]
    """Take a tile into the maximum of each lane; `shrink` multiplies earlier weights."""
    for i in range(LANES):
        shrink[i] = lane[2 * LANES + i]
    for l in range(0, tokens - 1, 2):
        at = U64(l) * ROW
        for i in range(LANES):
            lane[2 * LANES + i] = max(lane[2 * LANES + i], max(x[at + U64(i)], x[at + ROW + U64(i)]))
    if tokens % 2:
        for i in range(LANES):
            lane[2 * LANES + i] = max(lane[2 * LANES + i], x[U64(tokens - 1) * ROW + U64(i)])
    for i in range(LANES):
        shrink[i] = exp32(max(lane[i] * F32(shrink[i] - lane[2 * LANES + i]), NEGLIGIBLE_EXPONENT))


@njit
def normal_sums(L, state, x, lane, shrink, part, total):  # type: ignore[no-untyped-def]
    """total = each lane's sums over L tokens of what `with_normal` lists, up to powers."""
    total[:], lane[2 * LANES :] = 0.0, LOWEST
    for start in range(0, L, TILE):
        tokens = min(TILE, L - start)
        normal_rows(tokens, state, x)
        raise_top(tokens, x, lane, shrink)
        part[:] = ZERO
        for l in range(0, tokens - 3, 4):
            add_normals(l, True, x, lane, part)
        for l in range(tokens - tokens % 4, tokens):
            add_normals(l, False, x, lane, part)
        fold_normals(shrink, part, total)


@njit
def height_sums(L, n, state, normals, x, lane, shrink, weight, total):  # type: ignore[no-untyped-def]
    """The same for what `add_height` lists."""
    total[:], lane[2 * LANES :] = 0.0, LOWEST
    for start in range(0, L, TILE):
        tokens = min(TILE, L - start)
        normal_rows(2 * tokens, state, normals)
        heights(tokens, n, normals, x)
        raise_top(tokens, x, lane, shrink)
        for l in range(tokens):
            add_height(l, x, lane, shrink, weight, total)
            shrink[:] = 1.0  # once a tile
