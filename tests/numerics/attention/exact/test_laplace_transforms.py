"""Mellin-Barnes integrals against direct quadrature and sums, and what must hold as r -> 0."""

import math

import numpy as np
import pytest

from numerics.attention.exact.laplace_transforms import law_transforms, transform_grid
from numerics.attention.exact.tilted_moments import (
    AtomicMoments,
    IndependentMoments,
    RadialMoments,
    TiltedMoments,
)
from numerics.attention.quadrature.gaussian_transforms import laplace_transforms
from numerics.token_laws.coordinates import coordinate

FORMS = [np.array([[2.0]]), np.array([[1.0]])]


def signs(r: int) -> np.ndarray:
    return 1.0 - 2.0 * ((np.arange(2**r)[:, None] >> np.arange(r)) & 1)


@pytest.mark.parametrize(("tau", "rule"), [(0.05, 0), (1.0, 1), (6.0, 0), (6.0, 1), (12.0, 0)])
def test_gaussian_scores_against_the_sum_over_the_scores_themselves(tau, rule):
    """m_k of the function 1, up to the mean e^{tau^2/2} of the weights, which shifts v."""
    moments = IndependentMoments(coordinate("normal"), np.array([tau]), np.array([tau]), FORMS)
    keys = [((2, 0),), ((3, 0),), ((4, 0),)]
    direct = laplace_transforms(tau**2, math.log(1e6), keys)
    v = direct.start + direct.step * np.arange(direct.log_m0.size)
    seen = np.flatnonzero(
        (1e6 * direct.log_m0 > -700) & (v + tau**2 / 2 > transform_grid(moments, math.log(1e6))[0])
    )
    found = law_transforms(moments, v[seen] + tau**2 / 2, rule)
    assert found.log_m0 == pytest.approx(direct.log_m0[seen], rel=1e-11)
    for k in (2, 3, 4):
        assert found.m[k][:, 0] == pytest.approx(direct.m[k, 0][seen], rel=1e-10)


@pytest.mark.parametrize("scale", [0.01, 1.0, 4.0])
def test_signs_against_sums(scale):
    r = 3
    b = scale * np.array([1.0, math.sqrt(0.5), -0.3])
    h, forms, even = np.tanh(b), [np.diag([1.0, 2.0, 3.0]), np.eye(r)], np.full(2**r, 0.5**r)
    moments: list[TiltedMoments] = [
        IndependentMoments(coordinate("sign"), b, h, forms),
        AtomicMoments(signs(r), even, b, h, forms),
    ]
    v = transform_grid(moments[0], math.log(1e6))
    found, expected = (law_transforms(m, v) for m in moments)
    assert found.log_m0[:-3] == pytest.approx(expected.log_m0[:-3], rel=1e-10)
    for k in (2, 3, 4):
        assert np.all(np.abs(found.m[k] - expected.m[k]) < 1e-11 * np.abs(expected.m[k]).max(axis=0))
    for column in range(1, found.m[1].shape[1]):  # about the tilted mean: of order r^2, to relative accuracy
        small = v < -8
        size = np.exp(2 * v[small]) * np.abs(expected.m[1][small, column] / np.exp(2 * v[small])).max()
        assert np.all(np.abs(found.m[1][small, column] - expected.m[1][small, column]) < 1e-9 * size)


def test_small_r_is_the_taylor_series():
    """1 - m_0 = r - r^2 E w^2/2, m_1[y] = -r^2 E w^2 y, m_2[1] = r^2 E w^2, up to higher orders."""
    b = np.array([0.8, 0.3])
    across = 0.9
    for moments in (
        RadialMoments(4, b, across, [np.eye(2)] * 2),
        IndependentMoments(coordinate("uniform"), b, 0.7 * b, [np.eye(2)] * 2),
    ):
        tilted = moments.functions(np.array([1, 2], dtype=complex)).real
        size = float(np.exp(moments.log_mgf(np.array([2.0])) - 2 * moments.log_mgf(np.ones(1)))[0])
        second = size * (tilted[1] - tilted[1, 0] * tilted[0] / tilted[0, 0])
        r = math.exp(-60)
        found = law_transforms(moments, np.array([-60.0, 0.0]))
        assert -found.log_m0[0] / r == pytest.approx(1, rel=1e-13)
        known = -second[1:]
        assert found.m[1][0, 1:] / r**2 == pytest.approx(known, rel=1e-11, abs=1e-11 * np.abs(second).max())
        assert found.m[2][0] / r**2 == pytest.approx(size * tilted[1], rel=1e-12)


def test_two_rules_disagree_where_the_integral_is_coarse(monkeypatch):
    moments = IndependentMoments(coordinate("uniform"), np.array([1.0]), np.array([0.5]), FORMS)
    v = transform_grid(moments, math.log(100.0))
    good = [law_transforms(moments, v, rule).m[2][:, 0] for rule in (0, 1)]
    assert good[0] == pytest.approx(good[1], rel=1e-9)
    monkeypatch.setattr(IndependentMoments, "digits", 8.0)
    bad = [law_transforms(moments, v, rule).m[2][:, 0] for rule in (0, 1)]
    apart, off = np.abs(bad[0] - bad[1]).max(), np.abs(bad[0] - good[0]).max()
    assert off > 1e-9
    assert apart > off / 10


def test_scores_that_fluctuate_too_much():
    moments = IndependentMoments(coordinate("normal"), np.array([40.0]), np.array([40.0]), FORMS)
    with pytest.raises(ValueError, match=r"standard deviation 40 under a tilt .* scale U or the query down"):
        law_transforms(moments, transform_grid(moments, 5.0))
