"""The exact error of the gradient in U: closed forms, a second quadrature, simulation, its limit, and symmetries."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad

from numerics.gradient_error import LARGEST_SCORE_VARIANCE, _weight_moments, grad_U_error
from numerics.quadrature import softmax_moments
from numerics.setting import AttentionSetting
from theory.sharp_rates import limit_of_grad_U_error


def setting_of(seed: int, scale: float) -> AttentionSetting:
    rng = np.random.default_rng(seed)
    B = rng.standard_normal((3, 3))
    return AttentionSetting(B @ B.T / 3, scale * rng.standard_normal((3, 3)), rng.standard_normal((2, 3)), rng.standard_normal(3))


@pytest.mark.parametrize("s", [0.0, 0.3, 4.0, LARGEST_SCORE_VARIANCE])
def test_products_of_moments_for_two_tokens(s: float) -> None:
    """With two tokens p = sigmoid of one normal variable, so that every product is a one-dimensional integral of another kind."""
    moments = _weight_moments(s, np.array([2.0]))

    def pi(k: int, g: float) -> float:
        p = 1 / (1 + np.exp(-np.sqrt(2 * s) * g))
        return float(p**k + (1 - p) ** k)

    def product(g: float, indices: tuple[int, ...]) -> float:
        return float(np.prod([pi(k, g) for k in indices]) * np.exp(-(g**2) / 2) / np.sqrt(2 * np.pi))

    for indices, value in moments.items():
        expected, _ = quad(product, -12, 12, args=(indices,), limit=400, epsabs=1e-12, points=[0.0])
        assert value[0] == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("s", [0.0, 1e-8, 1.0, 30.0])
def test_moments_that_the_other_quadrature_knows(s: float) -> None:
    L = np.array([1.0, 2.0, 3.0, 100.0, 1e6])
    ours, theirs = _weight_moments(s, L), softmax_moments(s, L)
    assert ours[(2,)] == pytest.approx(theirs.P2, rel=1e-9)
    assert ours[(3,)] == pytest.approx(theirs.P3, rel=1e-9)
    assert ours[(2, 2)] == pytest.approx(theirs.Q, rel=1e-9)


def test_without_scores_it_is_the_error_of_a_sample_covariance() -> None:
    """U = 0: L C_L is Wishart with L - 1 degrees of freedom, whose first two moments are in every textbook."""
    base = setting_of(1, 0.0)
    G, z2 = base.Gamma, float(base.query @ base.query)
    for L in (1, 2, 7, 1000):
        variance = sum((v @ G @ v) * np.trace(G) + v @ G @ G @ v for v in base.V) * (L - 1) / L**2
        bias = sum(v @ G @ G @ v for v in base.V) / L**2
        assert grad_U_error(base, [L])[0] == pytest.approx(z2 * (variance + bias), rel=1e-9)


def test_against_simulation() -> None:
    setting = setting_of(2, 0.5)
    rng = np.random.default_rng(7)
    a, root = setting.U @ setting.query, np.linalg.cholesky(setting.Gamma)
    for L in (2, 20):
        Z = rng.standard_normal((40_000, L, 3)) @ root.T
        w = np.exp(Z @ a)
        p = w / w.sum(axis=1, keepdims=True)
        mean = np.einsum("nl,nli->ni", p, Z)
        C = np.einsum("nl,nli,nlj->nij", p, Z, Z) - mean[:, :, None] * mean[:, None, :]
        draws = ((setting.V @ (C - setting.Gamma)) ** 2).sum(axis=(1, 2)) * (setting.query @ setting.query)
        # 5 standard errors: error probability 6e-7 each.
        assert abs(draws.mean() - grad_U_error(setting, [L])[0]) < 5 * draws.std() / np.sqrt(len(draws))


def test_limit_for_long_prompts() -> None:
    setting = setting_of(3, 0.4)
    h = setting.Gamma @ setting.U @ setting.query
    z2 = float(setting.query @ setting.query)
    limit = sum(limit_of_grad_U_error(setting.score_variance, v, setting.Gamma, h, z2) for v in setting.V)
    assert 1e12 * grad_U_error(setting, [10**12])[0] == pytest.approx(limit, rel=1e-6)


def test_rotations_and_scales() -> None:
    setting = setting_of(4, 0.5)
    R, _ = np.linalg.qr(np.random.default_rng(8).standard_normal((3, 3)))
    turned = AttentionSetting(R @ setting.Gamma @ R.T, R @ setting.U @ R.T, setting.V @ R.T, R @ setting.query)
    longer = AttentionSetting(setting.Gamma, setting.U / 2, 3 * setting.V, 2 * setting.query)
    L = [1, 5, 500]
    assert grad_U_error(turned, L) == pytest.approx(grad_U_error(setting, L))
    assert grad_U_error(longer, L) == pytest.approx(36 * grad_U_error(setting, L))


def test_outside_its_range_it_refuses() -> None:
    steep = AttentionSetting(np.eye(1), np.eye(1), np.eye(1), np.array([np.sqrt(2 * LARGEST_SCORE_VARIANCE)]))
    with pytest.raises(ValueError, match=r"s = 128; .* fixed query with s <= 64"):
        grad_U_error(steep, [10])
    with pytest.raises(ValueError, match="fixed query"):
        grad_U_error(AttentionSetting(np.eye(1), np.eye(1), np.eye(1), np.eye(1)), [10])
    with pytest.raises(ValueError, match="at least one token"):
        grad_U_error(setting_of(2, 0.5), [3, 0])
