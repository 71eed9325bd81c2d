"""The result of the exact engines: the mean squared errors of softmax attention at a list of prompt
lengths, for its output and for its gradients in V, U, K and Q.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["ExactErrors"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ExactErrors:
    """Mean squared errors against the infinite prompt, one entry for each length: squared Frobenius
    norms, summed over all rows of V.

    Parameters
    ----------
    lengths : array, shape (n,)
    output : array, shape (n,)
        ``E|T_L - T|^2``.
    squared_bias : array, shape (n,)
        ``|E[T_L | query] - T|^2``, averaged over the query: the part of `output` that no average
        over prompts removes.
    grad_V, grad_U : array, shape (n,)
        ``E|grad T_L - grad T|^2``. For laws that are not Gaussian it is nan where the scores are so
        large that rounding leaves no digit of it.
    grad_K, grad_Q : array, shape (n,), or None
        The same in the key and query matrices, if these were given.
    relative_error : array, shape (n,)
        Estimate of the relative error of these numbers: that of the quadrature at one query; over
        Gaussian queries the largest difference from the rule of twice the step. What rounding does
        to `squared_bias`, which may lie in the kernel of V, is relative to 1e-6 of
        ``output E sum p_k^2`` where that is larger. A number that is nan is not covered.
    """

    lengths: Floats
    output: Floats
    squared_bias: Floats
    grad_V: Floats
    grad_U: Floats
    grad_K: Floats | None
    grad_Q: Floats | None
    relative_error: Floats
