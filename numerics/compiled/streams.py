"""Random numbers inside Numba kernels: Philox 4x32-10, xoshiro128++ and the normals of Box and
Muller, for many replicates ("lanes") side by side (Salmon, Moraes, Dror, Shaw, SC 2011; Blackman,
Vigna, ACM TOMS 47(4), 2021).

Philox gives each stream the 128 bits of its first state, a function of (key, counter) alone, and
xoshiro128++ goes on from there: rotations and additions only, a fraction of the cost. A kernel that
puts the seed into the key and (step, replicate, length) into the counter gives each replicate its
own stream: results depend neither on threads nor on the order of work, and asking for more
replicates or other lengths changes none of those already drawn.

States that differ in their counters differ, since Philox is a bijection for each key. Two of R
streams of n words each overlap with probability below R² n / 2^127, as if their states were
independent: below 1e-9 for 2^32 streams of 2^32 words. Arrays of lanes are flat and offsets
unsigned or constant, in loops without branches that LLVM turns into vector code: a view costs two
atomic operations, a signed offset a test for negative indices, and either takes as long as the
work.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.polynomial import Chebyshev, Polynomial

__all__ = [
    "LANES",
    "exp2_32",
    "exp32",
    "key_of",
    "normal_pair",
    "normal_rows",
    "philox_lanes",
    "start_lanes",
    "word_rows",
    "xoshiro",
]

U32, U64, I32, F32 = np.uint32, np.uint64, np.int32, np.float32
# The multipliers and the key increments of Philox 4x32, as published.
M0, M1, W0, W1 = U64(0xD2511F53), U64(0xCD9E8D57), U64(0x9E3779B9), U64(0xBB67AE85)
HIGH, LOW = U64(32), U64(0xFFFFFFFF)
LANES = 128  # replicates side by side in `philox_lanes`
HALF = LANES // 2


def key_of(seed: int) -> tuple[np.uint32, np.uint32]:
    """The low and the high word of the key that belong to a seed from 0 to 2^64 - 1."""
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)):
        raise TypeError(f"seed = {seed!r} is no integer; take one from 0 to 2**64 - 1")
    if not 0 <= seed < 2**64:
        raise ValueError(
            f"seed = {seed} does not fit the 64-bit key of Philox; take a number from 0 to 2**64 - 1"
        )
    return U32(int(seed) & 0xFFFFFFFF), U32(int(seed) >> 32)


@njit
def philox_lanes(draw, replicate, mark, k0, k1, words):  # type: ignore[no-untyped-def]
    """words[s LANES + i] = word s of the counter (draw, replicate + i, mark) for s < 4 and
    i < LANES; all numbers uint64. A replicate is two words of the counter. The lanes come in two
    halves at once: one works while the other waits for its products.
    """
    first, second = M0 * (draw & LOW), U64(0)
    for i in range(HALF):
        n, m = replicate + U64(i), replicate + U64(i + HALF)
        a0, b0, c0, d0 = first, n, n >> HIGH, mark
        a1, b1, c1, d1 = first, m, m >> HIGH, mark
        k, l = k0, k1
        second = M1 * c0
        third = M1 * c1
        a0, b0, c0, d0 = (second >> HIGH) ^ b0 ^ k, second, (first >> HIGH) ^ d0 ^ l, first
        a1, b1, c1, d1 = (third >> HIGH) ^ b1 ^ k, third, (first >> HIGH) ^ d1 ^ l, first
        for _ in range(9):
            k, l = k + W0, l + W1
            p0, q0, p1, q1 = M0 * (a0 & LOW), M1 * (c0 & LOW), M0 * (a1 & LOW), M1 * (c1 & LOW)
            a0, b0, c0, d0 = (q0 >> HIGH) ^ b0 ^ k, q0, (p0 >> HIGH) ^ d0 ^ l, p0
            a1, b1, c1, d1 = (q1 >> HIGH) ^ b1 ^ k, q1, (p1 >> HIGH) ^ d1 ^ l, p1
        words[i], words[LANES + i], words[2 * LANES + i], words[3 * LANES + i] = (
            U32(a0),
            U32(b0),
            U32(c0),
            U32(d0),
        )
        j = i + HALF
        words[j], words[LANES + j], words[2 * LANES + j], words[3 * LANES + j] = (
            U32(a1),
            U32(b1),
            U32(c1),
            U32(d1),
        )


def _fit(f, lo: float, hi: float, degree: int) -> list[np.float32]:  # type: ignore[no-untyped-def]
    """The coefficients of a polynomial fitted to `f` at Chebyshev points, the constant first."""
    x = (lo + hi) / 2 + (hi - lo) / 2 * np.cos(np.pi * (np.arange(200) + 0.5) / 200)
    return [F32(c) for c in Chebyshev.fit(x, f(x), degree, domain=[lo, hi]).convert(kind=Polynomial).coef]


# Near-best polynomials with coefficients in float32: relative errors below 2e-7, of the order of
# its rounding.
E0, E1, E2, E3, E4, E5 = _fit(np.exp2, -0.5, 0.5, 5)
L0, L1, L2, L3, L4, L5, L6, L7 = _fit(lambda f: np.log1p(f) / f, math.sqrt(0.5) - 1, math.sqrt(2) - 1, 7)
S0, S1, S2, S3, S4 = _fit(lambda t: np.sin(2 * np.pi * np.sqrt(t)) / np.sqrt(t), 0, 1 / 16, 4)
C0, C1, C2, C3, C4 = _fit(lambda t: np.cos(2 * np.pi * np.sqrt(t)), 0, 1 / 16, 4)
LOG2E, LN2 = F32(1 / math.log(2)), F32(math.log(2))
# Added to a float32 and subtracted again, it leaves the nearest integer, which in between stands in
# the low bits.
ROUND = F32(1.5 * 2**23)
# The bit pattern of sqrt(1/2), and the number of bits below the exponent: the logarithm is taken of
# a number between sqrt(1/2) and sqrt(2), times a power of 2.
SQRT_HALF, MANTISSA, ONE, TWO = I32(0x3F3504F3), I32(23), F32(1), F32(2)
# The coefficients of -2 log, for the radius of Box and Muller.
R0, R1, R2, R3, R4, R5, R6, R7, R = (F32(-2 * c) for c in (L0, L1, L2, L3, L4, L5, L6, L7, LN2))
# Added to the bit pattern of a float32, it multiplies the number by 2^31: uniform numbers are kept
# in these units as long as possible.
TIMES_2_31 = I32(31 << 23)
SQRT_HALF_TIMES_2_31 = I32(SQRT_HALF + TIMES_2_31)
# Half a step of a uniform number in these units keeps it away from 0.
HALF_STEP = F32(0.5)
TO_UNIT, HALF_UNIT, TO_QUARTER = F32(2.0**-31), F32(2.0**-32), F32(2.0**-33)


@njit(fastmath={"contract"}, forceinline=True)
def exp32(x):  # type: ignore[no-untyped-def]
    """exp(x) in float32 for -87 < x < 88, without a branch."""
    y = F32(x * LOG2E + ROUND)
    f = F32(x * LOG2E - (y - ROUND))
    p = F32(((((E5 * f + E4) * f + E3) * f + E2) * f + E1) * f + E0)
    return F32(I32(p.view(I32) + (y.view(I32) << MANTISSA)).view(F32))


@njit(fastmath={"contract"}, forceinline=True)
def exp2_32(x):  # type: ignore[no-untyped-def]
    """2^x in float32 for -126 < x < 127, without a branch."""
    y = F32(x + ROUND)
    f = F32(x - (y - ROUND))
    p = F32(((((E5 * f + E4) * f + E3) * f + E2) * f + E1) * f + E0)
    return F32(I32(p.view(I32) + (y.view(I32) << MANTISSA)).view(F32))


@njit(fastmath={"contract"}, forceinline=True)
def normal_pair(word0, word1):  # type: ignore[no-untyped-def]
    """Two random words as two independent N(0, 1) in float32, up to 6.7 in modulus.

    The first word gives the radius and, by its last bit, the sign of the cosine; the second an
    angle within a quarter of the circle on either side.
    """
    u = F32(F32(I32(word0 >> U32(1))) + HALF_STEP)  # 2^31 times a number in (0, 1], fine near 0
    exponent = I32(I32(u.view(I32) - SQRT_HALF_TIMES_2_31) >> MANTISSA)
    f = F32(I32(u.view(I32) - I32(exponent << MANTISSA) - TIMES_2_31).view(F32) - ONE)
    p = ((((((R7 * f + R6) * f + R5) * f + R4) * f + R3) * f + R2) * f + R1) * f + R0
    radius = F32(math.sqrt(F32(exponent) * R + p * f))  # sqrt(-2 log u), the factor -2 in the coefficients
    angle = F32(I32(word1)) * TO_QUARTER
    t = angle * angle
    sine = angle * ((((S4 * t + S3) * t + S2) * t + S1) * t + S0)
    cosine = F32((((C4 * t + C3) * t + C2) * t + C1) * t + C0)
    x = F32(radius * cosine)
    return F32(I32(x.view(I32) ^ I32(word0 << U32(31))).view(F32)), radius * sine


@njit(forceinline=True)
def xoshiro(s0, s1, s2, s3):  # type: ignore[no-untyped-def]
    """The next word of xoshiro128++, and the state after it; all uint32."""
    x = U32(s0 + s3)
    word = U32(U32(x << U32(7) | x >> U32(25)) + s0)
    t = U32(s1 << U32(9))
    s2 = U32(s2 ^ s0)
    s3 = U32(s3 ^ s1)
    s1 = U32(s1 ^ s2)
    s0 = U32(s0 ^ s3)
    s2 = U32(s2 ^ t)
    return word, s0, s1, s2, U32(s3 << U32(11) | s3 >> U32(21))


@njit
def start_lanes(draw, replicate, mark, key0, key1, state):  # type: ignore[no-untyped-def]
    """state[s LANES + i] = word s of the state of lane i: a function of (key; draw, replicate + i,
    mark), never zero throughout.
    """
    philox_lanes(U64(draw), U64(replicate), U64(mark), U64(key0), U64(key1), state)
    for i in range(LANES):
        others = state[LANES + i] | state[2 * LANES + i] | state[3 * LANES + i]
        # From a state of zeros xoshiro gives zeros for ever.
        state[i] = state[i] if (state[i] | others) != U32(0) else U32(1)


@njit
def word_rows(rows, state, words):  # type: ignore[no-untyped-def]
    """words[r LANES + i] = the next word r of lane i, for r < rows; the state moves on."""
    for r in range(rows):
        at = U64(r * LANES)
        for i in range(LANES):
            s0, s1, s2, s3 = state[i], state[LANES + i], state[2 * LANES + i], state[3 * LANES + i]
            words[at + U64(i)], s0, s1, s2, s3 = xoshiro(s0, s1, s2, s3)
            state[i], state[LANES + i], state[2 * LANES + i], state[3 * LANES + i] = s0, s1, s2, s3


@njit(fastmath={"contract"})
def normal_rows(rows, state, normals):  # type: ignore[no-untyped-def]
    """normals[r LANES + i] = normal r of lane i for r < rows, or up to the next even number; the
    state moves on by a word each.
    """
    for r in range(0, rows, 2):
        at = U64(r * LANES)
        for i in range(LANES):
            s0, s1, s2, s3 = state[i], state[LANES + i], state[2 * LANES + i], state[3 * LANES + i]
            x, s0, s1, s2, s3 = xoshiro(s0, s1, s2, s3)
            y, s0, s1, s2, s3 = xoshiro(s0, s1, s2, s3)
            state[i], state[LANES + i], state[2 * LANES + i], state[3 * LANES + i] = s0, s1, s2, s3
            normals[at + U64(i)], normals[at + U64(LANES) + U64(i)] = normal_pair(x, y)
