"""The boundary cases are what they say: honest variance proxies, exact atoms, and zero wherever it
is allowed.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from numerics.token_laws.hostile import DIMENSIONS, LENGTHS, Law, functions, laws, matrices, queries

EVERY_LAW = [pytest.param(law, id=f"{law.name}, d = {d}") for d in DIMENSIONS for law in laws(d)]


def used_proxy(law: Law, v: np.ndarray) -> float:
    """The variance proxy that the direction and length of v ask for."""
    x = law.nodes @ v
    return float(2 * (x.max() + np.log(law.masses @ np.exp(x - x.max()))) / (v @ v))


@pytest.mark.parametrize("law", EVERY_LAW)
def test_the_variance_proxy_is_honest_and_not_wasteful(law: Law) -> None:
    axes = [np.eye(law.d)[i] for i in range(law.d)] + [np.ones(law.d) / np.sqrt(law.d), np.ones(law.d) - 1.5 * np.eye(law.d)[0]]
    if not law.sigma2:
        assert not law.nodes.any()
        return
    unit = 1 / np.sqrt(law.sigma2)
    # the largest eigenvalue's direction of the covariance is where a Gaussian needs its proxy
    covariance = law.expectation(lambda z: z[:, :, None] * z[:, None, :])
    axes.append(np.linalg.eigh(covariance)[1][:, -1])
    lengths = np.concatenate([-np.geomspace(1e-2, 5, 12), np.geomspace(1e-2, 5, 12)]) * unit
    used = {(t, i): used_proxy(law, t * axis) for i, axis in enumerate(axes) for t in lengths}
    # 1e-9: rounding of ln E exp at |v| = 1e-2 / sigma, where it is of the order 1e-4
    assert max(used.values()) <= law.sigma2 * (1 + 1e-9)
    (t, i), top = max(used.items(), key=lambda item: item[1])
    better = minimize_scalar(lambda r: -used_proxy(law, r * axes[i]), bounds=sorted((t / 2, t * 2)), method="bounded")
    assert max(top, -better.fun) > 0.999 * law.sigma2


@pytest.mark.parametrize("law", EVERY_LAW)
def test_the_sample_has_the_moments_of_the_nodes(law: Law) -> None:
    z = law.sample(np.random.default_rng(7), 20_000)
    assert z.shape == (20_000, law.d)
    for moment in (lambda z: z, lambda z: z[:, :, None] * z[:, None, :], lambda z: (z**2).sum(1) ** 2):
        values = moment(z)
        spread = values.std(0) / np.sqrt(len(z))
        # 6 standard errors: 2e-9 for each of about 400 comparisons; 1e-12 covers coordinates
        # without spread
        assert np.all(np.abs(values.mean(0) - law.expectation(moment)) <= 6 * spread + 1e-12)


@pytest.mark.parametrize("d", DIMENSIONS)
def test_the_list_holds_what_it_must(d: int) -> None:
    names = {law.name for law in laws(d)}
    assert {"Gaussian", "tiny Gaussian", "Rademacher", "sphere", "ball", "point mass at 0"} <= names
    assert d == 1 or "singular Gaussian" in names
    assert sum(len(law.atoms) == 2 and law.weights[0] != law.weights[1] for law in laws(d)) >= 2
    assert sum(len(law.atoms) == 3 for law in laws(d)) >= 2
    assert {law.d for law in laws(d)} == {d}


def test_discrete_laws_are_centred_in_exact_arithmetic() -> None:
    for law in (law for d in DIMENSIONS for law in laws(d) if law.atoms):
        assert sum(law.weights) == 1
        assert [sum(p * x[i] for p, x in zip(law.weights, law.atoms)) for i in range(law.d)] == [0] * law.d
        np.testing.assert_array_equal(law.nodes, np.array(law.atoms, dtype=float))


def test_zero_is_everywhere_and_shapes_agree() -> None:
    for d in DIMENSIONS:
        assert not next(iter(matrices(d).values())).any()
        assert not next(iter(queries(d).values())).any()
        assert any(np.linalg.matrix_rank(U) not in (0, d) for U in matrices(d).values()) or d == 1
        z = np.arange(4.0 * d).reshape(4, d)
        values = {name: f(z) for name, f in functions(d).items()}
        assert not values["0"].any()
        assert all(v.shape[0] == 4 and v.ndim == 2 for v in values.values())
        np.testing.assert_allclose(values["(v.z) z"], z.sum(1, keepdims=True) * z)
    assert LENGTHS[:3] == (1, 2, 3)


def test_a_rescaled_law_scales_its_proxy_and_forgets_its_rational_atoms() -> None:
    law = next(law for law in laws(2) if law.name == "Rademacher")
    half = law.scaled(0.5)
    assert half.sigma2 == law.sigma2 / 4
    assert half.atoms == ()
    np.testing.assert_array_equal(half.sample(np.random.default_rng(1), 9), 0.5 * law.sample(np.random.default_rng(1), 9))


def test_an_unknown_dimension_is_refused() -> None:
    with pytest.raises(ValueError, match="d = 4"):
        laws(4)
    with pytest.raises(TypeError, match=r"2\.0 is no dimension"):
        laws(2.0)  # type: ignore[arg-type]
