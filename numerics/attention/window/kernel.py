"""The loss of an attention window for a prompt of n tokens in compiled code.

Weights are ``gamma_i = W_i/X`` with ``W_i = e^{-2w D_i}``, ``D_i = 1 - x_i'x`` and ``X = sum W_i``.
As ``1/X^2`` is the integral of ``r e^{-rX}`` over r > 0, means over the prompt are products of ones
over single tokens. With ``q_k = 1 - P_k`` the loss is

    sum_k b_k [2 E sum_i gamma_i^2 q_k(t_i) + E sum_{i != j} gamma_i gamma_j q_k(t_i) q_k(t_j)]
    + sigma^2 E sum_i gamma_i^2,

of which no term is negative, so that nothing cancels. With ``r = e^v`` the integrands are analytic
in a strip around the real line, and the trapezoid rule converges geometrically.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit

from numerics.compiled.announce import QUADRATURE, announced
from numerics.compiled.build_once import once
from numerics.compiled.source_digest import kernel_key

__all__ = ["REACH", "SOURCES", "gaps_kernel", "window_kernel"]

SOURCES = kernel_key(__name__)
#: Beyond x = max(v, 0) + REACH the weight r W is below rounding of those before it, and below
#: x = v - CREST e^{-rW} is 0.
REACH, CREST = 40.0, 4.6
#: Logarithm of the share of the integral at which it is cut off.
CUT = 34.0
#: Values of v whose means of all degrees are one product of matrices, and nodes with room for it.
BLOCK, ROOM = 32, 4096


@once
def window_kernel() -> Callable[..., None]:
    """The compiled kernel ``(x, D, omega, beyond, s, q, b, rest, n, start, step, end, out)``.

    Nodes of the law of a token are given by ``x = 2 w D``, increasing, with weights ``omega``;
    ``beyond`` is the mass above the last one. ``s`` is the variogram there, ``q`` (J, K) holds
    ``1 - P_k`` for the degrees with coefficients ``b``, and ``rest`` is the sum of the coefficients
    that are left out, whose ``q`` is 1 on average. ``out`` receives, for the steps and for every
    second of them, the mean of the sum of squared weights, the signal, and their derivatives in w.
    ``n`` is a float, since its square might overflow.
    """
    sources = SOURCES

    @njit(nogil=True, cache=True, error_model="numpy", fastmath={"contract", "reassoc", "nsz"})
    def kernel(x, D, omega, beyond, s, q, b, rest, n, start, step, end, out):  # type: ignore[no-untyped-def]
        _ = sources
        J, K = x.size, b.size
        tails, below = np.empty(J + 1), np.zeros(J + 1)  # the mass from node j on, and before it
        tails[J] = beyond
        for j in range(J - 1, -1, -1):
            tails[j] = tails[j + 1] + omega[j]
        for j in range(J):
            below[j + 1] = below[j] + omega[j]
        out[:] = 0.0
        room, found = np.zeros(2 * BLOCK * min(J, ROOM)), np.empty((BLOCK, 8))
        number, v, low, top, ended = 0, start, 0, 0, False
        largest, log_n = 0.0, math.log(n)
        while v <= end and not ended:
            # Nodes that some v of this block sees, in the rows of one matrix product.
            while low < J and x[low] < v - CREST:
                low += 1
            while top < J and x[top] < max(v + (BLOCK - 1) * step, 0.0) + REACH:
                top += 1
            width, rows, first = top - low, 0, low
            if 2 * BLOCK * width > room.size:
                room = np.empty(2 * BLOCK * width)
            both = room[: 2 * BLOCK * width].reshape(2 * BLOCK, width)
            both[:] = 0.0
            while rows < BLOCK and v <= end and not ended:
                while first < J and x[first] < v - CREST:
                    first += 1
                lost, kept, moved = below[first], 0.0, 0.0
                squares, signal, d_squares, d_signal = 0.0, 0.0, 0.0, 0.0
                one, d_one = 0.0, 0.0
                far, high = max(v, 0.0) + REACH, first
                while high < J and x[high] < far:
                    u = math.exp(v - x[high])
                    if u < 0.5:
                        gone = -math.expm1(-u)
                        e = omega[high] * (1.0 - gone)
                    else:
                        e = math.exp(-u)
                        gone = 1.0 - e
                        e *= omega[high]
                    lost += omega[high] * gone
                    kept += e
                    ue, D2 = u * e, 2.0 * D[high]
                    moved += D2 * ue
                    uue = u * ue
                    squares += uue
                    signal += uue * s[high]
                    bent = D2 * (uue * u - 2.0 * uue)
                    d_squares += bent
                    d_signal += bent * s[high]
                    turned = D2 * (uue - ue)
                    both[rows, high - low] = ue
                    both[BLOCK + rows, high - low] = turned
                    one += ue
                    d_one += turned
                    high += 1
                kept += tails[high]
                log_m = math.log1p(-lost) if lost < 0.5 else math.log(kept)
                here = found[rows]
                here[0], here[1], here[2], here[3], here[4] = squares, signal, d_squares, d_signal, log_m
                here[5], here[6], here[7] = moved / kept, one, d_one  # the first is the change of log m
                largest = max(largest, n * math.exp((n - 1) * log_m) * squares)
                # From here on weights are at most n e^{(n-1) log m}, and pairs n^2 e^{(n-2) log m}.
                ended = (
                    n > 2
                    and 2.0 * log_n + (n - 2) * log_m < math.log(max(largest, 1e-300)) - CUT
                    and first > 0
                )
                v += step
                rows += 1
            means = np.dot(both, q[low:top])
            for i in range(rows):
                squares, signal, d_squares, d_signal, log_m, change, one, d_one = found[i, :8]
                pairs, d_pairs = rest * one * one, 2.0 * rest * one * d_one
                for k in range(K):
                    pairs += b[k] * means[i, k] ** 2
                    d_pairs += 2.0 * b[k] * means[i, k] * means[BLOCK + i, k]
                one_less = n * math.exp((n - 1) * log_m)
                two_less = n * (n - 1) * math.exp((n - 2) * log_m)
                here_loss = one_less * 2.0 * signal + two_less * pairs
                d_here = one_less * 2.0 * (d_signal + (n - 1) * change * signal)
                d_here += two_less * (d_pairs + (n - 2) * change * pairs)
                if K > 0:
                    out[0, 4] += step * two_less * 2.0 * rest * one * abs(means[i, K - 1] - one)
                weights = one_less * squares
                d_weights = one_less * (d_squares + (n - 1) * change * squares)
                for half in range(2):
                    if half == 0 or number % 2 == 0:
                        h = step * (half + 1)
                        out[half, 0] += h * weights
                        out[half, 1] += h * here_loss
                        out[half, 2] += h * d_weights
                        out[half, 3] += h * d_here
                number += 1

    compiled: Any = announced(kernel, QUADRATURE)
    return compiled


@once
def gaps_kernel() -> Callable[..., None]:
    """The compiled kernel ``(D, d, used, q)`` that fills ``q[:, i]`` with ``1 - P_k`` at ``1 - D``
    for the increasing degrees ``k = used[i] >= 1``, by the recurrence of the Gegenbauer polynomials
    in which nothing cancels near the query.
    """
    sources = SOURCES

    @njit(nogil=True, cache=True, error_model="numpy")
    def kernel(D, d, used, q):  # type: ignore[no-untyped-def]
        _ = sources
        last = used[-1]
        up, down = np.empty(last + 1), np.empty(last + 1)
        for k in range(1, last + 1):
            up[k], down[k] = (2 * k + d - 2) / (k + d - 2), k / (k + d - 2)
        for j in range(D.size):
            before, here, i, t = 0.0, D[j], 0, 1.0 - D[j]
            for k in range(1, last + 1):
                if used[i] == k:
                    q[j, i] = here
                    i += 1
                before, here = here, up[k] * (D[j] + t * here) - down[k] * before

    compiled: Any = announced(kernel, QUADRATURE)
    return compiled
