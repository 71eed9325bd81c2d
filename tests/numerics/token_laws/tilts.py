"""Tilts of every law at which its transform is looked at."""

import numpy as np
from numpy.typing import NDArray

from numerics.token_laws import TokenLaw

Floats = NDArray[np.float64]


def some_tilts(law: TokenLaw) -> Floats:
    a = np.random.default_rng(5).standard_normal((3, law.d)) / max(law.sigma, 1e-3)
    return np.concatenate([a / 2, 4 * a[:1] / np.sqrt(law.d)])
