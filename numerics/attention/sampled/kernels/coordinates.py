"""Compiled draws of the coordinates of tokens, one tile after another: normal, signs, uniform,
uniform on a sphere or in a ball, or a user's quantile function of uniforms.

A tile holds coordinate j of token l of lane i at (j TILE + l) LANES + i. The words of a lane's
stream go to the coordinates in turn: four to four tokens of each, with a word for each token; or
four to 128 tokens of each, with a bit for each sign.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from numerics.compiled.streams import F32, I32, LANES, U32, U64, normal_rows, word_rows

__all__ = ["EXTRA", "SIZE", "TILE", "balls", "normals", "quantiles", "signs", "spheres", "uniforms"]

#: Tokens of one pass.
TILE = 4
#: Entries of one coordinate in a tile.
SIZE = TILE * LANES
#: Further coordinates that a kind draws: a point of the ball in R^r is the projection of one on the
#: sphere in R^{r+2}.
EXTRA = {"ball": 2}
#: Words of a coordinate that are taken at once for its signs, and their bits.
WORDS, BITS = 4, 128
#: Added to the squared length of a token, so that it is never 0.
TINY = F32(1e-30)
ZERO, ONE, TWO = F32(0), F32(1), F32(2)
#: Factor and shift that take a signed 32-bit word to [−√3, √3], symmetric about 0.
ROOT3, HALF_STEP = F32(math.sqrt(3) * 2.0**-31), F32(math.sqrt(3) * 2.0**-32)
#: Factor and shift that take 23 bits to (0, 1), with both ends excluded in float32 too.
TO_UNIT, MIDDLE = F32(2.0**-23), F32(2.0**-24)


@njit
def normals(rank, state, tile):  # type: ignore[no-untyped-def]
    """N(0, 1)."""
    normal_rows(rank * TILE, state, tile)


@njit(fastmath={"contract"})
def uniforms(rank, state, words, tile):  # type: ignore[no-untyped-def]
    """Uniform on [−√3, √3]."""
    word_rows(rank * TILE, state, words)
    for i in range(rank * SIZE):
        tile[i] = F32(I32(words[i])) * ROOT3 + HALF_STEP


@njit
def quantiles(quantile, rank, state, words, tile):  # type: ignore[no-untyped-def]
    """quantile(u), with u uniform on 2^23 midpoints of (0, 1)."""
    word_rows(rank * TILE, state, words)
    for i in range(rank * SIZE):
        tile[i] = F32(quantile(F32(I32(words[i] >> U32(9))) * TO_UNIT + MIDDLE))


@njit
def signs(rank, start, state, words, tile):  # type: ignore[no-untyped-def]
    """±1 with probability 1/2 for the tokens from number `start` on. The words of all coordinates
    are kept until their bits are used up.
    """
    if start % BITS == 0:
        word_rows(rank * WORDS, state, words)
    for j in range(rank):
        at = U64(j * SIZE)
        row = at + U64(start % BITS // 32 * LANES)
        for l in range(TILE):
            bit, to = U32(start % 32 + l), at + U64(l * LANES)
            for i in range(LANES):
                tile[to + U64(i)] = ONE - TWO * F32(I32((words[row + U64(i)] >> bit) & U32(1)))


@njit
def spheres(rank, state, words, tile):  # type: ignore[no-untyped-def]
    """Uniform on the sphere of radius √rank."""
    normals(rank, state, tile)
    normalise(rank, rank, words.view(np.float32), tile)


@njit
def balls(rank, state, words, tile):  # type: ignore[no-untyped-def]
    """Uniform in the ball of radius √(rank + 2); two rows behind the coordinates normalise."""
    normals(rank + 2, state, tile)
    normalise(rank, rank + 2, words.view(np.float32), tile)
    if rank % 2:
        for i in range(SIZE):
            tile[U64(rank * SIZE) + U64(i)] = ZERO


@njit(fastmath={"contract"})
def normalise(rank, rows, length, tile):  # type: ignore[no-untyped-def]
    """Scale the normals of each token to squared length `rows`."""
    for i in range(SIZE):
        length[i] = TINY
    for j in range(rows):
        for i in range(SIZE):
            length[i] += tile[U64(j * SIZE) + U64(i)] * tile[U64(j * SIZE) + U64(i)]
    for i in range(SIZE):
        length[i] = F32(math.sqrt(F32(rows) / length[i]))
    for j in range(rank):
        for i in range(SIZE):
            tile[U64(j * SIZE) + U64(i)] *= length[i]
