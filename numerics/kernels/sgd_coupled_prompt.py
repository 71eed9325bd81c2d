"""A prompt as both architectures see it, from two normals a token and a few more a prompt.

Let N (L × n) be the normals of the tokens in the frame of `numerics.kernels.sgd_coupled_frame`: its first two columns x and y are
the coordinates along the vectors of softmax attention, drawn token by token. Given these, softmax weights p and p (t − T) are fixed
vectors of R^L, and the other columns are still independent normals. In an orthonormal basis of R^L that begins with x, y, p and
p (t − T) (Gram and Schmidt) these columns have normal coordinates; what is left of the third and fourth outside that basis has the
length of a χ variable (Bartlett's decomposition). So at most six coordinates of each column matter, however long the prompt: all
that either architecture needs is a product of the 6 × n matrix of them. A basis of R^L has L vectors: shorter prompts leave rows out.

References
----------
Bartlett, "On the theory of statistical regression", Proc. R. Soc. Edinburgh 53, 1933.
"""

from __future__ import annotations

import math

from numba import njit

from numerics.streams import F32, I32, LANES, U64, exp32

__all__ = ["BASIS", "SUMS", "TILE", "add_tokens", "basis_coordinates", "finish_sums", "raise_reference", "start_sums"]

TILE = 8  # tokens per pass
BASIS = 6  # vectors of R^L that matter
SUMS = 12  # Σ of w, w x, w y, w x², w xy, w y², w², w² t, w² t², x², xy, y²
ROW = U64(LANES)
FLUSH = 64 * TILE  # tokens added up in float32
FLOOR, ROOM, NEGLIGIBLE, LIMIT, SMALL = F32(-3e38), F32(20), F32(-40), F32(80), F32(1e-36)
ZERO, ONE, TWO = F32(0), F32(1), F32(2)


@njit
def start_sums(reference, part, total):  # type: ignore[no-untyped-def]
    part[:], total[:], reference[:] = ZERO, 0.0, FLOOR


@njit
def raise_reference(tokens, x, rate, reference, top, part, total):  # type: ignore[no-untyped-def]
    """Move the reference of a lane to the highest score rate x of the tile if that is far above, and rescale the lane's sums."""
    moved = I32(0)
    for i in range(LANES):
        top[i] = rate[i] * x[i]
    for l in range(1, tokens):
        at = U64(2 * l) * ROW
        for i in range(LANES):
            top[i] = max(top[i], rate[i] * x[at + U64(i)])
    for i in range(LANES):
        moved |= I32(top[i] - reference[i] > ROOM)
    if moved:
        for i in range(LANES):
            up = top[i] - reference[i]
            reference[i] = top[i] if up > ROOM else reference[i]
            top[i] = (exp32(max(-up, -LIMIT)) if up < LIMIT else ZERO) if up > ROOM else ONE
        for s in range(9):
            at = U64(s * LANES)
            for i in range(LANES):
                shrink = top[i] if s < 6 else top[i] * top[i]
                part[at + U64(i)] *= shrink
                total[at + U64(i)] *= shrink


@njit(fastmath={"contract"}, error_model="numpy")
def add_tokens(tokens, x, lane, reference, part):  # type: ignore[no-untyped-def]
    """Add the tokens of a tile; the rows of `lane` are the rate of the scores, and the coordinates of the values along x and y."""
    for l in range(tokens):
        at = U64(2 * l) * ROW
        for i in range(LANES):
            a, b = x[at + U64(i)], x[at + ROW + U64(i)]
            w = exp32(max(lane[i] * a - reference[i], NEGLIGIBLE))
            t = lane[LANES + i] * a + lane[2 * LANES + i] * b
            wa, wb, w2 = w * a, w * b, w * w
            w2t = w2 * t
            part[i] += w
            part[LANES + i] += wa
            part[2 * LANES + i] += wb
            part[3 * LANES + i] += wa * a
            part[4 * LANES + i] += wa * b
            part[5 * LANES + i] += wb * b
            part[6 * LANES + i] += w2
            part[7 * LANES + i] += w2t
            part[8 * LANES + i] += w2t * t
            part[9 * LANES + i] += a * a
            part[10 * LANES + i] += a * b
            part[11 * LANES + i] += b * b


@njit
def finish_sums(start, L, part, total):  # type: ignore[no-untyped-def]
    """Keep what is in float32 short: after the tile from `start` on, and at last back into `part`."""
    if (start + TILE) % FLUSH == 0 or start + TILE >= L:
        for i in range(part.size):
            total[i] += part[i]
            part[i] = ZERO
    if start + TILE >= L:
        for i in range(part.size):
            part[i] = F32(total[i])


@njit(fastmath={"contract"}, error_model="numpy")
def basis_coordinates(sums, lane, basis, p, q):  # type: ignore[no-untyped-def]
    """From the sums: coordinates of x and y (three rows of `basis`), of p (three rows) and of q = p (t − T) (four), and T.

    Behind the coordinates of p are its products with x and y, and T; behind those of q its products with x and y.
    """
    for i in range(LANES):
        along, across = lane[LANES + i], lane[2 * LANES + i]
        z = ONE / sums[i]
        pa, pb = sums[LANES + i] * z, sums[2 * LANES + i] * z
        T = along * pa + across * pb
        aa, ab, bb = sums[3 * LANES + i] * z - pa * pa, sums[4 * LANES + i] * z - pa * pb, sums[5 * LANES + i] * z - pb * pb
        qa, qb = along * aa + across * ab, along * ab + across * bb
        pp, pt = sums[6 * LANES + i] * z * z, sums[7 * LANES + i] * z * z
        pq, qq = pt - T * pp, sums[8 * LANES + i] * z * z - T * (pt + pt - T * pp)
        # every coordinate is at most what is left of the squared length: rounding never makes a vector longer
        r0 = F32(math.sqrt(max(sums[9 * LANES + i], SMALL)))
        r1 = sums[10 * LANES + i] / r0
        r2 = F32(math.sqrt(max(sums[11 * LANES + i] - r1 * r1, SMALL)))
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
        q2 = min(max((pq - p0 * q0 - p1 * q1) / max(p2, SMALL), -bound), bound)
        q3 = F32(math.sqrt(max(left - q2 * q2, ZERO)))
        basis[i], basis[LANES + i], basis[2 * LANES + i] = r0, r1, r2
        p[i], p[LANES + i], p[2 * LANES + i], p[3 * LANES + i], p[4 * LANES + i], p[5 * LANES + i] = p0, p1, p2, pa, pb, T
        q[i], q[LANES + i], q[2 * LANES + i], q[3 * LANES + i], q[4 * LANES + i], q[5 * LANES + i] = q0, q1, q2, q3, qa, qb
