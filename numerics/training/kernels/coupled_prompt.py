"""A long prompt as both architectures of the coupled kernel see it, drawn from two normals a token
and a few more a prompt: the products of softmax and linear attention weights with the tokens.
"""

# Let N (L × n) be the normals of the tokens in the frame of
# `numerics.training.kernels.coupled_frame`: its first two columns x and y are the coordinates along
# the vectors of softmax attention, drawn token by token. Given these, softmax weights p and p (t −
# T) are fixed vectors of R^L, and the other columns are still independent normals. In an
# orthonormal basis of R^L that begins with x, y, p and p (t − T) (Gram and Schmidt) these columns
# have normal coordinates; what is left of the third and fourth outside that basis has the length of
# a χ variable (Bartlett, "On the theory of statistical regression", Proc. R. Soc. Edinburgh 53,
# 1933). So at most six coordinates of each column matter, however long the prompt: all that either
# architecture needs is a product of the 6 × n matrix of them. L is at least 6; shorter prompts are
# drawn whole, in `numerics.training.kernels.coupled_short`.

from __future__ import annotations

import math

from numba import njit

from numerics.compiled.streams import F32, I32, LANES, U64, exp32, normal_rows
from numerics.training.kernels.chi import chi_rows

__all__ = [
    "BASIS",
    "SUMS",
    "TILE",
    "WEIGHTS",
    "basis_coordinates",
    "draw_columns",
    "token_sums",
    "weighted_sums",
    "weights",
]

TILE = 8  # tokens per pass
BASIS = 6  # vectors of R^L that matter
WEIGHTS = 18  # rows of their coordinates in four weights
SUMS = 12  # Σ of w, w x, w y, w x², w xy, w y², w², w² t, w² t², x², xy, y²
ROW, TWO_ROWS, THREE_ROWS, FOUR_ROWS = U64(LANES), U64(2 * LANES), U64(3 * LANES), U64(4 * LANES)
FIVE_ROWS, SIX_ROWS, SEVEN_ROWS = U64(5 * LANES), U64(6 * LANES), U64(7 * LANES)
FLOAT32_TOKENS = 64 * TILE  # tokens added up in float32 before the sums go to float64
# The sums of a lane are relative to a reference score: they are rescaled when a score exceeds it by
# RESCALE_ABOVE; exponentials are kept between LEAST_EXPONENT and LARGEST_EXPONENT, and squares from
# LEAST_SQUARE on, so that nothing leaves float32.
RESCALE_ABOVE, LEAST_EXPONENT, LARGEST_EXPONENT, LEAST_SQUARE = F32(20), F32(-40), F32(80), F32(1e-36)
ZERO, ONE = F32(0), F32(1)


@njit(forceinline=True)
def highest(tokens, x, rate, top):  # type: ignore[no-untyped-def]
    """top = the highest score of the tile."""
    for i in range(LANES):
        top[i] = rate[i] * x[i]
    for l in range(1, tokens):
        at = U64(2 * l) * ROW
        for i in range(LANES):
            top[i] = max(top[i], rate[i] * x[at + U64(i)])


@njit(forceinline=True)
def raise_reference(tokens, x, rate, reference, top, part, total):  # type: ignore[no-untyped-def]
    """Move the reference of a lane to the highest score rate x of the tile if that is far above,
    and rescale the lane's sums.
    """
    moved = I32(0)
    highest(tokens, x, rate, top)
    for i in range(LANES):
        moved |= I32(top[i] - reference[i] > RESCALE_ABOVE)
    if moved:
        for i in range(LANES):
            up = top[i] - reference[i]
            reference[i] = top[i] if up > RESCALE_ABOVE else reference[i]
            top[i] = (
                (exp32(max(-up, -LARGEST_EXPONENT)) if up < LARGEST_EXPONENT else ZERO)
                if up > RESCALE_ABOVE
                else ONE
            )
        for s in range(9):
            at = U64(s * LANES)
            for i in range(LANES):
                shrink = top[i] if s < 6 else top[i] * top[i]
                part[at + U64(i)] *= shrink
                total[at + U64(i)] *= shrink


@njit(forceinline=True, fastmath={"contract"}, error_model="numpy")
def with_token(sums, a, b, rate, along, across, reference):  # type: ignore[no-untyped-def]
    """The twelve sums with the token of coordinates a and b added."""
    s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11 = sums
    w = exp32(max(rate * a - reference, LEAST_EXPONENT))
    t = along * a + across * b
    wa, wb, w2 = w * a, w * b, w * w
    w2t = w2 * t
    s0, s1, s2, s3, s4, s5 = s0 + w, s1 + wa, s2 + wb, s3 + wa * a, s4 + wa * b, s5 + wb * b
    return s0, s1, s2, s3, s4, s5, s6 + w2, s7 + w2t, s8 + w2t * t, s9 + a * a, s10 + a * b, s11 + b * b


@njit(forceinline=True, fastmath={"contract"}, error_model="numpy")
def add_tokens(l, four, x, R, reference, part):  # type: ignore[no-untyped-def]
    """Add token l of a tile, or the four from l on; the rows of R are the rate of the scores, and
    the values' coordinates.
    """
    at = U64(2 * l) * ROW
    for i in range(LANES):
        j, rate, along, across, high = at + U64(i), R[i], R[LANES + i], R[2 * LANES + i], reference[i]
        s = (
            part[i],
            part[LANES + i],
            part[2 * LANES + i],
            part[3 * LANES + i],
            part[4 * LANES + i],
            part[5 * LANES + i],
            part[6 * LANES + i],
            part[7 * LANES + i],
            part[8 * LANES + i],
            part[9 * LANES + i],
            part[10 * LANES + i],
            part[11 * LANES + i],
        )
        s = with_token(s, x[j], x[j + ROW], rate, along, across, high)
        if four:
            s = with_token(s, x[j + TWO_ROWS], x[j + THREE_ROWS], rate, along, across, high)
            s = with_token(s, x[j + FOUR_ROWS], x[j + FIVE_ROWS], rate, along, across, high)
            s = with_token(s, x[j + SIX_ROWS], x[j + SEVEN_ROWS], rate, along, across, high)
        part[i], part[LANES + i], part[2 * LANES + i], part[3 * LANES + i] = s[0], s[1], s[2], s[3]
        part[4 * LANES + i], part[5 * LANES + i], part[6 * LANES + i], part[7 * LANES + i] = (
            s[4],
            s[5],
            s[6],
            s[7],
        )
        part[8 * LANES + i], part[9 * LANES + i], part[10 * LANES + i], part[11 * LANES + i] = (
            s[8],
            s[9],
            s[10],
            s[11],
        )


@njit(forceinline=True)
def token_sums(L, state, x, R, reference, top, part, total):  # type: ignore[no-untyped-def]
    """part = the sums over the L tokens of each lane, the weighted ones up to a common factor and
    its square.
    """
    part[:] = ZERO
    if L > FLOAT32_TOKENS:
        total[:] = 0.0
    for start in range(0, L, TILE):
        tokens = min(TILE, L - start)
        normal_rows(2 * tokens, state, x)
        if start == 0:
            highest(tokens, x, R, reference)
        else:
            raise_reference(tokens, x, R, reference, top, part, total)
        for l in range(0, tokens - 3, 4):
            add_tokens(l, True, x, R, reference, part)
        for l in range(tokens - tokens % 4, tokens):
            add_tokens(l, False, x, R, reference, part)
        if L > FLOAT32_TOKENS and ((start + TILE) % FLOAT32_TOKENS == 0 or start + TILE >= L):
            for i in range(part.size):
                total[i] += part[i]
                part[i] = ZERO
    if L > FLOAT32_TOKENS:
        for i in range(part.size):
            part[i] = F32(total[i])


@njit(forceinline=True, fastmath={"contract"}, error_model="numpy")
def basis_coordinates(sums, R, basis, v):  # type: ignore[no-untyped-def]
    """From the sums: coordinates of x and y (three rows of `basis`), products of p and q = p (t −
    T) with x and y (four), and T. The coordinates of p (three) and q (four) are rows of v.
    """
    for i in range(LANES):
        along, across = R[LANES + i], R[2 * LANES + i]
        z = ONE / sums[i]
        pa, pb = sums[LANES + i] * z, sums[2 * LANES + i] * z
        T = along * pa + across * pb
        aa, ab, bb = (
            sums[3 * LANES + i] * z - pa * pa,
            sums[4 * LANES + i] * z - pa * pb,
            sums[5 * LANES + i] * z - pb * pb,
        )
        qa, qb = along * aa + across * ab, along * ab + across * bb
        pp, pt = sums[6 * LANES + i] * z * z, sums[7 * LANES + i] * z * z
        pq, qq = pt - T * pp, sums[8 * LANES + i] * z * z - T * (pt + pt - T * pp)
        # every coordinate is at most what is left of the squared length: rounding never makes a
        # vector longer
        r0 = F32(math.sqrt(max(sums[9 * LANES + i], LEAST_SQUARE)))
        r1 = sums[10 * LANES + i] / r0
        r2 = F32(math.sqrt(max(sums[11 * LANES + i] - r1 * r1, LEAST_SQUARE)))
        p0 = pa / r0
        left = max(pp - p0 * p0, ZERO)
        bound = F32(math.sqrt(left))
        p1 = min(max((pb - r1 * p0) / r2, -bound), bound)
        p2 = F32(math.sqrt(max(left - p1 * p1, ZERO)))
        q0 = qa / r0
        left = max(qq - q0 * q0, ZERO)
        bound = F32(math.sqrt(left))
        q1 = min(max((qb - r1 * q0) / r2, -bound), bound)
        left = max(left - q1 * q1, ZERO)
        bound = F32(math.sqrt(left))
        q2 = min(max((pq - p0 * q0 - p1 * q1) / max(p2, LEAST_SQUARE), -bound), bound)
        q3 = F32(math.sqrt(max(left - q2 * q2, ZERO)))
        basis[i], basis[LANES + i], basis[2 * LANES + i] = r0, r1, r2
        basis[3 * LANES + i], basis[4 * LANES + i], basis[5 * LANES + i], basis[6 * LANES + i] = (
            pa,
            pb,
            qa,
            qb,
        )
        basis[7 * LANES + i] = T
        v[i], v[LANES + i], v[2 * LANES + i] = p0, p1, p2
        v[3 * LANES + i], v[4 * LANES + i], v[5 * LANES + i], v[6 * LANES + i] = q0, q1, q2, q3


@njit(forceinline=True)
def draw_columns(n, L, state, words, pair, T):  # type: ignore[no-untyped-def]
    """T[6 j + k] = coordinate k in the basis of column j + 2 of N."""
    if n > 2:
        normal_rows(BASIS * (n - 2), state, T)
        chi_rows(L - 4, state, pair, words, T[4 * LANES : 5 * LANES], T[11 * LANES : 12 * LANES])
        T[5 * LANES : 6 * LANES] = ZERO


@njit(forceinline=True, fastmath={"contract"}, error_model="numpy")
def weights(L, R, basis, T, label, live, v, delta):  # type: ignore[no-untyped-def]
    """Errors T − y_q of both architectures (0 where `live` is), and the coordinates of the four
    weights times these. v is p (3 rows), q (4), then for linear attention scores / L (5) and values
    / L (6).
    """
    mean = F32(1 / L)
    for i in range(LANES):
        e = (basis[7 * LANES + i] - label[i]) * live[i]
        delta[i] = e
        for k in range(7):
            v[k * LANES + i] *= e
        for k in range(4):
            basis[(3 + k) * LANES + i] *= e
    for i in range(LANES):
        r0, r1, r2 = basis[i], basis[LANES + i], basis[2 * LANES + i]
        a0, a1, a2 = mean * R[3 * LANES + i], mean * R[4 * LANES + i], mean * R[5 * LANES + i]
        b0, b1, b2, b3 = R[6 * LANES + i], R[7 * LANES + i], R[8 * LANES + i], R[9 * LANES + i]
        x0, x1, x2, x3, x4 = T[i], T[LANES + i], T[2 * LANES + i], T[3 * LANES + i], T[4 * LANES + i]
        y0, y1, y2, y3, y4 = (
            T[6 * LANES + i],
            T[7 * LANES + i],
            T[8 * LANES + i],
            T[9 * LANES + i],
            T[10 * LANES + i],
        )
        s0, s1, s2, s3, s4 = r0 * a0 + r1 * a1 + x0 * a2, r2 * a1 + x1 * a2, x2 * a2, x3 * a2, x4 * a2
        t0, t1 = r0 * b0 + r1 * b1 + x0 * b2 + y0 * b3, r2 * b1 + x1 * b2 + y1 * b3
        t2, t3, t4, t5 = x2 * b2 + y2 * b3, x3 * b2 + y3 * b3, x4 * b2 + y4 * b3, T[11 * LANES + i] * b3
        e = (s0 * t0 + s1 * t1 + s2 * t2 + s3 * t3 + s4 * t4 - label[i]) * live[i]
        delta[LANES + i] = e
        v[7 * LANES + i], v[8 * LANES + i], v[9 * LANES + i] = e * s0, e * s1, e * s2
        v[10 * LANES + i], v[11 * LANES + i] = e * s3, e * s4
        e *= mean
        v[12 * LANES + i], v[13 * LANES + i], v[14 * LANES + i] = e * t0, e * t1, e * t2
        v[15 * LANES + i], v[16 * LANES + i], v[17 * LANES + i] = e * t3, e * t4, e * t5


@njit(forceinline=True, fastmath={"contract"}, error_model="numpy")
def weighted_sums(n, basis, T, v, y):  # type: ignore[no-untyped-def]
    """N'p, N'q, N's and N't in the frame: entries j are the four rows of y from 4 j on."""
    for i in range(LANES):
        r0, r1, r2 = basis[i], basis[LANES + i], basis[2 * LANES + i]
        y[i], y[LANES + i] = basis[3 * LANES + i], basis[5 * LANES + i]
        y[2 * LANES + i], y[3 * LANES + i] = r0 * v[7 * LANES + i], r0 * v[12 * LANES + i]
        y[4 * LANES + i], y[5 * LANES + i] = basis[4 * LANES + i], basis[6 * LANES + i]
        y[6 * LANES + i] = r1 * v[7 * LANES + i] + r2 * v[8 * LANES + i]
        y[7 * LANES + i] = r1 * v[12 * LANES + i] + r2 * v[13 * LANES + i]
    for j in range(2, n):
        at, to = U64((j - 2) * BASIS * LANES), U64(4 * j * LANES)
        for i in range(LANES):
            x, z = at + U64(i), to + U64(i)
            a, b, c, d, e, f = (
                T[x],
                T[x + ROW],
                T[x + TWO_ROWS],
                T[x + THREE_ROWS],
                T[x + FOUR_ROWS],
                T[x + FIVE_ROWS],
            )
            y[z] = a * v[i] + b * v[LANES + i] + c * v[2 * LANES + i]
            y[z + ROW] = (
                a * v[3 * LANES + i] + b * v[4 * LANES + i] + c * v[5 * LANES + i] + d * v[6 * LANES + i]
            )
            s = a * v[7 * LANES + i] + b * v[8 * LANES + i] + c * v[9 * LANES + i] + d * v[10 * LANES + i]
            y[z + TWO_ROWS] = s + e * v[11 * LANES + i]
            s = a * v[12 * LANES + i] + b * v[13 * LANES + i] + c * v[14 * LANES + i] + d * v[15 * LANES + i]
            y[z + THREE_ROWS] = s + e * v[16 * LANES + i] + f * v[17 * LANES + i]
