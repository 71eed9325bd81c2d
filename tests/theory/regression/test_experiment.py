"""The two readings of the experiments, and roots of singular covariances."""

import numpy as np
import pytest

from tests.refusing import refusals
from theory.regression.experiment import COVARIANCES, PROMPT_LENGTHS, TASK, VARIANTS, kms, variant
from theory.regression.task import RegressionTask

QUERY = RegressionTask(np.eye(2), noise=0.1, task_variance=1.0, query_covariance=2 * np.eye(2))
SINGULAR = np.outer([1.0, -2.0, 0.0], [1.0, -2.0, 0.0])
COVARIANCES_TRIED = [np.eye(3), kms(4), np.zeros((2, 2)), SINGULAR, np.diag([0.0, 1.0])]
COVARIANCES_TRIED += [1e-200 * kms(2), 1e200 * kms(2)]


@pytest.mark.parametrize("Sigma", COVARIANCES_TRIED, ids=range(len(COVARIANCES_TRIED)))
def test_both_readings_have_the_laws_they_are_said_to_have(Sigma):
    task = RegressionTask(Sigma, noise=0.1, task_variance=1.0)
    written, coded = VARIANTS["as written"], VARIANTS["as coded"]
    A, C = written.roots(task)
    scale = abs(Sigma).max()
    assert abs(np.triu(C, 1)).max() == 0
    assert (np.diag(C) >= 0).all()
    for root in (A, C):
        assert abs(root @ root.T - Sigma).max() <= 1e-12 * scale
    # the code multiplies C g by C once more, and leaves the query alone; beyond 1e308 there is
    # nothing to compare
    if scale < 1e100:
        assert abs(coded.drawn(task).Sigma - C @ Sigma @ C.T).max() <= 1e-12 * scale**2
    assert np.array_equal(coded.roots(task)[1], np.eye(len(Sigma)))


def test_on_isotropic_tokens_the_readings_differ_by_scale_factor_and_steps_only():
    written, coded = (v.roots(TASK) for v in VARIANTS.values())
    assert np.array_equal(written, coded)
    # on anisotropic ones they are different laws
    task = RegressionTask(COVARIANCES["anisotropic"], noise=0.1, task_variance=1 / 5)
    written, coded = (v.drawn(task) for v in VARIANTS.values())
    assert abs(written.Sigma - coded.Sigma).max() > 0.3


def test_kms_is_a_covariance_whose_inverse_has_three_diagonals():
    for rho in (-0.9, 0.0, 0.5):
        inverse = np.linalg.inv(kms(6, rho)) * (1 - rho**2)
        ends = np.diag([1.0, *[1 + rho**2] * 4, 1.0])  # that of a stationary chain x' = rho x + noise
        assert np.allclose(inverse, ends - rho * (np.eye(6, k=1) + np.eye(6, k=-1)), atol=1e-12)
    assert np.array_equal(kms(3, 1), np.ones((3, 3)))
    assert np.array_equal(kms(3, 0), np.eye(3))
    assert kms(1).tolist() == [[1.0]]


def test_tables_of_the_paper_cannot_be_changed_by_accident():
    assert list(PROMPT_LENGTHS) == sorted(set(PROMPT_LENGTHS))
    assert {10, 100, 1000} <= set(PROMPT_LENGTHS)
    with pytest.raises(ValueError, match="read-only"):
        COVARIANCES["isotropic"][0, 0] = 2
    with pytest.raises(TypeError):
        VARIANTS["mine"] = VARIANTS["as written"]


test_wrong_arguments_are_refused = refusals(
    (lambda: variant("as printed"), ValueError, "take one of 'as written', 'as coded'"),
    (lambda: variant(1), ValueError, "variant = 1 is not known"),
    (lambda: kms(0), ValueError, "at least one row"),
    (lambda: kms(2.0), TypeError, "no whole number"),
    (lambda: kms(2, 1.5), ValueError, "outside"),
    (lambda: kms(2, float("nan")), ValueError, "outside"),
    (lambda: variant("as coded").roots(QUERY), ValueError, "draws queries from"),
)
