"""The Monte Carlo kernel that draws every token against the obvious programs, one thread each:
`python -m benchmarks.attention`.

Set OMP_NUM_THREADS=1. Baselines: NumPy (float64), and PyTorch on the CPU (float32, and without
autograd) if it is installed.
"""

import time
from functools import partial

import numpy as np

from benchmarks import _ratio, _torch
from numerics.attention.sampled.estimate import attention_errors
from numerics.token_laws import TokenLaw, ball, rademacher, sphere, uniform

d = 6
HELD = 200_000  # tokens in a batch: the fastest
rng = np.random.default_rng(0)
B = rng.standard_normal((d, d))
GAMMA = 0.7 * np.eye(d) + 0.3 * B @ B.T / d
U, V, z = rng.uniform(-0.6, 0.6, (d, d)), rng.uniform(-0.4, 0.4, (d, d)), rng.standard_normal(d)


def in_numpy(law: TokenLaw | None, L: int, replicates: int) -> np.ndarray:
    """Mean squared errors of output, grad_V, grad_U over prompts held in batches; Gaussian tokens
    if there is no law.
    """
    A = np.linalg.cholesky(GAMMA)
    h, H = (GAMMA @ U @ z, GAMMA) if law is None else law.tilted(U @ z)
    total, left = np.zeros(3), replicates
    while left:
        n = min(left, max(1, HELD // L))
        tokens = (
            rng.standard_normal((n, L, d)) @ A.T if law is None else law.sample(rng, n * L).reshape(n, L, d)
        )
        scores = tokens @ (U @ z)
        p = np.exp(scores - scores.max(axis=1, keepdims=True))
        p /= p.sum(axis=1, keepdims=True)
        m = (p[:, None] @ tokens)[:, 0]
        C = np.swapaxes(tokens * p[:, :, None], 1, 2) @ tokens - m[:, :, None] * m[:, None]
        total[0] += np.sum(((m - h) @ V.T) ** 2)
        total[1] += d * np.sum((m - h) ** 2)
        total[2] += np.sum((V @ (C - H)) ** 2) * (z @ z)
        left -= n
    return total / replicates


ratio = partial(_ratio.ratio, clock=time.process_time)


if __name__ == "__main__":
    in_torch = _torch.errors(GAMMA, U, V, z, HELD)
    draw = partial(attention_errors, seed=1, threads=1, method="tokens")
    for L, replicates in ((10, 40_960), (100, 16_384), (1000, 4096), (10_000, 512)):
        ours = partial(draw, GAMMA, U, V, z, L, replicates=replicates)
        print(f"Gaussian, L = {L:6d}: NumPy   {ratio(ours, partial(in_numpy, None, L, replicates))}")
        if in_torch is not None:
            print(f"Gaussian, L = {L:6d}: PyTorch {ratio(ours, partial(in_torch, L, replicates))}")
    L, replicates = 1000, 4096
    for law in (rademacher(d), uniform(d), sphere(d), ball(d)):
        ours = partial(draw, law, U, V, z, L, replicates=replicates)
        print(f"{law.name}, L = {L}: NumPy {ratio(ours, partial(in_numpy, law, L, replicates))}")
