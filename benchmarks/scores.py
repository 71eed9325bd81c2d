"""Monte Carlo that draws scores only against programs that draw whole tokens: `OMP_NUM_THREADS=1 python -m benchmarks.scores`.

One thread each, d = 6, the problem of `benchmarks.attention`. Per replicate, and to one precision in all three errors: a replicate
given the scores varies less, and for the third line of a length each program gets as many replicates as its worst error needs.
"""

from collections.abc import Callable
from functools import partial

import numpy as np

from benchmarks._ratio import ratio
from benchmarks.attention import GAMMA, U, V, in_numpy, z
from numerics.estimate import attention_errors

NAMES = ("output", "grad_V", "grad_U")
given_scores = partial(attention_errors, GAMMA, U, V, z, threads=1, method="scores")


def needed(method: str, L: int) -> np.ndarray:
    """Relative variance of one replicate: what a standard error of 1 costs."""
    e = attention_errors(GAMMA, U, V, z, L, replicates=max(20_000, 4_000_000 // L), seed=2, method=method)
    return np.array([e.replicates * (getattr(e, n).standard_error[0] / getattr(e, n).mean[0]) ** 2 for n in NAMES])


def programs() -> dict[str, Callable[[int, int], object]]:
    """Those that draw whole tokens; PyTorch if it is installed."""
    known: dict[str, Callable[[int, int], object]] = {"NumPy": in_numpy}
    try:
        from benchmarks._torch import in_torch
    except ImportError:
        return known
    return known | {"PyTorch": partial(in_torch, GAMMA, U, V, z)}


if __name__ == "__main__":
    for L, replicates, share in ((10, 131_072, 1 / 4), (100, 32_768, 1 / 8), (1000, 8192, 1 / 16), (10_000, 1024, 1 / 16)):
        ours, theirs = needed("scores", L), needed("tokens", L)
        gain = theirs.max() / ours.max()
        for name, program in programs().items():
            n = int(replicates * share)
            run = ratio(partial(given_scores, L, replicates=replicates, seed=1), partial(program, L, n), share=share)
            print(f"L = {L:6d}, {name:7}: {run}")
            each = ", ".join(f"{what} {g:.2f}" for what, g in zip(NAMES, theirs / ours))
            print(f"{'':12} to one precision {gain:.2f} times that ({each})")
