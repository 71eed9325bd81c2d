"""Mellin-Barnes integrals that are coarse or cannot be taken; exact errors have second routes."""

import math

import numpy as np
import pytest

from numerics.attention.exact.laplace_transforms import law_transforms, transform_grid
from numerics.attention.exact.tilted_moments import IndependentMoments
from numerics.token_laws.coordinates import coordinate

FORMS = [np.array([[2.0]]), np.array([[1.0]])]


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
