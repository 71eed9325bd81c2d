"""Normals of the kernels (xoshiro128++ from a state that Philox draws, Box–Muller, float32) against
NumPy and PyTorch: `python -m benchmarks.normals`.

One thread each. Ours go into one small tile again and again, as in the kernels, which use them up
at once; others fill an array. As in a prompt of 1000 tokens, a new state begins every 1000 numbers
of a lane.
"""

import time
from functools import partial

import numpy as np
from numba import njit

from benchmarks import _ratio, _torch
from numerics.compiled.streams import LANES, key_of, normal_rows, start_lanes

ROWS, TILES, PROMPTS = 20, 50, 8
N = LANES * ROWS * TILES * PROMPTS


@njit
def ours(key, state, tile):  # type: ignore[no-untyped-def]
    """The normals of the prompts of 128 replicates, again and again."""
    for prompt in range(PROMPTS):
        start_lanes(0, prompt * LANES, 1, key[0], key[1], state)
        for _ in range(TILES):
            normal_rows(ROWS, state, tile)


ratio = partial(_ratio.ratio, clock=time.process_time)


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    state, tile = np.empty(4 * LANES, np.uint32), np.empty(ROWS * LANES, np.float32)
    fused = partial(ours, key_of(1), state, tile)
    held, single = np.empty(N), np.empty(N, np.float32)
    print(f"{N} normals, NumPy float64: {ratio(fused, partial(rng.standard_normal, out=held))}")
    print(
        f"{N} normals, NumPy float32: "
        f"{ratio(fused, partial(rng.standard_normal, dtype=np.float32, out=single))}"
    )
    in_torch = _torch.normals(N)
    if in_torch is not None:
        print(f"{N} normals, PyTorch float32: {ratio(fused, in_torch)}")
