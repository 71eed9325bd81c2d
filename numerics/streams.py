"""Counter-based random numbers inside Numba kernels: Philox 4x32-10 and Box–Muller, a row of lanes at a time.

The words of a stream are a function of (key, counter) alone. A kernel that puts the seed into the key and (draw, replicate, length)
into the counter gives each replicate its own stream: results depend neither on threads nor on the order of work, and asking for
more replicates or other lengths changes none of those already drawn.

The functions fill arrays of lanes and keep every type at 32 bits, because that is what LLVM turns into vector code; rounds are the
outer loop for the same reason.

References
----------
Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.polynomial import Chebyshev, Polynomial

__all__ = ["box_muller", "exp32", "key_of", "philox"]

U32, U64, I32, F32 = np.uint32, np.uint64, np.int32, np.float32
M0, M1, W0, W1 = U64(0xD2511F53), U64(0xCD9E8D57), U32(0x9E3779B9), U32(0xBB67AE85)  # the constants of the published generator
HIGH = U64(32)


def key_of(seed: int) -> tuple[np.uint32, np.uint32]:
    """The two words of the key that belong to a seed.

    Parameters
    ----------
    seed : int
        From 0 to 2^64 - 1.

    Returns
    -------
    tuple of numpy.uint32
        Low and high word.

    Raises
    ------
    TypeError
        If the seed is no integer.
    ValueError
        If the seed is outside that range: it would collide with another one.

    Examples
    --------
    >>> [int(k) for k in key_of(2**32 + 5)]
    [5, 1]
    """
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)):
        raise TypeError(f"seed = {seed!r} is no integer; take one from 0 to 2**64 - 1")
    if not 0 <= seed < 2**64:
        raise ValueError(f"seed = {seed} does not fit the 64-bit key of Philox; take a number from 0 to 2**64 - 1")
    return U32(int(seed) & 0xFFFFFFFF), U32(int(seed) >> 32)


@njit
def philox(x0, x1, x2, x3, k0, k1):  # type: ignore[no-untyped-def]
    """Replace the counters (x0, x1, x2, x3)[lane] by the four random words of each lane, in place."""
    for _ in range(10):
        for i in range(x0.size):
            p0, p1 = M0 * U64(x0[i]), M1 * U64(x2[i])
            high0, high1 = U32(p0 >> HIGH), U32(p1 >> HIGH)
            x0[i], x2[i] = high1 ^ x1[i] ^ k0, high0 ^ x3[i] ^ k1
            x1[i], x3[i] = U32(p1), U32(p0)
        k0, k1 = U32(k0 + W0), U32(k1 + W1)


def _fit(f, lo: float, hi: float, degree: int) -> list[np.float32]:  # type: ignore[no-untyped-def]
    x = (lo + hi) / 2 + (hi - lo) / 2 * np.cos(np.pi * (np.arange(200) + 0.5) / 200)
    return [F32(c) for c in Chebyshev.fit(x, f(x), degree, domain=[lo, hi]).convert(kind=Polynomial).coef]


# Near-best polynomials; their errors are below the rounding of float32.
E0, E1, E2, E3, E4, E5 = _fit(np.exp2, -0.5, 0.5, 5)
L0, L1, L2, L3, L4, L5, L6, L7 = _fit(lambda f: np.log1p(f) / f, math.sqrt(0.5) - 1, math.sqrt(2) - 1, 7)
S0, S1, S2, S3, S4 = _fit(lambda t: np.sin(2 * np.pi * np.sqrt(t)) / np.sqrt(t), 0, 1 / 16, 4)
C0, C1, C2, C3, C4 = _fit(lambda t: np.cos(2 * np.pi * np.sqrt(t)), 0, 1 / 16, 4)
LOG2E, LN2, ROUND = (
    F32(1 / math.log(2)),
    F32(math.log(2)),
    F32(1.5 * 2**23),
)  # adding ROUND leaves the nearest integer in the low bits
SQRT_HALF, MANTISSA, ONE, TWO = I32(0x3F3504F3), I32(23), F32(1), F32(2)
TO_UNIT, HALF_UNIT, TO_QUARTER = F32(2.0**-31), F32(2.0**-32), F32(2.0**-33)


@njit(fastmath={"contract"})
def exp32(x):  # type: ignore[no-untyped-def]
    """exp(x) in float32 for -87 < x < 88, without a branch."""
    y = F32(x * LOG2E + ROUND)
    f = F32(x * LOG2E - (y - ROUND))
    p = F32(((((E5 * f + E4) * f + E3) * f + E2) * f + E1) * f + E0)
    return F32(I32(p.view(I32) + (y.view(I32) << MANTISSA)).view(F32))


@njit(fastmath={"contract"})
def box_muller(words0, words1, normal0, normal1):  # type: ignore[no-untyped-def]
    """Turn two rows of random words into two rows of independent N(0, 1) in float32, up to 6.7 in modulus.

    The first word gives the radius and, by its last bit, the sign of the cosine; the second an angle within a quarter of the circle
    on either side.
    """
    for i in range(words0.size):
        u = F32(F32(words0[i] >> U32(1)) * TO_UNIT + HALF_UNIT)  # in (0, 1], fine near 0
        exponent = I32(I32(u.view(I32) - SQRT_HALF) >> MANTISSA)
        f = F32(I32(u.view(I32) - I32(exponent << MANTISSA)).view(F32) - ONE)
        p = ((((((L7 * f + L6) * f + L5) * f + L4) * f + L3) * f + L2) * f + L1) * f + L0
        radius = F32(math.sqrt(-TWO * (F32(exponent) * LN2 + p * f)))
        angle = F32(I32(words1[i])) * TO_QUARTER
        t = angle * angle
        sine = angle * ((((S4 * t + S3) * t + S2) * t + S1) * t + S0)
        cosine = (((C4 * t + C3) * t + C2) * t + C1) * t + C0
        normal0[i] = radius * cosine * (ONE - TWO * F32(words0[i] & U32(1)))
        normal1[i] = radius * sine
