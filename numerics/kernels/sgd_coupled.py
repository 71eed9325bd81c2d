"""SGD of softmax and of linear attention side by side on the same prompts, 128 prompts at once, the whole run in one call.

Both architectures read a prompt through the same matrix of at most six rows (see `numerics.kernels.sgd_coupled_prompt`), whose law,
jointly over both, is that of prompts drawn token by token.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit

from numerics.kernels.fingerprint import fingerprint
from numerics.kernels.once import once
from numerics.kernels.sgd_chi import chi_rows
from numerics.kernels.sgd_coupled_frame import COLUMNS, reduce_columns, rotate_back
from numerics.kernels.sgd_coupled_prompt import (
    BASIS,
    SUMS,
    TILE,
    add_tokens,
    basis_coordinates,
    finish_sums,
    raise_reference,
    start_sums,
)
from numerics.kernels.sgd_matrices import forward, gradient, load, padded, store
from numerics.streams import F32, LANES, U64, normal_rows, start_lanes

__all__ = ["coupled_kernel"]

ROW = U64(LANES)
OWN, COUPLED = U64(1 << 62), U64(3 << 30)  # added to the lane and to the length: streams that neither architecture alone reads
F64, ZERO = np.float64, F32(0)


@njit(fastmath={"contract"}, error_model="numpy")
def add_multiple(factor, x, at, y, to):  # type: ignore[no-untyped-def]
    """y += factor x, a row of lanes."""
    for i in range(LANES):
        y[to + U64(i)] += factor * x[at + U64(i)]


@njit(fastmath={"contract"}, error_model="numpy")
def add_product(x, at, y, start, z, to):  # type: ignore[no-untyped-def]
    """z += x y, a row of lanes."""
    for i in range(LANES):
        z[to + U64(i)] += x[at + U64(i)] * y[start + U64(i)]


@njit(fastmath={"contract", "reassoc", "nsz"})
def inner(x, at, y, to):  # type: ignore[no-untyped-def]
    """Sum of x y over the lanes."""
    total = ZERO
    for i in range(LANES):
        total += x[at + U64(i)] * y[to + U64(i)]
    return F64(total)


@njit(fastmath={"contract"}, error_model="numpy")
def set_columns(n, width, P, b, noise_sd, task, query, score, columns, at):  # type: ignore[no-untyped-def]
    """M'a and M'b of one architecture: two columns of n rows."""
    d = n - 1
    score[:] = ZERO
    for k in range(d):
        add_multiple(F32(P[d * width + k]), query, U64(k) * ROW, score, U64(0))
    value = F32(b[d])
    for j in range(d):
        a, v = at + U64(j) * ROW, at + U64((n + j) * LANES)
        base = F32(b[j])
        for i in range(LANES):
            w = task[U64(j) * ROW + U64(i)]
            columns[a + U64(i)] = w * score[i]
            columns[v + U64(i)] = base + w * value
        for k in range(d):
            add_multiple(F32(P[j * width + k]), query, U64(k) * ROW, columns, a)
    a, v, noise = at + U64(d * LANES), at + U64((n + d) * LANES), F32(noise_sd)
    for i in range(LANES):
        columns[a + U64(i)] = noise * score[i]
        columns[v + U64(i)] = noise * value


@njit(fastmath={"contract"}, error_model="numpy")
def softmax_side(n, ranks, T, basis, p, q, y):  # type: ignore[no-untyped-def]
    """Sums of p and of p (t − T) over the tokens, in the frame: y[0 : n] and y[n : 2n]."""
    for i in range(LANES):
        y[i], y[LANES + i] = p[3 * LANES + i], p[4 * LANES + i]
        y[n * LANES + i], y[(n + 1) * LANES + i] = q[4 * LANES + i], q[5 * LANES + i]
    for j in range(2, n):
        at, to = U64((j - 2) * BASIS * LANES), U64(j * LANES)
        for s in range(2):
            v, coordinates = (q, 4) if s else (p, 3)
            row = to + U64(s * n * LANES)
            for i in range(LANES):
                y[row + U64(i)] = v[i] * T[at + U64(i)]
            for k in range(1, min(coordinates, ranks)):
                add_product(v, U64(k * LANES), T, at + U64(k * LANES), y, row)


@njit(fastmath={"contract"}, error_model="numpy")
def linear_side(n, ranks, L, T, basis, columns, s, y):  # type: ignore[no-untyped-def]
    """The same for scores / L and values / L as weights: y[2n : 3n] and y[3n : 4n]; s is a scratch of BASIS rows."""
    share = F32(1 / L)
    for side in range(2):
        column = (2 + side) * n
        s[:] = ZERO
        for j in range(min(3 + side, n)):
            c = U64((column + j) * LANES)
            if j == 0:
                add_product(basis, U64(0), columns, c, s, U64(0))
            elif j == 1:
                add_product(basis, ROW, columns, c, s, U64(0))
                add_product(basis, ROW + ROW, columns, c, s, ROW)
            else:
                for k in range(min(3 + j, ranks)):
                    add_product(T, U64(((j - 2) * BASIS + k) * LANES), columns, c, s, U64(k * LANES))
        for i in range(s.size):
            s[i] *= share
        if ranks < 2:
            s[LANES:] = ZERO
        to = U64(column * LANES)
        for i in range(LANES):
            y[to + U64(i)] = basis[i] * s[i]
            y[to + ROW + U64(i)] = basis[LANES + i] * s[i] + basis[2 * LANES + i] * s[LANES + i]
        for j in range(2, n):
            at, row = U64((j - 2) * BASIS * LANES), to + U64(j * LANES)
            for i in range(LANES):
                y[row + U64(i)] = s[i] * T[at + U64(i)]
            for k in range(1, min(5 if j == 2 else BASIS, ranks)):
                add_product(s, U64(k * LANES), T, at + U64(k * LANES), y, row)


@njit(fastmath={"contract"}, error_model="numpy")
def errors(n, live, columns, p, label, y, delta):  # type: ignore[no-untyped-def]
    """T − y_q of both architectures (two rows of delta), zero in lanes that hold no prompt; the sums y times these."""
    for i in range(LANES):
        delta[i] = p[5 * LANES + i] - label[i]
        delta[LANES + i] = -label[i]
    for j in range(min(4, n)):
        add_product(columns, U64((3 * n + j) * LANES), y, U64((2 * n + j) * LANES), delta, ROW)
    for i in range(live, LANES):
        delta[i], delta[LANES + i] = ZERO, ZERO
    for row in range(4 * n):
        at, error = U64(row * LANES), ROW if row >= 2 * n else U64(0)
        for i in range(LANES):
            y[at + U64(i)] *= delta[error + U64(i)]


@njit(fastmath={"contract"}, error_model="numpy")
def label_row(n, noise_sd, task, y, at):  # type: ignore[no-untyped-def]
    """Replace the last coordinate of a sum of normals by the label's, (A'w)·x + noise."""
    d = n - 1
    last, noise = at + U64(d * LANES), F32(noise_sd)
    for i in range(LANES):
        y[last + U64(i)] *= noise
    for j in range(d):
        add_product(task, U64(j) * ROW, y, at + U64(j * LANES), y, last)


@once
def coupled_kernel() -> Callable[..., int]:
    """The compiled kernel, with the arguments of `numerics.kernels.sgd.sgd_kernel` and theta of shape (2, 1 + 3n, n)."""
    sources = fingerprint()  # a closure variable, and so a part of the key under which Numba caches the compiled code

    @njit(nogil=True, cache=True, error_model="numpy")
    def kernel(theta, L, first, steps, lr, A, B, task_sd, noise_sd, scale, factor, batch, key0, key1, losses, gradients):  # type: ignore[no-untyped-def]
        _ = sources
        n = theta.shape[2]
        d, width, ranks = n - 1, padded(n), min(L, BASIS)
        a, b, at, bt = np.zeros(n * width), np.zeros(n * width), np.zeros(n * width), np.zeros(n * width)
        load(A, width, a), load(B, width, b), load(A.T, width, at), load(B.T, width, bt)
        size = (1 + 3 * n) * width
        now, slope, after = np.zeros((2, size)), np.zeros((2, size)), np.zeros((2, size))
        values, U, P, scratch = np.zeros((2, width)), np.zeros(n * width), np.zeros((2, n * width)), np.zeros(n * width)
        d_values, d_P = np.zeros((2, width)), np.zeros((2, n * width))
        state, words = np.empty(4 * LANES, np.uint32), np.empty(2 * LANES, np.uint32)
        draws, free = 2 * d + 2, BASIS * max(n - 2, 0)
        x, T, tile = (
            np.empty(draws * LANES, np.float32),
            np.empty(max(free, 1) * LANES, np.float32),
            np.empty(2 * TILE * LANES, np.float32),
        )
        task, label, query = np.empty(d * LANES, np.float32), np.empty(LANES, np.float32), np.empty(d * LANES, np.float32)
        columns, y = np.empty(COLUMNS * n * LANES, np.float32), np.empty(4 * n * LANES, np.float32)
        heads, factors, dot = np.empty(4 * LANES, np.float32), np.empty(4 * LANES, np.float32), np.empty(LANES, np.float32)
        lane, reference, top = np.empty(3 * LANES, np.float32), np.empty(LANES, np.float32), np.empty(LANES, np.float32)
        part, total = np.empty(SUMS * LANES, np.float32), np.empty(SUMS * LANES)
        basis, p, q, s = (
            np.empty(3 * LANES, np.float32),
            np.empty(6 * LANES, np.float32),
            np.empty(6 * LANES, np.float32),
            np.empty(BASIS * LANES, np.float32),
        )
        delta, chi, square = np.empty(2 * LANES, np.float32), np.zeros(2 * LANES, np.float32), np.zeros(2)
        for c in range(2):
            load(theta[c], width, now[c])
        for step in range(first, first + steps):
            for c in range(2):
                forward(n, width, now[c], a, b, scale, values[c], U, P[c], scratch)
            d_values[:], d_P[:], square[:] = 0.0, 0.0, 0.0
            for block in range(0, batch, LANES):
                start_lanes(U64(step), OWN + U64(block), U64(L) + COUPLED, key0, key1, state)
                normal_rows(draws, state, x)
                # w, xi, nu
                task[:], label[:] = ZERO, ZERO
                noise = F32(noise_sd)
                for i in range(LANES):
                    label[i] = noise * x[2 * d * LANES + i]
                for i in range(d * LANES):
                    query[i] = x[d * LANES + i]
                for k in range(d):
                    w = U64(k) * ROW
                    dot[:] = ZERO
                    for j in range(d):
                        if a[k * width + j] != 0:
                            add_multiple(F32(task_sd * a[k * width + j]), x, w, task, U64(j) * ROW)
                        if b[k * width + j] != 0:
                            add_multiple(F32(task_sd * b[k * width + j]), query, U64(j) * ROW, dot, U64(0))
                    add_product(x, w, dot, U64(0), label, U64(0))
                for c in range(2):
                    set_columns(n, width, P[c], values[c], noise_sd, task, query, dot, columns, U64(2 * c * n * LANES))
                reduce_columns(n, columns, heads, factors, dot)
                for i in range(LANES):
                    lane[i], lane[LANES + i], lane[2 * LANES + i] = columns[i], columns[n * LANES + i], columns[(n + 1) * LANES + i]
                start_sums(reference, part, total)
                for start in range(0, L, TILE):
                    tokens = min(TILE, L - start)
                    normal_rows(2 * tokens, state, tile)
                    raise_reference(tokens, tile, lane, reference, top, part, total)
                    add_tokens(tokens, tile, lane, reference, part)
                    finish_sums(start, L, part, total)
                basis_coordinates(part, lane, basis, p, q)
                if free > 0:
                    normal_rows(free, state, T)
                    chi_rows(L - 4, state, tile, words, chi)
                    for i in range(LANES):
                        T[4 * LANES + i] = chi[i]
                    if n > 3:
                        for i in range(LANES):
                            T[11 * LANES + i] = chi[LANES + i]
                softmax_side(n, ranks, T, basis, p, q, y)
                linear_side(n, ranks, L, T, basis, columns, s, y)
                errors(n, batch - block, columns, p, label, y, delta)
                for c in range(2):
                    for i in range(LANES):
                        square[c] += F64(delta[c * LANES + i]) * F64(delta[c * LANES + i])
                for part_of in range(4):
                    to = U64(part_of * n * LANES)
                    rotate_back(n, columns, heads, factors, y, to, dot)
                    label_row(n, noise_sd, task, y, to)
                dot[:] = F32(1)
                for c in range(2):
                    for j in range(n):
                        m, g = U64((2 * c * n + j) * LANES), U64(((2 * c + 1) * n + j) * LANES)
                        d_values[c, j] += inner(y, m, dot, U64(0))
                        for k in range(d):
                            d_P[c, j * width + k] += inner(y, g, query, U64(k) * ROW)
            if not (math.isfinite(square[0]) and math.isfinite(square[1])):
                return step
            for c in range(2):
                d_values[c] /= batch
                d_P[c] /= batch
                gradient(n, width, now[c], at, bt, scale, d_values[c], d_P[c], U, scratch, slope[c])
            finite = True
            for c in range(2):
                for i in range(size):
                    after[c, i] = now[c, i] - lr * factor * slope[c, i]
                    finite &= math.isfinite(after[c, i])
            if not finite:
                return step
            losses[0, step - first], losses[1, step - first] = square[0] / (2 * batch), square[1] / (2 * batch)
            for c in range(2):
                if lr != 0:
                    now[c, :] = after[c]
                    store(now[c], width, theta[c])
                elif gradients.size > 0:
                    for i in range(1 + 3 * n):
                        for j in range(n):
                            gradients[c, i, j] += slope[c, i * width + j]
        return -1

    compiled: Any = kernel
    return compiled
