"""The exact error of the output or of a gradient as a curve over the prompt length, for bounds,
fits and searches that compare themselves with it; None where no quadrature reaches.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from numerics.attention.exact.dispatch import exact_errors
from numerics.attention.exact.errors import ExactErrors
from numerics.attention.quadrature.score_moments import LARGEST_SCORE_VARIANCE
from numerics.attention.quadrature.softmax_weights import SoftmaxMoments, softmax_moments
from numerics.attention.setting import AttentionSetting, Quantity
from theory.attention.gaussian_errors import gaussian_second_moment

__all__ = ["exact_error"]

Floats = NDArray[np.float64]
#: Largest lambda for which the average of the error of the gradient in U stays inside its
#: quadrature up to L = 1e100.
LARGEST_LAMBDA = 64.0


def exact_error(
    setting: AttentionSetting,
    quantity: Quantity | Literal["from_linear"],
    lengths: ArrayLike,
    *,
    tolerance: float = 1e-5,
) -> Floats | None:
    """The exact mean squared error by quadrature, for whole lengths from 1 to 1e100. None where
    nothing is exact: averages over queries for tokens that are not Gaussian, and scores beyond the
    range of the quadrature. The distance from linear attention is nan where rounding leaves no
    digit of it. The tolerance is that of averages over the query for the gradient in U; the others
    are known better.
    """
    L = np.asarray(lengths, dtype=float)
    if not setting.gaussian:
        found = _of_law(setting, tuple(np.atleast_1d(L).tolist()))
        curve = None if found is None else np.asarray(getattr(found, quantity))
        lost = curve is None or (quantity != "from_linear" and np.isnan(curve).any())  # in rounding
        return None if lost else curve
    if quantity == "from_linear":  # for Gaussian tokens the limit is linear
        quantity = "output"
    if quantity != "grad_U":
        return _mean_token(setting, quantity, L)
    if setting.score_variance > (LARGEST_LAMBDA if setting.averaged else LARGEST_SCORE_VARIANCE):
        return None
    return exact_errors(setting, lengths=L, tolerance=tolerance).grad_U


@lru_cache(maxsize=16)
def _of_law(setting: AttentionSetting, lengths: tuple[float, ...]) -> ExactErrors | None:
    """All errors for tokens of another law, in one call that serves the three quantities."""
    if setting.averaged:
        return None
    try:
        return exact_errors(setting, lengths=lengths)
    except ValueError:  # its scores fluctuate beyond what the quadrature can do: then there is no exact curve
        return None


@lru_cache(maxsize=8)
def _moments(variances: tuple[float, ...], lengths: tuple[float, ...]) -> SoftmaxMoments:
    """Moments of the softmax weights, kept: output and gradient in V need the same nodes."""
    return softmax_moments(np.array(variances)[:, None], np.array(lengths))


def _mean_token(setting: AttentionSetting, quantity: Literal["output", "grad_V"], L: Floats) -> Floats:
    """Output and gradient in V, so accurate that bounds may be equalities in a limit."""
    W, factor = setting.weight(quantity)
    law = setting.query_law(W, math.log(L.max()))
    P2, P3, Q = _moments(tuple(law.nodes.tolist()), tuple(L.ravel().tolist()))
    t = float(np.trace(W @ setting.Gamma))
    of_t, of_q = gaussian_second_moment(P2, P3, Q, 1.0, 0.0), gaussian_second_moment(P2, P3, Q, 0.0, 1.0)
    return np.asarray(factor * (t * law.density @ of_t + law.moment @ of_q))
