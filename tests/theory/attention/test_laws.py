"""Gaussian laws: tilting and images against numerical integration, and the sub-Gaussian definition
at its edge.
"""

from __future__ import annotations

import numpy as np
import pytest

from theory.attention.laws import Gaussian, log_mgf_bound


def integrate(law: Gaussian, f, points: int = 60):  # type: ignore[no-untyped-def]
    """E f(Z) by a Gauss-Hermite product rule along the eigenvectors; exact to rounding for the
    entire functions used here.
    """
    nodes, weights = np.polynomial.hermite_e.hermegauss(points)
    weights = weights / weights.sum()
    values, vectors = np.linalg.eigh(law.covariance)
    grids = np.meshgrid(*[nodes] * law.d, indexing="ij")
    g = np.stack([x.ravel() for x in grids])
    w = np.prod(np.meshgrid(*[weights] * law.d, indexing="ij"), axis=0).ravel()
    z = law.mean[:, None] + vectors @ (np.sqrt(np.maximum(values, 0))[:, None] * g)
    return sum(wi * f(zi) for wi, zi in zip(w, z.T))


LAWS = [
    Gaussian([0.3], [[1.7]]),
    Gaussian([1.0, -0.5], [[1.0, 0.4], [0.4, 0.3]]),
    Gaussian([1.0, -0.5], [[1.0, 1.0], [1.0, 1.0]]),  # singular
    Gaussian([2.0], [[0.0]]),  # a point
]


@pytest.mark.parametrize("law", LAWS)
def test_tilting_is_what_its_density_says(law: Gaussian) -> None:
    a = np.linspace(0.8, -0.4, law.d)
    mass = integrate(law, lambda z: np.exp(a @ z))
    assert np.log(mass) == pytest.approx(law.log_mgf(a), rel=1e-12)
    tilted = law.tilted(a)
    np.testing.assert_allclose(integrate(law, lambda z: np.exp(a @ z) * z) / mass, tilted.mean, rtol=1e-11)
    second = integrate(law, lambda z: np.exp(a @ z) * np.outer(z, z)) / mass
    np.testing.assert_allclose(second, tilted.second_moment, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("law", LAWS)
def test_tilts_add_up(law: Gaussian) -> None:
    a, b = np.ones(law.d), np.linspace(-1, 2, law.d)
    np.testing.assert_allclose(law.tilted(a).tilted(b).mean, law.tilted(a + b).mean, rtol=1e-13)
    assert law.log_mgf(a) + law.tilted(a).log_mgf(b) == pytest.approx(law.log_mgf(a + b), rel=1e-12)
    np.testing.assert_array_equal(law.tilted(0 * a).mean, law.mean)


def test_image_under_an_affine_map_has_the_same_moment_generating_function() -> None:
    law = LAWS[1]
    A, b = np.array([[1.0, 2.0], [0.0, 1.0], [1.0, 1.0]]), np.array([1.0, 0.0, -1.0])
    image = law.pushforward(A, b)
    v = np.array([0.2, -0.3, 0.5])
    assert image.d == 3
    assert image.log_mgf(v) == pytest.approx(law.log_mgf(A.T @ v) + v @ b, rel=1e-12)
    assert law.pushforward(A).mean == pytest.approx(A @ law.mean)


@pytest.mark.parametrize("covariance", [[[1.7]], [[1.0, 0.4], [0.4, 0.3]], [[0.0]]])
def test_sub_gaussian_constant_is_the_least(covariance: list[list[float]]) -> None:
    law = Gaussian(np.zeros(len(covariance)), covariance)
    sigma = law.sub_gaussian_constant
    worst = np.linalg.eigh(law.covariance)[1][:, -1]
    for v in [3 * worst, -worst, np.ones(law.d)]:
        assert law.log_mgf(v) <= log_mgf_bound(sigma, v) * (1 + 1e-12)
    if sigma:
        assert law.log_mgf(worst) > log_mgf_bound(0.99 * sigma, worst)


def test_a_law_with_a_mean_is_not_sub_gaussian_for_any_constant() -> None:
    law = Gaussian([1e-3], [[1.0]])
    for sigma in (1.0, 10.0):
        v = [1e-3 / sigma**2]
        assert law.log_mgf(v) > log_mgf_bound(sigma, v)
    with pytest.raises(ValueError, match="centre it first"):
        _ = law.sub_gaussian_constant


@pytest.mark.parametrize(
    ("mean", "covariance", "message"),
    [
        ([0.0, 0.0], [[1.0, 2.0], [0.0, 1.0]], r"covariance\[0, 1\] = 2.0 but covariance\[1, 0\] = 0.0"),
        ([0.0, 0.0], [[1.0, 2.0], [2.0, 1.0]], "the eigenvalue -1"),
        ([0.0], [[1.0, 0.0], [0.0, 1.0]], r"with d = 1 is needed, as mean has it"),
        ([0.0], [[np.inf]], "the entry inf"),
    ],
)
def test_what_is_no_covariance_is_turned_away(mean: list[float], covariance: list[list[float]], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Gaussian(mean, covariance)


def test_a_negative_sub_gaussian_constant_is_turned_away() -> None:
    with pytest.raises(ValueError, match="no sub-Gaussian constant"):
        log_mgf_bound(-1.0, [1.0])
