"""A transformer with two layers of two heads and random weights, for examples."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from numerics.models.families import Family
from numerics.models.files import Weights
from numerics.models.model import Model

__all__ = ["tiny_model"]


def tiny_model(*, seed: int = 0, layers: int = 2, heads: int = 2, d: int = 8, tokens: int = 200) -> Model:
    """It is called tiny; its scores grow with the layer."""
    rng, arrays = np.random.default_rng(seed), {"table": np.zeros((tokens, d))}
    arrays["table"] = rng.standard_normal((tokens, d))
    parts = ("query", "key", "value")
    for layer in range(layers):
        for part in parts:
            arrays[f"{layer}.{part}"] = rng.standard_normal((d, d)) * np.sqrt((1 + layer) / d)
    readers = {name: (lambda array=array: array) for name, array in arrays.items()}
    family = Family("tiny", tuple(f"{{layer}}.{part}" for part in parts), table="table")
    return Model(Weights(Path("tiny"), readers, {}), family, "", heads, layers, d)
