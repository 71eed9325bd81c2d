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


@njit(fastmath=SUMS, error_model="numpy")
def attend(scores, mass, k, w):  # type: ignore[no-untyped-def]
    """The attention of query k on its own class and on all others together; w becomes that on each
    other class, and 0 at k.

    The attention on the others is a sum of its own, since 1 - w_k loses digits where w_k is near 1.
    """
    K = mass.size
    top = -math.inf
    for m in range(K):
        top = max(top, scores[m] if mass[m] > 0 else -math.inf)
    for m in range(K):
        # A class without tokens may have a score far above those of the others.
        w[m] = mass[m] * exp64(min(scores[m] - top, 0.0))
    own, w[k], rest = w[k], 0.0, 0.0
    for m in range(K):
        rest += w[m]
    total = own + rest
    for m in range(K):
        w[m] /= total
    return own / total, rest / total


@njit(fastmath=SUMS, error_model="numpy")
def add_exchangeable(own, rest, w, c, k, H):  # type: ignore[no-untyped-def]
    """Add to the row H what query k adds where all tasks on the features are alike, and return its
    squared error; c is its probability times sigma_f^2.
    """
    squares = 0.0
    for m in range(w.size):
        squares += w[m] * w[m]
    error, shift = rest * rest + squares, squares - own * rest
    for m in range(w.size):
        H[m] += c * w[m] * (shift - w[m])
    H[k] += c * own * error
    return c * error


@njit(fastmath=SUMS, error_model="numpy")
def add_any(own, rest, w, c, C, k, b, H):  # type: ignore[no-untyped-def]
    """`add_exchangeable` for the second moments C; b is room for K numbers."""
    for m in range(w.size):
        b[m] = rest * C[m, k]
        for j in range(w.size):
            b[m] -= C[m, j] * w[j]
    error = 0.0
    for m in range(w.size):
        error += w[m] * (b[k] - b[m])
    for m in range(w.size):
        H[m] += c * w[m] * (b[m] - b[k] + error)
    H[k] += c * own * error
    return c * error


@njit(error_model="numpy")
def loss_and_H(W, S0, G, plain, masses, weights, p, C, spread, S, half, H):  # type: ignore[no-untyped-def]
    """Write the scores S = S0 + G W G and H, a row for each query, and return the loss.

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
    S, half, H : arrays (K, K)
        Room, and the result.
    """
    if plain:
        S[:] = S0 + W
    else:
        np.dot(G, W, half)
        np.dot(half, G, S)
        S += S0
    loss, w, b = 0.0, np.empty(p.size), np.empty(p.size)
    H[:] = 0.0
    for n in range(weights.size):
        for k in range(p.size):
            own, rest = attend(S[k], masses[n], k, w)
            c = weights[n] * p[k]
            if spread >= 0:
                loss += add_exchangeable(own, rest, w, c * spread, k, H[k])
            else:
                loss += add_any(own, rest, w, c, C, k, b, H[k])
    return loss / 2


@once
def loss_kernel() -> Callable[..., float]:
    """The compiled `loss_and_H`, which releases the GIL."""
    sources = SOURCES  # a closure variable, and so a part of the key under which Numba caches the compiled code

    @njit(nogil=True, cache=True, error_model="numpy")
    def kernel(W, S0, G, plain, masses, weights, p, C, spread, S, half, H):  # type: ignore[no-untyped-def]
        _ = sources
        return loss_and_H(W, S0, G, plain, masses, weights, p, C, spread, S, half, H)

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
        S, half, H = np.empty((K, K)), np.empty((K, K)), np.empty((K, K))
        record = np.searchsorted(at, step)
        while True:
            recorded = record < at.size and at[record] == step
            if step == steps and not recorded:
                return step, record
            loss = loss_and_H(W, S0, G, plain, masses, weights, p, C, spread, S, half, H)
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
