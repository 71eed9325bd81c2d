"""Compiled softmax sums of a prompt, of its tokens and of their products, in one pass over the
tokens: no prompt is stored.

Replicates are the lanes of flat arrays, and tokens the outer loop: a tile of tokens is drawn,
weighed against a reference score, and added to sums in float32, which are added to sums in float64
after every few tiles. The reference of a lane is raised when a score is far above it, before a
weight could leave the range of float32; a weight below e^-80 counts as 0. Coordinates are taken in
pairs (a row of zeros is added if their number is odd), so that a number loaded from memory is used
twice.
"""

from __future__ import annotations

from numba import njit

from numerics.attention.sampled.kernels.coordinates import SIZE, TILE
from numerics.compiled.streams import F32, I32, LANES, U64, exp32

__all__ = ["add_tile", "rows_of_sums", "start_sums"]

#: Tokens that are added up in float32 before the sums are added to those in float64.
TOKENS_IN_FLOAT32 = 16 * TILE
#: Lowest reference score; how far a score may be above the reference, as an exponent, before that
#: is raised; and the exponent below which a weight counts as 0.
LOWEST, LARGEST_EXPONENT, NEGLIGIBLE_EXPONENT, ZERO, ONE = F32(-3e38), F32(40), F32(-80), F32(0), F32(1)
ROW, TWO_ROWS, THREE_ROWS, FOUR_ROWS = U64(LANES), U64(2 * LANES), U64(3 * LANES), U64(4 * LANES)


@njit
def rows_of_sums(rank):  # type: ignore[no-untyped-def]
    """Number of rows of LANES that `add_tile` fills."""
    pairs = (rank + 1) // 2
    return 1 + 5 * pairs + 2 * pairs * (pairs - 1)


@njit(fastmath={"contract"})
def score(pairs, b, g, w):  # type: ignore[no-untyped-def]
    """w = b·g of every token of the tile."""
    for i in range(LANES):
        x, y = b[U64(i)], b[ROW + U64(i)]
        for l in range(TILE):
            n = U64(l * LANES) + U64(i)
            w[n] = x * g[n] + y * g[U64(SIZE) + n]
    for pair in range(1, pairs):
        at, p = U64(2 * pair * SIZE), U64(2 * pair * LANES)
        for i in range(LANES):
            x, y = b[p + U64(i)], b[p + ROW + U64(i)]
            for l in range(TILE):
                n = U64(l * LANES) + U64(i)
                w[n] += x * g[at + n] + y * g[at + U64(SIZE) + n]


@njit
def raise_reference(w, reference, shrink, part, total):  # type: ignore[no-untyped-def]
    """Move a lane's reference to a tile's highest score if far above, and rescale the sums."""
    moved = I32(0)
    for i in range(LANES):
        k = U64(i)
        # A loop over TILE costs three times as much.
        top = max(max(w[k], w[k + ROW]), max(w[k + TWO_ROWS], w[k + THREE_ROWS]))
        shrink[i] = top
        moved |= I32(top - reference[i] > LARGEST_EXPONENT)
    if moved:
        for i in range(LANES):
            up = shrink[i] - reference[i]
            reference[i] = max(reference[i], shrink[i]) if up > LARGEST_EXPONENT else reference[i]
            shrink[i] = (
                (exp32(max(-up, NEGLIGIBLE_EXPONENT)) if up < -NEGLIGIBLE_EXPONENT else ZERO)
                if up > LARGEST_EXPONENT
                else ONE
            )
        for at in range(0, part.size, LANES):
            for i in range(LANES):
                part[U64(at) + U64(i)] *= shrink[i]
                total[U64(at) + U64(i)] *= shrink[i]


@njit(fastmath={"contract"})
def weigh(w, reference, Z):  # type: ignore[no-untyped-def]
    """Scores become weights, and Z their sum."""
    for i in range(LANES):
        s = Z[i]
        for l in range(TILE):
            x = w[l * LANES + i] - reference[i]
            e = exp32(max(x, NEGLIGIBLE_EXPONENT))
            e = e if x > NEGLIGIBLE_EXPONENT else ZERO
            w[l * LANES + i] = e
            s += e
        Z[i] = s


@njit(fastmath={"contract"})
def diagonal(w, g, at, wg, sums, p):  # type: ignore[no-untyped-def]
    """Add w g, w g gᵀ of one pair of coordinates to five rows of sums, and keep w g."""
    for i in range(LANES):
        k = p + U64(i)
        a, b, x, y, z = sums[k], sums[k + ROW], sums[k + TWO_ROWS], sums[k + THREE_ROWS], sums[k + FOUR_ROWS]
        for l in range(TILE):
            n = U64(l * LANES) + U64(i)
            u, v = g[at + n], g[at + U64(SIZE) + n]
            s, t = w[n] * u, w[n] * v
            wg[n], wg[U64(SIZE) + n] = s, t
            a, b, x, y, z = a + s, b + t, x + s * u, y + t * u, z + t * v
        sums[k], sums[k + ROW], sums[k + TWO_ROWS], sums[k + THREE_ROWS], sums[k + FOUR_ROWS] = a, b, x, y, z


@njit(fastmath={"contract"})
def across(wg, g, at, sums, p):  # type: ignore[no-untyped-def]
    """Add w g hᵀ of two pairs of coordinates to four rows of sums."""
    for i in range(LANES):
        k = p + U64(i)
        a, b, c, d = sums[k], sums[k + ROW], sums[k + TWO_ROWS], sums[k + THREE_ROWS]
        for l in range(TILE):
            n = U64(l * LANES) + U64(i)
            s, t, u, v = wg[n], wg[U64(SIZE) + n], g[at + n], g[at + U64(SIZE) + n]
            a, b, c, d = a + s * u, b + s * v, c + t * u, d + t * v
        sums[k], sums[k + ROW], sums[k + TWO_ROWS], sums[k + THREE_ROWS] = a, b, c, d


@njit
def flush(part, total):  # type: ignore[no-untyped-def]
    """Add the sums in float32 to those in float64, and set them to 0."""
    for i in range(part.size):
        total[i] += part[i]
        part[i] = ZERO


@njit
def start_sums(reference, part, total):  # type: ignore[no-untyped-def]
    """Set all sums to 0 and every reference to the lowest score."""
    for i in range(part.size):
        part[i], total[i] = ZERO, 0.0
    for i in range(LANES):
        reference[i] = LOWEST


@njit
def add_tile(start, L, b, g, w, wg, reference, shrink, part, total):  # type: ignore[no-untyped-def]
    """Add Z = Σ w, Σ w g and Σ w g gᵀ of the tokens from `start` on, up to a common factor per
    lane. For each pair of coordinates five rows of `total` on its own, then four with every pair
    before. Part of the sums are in `part` unless these are the last of the L tokens.
    """
    pairs = b.size // (2 * LANES)
    score(pairs, b, g, w)
    for i in range(min(TILE, L - start) * LANES, SIZE):
        w[i] = LOWEST
    raise_reference(w, reference, shrink, part, total)
    weigh(w, reference, part)
    p = ROW
    for j in range(pairs):
        diagonal(w, g, U64(2 * j * SIZE), wg, part, p)
        p += U64(5 * LANES)
        for k in range(j):
            across(wg, g, U64(2 * k * SIZE), part, p)
            p += FOUR_ROWS
    if (start + TILE) % TOKENS_IN_FLOAT32 == 0 or start + TILE >= L:
        flush(part, total)
