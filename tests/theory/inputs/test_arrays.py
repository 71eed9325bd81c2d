"""Roots of covariances: what they multiply to, for covariances of every rank and size."""

from __future__ import annotations

import numpy as np
import pytest

from theory.inputs.arrays import read_covariance
from theory.inputs.spectrum import covariance_factor, symmetric_root


@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200])
@pytest.mark.parametrize("rank", [1, 2, 4])
def test_roots_of_a_covariance(rank: int, scale: float) -> None:
    B = np.random.default_rng(rank).standard_normal((4, rank))
    S = read_covariance("S", scale * B @ B.T)
    F, R = covariance_factor(S), symmetric_root(S)
    assert F.shape == (4, rank)
    assert np.allclose(F @ F.T / scale, S / scale, rtol=0, atol=1e-13)
    products = F.T @ F / scale
    assert np.allclose(products, np.diag(np.diag(products)), rtol=0, atol=1e-13)
    assert np.allclose(R @ R / scale, S / scale, rtol=0, atol=1e-13)
    assert np.allclose(R, R.T, rtol=0, atol=1e-13 * np.sqrt(scale))
    assert np.linalg.eigvalsh(R / np.sqrt(scale))[0] > -1e-7


def test_a_covariance_of_zero_keeps_one_column() -> None:
    assert covariance_factor(np.zeros((3, 3))).tolist() == [[0.0], [0.0], [0.0]]
