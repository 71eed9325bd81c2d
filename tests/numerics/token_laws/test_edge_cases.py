"""Boundary cases: honest variance proxies, exact atoms, and zero wherever allowed."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from numerics.token_laws.edge_cases import DIMENSIONS, LENGTHS, edge_case_laws, functions, matrices, queries
from numerics.token_laws.token_law import TokenLaw

EVERY_LAW = [pytest.param(law, id=f"{law.name}, d = {d}") for d in DIMENSIONS for law in edge_case_laws(d)]


def used_proxy(law: TokenLaw, v: np.ndarray) -> float:
    """The variance proxy that the direction and length of v ask for."""
    mu = law.weighted_nodes
    x = mu.nodes @ v
    return float(2 * (x.max() + np.log(mu.masses @ np.exp(x - x.max()))) / (v @ v))


@pytest.mark.parametrize("law", EVERY_LAW)
def test_the_variance_proxy_is_honest_and_not_wasteful(law):
    ones, unit_vectors = np.ones(law.d), np.eye(law.d)
    axes = [*unit_vectors, ones / np.sqrt(law.d), ones - 1.5 * unit_vectors[0]]
    if not law.sigma2:
        assert not law.weighted_nodes.nodes.any()
        return
    unit = 1 / np.sqrt(law.sigma2)
    # the largest eigenvalue's direction of the covariance is where a Gaussian needs its proxy
    axes.append(np.linalg.eigh(law.covariance)[1][:, -1])
    lengths = np.concatenate([-np.geomspace(1e-2, 5, 12), np.geomspace(1e-2, 5, 12)]) * unit
    used = {(t, i): used_proxy(law, t * axis) for i, axis in enumerate(axes) for t in lengths}
    # 1e-9: rounding of ln E exp at |v| = 1e-2 / sigma, where it is of the order 1e-4
    assert max(used.values()) <= law.sigma2 * (1 + 1e-9)
    (t, i), top = max(used.items(), key=lambda item: item[1])
    along = lambda r: -used_proxy(law, r * axes[i])
    better = minimize_scalar(along, bounds=sorted((t / 2, t * 2)), method="bounded")
    assert max(top, -better.fun) > 0.999 * law.sigma2


@pytest.mark.parametrize("law", EVERY_LAW)
def test_the_sample_has_the_moments_of_the_nodes(law):
    mu = law.weighted_nodes
    z = law.sample(np.random.default_rng(7), 20_000)
    assert z.shape == (20_000, law.d)
    for moment in (lambda z: z, lambda z: z[:, :, None] * z[:, None, :], lambda z: (z**2).sum(1) ** 2):
        values = moment(z)
        spread = values.std(0) / np.sqrt(len(z))
        # 6 standard errors: 2e-9 for each of about 400 comparisons; 1e-12 covers coordinates
        # without spread
        expected = np.tensordot(mu.masses, moment(mu.nodes), axes=1)
        assert np.all(np.abs(values.mean(0) - expected) <= 6 * spread + 1e-12)


@pytest.mark.parametrize("d", DIMENSIONS)
def test_the_list_holds_what_it_must(d):
    names = {law.name for law in edge_case_laws(d)}
    assert {"Gaussian", "tiny Gaussian", "Rademacher", "sphere", "ball", "point mass at 0"} <= names
    assert d == 1 or "singular Gaussian" in names
    assert sum(len(law.atoms) == 2 and law.weights[0] != law.weights[1] for law in edge_case_laws(d)) >= 2
    assert sum(len(law.atoms) == 3 for law in edge_case_laws(d)) >= 2
    assert {law.d for law in edge_case_laws(d)} == {d}


def test_zero_is_everywhere_and_shapes_agree():
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


@pytest.mark.parametrize("law", EVERY_LAW)
def test_nodes_transform_and_parameter_are_of_one_law(law):
    """Cubature, closed forms and the sub-Gaussian constant come from different code."""
    mu, a = law.weighted_nodes, np.linspace(0.3, 1.0, law.d) / max(law.sigma, 1e-3)
    assert law.sigma**2 == pytest.approx(law.sigma2, rel=1e-15)
    expected = float(np.log(mu.mean(np.exp(mu.nodes @ a))))
    assert float(law.log_mgf(a)) == pytest.approx(expected, rel=1e-12, abs=1e-15)
    tilted = mu.tilted(a)
    mean, covariance = law.tilted(a)
    np.testing.assert_allclose(tilted.masses @ tilted.nodes, mean, rtol=1e-10, atol=1e-12 * law.sigma)
    away, atol = tilted.nodes - mean, 1e-12 * law.sigma**2
    np.testing.assert_allclose((tilted.masses * away.T) @ away, covariance, rtol=1e-10, atol=atol)


def test_a_rescaled_law_scales_its_proxy_and_its_nodes():
    named = {law.name: law for law in edge_case_laws(2)}
    for name, factor in (("Gaussian", 3.0), ("Rademacher", 1e-3)):
        law, other = named[name], named[f"{factor:g} times {name}"]
        assert other.sigma2 == law.sigma2 * factor**2
        assert other.atoms == ()  # a float factor would falsify rational atoms
        np.testing.assert_array_equal(other.weighted_nodes.nodes, law.weighted_nodes.scaled(factor).nodes)
        z, y = (x.sample(np.random.default_rng(1), 9) for x in (law, other))
        np.testing.assert_allclose(y, factor * z, rtol=1e-15)


def test_an_unknown_dimension_is_refused():
    with pytest.raises(ValueError, match="d = 4"):
        edge_case_laws(4)
    with pytest.raises(TypeError, match=r"2\.0 is no dimension"):
        edge_case_laws(2.0)
