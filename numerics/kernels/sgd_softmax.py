"""What softmax attention makes of the two coordinates of a prompt's tokens."""

from __future__ import annotations

import math

from numba import njit

from numerics.streams import F32, LANES, U64, exp32, normal_pair, xoshiro

__all__ = ["softmax_moments"]

ROW = U64(LANES)
SUMS, SQUARES = 8, 5  # rows of sums, and which is the first that is quadratic in the weights
TOP, BASE = 8 * LANES, 9 * LANES  # the rows behind them: the score that sums in float32, and in float64, are relative to
ZERO, TWO, NEGLIGIBLE, FLOOR = F32(0), F32(2), F32(-80), F32(-3e38)
TAME = F32(5)  # no normal of Box and Muller is above 6.8: below this no sum of squared weights leaves float32, L < 2^31
FIVE, FLUSH = 5, 60  # tokens of one pass; tokens added up in float32


@njit(fastmath={"contract"}, forceinline=True)
def add(state, sums, tau, along, across):  # type: ignore[no-untyped-def]
    """Draw a token of value t = along g + across r and weight w = e^{tau g}; add w, w g, w r, w t g, w t r, w^2, w^2 t, w^2 t^2."""
    a, b, c, d = state
    s0, s1, s2, s3, s4, s5, s6, s7 = sums
    x, a, b, c, d = xoshiro(a, b, c, d)
    y, a, b, c, d = xoshiro(a, b, c, d)
    g, r = normal_pair(x, y)
    w = exp32(tau * g)
    t = along * g + across * r
    wt = w * t
    return (a, b, c, d), (s0 + w, s1 + w * g, s2 + w * r, s3 + wt * g, s4 + wt * r, s5 + w * w, s6 + w * wt, s7 + wt * wt)


@njit(fastmath={"contract"})
def add_five(state, scalars, part):  # type: ignore[no-untyped-def]
    """Add five tokens of moderate scores."""
    for i in range(LANES):
        tau, along, across = scalars[i], scalars[LANES + i], scalars[2 * LANES + i]
        s = (state[i], state[LANES + i], state[2 * LANES + i], state[3 * LANES + i])
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
        s, p = add(s, p, tau, along, across)
        s, p = add(s, p, tau, along, across)
        s, p = add(s, p, tau, along, across)
        s, p = add(s, p, tau, along, across)
        s, p = add(s, p, tau, along, across)
        state[i], state[LANES + i], state[2 * LANES + i], state[3 * LANES + i] = s
        part[i], part[LANES + i], part[2 * LANES + i], part[3 * LANES + i] = p[0], p[1], p[2], p[3]
        part[4 * LANES + i], part[5 * LANES + i], part[6 * LANES + i], part[7 * LANES + i] = p[4], p[5], p[6], p[7]


@njit(fastmath={"contract"})
def add_one(state, scalars, part):  # type: ignore[no-untyped-def]
    """Add a token of any score: the sums are relative to the greatest so far."""
    for i in range(LANES):
        s0, s1, s2, s3 = state[i], state[LANES + i], state[2 * LANES + i], state[3 * LANES + i]
        x, s0, s1, s2, s3 = xoshiro(s0, s1, s2, s3)
        y, s0, s1, s2, s3 = xoshiro(s0, s1, s2, s3)
        state[i], state[LANES + i], state[2 * LANES + i], state[3 * LANES + i] = s0, s1, s2, s3
        g, r = normal_pair(x, y)
        score, t = scalars[i] * g, scalars[LANES + i] * g + scalars[2 * LANES + i] * r
        top = max(part[TOP + i], score)
        f, w = exp32(max(part[TOP + i] - top, NEGLIGIBLE)), exp32(max(score - top, NEGLIGIBLE))
        wt, f2 = w * t, f * f
        part[TOP + i] = top
        part[i], part[LANES + i] = part[i] * f + w, part[LANES + i] * f + w * g
        part[2 * LANES + i], part[3 * LANES + i] = part[2 * LANES + i] * f + w * r, part[3 * LANES + i] * f + wt * g
        part[4 * LANES + i], part[5 * LANES + i] = part[4 * LANES + i] * f + wt * r, part[5 * LANES + i] * f2 + w * w
        part[6 * LANES + i], part[7 * LANES + i] = part[6 * LANES + i] * f2 + w * wt, part[7 * LANES + i] * f2 + wt * wt


@njit
def flush(part, total):  # type: ignore[no-untyped-def]
    """Add the sums to those in float64, which are brought to the same reference."""
    for i in range(LANES):
        part[BASE + i] = exp32(max(part[BASE + i] - part[TOP + i], NEGLIGIBLE))
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
def softmax_moments(L, state, scalars, part, total, moments):  # type: ignore[no-untyped-def]
    """The moments that `sgd_geometry.collect` wants."""
    most = ZERO
    for i in range(LANES):
        most = max(most, scalars[i])
    tame = most < TAME
    for i in range(SUMS * LANES):
        part[i], total[i] = ZERO, 0.0
    for i in range(LANES):
        part[TOP + i] = part[BASE + i] = ZERO if tame else FLOOR
    done = 0
    while done < L:
        end = min(done + FLUSH, L)
        while done < end:
            if tame and done + FIVE <= end:
                add_five(state, scalars, part)
                done += FIVE
            else:
                add_one(state, scalars, part)
                done += 1
        flush(part, total)
    finish(scalars, total, moments)


@njit(fastmath={"contract"}, error_model="numpy")
def finish(scalars, total, moments):  # type: ignore[no-untyped-def]
    """Weighted means and covariances from the sums."""
    for i in range(LANES):
        z = F32(1 / total[i])
        along, across = scalars[LANES + i], scalars[2 * LANES + i]
        g, r = F32(total[LANES + i]) * z, F32(total[2 * LANES + i]) * z
        output = along * g + across * r
        z2 = z * z
        P2, Pt = F32(total[5 * LANES + i]) * z2, F32(total[6 * LANES + i]) * z2
        Ptt = F32(total[7 * LANES + i]) * z2 - output * (TWO * Pt - output * P2)
        root = F32(math.sqrt(P2))
        slope = (Pt - output * P2) / root
        moments[i], moments[LANES + i], moments[2 * LANES + i] = g, r, root
        moments[3 * LANES + i] = F32(total[3 * LANES + i]) * z - output * g
        moments[4 * LANES + i] = F32(total[4 * LANES + i]) * z - output * r
        moments[5 * LANES + i], moments[6 * LANES + i] = slope, F32(math.sqrt(max(Ptt - slope * slope, ZERO)))
        moments[7 * LANES + i] = output - scalars[3 * LANES + i]
