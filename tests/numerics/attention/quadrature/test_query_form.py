"""Averages over a Gaussian query: chi^2 sums, simulation, degenerate forms, plain sums."""

from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2

import numerics.attention.quadrature.transform_kernel
from numerics.attention.quadrature.few_ratios import few_ratios
from numerics.attention.quadrature.query_form import (
    quadratic_form_densities,
    quadratic_form_law,
    talbot_contour,
)
from numerics.attention.quadrature.transform_kernel import inverse_transforms

SPECTRA = [
    [1.0], [2.0, 1.0], [1.0] * 5, [1.0, 1e-3, 1e-3, 1e-6], [3.0, 0.5, 0.2, 0.1, 0.01, 0.0], [1e-8, 3e-9],
    [1e6, 1e6], list(np.linspace(0.1, 1, 40)), [1.0] * 64,
]  # fmt: skip


@pytest.mark.parametrize("spectrum", SPECTRA)
@pytest.mark.parametrize("t", [-50.0, -1.0, 0.0, 0.15])
def test_moment_generating_function(spectrum, t):
    """E e^{ts} = prod (1 - 2 t lambda_j)^{-1/2}, and its derivative for the factor x'Mx."""
    values = np.array(spectrum)
    t /= values.max()
    m = 1 + np.arange(values.size)
    law = quadratic_form_law(
        np.diag(values), np.diag(m), log_reach=40 * max(0.0, 2 * t * values.max()) / (1 - 0.3)
    )
    transform = np.prod((1 - 2 * t * values) ** -0.5)
    growth = np.exp(t * law.nodes)
    assert law.density @ growth == pytest.approx(transform, rel=1e-9)
    assert law.moment @ growth == pytest.approx(transform * np.sum(m / (1 - 2 * t * values)), rel=1e-9)


def test_rotations_and_scales_do_not_matter():
    rng = np.random.default_rng(5)
    B, C = rng.standard_normal((4, 4)), rng.standard_normal((4, 4))
    A, M = B @ B.T, C @ C.T
    rotation, _ = np.linalg.qr(rng.standard_normal((4, 4)))
    one = quadratic_form_law(A, M)
    turned = quadratic_form_law(rotation @ A @ rotation.T, rotation @ M @ rotation.T)
    scaled = quadratic_form_law(1e5 * A, M)
    g = lambda s: 1 / (1 + s)
    assert turned.moment @ g(turned.nodes) == pytest.approx(one.moment @ g(one.nodes), rel=1e-9)
    assert scaled.moment @ g(scaled.nodes / 1e5) == pytest.approx(one.moment @ g(one.nodes), rel=1e-9)


def test_a_direction_that_the_form_does_not_see_is_independent():
    law = quadratic_form_law(np.diag([1.0, 0.0]), np.diag([0.0, 3.0]))
    assert law.moment == pytest.approx(3 * law.density)


def test_the_step_is_fine_enough():
    A = np.diag([1.0, 1e-4, 1e-4])
    coarse, fine = quadratic_form_law(A, A), quadratic_form_law(A, A, step=0.02)
    g = lambda s: np.exp(s) / (np.exp(s) + 99)
    assert coarse.density @ g(coarse.nodes) == pytest.approx(fine.density @ g(fine.nodes), rel=1e-9)


def test_zero_form_is_refused():
    with pytest.raises(ValueError, match="no quadrature is needed"):
        quadratic_form_law(np.zeros((2, 2)), np.eye(2))


def plain_inversion(s: np.ndarray, ratios: np.ndarray, products: list[list[np.ndarray]]) -> np.ndarray:
    """Talbot's sum with the moments E[x'Mx x'Nx x'Kx] of a Gaussian as traces of products."""
    z, dz = talbot_contour(int(np.count_nonzero(ratios)))
    out = np.zeros((len(products), s.size))
    for i, value in enumerate(s):
        for node, slope in zip(z, dz):
            factors = (1 - ratios) + 2 * ratios * node / value
            weight = slope * np.exp(node - np.log(factors).sum() / 2) * 2 / value
            for row, forms in zip(out, products):
                turned = [M / factors for M in forms]  # M R
                t = [np.trace(M) for M in turned]
                two = lambda a, b, turned=turned: 2 * np.trace(turned[a] @ turned[b])
                if len(forms) < 3:
                    moment = np.prod(t) + (two(0, 1) if len(forms) == 2 else 0)
                else:
                    moment = t[0] * t[1] * t[2] + two(0, 1) * t[2] + two(0, 2) * t[1] + two(1, 2) * t[0]
                    moment += 8 * np.trace(turned[0] @ turned[1] @ turned[2])
                row[i] += (weight * moment).imag
    return out


@pytest.mark.parametrize("d", [1, 2, 5, 30])
def test_compiled_inversion_against_products_of_matrices(d):
    rng = np.random.default_rng(d)
    ratios = np.sort(rng.uniform(0, 1, d)) * (np.arange(d) != 1)
    ratios[-1] = 1.0
    M, N, K = ((B + B.T) / 2 for B in rng.standard_normal((3, d, d)))
    products: list[list[np.ndarray]] = [[], [M], [N], [M, N], [K, M], [N, N], [M, N, K], [K, K, M]]
    s = np.exp(rng.uniform(-20, 5, 70))  # more nodes than lie side by side
    compiled = inverse_transforms(s, ratios, talbot_contour(int(np.count_nonzero(ratios))), products)
    plain = plain_inversion(s, ratios, products)
    assert np.all(np.abs(compiled - plain) < 1e-11 * np.abs(plain).max(axis=1, keepdims=True))
    assert compiled[0] == pytest.approx(plain[0], rel=1e-9)


@pytest.mark.parametrize(
    "ratios",
    [
        np.linspace(0.01, 1, 60),
        np.geomspace(1e-9, 1, 60),
        np.repeat([0.0, 0.1, 1.0], 20),
        np.r_[np.zeros(20), np.linspace(0.2, 1, 40)],
    ],
)
def test_few_eigenvalues_stand_for_all(ratios, monkeypatch):
    rng, sizes = np.random.default_rng(2), []
    root = np.sqrt(ratios)[:, None] * rng.standard_normal((60, 60))
    M, N, K = rng.standard_normal((60, 60)), root @ root.T, root @ rng.standard_normal((60, 60)) @ root.T
    M, K = M @ M.T, K + K.T
    products: list[list[np.ndarray]] = [[], [M], [M, N], [M, K], [M, N, K], [N, N, M]]
    s = ratios.sum() * np.array([0.3, 1.0, 1.5, 4.0])
    contour = talbot_contour(int(np.count_nonzero(ratios)))

    def counted(*arguments: Any) -> Any:
        found = few_ratios(*arguments)
        sizes.append(60 if found is None else found[0].size)
        return found

    monkeypatch.setattr(numerics.attention.quadrature.transform_kernel, "few_ratios", counted)
    off = []
    for tolerance in (1e-12, 1e-3):
        monkeypatch.setattr(numerics.attention.quadrature.transform_kernel, "TOLERANCE", tolerance)
        found, plain = inverse_transforms(s, ratios, contour, products), plain_inversion(s, ratios, products)
        off.append(np.abs(found / plain - 1).max())
    assert off[0] < 1e-8
    assert off[1] > 1e-8 or len(set(ratios)) < 4
    assert max(sizes) < 50


@pytest.mark.parametrize(("d", "accuracy"), [(40, 1e-11), (200, 1e-11), (400, 1e-8), (1000, 1e-2)])
def test_many_dimensions_lose_few_digits(d, accuracy):
    """The density of chi-square: with a contour for few dimensions, nothing is left at 400."""
    s = d + np.sqrt(2 * d) * np.array([-2.0, 0.0, 3.0])
    found = quadratic_form_densities(s, np.eye(d), [()])[0]
    assert found == pytest.approx(chi2(d).pdf(s), rel=accuracy)
