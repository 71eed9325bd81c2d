"""The moments of linear attention over the tokens of a block of prompts, at a cost that does not
depend on the prompt length L.
"""

# Linear attention needs only the sums G over the tokens of squares and products of their two
# coordinates. G is Wishart: G = T T' for a lower triangular T of independent entries, T_11^2 ~
# chi^2_L, T_21 ~ N(0, 1), T_22^2 ~ chi^2_{L-1} (Bartlett, "On the theory of statistical
# regression", Proc. Royal Soc. Edinburgh 53, 1933). The chi^2 variables are those of Marsaglia and
# Tsang, "A simple method for generating gamma variables", ACM TOMS 26(3), 2000.

from __future__ import annotations

import math

import numpy as np
from numba import njit

from numerics.compiled.streams import F32, I32, LANES, U32, U64, normal_pair, xoshiro

__all__ = ["chi_squares", "linear_moments"]

ROW = U64(LANES)
ZERO, ONE, HALF = F32(0), F32(1), F32(0.5)
TO_UNIT, HALF_UNIT = F32(2.0**-31), F32(2.0**-32)
QUICK_TEST = (
    0.0158  # 3/81 of the greatest (y - y^2/2 + y^3/3 - log(1 + y)) / y^4 for y > -1/2, which is at -1/2
)
F64 = np.float64


@njit(forceinline=True)
def unit(word):  # type: ignore[no-untyped-def]
    """A number in (0, 1), fine near 0."""
    return F32(F32(I32(word >> U32(1))) * TO_UNIT + HALF_UNIT)


@njit(fastmath={"contract"})
def propose(d0, d1, state, proposals):  # type: ignore[no-untyped-def]
    """Rows of `proposals`: d (1 + c g)^3 for both d, or -1 where it takes a closer look; both
    normals g; both uniforms u.
    """
    size0, size1 = F32(2 * d0), F32(2 * d1)
    c0, c1 = F32(1 / math.sqrt(9 * d0)), F32(1 / math.sqrt(9 * d1))
    b0, b1 = F32(QUICK_TEST / d0), F32(QUICK_TEST / d1)
    for i in range(LANES):
        k = U64(i)
        s0, s1, s2, s3 = state[k], state[ROW + k], state[U64(2) * ROW + k], state[U64(3) * ROW + k]
        x, s0, s1, s2, s3 = xoshiro(s0, s1, s2, s3)
        y, s0, s1, s2, s3 = xoshiro(s0, s1, s2, s3)
        u, s0, s1, s2, s3 = xoshiro(s0, s1, s2, s3)
        v, s0, s1, s2, s3 = xoshiro(s0, s1, s2, s3)
        state[k], state[ROW + k], state[U64(2) * ROW + k], state[U64(3) * ROW + k] = s0, s1, s2, s3
        g, h = normal_pair(x, y)
        u, v = unit(u), unit(v)
        r, t = ONE + c0 * g, ONE + c1 * h
        proposals[k] = size0 * r * r * r if (r > HALF) & (u > b0 * (g * g) * (g * g)) else -ONE
        proposals[ROW + k] = size1 * t * t * t if (t > HALF) & (v > b1 * (h * h) * (h * h)) else -ONE
        proposals[U64(2) * ROW + k], proposals[U64(3) * ROW + k] = g, h
        proposals[U64(4) * ROW + k], proposals[U64(5) * ROW + k] = u, v


@njit
def settle(d, row, state, proposals):  # type: ignore[no-untyped-def]
    """Where the quick test left a lane open the exact one, with further proposals from the lane's
    stream until one is accepted.
    """
    c = 1 / math.sqrt(9 * d)
    at = row * ROW
    for i in range(LANES):
        k = at + U64(i)
        if proposals[k] < ZERO:
            g, u = F64(proposals[k + U64(2) * ROW]), F64(proposals[k + U64(4) * ROW])
            while True:
                v = 1 + c * g
                v = v * v * v
                if v > 0 and math.log1p(-u) < 0.5 * g * g + d - d * v + d * math.log(v):
                    break
                s0, s1, s2, s3 = state[i], state[LANES + i], state[2 * LANES + i], state[3 * LANES + i]
                x, s0, s1, s2, s3 = xoshiro(s0, s1, s2, s3)
                y, s0, s1, s2, s3 = xoshiro(s0, s1, s2, s3)
                z, s0, s1, s2, s3 = xoshiro(s0, s1, s2, s3)
                state[i], state[LANES + i], state[2 * LANES + i], state[3 * LANES + i] = s0, s1, s2, s3
                g, u = F64(normal_pair(x, y)[0]), F64(unit(z))
            proposals[k] = F32(2 * d * v)


@njit
def chi_squares(L, state, proposals):  # type: ignore[no-untyped-def]
    """The first two rows of `proposals` (six rows): chi^2 variables of L and L - 1 degrees of
    freedom, independent; 0 for none.
    """
    # Marsaglia and Tsang's d (1 + c g)^3 with d = L/2 - 1/3 and c = 1/sqrt(9 d), g normal, u
    # uniform, is accepted for log(1 - u) < h(g); h(g) > -QUICK_TEST g^4 / d where c g > -1/2
    # settles all but a few without a logarithm.
    d0, d1 = 0.5 * L - 1 / 3, 0.5 * max(L - 1, 1) - 1 / 3
    propose(d0, d1, state, proposals)
    settle(d0, U64(0), state, proposals)
    settle(d1, U64(1), state, proposals)
    if L == 1:
        proposals[LANES : 2 * LANES] = ZERO


@njit(fastmath={"contract"}, error_model="numpy")
def linear_moments(L, state, scalars, normals, row, squares, moments):  # type: ignore[no-untyped-def]
    """The moments that `numerics.training.kernels.collect` reads; a row of `normals` is T_21."""
    chi_squares(L, state, squares)
    mean, normal = F32(1 / L), U64(row) * ROW
    for i in range(LANES):
        k = U64(i)
        size, along, across = scalars[k] * mean, scalars[ROW + k], scalars[ROW + ROW + k]
        t11, t21, t22 = F32(math.sqrt(squares[k])), normals[normal + k], F32(math.sqrt(squares[ROW + k]))
        x, y = (
            along * t11 + across * t21,
            across * t22,
        )  # scores in the coordinates in which values are (t11, 0)
        root = F32(math.sqrt(x * x + y * y))
        cosine, sine = (x / root, y / root) if root > ZERO else (ZERO, ONE)
        m0 = x * t11 * mean
        moments[k], moments[ROW + k], moments[U64(2) * ROW + k] = m0, (x * t21 + y * t22) * mean, root * mean
        moments[U64(3) * ROW + k], moments[U64(4) * ROW + k] = size * squares[k], size * t11 * t21
        moments[U64(5) * ROW + k], moments[U64(6) * ROW + k] = size * t11 * cosine, size * t11 * sine
        moments[U64(7) * ROW + k] = scalars[k] * m0 - scalars[U64(3) * ROW + k]
