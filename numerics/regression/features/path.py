"""What a training of the attention over finitely many features leaves behind, and how a problem is
handed to the compiled kernels.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from theory.inputs.arrays import read_arrays
from theory.regression.features.data import FeatureRegression

__all__ = ["AttentionPath", "KernelProblem", "read_problem"]

Floats = NDArray[np.float64]
#: Relative size of what counts as rounding when exchangeable tasks are recognised.
ROUNDING = 1e-13


@dataclass(frozen=True, eq=False)
class AttentionPath:
    """A training of the attention: its records, k of them.

    Attributes
    ----------
    problem : FeatureRegression
    time : ndarray of shape (k,)
        Steps of gradient descent, or times of the flow.
    loss : ndarray of shape (k,)
    coefficients : ndarray of shape (k, K, K)
        The matrices W of the parameters ``Q = Q_0 + V W V'``.
    start : ndarray of shape (d, d)
        ``Q_0``.
    diverged : int or None
        The number of the step whose loss was not a finite number; the records end before it.
    error : float or None
        For a flow: the estimated relative error of its losses.
    """

    problem: FeatureRegression
    time: Floats
    loss: Floats
    coefficients: Floats
    start: Floats
    diverged: int | None = None
    error: float | None = None

    @property
    def Q(self) -> Floats:
        """The parameters, (k, d, d)."""
        V = self.problem.features
        return np.asarray(self.start + V @ self.coefficients @ V.T)

    @property
    def scores(self) -> Floats:
        """``q_{k,m}`` in row m and column k of each record, (k, K, K)."""
        V, G = self.problem.features, self.problem.gram
        return np.asarray(V.T @ self.start @ V + G @ self.coefficients @ G)

    @property
    def attention(self) -> Floats:
        """Attention of each query on each class, averaged over the prompts, (k, K, K)."""
        return np.stack([self.problem.attention(Q) for Q in self.Q]) if len(self.time) else np.empty((0, *self.problem.gram.shape))

    def __repr__(self) -> str:
        end = f"loss {self.loss[-1]:.6g} at {self.time[-1]:.6g}" if len(self.time) else "no record"
        end += f"; diverged at step {self.diverged}" if self.diverged is not None else ""
        return f"AttentionPath({self.problem!r}, {len(self.time)} records, {end})"


class KernelProblem(NamedTuple):
    """A problem as the compiled kernels take it, see `numerics.regression.features.kernel`."""

    S0: Floats
    G: Floats
    plain: bool
    masses: Floats
    weights: Floats
    p: Floats
    C: Floats
    spread: float


def read_problem(problem: Any, start: ArrayLike | None) -> tuple[KernelProblem, Floats]:
    """The problem for the kernels, and the start ``Q_0``, which is 0 by default.

    Raises
    ------
    TypeError
        If the problem is no FeatureRegression, or one of SymPy expressions.
    ValueError
        If the start is no matrix of the size of Q.

    Examples
    --------
    Equal second moments of all differences of the values make tasks exchangeable:

    >>> read_problem(FeatureRegression(np.eye(2), [[3, 1], [1, 3]]), None)[0].spread
    2.0
    """
    if not isinstance(problem, FeatureRegression):
        raise TypeError(f"problem = {problem!r:.100} is no FeatureRegression; pass theory.FeatureRegression(features, ...)")
    if problem.exact:
        raise TypeError("the problem consists of SymPy expressions; pass one of numbers, such as floats of them")
    V, d = problem.features, problem.d
    Q0 = np.zeros((d, d)) if start is None else read_arrays(start=(start, "d d"))[0]
    if Q0.shape != (d, d):
        raise ValueError(f"start has shape {Q0.shape}, but the features lie in R^{d}; pass a matrix ({d}, {d})")
    G, C, K = V.T @ V, problem.value_covariance, problem.K
    masses, weights = problem.prompts
    # What all features share falls out of every difference, and with it a common part of C.
    centred = C - C.mean(axis=0) - C.mean(axis=1)[:, None] + C.mean()
    spread = float(np.trace(centred)) / (K - 1)
    alike = abs(centred - spread * (np.eye(K) - 1 / K)).max() <= ROUNDING * abs(C).max()
    scores = np.ascontiguousarray((V.T @ Q0 @ V).T)
    return KernelProblem(
        S0=scores,
        G=np.ascontiguousarray(G),
        plain=bool((np.eye(K) == G).all()),
        masses=np.ascontiguousarray(masses, dtype=float),
        weights=np.ascontiguousarray(weights),
        p=np.ascontiguousarray(problem.probabilities),
        C=np.ascontiguousarray(centred),
        spread=spread if alike else -1.0,
    ), Q0
