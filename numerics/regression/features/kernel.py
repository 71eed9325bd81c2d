"""The loss and the matrix H of a problem with finitely many features in compiled code, and gradient
descent on them in one call.

Eight softmaxes are done side by side: those of eight queries in one prompt or, where prompts are
many, those of one query in eight prompts. Numbers of which each of the eight has its own are an
octet; G groups of queries times T groups of prompts make all softmaxes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit

from numerics.compiled.announce import TRAINING, announced
from numerics.compiled.build_once import once
from numerics.compiled.inner import inner
from numerics.compiled.octets import WIDTH, exp8, larger, least, load, smaller, splat, store, total
from numerics.compiled.source_digest import kernel_key
from numerics.quadrature.moments_kernel import exp64

__all__ = ["SOURCES", "descent_kernel", "loss_kernel"]

SOURCES = kernel_key(__name__)
#: Difference of scores from which on each softmax gets exponentials of its own, lest all its
#: weights vanish where the class with the largest score has few tokens or none.
FAR = -300.0
#: Row k is 1 at k.
UNITS = np.eye(WIDTH)


@inner(_nrt=False, error_model="numpy")
def add_product(A, B, C, K, stride, at):  # type: ignore[no-untyped-def]
    """Add A B to C for the eight columns from number `at` on, where rows of B and C have `stride`
    numbers; below row K all three hold zeros up to a multiple of four.
    """
    for i in range(0, K, 4):
        row = i * stride + at
        a, b, c, d = load(C, row), load(C, row + stride), load(C, row + 2 * stride), load(C, row + 3 * stride)
        for r in range(K):
            x = load(B, r * stride + at)
            a += A[i, r] * x
            b += A[i + 1, r] * x
            c += A[i + 2, r] * x
            d += A[i + 3, r] * x
        store(C, row, a)
        store(C, row + stride, b)
        store(C, row + 2 * stride, c)
        store(C, row + 3 * stride, d)


@inner(forceinline=True, _nrt=False, error_model="numpy")
def exponentials(S, same, half, e, own):  # type: ignore[no-untyped-def]
    """Fill e and own with exp of the scores less the largest of each query; return the least of
    these differences, and NaN if a score is not finite, otherwise 0.
    """
    (groups, K, _), n, lowest, faults = same.shape, len(S), splat(0.0), splat(0.0)
    for b in range(0, n, WIDTH):
        top = load(S, b)
        for m in range(1, K):
            top = larger(top, load(S, m * n + b))
        for m in range(K):
            x = load(S, m * n + b) - top
            lowest = smaller(lowest, x)
            faults += 0.0 * x
            store(half, m * n + b, exp8(x))
    for g in range(groups):
        mine = splat(0.0)
        for m in range(K):
            x = splat(half[m, g]) if groups * WIDTH > n else load(half, m * n + g * WIDTH)
            its = x * load(same, (g * K + m) * WIDTH)
            mine += its
            store(e, (g * K + m) * WIDTH, x - its)
        store(own, g * WIDTH, mine)
    return least(lowest), total(faults)


@inner(_nrt=False, error_model="numpy")
def own_exponentials(S, queries, shares, g, t, e, own):  # type: ignore[no-untyped-def]
    """Do the same for eight softmaxes, each of which gets 1 as the largest of its weights."""
    K = e.shape[1]
    for l in range(WIDTH):
        k, top = queries[g, l], -math.inf
        for m in range(K):
            if shares[t, m, l] > 0:
                top = max(top, S[m, k] + math.log(shares[t, m, l]))
        for m in range(K):
            e[g, m, l] = exp64(min(S[m, k] - top, 700.0))  # a class without tokens may be far above
        own[g, l], e[g, k, l] = e[g, k, l], 0.0


@inner(forceinline=True, _nrt=False, error_model="numpy")
def add_softmaxes(g, t, given, e, own, w, gap, H):  # type: ignore[no-untyped-def]
    """Add what eight softmaxes give to H, and return their squared errors; w and gap are room.

    The attention on other classes, w and together rest, is a sum of its own, since 1 less that on
    the query's class loses digits where this is near 1. For each class m the gap is
    ``E (f(v_k) - yhat) (f(v_k) - f(v_m))``.
    """
    (T, K, _), alike = given.shares.shape, given.spread >= 0
    rest, squares = splat(0.0), splat(0.0)
    for m in range(K):
        x = load(given.shares, (t * K + m) * WIDTH) * load(e, (g * K + m) * WIDTH)
        store(w, m * WIDTH, x)
        rest += x
        squares += x * x
    mine = load(given.own_shares, (g * T + t) * WIDTH) * load(own, g * WIDTH)
    scale = 1.0 / (mine + rest)
    if alike:
        rest *= scale
        error = given.spread * (rest * rest + squares * scale * scale)
    else:
        at_query, error = load(given.variances, g * WIDTH) * rest, splat(0.0)
        for m in range(K):
            of_class = load(given.C_queries, (g * K + m) * WIDTH)
            at_query -= of_class * load(w, m * WIDTH)
            store(gap, m * WIDTH, splat(0.0) - rest * of_class)
        add_product(given.C, w, gap, K, WIDTH, 0)
        for m in range(K):
            x = scale * (at_query + load(gap, m * WIDTH))
            store(gap, m * WIDTH, x)
            error += scale * load(w, m * WIDTH) * x
    c = load(given.weights, (g * T + t) * WIDTH)
    lead, slope = error - given.spread * rest, given.spread * scale
    scale *= c
    mine *= scale * error
    for m in range(K):
        at, x = (g * K + m) * WIDTH, load(w, m * WIDTH)
        difference = lead - slope * x if alike else error - load(gap, m * WIDTH)
        store(H, at, load(H, at) + (scale * x * difference + mine * load(given.same, at)))  # short from one octet of H to the next
    return c * error


@inner(forceinline=True, _nrt=False, error_model="numpy")
def clear(A):  # type: ignore[no-untyped-def]
    """Set an array to 0."""
    for i in range(0, A.size, WIDTH):
        store(A, i, splat(0.0))


@inner(forceinline=True, _nrt=False, error_model="numpy")
def loss_and_H(W, given, room):  # type: ignore[no-untyped-def]
    """Write H for the scores S_0 + G W G to the room, and return the loss."""
    (S, half, e, own, H, w, gap), K = room, given.same.shape[1]
    for i in range(0, S.size, WIDTH):
        store(S, i, load(given.S0, i) + load(W, i) if given.plain else load(given.S0, i))
    if not given.plain:
        clear(half)
        for j in range(0, len(W), WIDTH):
            add_product(given.G, W, half, K, len(W), j)
        for j in range(0, len(W), WIDTH):
            add_product(half, given.G, S, K, len(W), j)
    lowest, faults = exponentials(S, given.same, half, e, own)
    clear(H)
    loss = splat(0.0)
    for t in range(given.weights.shape[1]):  # of two additions to an octet of H others lie in between
        for g in range(given.weights.shape[0]):
            if lowest < FAR:
                own_exponentials(S, given.queries, given.shares, g, t, e, own)
            loss += add_softmaxes(g, t, given, e, own, w, gap, H)
    return total(loss) / 2 + faults


@inner(forceinline=True, _nrt=False, error_model="numpy")
def add_H(eta, H, W):  # type: ignore[no-untyped-def]
    """Add eta H to W, which has rows and columns."""
    (groups, K, _), n = H.shape, len(W)
    for m in range(K):
        for at in range(0, n, WIDTH):
            x = load(W, m * n + at)
            if groups * WIDTH > n:  # a group for each query
                for k in range(at, min(at + WIDTH, K)):
                    x += eta * total(load(H, (k * K + m) * WIDTH)) * load(UNITS, (k - at) * WIDTH)
            else:
                x += eta * load(H, at * K + m * WIDTH)
            store(W, m * n + at, x)


@once
def loss_kernel() -> Callable[..., float]:
    """The compiled kernel ``(W, given, room, H)``, which writes H and returns the loss. It releases
    the GIL.
    """
    sources = SOURCES  # a closure variable, and so a part of the key under which Numba caches the compiled code

    @njit(nogil=True, cache=True, error_model="numpy")
    def kernel(W, given, room, H):  # type: ignore[no-untyped-def]
        _ = sources
        loss = loss_and_H(W, given, room)
        H[:] = 0.0
        add_H(1.0, room.H, H)
        return loss

    compiled: Any = announced(kernel, TRAINING)
    return compiled


@once
def descent_kernel() -> Callable[..., tuple[int, int]]:
    """The compiled kernel ``(W, step, steps, eta, given, room, at, losses, kept)``, which releases
    the GIL.

    W goes from step number ``step`` to ``steps`` in place. Record i, if ``at[i]`` lies in between,
    becomes the loss and the W before step ``at[i]``. The last step that was done and the number of
    the next record come back; a loss that is not finite ends the call.
    """
    sources = SOURCES

    @njit(nogil=True, cache=True, error_model="numpy")
    def kernel(W, step, steps, eta, given, room, at, losses, kept):  # type: ignore[no-untyped-def]
        _ = sources
        K, H, record = given.same.shape[1], room.H, 0
        while record < at.size and at[record] < step:
            record += 1
        while True:
            recorded = record < at.size and at[record] == step
            if step == steps and not recorded:
                return step, record
            loss = loss_and_H(W, given, room)
            if not math.isfinite(loss):
                return step, record
            if recorded:
                losses[record] = loss
                for i in range(K):
                    for j in range(K):
                        kept[record, i, j] = W[i, j]
                record += 1
            if step == steps:
                return step, record
            add_H(eta, H, W)
            step += 1

    compiled: Any = announced(kernel, TRAINING)
    return compiled
