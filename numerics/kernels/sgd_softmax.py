"""What softmax attention makes of the two coordinates of a prompt's tokens."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from numerics.streams import F32, LANES, U64, exp32, normal_pair, xoshiro

__all__ = ["SUMS", "softmax_moments"]

ROW = U64(LANES)
SUMS = 9
ZERO, ONE, NEGLIGIBLE, FLOOR = F32(0), F32(1), F32(-80), F32(-3e38)
FLUSH = 64  # tokens added up in float32
F64 = np.float64


@njit(fastmath={"contract"})
def add_token(state, scalars, part, top):  # type: ignore[no-untyped-def]
    for i in range(LANES):
        s0, s1, s2, s3 = state[i], state[LANES + i], state[2 * LANES + i], state[3 * LANES + i]
        x, s0, s1, s2, s3 = xoshiro(s0, s1, s2, s3)
        y, s0, s1, s2, s3 = xoshiro(s0, s1, s2, s3)
        state[i], state[LANES + i], state[2 * LANES + i], state[3 * LANES + i] = s0, s1, s2, s3
        g, r = normal_pair(x, y)
        tau = scalars[i]
        new = max(top[i], tau * g)
        f = exp32(max(top[i] - new, NEGLIGIBLE))
        top[i] = new
        w = exp32(max(tau * g - new, NEGLIGIBLE))
        t = scalars[LANES + i] * g + scalars[2 * LANES + i] * r
        wg, wr, w2, wt, f2 = w * g, w * r, w * w, w * t, f * f
        part[i] = part[i] * f + w
        part[LANES + i] = part[LANES + i] * f + wg
        part[2 * LANES + i] = part[2 * LANES + i] * f + wr
        part[3 * LANES + i] = part[3 * LANES + i] * f + wg * g
        part[4 * LANES + i] = part[4 * LANES + i] * f + wg * r
        part[5 * LANES + i] = part[5 * LANES + i] * f + wr * r
        part[6 * LANES + i] = part[6 * LANES + i] * f2 + w2
        part[7 * LANES + i] = part[7 * LANES + i] * f2 + w * wt
        part[8 * LANES + i] = part[8 * LANES + i] * f2 + wt * wt


@njit
def softmax_moments(L, state, scalars, part, total, top, moments):  # type: ignore[no-untyped-def]
    part[:], total[:] = ZERO, 0.0
    for i in range(LANES):
        top[i] = FLOOR
    for l in range(L):
        add_token(state, scalars, part, top)
    for i in range(SUMS * LANES):
        total[i] = part[i]
    finish(scalars, total, moments)


@njit(fastmath={"contract"})
def finish(scalars, total, moments):  # type: ignore[no-untyped-def]
    """The moments that `sgd_geometry.collect` wants."""
    for i in range(LANES):
        along, across = F64(scalars[LANES + i]), F64(scalars[2 * LANES + i])
        z = 1 / total[i]
        g, r = total[LANES + i] * z, total[2 * LANES + i] * z
        gg = max(total[3 * LANES + i] * z - g * g, 0.0)
        gr, rr = total[4 * LANES + i] * z - g * r, max(total[5 * LANES + i] * z - r * r, 0.0)
        output = along * g + across * r
        z2 = z * z
        P2, Pt = total[6 * LANES + i] * z2, total[7 * LANES + i] * z2
        Ptt = total[8 * LANES + i] * z2 - output * (2 * Pt - output * P2)
        Pt -= output * P2
        root = math.sqrt(P2)
        slope = Pt / root
        moments[i], moments[LANES + i], moments[2 * LANES + i] = F32(g), F32(r), F32(root)
        moments[3 * LANES + i], moments[4 * LANES + i] = F32(along * gg + across * gr), F32(along * gr + across * rr)
        moments[5 * LANES + i], moments[6 * LANES + i] = F32(slope), F32(math.sqrt(max(Ptt - slope * slope, 0.0)))
        moments[7 * LANES + i] = F32(output - scalars[3 * LANES + i])
