"""The loss and the matrix H of a problem with finitely many features in compiled code, and gradient
descent on them in one call.
"""

# Eight softmaxes are done side by side: those of eight queries in one prompt or, where prompts are
# many, those of one query in eight prompts. Numbers of which each of the eight has its own are an
# octet; G groups of queries times T groups of prompts make all softmaxes.
#
# Square matrices lie in panels of eight columns, those of eight queries, so that what a group reads
# and writes lies together, and all that is made of scores is made in room for one panel. The panels
# of orthonormal features know nothing of each other: each goes many steps at a time, while it is in
# the cache.

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit

from numerics.attention.quadrature.moments_kernel import exp64
from numerics.compiled.announce import TRAINING, announced
from numerics.compiled.build_once import once
from numerics.compiled.simd import WIDTH, exp8, larger, least, load, smaller, splat, store, total
from numerics.compiled.source_digest import kernel_key

__all__ = ["SOURCES", "descent_kernel", "loss_kernel"]

SOURCES = kernel_key(__name__)
#: Difference of scores from which on each softmax gets exponentials of its own, lest all its
#: weights vanish where the class with the largest score has few tokens or none.
FAR = -300.0
#: Row k is 1 at k.
UNITS = np.eye(WIDTH)


@njit(forceinline=True, _nrt=False, error_model="numpy")
def clear(A):  # type: ignore[no-untyped-def]
    """Set an array to 0."""
    for i in range(0, A.size, WIDTH):
        store(A, i, splat(0.0))


@njit(_nrt=False, error_model="numpy")
def add_product(A, B, C, K, at, to):  # type: ignore[no-untyped-def]
    """Add A B to C for a panel of B and one of C, which begin at numbers `at` and `to`; A has all
    its panels. Below row K all three hold zeros up to a multiple of four.
    """
    for i in range(0, K, 4):
        row = to + i * WIDTH
        a, b, c, d = load(C, row), load(C, row + WIDTH), load(C, row + 2 * WIDTH), load(C, row + 3 * WIDTH)
        for r in range(K):
            x, panel, l = load(B, at + r * WIDTH), r // WIDTH, r % WIDTH
            a += A[panel, i, l] * x
            b += A[panel, i + 1, l] * x
            c += A[panel, i + 2, l] * x
            d += A[panel, i + 3, l] * x
        store(C, row, a)
        store(C, row + WIDTH, b)
        store(C, row + 2 * WIDTH, c)
        store(C, row + 3 * WIDTH, d)


@njit(forceinline=True, _nrt=False, error_model="numpy")
def write_scores(panel, given, room):  # type: ignore[no-untyped-def]
    """Write a panel of S_0 + G W G to S; unless the features are orthonormal, half holds G W."""
    n, K = given.S0.shape[1], given.shares.shape[1]
    at = panel * n * WIDTH
    for i in range(0, n * WIDTH, WIDTH):
        store(
            room.S,
            i,
            load(given.S0, at + i) + load(room.W, at + i) if given.plain else load(given.S0, at + i),
        )
    if not given.plain:
        add_product(room.half, given.G, room.S, K, at, 0)


@njit(forceinline=True, _nrt=False, error_model="numpy")
def exponentials(first, groups, given, room):  # type: ignore[no-untyped-def]
    """Fill e and own of the groups of a panel, from the first on, with exp of the scores less the
    largest of each query; return the least of these differences, and an octet with NaN if a score
    is not finite, otherwise 0.
    """
    (_, K, _), rows = given.shares.shape, len(given.units)
    top, lowest, faults = load(room.S, 0), splat(0.0), splat(0.0)
    for m in range(1, K):
        top = larger(top, load(room.S, m * WIDTH))
    for m in range(K):
        x = load(room.S, m * WIDTH) - top
        lowest = smaller(lowest, x)
        faults += 0.0 * x
        store(room.e, m * WIDTH, exp8(x))
    for g in range(
        groups - 1, -1, -1
    ):  # where each query has a group of its own, all are in the first one's e
        for m in range(K if rows < WIDTH else 0):
            store(room.e, (g * K + m) * WIDTH, splat(room.e[0, m, g]))
        query, mine = given.queries[first + g, 0], splat(0.0)
        for r in range(min(rows, K - query)):
            at, unit = (g * K + query + r) * WIDTH, load(given.units, r * WIDTH)
            its = load(room.e, at) * unit
            mine += its
            store(room.e, at, load(room.e, at) - its)
        store(room.own, g * WIDTH, mine)
    return least(lowest), faults


@njit(_nrt=False, error_model="numpy")
def own_exponentials(S, queries, shares, g, group, t, e, own):  # type: ignore[no-untyped-def]
    """Do the same for eight softmaxes, each of which gets 1 as the largest of its weights."""
    K = e.shape[1]
    for l in range(WIDTH):
        k, top = queries[group, l], -math.inf
        for m in range(K):
            if shares[t, m, l] > 0:
                top = max(top, S[m, k % WIDTH] + math.log(shares[t, m, l]))
        for m in range(K):
            e[g, m, l] = exp64(min(S[m, k % WIDTH] - top, 700.0))  # a class without tokens may be far above
        own[g, l], e[g, k, l] = e[g, k, l], 0.0


@njit(forceinline=True, _nrt=False, error_model="numpy")
def add_softmaxes(g, group, t, given, room):  # type: ignore[no-untyped-def]
    """Add what eight softmaxes, group number g of its panel, give to H, and return their squared
    errors. For each class m the gap is ``E (f(v_k) - yhat) (f(v_k) - f(v_m))``.
    """
    # The attention on other classes, w and together rest, is a sum of its own, since 1 less that on
    # the query's class loses digits where this is near 1.
    (T, K, _), alike = given.shares.shape, given.spread >= 0
    e, w, gap, H = room.e, room.w, room.gap, room.H
    rest, squares = splat(0.0), splat(0.0)
    for m in range(K):
        x = load(given.shares, (t * K + m) * WIDTH) * load(e, (g * K + m) * WIDTH)
        store(w, m * WIDTH, x)
        rest += x
        squares += x * x
    mine = load(given.own_shares, (group * T + t) * WIDTH) * load(room.own, g * WIDTH)
    scale = 1.0 / (mine + rest)
    if alike:
        rest *= scale
        error = given.spread * (rest * rest + squares * scale * scale)
    else:
        at_query, error = load(given.variances, group * WIDTH) * rest, splat(0.0)
        for m in range(K):
            of_class = load(given.C_queries, (group * K + m) * WIDTH)
            at_query -= of_class * load(w, m * WIDTH)
            store(gap, m * WIDTH, splat(0.0) - rest * of_class)
        add_product(given.C, w, gap, K, 0, 0)
        for m in range(K):
            x = scale * (at_query + load(gap, m * WIDTH))
            store(gap, m * WIDTH, x)
            error += scale * load(w, m * WIDTH) * x
    c = load(given.weights, (group * T + t) * WIDTH)
    lead, slope = error - given.spread * rest, given.spread * scale
    scale *= c
    mine = mine * (scale * error) + 0.0  # rounded before it is added to another, on every processor
    for m in range(K):
        at, x = (g * K + m) * WIDTH, load(w, m * WIDTH)
        difference = lead - slope * x if alike else error - load(gap, m * WIDTH)
        its = scale * x * difference + 0.0
        store(H, at, load(H, at) + its if t > 0 else its)
    store(room.mine, g * WIDTH, load(room.mine, g * WIDTH) + mine if t > 0 else mine)
    return c * error


@njit(forceinline=True, _nrt=False, error_model="numpy")
def write_H(panel, errors, given, room):  # type: ignore[no-untyped-def]
    """Write H for a panel of queries to the room, and add their squared errors to an octet, and NaN
    if a score is not finite.
    """
    every = WIDTH // len(given.units)  # groups of a panel
    first, all_groups, K = panel * every, len(given.queries), given.shares.shape[1]
    groups = min(every, all_groups - first)
    write_scores(panel, given, room)
    lowest, faults = exponentials(first, groups, given, room)
    errors += faults
    for t in range(len(given.shares)):  # of two additions to an octet of H others lie in between
        for g in range(groups):
            if lowest < FAR:
                own_exponentials(room.S, given.queries, given.shares, g, first + g, t, room.e, room.own)
            errors += add_softmaxes(g, first + g, t, given, room)
    for g in range(groups):
        query = given.queries[first + g, 0]
        for r in range(min(len(given.units), K - query)):
            at = (g * K + query + r) * WIDTH
            store(room.H, at, load(room.H, at) + load(room.mine, g * WIDTH) * load(given.units, r * WIDTH))
    return errors


@njit(forceinline=True, _nrt=False, error_model="numpy")
def add_H(panel, eta, given, room):  # type: ignore[no-untyped-def]
    """Add eta H of a panel to W."""
    (_, n, _), (groups, K, _) = room.W.shape, room.H.shape
    for m in range(K):
        at = (panel * n + m) * WIDTH
        x = load(room.W, at)
        if groups == 1:
            x += eta * load(room.H, m * WIDTH)
        else:
            for g in range(min(groups, K - panel * WIDTH)):
                x += eta * total(load(room.H, (g * K + m) * WIDTH)) * load(UNITS, g * WIDTH)
        store(room.W, at, x)


@njit(forceinline=True, _nrt=False, error_model="numpy")
def multiply(given, room):  # type: ignore[no-untyped-def]
    """Write G W to half, unless the features are orthonormal."""
    if not given.plain:
        clear(room.half)
        for at in range(0, room.W.size, len(room.S) * WIDTH):
            add_product(given.G, room.W, room.half, given.shares.shape[1], at, at)


@njit(_nrt=False, error_model="numpy")
def pack(A, panels):  # type: ignore[no-untyped-def]
    """Write a matrix to panels."""
    for m in range(len(A)):
        for k in range(len(A)):
            panels[k // WIDTH, m, k % WIDTH] = A[m, k]


@njit(_nrt=False, error_model="numpy")
def unpack(panels, panel, A):  # type: ignore[no-untyped-def]
    """Write a panel to its columns of a matrix."""
    for m in range(len(A)):
        for k in range(panel * WIDTH, min(len(A), (panel + 1) * WIDTH)):
            A[m, k] = panels[panel, m, k % WIDTH]


@once
def loss_kernel() -> Callable[..., float]:
    """The compiled kernel ``(W, given, room, H)``, which writes H, of the shape of W, and returns
    the loss. It releases the GIL.
    """
    sources = (
        SOURCES  # a closure variable, and so a part of the key under which Numba caches the compiled code
    )

    @njit(nogil=True, cache=True, error_model="numpy")
    def kernel(W, given, room, H):  # type: ignore[no-untyped-def]
        _ = sources
        pack(W, room.W)
        multiply(given, room)
        errors = splat(0.0)
        for panel in range(len(room.W)):
            errors = write_H(panel, errors, given, room)
            clear(room.W[panel])
            add_H(panel, 1.0, given, room)
            unpack(room.W, panel, H)
        return total(errors) / 2

    compiled: Any = announced(kernel, TRAINING)
    return compiled


@once
def descent_kernel() -> Callable[..., tuple[int, int]]:
    """The compiled kernel ``(W, step, steps, eta, given, room, at, losses, kept)``, which releases
    the GIL and moves W from step number ``step`` to ``steps`` in place. Record i, if ``at[i]`` lies
    in between, becomes the loss and the W before step ``at[i]``. It returns the last step done and
    the number of the next record; a loss that is not finite ends the call, and W becomes NaN.
    """
    sources = SOURCES

    @njit(nogil=True, cache=True, error_model="numpy")
    def kernel(W, step, steps, eta, given, room, at, losses, kept):  # type: ignore[no-untyped-def]
        _ = sources
        record, together = 0, len(room.errors) if given.plain else 1
        while record < at.size and at[record] < step:
            record += 1
        pack(W, room.W)
        while step < steps or (record < at.size and at[record] == step):
            count = max(min(steps - step, together), 1)
            multiply(given, room)
            for panel in range(len(room.W)):
                following = record
                for i in range(count):
                    errors = load(room.errors, i * WIDTH) if panel > 0 else splat(0.0)
                    store(room.errors, i * WIDTH, write_H(panel, errors, given, room))
                    if following < at.size and at[following] == step + i:
                        unpack(room.W, panel, kept[following])
                        following += 1
                    if step + i < steps:
                        add_H(panel, eta, given, room)
            for i in range(count):
                loss = total(load(room.errors, i * WIDTH)) / 2
                if not math.isfinite(loss):
                    W[:] = math.nan
                    return step, record
                if record < at.size and at[record] == step:
                    losses[record] = loss
                    record += 1
                step += 1 if step < steps else 0
        for panel in range(len(room.W)):
            unpack(room.W, panel, W)
        return step, record

    compiled: Any = announced(kernel, TRAINING)
    return compiled
