"""Averages over a Gaussian query: closed forms of chi^2 sums, simulation, and degenerate forms."""

from __future__ import annotations

import numpy as np
import pytest

from numerics.quadrature.query_form import quadratic_form_law

SPECTRA = [
    [1.0],
    [2.0, 1.0],
    [1.0] * 5,
    [1.0, 1e-3, 1e-3, 1e-6],
    [3.0, 0.5, 0.2, 0.1, 0.01, 0.0],
    [1e-8, 3e-9],
    [1e6, 1e6],
    list(np.linspace(0.1, 1, 40)),
    [1.0] * 64,
]


@pytest.mark.parametrize("spectrum", SPECTRA)
@pytest.mark.parametrize("t", [-50.0, -1.0, 0.0, 0.15])
def test_moment_generating_function(spectrum: list[float], t: float) -> None:
    """E e^{ts} = prod (1 - 2 t lambda_j)^{-1/2}, and its derivative for the factor x'Mx."""
    values = np.array(spectrum)
    t /= values.max()
    m = 1 + np.arange(values.size)
    law = quadratic_form_law(np.diag(values), np.diag(m), log_reach=40 * max(0.0, 2 * t * values.max()) / (1 - 0.3))
    transform = np.prod((1 - 2 * t * values) ** -0.5)
    growth = np.exp(t * law.nodes)
    assert law.density @ growth == pytest.approx(transform, rel=1e-9)
    assert law.moment @ growth == pytest.approx(transform * np.sum(m / (1 - 2 * t * values)), rel=1e-9)


def test_rotations_and_scales_do_not_matter() -> None:
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


def test_against_simulation() -> None:
    rng = np.random.default_rng(6)
    B = rng.standard_normal((3, 3))
    A, M = B @ B.T, np.diag([1.0, 2.0, 0.0])
    x = rng.standard_normal((200_000, 3))
    s, q = np.einsum("ni,ij,nj->n", x, A, x), np.einsum("ni,ij,nj->n", x, M, x)
    draws = np.sqrt(s) * q
    law = quadratic_form_law(A, M)
    # 4.9 standard errors: error probability 1e-6.
    assert abs(law.moment @ np.sqrt(law.nodes) - draws.mean()) < 4.9 * draws.std() / np.sqrt(len(draws))


def test_a_direction_that_the_form_does_not_see_is_independent() -> None:
    law = quadratic_form_law(np.diag([1.0, 0.0]), np.diag([0.0, 3.0]))
    assert law.moment == pytest.approx(3 * law.density)


def test_the_step_is_fine_enough() -> None:
    A = np.diag([1.0, 1e-4, 1e-4])
    coarse, fine = quadratic_form_law(A, A), quadratic_form_law(A, A, step=0.02)
    g = lambda s: np.exp(s) / (np.exp(s) + 99)
    assert coarse.density @ g(coarse.nodes) == pytest.approx(fine.density @ g(fine.nodes), rel=1e-9)


def test_zero_form_is_refused() -> None:
    with pytest.raises(ValueError, match="no quadrature is needed"):
        quadratic_form_law(np.zeros((2, 2)), np.eye(2))
