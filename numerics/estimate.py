"""Monte Carlo estimates, with standard errors, of the finite-prompt errors of softmax attention and of its gradients."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import reduce

import numpy as np
from numpy.typing import ArrayLike, NDArray

from numerics.seeds import current_seed
from theory.arrays import read_arrays, read_covariance

__all__ = ["AttentionErrors", "Estimate", "attention_errors"]

Array = NDArray[np.float64]

PIECE = 1024  # replicates per task: the cut must not depend on the number of threads
LONGEST = 2**31 - 1
MOST_DRAWS = 2**32
STEEPEST = 1e30  # scores are float32
LARGEST = 1e60


@dataclass(frozen=True)
class Estimate:
    """A mean over replicates, one entry per prompt length.

    Attributes
    ----------
    mean, standard_error : ndarray of shape (n_lengths,)
        Estimate and its standard error; nan with a single replicate. Different lengths use independent prompts.
    effective_samples : ndarray of shape (n_lengths,)
        (Σ x)² / Σ x² over the replicates x: far below their number, the mean hangs on few of them.
    largest_share : ndarray of shape (n_lengths,)
        max x / Σ x. Above some 5 % neither mean nor standard error should be trusted.
    """

    mean: Array
    standard_error: Array
    effective_samples: Array
    largest_share: Array


@dataclass(frozen=True)
class AttentionErrors:
    """Squared errors against the infinite prompt, averaged over prompts (and queries, if these are random).

    Attributes
    ----------
    lengths : ndarray of shape (n_lengths,)
    replicates, seed : int
    output : Estimate
        E |T_L − T|².
    grad_V : Estimate
        E |∇_V (T_L − T)|², summed over all components of the output and all entries of V.
    grad_U : Estimate
        The same for U.
    """

    lengths: NDArray[np.int64]
    replicates: int
    seed: int
    output: Estimate
    grad_V: Estimate
    grad_U: Estimate


def attention_errors(
    Gamma: ArrayLike,
    U: ArrayLike,
    V: ArrayLike,
    query: ArrayLike | None,
    lengths: int | Sequence[int] | NDArray[np.integer],
    *,
    query_cov: ArrayLike | None = None,
    replicates: int = 4096,
    seed: int | None = None,
    threads: int | None = None,
) -> AttentionErrors:
    """Measure how far softmax attention on L Gaussian tokens is from its infinite-prompt limit.

    T_L = V Σ p_k z_k with p = softmax((Uz)·z_1, …, (Uz)·z_L) and z_k iid N(0, Γ) tends to T = V Γ U z, and its gradients with
    respect to V and U tend to those of T. Every replicate draws a prompt (and a query) of its own.

    Parameters
    ----------
    Gamma : array_like of shape (d, d)
        Covariance of the tokens, symmetric and positive semidefinite (singular is fine).
    U : array_like of shape (d, d)
    V : array_like of shape (d_out, d)
    query : array_like of shape (d,) or None
        The query z, or its mean if `query_cov` is given (None: mean zero).
    lengths : int or sequence of int
        Prompt lengths, 1 <= L < 2^31.
    query_cov : array_like of shape (d, d), optional
        If given, every replicate draws its query from N(query, query_cov), independent of the prompt.
    replicates : int
        Number of prompts for each length.
    seed : int, optional
        From 0 to 2^64 − 1; by default the seed of the claim being judged. Replicate number r at length L is a function of
        (seed, r, L): it depends neither on `threads` nor on which other lengths or how many replicates are asked for.
    threads : int, optional
        By default one for every processor. Results are bitwise the same for every number.

    Returns
    -------
    AttentionErrors

    Raises
    ------
    TypeError
        If an argument is not of the kind described.
    ValueError
        If shapes do not fit, an entry is not finite, a covariance is asymmetric or indefinite, a length is out of range, no query
        is given, or the scores exceed 1e30.

    Notes
    -----
    Tokens are drawn in float32, sums over them are kept in float64: the rounding error is some 1e-6 of T, far below the standard
    error unless the error itself does not vary (grad_U at L = 1). A running maximum of the scores makes any |Uz| safe. All three
    are known exactly, without sampling: `numerics.exact_errors`.

    Examples
    --------
    >>> import numpy as np
    >>> e = attention_errors(np.eye(2), np.zeros((2, 2)), np.eye(2), [1.0, 0.0], [4, 16], replicates=2000, seed=1)
    >>> bool(np.all(abs(e.output.mean - 2 / e.lengths) < 5 * e.output.standard_error))  # U = 0: plain averages, E|T_L|² = tr(Γ)/L
    True
    """
    if query is None and query_cov is None:
        raise ValueError("no query: give a vector `query`, or a covariance `query_cov` to average over z ~ N(0, query_cov)")
    G = read_covariance("Gamma", Gamma)
    d = G.shape[0]
    S = np.zeros((d, d)) if query_cov is None else read_covariance("query_cov", query_cov)
    z = np.zeros(d) if query is None else query
    G, S, U_, V_, z = read_arrays(Gamma=(G, "d d"), query_cov=(S, "d d"), U=(U, "d d"), V=(V, "d_out d"), query=(z, "d"))
    A, F = _root(G), np.zeros((d, 0)) if query_cov is None else _root(S)
    grid = _lengths(lengths, A.shape[1])
    count, workers = _whole("replicates", replicates), _whole("threads", (os.cpu_count() or 1) if threads is None else threads)
    seed = current_seed() if seed is None else seed
    with np.errstate(over="ignore", invalid="ignore"):
        b, W = A.T @ U_ @ z, A.T @ U_ @ F
        size = np.abs(V_ @ A).max() * max(1.0, np.abs(A).max()) * max(1.0, np.abs(z).max() + 10 * np.abs(F).max(initial=0))
    if not np.all(np.isfinite(b)) or np.abs(b).max(initial=0) + 10 * np.abs(W).max(initial=0) > STEEPEST:
        raise ValueError(f"scores (Uz)·z_k beyond {STEEPEST:.0e} leave the range of float32; rescale U or the query")
    if not size < LARGEST:
        raise ValueError(f"errors beyond {LARGEST:.0e} have no fourth powers in a float; rescale Gamma, V or the query")
    model = (b, W, z, F, (A**2).sum(axis=0), V_ @ A)
    sums = _run(grid, count, seed, workers, model)
    return AttentionErrors(grid, count, int(seed), *(_estimate(sums[:, e]) for e in range(3)))


def _run(grid: NDArray[np.int64], count: int, seed: int, workers: int, model: tuple[Array, ...]) -> Array:
    """(n, mean, sum of squared deviations, largest) of shape (n_lengths, 3, 4)."""
    from numerics.kernels.attention import attention_kernel
    from numerics.streams import key_of

    kernel, key = attention_kernel(), key_of(seed)

    def work(L: int, first: int) -> Array:
        values = np.empty((3, min(PIECE, count - first)))
        kernel(first, L, key, *model, values)
        mean = values.mean(axis=1)
        spread = ((values - mean[:, None]) ** 2).sum(axis=1)
        return np.stack([np.full(3, values.shape[1]), mean, spread, values.max(axis=1)], axis=1)

    with ThreadPoolExecutor(workers) as pool:
        tasks = [[pool.submit(work, int(L), first) for first in range(0, count, PIECE)] for L in grid]
        # joined in this order, whoever finished first: sums of floats are not associative
        return np.stack([reduce(_join, (task.result() for task in row)) for row in tasks])


def _join(a: Array, b: Array) -> Array:
    """The same four numbers for the union of two samples (Chan, Golub, LeVeque 1983)."""
    n, m = a[:, 0], b[:, 0]
    gap = b[:, 1] - a[:, 1]
    mean = a[:, 1] + gap * m / (n + m)
    return np.stack([n + m, mean, a[:, 2] + b[:, 2] + gap * gap * n * m / (n + m), np.maximum(a[:, 3], b[:, 3])], axis=1)


def _estimate(sums: Array) -> Estimate:
    n, mean, spread, largest = sums.T
    with np.errstate(invalid="ignore", divide="ignore"):
        error = np.sqrt(spread / (n - 1) / n)
        effective = np.where(mean > 0, n * mean**2 / (mean**2 + spread / n), n)
        share = np.where(mean > 0, largest / (n * mean), 1 / n)
    return Estimate(mean, np.where(n > 1, error, np.nan), effective, share)


def _root(covariance: Array) -> Array:
    """A with A Aᵀ = covariance and orthogonal columns, without the directions of variance zero (one column is always kept)."""
    values, vectors = np.linalg.eigh(covariance)
    keep = values > values[-1] * 1e-15 if values[-1] > 0 else values == values[-1]
    keep[-1] = True
    return np.asarray(vectors[:, keep] * np.sqrt(np.maximum(values[keep], 0)))


def _whole(name: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{name} must be an integer, not {value!r}")
    if value < 1:
        raise ValueError(f"{name} = {value}; at least 1 is needed")
    return int(value)


def _lengths(lengths: int | Sequence[int] | NDArray[np.integer], rank: int) -> NDArray[np.int64]:
    array = np.atleast_1d(np.asarray(lengths, dtype=object))
    whole = all(type(l) is int for l in array.ravel().tolist())
    if array.ndim != 1 or array.size == 0 or not whole:
        raise TypeError(f"lengths must be integers, at least one, not {lengths!r}")
    longest = min(LONGEST, MOST_DRAWS * 4 // rank)
    if array.min() < 1 or array.max() > longest:
        raise ValueError(f"lengths from {array.min()} to {array.max()} leave the range 1 <= L <= {longest} of the counters")
    return array.astype(np.int64)
