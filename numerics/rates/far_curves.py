"""Slopes of the exact errors up to L = 1e100, where no simulation reaches and the exponent
separates from powers of ln L.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from numerics.attention.curve import exact_error
from numerics.attention.exponents import sharp_exponent
from numerics.attention.setting import QUANTITIES, AttentionSetting, Quantity
from theory.shown.result import in_a_line

__all__ = ["FarSlopes", "far_slopes"]

Floats = NDArray[np.float64]
#: Largest `_spread` at a fixed query (False), and largest lambda on average (True), for which L =
#: 1e100 is long enough to show the exponent.
LARGEST_SPREAD = {False: 110.0, True: 8.0}
#: Relative error of averages over the query that suffices for slopes.
TOLERANCE = 1e-2
#: Powers of ten at which far slopes over queries are computed.
DECADES = (1, 2, 3, 4, 5, 6, 8, 10, 20, 30, 50, 100)


@dataclass(frozen=True, eq=False)
class FarSlopes:
    """Slopes of the exact errors where no simulation reaches: each from a tenth of a length to that
    length.
    """

    #: Shape (n,).
    lengths: Floats
    #: For each quantity that has an exact curve of positive errors.
    slopes: Mapping[Quantity, Floats]
    #: The exact errors themselves.
    errors: Mapping[Quantity, Floats]
    #: The exponent that the slopes approach, with a minus sign.
    sharp: float
    #: How far from it logarithms may still keep the last slope.
    margins: Mapping[Quantity, float]
    #: Whether L = 1e100 is long enough for the exponent to show at all.
    reaches: bool

    __repr__ = in_a_line

    @property
    def slope(self) -> Floats:
        """The slopes of the output."""
        return self.slopes["output"]


@lru_cache(maxsize=64)
def _far_gradient_U(setting: AttentionSetting, decades: tuple[int, ...]) -> Floats | None:
    """The error of the gradient in U at powers of ten, each range of them by itself: one quadrature
    for short and long prompts would have to be fine for both. Kept for the next report on the same
    setting, since this is the slowest of its curves.
    """
    parts = [
        [k for k in decades if low <= k < high] for low, high in ((0, 12), (12, 35), (35, 80), (80, 101))
    ]
    curves = [
        exact_error(setting, "grad_U", 10.0 ** np.array(part), tolerance=TOLERANCE) for part in parts if part
    ]
    known = [curve for curve in curves if curve is not None]
    return np.concatenate(known) if len(known) == len(curves) else None


def _spread(setting: AttentionSetting) -> float:
    """The larger of s and ``ln E w^2 - 2 ln E w`` for the weights w = e^{a.Z} at one query; for
    Gaussian tokens both are s. Rare tokens of large score make it larger: L has to be so long that
    they occur.
    """
    s, law = setting.score_variance, setting.law
    if setting.gaussian or setting.averaged or law.log_mgf is None:
        return s
    a = setting.U @ setting.query
    return max(s, float(np.real(law.log_mgf(2 * a) - 2 * law.log_mgf(a))))


def far_slopes(setting: AttentionSetting) -> FarSlopes | None:
    """Slopes of the exact errors up to the length at which the sharp exponent shows, at most up to
    L = 1e100; None where the error of the output is not exact, or zero.
    """
    # At a fixed query the next-order term is of size e^{2s}/L, with `_spread` for s where tokens
    # are not Gaussian. On average the error is (ln L)^k L^-b, k <= d/2 + 1 for the output (Theorem
    # B) and, as quadrature shows, two more for the gradient in U; the slope differs from -b by k /
    # ln L and smaller terms.
    sharp = sharp_exponent(setting)
    if sharp is None:
        return None
    s = _spread(setting)
    last = min(100, math.ceil((2 * s + 25) / math.log(10)))
    decades = (
        DECADES
        if setting.averaged
        else (*range(1, min(last, 10)), *range(10, last, max(1, last // 10)), last)
    )
    wanted = tuple(sorted({*decades, *(k - 1 for k in decades)}))
    L = 10.0 ** np.array(wanted)
    slopes: dict[Quantity, Floats] = {}
    errors: dict[Quantity, Floats] = {}
    for quantity in QUANTITIES:
        if sharp_exponent(setting, quantity) is None:
            continue
        by_decades = setting.gaussian and quantity == "grad_U"
        curve = _far_gradient_U(setting, wanted) if by_decades else exact_error(setting, quantity, L)
        if (
            curve is None or not (curve > 0).all()
        ):  # an error of zero, or below the range of floats, has no slope
            continue
        value = dict(zip(wanted, curve.tolist()))
        slopes[quantity] = np.array([math.log10(value[k] / value[k - 1]) for k in decades])
        errors[quantity] = np.array([value[k] for k in decades])
    if "output" not in slopes:
        return None
    power = {"output": setting.d / 2 + 2, "grad_V": setting.d / 2 + 2, "grad_U": setting.d / 2 + 4}
    margins = {
        quantity: power[quantity] / math.log(1e100) if setting.averaged else 1e-6 for quantity in slopes
    }
    return FarSlopes(
        10.0 ** np.array(decades),
        slopes,
        errors,
        -sharp,
        margins,
        reaches=s <= LARGEST_SPREAD[setting.averaged],
    )
