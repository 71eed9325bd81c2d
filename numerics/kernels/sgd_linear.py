"""What linear attention makes of the two coordinates of a prompt's tokens: Bartlett's decomposition, at a cost that L does not enter.

With G the sums over the tokens of squares and products of the two coordinates, G = T T' for a lower triangular T of independent
entries: T_11^2 ~ chi^2_L, T_21 ~ N(0, 1), T_22^2 ~ chi^2_{L-1}.

References
----------
Bartlett, "On the theory of statistical regression", Proc. Royal Soc. Edinburgh 53 (1933).
Marsaglia, Tsang, "A simple method for generating gamma variables", ACM TOMS 26(3), 2000.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from numerics.streams import F32, I32, LANES, U64, normal_pair, xoshiro

__all__ = ["chi_square", "linear_moments"]

ROW = U64(LANES)
ZERO, ONE, HALF = F32(0), F32(1), F32(0.5)
TO_UNIT, HALF_UNIT = F32(2.0**-32), F32(2.0**-33)
F64 = np.float64


@njit
def unit(word):  # type: ignore[no-untyped-def]
    """A number in (0, 1) of full relative precision near 0."""
    return F32(F32(word) * TO_UNIT + HALF_UNIT)


@njit
def chi_square(degrees, state, out, row):  # type: ignore[no-untyped-def]
    """out_row = a chi^2 variable of the given degrees of freedom for each lane, from its own stream; 0 for none."""
    at = U64(row) * ROW
    if degrees == 0:
        for i in range(LANES):
            out[at + U64(i)] = ZERO
        return
    d = 0.5 * degrees - 1 / 3
    c = 1 / math.sqrt(9 * d)
    for i in range(LANES):
        s0, s1, s2, s3 = state[i], state[LANES + i], state[2 * LANES + i], state[3 * LANES + i]
        while True:
            x, s0, s1, s2, s3 = xoshiro(s0, s1, s2, s3)
            y, s0, s1, s2, s3 = xoshiro(s0, s1, s2, s3)
            u, s0, s1, s2, s3 = xoshiro(s0, s1, s2, s3)
            g = F64(normal_pair(x, y)[0])
            v = 1 + c * g
            if v > 0:
                v = v * v * v
                if math.log1p(-F64(unit(u))) < 0.5 * g * g + d - d * v + d * math.log(v):
                    break
        out[at + U64(i)] = F32(2 * d * v)
        state[i], state[LANES + i], state[2 * LANES + i], state[3 * LANES + i] = s0, s1, s2, s3


@njit(fastmath={"contract"})
def linear_moments(L, state, scalars, normal, squares, moments):  # type: ignore[no-untyped-def]
    """The moments that `sgd_geometry.collect` wants; `normal` is a row of standard normals."""
    chi_square(L, state, squares, 0)
    chi_square(L - 1, state, squares, 1)
    mean = F32(1 / L)
    for i in range(LANES):
        k = U64(i)
        along, across = scalars[ROW + k], scalars[ROW + ROW + k]
        t11, t21, t22 = F32(math.sqrt(squares[k])), normal[k], F32(math.sqrt(squares[ROW + k]))
        g11, g12, g22 = squares[k] * mean, t11 * t21 * mean, (t21 * t21 + squares[ROW + k]) * mean
        tau = scalars[k]
        m0, m1 = tau * g11, tau * g12
        moments[k], moments[ROW + k], moments[U64(2) * ROW + k] = m0, m1, tau * t11 * mean
        moments[U64(3) * ROW + k], moments[U64(4) * ROW + k] = along * g11 + across * g12, along * g12 + across * g22
        moments[U64(5) * ROW + k], moments[U64(6) * ROW + k] = (along * t11 + across * t21) * mean, across * t22 * mean
        moments[U64(7) * ROW + k] = along * m0 + across * m1 - scalars[U64(3) * ROW + k]
