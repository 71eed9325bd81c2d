"""The exact errors of attention as curves over the prompt length, near by and up to L = 1e100, and
what theory lays beside them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from numerics.attention.gaussian_tokens import ExactErrors, exact_errors
from numerics.attention.setting import QUANTITIES, AttentionSetting, Quantity
from numerics.quadrature.score_moments import LARGEST_SCORE_VARIANCE
from numerics.quadrature.softmax_weights import SoftmaxMoments, softmax_moments
from numerics.rates.bound_curves import Bound, bounds
from numerics.rates.exponents import next_order, sharp_exponent, theorem_B_constant, theorem_B_law
from theory.attention.gaussian_errors import gaussian_second_moment

__all__ = [
    "QUANTITIES",
    "Bound",
    "FarSlopes",
    "Quantity",
    "bounds",
    "exact_error",
    "far_slopes",
    "next_order",
    "sharp_exponent",
    "theorem_B_constant",
    "theorem_B_law",
]

Floats = NDArray[np.float64]
#: Largest lambda for which the average of the error of the gradient in U stays inside its
#: quadrature up to L = 1e100.
LARGEST_LAMBDA = 64.0
#: Largest `_spread` at a fixed query (False), largest lambda on average (True), for which L = 1e100
#: shows the exponent.
REACH = {False: 110.0, True: 8.0}
#: Relative error of averages over the query of the error of the gradient in U: near by, and where
#: only slopes are wanted.
NEAR, FAR = 1e-5, 1e-2
#: Powers of ten at which far slopes over queries are taken.
DECADES = (1, 2, 3, 4, 5, 6, 8, 10, 20, 30, 50, 100)


@dataclass(frozen=True, eq=False)
class FarSlopes:
    """Slopes of the exact errors, from one tenth of each length to the length, where no simulation
    reaches.

    Parameters
    ----------
    lengths : array, shape (n,)
    slopes : mapping of str to array, shape (n,)
        For each quantity that has an exact curve.
    errors : mapping of str to array, shape (n,)
        The exact errors themselves.
    sharp : float
        The exponent that the slopes approach, with a minus sign.
    margins : mapping of str to float
        How far from it logarithms may still keep the last slope.
    reaches : bool
        Whether L = 1e100 is long enough for the exponent to show at all.
    """

    lengths: Floats
    slopes: Mapping[Quantity, Floats]
    errors: Mapping[Quantity, Floats]
    sharp: float
    margins: Mapping[Quantity, float]
    reaches: bool

    @property
    def slope(self) -> Floats:
        """Those of the output."""
        return self.slopes["output"]

    @property
    def allowed(self) -> float:
        """The margin of the output."""
        return self.margins["output"]


def exact_error(setting: AttentionSetting, quantity: Quantity, lengths: ArrayLike) -> Floats | None:
    """The exact mean squared error, by quadrature.

    Parameters
    ----------
    setting : AttentionSetting
    quantity : {"output", "grad_V", "grad_U"}
    lengths : array_like, shape (n,)
        Whole numbers from 1 to 1e100.

    Returns
    -------
    array, shape (n,), or None
        None where nothing is exact: averages over queries for tokens that are not Gaussian, and
        scores beyond the range of the quadrature.

    Examples
    --------
    Without scores attention is the mean of L tokens:

    >>> flat = AttentionSetting(np.eye(2), np.zeros((2, 2)), np.eye(2), np.ones(2))
    >>> exact_error(flat, "output", [1, 10]).tolist()
    [2.0, 0.2]
    """
    L = np.asarray(lengths, dtype=float)
    if not setting.gaussian:
        found = _of_law(setting, tuple(np.atleast_1d(L).tolist()))
        curve = None if found is None else np.asarray(getattr(found, quantity))
        return None if curve is None or np.isnan(curve).any() else curve  # some of it may be lost in rounding
    if quantity != "grad_U":
        return _mean_token(setting, quantity, L)
    if setting.score_variance > (LARGEST_LAMBDA if setting.averaged else LARGEST_SCORE_VARIANCE):
        return None
    arrays = (setting.Gamma, setting.U, setting.V, setting.query)
    return _gradient_U(arrays, L, NEAR)


@lru_cache(maxsize=16)
def _of_law(setting: AttentionSetting, lengths: tuple[float, ...]) -> ExactErrors | None:
    """All errors for tokens of another law, in one call."""
    if setting.averaged:
        return None
    try:
        return exact_errors(setting.law, setting.U, setting.V, lengths, query=setting.query)
    except ValueError:  # its scores fluctuate beyond what the quadrature can do: then there is no exact curve
        return None


@lru_cache(maxsize=8)
def _moments(variances: tuple[float, ...], lengths: tuple[float, ...]) -> SoftmaxMoments:
    """Kept, since output and gradient in V are averages over the same nodes."""
    return softmax_moments(np.array(variances)[:, None], np.array(lengths))


def _mean_token(setting: AttentionSetting, quantity: Literal["output", "grad_V"], L: Floats) -> Floats:
    """Output and gradient in V, accurate enough to be compared with bounds that are equalities in a
    limit.
    """
    W, factor = setting.weight(quantity)
    law = setting.query_law(W, math.log(L.max()))
    P2, P3, Q = _moments(tuple(law.nodes.tolist()), tuple(L.ravel().tolist()))
    t = float(np.trace(W @ setting.Gamma))
    of_t, of_q = gaussian_second_moment(P2, P3, Q, 1.0, 0.0), gaussian_second_moment(P2, P3, Q, 0.0, 1.0)
    return np.asarray(factor * (t * law.density @ of_t + law.moment @ of_q))


def _gradient_U(arrays: tuple[Floats, ...], L: Floats, tolerance: float) -> Floats:
    Gamma, U, V, z = arrays
    query, query_cov = (None, z) if z.ndim == 2 else (z, None)
    return exact_errors(Gamma, U, V, L, query=query, query_cov=query_cov, tolerance=tolerance).grad_U


@lru_cache(maxsize=64)
def _far_gradient_U(content: tuple[tuple[tuple[int, ...], bytes], ...], decades: tuple[int, ...]) -> Floats:
    """Values at the powers of ten, each decade by itself: one quadrature for short and long prompts
    would have to be fine for both.

    Kept for the next report on the same setting, since this is the slowest of its curves.
    """
    arrays = tuple(np.frombuffer(data).reshape(shape) for shape, data in content)
    parts = [[k for k in decades if low <= k < high] for low, high in ((0, 12), (12, 35), (35, 80), (80, 101))]
    return np.concatenate([_gradient_U(arrays, 10.0 ** np.array(part), FAR) for part in parts if part])


def _spread(setting: AttentionSetting) -> float:
    """``ln E w^2 - 2 ln E w`` for the weights w = e^{a.Z} at one query, s if that is more: for
    Gaussian tokens both are s.

    Rare tokens of large score make it larger: L has to be long enough for them to occur.
    """
    s, law = setting.score_variance, setting.law
    if setting.gaussian or setting.averaged or law.log_mgf is None:
        return s
    a = setting.U @ setting.query
    return max(s, float(np.real(law.log_mgf(2 * a) - 2 * law.log_mgf(a))))


def far_slopes(setting: AttentionSetting) -> FarSlopes | None:
    """Slopes of the exact errors as far out as the sharp exponent needs to show, at most up to L =
    1e100.

    At a fixed query the next-order term is of size e^{2s}/L, with `_spread` for s where tokens are
    not Gaussian. On average the error is (ln L)^k L^-b, k <= d/2 + 1 for the output (Theorem B)
    and, as quadrature shows, two more for the gradient in U; the slope differs from -b by k / ln L
    and smaller terms.

    Returns
    -------
    FarSlopes or None
        None where nothing is exact.

    Examples
    --------
    >>> far = far_slopes(AttentionSetting(np.eye(1), np.eye(1), np.eye(1), np.ones(1)))
    >>> float(far.lengths[-1]), {quantity: round(float(slope[-1]), 6) for quantity, slope in far.slopes.items()}
    (1000000000000.0, {'output': -1.0, 'grad_V': -1.0, 'grad_U': -1.0})
    """
    sharp = sharp_exponent(setting)
    if sharp is None:
        return None
    s = _spread(setting)
    last = min(100, math.ceil((2 * s + 25) / math.log(10)))
    decades = DECADES if setting.averaged else (*range(1, min(last, 10)), *range(10, last, max(1, last // 10)), last)
    wanted = tuple(sorted({*decades, *(k - 1 for k in decades)}))
    L = 10.0 ** np.array(wanted)
    slopes: dict[Quantity, Floats] = {}
    errors: dict[Quantity, Floats] = {}
    for quantity in QUANTITIES:
        curve: Floats | None
        if sharp_exponent(setting, quantity) is None:
            continue
        if not setting.gaussian:
            curve = exact_error(setting, quantity, L)
        elif quantity != "grad_U":
            curve = _mean_token(setting, quantity, L)
        elif s <= (LARGEST_LAMBDA if setting.averaged else LARGEST_SCORE_VARIANCE):
            arrays = (setting.Gamma, setting.U, setting.V, setting.query)
            curve = _far_gradient_U(tuple((a.shape, a.tobytes()) for a in arrays), wanted)
        else:
            curve = None
        if curve is None:
            continue
        value = dict(zip(wanted, curve.tolist()))
        slopes[quantity] = np.array([math.log10(value[k] / value[k - 1]) for k in decades])
        errors[quantity] = np.array([value[k] for k in decades])
    if not slopes:
        return None
    power = {"output": setting.d / 2 + 2, "grad_V": setting.d / 2 + 2, "grad_U": setting.d / 2 + 4}
    margins = {quantity: power[quantity] / math.log(1e100) if setting.averaged else 1e-6 for quantity in slopes}
    return FarSlopes(10.0 ** np.array(decades), slopes, errors, -sharp, margins, reaches=s <= REACH[setting.averaged])
