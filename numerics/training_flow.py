"""The gradient flow of the finite-prompt risk, in (U11, u) or in the factors that stochastic gradient descent moves (our R6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Factors", "TrainingFlow", "training_flow"]

Floats = NDArray[np.float64]


class Factors(NamedTuple):
    """The blocks of (O, V, K, Q) that are not zero on the block manifold: ``U11 = c K'Q`` and ``u = o.v``, c the score scale.

    Attributes
    ----------
    K, Q : array (..., m, d)
        First d columns of the key and query matrices.
    o : array (..., m)
        The row of O that gives the prediction.
    v : array (..., m)
        Last column of V.
    """

    K: Floats
    Q: Floats
    o: Floats
    v: Floats


@dataclass(frozen=True, eq=False)
class TrainingFlow:
    """A trajectory.

    Attributes
    ----------
    t : array (k,)
        Times; SGD with step lr on ``factor`` times the risk is at ``lr * factor * step``.
    U : array (k, d, d)
        The query-key block.
    u : array (k,)
        The value scalar.
    risk : array (k,)
        Half the mean squared error, noise of the query's own label included.
    speed : float
        Norm of the gradient at the end.
    converged : bool
        Whether the flow stood still before the last time.
    factors : Factors or None
        With a leading axis of k, if the start was given in factors.
    """

    t: Floats
    U: Floats
    u: Floats
    risk: Floats
    speed: float
    converged: bool
    factors: Factors | None = None


def training_flow(
    start: tuple[Any, float] | Factors,
    Sigma: Any,
    prompt_length: float | None,
    *,
    attention: str = "softmax",
    noise: float = 0.0,
    task_variance: float = 1.0,
    times: Sequence[float] | None = None,
    t_max: float | None = None,
    score_scale: float = 1.0,
    query_covariance: Any = None,
    rtol: float = 1e-9,
) -> TrainingFlow:
    """Follow the flow from a pair (U11, u) or from `Factors`: at the given times, or until it stands still (or t_max)."""
    raise NotImplementedError
