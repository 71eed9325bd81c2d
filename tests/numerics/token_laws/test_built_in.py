"""Built-in laws: transforms, tilts, samples and sigma by mpmath, each other, scaling."""

import dataclasses
import json
import pickle
from collections.abc import Callable
from typing import Any

import mpmath as mp
import numpy as np
import pytest
from numpy.typing import NDArray

from numerics.token_laws import TokenLaw, atoms, ball, from_identity, gaussian, rademacher, sphere, uniform
from numerics.token_laws.radial import bessel_ratio
from tests.numerics.token_laws.tilts import some_tilts

Floats = NDArray[np.float64]
STANDARD = [f(d) for f in (rademacher, uniform, sphere, ball) for d in (1, 2, 3, 7)]
SKEWED = atoms([[0.9, 0.3], [-0.1, 0.3], [-0.1, -0.3 * 0.4 / 0.6]], [0.1, 0.3, 0.6])
# rank 3, and 4 > 3 rows
SHEAR = np.array([[1.0, -0.5, 2.0], [0.0, 1.5, 1.0], [1.0, 1.0, 3.0], [0.2, 0.0, 0.4]])
LAWS = [
    *STANDARD,
    gaussian([[2.0, 0.5], [0.5, 1.0]]),
    gaussian(np.diag([1.0, 0.0])),
    SKEWED,
    *(f(3).image(SHEAR) for f in (rademacher, uniform, sphere, ball)),
]
name_of = lambda law: f"{law.name} {law.d}"


def exact_mgf(law: TokenLaw, a: Any) -> Any:
    """E e^{a.Z} in multiple precision: 0F1 for spheres and balls."""
    identity = law.identity or {}
    kind = identity["kind"]
    a = [mp.mpmathify(x) for x in a]
    if kind == "atoms":
        score = lambda x: mp.fsum(s * mp.mpf(t) for s, t in zip(a, x))
        return mp.fsum(mp.mpf(p) * mp.exp(score(x)) for x, p in zip(identity["points"], identity["weights"]))
    if kind == "gaussian":
        G = identity["Gamma"]
        return mp.exp(mp.fsum(a[i] * a[j] * mp.mpf(G[i][j]) for i in range(law.d) for j in range(law.d)) / 2)
    F = identity.get("factor", np.eye(law.d).tolist())
    b = [mp.fsum(a[i] * mp.mpf(F[i][j]) for i in range(law.d)) for j in range(len(F[0]))]
    if kind == "rademacher":
        return mp.fprod(mp.cosh(t) for t in b)
    if kind == "uniform":
        return mp.fprod(mp.sinh(mp.sqrt(3) * t) / (mp.sqrt(3) * t) if t else 1 for t in b)
    q = len(b) + (2 if kind == "ball" else 0)
    return mp.hyp0f1(mp.mpf(q) / 2, q * mp.fsum(t * t for t in b) / 4)


@pytest.mark.parametrize("q", [1, 2, 3, 5, 8])
def test_the_transform_of_a_sphere_is_a_0F1(q):
    for x in (mp.mpf(3), mp.mpc(1, 4)):
        # the angle to the tilt has density sin^{q-2}; in one dimension the sphere is two points
        density = lambda s, t: mp.exp(t * mp.cos(s)) * mp.sin(s) ** (q - 2)
        f = lambda t, density=density: mp.quad(lambda s: density(s, t), mp.linspace(0, mp.pi, 5))
        exact = f(x) / f(0) if q > 1 else mp.cosh(x)
        assert abs(mp.hyp0f1(mp.mpf(q) / 2, x * x / 4) - exact) < 1e-12
        made = abs(mp.mpc(complex(np.exp(sphere(q).log_mgf(np.eye(q)[0] * complex(x / mp.sqrt(q)))))) - exact)
        assert made < 1e-12 * mp.cosh(3)


def exact_log_mgf_on_a_plane(law: TokenLaw, a: Floats, u: Floats, v: Floats) -> Callable[[Any, Any], Any]:
    return lambda s, t: mp.log(exact_mgf(law, [mp.mpf(x) + s * y + t * z for x, y, z in zip(a, u, v)]))


@pytest.mark.parametrize("law", LAWS, ids=name_of)
def test_transform_against_the_definition_for_complex_arguments(law):
    real = some_tilts(law)
    lines = np.concatenate([real.astype(complex), real * (0.7 - 5j), real[:1] * 40j, real[:1] * (-1 + 0.01j)])
    for a, found in zip(lines, np.exp(law.log_mgf(lines))):
        exact = exact_mgf(law, a)
        # the transform at Re a is what the values along a line are compared with; far out they are
        # tiny
        assert abs(mp.mpc(complex(found)) - exact) < 1e-12 * abs(exact) + 1e-14 * abs(exact_mgf(law, a.real))


@pytest.mark.parametrize("law", LAWS, ids=name_of)
def test_real_transforms_are_real_and_relatively_accurate_near_zero(law):
    unit = some_tilts(law)[:1]
    for size in (1e-7, 1e-3, 0.3):
        found = np.asarray(law.log_mgf(size * unit))
        assert found.dtype == float
        with mp.workdps(40):
            exact = mp.log(exact_mgf(law, size * unit[0]))
        # weights of atoms add up to 1 only up to rounding
        expected = float(exact)
        assert float(found[0]) == pytest.approx(expected, rel=1e-9, abs=1e-16 if law.name == "atoms" else 0)


@pytest.mark.parametrize("law", LAWS, ids=name_of)
def test_tilts_are_the_derivatives_of_the_transform(law):
    directions = np.eye(law.d)[:2]
    for a in some_tilts(law)[1:]:
        mean, covariance = law.tilted(a)
        with mp.workdps(40):
            K = exact_log_mgf_on_a_plane(law, a, directions[0], directions[-1])
            h = mp.mpf(10) ** -8
            slope = (K(h, 0) - K(-h, 0)) / (2 * h)
            mixed = (K(h, h) - K(h, -h) - K(-h, h) + K(-h, -h)) / (4 * h * h)
        assert mean[0] == pytest.approx(float(slope), rel=1e-11, abs=1e-12 * law.sigma)
        # in one dimension both directions are the same one
        wanted = float(mixed)
        assert covariance[0, len(directions) - 1] == pytest.approx(wanted, rel=1e-9, abs=1e-11 * law.sigma**2)


@pytest.mark.parametrize("law", LAWS, ids=name_of)
def test_leading_axes_and_a_single_vector(law):
    a = some_tilts(law)
    mean, covariance = law.tilted(a.reshape(2, 2, law.d))
    assert mean.shape == (2, 2, law.d)
    assert covariance.shape == (2, 2, law.d, law.d)
    one = law.tilted(a[3])
    np.testing.assert_allclose(mean[1, 1], one[0], rtol=1e-14)
    np.testing.assert_allclose(covariance[1, 1], one[1], rtol=1e-12, atol=1e-15)
    assert (np.shape(law.log_mgf(a[0])), np.shape(law.log_mgf(a[0] + 0j))) == ((), ())


@pytest.mark.parametrize("law", LAWS, ids=name_of)
def test_samples_have_the_tilted_means_and_covariances(law):
    # 8 standard errors of at most 30 means: below 1e-12 by the normal law, 1e-6 with room for the
    # skewness of the weights
    z = law.sample(np.random.default_rng(8), 40_000)
    a = some_tilts(law)[0]
    w = np.exp(z @ a - float(law.log_mgf(a)))
    mean, covariance = law.tilted(a)
    centred = z - mean
    squares = centred[:, :, None] * centred[:, None, :] - covariance
    of_pairs = [w * squares[:, i, j] for i in range(law.d) for j in range(i + 1)]
    for x in (w - 1, *(w[:, None] * centred).T, *of_pairs):
        assert abs(x.mean()) <= 8 * x.std() / 200 + 1e-13 * law.sigma**2


@pytest.mark.parametrize("law", [law for law in LAWS if law.name != "atoms"], ids=name_of)
def test_factor_and_coordinates_are_those_of_the_law(law):
    np.testing.assert_allclose(law.factor @ law.factor.T, law.covariance, atol=1e-14 * law.sigma**2)
    assert not law.factor.flags.writeable
    g = np.linalg.pinv(law.factor) @ law.sample(np.random.default_rng(1), 50).T
    r = law.factor.shape[1]
    kept = np.linalg.matrix_rank(law.factor) == r
    if law.coordinates == "sign" and kept:
        np.testing.assert_allclose(np.abs(g), 1)
    if law.coordinates == "sphere" and kept:
        np.testing.assert_allclose((g**2).sum(0), r)
    if law.coordinates in ("uniform", "ball") and kept:
        largest, length = np.abs(g).max(0) / np.sqrt(3), np.linalg.norm(g, axis=0) / np.sqrt(r + 2)
        assert 0.7 < (largest if law.coordinates == "uniform" else length).max() <= 1 + 1e-12


@pytest.mark.parametrize("law", LAWS, ids=name_of)
def test_a_law_travels_as_its_identity_and_between_processes(law):
    for again in (from_identity(json.loads(json.dumps(law.identity))), pickle.loads(pickle.dumps(law))):
        assert (again.name, again.d, again.sigma) == (law.name, law.d, law.sigma)
        assert again.identity == law.identity
        one, other = (x.sample(np.random.default_rng(2), 9) for x in (again, law))
        np.testing.assert_array_equal(one, other)
        np.testing.assert_array_equal(again.factor, law.factor)


def test_an_identity_does_not_outlive_what_it_stands_for():
    law = sphere(2).image([[1.0, 2.0]])
    assert dataclasses.replace(law, name="renamed").identity == law.identity
    normal = lambda rng, n: rng.standard_normal((n, 1))
    for changes in ({"sigma": 1.0}, {"sample": normal}, {"log_mgf": None}, {"structure": None}):
        assert dataclasses.replace(law, **changes).identity is None


@pytest.mark.parametrize("law", LAWS, ids=name_of)
def test_log_mgf_is_convex_and_below_the_gaussian_bound(law):
    rng = np.random.default_rng(3)
    a, b = rng.standard_normal((2, 200, law.d)) * rng.exponential(4, (2, 200, 1)) / law.sigma
    K = lambda v: np.asarray(law.log_mgf(v))
    assert (K((a + b) / 2) <= (K(a) + K(b)) / 2 + 1e-12 * (1 + np.abs(K(a)))).all()
    assert (K(a) <= law.sigma**2 * (a**2).sum(1) / 2 * (1 + 1e-12)).all()
    assert (np.linalg.eigvalsh(law.tilted(a)[1]) >= -1e-12 * law.sigma**2).all()


@pytest.mark.parametrize("make", [rademacher, uniform, sphere, ball])
@pytest.mark.parametrize("d", [1, 2, 3, 7, 60])
def test_sigma_cannot_be_smaller(make, d):
    law = make(d)
    v = np.full(d, 0.02 / np.sqrt(d))
    assert float(law.log_mgf(v)) > (1 - 1e-3) * law.sigma**2 * float(v @ v) / 2
    np.testing.assert_allclose(law.covariance, np.eye(d), atol=1e-13)


@pytest.mark.parametrize("make", [rademacher, uniform, sphere, ball])
def test_no_overflow_at_tilts_of_a_thousand(make):
    law = make(3)
    a = 1000 * np.array([[1.0, 0.0, 0.0], [-0.6, 0.8, 0.0]])
    mean, covariance = law.tilted(a)
    K = np.asarray(law.log_mgf(a))
    # ln E e^{a.Z} is the largest a.z less logarithms of |a|, and convexity puts mean.a above it
    assert ((law.sample(np.random.default_rng(0), 2000) @ a.T).max(0) < K * 1.2).all()
    assert (np.sum(mean * a, -1) > K * (1 - 1e-12)).all()
    assert (np.abs(mean) <= np.sqrt(5) + 1e-12).all()
    assert np.isfinite(covariance).all()
    assert (np.linalg.eigvalsh(covariance) > -1e-12).all()
    along = np.einsum("ni,nij,nj->n", a, covariance, a) / 1e6
    assert (along < 1e-5).all()
    assert (along >= -1e-15).all()


@pytest.mark.parametrize("make", [rademacher, uniform, sphere, ball])
def test_tilts_without_bound(make):
    law = make(3)
    edge = np.sqrt({"rademacher": 1, "uniform": 3, "sphere": 3, "ball": 5}[law.name])
    for size in (1e8, 1e12, 1e200):
        mean, covariance = law.tilted([0.0, -size, 0.0])
        np.testing.assert_allclose(mean, [0, -edge, 0], rtol=1e-7)
        assert 0 <= covariance[1, 1] <= 10 / size**1.5
    if law.name in ("sphere", "ball"):
        with pytest.raises(ValueError, match="1e\\+09 is the limit"):
            law.log_mgf(np.array([1e12, 0.0, 0.0]))


@pytest.mark.parametrize("q", [2, 3, 4, 9])
def test_variance_along_a_long_tilt_on_the_sphere(q):
    # the angle's density e^{x cos s} sin^{q-2} s: 1 - cos s is Gamma((q-1)/2, x) to first order, of
    # variance (q - 1) / (2 x^2)
    for length in (1e3, 1e6):
        along = float(sphere(q).tilted(np.eye(q)[0] * length)[1][0, 0])
        x = np.sqrt(q) * length
        assert along == pytest.approx(q * (q - 1) / 2 / x**2, rel=3 * q / x)


@pytest.mark.parametrize("q", [1, 2, 3, 9, 40])
def test_bessel_ratios_on_both_sides_of_the_expansion(q):
    edge = 60.0 + 20 * (q - 1)
    x = np.array([0.0, 1e-6, 0.5, 3.0, 30.0, edge - 1, edge + 1, 3 * edge])
    for value, mean, across, along in zip(x, *bessel_ratio(q, x)):
        with mp.workdps(600 if q == 1 else 60):  # for q = 1 the last one is sech^2
            F = [mp.hyp0f1(mp.mpf(q) / 2 + k, mp.mpf(value) ** 2 / 4) for k in (0, 1)]
            exact = value * F[1] / F[0] / q
            variance = q * (1 - exact**2) - (q - 1) * F[1] / F[0]
            assert across == pytest.approx(float(F[1] / F[0]), rel=1e-13)
        assert mean == pytest.approx(float(exact), rel=1e-13)
        assert along == pytest.approx(float(variance), rel=1e-10)


def test_points_to_nine_digits_are_centred_enough():
    # the mean is 3e-10, which would be the whole log-mgf near 0
    law = atoms([[0.333333333], [0.333333333], [-0.666666667]], [1 / 3, 1 / 3, 1 / 3])
    assert float(law.log_mgf(np.array([1e-8]))) == pytest.approx(1e-16 / 9, rel=1e-6, abs=0)


def test_one_dimensional_spheres_and_balls_are_signs_and_intervals():
    a = np.linspace(-30, 30, 41)[:, None] * np.array([1, 1 + 0.3j, 1j])[:, None, None]
    for one, other in ((sphere(1), rademacher(1)), (ball(1), uniform(1))):
        K, J, top = (f(b) for f, b in ((one.log_mgf, a), (other.log_mgf, a), (other.log_mgf, a.real)))
        np.testing.assert_allclose(np.exp(K - top), np.exp(J - top), atol=1e-12)
        for x, y in zip(one.tilted(a[0].real), other.tilted(a[0].real)):
            np.testing.assert_allclose(x, y, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("d", [1, 2, 5])
def test_a_ball_is_the_shadow_of_a_sphere_two_dimensions_up(d):
    shadow = sphere(d + 2).image(np.eye(d, d + 2))
    a = np.random.default_rng(1).standard_normal((20, d)) * 3
    np.testing.assert_allclose(shadow.log_mgf(a), ball(d).log_mgf(a), rtol=1e-13)
    for x, y in zip(shadow.tilted(a), ball(d).tilted(a)):
        np.testing.assert_allclose(x, y, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("make", [sphere, ball])
def test_in_high_dimension_spheres_and_balls_are_nearly_normal(make):
    # ln 0F1(; q/2; q w/4) = w/2 - w^2/(4 q) + ...
    gaps = []
    for d in (50, 500):
        gaps.append(2 - float(make(d).log_mgf(np.full(d, 2 / np.sqrt(d)))))
        assert gaps[-1] == pytest.approx(4 / d, rel=0.2)
    assert gaps[1] < gaps[0] / 8


@pytest.mark.parametrize("law", LAWS, ids=name_of)
def test_images_scale_everything(law):
    double = law.image(-2 * np.eye(law.d))
    a = some_tilts(law)
    assert double.sigma == pytest.approx(2 * law.sigma, rel=1e-9)
    np.testing.assert_allclose(double.log_mgf(a), law.log_mgf(-2 * a), rtol=1e-12)
    for x, y, factor in zip(double.tilted(a), law.tilted(-2 * a), (-2, 4)):
        np.testing.assert_allclose(x, factor * y, rtol=1e-11, atol=1e-12)


IN_SPACE = [rademacher(3), uniform(3), sphere(3), ball(3), gaussian(np.diag([1.0, 2.0, 3.0]))]


@pytest.mark.parametrize("law", IN_SPACE, ids=name_of)
def test_images_under_singular_matrices(law):
    A = np.array([[1.0, 2.0, 0.0], [2.0, 4.0, 0.0]])
    image = law.image(A)
    assert image.sigma == pytest.approx(np.sqrt(np.linalg.eigvalsh(A @ law.covariance @ A.T)[-1]), rel=1e-12)
    z = image.sample(np.random.default_rng(0), 100)
    np.testing.assert_allclose(z[:, 1], 2 * z[:, 0], atol=1e-12)
    a = np.array([0.3, -0.1])
    assert float(image.log_mgf(a)) == pytest.approx(float(law.log_mgf(a @ A)), rel=1e-12)
    nothing = law.image(np.zeros((1, 3)))
    assert nothing.sigma == 0
    assert not nothing.sample(np.random.default_rng(0), 5).any()
    assert not nothing.covariance.any()


def test_the_image_of_an_image():
    A, B = np.array([[1.0, 2.0, 0.5]]), np.diag([1.0, -1.0, 2.0])
    for law in (sphere(3), rademacher(3), SKEWED.image(np.ones((3, 2)))):
        a = np.array([0.7])
        twice, once = law.image(B).image(A), law.image(A @ B)
        assert float(twice.log_mgf(a)) == pytest.approx(float(once.log_mgf(a)), rel=1e-12)
        assert twice.sigma == pytest.approx(once.sigma, rel=1e-9)


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (lambda: gaussian([[1.0, 2.0], [2.0, 1.0]]), ValueError, "semidefinite"),
        (lambda: gaussian([1.0]), ValueError, "square"),
        (lambda: rademacher(0), ValueError, "d >= 1"),
        (lambda: uniform(2.0), TypeError, "whole number"),
        (lambda: sphere(True), TypeError, "whole number"),
        (lambda: ball(501), ValueError, "beyond 500"),
        (lambda: rademacher(10**6), ValueError, "beyond 4096"),
        (lambda: sphere(1).image([[1e300]]), ValueError, "choose other units"),
        (lambda: atoms([[1e200], [-1e200]], [0.5, 0.5]), ValueError, "choose other units"),
        (lambda: atoms([1.0, -1.0], [0.5, 0.5]), ValueError, "points has shape"),
        (lambda: atoms([[1.0], [-1.0]], [0.5]), ValueError, "k = 2"),
        (lambda: atoms([[1.0], [-1.0]], [1.5, -0.5]), ValueError, "drop points without mass"),
        (lambda: atoms([[1.0], [-1.0]], [0.5, 0.6]), ValueError, "divide them by their sum"),
        (lambda: atoms([[1.0], [-1.0]], [0.4, 0.6]), ValueError, "points - weights @ points"),
        (lambda: atoms([[1.0], [-1.0]], [0.5, 0.5], sigma=-1), ValueError, "negative"),
        (lambda: atoms([[1.0], [np.nan]], [0.5, 0.5]), ValueError, "finite"),
        (lambda: sphere(2).image([[1.0]]), ValueError, "A needs 2 columns"),
        (lambda: sphere(2).image([1.0, 2.0]), ValueError, "A has shape"),
        (lambda: sphere(2).image([["x", "y"]]), TypeError, "real numbers"),
        (lambda: sphere(2).tilted([1.0]), ValueError, "last axis must be 2"),
        (lambda: sphere(2).tilted(1.0), ValueError, "last axis must be 2"),
        (lambda: sphere(2).tilted([1.0, 1j]), TypeError, "real numbers"),
        (lambda: sphere(2).tilted([1.0, np.inf]), ValueError, "finite"),
        (lambda: from_identity("sphere"), TypeError, "table"),
        (lambda: from_identity({"kind": "cauchy"}), ValueError, "choose one of gaussian, atoms, rademacher"),
        (lambda: from_identity({"d": 3}), ValueError, "kind = None"),
        (lambda: from_identity({"kind": "sphere"}), ValueError, r"by \{d\} or \{factor\}, not by \{\}"),
        (lambda: from_identity({"kind": "sphere", "d": 3, "r": 2}), ValueError, "described by"),
        (lambda: from_identity({"kind": "atoms", "points": [[0.0]]}), ValueError, "weights"),
    ],
)
def test_bad_input_is_refused_with_what_to_do(call, error, match):
    with pytest.raises(error, match=match):
        call()


@pytest.mark.parametrize("octave", [10, 30, 40, 50])
def test_an_image_of_normal_tokens_keeps_every_direction_of_its_factor(octave):
    law = gaussian(np.eye(2)).image(np.array([[1.0, 1.0], [1.0, 1.0 + 2.0**-octave]]))
    a = 2.0**octave * np.array([1.0, -1.0])  # a.Z is minus a standard coordinate
    for known in (law, from_identity(law.identity or {})):
        assert known.log_mgf(a) == pytest.approx(0.5, rel=1e-8)
