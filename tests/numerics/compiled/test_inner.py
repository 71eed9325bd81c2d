"""A part of a kernel is refused where Python calls it, before and after a kernel was compiled."""

from __future__ import annotations

import pytest
from numba import njit

from numerics.compiled.inner import inner


def test_only_compiled_code_calls_a_part_of_a_kernel() -> None:
    @inner(error_model="numpy")
    def inverse(x):  # type: ignore[no-untyped-def]
        return 1.0 / x

    kernel = njit(lambda x: inverse(x) + 1.0)
    for call in (lambda: None, lambda: kernel(2.0), lambda: kernel(0)):
        call()
        for x in (2.0, 0):  # without the refusal the process would jump to address 0
            with pytest.raises(TypeError, match="inverse is a part of kernels"):
                inverse(x)
    assert kernel(2.0) == 1.5
    assert kernel(0) == float("inf")
    assert inverse.py_func(2.0) == 0.5
