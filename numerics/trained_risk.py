"""Where training ends at each prompt length: the point that the flow of Assumption 5.1 reaches, its risk, and the least length.

At a long prompt the risk of softmax attention is nearly flat along the valley ``u Sigma U = I``, its slope there being of order
1/L. The flow falls into the valley in a time of order 1 and then creeps along it for a time of order L, so that a number must say
which of the two it is: the point at a stated time, or the limit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Trained", "least_length", "trained"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Trained:
    """A point that the flow reaches.

    Attributes
    ----------
    risk : float
        Half the mean squared error there, noise of the query's own label included.
    U11 : array (d, d)
        The query-key block.
    u : float
        The value scalar.
    time : float
        When; infinite for the limit.
    speed : float
        Norm of the gradient there.
    """

    risk: float
    U11: Floats
    u: float
    time: float
    speed: float


def trained(
    Sigma: Any,
    prompt_length: int | None,
    *,
    attention: str = "softmax",
    noise: float = 0.0,
    task_variance: float = 1.0,
    start: tuple[Any, float] | None = None,
    time: float | None = None,
    query_covariance: Any = None,
) -> Trained:
    """The point that the gradient flow of the finite-prompt risk reaches from the start of Assumption 5.1.

    Parameters
    ----------
    Sigma : array (d, d)
        Covariance of the covariates in the prompt.
    prompt_length : int or None
        None is the infinite prompt.
    attention : str
        "softmax" or "linear".
    noise : float
        Variance of the label noise, in the prompt and at the query.
    task_variance : float
        Variance of an entry of w.
    start : tuple of array (d, d) and float, optional
        ``U(0)`` and ``u(0)``; half the largest alpha of Theorem 5.2 with ``Theta Theta' = I/sqrt(d)`` if left out.
    time : float, optional
        When; the limit if left out.
    query_covariance : array (d, d), optional
        Of the query; as in the prompt if left out.

    Returns
    -------
    Trained
    """
    raise NotImplementedError


def least_length(Sigma: Any, epsilon: float, *, noise: float = 0.0) -> int:
    """The least L at which the limit of the flow is within epsilon of the infinite-prompt Bayes risk: L(epsilon) of Theorem 5.2."""
    raise NotImplementedError
