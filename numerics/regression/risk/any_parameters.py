"""The population risk at any parameters (O, V, K, Q), whether or not they are on the block
manifold.

Given task and query the mean over prompts is in closed form (R4 for softmax attention, Wishart
moments for linear attention). What is left is a mean over 2d Gaussian numbers: of a polynomial for
linear attention and for the infinite prompt, where a cubature rule is exact, otherwise by scrambled
Sobol' points whose randomisations give the error. The polynomials, and the exact risk of the
nearest point of the block manifold, serve as control variates.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from numerics.quadrature.weight_tables import weight_table
from numerics.regression.risk.block_manifold import ATTENTIONS, RiskField, read_length
from theory.inputs.arrays import read_arrays
from theory.regression.experiment import Variant
from theory.regression.experiment import variant as read_variant

__all__ = ["TaskModel", "normal_points", "population_risk"]

Floats = NDArray[np.float64]
#: Independent scramblings of the Sobol' points.
RANDOMISATIONS = 16
BEYOND = "the risk at these parameters is beyond the range of floats; take a record before the run went to infinity"


def population_risk(
    parameters: Any,
    attention: str,
    prompt_length: float | None,
    *,
    Sigma: Any,
    noise: float,
    variant: str | Variant = "as written",
    task_variance: float | None = None,
    points: int = 1 << 12,
    seed: int = 0,
) -> tuple[Any, Any]:
    """Half the mean squared error over fresh prompts, tasks and queries.

    Parameters
    ----------
    parameters : Parameters
        O (..., n), V, K, Q (..., n, n) with n = d + 1, as `numerics.train` records them.
    attention : {"softmax", "linear"}
    prompt_length : float or None
        A whole number from 1 to 1e100; None is the infinite prompt.
    Sigma : array (d, d)
        Covariance of the covariates.
    noise : float
        Variance of the label noise, in the prompt and at the query.
    variant : str or Variant
        How the experiment is read, see `theory.regression.experiment`.
    task_variance : float, optional
        Variance of an entry of w, 1/d by default.
    points : int
        Sobol' points of each of the 16 randomisations, a power of 2.
    seed : int
        Of the randomisations: all entries of the parameters share them.

    Returns
    -------
    value, error : float, or array of the shape of the leading axes
        The risk and its standard error: 0 for linear attention and the infinite prompt, rounding on
        the block manifold.

    Raises
    ------
    TypeError, ValueError
        If shapes do not fit, a covariance or variance is none, the length no prompt length, the
        points no power of 2, or the risk is beyond floats.

    Examples
    --------
    On the block manifold it is the exact risk:

    >>> from numerics.regression.risk.block_manifold import exact_risk
    >>> from numerics.training import Parameters
    >>> corner = np.diag([1.0, 0.0])
    >>> theta = Parameters(O=np.array([0.0, 1.0]), V=np.diag([0.0, 0.8]), K=corner, Q=corner)
    >>> value, error = population_risk(theta, "softmax", 10, Sigma=[[1.0]], noise=0.1)
    >>> bool(abs(value - exact_risk([[1.0]], 0.8, [[1.0]], 10, noise=0.1).risk) < 1e-12)
    True
    """
    if attention not in ATTENTIONS:
        raise ValueError(f"attention = {attention!r}; the population risk knows 'softmax' and 'linear'")
    read, L = read_variant(variant), read_length(prompt_length)
    A, B = read.prompt_root(Sigma), read.query_root(Sigma)
    d = len(A)
    om2, tau2 = read_arrays(task_variance=(1 / d if task_variance is None else task_variance, ""), noise=(noise, ""))
    if tau2 < 0 or not om2 > 0:
        raise ValueError(f"noise = {noise}, task_variance = {task_variance}: variances, the first at least 0, the second positive")
    if not isinstance(points, int | np.integer) or points < 2 or points & (points - 1):
        raise ValueError(f"points = {points!r} is no power of 2 from 2 on; Sobol' points are balanced only then")
    O, V, K, Q = (np.asarray(x, dtype=float) for x in (parameters.O, parameters.V, parameters.K, parameters.Q))
    lead, n = O.shape[:-1], d + 1
    if O.shape[-1:] != (n,) or any(M.shape != (*lead, n, n) for M in (V, K, Q)):
        raise ValueError(f"O, V, K, Q have shapes {O.shape}, {V.shape}, {K.shape}, {Q.shape}; Sigma asks for n = d + 1 = {n}")
    if not all(np.isfinite(x).all() for x in (O, V, K, Q)):
        raise ValueError("a parameter is not finite; a run that diverged has no risk: take a record before its last step")
    b = np.einsum("...ij,...i->...j", V, O)
    N = read.score_scale(d) * np.swapaxes(K, -1, -2) @ Q[..., :d]
    model = TaskModel(A, B, float(om2), float(tau2))
    with np.errstate(over="ignore", invalid="ignore"):
        found = [
            model.softmax(N[i], b[i], L, int(points), seed)
            if attention == "softmax" and L is not None
            else (model.linear(N[i], b[i], L), 0.0)
            for i in np.ndindex(*lead)
        ]
    if not np.isfinite(found).all():
        raise ValueError(BEYOND)
    values, errors = (np.reshape(column, lead) if lead else column[0] for column in zip(*found))
    return values, errors


class TaskModel:
    """Tasks ``w ~ N(0, om2 I)``, tokens ``M n``, ``M = [[A, 0], [w'A, sqrt(tau2)]]``, queries
    ``B n``, n standard normal.

    Parameters
    ----------
    A, B : array (d, d)
    om2, tau2 : float
        Variance of an entry of w, and of the label noise.
    """

    def __init__(self, A: Floats, B: Floats, om2: float, tau2: float) -> None:
        self.A, self.B, self.om, self.tau2 = A, B, np.sqrt(om2), tau2

    def seen(self, w: Floats, a: Floats) -> Floats:
        """``M'a`` for each w (..., d) and a (..., d + 1): how the score a'z depends on n."""
        x = (a[..., :-1] + w * a[..., -1:]) @ self.A
        return np.concatenate([x, np.broadcast_to(np.sqrt(self.tau2) * a[..., -1:], (*x.shape[:-1], 1))], axis=-1)

    def means(self, N: Floats, b: Floats) -> Floats:
        """Means of h², h y, y², b'Gb, s and s b'Gb: by a cubature rule over tasks, and by traces
        over queries.
        """
        points, weights = _fifth_degree(len(self.A))
        w = self.om * points
        by_query = self.seen(w[:, None, :], (N @ self.B).T)  # (tasks, d, n): M'a for the columns a of N B
        seen_b = self.seen(w, np.broadcast_to(b, (len(w), len(b))))
        answer, label = np.einsum("tdn,tn->td", by_query, seen_b), w @ self.B  # h and y are linear in the query
        s, b2 = (by_query**2).sum(axis=(1, 2)), (seen_b**2).sum(axis=1)
        squares = [(answer**2).sum(axis=1), (answer * label).sum(axis=1), (label**2).sum(axis=1)]
        return np.array([*squares, b2, s, s * b2]) @ weights

    def linear(self, N: Floats, b: Floats, L: float | None) -> float:
        """Risk of linear attention with a = N x and b, exact."""
        h2, hy, y2, _, _, sb2 = self.means(N, b)
        spread = 0.0 if L is None else (h2 + sb2) / L  # the variance of (1/L) sum (a.z)(b.z) given task and query
        return float(h2 - 2 * hy + y2 + spread + self.tau2) / 2

    def softmax(self, N: Floats, b: Floats, L: float, points: int, seed: int) -> tuple[float, float]:
        """Risk of softmax attention, and its standard error."""
        d = len(self.A)
        g = normal_points(d, points, seed)  # (randomisations, points, 2d)
        w, x = self.om * g[..., :d], g[..., d:] @ self.B.T
        error, polynomials = self._given(w, x, N, b, L)
        on_blocks, _ = self._given(w, x, np.vstack([N[:d], np.zeros((1, d))]), np.append(np.zeros(d), b[d]), L)
        block_mean = 2 * self.field(L)(N[:d], float(b[d])).risk - self.tau2
        # Were the weights constant, the error would be a sum of polynomials; were the parameters on
        # the block manifold, its mean would be known. The first randomisation says how much to take
        # of each, the others sum the rest.
        controls = np.concatenate([polynomials - self.means(N, b), on_blocks[..., None] - block_mean], axis=-1)
        design = np.concatenate([np.ones((points, 1)), controls[0]], axis=1)
        coefficients = np.linalg.lstsq(design, error[0], rcond=None)[0][1:]
        means = (error[1:] - controls[1:] @ coefficients).mean(axis=1)
        return float(means.mean() + self.tau2) / 2, float(means.std(ddof=1) / np.sqrt(len(means))) / 2

    def _given(self, w: Floats, x: Floats, N: Floats, b: Floats, L: float) -> tuple[Floats, Floats]:
        """The squared error given task and query, without label noise at the query, and the
        polynomials of `means`.
        """
        seen_a, seen_b = self.seen(w, x @ N.T), self.seen(w, np.broadcast_to(b, (*w.shape[:-1], len(b))))
        s, h, b2, y = (np.einsum("...i,...i->...", p, q) for p, q in ((seen_a, seen_a), (seen_a, seen_b), (seen_b, seen_b), (w, x)))
        if not all(np.isfinite(v).all() for v in (s, h**2, b2)):
            raise ValueError(BEYOND)
        m = weight_table(L)(s)
        error = h**2 * m.kept2 + m.P2 * b2 - 2 * m.kept * h * y + y**2
        return error, np.stack([h**2, h * y, y**2, b2, s, s * b2], axis=-1)

    def field(self, L: float) -> RiskField:
        """The exact risk on the block manifold."""
        A, B = self.A, self.B
        return RiskField(A @ A.T, L, self.tau2, task_variance=self.om**2, query_covariance=B @ B.T)


def _fifth_degree(d: int) -> tuple[Floats, Floats]:
    """Points (k, d) and weights, exact for polynomials of degree 5 against N(0, I) (Stroud and
    Secrest, Math. Comp. 17, 1963).
    """
    one = np.sqrt(d + 2.0) * np.eye(d)
    i, j = np.triu_indices(d, 1)
    e = np.sqrt((d + 2) / 2) * np.eye(d)
    two = [p * e[i] + q * e[j] for p in (1, -1) for q in (1, -1)]
    points = np.concatenate([np.zeros((1, d)), one, -one, *two])
    weights = [np.full(1, 2 / (d + 2)), np.full(2 * d, (4 - d) / (2 * (d + 2) ** 2)), np.full(4 * len(i), 1 / (d + 2) ** 2)]
    return points, np.concatenate(weights)


@lru_cache(maxsize=2)
def normal_points(d: int, points: int, seed: int) -> Floats:
    """Normal numbers for task and query from scrambled Sobol' points, (randomisations, points, 2d).

    They are kept, since a run asks for the same again and again.
    """
    from scipy.special import ndtri
    from scipy.stats.qmc import Sobol

    streams = np.random.default_rng([0x506F7052, seed]).spawn(RANDOMISATIONS)
    uniform = np.stack([Sobol(2 * d, scramble=True, seed=stream).random(points) for stream in streams])
    found = ndtri(np.clip(uniform, 2.0**-60, 1 - 2.0**-53))
    found.setflags(write=False)
    return np.asarray(found)
