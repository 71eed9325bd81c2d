"""Many variances at once against the fourteen digits of each."""

from __future__ import annotations

import numpy as np
import pytest

import numerics.quadrature.coarse_moments
from numerics.quadrature.coarse_moments import ACCURACY, GROUPS, LARGEST_VARIANCE, LONGEST, coarse_score_moments
from numerics.quadrature.score_moments import ScoreMoments, score_moments

S = np.concatenate([[1e-12], np.geomspace(1e-6, LARGEST_VARIANCE, 24), [g**2 for g in GROUPS[:-1]]])


def rows(m: ScoreMoments) -> np.ndarray:
    return np.array([m.P2, m.P3, *m.spread])


@pytest.mark.parametrize("lengths", [[1, 2, 3, 10, 100, 1e3, 1e4], [1, 7, 1e6, 1e12], [5, LONGEST], [1e15, 3e20, 1e23, 1e26]])
def test_against_the_fine_moments(lengths: list[float]) -> None:
    L = np.array(lengths)
    fine = np.stack([rows(score_moments(float(s), L)) for s in S], axis=1)
    assert np.all(np.abs(rows(coarse_score_moments(S, L)) - fine) <= ACCURACY * np.abs(fine))


def test_order_and_company_do_not_matter() -> None:
    L, few = np.array([2.0, 1e3]), np.array([9.0, 0.02, 1.0])
    together = rows(coarse_score_moments(few, L))
    for i, s in enumerate(few):
        assert rows(coarse_score_moments(np.array([s]), L))[:, 0] == pytest.approx(together[:, i], rel=ACCURACY)


def test_a_coarser_step_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The control: the comparison above can fail."""
    monkeypatch.setattr(numerics.quadrature.coarse_moments, "STEP", 0.4)
    L = np.array([2.0, 1e10])
    fine = np.stack([rows(score_moments(float(s), L)) for s in S], axis=1)
    assert np.abs(rows(coarse_score_moments(S, L)) / fine - 1).max() > ACCURACY
