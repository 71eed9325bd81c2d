"""Compiled normal vectors of random queries, from random streams that no prompt reads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit

from numerics.compiled.announce import SAMPLING, announced
from numerics.compiled.build_once import once
from numerics.compiled.source_digest import kernel_key
from numerics.compiled.streams import LANES, normal_rows, start_lanes

__all__ = ["QUERY_MARK", "query_kernel"]

#: Digest of the sources of this module, taken on import: a part of the key of cached kernels.
SOURCES = kernel_key(__name__)

#: Marks the random draws that belong to the query; prompt lengths stay below it.
QUERY_MARK = 1 << 31


@once
def query_kernel() -> Callable[..., None]:
    """The compiled kernel ``(first, L, key, out)``: ``out[k, r]`` becomes normal k of replicate
    ``first + r`` at length L.
    """
    # A closure variable, and so a part of the key under which Numba caches the compiled code.
    sources = SOURCES

    @njit(nogil=True, cache=True, error_model="numpy")
    def kernel(first, L, key, out):  # type: ignore[no-untyped-def]
        _ = sources
        state, pair = np.empty(4 * LANES, np.uint32), np.empty(2 * LANES, np.float32)
        for start in range(0, out.shape[1], LANES):
            start_lanes(0, first + start, L + QUERY_MARK, key[0], key[1], state)
            for k in range(out.shape[0]):
                if k % 2 == 0:
                    normal_rows(2, state, pair)
                for i in range(min(LANES, out.shape[1] - start)):
                    out[k, start + i] = pair[k % 2 * LANES + i]

    compiled: Any = announced(kernel, SAMPLING)
    return compiled
