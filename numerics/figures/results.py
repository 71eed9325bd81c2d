"""What was measured for Figures 1 to 8."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from numerics.figures.plan import Plan, RunKey

__all__ = ["Gaps", "Measurements"]

Floats = NDArray[np.float64]
Training = Any


@dataclass(frozen=True, eq=False)
class Gaps:
    """How far apart softmax and linear attention are at the same random parameters (Figures 1 and 5).

    Parameters
    ----------
    lengths : ndarray of shape (m,)
        Prompt lengths.
    output, gradient : ndarray of shape (seeds, m)
        E |T_soft - T_lin|^2, and the squared distance of the gradients of the two risks in (O, V, K, Q), at the start of each seed.
    output_error, gradient_error : ndarray of shape (seeds, m)
        Standard errors.
    """

    lengths: NDArray[np.int64]
    output: Floats
    output_error: Floats
    gradient: Floats
    gradient_error: Floats


@dataclass(frozen=True, eq=False)
class Measurements:
    """All that the figures show.

    Parameters
    ----------
    plan : Plan
    runs : mapping from RunKey to Training
        Diverged runs as they are.
    gaps : mapping from (covariance, variant) to Gaps
        For the data of Figures 1 and 5, if the plan has them.
    final : mapping from (covariance, variant, attention, L, seed) to (risk, standard error)
        Population risk at the last parameters, attention "softmax" or "linear" (a coupled run gives both); diverged runs have none.
    exact : mapping from (covariance, variant, attention, L) to float
        Risk at which the exact gradient flow ends, where it is known.
    bayes : mapping from (covariance, variant, L) to (risk, standard error)
        Risk of the best estimator from the prompt: ridge regression.
    seconds : float
        What the measurement took by the clock.
    work_seconds : float
        The same in processor time, with what was taken from the folder.

    Notes
    -----
    Every risk is half a mean squared error on noisy labels: `noise_level`, half the variance of the label noise, is below them all.
    """

    plan: Plan
    runs: Mapping[RunKey, Training]
    gaps: Mapping[tuple[str, str], Gaps]
    final: Mapping[tuple[str, str, str, int, int], tuple[float, float]]
    exact: Mapping[tuple[str, str, str, int], float]
    bayes: Mapping[tuple[str, str, int], tuple[float, float]]
    seconds: float
    work_seconds: float

    @property
    def noise_level(self) -> float:
        """Half the variance of the label noise: the least risk."""
        return self.plan.noise / 2

    def run(self, covariance: str, variant: str, attention: str, L: int, seed: int) -> Training:
        """A run; of a coupled one also its softmax or linear half.

        Raises
        ------
        KeyError
            If the plan has no such run.
        """
        raise NotImplementedError

    def save(self, path: str | PathLike[str]) -> None:
        """Write all of it to one file, whole or not at all."""
        raise NotImplementedError

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Measurements:
        """What `save` has written."""
        raise NotImplementedError

    def as_json(self) -> dict[str, Any]:
        """The numbers behind the figures as described by ``measurements.schema.json``; of parameters the first and the last."""
        raise NotImplementedError
