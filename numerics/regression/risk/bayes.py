"""The Bayes risk of in-context regression: the risk of ridge regression with the right ridge,
averaged over prompts of L tokens without drawing one.
"""

# For ``w ~ N(0, omega^2 I)`` and label noise of variance tau^2 the posterior covariance of w given
# the covariates X is ``(I/omega^2 + X'X/tau^2)^{-1}``, and the risk is half its trace against the
# query's covariance, plus ``tau^2/2``. X'X is Wishart: its Cholesky factor has independent entries
# (Bartlett), so that a low-discrepancy sum over d(d+1)/2 coordinates serves every length from d on
# at one cost.

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from numerics.regression.risk.block_manifold import read_length
from numerics.regression.risk.sobol import sobol_points
from theory.inputs.overflow import within_floats
from theory.inputs.spectrum import EPS, ROUNDING, RankWarning, spectrum
from theory.regression.task import RegressionTask, read_task

__all__ = ["BayesRisk", "bayes_risk"]

Floats = NDArray[np.float64]
#: Independent scramblings of the points; their spread gives the error.
SCRAMBLINGS = 16
#: Coordinates that SciPy's Sobol' points can have.
LARGEST_SOBOL = 21201
#: With fewer tokens more than dimensions X'X may be nearly singular, and below this noise, in units
#: of Sigma, the risk comes from there: the points of the quadrature are then moved towards it.
SPARE_TOKENS, SMALL_NOISE = 4, 0.01
#: Below this noise even those points miss the nearly singular X'X.
LEAST_NOISE = 1e-24
#: Power by which the last chi-squared coordinate of these points is moved towards 0.
CROWDING_POWER = 6
#: Beyond, the quantiles of the chi-squared law lose their digits.
LARGEST_LENGTH = 1e12


class BayesRisk(NamedTuple):
    """A risk and the standard error of its quadrature."""

    #: Half the mean squared error, noise of the query's own label included.
    value: float
    #: 0 where the value is exact.
    error: float


@within_floats("the Bayes risk")
def bayes_risk(
    task: RegressionTask, prompt_length: int | None, *, points: int = 1024, seed: int = 0
) -> BayesRisk:
    """The least risk of any predictor of the query's label from a prompt of L tokens, by 16
    scramblings of `points` Sobol' points, a power of two. Sigma may have 205 dimensions at any
    length; noise is 0 or, at fewer than four tokens more than dimensions, at least 1e-24 of Sigma.
    `RankWarning`: the query has a part in directions of Sigma that are lost in rounding errors.
    """
    S, query, tau2, om2 = read_task(task).Sigma, task.query_covariance, task.noise, task.task_variance
    if points < 1 or points & (points - 1):
        raise ValueError(f"points = {points} is no power of two; pass 1024, or 4096 for a smaller error")
    modes = spectrum(S)
    l, rank, outside = modes.values, modes.values.size, np.eye(len(S)) - modes.vectors @ modes.vectors.T
    turned = modes.vectors.T @ query @ modes.vectors
    unseen = (
        om2 * float(np.sum((outside @ query) * outside)) if rank < len(S) else 0.0
    )  # what no prompt tells
    if modes.lost and unseen > ROUNDING * len(S) * EPS * om2 * float(np.trace(query)):
        warnings.warn(
            f"{modes.lost} directions of Sigma are lost in rounding errors and count as never seen in a "
            f"prompt, which adds {unseen / 2:.3g} to the risk; give Sigma in the coordinates of its "
            "eigenvectors, where it is diagonal",
            RankWarning,
            stacklevel=3,
        )
    ratio, unit = tau2 / om2, om2
    if rank:  # in units of the covariances, so that none is too small or too large for floats
        size = float(np.abs(turned).max()) or 1.0
        l, ratio, turned, unit = l / l[-1], ratio / float(l[-1]), turned / size, om2 * size
    length = read_length(prompt_length, LARGEST_LENGTH)
    if length is None:
        return BayesRisk((unseen + tau2) / 2, 0.0)
    L = int(length)
    if rank == 0 or (tau2 == 0 and rank <= L):
        return BayesRisk((unseen + tau2) / 2, 0.0)
    if rank > L:
        of: Any = lambda z, _: _below_rank(z.reshape(-1, L, rank) * np.sqrt(l), turned, ratio)
        diagonal, others = 0, L * rank
    else:
        scaled = turned / np.sqrt(np.outer(l, l))
        of = lambda z, chi2: ratio * _by_bartlett(z, chi2, scaled, ratio / l)
        diagonal, others = rank, rank * (rank - 1) // 2
    if diagonal + others > LARGEST_SOBOL:
        raise ValueError(
            f"{rank} dimensions at L = {L} take {diagonal + others} coordinates, more than {LARGEST_SOBOL}; "
            "take fewer"
        )
    crowd = CROWDING_POWER if diagonal and L - diagonal < SPARE_TOKENS and ratio < SMALL_NOISE else 1
    if crowd > 1 and ratio < LEAST_NOISE:
        raise ValueError(
            f"noise = {tau2} is too small beside Sigma for so few tokens, but not 0; pass 0, or at least "
            f"{LEAST_NOISE} of it"
        )
    draws = (
        _draws(L, diagonal, others, points, crowd, rng)
        for rng in np.random.default_rng(seed).spawn(SCRAMBLINGS)
    )
    means = [float((weight * of(normal, chi2)).mean()) for normal, chi2, weight in draws]
    error = float(np.std(means, ddof=1)) / SCRAMBLINGS**0.5
    return BayesRisk((unit * float(np.mean(means)) + unseen + tau2) / 2, unit * error / 2)


def _draws(
    L: int, diagonal: int, others: int, points: int, crowd: int, rng: np.random.Generator
) -> tuple[Floats, Floats, Floats]:
    """One scrambling: normal coordinates, chi-squared ones with L, L - 1, ... degrees of freedom,
    and the weights of the points. The probability of the last chi-squared coordinate is the power
    `crowd` of a uniform number.
    """
    from scipy.special import gammaincinv, ndtri

    p = np.clip(sobol_points(diagonal + others, points, rng), 1e-16, 1 - 1e-16)
    weight = np.ones(points)
    if crowd > 1:
        v = p[:, diagonal - 1].copy()
        p[:, diagonal - 1], weight = v**crowd, crowd * v ** (crowd - 1)
    return ndtri(p[:, diagonal:]), 2 * gammaincinv((L - np.arange(diagonal)) / 2, p[:, :diagonal]), weight


def _by_bartlett(normal: Floats, chi2: Floats, query: Floats, ridge: Floats) -> Floats:
    """``tr(query (W + diag ridge)^{-1})``, W = T T' Wishart: squares of T's diagonal chi-squared,
    entries below it normal.
    """
    d = len(query)
    T = np.zeros((len(normal), d, d))
    T[:, range(d), range(d)] = np.sqrt(chi2)
    T[:, *np.tril_indices(d, -1)] = normal
    if ridge.min() >= SMALL_NOISE:
        return np.asarray(
            np.trace(
                np.linalg.solve(T @ T.transpose(0, 2, 1) + np.diag(ridge), query[None]), axis1=1, axis2=2
            )
        )
    # From a factor of W + diag ridge, ten times slower: W itself may be singular to rounding.
    both = np.concatenate([T.transpose(0, 2, 1), np.broadcast_to(np.diag(np.sqrt(ridge)), T.shape)], axis=1)
    factor: Any = np.linalg.qr(both, mode="r")
    inverse = np.linalg.inv(factor.transpose(0, 2, 1))
    return np.asarray(np.einsum("nij,nik,jk->n", inverse, inverse, query, optimize=True))


def _below_rank(X: Floats, query: Floats, ridge: float) -> Floats:
    """``tr(query (I + X'X/ridge)^{-1})`` for fewer tokens than dimensions, where it has a limit at
    ridge 0.
    """
    # What is known is the range of X', large variances first; products would lose small ones.
    X_t, n = X[..., ::-1].transpose(0, 2, 1), X.shape[1]
    Q = np.linalg.qr(np.concatenate([X_t, np.broadcast_to(ridge**0.5 * np.eye(n), (len(X), n, n))], axis=1))[
        0
    ][:, :-n]
    return np.asarray(np.trace(query) - np.einsum("nik,ij,njk->n", Q, query[::-1, ::-1], Q, optimize=True))
