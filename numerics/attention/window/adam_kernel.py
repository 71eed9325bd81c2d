"""Adam on M = W'W for one layer of attention on fresh tasks, in one compiled loop: the training of
Appendix J of Collins et al., with tied M_K = M_Q = W. A step draws one task, n labelled tokens and
some queries, and takes the gradient of the mean squared error. Eight tokens are done side by side.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit

from numerics.compiled.announce import TRAINING, announced
from numerics.compiled.build_once import once
from numerics.compiled.simd import WIDTH, exp8, larger, least, load, rounded_product, splat, store, total
from numerics.compiled.source_digest import kernel_key
from numerics.compiled.streams import LANES, U64, normal_rows, start_lanes, word_rows

__all__ = ["SOURCES", "TASKS", "adam_kernel", "loss_kernel"]

SOURCES = kernel_key(__name__)
#: Classes of tasks, by what f is of t = u'x; the last one is of the angle of x on the circle.
TASKS = ("affine", "relu", "cosine", "plane", "square", "linear", "phase")
#: Rows of LANES normals that are drawn at once.
ROWS = 32
OWN, UNIFORM = U64(3 << 60), U64(5 << 60)  # streams that no other kernel reads
FIRST, SECOND, TINY = 0.9, 0.999, 1e-8  # Adam's constants, as PyTorch has them


@njit(forceinline=True, error_model="numpy")
def value(task, t, L, drawn, first, second):  # type: ignore[no-untyped-def]
    """f at a point with u'x = t and the given first two coordinates; what is drawn, uniform on
    [-1, 1], is l/L, l_2/L and b/L, or b/pi for a phase.
    """
    if task == 0:
        return L * (drawn[0] * t + drawn[2])
    if task == 1:
        return L * ((drawn[0] * t if t > 0 else -drawn[1] * t) + drawn[2])
    if task == 2:
        return math.cos(L * t)
    if task == 3:
        return L * t + 2.0
    if task == 4:
        return (L * t) ** 2
    return L * t if task == 5 else math.cos(L * math.atan2(second, first) - math.pi * drawn[2])


@njit(error_model="numpy")
def place(root, u, normals, normalised, tokens, queries, sizes, x, along):  # type: ignore[no-untyped-def]
    """Make covariates of normal numbers: ``root`` times them over their norm, or, where normalised,
    over its own; and their products with u. Columns of zeros stay so.
    """
    d, width = x.shape
    for i in range(0, width, WIDTH):
        size = splat(0.0)
        for a in range(d):
            s = splat(0.0)
            for b in range(d):
                s += rounded_product(load(normals, b * width + i), root[a, b])
            store(x, a * width + i, s)
            if not normalised:
                s = load(normals, a * width + i)
            size += rounded_product(s, s)
        store(sizes, i, size)
    n = (tokens + WIDTH - 1) // WIDTH * WIDTH
    for i in range(tokens):
        sizes[i] = 1.0 / math.sqrt(sizes[i])
    for i in range(n, n + queries):
        sizes[i] = 1.0 / math.sqrt(sizes[i])
    for i in range(0, width, WIDTH):
        size, s = load(sizes, i), splat(0.0)
        for a in range(d):
            w = load(x, a * width + i) * size
            store(x, a * width + i, w)
            s += rounded_product(w, u[a])
        store(along, i, s)


@njit(forceinline=True, error_model="numpy")
def add_query(M, x, y, at, label, scale, softmax, z, S, G):  # type: ignore[no-untyped-def]
    """Add what one query gives to the gradient in M, and return its squared error.

    Row a of x holds coordinate a of the tokens, then that of the queries, of which this is number
    `at`; y holds the labels, zero beyond the last token, and S is room for the scores.
    """
    d, width = x.shape
    n = len(y)
    for a in range(d):
        z[a] = 0.0
        for b in range(d):
            z[a] += M[a, b] * x[b, at]
    top = splat(-1e300)
    for i in range(0, n, WIDTH):
        s = load(S, n + i)  # 0 for a token, and -oo, so to speak, beyond the last
        for a in range(d):
            s += z[a] * load(x, a * width + i)
        store(S, i, s)
        top = larger(top, s)
    if softmax:
        largest = -least(splat(0.0) - top)
        mass, mean = splat(0.0), splat(0.0)
        for i in range(0, n, WIDTH):
            e = exp8(load(S, i) - largest)
            store(S, i, e)
            mass += e
            mean += e * load(y, i)
        inverse = 1.0 / total(mass)
        out = total(mean) * inverse
    else:
        inverse, mean = 1.0, splat(0.0)
        for i in range(0, n, WIDTH):
            mean += larger(load(S, i), -1e200) * load(y, i)
        out = total(mean)
    error = out - label
    factor = 2.0 * scale * error * inverse
    for i in range(0, n, WIDTH):
        slope = load(S, i) * (load(y, i) - out) if softmax else load(y, i)
        store(S, i, slope * factor)
    for a in range(d):
        pulled = splat(0.0)
        for i in range(0, n, WIDTH):
            pulled += load(S, i) * load(x, a * width + i)
        h = total(pulled)
        for b in range(d):
            G[a, b] += h * x[b, at]
    return error * error


@njit(error_model="numpy")
def square_of(W, M):  # type: ignore[no-untyped-def]
    """M = W'W."""
    d = len(W)
    for a in range(d):
        for b in range(d):
            s = 0.0
            for c in range(d):
                s += W[c, a] * W[c, b]
            M[a, b] = s


@once
def loss_kernel() -> Callable[..., float]:
    """The compiled kernel ``(M, x, y, labels, softmax, G)``: the mean squared error over the
    queries and, in G, its gradient in M. Rows of x hold tokens up to a multiple of eight, then
    queries.
    """
    sources = SOURCES

    @njit(nogil=True, cache=True, error_model="numpy")
    def kernel(M, x, y, tokens, labels, softmax, G):  # type: ignore[no-untyped-def]
        _ = sources
        n = len(y)
        S, z, loss = np.zeros(2 * n), np.zeros(len(M)), 0.0
        S[n + tokens :] = -1e300
        G[:] = 0.0
        for q in range(len(labels)):
            loss += add_query(M, x, y, n + q, labels[q], 1.0 / len(labels), softmax, z, S, G)
        return loss / len(labels)

    compiled: Any = announced(kernel, TRAINING)
    return compiled


@once
def adam_kernel() -> Callable[..., int]:
    """The compiled loop. W is trained in place for so many steps; ``losses[t]`` is the loss of step
    t, and ``kept[i]`` is M before step ``i every``. What comes back is the number of steps that
    were done: fewer where a loss is not finite. It releases the GIL.

    Covariates are ``root`` times a vector uniform on the sphere, or that over its norm where
    ``normalised``; ``redrawn`` fills it with normal numbers for each task. The direction of a task
    is ``directions`` times a vector uniform on the sphere.
    """
    sources = SOURCES

    @njit(nogil=True, cache=True, error_model="numpy")
    def kernel(  # type: ignore[no-untyped-def]
        W,
        task,
        tokens,
        queries,
        L,
        sigma,
        steps,
        lr,
        decay,
        softmax,
        root,
        redrawn,
        directions,
        normalised,
        key0,
        key1,
        losses,
        every,
        kept,
    ):
        _ = sources
        d, k = directions.shape
        n = (tokens + WIDTH - 1) // WIDTH * WIDTH
        width = n + (queries + WIDTH - 1) // WIDTH * WIDTH
        x, y, labels, S = np.zeros((d, width)), np.zeros(n), np.zeros(queries), np.zeros(2 * n)
        S[n + tokens :] = -1e300
        M, G, g, first, second = (
            np.zeros((d, d)),
            np.zeros((d, d)),
            np.zeros((d, d)),
            np.zeros((d, d)),
            np.zeros((d, d)),
        )
        normals, sizes, along = np.zeros((d + 1, width)), np.zeros(width), np.zeros(width)
        z, u, slopes = np.zeros(d), np.zeros(d), np.zeros(3)
        state, state_u = np.zeros(4 * LANES, np.uint32), np.zeros(4 * LANES, np.uint32)
        pool, words = np.zeros(ROWS * LANES, np.float32), np.zeros(LANES, np.uint32)
        start_lanes(OWN, U64(0), U64(0), key0, key1, state)
        start_lanes(UNIFORM, U64(0), U64(0), key0, key1, state_u)
        used, drawn, beta_1, beta_2, rate = ROWS * LANES, LANES, 1.0, 1.0, lr
        for t in range(steps):
            square_of(W, M)
            if t % every == 0 and t // every < len(kept):
                for a in range(d):
                    for b in range(d):
                        kept[t // every, a, b] = M[a, b]
            if drawn + 3 > LANES:
                word_rows(1, state_u, words)
                drawn = 0
            for j in range(3):
                slopes[j] = np.float64(words[drawn]) * 2.0**-31 - 1.0
                drawn += 1
            for a in range(d):
                u[a] = 0.0
            if used + k > ROWS * LANES:
                normal_rows(ROWS, state, pool)
                used = 0
            size = 0.0
            for j in range(k):
                size += pool[used + j] * pool[used + j]
            size = 1.0 / math.sqrt(size)
            for a in range(d):
                for j in range(k):
                    u[a] += directions[a, j] * pool[used + j] * size
            used += k
            if redrawn:
                for a in range(d):
                    if used + d > ROWS * LANES:
                        normal_rows(ROWS, state, pool)
                        used = 0
                    for b in range(d):
                        root[a, b] = pool[used + b]
                    used += d
            for i in range(tokens + queries):
                if used + d + 1 > ROWS * LANES:
                    normal_rows(ROWS, state, pool)
                    used = 0
                at = i if i < tokens else n + i - tokens
                for a in range(d + 1):
                    normals[a, at] = pool[used + a]
                used += d + 1
            place(root, u, normals, normalised, tokens, queries, sizes, x, along)
            for i in range(tokens):
                y[i] = value(task, along[i], L, slopes, x[0, i], x[1, i]) + sigma * normals[d, i]
            for i in range(queries):
                labels[i] = value(task, along[n + i], L, slopes, x[0, n + i], x[1, n + i])
            loss = 0.0
            for a in range(d):
                for b in range(d):
                    G[a, b] = 0.0
            for q in range(queries):
                loss += add_query(M, x, y, n + q, labels[q], 1.0 / queries, softmax, z, S, G)
            losses[t] = loss / queries
            if not math.isfinite(loss):
                return t
            beta_1 *= FIRST
            beta_2 *= SECOND
            for a in range(d):
                for b in range(d):
                    s = 0.0
                    for c in range(d):
                        s += W[a, c] * (G[c, b] + G[b, c])
                    g[a, b] = s
            step = rate / (1.0 - beta_1)
            for a in range(d):
                for b in range(d):
                    s = g[a, b]
                    first[a, b] += (1.0 - FIRST) * (s - first[a, b])
                    second[a, b] += (1.0 - SECOND) * (s * s - second[a, b])
                    W[a, b] -= step * first[a, b] / (math.sqrt(second[a, b] / (1.0 - beta_2)) + TINY)
            rate *= decay
        return steps

    compiled: Any = announced(kernel, TRAINING)
    return compiled
