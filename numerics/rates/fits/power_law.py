"""Exponents from noisy measurements over the prompt length: local slopes, and the fit of a power
law with its next-order term.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from numerics.rates.fits.measurements import measurements, read_lengths
from theory.inputs.arrays import read_arrays
from theory.shown.result import in_a_line, in_a_table

__all__ = [
    "ExponentFit",
    "LocalSlopes",
    "PowerLawFit",
    "Solution",
    "doubts",
    "least_squares",
    "local_slopes",
    "power_law_fit",
    "slope_warning",
]

Floats = NDArray[np.float64]
#: A law is rejected if its p-value is below this.
REJECTED = 1e-3
#: How far the slope at the longest prompt may be from the fitted exponent before that counts as
#: extrapolated.
SLOPE_GAP = 0.05
#: Change of the local slope over a decade that is reported, if it also exceeds this number of
#: standard errors.
SLOPE_CHANGE, STANDARD_ERRORS = 0.02, 3.0
#: Terms of a law whose directions differ by less than this are one term up to rounding.
SAME_TERM = 1e-12


@dataclass(frozen=True)
class LocalSlopes:
    """Slopes of the log-log curve between neighbouring lengths."""

    #: Geometric mean of the two lengths that each slope joins.
    lengths: Floats
    #: d log y / d log L; a pure power law L^-a has -a throughout.
    slope: Floats
    #: Propagated from the two values; neighbouring slopes share a value and are correlated by -1/2
    #: for equal errors.
    standard_error: Floats

    __repr__ = in_a_line
    _repr_html_ = in_a_table


@dataclass(frozen=True, kw_only=True)
class ExponentFit:
    """What every fit of an exponent knows, whatever stands beside the power of L."""

    #: alpha and its standard error.
    exponent: float
    standard_error: float
    #: log A and B; B = 0 where no next-order term was fitted.
    log_amplitude: float
    correction: float
    #: Sum of squared standardised residuals and the degrees of freedom left.
    chi2: float
    dof: int
    #: Probability of a larger ``chi2`` if the law holds; 1 if no degree of freedom is left.
    p_value: float
    #: First and last length used.
    lengths: tuple[float, float]
    #: Number of lengths used.
    points: int
    #: Reasons not to trust the exponent; empty if there are none.
    warnings: tuple[str, ...]

    _repr_html_ = in_a_table

    @classmethod
    def of(cls, solution: Solution, L: Floats, *, next_order: bool, **others: Any) -> Self:
        """The fit from its linear model, whose parameters are log A, alpha and, if `next_order`, at
        last B; without warnings, and with the other fields of the class.
        """
        return cls(
            exponent=float(solution.parameters[1]),
            standard_error=float(solution.standard_errors[1]),
            log_amplitude=float(solution.parameters[0]),
            correction=float(solution.parameters[-1]) if next_order else 0.0,
            chi2=solution.chi2,
            dof=solution.dof,
            p_value=solution.p_value,
            lengths=(float(L[0]), float(L[-1])),
            points=L.size,
            warnings=(),
            **others,
        )

    @property
    def amplitude(self) -> float:
        """A; infinite where it overflows, as it may beside a next-order term that hardly falls."""
        with np.errstate(over="ignore"):
            return float(np.exp(self.log_amplitude))

    @property
    def aic(self) -> float:
        """Akaike's criterion, chi^2 plus twice the number of parameters: among laws fitted to the
        same values less is better.
        """
        return self.chi2 + 2 * (self.points - self.dof)

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Confidence interval of the exponent."""
        read_arrays(level=(level, ""))
        if not 0 < level < 1:
            raise ValueError(
                f"level = {level!r} is no probability; a confidence level lies strictly between 0 and 1, "
                "e.g. 0.95"
            )
        half = -NormalDist().inv_cdf((1 - level) / 2) * self.standard_error
        return self.exponent - half, self.exponent + half


@dataclass(frozen=True, kw_only=True)
class PowerLawFit(ExponentFit):
    """The law log y = log A - alpha log L + B / L^order, fitted by weighted least squares. To next
    order it is y = A L^-alpha (1 + B / L^order); in this form it is linear in its parameters, so
    that the interval is exact for Gaussian errors of log y and nothing can fail to converge.
    """

    #: Exponent of the next-order term; None for the pure power law.
    order: float | None

    def __call__(self, lengths: ArrayLike) -> Floats:
        """The fitted law at other lengths."""
        L = read_lengths(lengths)
        next_order = 0.0 if self.order is None else self.correction * L**-self.order
        return np.asarray(np.exp(self.log_amplitude + next_order - self.exponent * np.log(L)))


def local_slopes(lengths: ArrayLike, values: ArrayLike, standard_errors: ArrayLike) -> LocalSlopes:
    """Slopes of log y against log L between neighbouring lengths, which increase from 1 on, with
    propagated errors.
    """
    L, y, e = measurements(lengths, values, standard_errors, least=2)
    step = np.diff(np.log(L))
    relative = e / y
    return LocalSlopes(
        lengths=np.sqrt(L[1:] * L[:-1]),
        slope=np.diff(np.log(y)) / step,
        standard_error=np.hypot(relative[1:], relative[:-1]) / step,
    )


def power_law_fit(
    lengths: ArrayLike, values: ArrayLike, standard_errors: ArrayLike, *, order: float | None = 1.0
) -> PowerLawFit:
    """Fit y = A L^-alpha (1 + B / L^order + ...) with known, independent errors.

    A straight line through log y against log L misses its own interval as soon as the law has a
    next-order term: at a nominal 95 % the pure fit covers far less (shown in the tests). The term
    costs precision and buys an interval that can be believed.

    Parameters
    ----------
    lengths, values, standard_errors : array_like, shape (n,)
        Measurements at increasing lengths from 1 on; n >= 3, or n >= 2 for the pure law.
    order : float or None
        Exponent of the next-order term relative to the first, positive; None fits the pure power
        law.

    Returns
    -------
    PowerLawFit

    Raises
    ------
    TypeError, ValueError
        If something is not real, the shapes differ, a length is below 1, a number is not positive
        and finite, there are fewer lengths than parameters, or the lengths do not tell the terms of
        the law apart.

    Examples
    --------
    >>> L = np.array([10.0, 30.0, 100.0, 300.0, 1000.0])
    >>> fit = power_law_fit(L, 3 * np.exp(2 / L) / L, 0.01 / L)
    >>> round(fit.exponent, 6), round(fit.correction, 6), round(fit.amplitude, 6)
    (1.0, 2.0, 3.0)
    """
    if order is not None and not read_arrays(order=(order, ""))[0] > 0:
        raise ValueError(
            f"order = {order!r} must be positive: the next-order term B / L^order has to "
            "vanish for long prompts"
        )
    L, y, e = measurements(lengths, values, standard_errors, least=2 if order is None else 3)
    columns = [np.ones_like(L), -np.log(L)] + ([] if order is None else [L ** -float(order)])
    solution = least_squares(columns, np.log(y), y / e)
    fit = PowerLawFit.of(solution, L, next_order=order is not None, order=order)
    found = doubts(fit, float(np.max(e / y)))
    if order is not None:
        moving = abs(order * fit.correction) * fit.lengths[1] ** -order
        if moving > SLOPE_GAP:
            found.append(
                f"at the longest prompt the slope is still {moving:.2g} off the fitted "
                "exponent: an extrapolation"
            )
    return replace(fit, warnings=tuple(found))


class Solution(NamedTuple):
    """Parameters of a linear model with their errors, and how well it describes the target."""

    parameters: Floats
    standard_errors: Floats
    chi2: float
    dof: int
    p_value: float


def least_squares(columns: Sequence[Floats], target: Floats, weight: Floats) -> Solution:
    """Fit the linear model ``sum p_j columns_j`` to a target that is known with standard errors
    ``1 / weight``. ValueError if two terms are the same up to rounding where the weights are, or
    the fit leaves the range of floats.
    """
    design = np.stack(columns, axis=1) * weight[:, None]
    # Var = (X'X)^-1 through the triangular factor, which keeps twice the digits that X'X would.
    orthogonal, triangular = np.linalg.qr(design)
    if not np.all(np.abs(np.diag(triangular)) > SAME_TERM * np.linalg.norm(design, axis=0)):
        raise ValueError(
            "these lengths and errors do not tell the terms of the law apart: to rounding one term is a "
            "multiple of the others; measure over a wider range of lengths with errors of like size, or fit "
            "a law with fewer terms"
        )
    inverse = np.linalg.inv(triangular)
    with np.errstate(over="ignore", invalid="ignore"):
        parameters = inverse @ (orthogonal.T @ (target * weight))
        chi2, dof = float(np.sum((target * weight - design @ parameters) ** 2)), target.size - len(columns)
        errors = np.sqrt(np.sum(inverse**2, axis=1))
    if not (np.isfinite(parameters).all() and np.isfinite(errors).all() and np.isfinite(chi2)):
        raise ValueError(
            "the fit of this law leaves the range of floats; give a smaller power of ln L or errors nearer "
            "to the values"
        )
    return Solution(np.asarray(parameters, dtype=float), errors, chi2, dof, _chi2_tail(chi2, dof))


def _chi2_tail(chi2: float, dof: int) -> float:
    """The probability that a chi-squared variable with `dof` degrees of freedom exceeds chi2."""
    if dof == 0:
        return 1.0
    from scipy.special import gammaincc

    return float(gammaincc(dof / 2, chi2 / 2))


def doubts(fit: ExponentFit, worst_relative_error: float) -> list[str]:
    """Reasons not to trust a fit, whatever its law."""
    found: list[str] = []
    if fit.dof < 2:
        found.append(
            f"{fit.points} lengths leave {fit.dof} degrees of freedom: the fit can hardly contradict itself; "
            "add lengths"
        )
    if fit.lengths[1] < 10 * fit.lengths[0]:
        found.append(
            f"the lengths span a factor {fit.lengths[1] / fit.lengths[0]:.3g} only: take at least one decade"
        )
    if fit.p_value < REJECTED:
        found.append(
            f"chi^2 = {fit.chi2:.3g} on {fit.dof} degrees of freedom (p = {fit.p_value:.1e}): the law does "
            "not describe the data; start at longer prompts"
        )
    if worst_relative_error > 0.2:
        found.append(
            f"a value has a relative error of {worst_relative_error:.2g}: its logarithm is not "
            "Gaussian; add replicates"
        )
    return found


def slope_warning(lengths: ArrayLike, values: ArrayLike, standard_errors: ArrayLike) -> str | None:
    """A sentence with its numbers if the slope of the log-log curve still moves over the longer
    half of the lengths: by more than 0.02 a decade, and by three of its standard errors; None if
    not, or with fewer than four lengths. A parabola is fitted to log y over ln L; its slope changes
    by ``2 c ln 10`` over a decade.
    """
    L, y, e = measurements(lengths, values, standard_errors, least=1)
    if L.size < 4:
        return None
    last = slice(-max(4, (L.size + 1) // 2), None)
    x = np.log10(L[last])
    # Slope d ln y / d ln L = d log10 y / d log10 L, so that twice the curvature in log10 is the
    # change over a decade.
    solution = least_squares(
        [np.ones_like(x), x, x**2 / 2], np.log10(y[last]), math.log(10) * y[last] / e[last]
    )
    moves, error = float(solution.parameters[2]), float(solution.standard_errors[2])
    if abs(moves) <= max(SLOPE_CHANGE, STANDARD_ERRORS * error):
        return None
    first, end = L[last][0], L[last][-1]
    return (
        f"the slope still moves by {moves:+.3f} +- {error:.3f} a decade over L = {first:.0f} to {end:.0f}: "
        "not the exponent yet"
    )
