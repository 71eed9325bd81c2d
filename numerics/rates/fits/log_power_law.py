"""The fit of power laws with a power of ln L beside them, as Theorem B has them for a Gaussian
query with lambda >= 1/2.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from numerics.rates.fits.measurements import measurements, read_lengths
from numerics.rates.fits.power_law import SLOPE_GAP, ExponentFit, doubts, least_squares
from theory.inputs.arrays import read_arrays
from theory.inputs.kinds import check_kind

__all__ = ["LogPowerFit", "log_power_fit"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class LogPowerFit(ExponentFit):
    """The law log y = log A + k log ln L - alpha log L + B / ln L, fitted by weighted least
    squares. To next order it is y = A (ln L)^k L^-alpha (1 + B / ln L); in this form it is linear
    in its parameters, k among them.
    """

    #: k and its standard error, which is 0 for a k that was given.
    log_power: float
    log_power_error: float

    def __call__(self, lengths: ArrayLike) -> Floats:
        """The fitted law at other lengths."""
        log = np.log(read_lengths(lengths, of_log=True))
        powers = self.log_power * np.log(log) - self.exponent * log
        return np.asarray(np.exp(self.log_amplitude + powers + self.correction / log))


def log_power_fit(
    lengths: ArrayLike,
    values: ArrayLike,
    standard_errors: ArrayLike,
    *,
    log_power: float | None,
    next_order: bool = True,
) -> LogPowerFit:
    """Fit y = A (ln L)^k L^-alpha (1 + B / ln L + ...) with known, independent errors.

    Over two or three decades ln ln L is almost a straight line in ln L, and a power of the
    logarithm passes for a change of the exponent: the standard error says how far. With k from
    theory the exponent is a matter of long prompts; at feasible ones compare the exact curve
    (`numerics.exact_errors`) first.

    Parameters
    ----------
    lengths, values, standard_errors : array_like, shape (n,)
        Measurements at increasing lengths above 1, as many as parameters at least: 2, one more if k
        is fitted, one more for B.
    log_power : float or None
        k if it is known; None fits it.
    next_order : bool
        Whether to fit B.

    Returns
    -------
    LogPowerFit

    Raises
    ------
    TypeError, ValueError
        As in `numerics.rates.fits.power_law.power_law_fit`, and if a length is 1 or ``log_power``
        is not finite.

    Examples
    --------
    >>> L = np.array([1e2, 1e4, 1e8, 1e16, 1e32])
    >>> fit = log_power_fit(L, 3 * np.log(L) ** 1.5 / L, 0.01 / L, log_power=None, next_order=False)
    >>> round(fit.exponent, 6), round(fit.log_power, 6), round(fit.amplitude, 6)
    (1.0, 1.5, 3.0)
    """
    check_kind(bool, next_order=next_order)
    known = 0.0 if log_power is None else float(read_arrays(log_power=(log_power, ""))[0])
    if abs(known) > 1e6:
        raise ValueError(f"log_power = {known:g} is beyond 1e6; no rate has such a power of the logarithm")
    L, y, e = measurements(lengths, values, standard_errors, least=2 + (log_power is None) + bool(next_order))
    log = np.log(read_lengths(L, of_log=True))
    columns = (
        [np.ones_like(L), -log]
        + ([np.log(log)] if log_power is None else [])
        + ([1 / log] if next_order else [])
    )
    solution = least_squares(columns, np.log(y) - known * np.log(log), y / e)
    k, k_error = (solution.parameters[2], solution.standard_errors[2]) if log_power is None else (known, 0.0)
    fit = LogPowerFit.of(
        solution, L, next_order=next_order, log_power=float(k), log_power_error=float(k_error)
    )
    found = doubts(fit, float(np.max(e / y)))
    moving = (
        abs(fit.log_power) / log[-1] + abs(fit.correction) / log[-1] ** 2
    )  # they may cancel, but not for long
    if moving > SLOPE_GAP:
        found.append(
            f"at the longest prompt logarithms keep the slope up to {moving:.2g} off the "
            "exponent: an extrapolation"
        )
    return replace(fit, warnings=tuple(found))
