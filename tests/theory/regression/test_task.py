"""What a regression task refuses at its door, and what cannot be changed afterwards."""

from dataclasses import FrozenInstanceError

import numpy as np
import pytest

import theory
from tests.refusing import refusals
from theory.regression.task import RegressionTask

test_what_is_no_task = refusals(
    ({"Sigma": [[1.0, 0.5], [0.0, 1.0]]}, ValueError, "not symmetric"),
    ({"Sigma": -np.eye(2)}, ValueError, "eigenvalue"),
    ({"Sigma": "I"}, TypeError, "real numbers"),
    ({"noise": -0.1}, ValueError, "noise = -0.1 is negative"),
    ({"noise": np.inf}, ValueError, "finite"),
    ({"noise": None}, TypeError, "noise"),
    ({"task_variance": 0.0}, ValueError, "task_variance = 0.0 is not positive"),
    ({"query_covariance": np.eye(3)}, ValueError, "query_covariance has shape"),
    of=lambda change: RegressionTask(**({"Sigma": np.eye(2), "noise": 0.1, "task_variance": 0.5} | change)),
)


test_the_variances_have_no_default = refusals(
    (lambda: theory.RegressionTask(np.eye(2), task_variance=1.0), "noise"),
    (lambda: theory.RegressionTask(np.eye(2), noise=0.1), "task_variance"),
    error=TypeError,
)


def test_a_task_stays_what_it_is():
    given = np.eye(2)
    task = RegressionTask(given, noise=0.1, task_variance=0.5)
    given[0, 0] = 7
    assert task.Sigma[0, 0] == 1
    with pytest.raises(ValueError, match="read-only"):
        task.Sigma[0, 0] = 7
    with pytest.raises(FrozenInstanceError):
        task.noise = 0.2


@pytest.mark.parametrize("query", [None, 2 * np.eye(2)])
def test_its_description_makes_it_again(query):
    task = RegressionTask(np.eye(2), noise=0.1, task_variance=0.5, query_covariance=query)
    again = RegressionTask(**task.described())
    assert again.described() == task.described()
    assert (again.query_covariance is again.Sigma) is (query is None)


def test_a_quantity_of_one_covariance_says_so():
    task = RegressionTask(np.eye(2), noise=0.1, task_variance=0.5, query_covariance=2 * np.eye(2))
    with pytest.raises(ValueError, match="the gap is known only where"):
        task.shared_covariance("the gap")
