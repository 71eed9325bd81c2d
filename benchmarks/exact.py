"""Errors averaged over Gaussian queries at four lengths, quadrature against NumPy Monte Carlo to 1
%, and against itself in twice as many dimensions: `python -m benchmarks.exact`.

One thread each: set OMP_NUM_THREADS=1. Monte Carlo does a share of its prompts, and its time is
scaled up.
"""

import math
import time
from functools import partial

import numpy as np

from benchmarks._ratio import ratio
from numerics.attention.exact.dispatch import exact_errors

LENGTHS = (10, 100, 1000, 10_000)
TOKENS = 200_000  # held at once: the fastest
SHARE = 1 / 40
d = 4
GAMMA, V = np.diag([1.0, 0.8, 0.6, 0.4]), np.eye(2, d)


def batch(rng: np.random.Generator, U: np.ndarray, L: int, n: int) -> np.ndarray:
    """Squared errors of output, grad_V and grad_U for n prompts with a query N(0, I) each."""
    tokens = rng.standard_normal((n, L, d)) * np.sqrt(np.diag(GAMMA))
    z = rng.standard_normal((n, d))
    scores = np.matmul(tokens, (z @ U.T)[:, :, None])[:, :, 0]
    p = np.exp(scores - scores.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    m = np.matmul(p[:, None], tokens)[:, 0]
    C = np.matmul(np.swapaxes(tokens * p[:, :, None], 1, 2), tokens) - m[:, :, None] * m[:, None]
    error = m - z @ (GAMMA @ U).T
    grad_U = np.sum((V @ (C - GAMMA)) ** 2, axis=(1, 2)) * np.sum(z * z, axis=1)
    return np.stack([np.sum((error @ V.T) ** 2, axis=1), len(V) * np.sum(error**2, axis=1), grad_U])


def prompts_for_one_percent(U: np.ndarray, L: int) -> np.ndarray:
    """For output and for the worst of the three: prompts until the standard error is 1 %, from a
    pilot run.
    """
    x = np.concatenate(
        [batch(np.random.default_rng(k), U, L, max(1, TOKENS // L)) for k in range(60)], axis=1
    )
    wanted = np.ceil(x.var(axis=1) / x.mean(axis=1) ** 2 / 1e-4)
    return np.array([wanted[0], wanted.max()], dtype=int)


def monte_carlo(rng: np.random.Generator, U: np.ndarray, needed: dict[int, int]) -> None:
    for L, n in needed.items():
        left, size = math.ceil(n * SHARE), max(1, TOKENS // L)
        while left > 0:
            batch(rng, U, L, min(size, left)).mean(axis=1)
            left -= size


def many_dimensions(d: int) -> partial[object]:
    """A problem whose matrices do not commute."""
    rng = np.random.default_rng(d)
    B, S, U, W = rng.standard_normal((4, d, d)) / math.sqrt(d)
    return partial(exact_errors, B @ B.T, U / math.sqrt(d), W, LENGTHS, query_cov=S @ S.T / 2)


if __name__ == "__main__":
    rng = np.random.default_rng(99)
    for lam in (0.1, 0.3, 1.0):
        U = math.sqrt(lam) * np.eye(d)  # lambda is the largest eigenvalue of U'Gamma U
        wanted = {L: prompts_for_one_percent(U, L) for L in LENGTHS}
        for i, what in enumerate(("output", "all three")):
            needed = {L: int(n[i]) for L, n in wanted.items()}
            ours = partial(exact_errors, GAMMA, U, V, LENGTHS, query_cov=np.eye(d), tolerance=1e-2)
            theirs = partial(monte_carlo, rng, U, needed)
            print(f"lambda = {lam}, {what:9}: {ratio(ours, theirs, repeats=3, share=SHARE)}")
    for n in (50, 100, 200):
        grown = ratio(many_dimensions(n), many_dimensions(2 * n), repeats=3, clock=time.process_time)
        print(f"d = {n} against d = {2 * n}: {grown}")
