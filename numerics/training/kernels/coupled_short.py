"""The score, value and weighted sums of the tokens of a short prompt in the coupled kernel, every
token drawn: that costs less than the reduced prompt of `numerics.training.kernels.coupled_prompt`.
"""

from __future__ import annotations

from numba import njit

from numerics.compiled.streams import F32, LANES, U64, exp32

__all__ = ["SHORT", "scores_and_values", "token_products", "token_weights"]

SHORT = 16  # tokens, up to which drawing every token is cheaper (measured at d = 5)
ROW, TWO_ROWS, THREE_ROWS, FOUR_ROWS = U64(LANES), U64(2 * LANES), U64(3 * LANES), U64(4 * LANES)
FIVE_ROWS, SIX_ROWS, SEVEN_ROWS, EIGHT_ROWS = U64(5 * LANES), U64(6 * LANES), U64(7 * LANES), U64(8 * LANES)
NINE_ROWS, TEN_ROWS, ELEVEN_ROWS = U64(9 * LANES), U64(10 * LANES), U64(11 * LANES)
LEAST_EXPONENT, ZERO, ONE = F32(-80), F32(0), F32(1)


@njit(forceinline=True)
def left_over(l, L, n):  # type: ignore[no-untyped-def]
    """The first coordinate of token l that is in no block of two tokens and three coordinates."""
    return n - n % 3 if l < L - L % 2 else 0


@njit(forceinline=True, fastmath={"contract"})
def scores_and_values(n, L, columns, g, rows):  # type: ignore[no-untyped-def]
    """Rows 4 l to 4 l + 3: score and value of token l for softmax, and for linear attention, from
    its normals, rows n l on of g.
    """
    rows[: 4 * L * LANES] = ZERO
    score, other, value = U64(2 * n * LANES), U64(3 * n * LANES), U64(n * LANES)
    for l in range(0, L - 1, 2):
        at = U64(4 * l * LANES)
        for j in range(0, n - 2, 3):
            column, one, two = U64(j * LANES), U64((l * n + j) * LANES), U64(((l + 1) * n + j) * LANES)
            for i in range(LANES):
                c, x, y, to = column + U64(i), one + U64(i), two + U64(i), at + U64(i)
                x0, x1, x2, y0, y1, y2 = g[x], g[x + ROW], g[x + TWO_ROWS], g[y], g[y + ROW], g[y + TWO_ROWS]
                a0, a1, a2 = columns[c], columns[c + ROW], columns[c + TWO_ROWS]
                b0, b1, b2 = columns[c + value], columns[c + value + ROW], columns[c + value + TWO_ROWS]
                c0, c1, c2 = columns[c + score], columns[c + score + ROW], columns[c + score + TWO_ROWS]
                d0, d1, d2 = columns[c + other], columns[c + other + ROW], columns[c + other + TWO_ROWS]
                rows[to] += a0 * x0 + a1 * x1 + a2 * x2
                rows[to + ROW] += b0 * x0 + b1 * x1 + b2 * x2
                rows[to + TWO_ROWS] += c0 * x0 + c1 * x1 + c2 * x2
                rows[to + THREE_ROWS] += d0 * x0 + d1 * x1 + d2 * x2
                rows[to + FOUR_ROWS] += a0 * y0 + a1 * y1 + a2 * y2
                rows[to + FIVE_ROWS] += b0 * y0 + b1 * y1 + b2 * y2
                rows[to + SIX_ROWS] += c0 * y0 + c1 * y1 + c2 * y2
                rows[to + SEVEN_ROWS] += d0 * y0 + d1 * y1 + d2 * y2
    for l in range(L):
        for j in range(left_over(l, L, n), n):
            token = U64((l * n + j) * LANES)
            for kind in range(4):
                at, column = U64((4 * l + kind) * LANES), U64((kind * n + j) * LANES)
                for i in range(LANES):
                    rows[at + U64(i)] += columns[column + U64(i)] * g[token + U64(i)]


@njit(forceinline=True, fastmath={"contract"}, error_model="numpy")
def token_weights(L, label, live, rows, work, delta):  # type: ignore[no-untyped-def]
    """Errors T − y_q of both architectures (0 where `live` is), and times these, in place of scores
    and values: softmax weights p, p (value − T), scores / L, values / L.
    """
    mean = F32(1 / L)
    for i in range(LANES):
        work[i] = rows[i]
        delta[LANES + i] = rows[2 * LANES + i] * rows[3 * LANES + i]
    for l in range(1, L):
        at = U64(4 * l * LANES)
        for i in range(LANES):
            k = at + U64(i)
            work[i] = max(work[i], rows[k])
            delta[LANES + i] += rows[k + TWO_ROWS] * rows[k + THREE_ROWS]
    for i in range(2 * LANES):
        work[LANES + i] = ZERO
    for l in range(L):
        at = U64(4 * l * LANES)
        for i in range(LANES):
            k = at + U64(i)
            w = exp32(max(rows[k] - work[i], LEAST_EXPONENT))
            work[LANES + i] += w
            work[2 * LANES + i] += (
                w * rows[k + ROW] + ZERO * rows[k]
            )  # a score that has left float32 shows in the loss
            rows[k] = w
    for i in range(LANES):
        z = ONE / work[LANES + i]
        T = work[2 * LANES + i] * z
        e, f = (T - label[i]) * live[i], (mean * delta[LANES + i] - label[i]) * live[i]
        delta[i], delta[LANES + i] = e, f
        work[i], work[LANES + i], work[2 * LANES + i] = e * z, T, mean * f
    for l in range(L):
        at = U64(4 * l * LANES)
        for i in range(LANES):
            k, f = at + U64(i), work[2 * LANES + i]
            p = rows[k] * work[i]
            rows[k], rows[k + ROW] = p, p * (rows[k + ROW] - work[LANES + i])
            rows[k + TWO_ROWS], rows[k + THREE_ROWS] = f * rows[k + TWO_ROWS], f * rows[k + THREE_ROWS]
    if L == 1:  # the token has all the weight; rounding shall not move K and Q
        rows[LANES : 2 * LANES] = ZERO


@njit(forceinline=True, fastmath={"contract"})
def token_products(n, L, g, rows, y):  # type: ignore[no-untyped-def]
    """The sums of the normals with the four weights of a token: entries j are the four rows of y
    from 4 j on.
    """
    y[: 4 * n * LANES] = ZERO
    for l in range(0, L - 1, 2):
        at = U64(4 * l * LANES)
        for j in range(0, n - 2, 3):
            one, two, sums = U64((l * n + j) * LANES), U64(((l + 1) * n + j) * LANES), U64(4 * j * LANES)
            for i in range(LANES):
                k, u, v, to = at + U64(i), one + U64(i), two + U64(i), sums + U64(i)
                p0, p1, p2, p3 = rows[k], rows[k + ROW], rows[k + TWO_ROWS], rows[k + THREE_ROWS]
                q0, q1, q2, q3 = (
                    rows[k + FOUR_ROWS],
                    rows[k + FIVE_ROWS],
                    rows[k + SIX_ROWS],
                    rows[k + SEVEN_ROWS],
                )
                x0, x1, x2, y0, y1, y2 = g[u], g[u + ROW], g[u + TWO_ROWS], g[v], g[v + ROW], g[v + TWO_ROWS]
                y[to] += p0 * x0 + q0 * y0
                y[to + ROW] += p1 * x0 + q1 * y0
                y[to + TWO_ROWS] += p2 * x0 + q2 * y0
                y[to + THREE_ROWS] += p3 * x0 + q3 * y0
                y[to + FOUR_ROWS] += p0 * x1 + q0 * y1
                y[to + FIVE_ROWS] += p1 * x1 + q1 * y1
                y[to + SIX_ROWS] += p2 * x1 + q2 * y1
                y[to + SEVEN_ROWS] += p3 * x1 + q3 * y1
                y[to + EIGHT_ROWS] += p0 * x2 + q0 * y2
                y[to + NINE_ROWS] += p1 * x2 + q1 * y2
                y[to + TEN_ROWS] += p2 * x2 + q2 * y2
                y[to + ELEVEN_ROWS] += p3 * x2 + q3 * y2
    for l in range(L):
        for j in range(left_over(l, L, n), n):
            token = U64((l * n + j) * LANES)
            for kind in range(4):
                at, sums = U64((4 * l + kind) * LANES), U64((4 * j + kind) * LANES)
                for i in range(LANES):
                    y[sums + U64(i)] += rows[at + U64(i)] * g[token + U64(i)]
