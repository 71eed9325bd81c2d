"""The fits: what they recover exactly, what their intervals cover, and when they warn."""

import math
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest

from numerics.rates.fits.log_power_law import log_power_fit
from numerics.rates.fits.power_law import PowerLawFit, local_slopes, power_law_fit, slope_warning

LENGTHS = np.geomspace(20, 5000, 9)


def law(L: np.ndarray, alpha: float = 1.0, B: float = -2.0) -> np.ndarray:
    return 2.0 * L**-alpha * (1 + B / L)


def simulated_fits(order: float | None, runs: int, relative: float, **kwargs: float) -> list[PowerLawFit]:
    rng = np.random.default_rng(20260101)
    truth = law(LENGTHS, **kwargs)
    noise = rng.standard_normal((runs, LENGTHS.size)) * relative
    return [power_law_fit(LENGTHS, y, relative * truth, order=order) for y in truth * (1 + noise)]


def test_reported_error_is_the_spread_of_the_estimates():
    fits = simulated_fits(1.0, 2000, 0.01)
    spread = np.std([fit.exponent for fit in fits])
    # the spread of 2000 values is known to 1.6 %
    assert spread == pytest.approx(fits[0].standard_error, rel=0.1)
    # uniform: standard error 0.0065
    assert np.mean([fit.p_value for fit in fits]) == pytest.approx(0.5, abs=0.05)


@pytest.mark.parametrize("order", [0.3, 1.0, 2.0])
def test_the_fitted_law_is_recovered_exactly(order):
    y = 0.7 * LENGTHS**-0.4 * np.exp(1.7 * LENGTHS**-order)
    fit = power_law_fit(LENGTHS, y, 0.01 * y * LENGTHS**0.1, order=order)
    assert (fit.exponent, fit.correction, fit.amplitude) == pytest.approx((0.4, 1.7, 0.7), rel=1e-9)
    assert fit(LENGTHS) == pytest.approx(y)
    assert fit.chi2 < 1e-15


def test_units_do_not_matter():
    """Units of y change the amplitude only; units of the errors the width only."""
    y = law(LENGTHS) * (1 + 0.01 * np.sin(LENGTHS))
    one = power_law_fit(LENGTHS, y, 0.01 * y)
    scaled = power_law_fit(LENGTHS, 1e30 * y, 1e28 * y)
    wide = power_law_fit(LENGTHS, y, 0.02 * y)
    assert (scaled.exponent, scaled.standard_error) == pytest.approx((one.exponent, one.standard_error))
    assert scaled.amplitude == pytest.approx(1e30 * one.amplitude)
    expected = (one.exponent, 2 * one.standard_error, one.chi2 / 4)
    assert (wide.exponent, wide.standard_error, wide.chi2) == pytest.approx(expected)


def test_standard_error_against_the_textbook_formula():
    """Pure law, equal errors: se = relative / sqrt(sum (x - mean x)^2)."""
    y = LENGTHS**-0.5
    fit = power_law_fit(LENGTHS, y, 0.03 * y, order=None)
    known = 0.03 / math.sqrt(np.sum((np.log(LENGTHS) - np.log(LENGTHS).mean()) ** 2))
    assert fit.standard_error == pytest.approx(known)
    low, high = fit.interval(0.95)
    assert (high - low) / 2 == pytest.approx(1.959963985 * fit.standard_error)


def test_local_slopes_of_a_power_law_and_their_errors():
    slopes = local_slopes(LENGTHS, 5 * LENGTHS**-0.7, 0.05 * LENGTHS**-0.7)
    assert slopes.slope == pytest.approx(-0.7)
    assert slopes.lengths**2 == pytest.approx(LENGTHS[1:] * LENGTHS[:-1])
    rng = np.random.default_rng(3)
    drawn = lambda: (1 + 0.01 * rng.standard_normal(9)) / LENGTHS
    draws = [local_slopes(LENGTHS, drawn(), 0.01 / LENGTHS).slope for _ in range(2000)]
    assert np.std(draws, axis=0) == pytest.approx(slopes.standard_error, rel=0.1)
    assert np.corrcoef(np.array(draws).T)[0, 1] == pytest.approx(-0.5, abs=0.1)  # as the docstring warns


@pytest.mark.parametrize(
    ("lengths", "relative", "B", "word"),
    [
        ([10, 100, 1000, 3000], 0.01, 0.0, "degrees of freedom"),
        ([100, 200, 300, 400, 500, 600], 0.01, 0.0, "decade"),
        ([10, 12, 30, 100, 300, 1000], 1e-4, -9.0, "does not describe"),
        ([10, 20, 40, 60, 80, 100], 0.01, -8.0, "extrapolation"),
        ([10, 30, 100, 300, 1000, 3000], 0.4, 0.0, "not Gaussian"),
    ],
)
def test_untrustworthy_fits_say_so(lengths, relative, B, word):
    L = np.array(lengths, dtype=float)
    y = law(L, B=B)
    assert any(word in warning for warning in power_law_fit(L, y, relative * y).warnings)


def test_a_good_fit_does_not_warn_and_takes_any_container_of_real_numbers():
    plain = power_law_fit(LENGTHS, law(LENGTHS), 0.01 * law(LENGTHS))
    assert plain.warnings == ()
    read_only = law(LENGTHS)
    read_only.setflags(write=False)
    fractions, every_other = [Fraction(x) for x in LENGTHS], np.repeat(0.01 * law(LENGTHS), 2)[::2]
    assert power_law_fit(fractions, read_only, every_other) == plain


def test_an_amplitude_may_overflow():
    """A next-order term that hardly falls has a constant of any size beside it."""
    y = law(LENGTHS) * (1 + 0.01 * np.sin(LENGTHS))
    fit = power_law_fit(LENGTHS, y, 0.01 * y, order=1e-5)
    assert math.isinf(fit.amplitude) or fit.amplitude == 0
    assert fit.standard_error > 100
    assert fit(LENGTHS) == pytest.approx(y, rel=0.1)


@pytest.mark.parametrize(
    ("lengths", "values", "errors", "message"),
    [
        ([1, 2], [1.0, 1.0], [0.1, 0.1], "determine no exponent"),
        ([1, 2, 3], [1.0, 1.0], [0.1, 0.1], "shapes"),
        ([1, 3, 2], [1.0, 1.0, 1.0], [0.1] * 3, "increasing"),
        ([0, 1, 2], [1.0, 1.0, 1.0], [0.1] * 3, "at least 1"),
        ([1e-307, 1e-306, 1e-305], [1.0, 1.0, 1.0], [0.1] * 3, "at least 1"),
        ([1, 2, 2], [1.0, 1.0, 1.0], [0.1] * 3, "increasing"),
        ([1e16, 1e16 + 2, 1e16 + 4], [1.0, 1.0, 1.0], [0.1] * 3, "further from the last than rounding"),
        ([1, 2, math.inf], [1.0, 1.0, 1.0], [0.1] * 3, "finite"),
        ([1, 2, 10**400], [1.0, 1.0, 1.0], [0.1] * 3, "beyond the range of floats"),
        ([1, 2, 3], [1e300] * 3, [1e-300] * 3, "errors nearer to the values"),
        ([1, 2, 3], [1e-300] * 3, [1e300] * 3, "errors nearer to the values"),
        ([10, 20, 30], [1.0] * 3, [1e-90, 0.1, 0.1], "tell the terms of the law apart"),
        ([1, 2, 3], [1.0, 0.0, 1.0], [0.1] * 3, "logarithms"),
        ([1, 2, 3], [1.0, math.nan, 1.0], [0.1] * 3, "finite"),
        ([1, 2, 3], [1.0, 1.0, 1.0], [0.1, 0.0, 0.1], "weights"),
    ],
)
def test_bad_measurements_are_refused(lengths, values, errors, message):
    with pytest.raises(ValueError, match=message):
        power_law_fit(lengths, values, errors)


NO_REAL_NUMBERS: list[Any] = [
    LENGTHS * (1 + 0j),
    LENGTHS.astype(str),
    LENGTHS > 0,
    np.array([1j, *LENGTHS[1:]], dtype=object),
    np.array(["20", *LENGTHS[1:]], dtype=object),
    np.array([True, *LENGTHS[1:]], dtype=object),
    np.array([None, *LENGTHS[1:]], dtype=object),
    np.ma.array(LENGTHS, mask=LENGTHS < 100),
    [[1.0], [2.0, 3.0]],
    None,
]


@pytest.mark.parametrize("place", range(3))
@pytest.mark.parametrize("wrong", NO_REAL_NUMBERS, ids=[repr(x)[:24] for x in NO_REAL_NUMBERS])
@pytest.mark.parametrize(
    "fit", [power_law_fit, local_slopes, slope_warning, partial(log_power_fit, log_power=None)]
)
def test_what_is_not_real_is_refused_and_never_made_so(fit, wrong, place):
    """The imaginary part of a complex array would go in silence."""
    given: list[Any] = [LENGTHS, law(LENGTHS), 0.01 * law(LENGTHS)]
    fit(*given)
    given[place] = wrong
    with pytest.raises(TypeError, match="array of real numbers"):
        fit(*given)


def test_a_law_is_asked_at_prompt_lengths_only():
    y = law(LENGTHS)
    pure, with_log = power_law_fit(LENGTHS, y, 0.01 * y), log_power_fit(LENGTHS, y, 0.01 * y, log_power=None)
    for length in (0.0, -1.0, 0.5, math.nan):
        for fit in (pure, with_log):
            with pytest.raises(ValueError, match="at least 1"):
                fit([length])
    with pytest.raises(ValueError, match="above 1"):
        with_log(1)
    assert float(pure(1)) > 0


@pytest.mark.parametrize(
    ("order", "error", "says"),
    [
        (1e300, ValueError, "tell the terms of the law apart"),
        (1e-300, ValueError, "tell the terms of the law apart"),
        (0.0, ValueError, "order"),
        (True, TypeError, "order"),
        ("1", TypeError, "order"),
        (1j, TypeError, "order"),
    ],
)
def test_bad_settings_are_refused(order, error, says):
    with pytest.raises(error, match=says):
        power_law_fit(LENGTHS, law(LENGTHS), 0.01 * law(LENGTHS), order=order)
    with pytest.raises(ValueError, match="confidence level"):
        power_law_fit(LENGTHS, law(LENGTHS), law(LENGTHS)).interval(95)


def test_a_moving_slope_is_seen_and_noise_is_not():
    L = np.geomspace(10, 1e5, 11)
    bent = np.log(L) ** 2 / L
    assert "still moves by" in (slope_warning(L, bent, 0.002 * bent) or "")
    assert slope_warning(L, bent, 0.5 * bent) is None  # not seen
    assert slope_warning(L, 1 / L * np.exp(2 / L), 1e-4 / L) is None  # over by the longer half
    assert slope_warning(L[:3], bent[:3], 1e-6 * bent[:3]) is None
    rng = np.random.default_rng(1)
    noisy = [slope_warning(L, (1 + 0.01 * rng.standard_normal(11)) / L, 0.01 / L) for _ in range(1000)]
    # three standard errors: 2.7 of 1000 expected; more than 15 has probability 3e-8
    assert sum(w is not None for w in noisy) <= 15


def test_the_change_of_the_slope_is_a_number():
    """log10 y = -x + 0.05 x^2/2 in x = log10 L: 0.05 a decade."""
    x = np.linspace(1, 5, 9)
    warning = slope_warning(10**x, 10 ** (-x + 0.025 * x**2), 0.001 * 10 ** (-x + 0.025 * x**2))
    assert warning is not None
    assert "+0.050 +- " in warning
    assert "over L = 1000 to 100000" in warning
