"""P2, P3, Q at four lengths by one quadrature (1e-13) against NumPy Monte Carlo to 1 %:
`python -m benchmarks.quadrature`.
"""

import math
from functools import partial

import numpy as np

from benchmarks._ratio import ratio
from numerics.attention.quadrature.softmax_weights import softmax_moments

LENGTHS = (10, 100, 1000, 10_000)


def batch(rng: np.random.Generator, s: float, L: int, n: int) -> np.ndarray:
    y = math.sqrt(s) * rng.standard_normal((n, L))
    p = np.exp(y - y.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    p2 = (p * p).sum(axis=1)
    return np.stack([p2, (p * p * p).sum(axis=1), p2 * p2])


def prompts_for_one_percent(s: float, L: int) -> int:
    """Prompts needed until the worst of the three has a standard error of 1 %."""
    x = np.concatenate(
        [batch(np.random.default_rng(k), s, L, max(1, 200_000 // L)) for k in range(20)], axis=1
    )
    return math.ceil(float(np.max(x.var(axis=1) / x.mean(axis=1) ** 2)) / 1e-4)


if __name__ == "__main__":
    for s in (0.25, 1.0, 4.0):
        needed = {L: prompts_for_one_percent(s, L) for L in LENGTHS}
        rng = np.random.default_rng(99)

        def monte_carlo(s=s, needed=needed, rng=rng) -> None:
            for L, n in needed.items():
                size = max(1, 200_000 // L)
                np.mean([batch(rng, s, L, min(size, n - k)).mean(axis=1) for k in range(0, n, size)], axis=0)

        print(f"s = {s:4}: {ratio(partial(softmax_moments, s, LENGTHS), monte_carlo, repeats=5)}")
