"""The loop of stochastic gradient descent on the in-context risk E (T - y)^2 / 2, compiled whole,
for softmax attention, linear attention or both (Appendix A.1 of Boursier & Boyer). A step draws the
batch in blocks of prompts, which are the lanes of float32 rows
(`numerics.training.kernels.geometry`); parameters and their gradient are float64.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit

from numerics.compiled.announce import TRAINING, announced
from numerics.compiled.build_once import once
from numerics.compiled.source_digest import kernel_key
from numerics.compiled.streams import LANES, U64, normal_rows, start_lanes
from numerics.training.kernels.collect import collect
from numerics.training.kernels.geometry import FRAME, MOMENTS, NORMALS, SCALARS, WORK, frames
from numerics.training.kernels.linear import linear_moments
from numerics.training.kernels.matrices import forward, gradient, load, padded, store, transpose
from numerics.training.kernels.softmax import TILE, softmax_moments

__all__ = ["sgd_kernel"]

#: Taken when this module is imported.
SOURCES = kernel_key(__name__)

OWN = U64(1 << 62)  # added to the lane: streams that no other kernel reads
LINEAR = U64(1 << 31)  # added to the length for the streams of linear attention


@njit
def stepped(theta, eta, gradient, after):  # type: ignore[no-untyped-def]
    """after = theta - eta gradient; whether all of it is finite."""
    zero = 0.0  # x - x is 0 for a finite x and nan for any other: one sum tells, without a branch
    for i in range(theta.size):
        x = theta[i] - eta * gradient[i]
        after[i] = x
        zero += x - x
    return zero == 0.0


@njit
def equal(x, y):  # type: ignore[no-untyped-def]
    """Whether two arrays have the same entries."""
    most = 0.0
    for i in range(x.size):
        most = max(most, abs(x[i] - y[i]))
    return most == 0


@once
def single(attention: str) -> Callable[..., int]:
    """The loop for "softmax" or "linear" attention, with the arguments of `sgd_kernel`."""
    sources = (
        SOURCES  # a closure variable, and so a part of the key under which Numba caches the compiled code
    )

    @njit(nogil=True, cache=True, error_model="numpy")
    def kernel(  # type: ignore[no-untyped-def]
        theta, L, first, steps, lr, A, B, task_sd, noise_sd, scale, factor, batch, key0, key1, losses, total
    ):
        _ = sources
        n, count = theta.shape[1], theta.shape[0]
        d, width = n - 1, padded(n)
        rows, after, slope = np.zeros(count * width), np.zeros(count * width), np.zeros(count * width)
        a, b, at, bt = np.zeros(d * width), np.zeros(d * width), np.zeros(d * width), np.zeros(d * width)
        value, gb, scratch = np.zeros(width), np.zeros(width), np.zeros(n * width)
        U, P, gP, gU = np.zeros(n * width), np.zeros(n * width), np.zeros(n * width), np.zeros(n * width)
        load(theta, width, rows)
        load(A, width, a)
        load(B, width, b)
        transpose(d, width, a, at)
        transpose(d, width, b, bt)
        same = equal(a, b)
        state, normals = np.zeros(4 * LANES, np.uint32), np.zeros(NORMALS(n) * LANES, np.float32)
        frame, scalars = np.zeros(FRAME(n) * LANES, np.float32), np.zeros(SCALARS * LANES, np.float32)
        moments, work = np.zeros(MOMENTS * LANES, np.float32), np.zeros(WORK * LANES, np.float32)
        sums, tokens = np.zeros(WORK * LANES), np.zeros(2 * TILE * LANES, np.float32)
        mark = U64(L) if attention == "softmax" else U64(L) + LINEAR
        diverged = -1
        for step in range(first, first + steps):
            forward(n, width, rows, a, b, scale, value, U, P, scratch)
            for i in range(width):
                gb[i] = 0.0
            for i in range(n * width):
                gP[i] = 0.0
            loss = 0.0
            for start in range(0, batch, LANES):
                start_lanes(U64(step), OWN + U64(start), mark, U64(key0), U64(key1), state)
                normal_rows(4 * n, state, normals)
                frames(n, width, a, b, same, value, P, task_sd, noise_sd, normals, frame, scalars)
                if attention == "softmax":
                    softmax_moments(L, state, scalars, tokens, work, sums, moments)
                else:
                    linear_moments(L, state, scalars, normals, 2 * d + 1, work, moments)
                loss += collect(
                    n, min(LANES, batch - start), noise_sd, normals, frame, scalars, moments, work, gb, gP
                )
            loss *= 0.5 / batch
            gradient(n, width, rows, at, bt, scale, gb, gP, gU, scratch, slope)
            if not (math.isfinite(loss) and stepped(rows, lr * factor / batch, slope, after)):
                diverged = step
                break
            losses[step - first] = loss
            if lr != 0:
                rows, after = after, rows
            elif total.size > 0:
                for i in range(count):
                    for j in range(n):
                        total[i, j] += slope[i * width + j] / batch
        store(rows, width, theta)
        return diverged

    compiled: Any = announced(kernel, TRAINING)
    return compiled


@once
def sgd_kernel(attention: str) -> Callable[..., int]:
    """The compiled loop for "softmax", "linear" or "coupled" attention, which releases the GIL. It
    takes the steps first, ..., first + steps - 1 in place and returns the first one at which the
    loss or a parameter was not finite, or -1. In that case theta holds the last finite parameters,
    and losses are written up to the step before.
    """
    # The arguments are (theta, L, first, steps, lr, A, B, task_sd, noise_sd, scale, factor, batch,
    # key0, key1, losses, gradient). theta: (1 + 3n, n) float64, n = d + 1, the rows of o, V, K, Q.
    # A, B: (d, d) float64, prompts A g and query B g with g standard normal. task_sd, noise_sd:
    # standard deviations of the entries of w and of the label noise, on prompt and query. scale:
    # factor of the scores. factor: of the gradient of the risk in a step. batch: prompts a step.
    # key0, key1: `numerics.compiled.streams.key_of` the seed. losses: (steps,), half the mean
    # squared error before each update. gradient: with lr = 0 the gradients of the risk are added to
    # it, unless its size is 0. "coupled" trains both on the same prompts: theta and gradient have a
    # leading axis (softmax, linear), losses two rows.
    #
    # The result is bit for bit a function of the arguments on one machine. Step k reads streams of
    # its own, so that cutting a run into several calls changes no bit. Score and value vectors of a
    # prompt that are longer than 1e18 leave float32; the loss then counts as not finite.
    if attention == "coupled":
        from numerics.training.kernels.coupled import coupled_kernel

        return coupled_kernel()
    if attention not in ("softmax", "linear"):
        raise ValueError(f'attention = {attention!r}; take "softmax", "linear" or "coupled"')
    compiled = single(attention)

    def kernel(  # type: ignore[no-untyped-def]
        theta,
        L,
        first,
        steps,
        lr,
        A,
        B,
        task_sd,
        noise_sd,
        scale,
        factor,
        batch,
        key0,
        key1,
        losses,
        gradient,
    ):
        """One type for each argument, so that the loop is compiled once."""
        A, B = (np.ascontiguousarray(X, dtype=np.float64) for X in (A, B))
        numbers = (float(x) for x in (task_sd, noise_sd, scale, factor))
        total = gradient if gradient.size else np.zeros((0, 0))
        run, words = (int(L), int(first), int(steps), float(lr)), (int(batch), int(key0), int(key1))
        return int(compiled(theta, *run, A, B, *numbers, *words, losses, total))

    return kernel
