"""Compiled means of products of power sums of the softmax weights of Gaussian scores: the integrals
of `quadrature.softmax_weights`, for many variances of the scores in one call. A variance
of its own costs NumPy mostly the time to start its functions, and its convolutions run over
Gaussians that are far below rounding. Here a sum over the scores ends where the Gaussian is
negligible at every length that was asked for.
"""

from __future__ import annotations

import math
from functools import cache
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from numerics.attention.quadrature.gaussian_transforms import Key, products_of_sums
from numerics.compiled.announce import QUADRATURE, announced

__all__ = ["LARGEST_DEVIATION", "Steps", "means_of_products"]

Floats = NDArray[np.float64]
#: Root of the largest variance of the scores: beyond, one grid for v and x is too long.
LARGEST_DEVIATION = 64.0
#: Value of sqrt(s) below which sums are over g itself, and what is left of m_0 where it underflows.
NARROW, TINY = 0.5, 1e-300
#: Beyond X_END exp(-e^x) is 0; below SMALL 1 - e^{-X} is a series.
X_END, SMALL = 4.4, 0.1
#: Lengths whose ratio is at most this are summed over together, and the largest L m_{k,j}: there a
#: power of m_0 is 0 to all digits.
GROUP_RATIO, LARGEST_TERM = 1e60, 1e70
#: exp(x) = 2^n e^f: the logarithm of 2 in two parts, the first of which times n is exact, and the
#: Taylor series of e^f, whose remainder is 1e-17 for |f| <= ln(2)/2.
LOG2E, LN2_HIGH, LN2_LOW = 1 / math.log(2), 6.93147180369123816490e-01, 1.90821492927058770002e-10
T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13 = (1 / math.factorial(n) for n in range(2, 14))
#: By how much smaller than e^{-cut} the error of the sums over g is, as an exponent.
MARGIN = 6.0
#: Added to a float and subtracted again, it leaves the nearest integer, which in between stands in
#: the low bits.
ROUND, MANTISSA, LOWEST = 1.5 * 2.0**52, np.int64(52), -700.0
U64 = np.uint64
SUMS = {"contract", "reassoc", "nsz"}


class Steps(NamedTuple):
    #: Of the sums over v and x = v + sqrt(s) g.
    step: float
    #: Integrands are followed until they are e^{-cut} of their maximum; the step of the sums over
    #: g, where s is small, follows from it.
    cut: float


@njit(fastmath={"contract"}, forceinline=True)
def exp64(x):  # type: ignore[no-untyped-def]
    """exp(x) for x <= 700, without a branch; below -700 it is 0."""
    inside = max(x, LOWEST)
    y = np.float64(inside * LOG2E + ROUND)
    n = np.float64(y - ROUND)
    f = (inside - n * LN2_HIGH) - n * LN2_LOW
    p = (
        ((((((((T13 * f + T12) * f + T11) * f + T10) * f + T9) * f + T8) * f + T7) * f + T6) * f + T5) * f
        + T4
    ) * f + T3
    p = np.float64(((p * f + T2) * f + 1.0) * f + 1.0)
    p = np.float64(np.int64(p.view(np.int64) + (y.view(np.int64) << MANTISSA)).view(np.float64))
    return p if x >= LOWEST else 0.0


@njit(fastmath={"contract"}, forceinline=True)
def complement(X, decay):  # type: ignore[no-untyped-def]
    """1 - e^{-X} to full relative accuracy, from X >= 0 and e^{-X}."""
    t = ((((((T9 * X - T8) * X + T7) * X - T6) * X + T5) * X - T4) * X + T3) * X
    return ((t - T2) * X + 1.0) * X if X < SMALL else 1.0 - decay


@njit(forceinline=True)
def log_of(q, m0):  # type: ignore[no-untyped-def]
    """log m_0 from whichever of q = 1 - m_0 and m_0 is small."""
    return math.log1p(-q) if q < 0.5 else math.log(max(m0, TINY))


@njit(fastmath=SUMS, error_model="numpy")
def sums_over_g(tau, v0, step, cut, K, J, m, log_m0):  # type: ignore[no-untyped-def]
    """m_{k,j} and log m_0 by sums over g itself. A tilt by e^{k tau g} moves the mass of g to k
    tau, and the nodes reach that far. In the strip of height y < pi/(2 tau) the integrand grows by
    at most e^{y^2/2}, and the error of a trapezoid sum is e^{y^2/2 - 2 pi y/gauss_step}: the step
    makes that e^{-cut - MARGIN}.
    """
    end, kmax = math.sqrt(2 * cut), 0
    for k in K:
        kmax = max(kmax, k)
    y = min(math.pi / (2 * tau), math.sqrt(2 * (cut + MARGIN)))
    gauss_step = 2 * math.pi * y / (cut + MARGIN + y * y / 2)
    first = math.floor(-end / gauss_step)
    n = int(math.ceil((end + kmax * tau) / gauss_step) - first) + 1
    g, density, growth, X, w, power = (
        np.empty(n),
        np.empty(n),
        np.empty(n),
        np.empty(n),
        np.empty(n),
        np.empty(n),
    )
    for i in range(n):
        g[i] = gauss_step * (first + i)
        density[i] = gauss_step / math.sqrt(2 * math.pi) * exp64(-g[i] * g[i] / 2)
        growth[i] = exp64(tau * g[i])
    for a in range(log_m0.size):
        radius, q, m0, done = math.exp(v0 + step * a), 0.0, 0.0, 0
        for i in range(n):
            X[i] = min(radius * growth[i], 400.0)  # beyond, exp(-X) is 0 to all digits anyway
        for i in range(n):
            decay = exp64(-X[i])
            w[i] = decay * density[i]
            m0 += w[i]
            q += complement(X[i], decay) * density[i]
        log_m0[a] = log_of(q, m0)
        for b in range(K.size):
            if b == 0 or J[b] != J[b - 1]:
                done = 0
                for i in range(n):
                    power[i] = w[i] * g[i] ** J[b]
            for _ in range(K[b] - done):
                for i in range(n):
                    power[i] *= X[i]
            done, total = K[b], 0.0
            for i in range(n):
                total += power[i]
            m[b, a] = total


@njit(fastmath=SUMS, error_model="numpy")
def sums_over_x(tau, v0, step, log_L, cut, K, J, m, log_m0):  # type: ignore[no-untyped-def]
    """m_{k,j} and log m_0 by sums over x = v + tau g on the grid of v, for the g that matter.

    Tokens with a larger g add at most e^{-cut}/L^2 to a mean, and m_0 and the means of p^3 and of
    products of two p^2 are at least about 1/L^2.
    """
    nv, nb = log_m0.size, K.size
    first = math.floor(-(log_L + cut) / step)  # L times what is left out of q and m_{k,j} is e^{-cut}
    nx = int(math.ceil(X_END / step) - first) + 1
    reach = math.ceil(tau * math.sqrt(2 * (3 * log_L + cut)) / step)
    gauss, kernel, mass = np.empty(2 * reach + 1), np.empty(2 * reach + 1), np.empty(2 * reach + 2)
    mass[0], density = 0.0, step / (math.sqrt(2 * math.pi) * tau)
    for i in range(2 * reach + 1):
        g = step * (i - reach) / tau
        gauss[i] = density * exp64(-g * g / 2)
        mass[i + 1] = mass[i] + gauss[i]
    X, decay, rise = np.empty(nx), np.empty(nx), np.empty(nx)
    for i in range(nx):
        X[i] = exp64(step * (first + i))
        decay[i] = exp64(-X[i])
        rise[i] = complement(X[i], decay[i])
    start = round(v0 / step) - first - reach  # index in x of the first g at the first v
    for a in range(nv):
        low, high = min(max(0, -(start + a)), 2 * reach + 1), max(min(2 * reach + 1, nx - (start + a)), 0)
        # Beyond the last x the factor 1 - exp(-e^x) is 1, and so is exp(-e^x) before the first.
        m0, q = mass[low], mass[2 * reach + 1 - high]  # the Gaussian is symmetric
        at, of = U64(start + a + low), U64(low)
        for i in range(high - low):
            m0 += gauss[of + U64(i)] * decay[at + U64(i)]
            q += gauss[of + U64(i)] * rise[at + U64(i)]
        log_m0[a] = log_of(q, m0)
    phi = np.zeros((m.shape[0], nx))
    for b in range(nb):
        new = b == 0 or J[b] != J[b - 1]
        for i in range(nx):
            phi[b, i] = decay[i] if new else phi[b - 1, i]
        for _ in range(K[b] - (0 if new else K[b - 1])):
            for i in range(nx):
                phi[b, i] *= X[i]
    end = 0
    for b in range(nb):
        if b == 0 or J[b] != J[b - 1]:
            for i in range(2 * reach + 1):
                kernel[i] = gauss[i] * (step * (i - reach) / tau) ** J[b]
            end = b
        if b < end:
            continue
        # Four functions at a time share what is loaded. Of those whose j is another one, the sums
        # are wrong, and are overwritten in their turn.
        end = b + 4
        # What is left of x_k adds at most L e^{k x_k} = e^{-cut}/L^2.
        skip = max(0, math.floor(-(3 * log_L + cut) / (K[b] * step)) - first)
        for a in range(nv):
            low, high = max(0, skip - (start + a)), min(2 * reach + 1, nx - (start + a))
            at, of, t0, t1, t2, t3 = U64(start + a + low), U64(low), 0.0, 0.0, 0.0, 0.0
            for i in range(high - low):
                g = kernel[of + U64(i)]
                t0 += g * phi[b, at + U64(i)]
                t1 += g * phi[b + 1, at + U64(i)]
                t2 += g * phi[b + 2, at + U64(i)]
                t3 += g * phi[b + 3, at + U64(i)]
            m[b, a], m[b + 1, a], m[b + 2, a], m[b + 3, a] = t0, t1, t2, t3


@njit(fastmath=SUMS, error_model="numpy")
def add_integrals(step, top, L, m, log_m0, orders, functions, coefficients, out):  # type: ignore[no-untyped-def]
    """out[key, length] for the lengths at most top and not much below. The factors L are multiplied
    into the functions first, since L^4 may exceed the range of floats.
    """
    nv, n = log_m0.size, orders.size
    scaled, products, w = np.empty(m.shape), np.empty((n, nv)), np.empty(nv)
    for b in range(m.shape[0] - 3):
        for a in range(nv):
            scaled[b, a] = min(max(top * m[b, a], -LARGEST_TERM), LARGEST_TERM)
    for p in range(n):
        for a in range(nv):
            products[p, a] = scaled[functions[p, 0], a]
        for r in range(1, orders[p]):
            for a in range(nv):
                products[p, a] *= scaled[functions[p, r], a]
    for l in range(L.size):
        if L[l] > top or top > L[l] * GROUP_RATIO:
            continue
        out[:, l] = 0.0
        tokens, order = step, 0
        for p in range(n):
            while order < orders[p]:
                tokens *= max(1 - order / L[l], 0.0) * (L[l] / top)  # 0 where the prompt has fewer tokens
                order += 1
                for a in range(nv):
                    w[a] = exp64(max(L[l] - order, 0.0) * log_m0[a])
            total = 0.0
            for a in range(nv):
                total += products[p, a] * w[a]
            for key in range(coefficients.shape[0]):
                out[key, l] += coefficients[key, p] * tokens * total


@njit(cache=True, nogil=True, error_model="numpy")
def kernel(deviations, L, K, J, orders, functions, coefficients, step, cut, out):  # type: ignore[no-untyped-def]
    """out[i, key, length] for the i-th deviation of the scores."""
    longest, shortest, most = L[0], L[0], orders[0]
    for length in L:
        longest, shortest = max(longest, length), min(shortest, length)
    for order in orders:
        most = max(most, order)
    log_L = math.log(longest)
    rare, others = 2 * log_L + cut, max(shortest - most, 1.0)
    for i in range(deviations.size):
        tau = deviations[i]
        # The left end of the range of v is explained in `gaussian_transforms`.
        low = -(rare / 2 + tau * tau) if 2 * tau * tau <= rare else -tau * math.sqrt(2 * rare)
        first = math.floor(low / step)
        # Far to the right m_0 is at most exp(-((v - X_END)/tau)^2/2), to the power `others` or a
        # larger one.
        nv = int(math.ceil((X_END + tau * math.sqrt(2 * cut / others)) / step) - first) + 1
        m, log_m0 = np.empty((K.size + 3, nv)), np.empty(nv)  # with room for four functions at a time
        if tau < NARROW:
            sums_over_g(tau, first * step, step, cut, K, J, m, log_m0)
        else:
            sums_over_x(tau, first * step, step, log_L, cut, K, J, m, log_m0)
        top = longest
        # In groups of lengths so close that products of four functions stay in the range of floats.
        while top > 0:
            add_integrals(step, top, L, m, log_m0, orders, functions, coefficients, out[i])
            below = 0.0
            for length in L:
                if top > length * GROUP_RATIO:
                    below = max(below, length)
            top = below


announced(kernel, QUADRATURE)


@cache
def _tables(keys: tuple[Key, ...]) -> tuple[NDArray[np.int64], ...]:
    """What the kernel must know of the keys: the k and j of the functions m_{k,j}, the number of
    factors of each integral and which they are, and its coefficient in the mean of each key.
    """
    blocks, sums = products_of_sums(keys)
    # One power of g after another.
    rank = sorted(range(len(blocks)), key=lambda i: (blocks[i][1], blocks[i][0]))
    K, J = (np.array([blocks[i][part] for i in rank]) for part in (0, 1))
    orders = np.concatenate([np.full(len(x.functions), x.j) for x in sums])
    functions = np.zeros((orders.size, orders.max()), dtype=np.int64)
    for x in sums:
        functions[orders == x.j, : x.j] = np.argsort(rank)[x.functions]
    return K, J, orders, functions, np.ascontiguousarray(np.hstack([x.coefficients for x in sums]))


def means_of_products(s: Floats, L: Floats, keys: tuple[Key, ...], steps: Steps) -> Floats:
    """E[pi_{k,j} pi_{k',j'} ...] for each variance of the scores, at most the square of
    `LARGEST_DEVIATION`, key and length: shape (n_s, n_keys, n). Keys are those of
    `numerics.attention.quadrature.softmax_weights.mean_products`.
    """
    out = np.empty((s.size, len(keys), L.size))
    kernel(np.sqrt(s), np.ascontiguousarray(L, dtype=float), *_tables(keys), *steps, out)
    return out
