"""Classes of tasks on the sphere: correlation, spectrum and variogram are views of one thing."""

import numpy as np
import pytest
import sympy as sp
from numpy.typing import NDArray

from tests.refusing import refusals
from theory.attention.window.classes import affine, cosine, linear, low_rank, relu
from theory.attention.window.gegenbauer import harmonics, polynomials
from theory.attention.window.own_class import from_rho, from_spectrum

Floats = NDArray[np.float64]
ALL = [affine(2), linear(3), relu(1.5), cosine(4), low_rank(1, 2)]


@pytest.mark.parametrize("d", [2, 3, 5, 10])
@pytest.mark.parametrize("tasks", ALL, ids=lambda c: c.name)
def test_the_spectrum_sums_to_the_correlation(tasks, d):
    spectrum = tasks.spectrum(d, 600)
    t = np.linspace(-1, 1, 41)
    summed = spectrum.b @ polynomials(d, len(spectrum.b) - 1, t)
    stated = np.array([tasks.rho(float(x), d) for x in t])
    assert np.all(abs(summed - stated) <= spectrum.tail + 1e-12 * stated.max())
    assert spectrum.total == pytest.approx(float(tasks.rho(1.0, d)), rel=1e-12)


def values(kind, rng, d, x, y, size):
    """Values of random tasks of the definitions at two points."""
    u = rng.normal(size=(size, d))
    u /= np.linalg.norm(u, axis=1, keepdims=True)
    s, t = u @ x, u @ y
    l, k, b = rng.uniform(-1, 1, size=(3, size))
    if kind == "affine":
        return l * s + b, l * t + b
    if kind == "ReLU":
        task = lambda z: l * np.maximum(z, 0) + k * np.maximum(-z, 0) + b
        return task(s), task(t)
    return np.cos(3 * s), np.cos(3 * t)


@pytest.mark.parametrize(("tasks", "d"), [(affine(1), 3), (relu(1), 2), (relu(1), 5), (cosine(3), 4)])
def test_random_tasks_have_the_correlation(tasks, d):
    """Six standard errors, which a right correlation leaves with probability 2e-9."""
    rng, size = np.random.default_rng(11), 200_000
    for angle in (0.0, 1.0, 2.5):
        x = np.eye(d)[0]
        y = np.cos(angle) * x + np.sin(angle) * np.eye(d)[1]
        products = np.multiply(*values(tasks.name, rng, d, x, y, size))
        assert abs(products.mean() - tasks.rho(float(np.cos(angle)), d)) < 6 * products.std() / size**0.5


@pytest.mark.parametrize("make", [affine, linear, relu])
def test_steeper_tasks_have_the_spectrum_times_a_square(make):
    one, three = make(1).spectrum(4), make(3).spectrum(4)
    np.testing.assert_allclose(three.b, 9 * one.b, rtol=1e-14)
    assert three.slope == pytest.approx(9 * one.slope)


def test_slope_and_curvature_are_derivatives_of_the_correlation():
    """The Laplacian is -k(k+d-2) on P_k; the curvature is it applied twice."""
    tasks, d, h = cosine(2), 3, 1e-4
    rho = lambda t: float(tasks.rho(t, d))
    spectrum = tasks.spectrum(d)
    assert spectrum.slope == pytest.approx((rho(1.0) - rho(1 - h)) / h, rel=1e-3)
    k = np.arange(len(spectrum.b))
    assert spectrum.curvature == pytest.approx(float(spectrum.b @ (k * (k + 1.0)) ** 2))
    assert relu(1).spectrum(3).curvature == np.inf


def test_the_variogram_of_relu_keeps_its_digits_near_the_query():
    tasks, d = relu(1), 3
    t = sp.Symbol("t")
    exact = tasks.rho(sp.S.One, d) - tasks.rho(t, d)
    for D in (1e-12, 1e-6, 0.004, 0.006, 0.5, 2.0):
        stated = float(exact.subs(t, 1 - sp.Rational(D)).evalf(30))
        assert float(tasks.variogram(np.array([D]), d)[0]) == pytest.approx(stated, rel=1e-12)


def test_symbols_go_in_and_come_out():
    L, t = sp.symbols("L t", positive=True)
    assert sp.simplify(affine(L).rho(t, 3) - L**2 * (1 + t / 3) / 3) == 0
    assert sp.simplify(relu(L).rho(sp.S.One, 3) - 4 * L**2 / 9) == 0


def test_harmonics_count_the_polynomials_of_a_degree():
    """Those of degree k restricted to the sphere are those of degrees k and k - 2 in R^d apart."""
    for d in (2, 3, 4, 7):
        for k in range(2, 8):
            free = lambda k, d=d: sp.binomial(k + d - 1, d - 1)
            assert harmonics(d, k) == pytest.approx(float(free(k) - free(k - 2)))


def test_a_class_of_ones_own_has_the_spectrum_of_its_correlation():
    for known in (relu(1), cosine(2), affine(1)):
        found = from_rho(lambda t, known=known: np.array([known.rho(float(x), 4) for x in t])).spectrum(4)
        stated = known.spectrum(4).b[:6]
        np.testing.assert_allclose(found.b[: len(stated)], stated, atol=1e-7)


test_bad_input_says_what_to_do = refusals(
    (lambda: affine(0), "L is a Lipschitz constant"),
    (lambda: relu(float("nan")), "finite"),
    (lambda: affine(1).spectrum(1), "d >= 2"),
    (lambda: low_rank(3).spectrum(3), "k = 3 is not below d = 3"),
    (lambda: from_rho(lambda t: -t).spectrum(3), "b_1 = -1"),
    (lambda: from_rho(lambda t: np.log(1 - t) - np.inf).spectrum(3), "not finite"),
    (lambda: from_spectrum([0, -1]), "b_1 = -1.0 is negative"),
    (lambda: from_spectrum([0, float("nan")]), "finite"),
    (lambda: from_spectrum([0, 0]), "vanish"),
    (lambda: from_spectrum([0, 1], total=2.0), "50.00% of the mean square"),
    error=(ValueError, TypeError),
)
