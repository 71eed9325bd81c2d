"""Power laws beside powers of the logarithm: recovery, coverage, and Theorem B far out."""

import math

import numpy as np
import pytest

from numerics import log_power_fit
from numerics.attention.curve import exact_error
from numerics.attention.exponents import theorem_B_law
from numerics.rates.fits.power_law import power_law_fit
from tests.numerics.rates.settings import averaged

NEAR = np.geomspace(20, 20_000, 9)
FAR = 10.0 ** np.arange(20, 101, 10)


def law(L: np.ndarray, alpha: float = 0.6, k: float = 1.5, B: float = 0.8) -> np.ndarray:
    """With a next-order term of another form than the one that is fitted."""
    return 2.0 * np.log(L) ** k * L**-alpha * (1 + B / np.log(L))


@pytest.mark.parametrize("log_power", [1.5, None])
@pytest.mark.parametrize("next_order", [True, False])
def test_the_fitted_law_is_recovered_exactly(log_power, next_order):
    log = np.log(NEAR)
    y = 0.7 * log**1.5 * NEAR**-0.4 * np.exp(1.7 * next_order / log)
    fit = log_power_fit(NEAR, y, 0.01 * y * NEAR**0.1, log_power=log_power, next_order=next_order)
    assert (fit.exponent, fit.log_power, fit.amplitude) == pytest.approx((0.4, 1.5, 0.7), rel=1e-7)
    assert fit.correction == pytest.approx(1.7 * next_order, rel=1e-7)
    expected = 0.7 * np.log(FAR) ** 1.5 * FAR**-0.4 * np.exp(1.7 * next_order / np.log(FAR))
    assert fit(FAR) == pytest.approx(expected, rel=1e-5)
    assert (fit.log_power_error > 0) == (log_power is None)


def test_without_a_power_of_the_logarithm_it_is_the_pure_power_law():
    y = law(NEAR) * (1 + 0.01 * np.sin(NEAR))
    one = power_law_fit(NEAR, y, 0.01 * y, order=None)
    two = log_power_fit(NEAR, y, 0.01 * y, log_power=0.0, next_order=False)
    wanted = (one.exponent, one.standard_error, one.chi2, one.aic)
    assert (two.exponent, two.standard_error, two.chi2, two.aic) == pytest.approx(wanted, rel=1e-12)


def test_a_fitted_power_of_the_logarithm_costs_the_exponent_its_precision():
    """Over three decades ln ln L is nearly a straight line in ln L."""
    y = law(NEAR)
    known, free = (log_power_fit(NEAR, y, 0.01 * y, log_power=k, next_order=False) for k in (1.5, None))
    assert free.standard_error > 5 * known.standard_error
    assert free.chi2 <= known.chi2


@pytest.mark.parametrize("d", [1, 2])
@pytest.mark.parametrize("lam", [0.5, 1.0, 2.0])
def test_theorem_B_shows_far_out(lam, d):
    """At 1e20 to 1e100 Theorem B's power of ln L finds the exponent; the pure power does not."""
    setting = averaged(lam, d)
    exact, theorem = exact_error(setting, "output", FAR), theorem_B_law(setting)
    k = float(theorem.log_power)
    read = lambda next: log_power_fit(FAR, exact, 0.01 * exact, log_power=k, next_order=next)
    # measured: 2e-6 at lambda = 1/2 to 2.5e-4 at 2
    assert read(True).exponent == pytest.approx(theorem.exponent, abs=4e-4)
    assert read(False).exponent == pytest.approx(theorem.exponent, abs=1e-3)
    pure = power_law_fit(FAR, exact, 0.01 * exact, order=None)
    assert abs(pure.exponent - theorem.exponent) > 5 * abs(read(False).exponent - theorem.exponent)
    assert abs(pure.exponent - theorem.exponent) > 3e-3
    # The power itself, where the next order is small enough to leave it alone.
    if lam <= 1:
        free = log_power_fit(FAR, exact, 0.01 * exact, log_power=None, next_order=False)
        assert free.log_power == pytest.approx(theorem.log_power, abs=0.05)


def test_theorem_B_does_not_show_near_by():
    """The same laws on L = 10 to 10000: off by a hundredth to a fifth."""
    setting = averaged(2.0)
    L = np.geomspace(10, 1e4, 9).round()
    exact, theorem = exact_error(setting, "output", L), theorem_B_law(setting)
    for next_order in (False, True):
        fit = log_power_fit(L, exact, 0.01 * exact, log_power=float(theorem.log_power), next_order=next_order)
        assert abs(fit.exponent - theorem.exponent) > 10 * fit.standard_error
        assert any("extrapolation" in warning for warning in fit.warnings)


@pytest.mark.parametrize(
    ("lengths", "log_power", "message"),
    [
        ([1, 2, 3, 4], 1.0, "powers of ln L"),
        ([2, 3, 4], None, "determine no exponent"),
        ([2, 3], 1.0, "determine no exponent"),
        ([2, 3, 4, 5], math.nan, "must be finite"),
        ([2, 3, 5, 4], 1.0, "increasing"),
    ],
)
def test_bad_arguments_are_refused(lengths, log_power, message):
    L = np.array(lengths, dtype=float)
    with pytest.raises(ValueError, match=message):
        log_power_fit(L, 1 / L, 0.01 / L, log_power=log_power)
