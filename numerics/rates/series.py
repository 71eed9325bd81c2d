"""One quantity of a rate report over the prompt lengths: its measurement, what theory says about
it, and the exponents fitted to it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from numerics.attention.bound_curves import Bound, bounds
from numerics.attention.curve import exact_error
from numerics.attention.exponents import log_power, next_order, sharp_exponent
from numerics.attention.sampled.diagnostics import doubtful
from numerics.attention.sampled.estimate import Estimate
from numerics.attention.setting import AttentionSetting, Quantity
from numerics.rates.fits.models import UNDETERMINED, Models, rate_models
from numerics.rates.fits.power_law import LocalSlopes, PowerLawFit, local_slopes, power_law_fit
from theory.shown.result import in_a_line

__all__ = ["NAMES", "Series", "series_of"]

Floats = NDArray[np.float64]
#: Fewest lengths in a fit.
FEWEST_LENGTHS = 5
#: Relative rounding of a measured error: tokens are drawn in float32, and an error that does not
#: vary at all is known no better.
ROUNDING = 1e-6
#: Standard errors by which the fit of the exact curve may miss the sharp exponent.
FIT_BIAS = 0.25
#: Longest prompt that anyone would simulate.
LONGEST_FEASIBLE = 1e7
#: The names of the quantities in sentences.
NAMES = {"output": "output", "grad_V": "gradient in V", "grad_U": "gradient in U"}


@dataclass(frozen=True, eq=False)
class Series:
    """One quantity over the prompt lengths: measurement, theory and fits."""

    quantity: Quantity
    #: Monte Carlo estimate of the mean squared error.
    estimate: Estimate
    #: From queries too rare for the sample, see `sampled.rare_queries`: their part of
    #: the exact mean, and what they add to the standard error. The part is counted beyond their
    #: number, and 0 where nothing is exact. The error also counts prompts too rare for it, see
    #: `numerics.attention.sampled.rare_prompts`.
    rare_share: Floats
    rare_error: Floats
    #: By quadrature, where there is a formula.
    exact: Floats | None
    bounds: tuple[Bound, ...]
    #: The slopes of the measured curve.
    slopes: LocalSlopes
    #: Shape (n - 1,).
    exact_slopes: Floats | None
    #: The exponent that theory gives, None where it gives none.
    sharp: float | None
    #: With the next-order term over the lengths from which it can be trusted, and the straight line
    #: over the same lengths; None if there are too few lengths.
    fit: PowerLawFit | None
    pure: PowerLawFit | None
    #: Whether the same fit recovers the sharp exponent from the exact curve, to a quarter of a
    #: standard error that is below 0.05.
    trusted: bool
    #: Why it is trusted or not.
    reason: str
    #: Laws beside each other, over the lengths of a trusted fit or else over all that are well
    #: measured, and whether they show the exponent; None if there are too few lengths.
    models: Models | None

    __repr__ = in_a_line

    @property
    def mean(self) -> Floats:
        """Measured mean squared error, shape (n,)."""
        return self.estimate.mean

    @property
    def standard_error(self) -> Floats:
        """Its standard error, shape (n,)."""
        return self.estimate.standard_error

    @property
    def error(self) -> Floats:
        """The standard error for fits and comparisons, shape (n,): at least rounding, and with what
        is too rare to be seen in the sample.
        """
        return np.hypot(np.maximum(self.standard_error, ROUNDING * self.mean), self.rare_error)

    @property
    def largest_share(self) -> Floats:
        """Part of the mean that the largest replicate makes up, shape (n,)."""
        return self.estimate.largest_share


def series_of(
    setting: AttentionSetting,
    quantity: Quantity,
    L: Floats,
    estimate: Estimate,
    rare_error: Floats,
    replicates: int,
) -> Series:
    """The series of one quantity: everything that theory says about it, and its fits."""
    exact = exact_error(setting, quantity, L)
    # With one token the gradient in U is 0: its error is not random, and no slope starts there.
    random = (estimate.mean > 0) & ~((L == 1) & (quantity == "grad_U"))
    series = Series(
        quantity=quantity,
        estimate=estimate,
        rare_share=np.zeros(L.size),
        rare_error=rare_error,
        exact=exact,
        bounds=bounds(setting, quantity, L, float(estimate.mean[0])),
        slopes=LocalSlopes(*np.empty((3, 0))),
        exact_slopes=None if exact is None else np.diff(np.log(exact[random])) / np.diff(np.log(L[random])),
        sharp=sharp_exponent(setting, quantity),
        fit=None,
        pure=None,
        trusted=False,
        reason="",
        models=None,
    )
    if random.sum() > 1:
        series = replace(series, slopes=local_slopes(L[random], series.mean[random], series.error[random]))
    usable = np.flatnonzero(random & (L > 1) & ~doubtful(estimate, replicates))
    return _fitted(series, setting, L, usable)


def _advice(setting: AttentionSetting) -> str:
    """What to do where the sharp exponent does not show. For Gaussian tokens at one query the next
    order is of size e^{2s}/L, which tells the length that would be needed.
    """
    s = setting.score_variance
    if setting.averaged or not setting.gaussian or 2 * s < math.log(LONGEST_FEASIBLE):
        return "go to longer prompts"
    return f"no feasible length shows it: that takes L of some e^(2s) = 1e{2 * s / math.log(10):.0f}"


def _fitted(series: Series, setting: AttentionSetting, L: Floats, usable: NDArray[np.intp]) -> Series:
    """The series with fits over the longest range on which the same fit finds the sharp exponent in
    the exact curve.
    """
    # The range is chosen by the exact curve and the relative standard errors, never by the measured
    # means, so that the interval keeps its coverage; up to the fact that low means of skewed
    # samples come with low standard errors.
    if usable.size < FEWEST_LENGTHS:
        return replace(
            series,
            reason=f"lengths above 1 and well measured: {usable.size}; a fit takes {FEWEST_LENGTHS} or more",
        )
    relative, order = series.error / series.mean, next_order(setting, series.quantity)

    def fit(values: Floats, part: NDArray[np.intp], with_term: bool = True) -> PowerLawFit:
        return power_law_fit(
            L[part], values[part], (relative * values)[part], order=(order or 1.0) if with_term else None
        )

    part, trusted = usable[-max(FEWEST_LENGTHS, usable.size // 2) :], False
    if series.exact is None or series.sharp is None:
        reason = "theory gives no exact curve here to try the fit on"
    elif order is None:
        reason = (
            "lambda >= 1/2: the exact law carries powers of ln L, which no fit over feasible lengths "
            "separates from the exponent"
        )
    else:
        reason = (
            "at these lengths and errors the same fit does not find the sharp exponent in the exact "
            f"curve; {_advice(setting)}"
        )
        for start in range(usable.size - FEWEST_LENGTHS + 1):
            trial = fit(series.exact, usable[start:])
            if (
                abs(trial.exponent - series.sharp) <= FIT_BIAS * trial.standard_error
                and trial.standard_error < UNDETERMINED
            ):
                part, trusted = usable[start:], True
                reason = f"from the exact curve the same fit recovers {trial.exponent:.4f}"
                break
    shown = part if trusted else usable
    models = rate_models(
        L[shown],
        series.mean[shown],
        series.error[shown],
        exact=None if series.exact is None else series.exact[shown],
        sharp=series.sharp,
        order=order,
        log_power=log_power(setting, series.quantity),
    )
    return replace(
        series,
        fit=fit(series.mean, part),
        pure=fit(series.mean, part, False),
        trusted=trusted,
        reason=reason,
        models=models,
    )
