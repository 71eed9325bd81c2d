"""Nominal 95 % intervals cover so where the law is right, and far less where a term is missing:
Clopper-Pearson limits of the simulated share, at most 1e-6 of error each, fixed seeds.
"""

from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import beta

from numerics.rates.fits.log_power_law import log_power_fit
from numerics.rates.fits.power_law import ExponentFit, power_law_fit

RUNS, ERROR = 2000, 1e-6
LENGTHS = np.geomspace(20, 5000, 9)
Fit = Callable[[np.ndarray, np.ndarray, np.ndarray], ExponentFit]
PURE: Fit = lambda L, y, e: power_law_fit(L, y, e, order=None)
NEXT: Fit = lambda L, y, e: power_law_fit(L, y, e)


def limits(fit, alpha, truth, relative, level=0.95, runs=RUNS):
    """Of the probability that an interval holds alpha, at ERROR each; at RUNS 5 % apart."""
    noise = np.random.default_rng(20260101).standard_normal((runs, truth.size)) * relative
    intervals = np.array([fit(LENGTHS, y, relative * truth).interval(level) for y in truth * (1 + noise)])
    k = int(np.sum((intervals[:, 0] <= alpha) & (alpha <= intervals[:, 1])))
    low = float(beta.ppf(ERROR, k, runs - k + 1)) if k else 0.0
    return low, (float(beta.isf(ERROR, k + 1, runs - k)) if k < runs else 1.0)


@pytest.mark.parametrize("alpha", [0.3, 1.0])
@pytest.mark.parametrize("level", [0.5, 0.95])
def test_the_next_order_term_makes_intervals_honest(alpha, level):
    low, high = limits(NEXT, alpha, 2.0 * LENGTHS**-alpha * (1 - 0.5 / LENGTHS), 0.01, level)
    assert low <= level <= high


def test_a_straight_line_covers_too_little():
    """Measured to 1 %, a term of 1.5 % at the shortest length is enough: 68 to 82 %."""
    low, high = limits(PURE, 1.0, 2.0 / LENGTHS * (1 - 0.32 / LENGTHS), 0.01)
    assert 0.68 <= low <= high <= 0.82
    # It is the term that is missed, nothing else.
    low, high = limits(PURE, 1.0, 2.0 / LENGTHS, 0.01)
    assert low <= 0.95 <= high


def test_powers_of_the_logarithm():
    """With k from theory and the next order it covers; with another k not at all."""
    log = np.log(LENGTHS)
    truth = 2.0 * log**1.5 * LENGTHS**-0.6 * np.exp(0.8 / log)
    model = lambda k, b: lambda L, y, e: log_power_fit(L, y, e, log_power=k, next_order=b)
    low, high = limits(model(1.5, True), 0.6, truth, 0.01)
    assert low <= 0.95 <= high
    for wrong in (PURE, NEXT, model(1.5, False), model(0.5, True)):
        assert limits(wrong, 0.6, truth, 0.01, runs=300)[1] < 0.05
    # A fitted k costs precision, and is honest where there is no next order.
    low, high = limits(model(None, False), 0.6, 2.0 * log**1.5 * LENGTHS**-0.6, 0.01)
    assert low <= 0.95 <= high
