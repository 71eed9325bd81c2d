"""The finite-prompt risk of softmax attention by quadrature over the query: no prompt and no task
is sampled (our R6).

The risk is that of the infinite prompt plus a gap every term of which carries a moment of the
weights, so that it keeps its relative accuracy where it is smaller than the rounding error of the
risk.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from numerics.quadrature.query_form import quadratic_form_law
from numerics.quadrature.softmax_weights import softmax_moments
from theory.inputs.arrays import read_arrays, read_covariance
from theory.regression.risk import icl_risk

__all__ = ["finite_prompt_gap", "finite_prompt_risk"]

Floats = NDArray[np.float64]


def _root(Sigma: Floats) -> Floats:
    eigenvalues, vectors = np.linalg.eigh(Sigma)
    return (vectors * np.sqrt(np.maximum(eigenvalues, 0))) @ vectors.T


def finite_prompt_gap(Sigma: Any, U: Any, u: float, L: ArrayLike, *, noise: float = 0.0, step: float = 0.08) -> Floats:
    """``R_L - R_inf`` on the block manifold, for a query whose own label carries no noise.

    Parameters
    ----------
    Sigma, U : array (d, d)
        Covariance of the covariates, and the query-key block.
    u : float
        The value scalar.
    L : array_like
        Prompt lengths, whole numbers from 1 to 1e100.
    noise : float
        Variance of the label noise in the prompt, entries of w having variance 1.
    step : float
        Of the quadrature over the query; halve it to see the error.

    Returns
    -------
    array
        Of the shape of L.

    Raises
    ------
    TypeError, ValueError
        If shapes do not fit, Sigma is no covariance, the noise is negative, or as in
        `softmax_moments`.

    Examples
    --------
    Without scores the prediction is u times the mean label:

    >>> finite_prompt_gap(np.eye(2), np.zeros((2, 2)), 3.0, [1, 10]).tolist()
    [9.0, 0.9]
    """
    S = read_covariance("Sigma", Sigma)
    A, v, tau2 = read_arrays(Sigma=(S, "d d"), U=(U, "d d"), u=(u, ""), noise=(noise, ""))[1:]
    if tau2 < 0:
        raise ValueError(f"noise = {noise} is negative; it is the variance of the label noise")
    lengths = np.asarray(L, dtype=float)
    level, half = float(np.trace(S)) + float(tau2), _root(S)
    scores = half @ A.T @ S @ A @ half  # s = xi' scores xi for x = Sigma^{1/2} xi
    if not float(np.abs(scores).max()) > 0:
        return np.asarray(v**2 * level * softmax_moments(0.0, lengths).P2 / 2)
    squares, products = half @ A.T @ S @ S @ A @ half, half @ S @ A @ half
    reach = float(np.log(lengths.max()))
    by_h, by_xh = (quadratic_form_law(scores, (M + M.T) / 2, log_reach=reach, step=step) for M in (squares, products))
    m = softmax_moments(by_h.nodes[:, None], lengths.ravel())
    h2 = by_h.moment @ (m.P2 + 6 * m.P3 - 6 * m.Q)
    gap = v**2 * (level * (by_h.density @ m.P2) - h2) + 2 * v * (by_xh.moment @ m.P2)
    return np.asarray(gap / 2).reshape(lengths.shape)


def finite_prompt_risk(Sigma: Any, U: Any, u: float, L: ArrayLike, *, noise: float = 0.0, task_variance: float = 1.0) -> Floats:
    """The risk ``R_L`` of softmax attention on the block manifold, label noise at the query
    included.

    Parameters
    ----------
    Sigma, U, u, L
        As in `finite_prompt_gap`.
    noise : float
        Variance of the label noise, in the prompt and at the query.
    task_variance : float
        Variance of an entry of w; Section 6 of Boursier & Boyer has 1/d.

    Returns
    -------
    array
        Of the shape of L.

    Raises
    ------
    TypeError, ValueError
        As in `finite_prompt_gap`, and if the task variance is not positive.

    Examples
    --------
    >>> round(float(finite_prompt_risk(np.eye(1), np.eye(1), 1.0, 1)), 12)
    1.0
    """
    (om2,) = read_arrays(task_variance=(task_variance, ""))
    if not om2 > 0:
        raise ValueError(f"task_variance = {task_variance} is not positive; it is the variance of an entry of w")
    gap = finite_prompt_gap(Sigma, U, u, L, noise=noise / float(om2))
    return np.asarray(om2 * (float(icl_risk(Sigma, U, u)) + gap) + noise / 2)
