"""The problem of in-context linear regression (Boursier & Boyer, Sections 5 and 6) as one object,
checked once, that every risk, flow and training run takes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from theory.inputs.arrays import read_arrays, read_covariance
from theory.shown.result import in_a_line, in_a_table

__all__ = ["RegressionTask", "read_task"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, init=False)
class RegressionTask:
    """Tasks ``w ~ N(0, task_variance I)``, covariates ``x ~ N(0, Sigma)``, labels ``y = w'x + e``
    with label noise ``e ~ N(0, noise)``, in the prompt and at the query.

    Parameters
    ----------
    Sigma : array_like of shape (d, d)
        Covariance of the covariates in the prompt; it may be singular.
    noise : float
        Variance of the label noise, at least 0.
    task_variance : float
        Variance of an entry of w, positive. Section 5 of Boursier & Boyer has 1, Section 6 has 1/d.
    query_covariance : array_like of shape (d, d), optional
        Covariance of the covariate of the query, if it is not Sigma.

    Attributes
    ----------
    Sigma, query_covariance : ndarray of shape (d, d)
        Read-only; one object if the query has the covariance of the prompt.
    noise, task_variance : float

    Raises
    ------
    TypeError
        If an argument does not consist of real numbers, or a variance is left out.
    ValueError
        If a covariance or a variance is none, or the two covariances have different sizes.

    Examples
    --------
    >>> task = RegressionTask([[2.0, 0.0], [0.0, 1.0]], noise=0.1, task_variance=0.5)
    >>> task.d, task.query_covariance is task.Sigma, round(task.null_risk, 12)
    (2, True, 0.8)
    """

    Sigma: Floats
    noise: float
    task_variance: float
    query_covariance: Floats

    __repr__ = in_a_line
    _repr_html_ = in_a_table

    def __init__(
        self,
        Sigma: ArrayLike,
        *,
        noise: float,
        task_variance: float,
        query_covariance: ArrayLike | None = None,
    ) -> None:
        S = read_covariance("Sigma", Sigma)
        S_q = S if query_covariance is None else read_covariance("query_covariance", query_covariance)
        variances = {"noise": (noise, ""), "task_variance": (task_variance, "")}
        _, _, tau2, om2 = read_arrays(Sigma=(S, "d d"), query_covariance=(S_q, "d d"), **variances)
        if tau2 < 0:
            raise ValueError(
                f"noise = {noise} is negative, but it is the variance of the label noise; pass a number "
                "from 0 on"
            )
        if not om2 > 0:
            raise ValueError(
                f"task_variance = {task_variance} is not positive, but it is the variance of an entry of w; "
                "pass 1 as in Section 5, or 1/d as in Section 6"
            )
        for matrix in (S, S_q):
            matrix.setflags(write=False)
        values = {"Sigma": S, "noise": float(tau2), "task_variance": float(om2), "query_covariance": S_q}
        for name, value in values.items():
            object.__setattr__(self, name, value)  # the way into a frozen dataclass

    @property
    def d(self) -> int:
        """Dimension of the covariates."""
        return len(self.Sigma)

    @property
    def noise_ratio(self) -> float:
        """The label noise in units of the variance of an entry of w, as Section 5 has it."""
        return self.noise / self.task_variance

    @property
    def null_risk(self) -> float:
        """The risk of predicting 0, half the variance of the query's label."""
        return self.noise / 2 + self.task_variance * float(np.trace(self.query_covariance)) / 2

    def described(self) -> dict[str, Any]:
        """The arguments that make this task, JSON-able."""
        said = {"Sigma": self.Sigma.tolist(), "noise": self.noise, "task_variance": self.task_variance}
        own = self.query_covariance
        return said if own is self.Sigma else said | {"query_covariance": own.tolist()}

    def shared_covariance(self, quantity: str) -> Floats:
        """The covariance of prompt and query, for a quantity known only where they agree."""
        if self.query_covariance is not self.Sigma:
            raise ValueError(
                f"{quantity} is known only where prompt and query have one covariance; leave "
                "query_covariance out, or use exact_risk and training_flow, which take both"
            )
        return self.Sigma


def read_task(value: Any) -> RegressionTask:
    """The task that a function was given; a covariance without its variances is none.

    >>> read_task(RegressionTask([[1.0]], noise=0.0, task_variance=1.0)).d
    1
    """
    if not isinstance(value, RegressionTask):
        raise TypeError(
            f"task = {value!r:.100} is no RegressionTask; a risk depends on the noise and the task variance "
            "too: pass theory.RegressionTask(Sigma, noise=..., task_variance=...)"
        )
    return value
