"""Monte Carlo that draws scores only against programs that draw whole tokens:
`OMP_NUM_THREADS=1 python -m benchmarks.scores`.

One thread each, the problem of `benchmarks.attention`, d = 6. Per replicate: all of
`attention_errors`, and the kernel without the moments of its blocks. Given the scores a replicate
varies less: to one precision in all three errors, each program with as many replicates as its worst
error needs, the ratios are larger by the factor shown.
"""

from functools import partial

import numpy as np

from benchmarks import _torch
from benchmarks.attention import GAMMA, HELD, U, V, d, in_numpy, ratio, z
from numerics.attention.sampled.estimate import attention_errors
from numerics.attention.sampled.sampler import PIECE, error_sampler
from numerics.attention.setting import AttentionSetting
from numerics.token_laws import ball, sphere

NAMES = ("output", "grad_V", "grad_U")
errors = partial(attention_errors, GAMMA, U, V, z, threads=1)
sampler = error_sampler(AttentionSetting(GAMMA, U, V, z), method="scores", seed=1)


def relative_variances(method: str, L: int) -> np.ndarray:
    """Of one replicate, for the three errors: what precision costs."""
    e = errors(L, replicates=max(20_000, 4_000_000 // L), seed=2, method=method)
    return np.array(
        [
            e.replicates * (getattr(e, name).standard_error[0] / getattr(e, name).mean[0]) ** 2
            for name in NAMES
        ]
    )


def drawn(L: int, replicates: int) -> None:
    for first in range(0, replicates, PIECE):
        sampler.values(L, first, PIECE)


if __name__ == "__main__":
    programs = {"NumPy": partial(in_numpy, None), "PyTorch": _torch.errors(GAMMA, U, V, z, HELD)}
    for L, replicates, share in (
        (10, 131_072, 1 / 4),
        (100, 65_536, 1 / 16),
        (1000, 16_384, 1 / 32),
        (10_000, 2048, 1 / 32),
    ):
        ours, theirs = relative_variances("scores", L), relative_variances("tokens", L)
        each = ", ".join(f"{name} {gain:.2f}" for name, gain in zip(NAMES, theirs / ours))
        print(
            f"L = {L:6d}: to one precision {theirs.max() / ours.max():.2f} times fewer replicates "
            f"(variances: {each})"
        )
        all_of_it = partial(errors, L, replicates=replicates, seed=1, method="scores")
        kernel = partial(drawn, L, replicates)
        for name, program in programs.items():
            if program is not None:
                theirs_in_part = partial(program, L, int(replicates * share))
                print(f"{'':11} {name:7} per replicate {ratio(all_of_it, theirs_in_part, share=share)}")
                print(f"{'':11} {name:7} kernel alone  {ratio(kernel, theirs_in_part, share=share)}")
    L, replicates, share = 1000, 8192, 1 / 32
    for law in (sphere(d), ball(d)):
        ours = partial(
            attention_errors, law, U, V, z, L, replicates=replicates, seed=1, threads=1, method="scores"
        )
        run = ratio(ours, partial(in_numpy, law, L, int(replicates * share)), share=share)
        print(f"L = {L:6d}: {law.name}, NumPy per replicate {run}")
