"""The problem on which the sampler of scores is tried."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
NONE = np.zeros((4, 0))
SURE = 5.2  # standard errors of a normal law that is exceeded with probability 2e-7
RANDOM = np.diag([0.0, 0.7, 1.0, 0.5])


def problem(columns: int = 3, d_out: int = 2, seed: int = 0) -> tuple[Floats, Floats, Floats, Floats]:
    rng = np.random.default_rng(seed)
    A, U = rng.standard_normal((4, columns)), rng.standard_normal((4, 4)) / 4
    return A, U, rng.standard_normal((d_out, 4)), rng.standard_normal(4)
