"""A user's law: tilts from its log-mgf alone, images, and everything refused."""

import dataclasses
from typing import Any

import numpy as np
import pytest
from numba import njit
from numpy.typing import NDArray

from numerics.token_laws import TokenLaw, atoms, ball, gaussian, rademacher, sphere, uniform
from numerics.token_laws.tilted_by_cauchy import moments_along, scale_of, tilted_from_log_mgf
from numerics.token_laws.weighted_nodes import WeightedNodes

Floats = NDArray[np.float64]
RARE = atoms([[0.999, 0.5], [-0.001, 0.5], [-0.001, -0.5]], [0.001, 0.499, 0.5])


LOG_COSH = lambda a: np.log(np.cosh(a)).sum(-1)
FRESH = np.random.default_rng


def signs(rng: np.random.Generator, n: int) -> Floats:
    return 2.0 * rng.integers(0, 2, (n, 1)) - 1


def law(**changes: Any) -> TokenLaw:
    given: dict[str, Any] = {"name": "mine", "d": 1, "sigma": 1.0, "sample": signs}
    return TokenLaw(**given | changes)


KNOWN = [gaussian([[2.0, 0.5], [0.5, 1.0]]), rademacher(3), uniform(2), sphere(4), ball(3), RARE]


@pytest.mark.parametrize("known", KNOWN, ids=lambda law: law.name)
@pytest.mark.parametrize("unit", [1e-5, 1.0, 1e5])
def test_tilts_from_the_log_mgf_alone_are_the_closed_forms(known, unit):
    scaled = known.image(unit * np.eye(known.d))
    own = dataclasses.replace(scaled, structure=None)
    sizes = np.array([0, 0.5, 2, 10])[:, None] / scaled.sigma
    a = sizes * np.random.default_rng(1).standard_normal((4, known.d))
    for found, exact, order in zip(own.tilted(a), scaled.tilted(a), (1, 2)):
        assert found.shape == exact.shape
        np.testing.assert_allclose(found, exact, atol=1e-11 * scaled.sigma**order)
    np.testing.assert_allclose(own.covariance, scaled.covariance, atol=1e-12 * scaled.sigma**2)


def test_branches_of_the_logarithm_do_not_matter():
    flipped = lambda a: np.log(np.cosh(a)).sum(-1) + 2j * np.pi * np.round(3 * np.sin(50 * a.imag)).sum(-1)
    np.testing.assert_allclose(tilted_from_log_mgf(flipped, np.array([[0.3]]))[1], 1 - np.tanh(0.3) ** 2)


@pytest.mark.parametrize("size", [1e-9, 1.0, 1e7])
def test_the_scale_is_found_whatever_the_unit(size):
    K = uniform(2).image(size * np.eye(2)).log_mgf
    assert K is not None
    assert 0.5 < scale_of(K, 2) / size < 1.5
    np.testing.assert_allclose(moments_along(K, np.eye(2), 4), 9 / 5 * size**4)
    np.testing.assert_allclose(moments_along(K, np.eye(2), 3), 0, atol=1e-12 * size**3)


def test_the_scale_of_a_law_with_a_rare_point_is_not_its_deviation():
    K = atoms([[1 - 1e-6], [-1e-6]], [1e-6, 1 - 1e-6]).log_mgf
    assert K is not None
    assert scale_of(K, 1) > 20 * 1e-3
    assert scale_of(lambda a: 0 * a.sum(-1), 1) == 0


def test_overflow_far_out_is_said_and_not_returned():
    mine = law(log_mgf=LOG_COSH)
    assert mine.tilted([300.0])[0] == pytest.approx(1.0)
    with pytest.raises(ValueError, match="does not overflow there"):
        mine.tilted([2000.0])


def test_without_a_log_mgf_there_are_samples_only():
    mine = law()
    for ask in (lambda: mine.covariance, lambda: mine.tilted([0.0])):
        with pytest.raises(ValueError, match="pass log_mgf="):
            ask()
    image = mine.image([[2.0], [0.0]])
    assert (image.d, image.sigma, image.log_mgf, image.name) == (2, 2.0, None, "image of mine")
    assert set(image.sample(np.random.default_rng(0), 50).ravel().tolist()) == {2.0, -2.0, 0.0}


def test_images_of_a_users_law():
    mine = law(log_mgf=LOG_COSH, coordinates="sign")
    image, exact = mine.image([[2.0], [-1.0]]), rademacher(1).image([[2.0], [-1.0]])
    assert image.sigma == pytest.approx(exact.sigma)
    assert image.factor is not None
    np.testing.assert_array_equal(image.factor, [[2.0], [-1.0]])
    for x, y in zip(image.tilted([0.3, 0.4]), exact.tilted([0.3, 0.4])):
        np.testing.assert_allclose(x, y, atol=1e-12)
    with pytest.raises(ValueError, match="A needs 1 columns"):
        mine.image(np.eye(2))


def test_a_law_is_frozen_and_so_is_its_factor():
    factor = np.array([[2.0]])
    mine = law(coordinates="sign", factor=factor)
    factor[0, 0] = 3.0
    assert mine.factor.item() == 2.0
    assert law(coordinates="sign").factor is not None
    with pytest.raises(ValueError, match="read-only"):
        mine.factor[0, 0] = 1.0
    with pytest.raises(dataclasses.FrozenInstanceError):
        mine.sigma = 2.0


def test_a_point_mass_may_have_sigma_zero():
    nothing = law(sigma=0, sample=lambda rng, n: np.zeros((n, 1)), log_mgf=lambda a: 0 * a.sum(-1))
    assert not nothing.covariance.any()


def test_quantile_functions_are_coordinates():
    quantile = njit(lambda u: np.float32(2) * u - np.float32(1))
    K = lambda a: np.log(np.sinc(1j * a / np.pi)).sum(-1)
    sample = lambda rng, n: rng.uniform(-1, 1, (n, 1))
    interval: dict[str, Any] = dict(sample=sample, log_mgf=K, coordinates=quantile)
    assert law(**interval).covariance.item() == pytest.approx(1 / 3)
    with pytest.raises(ValueError, match="scale the factor, or correct log_mgf"):
        law(**interval, factor=[[1.2]])


@pytest.mark.parametrize(
    ("changes", "error", "match"),
    [
        ({"name": ""}, TypeError, "give the law a name"),
        ({"d": 1.0}, TypeError, "whole number"),
        ({"d": True}, TypeError, "whole number"),
        ({"d": 0}, ValueError, "d >= 1"),
        ({"sigma": -1.0}, ValueError, "negative"),
        ({"sigma": np.inf}, ValueError, "finite"),
        ({"sigma": "1"}, TypeError, "real numbers"),
        ({"sigma": 1e101}, ValueError, "choose other units"),
        ({"sample": None}, TypeError, r"sample\(rng, n\)"),
        ({"d": 2}, ValueError, r"sample\(rng, 3\) returned an array of shape \(3, 1\)"),
        ({"sample": lambda rng, n: signs(rng, n).T}, ValueError, r"of shape \(2, 1\)"),
        ({"sample": lambda rng, n: rng.integers(0, 2, (n, 1))}, ValueError, "finite floats"),
        ({"sample": lambda rng, n: np.full((n, 1), np.nan)}, ValueError, "finite floats"),
        ({"sample": lambda rng: 1}, ValueError, "failed with TypeError"),
        ({"sample": lambda rng, n: FRESH().standard_normal((n, 1))}, ValueError, "from the rng that it is"),
        ({"log_mgf": 3}, TypeError, "cannot be called"),
        ({"structure": "sign"}, TypeError, "none that a built-in law has"),
        ({"coordinates": "gauss"}, ValueError, "is none of"),
        ({"coordinates": lambda u: u}, TypeError, "numba.njit"),
        ({"coordinates": njit(lambda u: u)}, ValueError, "subtract the mean"),
        ({"coordinates": njit(lambda u: np.float32(0.5) - u)}, ValueError, "no quantile function"),
        ({"coordinates": njit(lambda u, v: u)}, ValueError, "failed with TypeError"),
        ({"factor": [[1.0]]}, ValueError, "factor without coordinates"),
        ({"coordinates": "sign", "factor": [1.0]}, ValueError, "factor has shape"),
        ({"coordinates": "sign", "factor": np.eye(2)}, ValueError, "needs 1 rows"),
        ({"coordinates": "sign", "factor": [[2.0]], "log_mgf": LOG_COSH}, ValueError, "differs by 3"),
    ],
)
def test_what_is_refused_at_the_door(changes, error, match):
    with pytest.raises(error, match=match):
        law(**changes)


@pytest.mark.parametrize(
    ("log_mgf", "match"),
    [
        (lambda a: np.log(np.cosh(a)), r"\(2, 3\) is needed"),
        (lambda a: np.log(np.cosh(a)).sum(-1) + 1, r"ln E exp\(0\) = 0"),
        (lambda a: np.log(np.sinh(a) / a).sum(-1), "fill the removable singularity"),
        (lambda a: (a * a / 2 + a / 10).sum(-1), "slope 0.1 at 0 along axis 0"),
        (lambda a: np.logaddexp(a, -a).sum(-1) - np.log(2), "TypeError.* for complex a"),
        (lambda a: np.linalg.norm(a, axis=-1) ** 2 / 2, "real numbers for complex a"),
        (lambda a: (a * a.conj()).sum(-1) / 2, "not analytic"),
        (lambda a: (a.real**2).sum(-1) / 2 + 1j * a.imag.sum(-1), "not analytic"),
        (lambda a: a.sum(-1), "or a mean"),
        (lambda a: -(a * a).sum(-1) / 2, "is -1 for a along axis 0 at .a. = 1.* look for a wrong sign"),
    ],
)
def test_what_is_no_log_mgf_is_refused(log_mgf, match):
    with pytest.raises(ValueError, match=match):
        law(log_mgf=log_mgf)


@pytest.mark.parametrize(
    ("nodes", "masses", "sigma2", "match"),
    [
        ([[1.0, 0.0], [-1.0, 0.0]], [0.5, 0.5], 1.0, "each node needs 1 entries"),
        ([[1.0], [-1.0]], [0.5, 0.6], 1.0, "a probability"),
        ([[1.0], [-1.0]], [0.4, 0.6], 1.0, "subtract it"),
        ([[1.0], [-1.0]], [0.5, 0.5], 2.0, "give both the same parameter"),
    ],
)
def test_nodes_that_are_not_of_the_law_are_refused(nodes, masses, sigma2, match):
    with pytest.raises(ValueError, match=match):
        law(cubature=WeightedNodes(np.array(nodes), np.array(masses), sigma2))


def test_a_users_law_brings_its_nodes():
    mine = law(cubature=WeightedNodes(np.array([[1.0], [-1.0]]), np.array([0.5, 0.5]), 1.0))
    assert mine.weighted_nodes.mean(mine.weighted_nodes.squares) == 1
    with pytest.raises(TypeError, match="no WeightedNodes"):
        law(cubature=[[1.0], [-1.0]])
    with pytest.raises(ValueError, match="mine in d = 1 has infinitely many values and no cubature rule"):
        _ = law().weighted_nodes


def test_a_log_mgf_that_falls_along_one_axis_is_refused():
    pair = lambda rng, n: rng.standard_normal((n, 2))
    with pytest.raises(ValueError, match=r"axis 1 .* look for a wrong sign"):
        law(d=2, sample=pair, log_mgf=lambda a: (a[..., 0] ** 2 - a[..., 1] ** 2) / 2)


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("d", [1, 5, 30])
def test_what_is_not_refused(d, unit):
    # a skewed law far from symmetric, in many dimensions and any unit, passes the tests for mean
    # and analyticity
    K = atoms([[0.99 * unit], [-0.01 * unit]], [0.01, 0.99]).log_mgf
    sample = lambda rng, n: unit * ((rng.random((n, d)) < 0.01) - 0.01)
    mine = law(d=d, sigma=unit, sample=sample, log_mgf=lambda a: K(a[..., None]).sum(-1))
    np.testing.assert_allclose(mine.covariance, 0.0099 * unit**2 * np.eye(d), atol=1e-10 * unit**2)


def test_a_hundred_dimensions_take_no_tensor():
    sample = lambda rng, n: rng.standard_normal((n, 100))
    mine = law(d=100, sample=sample, log_mgf=lambda a: (a * a).sum(-1) / 2)
    np.testing.assert_allclose(mine.covariance, np.eye(100), atol=1e-12)
