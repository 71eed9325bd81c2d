"""The risk of the best predictor that sees L tokens of one task: ridge regression, averaged over prompts without drawing a token.

For ``w ~ N(0, omega^2 I)`` and label noise of variance tau^2 the posterior covariance of w given the covariates X is
``(I/omega^2 + X'X/tau^2)^{-1}``, and the risk is half its trace against the query's covariance, plus ``tau^2/2``. With
``X'X = R W R'``, ``R R' = Sigma``, W is Wishart: from L = d on its Cholesky factor has independent entries (Bartlett), so that a
low-discrepancy sum over d(d+1)/2 coordinates serves every L at one cost.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from theory.arrays import read_arrays, read_covariance
from theory.regression_risk import effective_covariance

__all__ = ["BayesRisk", "bayes_risk"]

Floats = NDArray[np.float64]
#: Independent scramblings; their spread gives the error.
SHIFTS = 16
#: Sums of fewer coordinates than this need no more points than the least power of two above its square.
RANGE = 1e-10


class BayesRisk(NamedTuple):
    """A risk and the standard error of its quadrature.

    Attributes
    ----------
    value : float
        Half the mean squared error, noise of the query's own label included.
    error : float
        0 where the value is exact.
    """

    value: float
    error: float


def bayes_risk(
    Sigma: Any,
    prompt_length: int | None,
    noise: float = 0.0,
    task_variance: float = 1.0,
    *,
    query_covariance: Any = None,
    points: int = 1024,
    seed: int = 0,
) -> BayesRisk:
    """The least risk of any predictor of the query's label from a prompt of L tokens.

    Parameters
    ----------
    Sigma : array (d, d)
        Covariance of the covariates in the prompt; it may be singular.
    prompt_length : int or None
        None is the infinite prompt.
    noise : float
        Variance of the label noise, in the prompt and at the query.
    task_variance : float
        Variance of an entry of w.
    query_covariance : array (d, d), optional
        Of the query; as in the prompt if left out.
    points : int
        Points of a scrambled Sobol' sequence, a power of two; there are 16 scramblings.
    seed : int

    Returns
    -------
    BayesRisk

    Raises
    ------
    TypeError, ValueError
        If an argument is not real or out of range, a matrix no covariance, or the number of points no power of two.

    Examples
    --------
    Without noise d tokens determine the task; fewer leave a random subspace of it open:

    >>> bayes_risk(np.eye(3), 3), bayes_risk(np.eye(3), 2)
    (BayesRisk(value=0.0, error=0.0), BayesRisk(value=0.5, error=0.0))
    """
    raise NotImplementedError
