"""A helper has two compiled copies; a process that loads the kernel takes the other."""

import importlib

import pytest
from numba.core.dispatcher import Dispatcher


@pytest.mark.parametrize("name", ["coupled", "coupled_frame", "coupled_prompt", "coupled_short"])
def test_helpers_of_the_coupled_kernel_are_part_of_it(name):
    module = importlib.import_module(f"numerics.training.kernels.{name}")
    helpers = [
        f for f in vars(module).values() if isinstance(f, Dispatcher) and f.__module__ == module.__name__
    ]
    assert helpers
    assert [f.__name__ for f in helpers if not f.targetoptions.get("forceinline")] == []
