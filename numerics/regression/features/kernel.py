"""The loss and the matrix H of a problem with finitely many features in compiled code, and gradient
descent on them in one call.

Scores, attention and H have one row for each query here, so that what is summed lies side by side
in memory; `theory.regression.features.data` has them as columns.
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
from numerics.quadrature.moments_kernel import exp64

__all__ = ["SOURCES", "descent_kernel", "loss_kernel"]

SOURCES = kernel_key(__name__)
SUMS = {"contract", "reassoc", "nsz"}
#: Largest difference of scores whose exponential is taken, and the sums of weights beyond which a
#: prompt is attended to by itself.
MOST, SMALL, LARGE = 300.0, 1e-100, 1e100
#: From so many prompts on vectors are taken over prompts, and before over classes.
MANY = 8


@njit(fastmath=SUMS, error_model="numpy", forceinline=True)
def raise_scores(S, E):  # type: ignore[no-untyped-def]
    """E becomes the weight of each class beside the query's own, whose place is 0: the weights of
    all prompts are multiples of these. Returns nan if a score is not finite, and else 0.
    """
    fault = 0.0
    for k in range(len(S)):
        own = S[k, k]
        for m in range(len(S)):
            E[k, m] = S[k, m] - own
            fault += 0.0 * E[k, m]
    flat = E.reshape(-1)  # one loop, which is long enough for vectors at small K
    for i in range(flat.size):
        flat[i] = exp64(min(flat[i], MOST))
    for k in range(len(S)):
        E[k, k] = 0.0
    return fault


@njit(fastmath=SUMS, error_model="numpy")
def attend_alone(S, k, masses, n, w):  # type: ignore[no-untyped-def]
    """The weight of query k on its own class, and sum and sum of squares of those on the others,
    which w becomes, from the largest score in the prompt: where those of `raise_scores` are too
    large or too small.
    """
    top, rest, squares = -math.inf, 0.0, 0.0
    for m in range(w.size):
        top = max(top, S[k, m] if masses[n, m] > 0 else -math.inf)
    for m in range(w.size):
        # A class without tokens may have a score far above those of the others.
        w[m] = masses[n, m] * exp64(min(S[k, m] - top, 0.0))
    own, w[k] = w[k], 0.0
    for m in range(w.size):
        rest += w[m]
        squares += w[m] * w[m]
    return own, rest, squares


@njit(fastmath=SUMS, error_model="numpy")
def add_any(own, rest, w, c, C, k, b, H):  # type: ignore[no-untyped-def]
    """Add to row k of H what a query adds whose attention is `own` on its class, and w on the
    others with the sum `rest`, for the second moments C of tasks; return its squared error. c is
    its probability, and b room for K numbers.
    """
    for m in range(w.size):
        b[m] = rest * C[m, k]
        for j in range(w.size):
            b[m] -= C[m, j] * w[j]
    error = 0.0
    for m in range(w.size):
        error += w[m] * (b[k] - b[m])
    for m in range(w.size):
        H[k, m] += c * w[m] * (b[m] - b[k] + error)
    H[k, k] += c * own * error
    return c * error


@njit(fastmath=SUMS, error_model="numpy")
def multiply(A, B, out):  # type: ignore[no-untyped-def]
    """The product of two matrices, small ones without the overhead of a library."""
    K = len(A)
    if K > 8:
        np.dot(A, B, out)
        return
    for i in range(K):
        for j in range(K):
            out[i, j] = 0.0
        for k in range(K):
            for j in range(K):
                out[i, j] += A[i, k] * B[k, j]


@njit(fastmath=SUMS, error_model="numpy")
def add_prompts(S, E, masses, weights, p, by_class, C, w, b, own, rest, error, H):  # type: ignore[no-untyped-def]
    """Add to H what all prompts add for the second moments C of tasks, and return twice the loss.
    The prompts are innermost, where vectors of them are taken; `by_class` is the transpose of
    their masses, w and b are room of its shape, and own, rest and error of its length.
    """
    loss, K = 0.0, p.size
    for k in range(K):
        own[:], rest[:], error[:] = by_class[k], 0.0, 0.0
        for m in range(K):
            for n in range(weights.size):
                w[m, n] = by_class[m, n] * E[k, m]
                rest[n] += w[m, n]
        for n in range(weights.size):
            if not SMALL < own[n] + rest[n] < LARGE:
                own[n], rest[n], _ = attend_alone(S, k, masses, n, w[:, n])
        for n in range(weights.size):
            one = 1 / (own[n] + rest[n])
            own[n], rest[n] = own[n] * one, rest[n] * one
            for m in range(K):
                w[m, n] *= one
        for m in range(K):
            for n in range(weights.size):
                b[m, n] = rest[n] * C[m, k]
            for j in range(K):
                if C[m, j] != 0.0:
                    for n in range(weights.size):
                        b[m, n] -= C[m, j] * w[j, n]
        for m in range(K):
            for n in range(weights.size):
                error[n] += w[m, n] * (b[k, n] - b[m, n])
        for m in range(K):
            total = 0.0
            for n in range(weights.size):
                total += weights[n] * w[m, n] * (b[m, n] - b[k, n] + error[n])
            H[k, m] += p[k] * total
        for n in range(weights.size):
            H[k, k] += p[k] * weights[n] * own[n] * error[n]
            loss += p[k] * weights[n] * error[n]
    return loss


@njit(fastmath=SUMS, error_model="numpy", forceinline=True)
def loss_and_H(W, S0, G, plain, masses, weights, p, C, spread, room, H):  # type: ignore[no-untyped-def]
    """Write H, a row for each query, at the scores S0 + G W G, and return the loss.

    Parameters
    ----------
    W, S0, G : arrays (K, K)
        The parameter is ``Q = Q_0 + V W' V'``, S0 are the scores at Q_0, G = V'V.
    plain : bool
        Whether G is the identity.
    masses, weights : arrays (n, K), (n,)
        Tokens of each class in a prompt, and the probability of the prompt.
    p : array (K,)
    C : array (K, K)
        Second moments of a task on the features.
    spread : float
        sigma_f^2 if C is sigma_f^2 times the identity up to what is the same for all features, so
        that the tasks are exchangeable; otherwise negative.
    room : tuple of arrays
        As `rooms` makes them.
    H : array (K, K)
        The result.
    """
    S, half, E, w, b, many = room
    K = p.size
    if plain:
        for k in range(K):
            for m in range(K):
                S[k, m] = S0[k, m] + W[k, m]
    else:
        multiply(G, W, half)
        multiply(half, G, S)
        for k in range(K):
            for m in range(K):
                S[k, m] += S0[k, m]
    loss = raise_scores(S, E)
    for k in range(K):
        for m in range(K):
            H[k, m] = 0.0
    if weights.size >= MANY:
        return (loss + add_prompts(S, E, masses, weights, p, *many, H)) / 2
    for n in range(weights.size):
        for k in range(K):
            # The attention on the others is a sum of its own, since 1 - w_k loses digits where w_k
            # is near 1.
            own, rest, squares = masses[n, k], 0.0, 0.0
            for m in range(K):
                w[m] = masses[n, m] * E[k, m]
                rest += w[m]
                squares += w[m] * w[m]
            if not SMALL < own + rest < LARGE:
                own, rest, squares = attend_alone(S, k, masses, n, w)
            one, c = 1 / (own + rest), weights[n] * p[k]
            own, rest, squares = own * one, rest * one, squares * one * one
            if spread < 0:
                for m in range(K):
                    w[m] *= one
                loss += add_any(own, rest, w, c, C, k, b, H)
                continue
            # The same for exchangeable tasks, of which only sums of squares remain.
            c *= spread
            error, shift, times = rest * rest + squares, squares - own * rest, c * one
            for m in range(K):
                H[k, m] += times * w[m] * (shift - one * w[m])
            H[k, k] += c * own * error
            loss += c * error
    return loss / 2


@njit
def rooms(masses, C, spread):  # type: ignore[no-untyped-def]
    """Room for `loss_and_H`, and what it needs of the prompts and tasks."""
    n, K = masses.shape if len(masses) >= MANY else (0, masses.shape[1])
    by_class = np.ascontiguousarray(masses[:n].T)
    like = C if spread < 0 else spread * np.eye(K)  # tasks with the same gradient
    many = by_class, like, np.empty((K, n)), np.empty((K, n)), np.empty(n), np.empty(n), np.empty(n)
    return np.empty((K, K)), np.empty((K, K)), np.empty((K, K)), np.empty(K), np.empty(K), many


@once
def loss_kernel() -> Callable[..., float]:
    """The compiled `loss_and_H`, which releases the GIL."""
    sources = SOURCES  # a closure variable, and so a part of the key under which Numba caches the compiled code

    @njit(nogil=True, cache=True, error_model="numpy")
    def kernel(W, S0, G, plain, masses, weights, p, C, spread, H):  # type: ignore[no-untyped-def]
        _ = sources
        return loss_and_H(W, S0, G, plain, masses, weights, p, C, spread, rooms(masses, C, spread), H)

    compiled: Any = announced(kernel, TRAINING)
    return compiled


@once
def descent_kernel() -> Callable[..., tuple[int, int]]:
    """The compiled kernel ``(W, step, steps, eta, S0, G, plain, masses, weights, p, C, spread, at,
    losses, kept)``, which releases the GIL.

    W goes from step number ``step`` to ``steps`` in place. Record i, if ``at[i]`` lies in between,
    becomes the loss and the W before step ``at[i]``. The last step that was done and the number of
    the next record come back; a loss that is not finite ends the call.
    """
    sources = SOURCES

    @njit(nogil=True, cache=True, error_model="numpy")
    def kernel(W, step, steps, eta, S0, G, plain, masses, weights, p, C, spread, at, losses, kept):  # type: ignore[no-untyped-def]
        _ = sources
        K = p.size
        room, H = rooms(masses, C, spread), np.empty((K, K))
        record = np.searchsorted(at, step)
        while True:
            recorded = record < at.size and at[record] == step
            if step == steps and not recorded:
                return step, record
            loss = loss_and_H(W, S0, G, plain, masses, weights, p, C, spread, room, H)
            if not math.isfinite(loss):
                return step, record
            if recorded:
                losses[record] = loss
                kept[record] = W
                record += 1
            if step == steps:
                return step, record
            for i in range(K):
                for j in range(K):
                    W[i, j] += eta * H[i, j]
            step += 1

    compiled: Any = announced(kernel, TRAINING)
    return compiled
