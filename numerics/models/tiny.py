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
    rng, parts = np.random.default_rng(seed), ("query", "key", "value")
    arrays = {"table": rng.standard_normal((tokens, d))}
    for layer in range(layers):
        arrays |= {f"{layer}.{part}": rng.standard_normal((d, d)) / np.sqrt(d) for part in parts}
        arrays[f"{layer}.query"] *= (1 + layer) / 4
    readers = {name: (lambda array=array: array) for name, array in arrays.items()}
    family = Family("tiny", tuple(f"{{layer}}.{part}" for part in parts), table="table")
    return Model(Weights(Path("tiny"), readers, {}), family, "", heads, layers, d)
