"""The best width for long prompts: the minimiser of the limit of the loss."""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import minimize_scalar

from theory.attention.window.classes import Spectrum
from theory.attention.window.laws import long_prompt_loss

__all__ = ["long_prompt_window"]

#: Ratio of neighbouring widths that are compared first, and the largest width.
RATIO, LARGEST = 1.3, 1e12


def long_prompt_window(spectrum: Spectrum, whole: float) -> float:
    """The width that minimises ``B^2(w) + Q(w)/Lambda``, the loss for long prompts.

    Parameters
    ----------
    spectrum : Spectrum
        With degrees up to several times the root of the width.
    whole : float
        Lambda = n/sigma^2, which L^2 multiplies in the spectrum.

    Returns
    -------
    float
        To some eight digits; 0 if no window is best.

    Raises
    ------
    ValueError
        If Lambda is not a positive number.

    Examples
    --------
    >>> from theory.attention.window.classes import affine
    >>> round(long_prompt_window(affine(1).spectrum(3), 1e4), 4)
    6.5248
    """
    if not (math.isfinite(whole) and whole > 0):
        raise ValueError(f"Lambda = {whole!r} is not a positive number; it is n/sigma^2")
    value = lambda u: float(long_prompt_loss(spectrum, math.exp(u), whole))
    grid = np.arange(math.log(1e-3), math.log(LARGEST), math.log(RATIO))
    losses: list[float] = []
    for u in grid:  # up to where the noise alone is above the best loss
        losses.append(value(u))
        if losses[-1] > 4 * min(losses) and len(losses) > 10:
            break
    i = int(np.argmin(losses))
    if i == 0:
        return 0.0
    found = minimize_scalar(
        value, bounds=(grid[i - 1], grid[min(i + 1, len(grid) - 1)]), method="bounded", options={"xatol": 1e-10}
    )
    if float(long_prompt_loss(spectrum, 0.0, whole)) <= found.fun:
        return 0.0
    return math.exp(float(found.x))
