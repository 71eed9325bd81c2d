"""The best width for long prompts: the minimiser of the limit of the loss."""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import brentq, minimize_scalar

from theory.attention.window.classes import Spectrum
from theory.attention.window.laws import (
    bessel_quotient,
    effective_samples,
    expansion_without_window,
    long_prompt_loss,
)

__all__ = ["long_prompt_window"]

#: Ratio of neighbouring widths that are compared first, and the least and the largest width.
RATIO, LEAST, LARGEST = 1.3, 1e-3, 1e12
#: Below this width two orders of the expansion at 0 give the best one to a share of the width.
TINY = 1e-9
#: A number of tokens beyond which all prompts are long.
MANY = 2**53


def long_prompt_window(spectrum: Spectrum, whole: float) -> float:
    """The width that minimises ``B^2(w) + Q(w)/Lambda``, the loss for long prompts with
    Lambda = n/sigma^2, which L^2 multiplies in the spectrum; 0 if no window is best. To some eight
    digits, and five where it is below 1/10. The spectrum needs degrees up to several times the root
    of the width.
    """
    if not (math.isfinite(whole) and whole > 0):
        raise ValueError(f"Lambda = {whole!r} is not a positive number; it is n/sigma^2")
    value = lambda u: float(long_prompt_loss(spectrum, math.exp(u), whole))
    grid = np.arange(math.log(LEAST), math.log(LARGEST), math.log(RATIO))
    losses: list[float] = []
    for u in grid:  # up to where the noise alone is above the best loss
        with np.errstate(over="ignore"):
            losses.append(value(u))
        if losses[-1] > 4 * min(losses) and len(losses) > 10:
            break
    if not np.isfinite(losses).all():
        raise ValueError(
            f"the limit of the loss leaves the range of floats in dimension {spectrum.d}; ask "
            "optimal_window at a large n"
        )
    i = int(np.argmin(losses))
    if i == 0:
        return _below(spectrum, whole)
    found = minimize_scalar(
        value,
        bounds=(grid[i - 1], grid[min(i + 1, len(grid) - 1)]),
        method="bounded",
        options={"xatol": 1e-10},
    )
    if float(long_prompt_loss(spectrum, 0.0, whole)) <= found.fun:
        return 0.0
    return math.exp(float(found.x))


def _below(spectrum: Spectrum, whole: float) -> float:
    """The best width below the least that is compared: 0 unless the tasks have a linear part, with
    which the loss falls from w = 0 on.
    """
    slope, curvature = expansion_without_window(spectrum, MANY, MANY / whole)
    if slope == 0 or curvature <= 0:
        return 0.0
    first = -slope / (2 * curvature)
    if first <= TINY:
        return first
    return float(
        brentq(
            lambda w: _derivative(spectrum, w, whole) / -slope,
            first / 4,
            min(4 * first, 4 * LEAST),
            xtol=1e-300,
        )
    )


def _derivative(spectrum: Spectrum, w: float, whole: float) -> float:
    """The derivative of ``B^2(w) + Q(w)/Lambda``, in which nothing cancels for small widths."""
    d, x, k = spectrum.d, 2 * w, np.arange(1, len(spectrum.b))
    one, two = (float(bessel_quotient(d, 1, y)) for y in (x, 2 * x))
    rho = bessel_quotient(d, k, x)
    steeper = bessel_quotient(d, k + 1, x) + (k / x - one) * rho
    return float(
        -4 * (spectrum.b[1:] * (1 - rho)) @ steeper + 4 * effective_samples(d, w) * (two - one) / whole
    )
