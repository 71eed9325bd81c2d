"""The in-context risk at a finite prompt length and its gradient, exactly, at every point of the block manifold (our R6)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["ExactRisk", "exact_risk"]

Floats = NDArray[np.float64]


class ExactRisk(NamedTuple):
    """A risk and its gradient.

    Attributes
    ----------
    risk : float
        Half the mean squared error, noise of the query's own label included.
    grad_U : array (d, d)
        Gradient in the query-key block, in the Frobenius inner product.
    grad_u : float
        Gradient in the value scalar.
    """

    risk: float
    grad_U: Floats
    grad_u: float


def exact_risk(
    U11: Any,
    u: float,
    Sigma: Any,
    prompt_length: float | None,
    noise: float = 0.0,
    *,
    attention: str = "softmax",
    task_variance: float = 1.0,
    query_covariance: Any = None,
) -> ExactRisk:
    """The risk of attention with prompts of L tokens and its gradient in (U11, u); no prompt is sampled."""
    raise NotImplementedError
