"""Monte Carlo that draws scores only against programs that draw whole tokens: `OMP_NUM_THREADS=1 python -m benchmarks.scores`.

One thread each, the problem of `benchmarks.attention`, d = 6. First per replicate. Then to one precision in all three errors: given
the scores a replicate varies less, and either program gets as many replicates as its worst error needs.
"""

from functools import partial

import numpy as np

from benchmarks import _torch
from benchmarks.attention import GAMMA, HELD, U, V, in_numpy, ratio, z
from numerics.estimate import attention_errors

NAMES = ("output", "grad_V", "grad_U")
errors = partial(attention_errors, GAMMA, U, V, z, threads=1)


def relative_variances(method: str, L: int) -> np.ndarray:
    """Of one replicate, for the three errors: what precision costs."""
    e = errors(L, replicates=max(20_000, 4_000_000 // L), seed=2, method=method)
    return np.array([e.replicates * (getattr(e, name).standard_error[0] / getattr(e, name).mean[0]) ** 2 for name in NAMES])


if __name__ == "__main__":
    programs = {"NumPy": partial(in_numpy, None), "PyTorch": _torch.errors(GAMMA, U, V, z, HELD)}
    for L, replicates, share in ((10, 131_072, 1 / 4), (100, 65_536, 1 / 16), (1000, 16_384, 1 / 32), (10_000, 2048, 1 / 32)):
        ours, theirs = relative_variances("scores", L), relative_variances("tokens", L)
        each = ", ".join(f"{name} {gain:.2f}" for name, gain in zip(NAMES, theirs / ours))
        print(f"L = {L:6d}: to one precision {theirs.max() / ours.max():.2f} times fewer replicates ({each})")
        for name, program in programs.items():
            if program is not None:
                given_scores = partial(errors, L, replicates=replicates, seed=1, method="scores")
                run = ratio(given_scores, partial(program, L, int(replicates * share)), share=share)
                print(f"{'':11} {name:7} per replicate {run}")
