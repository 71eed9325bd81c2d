"""The loop of stochastic gradient descent for softmax and linear attention side by side on the same
prompts, compiled whole (Figures 3, 4, 7 and 8 of Boursier & Boyer).
"""

# Both architectures read a long prompt through the same matrix of six rows
# (`numerics.training.kernels.coupled_prompt`), whose law, jointly over both, is that of prompts
# drawn token by token; short prompts are drawn so (`numerics.training.kernels.coupled_short`).
#
# Every helper is inlined by force. One that is only called exists twice, compiled alone and inside
# the kernel, and which of the two is taken depends on whether the kernel was compiled in this
# process or loaded from the cache: they may round differently, and a killed run would not go on bit
# for bit.

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit

from numerics.compiled.announce import TRAINING, announced
from numerics.compiled.build_once import once
from numerics.compiled.source_digest import kernel_key
from numerics.compiled.streams import F32, LANES, U64, normal_rows, start_lanes
from numerics.training.kernels.coupled_frame import COLUMNS, TRIANGLE, reduce_columns, rotate_back, triangle
from numerics.training.kernels.coupled_prompt import (
    BASIS,
    SUMS,
    TILE,
    WEIGHTS,
    basis_coordinates,
    draw_columns,
    token_sums,
    weighted_sums,
    weights,
)
from numerics.training.kernels.coupled_short import SHORT, scores_and_values, token_products, token_weights
from numerics.training.kernels.matrices import forward, gradient, load, padded, store

__all__ = ["coupled_kernel"]

#: Taken when this module is imported.
SOURCES = kernel_key(__name__)

ROW, TWO_ROWS, THREE_ROWS = U64(LANES), U64(2 * LANES), U64(3 * LANES)
OWN, COUPLED = (
    U64(1 << 62),
    U64(3 << 30),
)  # added to the lane and to the length: streams that neither architecture alone reads
F64, ZERO = np.float64, F32(0)


@njit(forceinline=True, fastmath={"contract"})
def add_multiple(factor, x, at, y, to):  # type: ignore[no-untyped-def]
    """y += factor x, a row of lanes."""
    for i in range(LANES):
        y[to + U64(i)] += factor * x[at + U64(i)]


@njit(forceinline=True, fastmath={"contract"})
def add_product(count, factors, at, x, start, y, to):  # type: ignore[no-untyped-def]
    """y += the sum of `count` rows of x with the factors from `at` on; two rows a pass."""
    for k in range(0, count - 1, 2):
        f, h, row = F32(factors[at + k]), F32(factors[at + k + 1]), start + U64(k * LANES)
        for i in range(LANES):
            y[to + U64(i)] += f * x[row + U64(i)] + h * x[row + ROW + U64(i)]
    if count % 2:
        add_multiple(F32(factors[at + count - 1]), x, start + U64((count - 1) * LANES), y, to)


@njit(forceinline=True, fastmath={"contract"})
def draw_task(d, width, A, B, task_sd, noise_sd, x, task, label, row):  # type: ignore[no-untyped-def]
    """From the normals w, xi and that of the label's noise: A'w (d rows of `task`) and the query's
    label w'B xi + noise.
    """
    task[:] = ZERO
    noise, nu = F32(noise_sd), U64(2 * d * LANES)
    for i in range(LANES):
        label[i] = noise * x[nu + U64(i)]
    for k in range(d):
        w = U64(k * LANES)
        row[:] = ZERO
        for j in range(d):
            if A[k * width + j] != 0:
                add_multiple(F32(task_sd * A[k * width + j]), x, w, task, U64(j * LANES))
            if B[k * width + j] != 0:
                add_multiple(F32(task_sd * B[k * width + j]), x, U64((d + j) * LANES), row, U64(0))
        for i in range(LANES):
            label[i] += x[w + U64(i)] * row[i]


@njit(forceinline=True, fastmath={"contract"})
def set_columns(n, width, P, b, noise_sd, task, x, score, columns, at):  # type: ignore[no-untyped-def]
    """M'a and M'b of one architecture: two columns of n rows."""
    d = n - 1
    score[:] = ZERO
    add_product(d, P, d * width, x, U64(d * LANES), score, U64(0))
    value, noise = F32(b[d]), F32(noise_sd)
    for j in range(d):
        a, v, t = at + U64(j * LANES), at + U64((n + j) * LANES), U64(j * LANES)
        base = F32(b[j])
        for i in range(LANES):
            w = task[t + U64(i)]
            columns[a + U64(i)] = w * score[i]
            columns[v + U64(i)] = base + w * value
        add_product(d, P, j * width, x, U64(d * LANES), columns, a)
    a, v = at + U64(d * LANES), at + U64((n + d) * LANES)
    for i in range(LANES):
        columns[a + U64(i)] = noise * score[i]
        columns[v + U64(i)] = noise * value


@njit(forceinline=True, fastmath={"contract"})
def label_row(d, noise_sd, task, y):  # type: ignore[no-untyped-def]
    """Replace the last coordinate of the four sums of normals by the label's, (A'w)·x + noise."""
    last, noise = U64(4 * d * LANES), F32(noise_sd)
    for i in range(4 * LANES):
        y[last + U64(i)] *= noise
    for j in range(d):
        t, x = U64(j * LANES), U64(4 * j * LANES)
        for i in range(LANES):
            w, k, to = task[t + U64(i)], x + U64(i), last + U64(i)
            y[to] += w * y[k]
            y[to + ROW] += w * y[k + ROW]
            y[to + TWO_ROWS] += w * y[k + TWO_ROWS]
            y[to + THREE_ROWS] += w * y[k + THREE_ROWS]


@njit(forceinline=True, fastmath={"contract", "reassoc", "nsz"})
def add_gradient(n, width, x, y, d_values, d_P):  # type: ignore[no-untyped-def]
    """Add the sums over the lanes of the first and third of the four vectors, and of the others
    times the query's normals.
    """
    d = n - 1
    for j in range(n):
        at = U64(4 * j * LANES)
        s, t = ZERO, ZERO
        for i in range(LANES):
            s += y[at + U64(i)]
            t += y[at + TWO_ROWS + U64(i)]
        d_values[0, j] += F64(s)
        d_values[1, j] += F64(t)
        for k in range(d):
            s, t, xi = ZERO, ZERO, U64((d + k) * LANES)
            for i in range(LANES):
                z = x[xi + U64(i)]
                s += y[at + ROW + U64(i)] * z
                t += y[at + THREE_ROWS + U64(i)] * z
            d_P[0, j * width + k] += F64(s)
            d_P[1, j * width + k] += F64(t)


@njit(forceinline=True)
def add_squares(delta, square):  # type: ignore[no-untyped-def]
    """Add the squares of both errors and of their difference."""
    for i in range(LANES):
        x, y = F64(delta[i]), F64(delta[LANES + i])
        square[0] += x * x
        square[1] += y * y
        square[2] += (x - y) * (x - y)


@njit(forceinline=True)
def step_of(theta, eta, slope, after):  # type: ignore[no-untyped-def]
    """after = theta - eta slope of both architectures; whether all of it is finite."""
    zero = 0.0  # x - x is 0 for a finite x and nan for any other
    for c in range(2):
        for i in range(theta.shape[1]):
            x = theta[c, i] - eta * slope[c, i]
            after[c, i] = x
            zero += x - x
    return zero == 0.0


def coupled_kernel() -> Callable[..., int]:
    """The compiled kernel, with the arguments of `numerics.training.kernels.loop.sgd_kernel` and
    theta of shape (2, 1 + 3n, n). A third row of losses, if there is one, gets the mean of (T_soft
    − T_lin)².
    """
    return lambda theta, L, *others: _kernel(bool(L <= SHORT))(theta, L, *others)


@once
def _kernel(short: bool) -> Callable[..., int]:
    """The kernel for prompts up to SHORT tokens, or for longer ones: each compiles its own half."""
    sources = (
        SOURCES  # a closure variable, and so a part of the key under which Numba caches the compiled code
    )

    @njit(nogil=True, cache=True, error_model="numpy")
    def kernel(  # type: ignore[no-untyped-def]
        theta, L, first, steps, lr, A, B, task_sd, noise_sd, scale, factor, batch, key0, key1, losses, total
    ):
        _ = sources
        n = theta.shape[2]
        d, width = n - 1, padded(n)
        a, b, at, bt = np.zeros(d * width), np.zeros(d * width), np.zeros(d * width), np.zeros(d * width)
        load(A, width, a)
        load(B, width, b)
        load(A.T, width, at)
        load(B.T, width, bt)
        size = (1 + 3 * n) * width
        now, slope, after = np.zeros((2, size)), np.zeros((2, size)), np.zeros((2, size))
        for c in range(2):
            load(theta[c], width, now[c])
        values, P, d_values, d_P = (
            np.zeros((2, width)),
            np.zeros((2, n * width)),
            np.zeros((2, width)),
            np.zeros((2, n * width)),
        )
        U, scratch, square = np.zeros(n * width), np.zeros(n * width), np.zeros(3)
        state, words = np.zeros(4 * LANES, np.uint32), np.zeros(2 * LANES, np.uint32)
        x, task, label = (
            np.zeros(2 * n * LANES, np.float32),
            np.zeros(d * LANES, np.float32),
            np.zeros(LANES, np.float32),
        )
        columns, R = np.zeros(COLUMNS * n * LANES, np.float32), np.zeros(TRIANGLE * LANES, np.float32)
        heads, factors = np.zeros(COLUMNS * LANES, np.float32), np.zeros(COLUMNS * LANES, np.float32)
        tile, reference = np.zeros(2 * TILE * LANES, np.float32), np.zeros(LANES, np.float32)
        sums, long_sums = np.zeros(SUMS * LANES, np.float32), np.zeros(SUMS * LANES)
        T, y = np.zeros(BASIS * max(n - 2, 2) * LANES, np.float32), np.zeros(4 * n * LANES, np.float32)
        basis, v, delta = (
            np.zeros(8 * LANES, np.float32),
            np.zeros(WEIGHTS * LANES, np.float32),
            np.zeros(2 * LANES, np.float32),
        )
        live, work = np.zeros(LANES, np.float32), np.zeros(4 * LANES, np.float32)
        row = work[:LANES]
        g = np.zeros((n * L + 1 if short else 0) * LANES, np.float32)
        tokens = np.zeros(4 * (L if short else 0) * LANES, np.float32)
        for step in range(first, first + steps):
            for c in range(2):
                forward(n, width, now[c], a, b, scale, values[c], U, P[c], scratch)
            d_values[:], d_P[:], square[:] = 0.0, 0.0, 0.0
            for start in range(0, batch, LANES):
                for i in range(LANES):
                    live[i] = F32(i < batch - start)
                start_lanes(U64(step), OWN + U64(start), U64(L) + COUPLED, key0, key1, state)
                normal_rows(2 * n, state, x)
                draw_task(d, width, a, b, task_sd, noise_sd, x, task, label, row)
                for c in range(2):
                    set_columns(
                        n, width, P[c], values[c], noise_sd, task, x, row, columns, U64(2 * c * n * LANES)
                    )
                if short:
                    normal_rows(n * L, state, g)
                    scores_and_values(n, L, columns, g, tokens)
                    token_weights(L, label, live, tokens, work, delta)
                    token_products(n, L, g, tokens, y)
                else:
                    reduce_columns(n, columns, heads, factors, row)
                    triangle(n, columns, R)
                    token_sums(L, state, tile, R, reference, row, sums, long_sums)
                    basis_coordinates(sums, R, basis, v)
                    draw_columns(n, L, state, words, tile, T)
                    weights(L, R, basis, T, label, live, v, delta)
                    weighted_sums(n, basis, T, v, y)
                    rotate_back(n, columns, heads, factors, y, work)
                add_squares(delta, square)
                label_row(d, noise_sd, task, y)
                add_gradient(n, width, x, y, d_values, d_P)
            for c in range(2):
                for i in range(width):
                    d_values[c, i] /= batch
                for i in range(n * width):
                    d_P[c, i] /= batch
                gradient(n, width, now[c], at, bt, scale, d_values[c], d_P[c], U, scratch, slope[c])
            if not (math.isfinite(square[0] + square[1]) and step_of(now, lr * factor, slope, after)):
                return step
            if losses.shape[0] > 2:
                losses[2, step - first] = square[2] / batch
            for c in range(2):
                losses[c, step - first] = 0.5 / batch * square[c]
                if lr != 0:
                    for i in range(size):
                        now[c, i] = after[c, i]
                    store(now[c], width, theta[c])
                elif total.size > 0:
                    for i in range(1 + 3 * n):
                        for j in range(n):
                            total[c, i, j] += slope[c, i * width + j]
        return -1

    compiled: Any = announced(kernel, TRAINING)
    return compiled
