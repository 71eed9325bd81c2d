"""The experiments of Boursier & Boyer (Section 6, Appendix A): their task, covariances and prompt
lengths, and two readings of how they were run.

A token is z = (x, y) with x = A g and y = w·x + noise, the query token z_q = (B g, 0). "as written"
is Appendix A.1. "as coded" is what a snapshot of the authors' code does, kept by a public audit of
the paper: scores are divided by sqrt(d + 1), the loss has no factor 1/2, runs have 300 000 steps,
and an anisotropic prompt is multiplied by the Cholesky root twice, its query never.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from theory.inputs.whole_numbers import read_whole
from theory.regression.task import RegressionTask

__all__ = ["COVARIANCES", "PROMPT_LENGTHS", "TASK", "VARIANTS", "Variant", "kms", "variant"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Variant:
    """A reading of how the experiments were run."""

    name: str
    #: Whether the scores are divided by sqrt(d + 1).
    scores_over_root: bool
    #: What a step of SGD multiplies the gradient of the risk E (T - y)² / 2 by, beside the learning
    #: rate.
    gradient_factor: float
    steps: int
    #: Whether prompts are multiplied by the Cholesky root twice and queries never; otherwise both
    #: once.
    root_twice: bool

    def score_scale(self, d: int) -> float:
        """The factor c of the scores a·z = c (K'Q z_q)·z."""
        return 1 / math.sqrt(d + 1) if self.scores_over_root else 1.0

    def roots(self, task: RegressionTask) -> tuple[Floats, Floats]:
        """A and B (d, d): the covariates of the prompt are A g, that of the query is B g. Refused
        if the variant draws every query from N(0, I) and the task asks for another covariance.
        """
        C = _cholesky(task.Sigma)
        if self.root_twice:
            task.shared_covariance(f"the variant {self.name!r}, which draws queries from N(0, I),")
            return C @ C, np.eye(task.d)
        return C, C if task.query_covariance is task.Sigma else _cholesky(task.query_covariance)

    def drawn(self, task: RegressionTask) -> RegressionTask:
        """The task whose prompts and queries are drawn: with the covariances A A' and B B'."""
        A, B = self.roots(task)
        return RegressionTask(
            A @ A.T, noise=task.noise, task_variance=task.task_variance, query_covariance=B @ B.T
        )


#: The variants by their names; `variant` finds one, and explains what is wrong with another name.
VARIANTS: Mapping[str, Variant] = MappingProxyType(
    {
        v.name: v
        for v in (
            Variant(
                "as written", scores_over_root=False, gradient_factor=1.0, steps=500_000, root_twice=False
            ),
            Variant("as coded", scores_over_root=True, gradient_factor=2.0, steps=300_000, root_twice=True),
        )
    }
)


def variant(name: str | Variant) -> Variant:
    """The variant of that name; one of one's own passes through."""
    if isinstance(name, Variant):
        return name
    if not isinstance(name, str) or name not in VARIANTS:
        raise ValueError(
            f"variant = {name!r} is not known; take one of {', '.join(map(repr, VARIANTS))}, or build a "
            "Variant"
        )
    return VARIANTS[name]


def kms(d: int, rho: float = 0.5) -> Floats:
    """The Kac-Murdock-Szegö matrix (d, d), with entries rho^|i - j|; positive semidefinite for rho
    from -1 to 1.
    """
    read_whole("d", d, "a covariance has at least one row")
    if not -1 <= rho <= 1:
        raise ValueError(f"rho = {rho} is outside [-1, 1]: the matrix would not be positive semidefinite")
    return np.float64(rho) ** abs(np.subtract.outer(np.arange(d), np.arange(d)))


def _frozen(array: Floats) -> Floats:
    array.setflags(write=False)
    return array


#: The prompt lengths of Figures 1, 2, 5 and 6.
PROMPT_LENGTHS: tuple[int, ...] = (*range(10, 100, 10), *range(100, 1001, 100))
#: Those of Section 6 and of Appendix A.2.2, d = 5.
COVARIANCES: Mapping[str, Floats] = MappingProxyType(
    {"isotropic": _frozen(np.eye(5)), "anisotropic": _frozen(kms(5))}
)


#: The task of Appendix A.1: ``w ~ N(0, I/5)``.
TASK = RegressionTask(COVARIANCES["isotropic"], noise=0.1, task_variance=1 / 5)


def _cholesky(S: Floats) -> Floats:
    """C lower triangular with C C' = S and diagonal >= 0; the covariance S may be singular."""
    try:
        return np.asarray(np.linalg.cholesky(S))
    except np.linalg.LinAlgError:  # singular: any root R' gives R = Q C' with C lower triangular
        eigenvalues, vectors = np.linalg.eigh(S)
        C = np.asarray(np.linalg.qr((vectors * np.sqrt(np.maximum(eigenvalues, 0))).T).R).T
        return C * np.where(np.diag(C) < 0, -1.0, 1.0)
