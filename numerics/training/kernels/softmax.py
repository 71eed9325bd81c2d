"""The moments of softmax attention over the tokens of a block of prompts: every token is drawn, but
only its two coordinates of `numerics.training.kernels.geometry`. Weighted sums are kept in float32
for sixty tokens at a time and then added up in float64. Where scores may be large they are relative
to the greatest score so far.
"""

from __future__ import annotations

import math

from numba import njit

from numerics.compiled.streams import F32, I32, LANES, LOG2E, U64, exp2_32, exp32, normal_rows

__all__ = ["TILE", "softmax_moments"]

ROW = U64(LANES)
SUMS, SQUARES = 8, 5  # rows of sums, and which is the first that is quadratic in the weights
TOP, BASE = (
    8 * LANES,
    9 * LANES,
)  # the rows behind them: the score that sums in float32, and in float64, are relative to
ZERO, ONE, TWO, LEAST_EXPONENT, LEAST_SCORE = F32(0), F32(1), F32(2), F32(-80), F32(-3e38)
#: Variance of scores below which no square of a weight leaves float32, since no pair of normals is
#: longer than 6.8: then no reference score is needed.
VARIANCE = F32(25)
#: Tokens of one pass, and those that are added up in float32 before float64. A pass draws its
#: tokens first and adds them then: the registers of a processor do not hold both.
TILE, FLOAT32_TOKENS = 5, 60


@njit(fastmath={"contract"}, forceinline=True)
def add(sums, g, r, along, across):  # type: ignore[no-untyped-def]
    """Add the sums of a token of coordinates g, r and weight w = 2^(along g + across r), as
    `finish` reads them.
    """
    s0, s1, s2, s3, s4, s5, s6, s7 = sums
    w = exp2_32(along * g + across * r)
    wg = w * g
    return s0 + w, s1 + wg, s2 + w * r, s3 + wg * g, s4 + wg * r, s5 + w * w, s6 + w * wg, s7 + wg * wg


@njit(fastmath={"contract"})
def add_five(x, scalars, part):  # type: ignore[no-untyped-def]
    """Add five tokens of moderate scores, whose coordinates are ten rows of x."""
    for i in range(LANES):
        along, across = scalars[LANES + i] * LOG2E, scalars[2 * LANES + i] * LOG2E
        p = (
            part[i],
            part[LANES + i],
            part[2 * LANES + i],
            part[3 * LANES + i],
            part[4 * LANES + i],
            part[5 * LANES + i],
            part[6 * LANES + i],
            part[7 * LANES + i],
        )
        k = U64(i)
        p = add(p, x[k], x[k + ROW], along, across)
        p = add(p, x[k + U64(2) * ROW], x[k + U64(3) * ROW], along, across)
        p = add(p, x[k + U64(4) * ROW], x[k + U64(5) * ROW], along, across)
        p = add(p, x[k + U64(6) * ROW], x[k + U64(7) * ROW], along, across)
        p = add(p, x[k + U64(8) * ROW], x[k + U64(9) * ROW], along, across)
        part[i], part[LANES + i], part[2 * LANES + i], part[3 * LANES + i] = p[0], p[1], p[2], p[3]
        part[4 * LANES + i], part[5 * LANES + i], part[6 * LANES + i], part[7 * LANES + i] = (
            p[4],
            p[5],
            p[6],
            p[7],
        )


@njit(fastmath={"contract"})
def add_one(x, at, scalars, part):  # type: ignore[no-untyped-def]
    """Add a token of any score: the sums are relative to the greatest so far."""
    for i in range(LANES):
        g, r = x[at + U64(i)], x[at + ROW + U64(i)]
        score = scalars[LANES + i] * g + scalars[2 * LANES + i] * r
        top = max(part[TOP + i], score)
        f, w = exp32(max(part[TOP + i] - top, LEAST_EXPONENT)), exp32(max(score - top, LEAST_EXPONENT))
        wg, f2 = w * g, f * f
        part[TOP + i] = top
        part[i], part[LANES + i] = part[i] * f + w, part[LANES + i] * f + wg
        part[2 * LANES + i], part[3 * LANES + i] = (
            part[2 * LANES + i] * f + w * r,
            part[3 * LANES + i] * f + wg * g,
        )
        part[4 * LANES + i], part[5 * LANES + i] = (
            part[4 * LANES + i] * f + wg * r,
            part[5 * LANES + i] * f2 + w * w,
        )
        part[6 * LANES + i], part[7 * LANES + i] = (
            part[6 * LANES + i] * f2 + w * wg,
            part[7 * LANES + i] * f2 + wg * wg,
        )


@njit
def flush(bounded, part, total):  # type: ignore[no-untyped-def]
    """Add the sums to those in float64, which are brought to the same reference unless all scores
    are moderate.
    """
    if bounded:
        for i in range(SUMS * LANES):
            total[i] += part[i]
            part[i] = ZERO
        return
    for i in range(LANES):
        # exp32(0) is not quite 1, which long prompts would take to a high power: 1 is put instead.
        fall = part[BASE + i] - part[TOP + i]
        part[BASE + i] = exp32(max(fall, LEAST_EXPONENT)) if fall < ZERO else ONE
    for row in range(SUMS):
        at = U64(row) * ROW
        if row == SQUARES:
            for i in range(LANES):
                part[BASE + i] *= part[BASE + i]
        for i in range(LANES):
            k = at + U64(i)
            total[k] = total[k] * part[BASE + i] + part[k]
            part[k] = ZERO
    for i in range(LANES):
        part[BASE + i] = part[TOP + i]


@njit
def softmax_moments(L, state, scalars, x, part, total, moments):  # type: ignore[no-untyped-def]
    """The moments that `numerics.training.kernels.collect` reads; x is scratch of 2 TILE rows."""
    steep = I32(0)  # a greatest number would be looked for lane by lane, since LLVM minds the order of maxima
    for i in range(LANES):
        steep |= I32(
            scalars[LANES + i] * scalars[LANES + i] + scalars[2 * LANES + i] * scalars[2 * LANES + i]
            >= VARIANCE
        )
    bounded = steep == 0
    for i in range(SUMS * LANES):
        part[i], total[i] = ZERO, 0.0
    for i in range(LANES):
        part[TOP + i] = part[BASE + i] = ZERO if bounded else LEAST_SCORE
    for start in range(0, L, TILE):
        tokens = min(TILE, L - start)
        normal_rows(2 * tokens, state, x)
        if bounded and tokens == TILE:
            add_five(x, scalars, part)
        else:
            for l in range(tokens):
                add_one(x, U64(2 * l) * ROW, scalars, part)
        if (start + TILE) % FLOAT32_TOKENS == 0 or start + TILE >= L:
            flush(bounded, part, total)
    finish(scalars, total, moments)
    if L == 1:  # the token has all the weight; rounding shall not move K and Q
        for i in range(3 * LANES, 7 * LANES):
            moments[i] = ZERO


@njit(fastmath={"contract"}, error_model="numpy")
def finish(scalars, total, moments):  # type: ignore[no-untyped-def]
    """Weighted means and covariances from the sums of w, w g, w r, w g^2, w g r, w^2, w^2 g and w^2
    g^2.
    """
    for i in range(LANES):
        z, size = F32(1 / total[i]), scalars[i]
        g, r = F32(total[LANES + i]) * z, F32(total[2 * LANES + i]) * z
        z2 = z * z
        P2, first = F32(total[5 * LANES + i]) * z2, F32(total[6 * LANES + i]) * z2
        second = F32(total[7 * LANES + i]) * z2 - g * (TWO * first - g * P2)
        root = F32(math.sqrt(P2))
        slope = (first - g * P2) / root
        moments[i], moments[LANES + i], moments[2 * LANES + i] = g, r, root
        moments[3 * LANES + i] = size * (F32(total[3 * LANES + i]) * z - g * g)
        moments[4 * LANES + i] = size * (F32(total[4 * LANES + i]) * z - g * r)
        moments[5 * LANES + i] = size * slope
        moments[6 * LANES + i] = size * F32(math.sqrt(max(second - slope * slope, ZERO)))
        moments[7 * LANES + i] = size * g - scalars[3 * LANES + i]
