"""Normals of the kernels (Philox 4x32-10, Box–Muller, float32) against NumPy and PyTorch:
`python -m benchmarks.normals`.

One thread each. Ours go into one small tile again and again, as in the kernels, which use them up
at once; others fill an array.
"""

import time
from functools import partial

import numpy as np
from numba import njit

from benchmarks import _ratio, _torch
from numerics.compiled.streams import LANES, U64, box_muller_lanes, key_of
from numerics.monte_carlo.kernels.coordinates import draw

DRAWS = 2000
N = 4 * LANES * DRAWS


@njit
def ours(draws, key, words, tile):  # type: ignore[no-untyped-def]
    """The normals of one coordinate of four tokens of 128 replicates, again and again."""
    for number in range(draws):
        draw(number, 0, 1, key, words)
        box_muller_lanes(words, tile, U64(0))


ratio = partial(_ratio.ratio, clock=time.process_time)


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    words, tile = np.empty(4 * LANES, np.uint32), np.empty(4 * LANES, np.float32)
    fused = partial(ours, DRAWS, key_of(1), words, tile)
    held, single = np.empty(N), np.empty(N, np.float32)
    print(f"{N} normals, NumPy float64: {ratio(fused, partial(rng.standard_normal, out=held))}")
    print(f"{N} normals, NumPy float32: {ratio(fused, partial(rng.standard_normal, dtype=np.float32, out=single))}")
    in_torch = _torch.normals(N)
    if in_torch is not None:
        print(f"{N} normals, PyTorch float32: {ratio(fused, in_torch)}")
