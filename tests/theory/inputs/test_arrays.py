"""Roots of covariances of every rank and size, and which matrices count as covariances."""

import warnings

import numpy as np
import pytest

from theory.inputs.arrays import read_covariance
from theory.inputs.spectrum import RankWarning, covariance_factor, symmetric_root
from theory.regression.limit import limit_parameters
from theory.regression.risk import icl_risk


@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200])
@pytest.mark.parametrize("rank", [1, 2, 4])
def test_roots_of_a_covariance(rank, scale):
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


def test_a_covariance_of_zero_keeps_one_column():
    assert covariance_factor(np.zeros((3, 3))).tolist() == [[0.0], [0.0], [0.0]]


@pytest.mark.parametrize(
    "read", [lambda S: read_covariance("Sigma", S), limit_parameters], ids=["read", "limit"]
)
def test_asymmetry_is_measured_by_the_two_variables(read):
    for S in ([[1.0, 1e-11], [-1e-11, 1e-22]], [[1e9, 2.0, 0.0], [1.0, 1e-9, 0.0], [0.0, 0.0, 1.0]]):
        with pytest.raises(ValueError, match="Sigma is not symmetric"):
            read(S)
    read([[1.0, 1e-9 + 1e-16], [1e-9, 2e-18]])  # rounding errors of the largest entry


def test_an_eigenvalue_too_negative_for_rounding_is_said():
    with pytest.warns(RankWarning, match="Sigma has the eigenvalue -1e-10, more than rounding errors"):
        icl_risk(np.array([[1.0, 1e-5], [1e-5, 0.0]]), np.eye(2), 1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read_covariance("Sigma", [[1.0, 1.0 + 1e-15], [1.0, 1.0]]).shape == (2, 2)
