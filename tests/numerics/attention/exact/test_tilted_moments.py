"""Moments under complex tilts: each kind of law against sums over atoms or quadrature points."""

import itertools

import numpy as np
import pytest

from numerics.attention.exact.cauchy_moments import CauchyMoments
from numerics.attention.exact.tilted_moments import (
    AtomicMoments,
    IndependentMoments,
    RadialMoments,
    TiltedMoments,
)
from numerics.token_laws.coordinates import coordinate

TILTS = np.array([1, 0.5, -2.5, 1 + 3j, -0.5 + 10j, -4.5 - 2j])
LEGENDRE = np.polynomial.legendre.leggauss(40)
HERMITE = np.polynomial.hermite_e.hermegauss(60)
RULES = {
    "sign": (np.array([-1.0, 1.0]), np.array([0.5, 0.5])),
    "uniform": (np.sqrt(3) * LEGENDRE[0], LEGENDRE[1] / 2),
    "normal": (HERMITE[0], HERMITE[1] / HERMITE[1].sum()),
}


def setting(seed: int, r: int) -> tuple[np.ndarray, np.ndarray, list[np.ndarray]]:
    rng = np.random.default_rng(seed)
    forms = [B @ B.T for B in rng.standard_normal((2, r, r))]
    return 0.6 * rng.standard_normal(r), 0.3 * rng.standard_normal(r), [forms[0], np.eye(r), forms[1]]


def tensors(moments: TiltedMoments) -> list[np.ndarray]:
    """All that the functions stand for, free of the scale of the law, a row for each tilt."""
    f, basis = moments.functions(TILTS) * np.exp(moments.log_mgf(TILTS.real))[:, None], moments.basis
    one, first, second, third, fourth = (f[:, part] for part in basis.parts)
    out = [one, first @ basis.first, np.tensordot(second, basis.second, axes=1).reshape(len(f), -1)]
    return out + [third @ T for T in basis.third] + [(fourth @ T)[:, None] for T in basis.fourth]


def assert_equal(found: TiltedMoments, expected: TiltedMoments, tolerance: float) -> None:
    size = np.exp(expected.log_mgf(TILTS.real))[:, None]
    for x, y in zip(tensors(found), tensors(expected), strict=True):
        assert np.all(np.abs(x - y) < tolerance * size * (1 + np.abs(y / size).max()))


@pytest.mark.parametrize("kind", RULES)
def test_independent_coordinates(kind):
    """Three coordinates against the product rule, by closed forms and from the log-mgf alone."""
    b, h, matrices = setting(0, 3)
    x, p = RULES[kind]
    points = np.array(list(itertools.product(x, repeat=3)))
    weights = np.array(list(itertools.product(p, repeat=3))).prod(axis=1)
    expected = AtomicMoments(points, weights, b, h, matrices)
    assert_equal(IndependentMoments(coordinate(kind), b, h, matrices), expected, 1e-12)
    assert_equal(
        CauchyMoments(lambda a: coordinate(kind).log_mgf(a).sum(-1), 1.0, b, h, matrices), expected, 1e-10
    )


@pytest.mark.parametrize("kind", ["circle", "disc", "interval"])
def test_radial_laws(kind):
    r = 1 if kind == "interval" else 2
    b, _, matrices = setting(1, r)
    turn = 2 * np.pi * np.arange(200) / 200
    circle = np.stack([np.cos(turn), np.sin(turn)], axis=-1)
    points, weights, q = {
        "circle": (np.sqrt(2) * circle, np.full(200, 1 / 200), 2),
        "disc": (
            2 * (np.sqrt((LEGENDRE[0] + 1) / 2)[:, None, None] * circle).reshape(-1, 2),
            np.repeat(LEGENDRE[1] / 400, 200),
            4,
        ),
        "interval": (RULES["uniform"][0][:, None], RULES["uniform"][1], 3),
    }[kind]
    h = 0.4 * b / np.linalg.norm(b)
    expected = AtomicMoments(points, weights, b, h, matrices)
    assert_equal(RadialMoments(q, b, 0.4, matrices), expected, 1e-12)


def test_without_scores_a_radial_law_has_no_direction():
    _, _, matrices = setting(2, 3)
    none, tiny = (
        tensors(RadialMoments(3, b, 0.0, matrices)) for b in (np.zeros(3), np.array([0.0, 1e-9, 1e-9]))
    )
    for x, y in zip(none, tiny):
        assert x == pytest.approx(y, abs=1e-6)
