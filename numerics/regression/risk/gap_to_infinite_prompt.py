"""The finite-prompt risk of softmax attention on the block manifold as the infinite-prompt risk
plus a gap (our R6), by a quadrature that shares nothing with
`numerics.regression.risk.block_manifold`. Every term of the gap carries a moment of the softmax
weights: it keeps its relative accuracy where it is smaller than the rounding error of the risk.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from numerics.attention.quadrature.common_nodes import CommonNodes
from numerics.attention.quadrature.query_form import quadratic_form_law
from numerics.attention.quadrature.softmax_weights import softmax_moments
from theory.inputs.arrays import read_arrays
from theory.inputs.overflow import within_floats
from theory.inputs.spectrum import symmetric_root
from theory.regression.risk import icl_risk
from theory.regression.task import RegressionTask, read_task

__all__ = ["finite_prompt_gap", "finite_prompt_risk", "gap_at_nodes"]

Floats = NDArray[np.float64]


@within_floats("the gap")
def finite_prompt_gap(
    U11: Any, u: float, task: RegressionTask, lengths: ArrayLike, *, step: float = 0.08
) -> Floats:
    """``R_L - R_inf`` at each length on the block manifold, for one covariance of prompt and query;
    the noise of the query's own label drops out. `step` is that of the quadrature over the query;
    halve it to see the error.
    """
    return np.asarray(read_task(task).task_variance * _unit_gap(U11, u, task, lengths, step))


@within_floats("the risk")
def finite_prompt_risk(U11: Any, u: float, task: RegressionTask, lengths: ArrayLike) -> Floats:
    """The risk ``R_L`` of softmax attention on the block manifold, with the noise of the query's
    own label.
    """
    gap = _unit_gap(U11, u, read_task(task), lengths, 0.08)
    return np.asarray(task.task_variance * (float(icl_risk(task.Sigma, U11, u)) + gap) + task.noise / 2)


def _unit_gap(U11: Any, u: float, task: RegressionTask, lengths: ArrayLike, step: float) -> Floats:
    """The gap in units of the variance of an entry of w."""
    S = task.shared_covariance("the finite-prompt gap")
    _, A, v = read_arrays(Sigma=(S, "d d"), U11=(U11, "d d"), u=(u, ""))
    L = np.asarray(lengths, dtype=float)
    level = float(np.trace(S)) + task.noise_ratio
    scores, squares, products = _forms(S, A)
    if not float(np.abs(scores).max()) > 0:
        return np.asarray(v**2 * level * softmax_moments(0.0, L).P2 / 2)
    reach = float(np.log(L.max()))
    by_h, by_xh = (quadratic_form_law(scores, M, log_reach=reach, step=step) for M in (squares, products))
    m = softmax_moments(by_h.nodes[:, None], L.ravel())
    h2 = by_h.moment @ (m.P2 + 6 * m.P3 - 6 * m.Q)
    gap = v**2 * (level * (by_h.density @ m.P2) - h2) + 2 * v * (by_xh.moment @ m.P2)
    return np.asarray(gap / 2).reshape(L.shape)


def _forms(S: Floats, A: Floats) -> tuple[Floats, Floats, Floats]:
    """The forms in xi, x = S^{1/2} xi, of the score variance, of |h|^2 and of x.h, h = S A x."""
    half = symmetric_root(S)
    squares, products = half @ A.T @ S @ S @ A @ half, half @ S @ A @ half
    return half @ A.T @ S @ A @ half, (squares + squares.T) / 2, (products + products.T) / 2


def gap_at_nodes(nodes: CommonNodes, S: Floats, U: Floats, u: Any, noise: Any = 0.0) -> Floats:
    """`finite_prompt_gap` for tasks of variance 1 at the lengths of the nodes, which reach up to
    score variances that matter: in a millisecond and unchecked, for many parameters. u and the
    variances of the label noise may be (n, 1); gaps are then (n, lengths).

    >>> from numerics.attention.quadrature.common_nodes import common_nodes
    >>> task = RegressionTask(np.eye(1), noise=0.0, task_variance=1.0)
    >>> fast = gap_at_nodes(common_nodes((1.0, 100.0), 400.0), np.eye(1), np.eye(1), 1.0)
    >>> bool(np.abs(fast / finite_prompt_gap(np.eye(1), 1.0, task, [1, 100]) - 1).max() < 1e-10)
    True
    """
    scores, *forms = _forms(S, U)
    one, by_h, by_xh = nodes.averages(scores, *forms)
    level = float(np.trace(S)) + noise
    return np.asarray((u**2 * (level * (one @ nodes.P2) - by_h @ nodes.b) + 2 * u * (by_xh @ nodes.P2)) / 2)
