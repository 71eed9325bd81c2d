"""Laws of the attention window for long prompts, against other routes."""

import mpmath
import numpy as np
import pytest
import sympy as sp

from numerics.attention.window.long_prompts import long_prompt_window
from numerics.attention.window.loss import window_loss
from theory.attention.window.classes import Spectrum, affine, cosine, relu
from theory.attention.window.error_bound import error_bound
from theory.attention.window.laws import (
    bessel_quotient,
    bias,
    crossover_law,
    curvature_law,
    effective_samples,
    exponent,
    noise_constant,
    noiseless_law,
    regret,
    relu_law,
    token_variance,
    unified_loss,
)


@pytest.mark.parametrize("d", [2, 3, 6])
@pytest.mark.parametrize("k", [0, 1, 2, 7])
def test_quotients_of_bessel_functions(d, k):
    for kappa in (0.0, 1e-3, 1.0, 40.0, 3000.0):
        nu = mpmath.mpf(d) / 2 - 1
        stated = mpmath.besseli(k + nu, kappa) / mpmath.besseli(nu, kappa) if kappa else mpmath.mpf(k == 0)
        assert float(bessel_quotient(d, k, kappa)) == pytest.approx(float(stated), rel=1e-12)


def test_three_dimensions_are_elementary():
    w = sp.Symbol("w", positive=True)
    for at in (sp.Rational(1, 3), sp.Integer(5)):
        for law in (lambda w: effective_samples(3, w), lambda w: bessel_quotient(3, 1, w)):
            assert float(law(w).subs(w, at)) == pytest.approx(float(law(float(at))), rel=1e-13)
    assert noise_constant(sp.S(3)) == pytest.approx(noise_constant(3))


@pytest.mark.parametrize("d", [2, 5, 8])
def test_the_noise_grows_like_its_power(d):
    w = 1e6
    assert float(effective_samples(d, w)) == pytest.approx(noise_constant(d) * w ** ((d - 1) / 2), rel=1e-5)


@pytest.mark.parametrize("noise", [0.0, 0.3])
def test_long_prompts_lose_what_the_unified_form_says(noise):
    """The difference is of the order of the square of the share of a token, 1e-4 here."""
    for tasks in (affine(1), relu(1), cosine(3)):
        spectrum, w, n = tasks.spectrum(4), 3.0, 100_000
        loss = float(window_loss(spectrum, 4, n, w, noise).loss)
        assert float(unified_loss(spectrum, w, n, noise)) == pytest.approx(loss, rel=1e-3)
        assert float(unified_loss(spectrum, w, n, noise)) != pytest.approx(loss, rel=1e-9)


def test_the_variance_in_a_window_is_that_of_the_class_without_one():
    spectrum = cosine(3).spectrum(5)
    assert float(token_variance(spectrum, 0.0)) == pytest.approx(spectrum.varying)
    assert float(bias(spectrum, 0.0)) == pytest.approx(spectrum.varying)
    w = 1e4  # sum b_k k (k+d-2) / (4 w), the mean square of the slope over the width
    far = (spectrum.d - 1) * spectrum.slope / (4 * w)
    assert float(token_variance(spectrum, w)) == pytest.approx(far, rel=1e-2)


def test_the_laws_are_the_minimiser_at_last():
    for d in (2, 3, 5):
        spectrum = affine(2).spectrum(d)
        law = lambda whole, s=spectrum, d=d: curvature_law(d, s.curvature, whole)
        quotients = [long_prompt_window(spectrum, whole) / law(whole) for whole in (1e5, 1e9, 1e13)]
        gaps = [abs(q - 1) for q in quotients]
        assert gaps[2] < 1e-3
        assert gaps[0] >= gaps[1] >= gaps[2] or gaps[0] < 1e-6
    far = [long_prompt_window(relu(1).spectrum(3, 1500), whole) / relu_law(3, whole) for whole in (1e6, 1e12)]
    assert abs(far[1] - 1) < 0.02 < abs(far[0] - 1)


def test_the_crossover_has_both_laws_as_its_ends():
    spectrum, n = affine(1).spectrum(5), 10**9
    noisy = crossover_law(5, spectrum.curvature, spectrum.slope, n, 100.0)
    assert noisy == pytest.approx(curvature_law(5, spectrum.curvature, n / 100), rel=2e-2)
    silent = crossover_law(5, spectrum.curvature, spectrum.slope, n, 0.0)
    assert silent == pytest.approx(noiseless_law(5, spectrum.curvature, spectrum.slope, n), rel=1e-9)
    with pytest.raises(ValueError, match="d >= 4"):
        noiseless_law(3, 1.0, 1.0, 10)


def test_the_regret_is_one_at_the_right_constant_and_larger_elsewhere():
    r, s, p = sp.Symbol("r", positive=True), sp.Rational(3, 2), 2
    assert regret(sp.S.One, s, p) == 1
    slope = sp.diff(regret(r, s, p), r)
    assert sp.simplify(slope.subs(r, 1)) == 0
    assert float(slope.subs(r, sp.Rational(1, 2))) < 0 < float(slope.subs(r, 2))


def test_exponents_of_the_smoothness():
    d = sp.Symbol("d", positive=True)
    assert exponent(d, sp.Rational(5, 2)) == exponent(d, 2) == 2 / (d + 3)


def test_the_error_bound_shrinks_with_the_prompt_and_needs_a_finite_spectrum():
    spectrum = Spectrum(3, np.array([0.0, 0.5, 0.5]))
    bounds = [error_bound(spectrum, 2.0, n, 0.1) for n in (10**4, 10**6, 10**8)]
    assert bounds[0] > 90 * bounds[1] > 90**2 * bounds[2]  # like 1/n, the bias being there
    with pytest.raises(ValueError, match="spectra that end"):
        error_bound(relu(1).spectrum(3), 2.0, 10, 0.0)
