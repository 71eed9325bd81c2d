"""The population risk at any parameters (O, V, K, Q): the mean over prompts in closed form, over tasks and queries by quasi-Monte Carlo."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["population_risk"]

Floats = NDArray[np.float64]


def population_risk(
    parameters: Any,
    attention: str,
    prompt_length: float | None,
    *,
    Sigma: Any,
    noise: float,
    variant: str = "as written",
    task_variance: float | None = None,
    points: int = 1 << 12,
    seed: int = 0,
) -> tuple[Any, Any]:
    """Risk and its standard error (0 for linear attention); leading axes of the parameters are kept."""
    raise NotImplementedError
