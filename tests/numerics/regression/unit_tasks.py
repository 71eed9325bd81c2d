"""The tasks of Section 5, in which an entry of w has variance 1."""

from numpy.typing import ArrayLike

from theory.regression.task import RegressionTask


def unit(Sigma: ArrayLike, noise: float = 0.0, query_covariance: ArrayLike | None = None) -> RegressionTask:
    return RegressionTask(Sigma, noise=noise, task_variance=1.0, query_covariance=query_covariance)
