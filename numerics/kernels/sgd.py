"""Stochastic gradient descent of softmax or linear attention on the in-context regression risk, the whole loop in one call.

Prompts are the lanes of float32 rows, see `numerics.kernels.sgd_geometry`; parameters and their gradient are float64.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit

from numerics.kernels.fingerprint import fingerprint
from numerics.kernels.once import once
from numerics.kernels.sgd_geometry import FRAME, MOMENTS, NORMALS, SCALARS, collect, frames
from numerics.kernels.sgd_linear import linear_moments
from numerics.kernels.sgd_matrices import forward, gradient, load, padded, store
from numerics.kernels.sgd_softmax import SUMS, softmax_moments
from numerics.streams import LANES, U64, normal_rows, start_lanes

__all__ = ["sgd_kernel"]

OWN = U64(1 << 62)  # added to the lane: streams that no other kernel reads
LINEAR = U64(1 << 31)  # added to the length for the streams of linear attention


@njit
def step_of(theta, eta, gradient, after):  # type: ignore[no-untyped-def]
    """after = theta - eta gradient; whether all of it is finite."""
    zero = 0.0
    for i in range(theta.size):
        x = theta[i] - eta * gradient[i]
        after[i] = x
        zero += x - x
    return zero == 0.0


@once
def sgd_kernel(attention: str) -> Callable[..., int]:
    """The compiled loop for one attention, which releases the GIL.

    Called as ``(theta, L, first, steps, lr, A, B, task_sd, noise_sd, scale, factor, batch, key0, key1, losses, gradient)``, it takes
    the steps first, ..., first + steps - 1 in place and returns the first step at which the loss or a parameter was not finite, or
    -1; theta then holds the last finite parameters, and losses end before that step.

    Parameters
    ----------
    attention : {"softmax", "linear", "coupled"}
        Which attention. "coupled" trains both on the same prompts: theta and gradient have a leading axis (softmax, linear), losses
        two rows.

    Returns
    -------
    callable
        theta : (1 + 3n, n) float64, n = d + 1, the rows of o, V, K, Q. L : prompt length. A, B : (d, d), prompts A g and query B g,
        g standard normal. task_sd, noise_sd : standard deviations of the entries of w and of the label noise, on prompt and query.
        scale : factor of the scores. factor : factor of the gradient of the risk E (T - y)^2 / 2 in a step. batch : prompts a step.
        key0, key1 : `numerics.streams.key_of` the seed. losses : (steps,), half the mean squared error before each update.
        gradient : with lr = 0 the gradients of the risk are added to it unless its size is 0.

    Notes
    -----
    Bit for bit a function of its arguments on one machine; step k reads its own streams, so that cutting a run into several calls
    changes no bit. The lengths of score and value vectors of a prompt must stay below 1e18, else the loss counts as not finite.
    """
    if attention == "coupled":
        from numerics.kernels.sgd_coupled import coupled_kernel

        return coupled_kernel()
    if attention not in ("softmax", "linear"):
        raise ValueError(f'attention = {attention!r}; take "softmax", "linear" or "coupled"')
    sources = fingerprint()  # a closure variable, and so a part of the key under which Numba caches the compiled code
    softmax = attention == "softmax"

    @njit(nogil=True, cache=True, error_model="numpy")
    def kernel(theta, L, first, steps, lr, A, B, task_sd, noise_sd, scale, factor, batch, key0, key1, losses, total):  # type: ignore[no-untyped-def]
        _ = sources
        n = theta.shape[1]
        d, width = n - 1, padded(n)
        same = np.array_equal(A, B)
        rows, after, slope = np.zeros((1 + 3 * n) * width), np.zeros((1 + 3 * n) * width), np.zeros((1 + 3 * n) * width)
        load(theta[0:1], width, rows[:width])
        load(theta, width, rows)
        a, b, at, bt = np.zeros(d * width), np.zeros(d * width), np.zeros(d * width), np.zeros(d * width)
        load(A, width, a)
        load(B, width, b)
        load(A.T, width, at)
        load(B.T, width, bt)
        value, gb, scratch = np.zeros(width), np.zeros(width), np.zeros(n * width)
        U, P, gP, gU = np.zeros(n * width), np.zeros(n * width), np.zeros(n * width), np.zeros(n * width)
        state = np.zeros(4 * LANES, np.uint32)
        normals, frame = np.zeros(NORMALS(n) * LANES, np.float32), np.zeros(FRAME(n) * LANES, np.float32)
        scalars, moments = np.zeros(SCALARS * LANES, np.float32), np.zeros(MOMENTS * LANES, np.float32)
        work, sums = np.zeros(SUMS * LANES, np.float32), np.zeros(SUMS * LANES)
        mark = U64(L) if softmax else U64(L) + LINEAR
        diverged = -1
        for step in range(first, first + steps):
            forward(n, width, rows, a, b, scale, value, U, P, scratch)
            gb[:], gP[:], loss = 0.0, 0.0, 0.0
            for start in range(0, batch, LANES):
                start_lanes(U64(step), OWN + U64(start), mark, key0, key1, state)
                normal_rows(NORMALS(n), state, normals)
                frames(n, width, a, b, same, value, P, task_sd, noise_sd, normals, frame, scalars)
                if softmax:
                    softmax_moments(L, state, scalars, work, sums, moments[8 * LANES :], moments)
                else:
                    linear_moments(L, state, scalars, normals[(2 * d + 1) * LANES :], work, moments)
                loss += collect(n, min(LANES, batch - start), noise_sd, normals, frame, scalars, moments, work, gb, gP)
            loss *= 0.5 / batch
            for i in range(width):
                gb[i] /= batch
            for i in range(n * width):
                gP[i] /= batch
            gradient(n, width, rows, at, bt, scale, gb, gP, gU, scratch, slope)
            if not (np.isfinite(loss) and step_of(rows, lr * factor, slope, after)):
                diverged = step
                break
            losses[step - first] = loss
            if lr != 0:
                rows, after = after, rows
            elif total.size > 0:
                for i in range(theta.shape[0]):
                    for j in range(n):
                        total[i, j] += slope[i * width + j]
        store(rows, width, theta)
        return diverged

    compiled: Any = kernel
    return compiled
