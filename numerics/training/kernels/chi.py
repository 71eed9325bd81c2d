"""Chi variables, the lengths of standard normal vectors, drawn for a row of lanes at a time: the
coupled kernel needs them for what a prompt has outside of a basis of R^L (Bartlett's
decomposition).
"""

# They are roots of gamma variables by the proposals of Marsaglia and Tsang ("A simple method for
# generating gamma variables", ACM TOMS 26, 2000), from a normal and a uniform number each, which
# are accepted in more than nine cases of ten from two degrees of freedom on. Lanes that reject try
# again with the next numbers of their stream, until none is left.

from __future__ import annotations

import math

from numba import njit

from numerics.compiled.streams import (
    F32,
    HALF_UNIT,
    I32,
    L0,
    L1,
    L2,
    L3,
    L4,
    L5,
    L6,
    L7,
    LANES,
    LN2,
    MANTISSA,
    ONE,
    SQRT_HALF,
    TO_UNIT,
    TWO,
    U32,
    U64,
    normal_rows,
    word_rows,
)

__all__ = ["chi_rows"]

ROW = U64(LANES)
ZERO, THREE, THREE_HALVES, NEAR, LEAST = F32(0), F32(3), F32(1.5), F32(0.25), F32(1e-30)


@njit(fastmath={"contract"}, error_model="numpy")
def log_rest(h):  # type: ignore[no-untyped-def]
    """(log(1 + h) - h) / h for |h| < 1/4."""
    p = ((((((L7 * h + L6) * h + L5) * h + L4) * h + L3) * h + L2) * h + L1) * h
    return F32(p + (L0 - ONE))


@njit(fastmath={"contract"}, error_model="numpy")
def log32(x):  # type: ignore[no-untyped-def]
    """log x in float32 for normal x > 0, without a branch."""
    u = F32(x)
    exponent = I32(I32(u.view(I32) - SQRT_HALF) >> MANTISSA)
    f = F32(I32(u.view(I32) - I32(exponent << MANTISSA)).view(F32) - ONE)
    return F32(F32(exponent) * LN2 + f * (ONE + log_rest(f)))


@njit(fastmath={"contract"}, error_model="numpy")
def propose(degrees, x, words, at, out):  # type: ignore[no-untyped-def]
    """Give lanes of `out` that are negative the root of a proposal for chi-square, if it is
    accepted; how many are left.
    """
    size, left = F32(degrees / 2 - 1 / 3), I32(0)
    slope = F32(1 / math.sqrt(9 * (degrees / 2 - 1 / 3)))
    for i in range(LANES):
        h = F32(slope * x[at + U64(i)])
        v = F32(max(ONE + h, ZERO))
        # 3 log v + x^2 / (2 size) + 1 - v^3, written so that nothing of the order of h is lost
        # where h is small
        rest = h * log_rest(h) if abs(h) < NEAR else log32(max(v, LEAST)) - h
        bound = size * (THREE * rest + (THREE_HALVES - h) * h * h)
        u = F32(F32(I32(words[at + U64(i)] >> U32(1))) * TO_UNIT + HALF_UNIT)
        accepted = (log32(u) < bound) & (v > ZERO) & (out[i] < ZERO)
        out[i] = F32(math.sqrt(TWO * size * v)) * v if accepted else out[i]
        left += I32(1) if out[i] < ZERO else I32(0)
    return left


@njit
def chi_rows(degrees, state, x, words, out, less):  # type: ignore[no-untyped-def]
    """out = the length of a standard normal vector of R^degrees, less = of another of R^(degrees -
    1); 0 for R^0 and below. x and words are scratch, two rows each.
    """
    for i in range(LANES):
        out[i] = -ONE if degrees > 0 else ZERO
        less[i] = -ONE if degrees > 1 else ZERO
    left = I32(degrees > 0)
    while left > 0:
        normal_rows(2, state, x)
        word_rows(2, state, words)
        left = propose(degrees, x, words, U64(0), out)
        if degrees > 1:
            left += propose(degrees - 1, x, words, ROW, less)
