"""The Monte Carlo kernel against the obvious NumPy program, one thread each: `OMP_NUM_THREADS=1 python -m benchmarks.attention`."""

from functools import partial

import numpy as np

from benchmarks._ratio import ratio
from numerics.estimate import attention_errors

d = 6
rng = np.random.default_rng(0)
B = rng.standard_normal((d, d))
GAMMA = 0.7 * np.eye(d) + 0.3 * B @ B.T / d
U, V, z = rng.uniform(-0.6, 0.6, (d, d)), rng.uniform(-0.4, 0.4, (d, d)), rng.standard_normal(d)


def in_numpy(L: int, replicates: int) -> np.ndarray:
    """Mean squared errors of output, grad_V, grad_U over prompts held in batches of at most 2 10^5 tokens (the fastest)."""
    A, h = np.linalg.cholesky(GAMMA), GAMMA @ U @ z
    total, left = np.zeros(3), replicates
    while left:
        n = min(left, max(1, 200_000 // L))
        tokens = rng.standard_normal((n, L, d)) @ A.T
        scores = tokens @ (U @ z)
        p = np.exp(scores - scores.max(axis=1, keepdims=True))
        p /= p.sum(axis=1, keepdims=True)
        m = (p[:, None] @ tokens)[:, 0]
        C = np.swapaxes(tokens * p[:, :, None], 1, 2) @ tokens - m[:, :, None] * m[:, None]
        total[0] += np.sum(((m - h) @ V.T) ** 2)
        total[1] += d * np.sum((m - h) ** 2)
        total[2] += np.sum((V @ (C - GAMMA)) ** 2) * (z @ z)
        left -= n
    return total / replicates


if __name__ == "__main__":
    for L, replicates in ((10, 40_000), (100, 8000), (1000, 1024), (10_000, 128)):
        ours = partial(attention_errors, GAMMA, U, V, z, L, replicates=replicates, seed=1, threads=1)
        print(f"L = {L:6d}: {ratio(ours, partial(in_numpy, L, replicates))}")
