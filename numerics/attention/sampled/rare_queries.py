"""What queries too rare for a sample add to a mean error and to its standard error, although no
sample shows it. Over Gaussian queries the error at score variance s grows like e^s until it
saturates, and the law of s falls like e^{-s/(2 lambda)}. A mean may depend on queries of which n
replicates contain none; then it and its standard error are both too small, but what such a query
contributes is known exactly.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from numerics.attention.exact.gaussian_tokens import errors_along
from numerics.attention.quadrature.score_moments import LARGEST_SCORE_VARIANCE

if TYPE_CHECKING:
    from numerics.attention.setting import AttentionSetting

__all__ = ["RareQueries", "rare_queries"]

Floats = NDArray[np.float64]
#: A query is rare if fewer than this many like it, or beyond it, are expected in the sample.
FEWEST_QUERIES = 10
#: E x^2 / (E x)^2 for the square x of a normal variable: the factor of the second moment at one
#: query that comes from the prompts.
PROMPT_SPREAD = 3.0


class RareQueries(NamedTuple):
    """Contributions of rare queries, for output, gradient in V and gradient in U."""

    #: That a query is one of them.
    probability: float
    #: What they add to the mean squared error, (3, n).
    part: Floats
    #: What they add, in quadrature, to the standard error of the mean, (3, n).
    error: Floats


def rare_queries(setting: AttentionSetting, lengths: Floats, replicates: int) -> RareQueries:
    """The part of mean and standard error that comes from queries of which fewer than ten are
    expected in the sample. They lie along the top eigenvector of the score form: the contribution
    of one at score variance s is taken there. Zero at a fixed query, without scores, and for tokens
    that are not Gaussian, where nothing is known.
    """
    nothing = np.zeros((3, lengths.size))
    if not (setting.averaged and setting.gaussian and setting.score_variance > 0):
        return RareQueries(0.0, nothing, nothing)
    law = setting.query_law(np.eye(setting.d), math.log(lengths.max()))
    beyond = np.cumsum(law.density[::-1])[::-1]
    # Weights below rounding come from cancellation, and what the quadrature does not reach is
    # saturated and rarer still.
    rare = (
        (beyond < FEWEST_QUERIES / replicates) & (law.density > 1e-16) & (law.nodes < LARGEST_SCORE_VARIANCE)
    )
    values, vectors = np.linalg.eigh(setting.score_form)
    along = setting.query_factor @ vectors[:, -1] / math.sqrt(values[-1])
    weight = law.density[rare]
    if not weight.size:
        return RareQueries(0.0, nothing, nothing)
    e = errors_along(setting, lengths, along, law.nodes[rare])
    contribution = np.stack([e["output"], e["grad_V"], e["grad_U"]])
    first, second = weight @ contribution, weight @ contribution**2
    return RareQueries(float(weight.sum()), first, np.sqrt(PROMPT_SPREAD * second / replicates))
