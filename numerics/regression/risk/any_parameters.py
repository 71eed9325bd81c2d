"""The population risk of softmax or linear attention at any parameters (O, V, K, Q), whether or not
they are on the block manifold of Assumption 5.1: what `numerics.train` estimates by its losses.
"""

# Given task and query the mean over prompts is in closed form (our R4 for softmax attention,
# Wishart moments for linear attention). What is left is a mean over 2d Gaussian numbers: of a
# polynomial for linear attention and for the infinite prompt, where a cubature rule is exact,
# otherwise by scrambled Sobol' points whose randomisations give the error. The polynomials, and the
# exact risk of the nearest point of the block manifold, serve as control variates.

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from numerics.attention.quadrature.weight_tables import weight_table
from numerics.regression.risk.block_manifold import ATTENTIONS, RiskField, read_length
from numerics.regression.risk.sobol import sobol_points
from numerics.training.parameters import read_parameters
from theory.inputs.overflow import within_floats
from theory.regression.experiment import Variant
from theory.regression.experiment import variant as read_variant
from theory.regression.task import RegressionTask, read_task

__all__ = ["TaskModel", "check_points", "normal_points", "population_risk"]

Floats = NDArray[np.float64]
#: Independent scramblings of the Sobol' points.
RANDOMISATIONS = 16
OVERFLOW = (
    "the risk at these parameters is beyond the range of floats; take a record before "
    "the run went to infinity"
)


@within_floats("the risk")
def population_risk(
    parameters: Any,
    attention: str,
    task: RegressionTask,
    prompt_length: float | None,
    *,
    variant: str | Variant = "as written",
    points: int = 1 << 12,
    seed: int = 0,
) -> tuple[Any, Any]:
    """Half the mean squared error over fresh prompts, tasks and queries, and its standard error: 0
    for linear attention and the infinite prompt, rounding on the block manifold. Parameters O (...,
    n), V, K, Q (..., n, n), as `numerics.train` records them, share the 16 randomisations of
    `points` Sobol' points, a power of 2; values have the shape of their leading axes.
    """
    if attention not in ATTENTIONS:
        raise ValueError(f"attention = {attention!r}; the population risk knows 'softmax' and 'linear'")
    model, L, count = TaskModel(task, variant), read_length(prompt_length), check_points(points)
    O, V, K, Q = read_parameters(parameters, model.d)
    lead = O.shape[:-1]
    b = np.einsum("...ij,...i->...j", V, O)
    N = model.score_scale * np.swapaxes(K, -1, -2) @ Q[..., : model.d]
    with np.errstate(over="ignore", invalid="ignore"):
        found = [
            model.softmax(N[i], b[i], L, count, seed)
            if attention == "softmax" and L is not None
            else (model.linear(N[i], b[i], L), 0.0)
            for i in np.ndindex(*lead)
        ]
    if not np.isfinite(found).all():
        raise ValueError(OVERFLOW)
    values, errors = (np.reshape(column, lead) if lead else column[0] for column in zip(*found))
    return values, errors


def check_points(points: int) -> int:
    """The number of Sobol' points of a randomisation, a power of 2 from 2 on.

    >>> check_points(64)
    64
    """
    if (
        isinstance(points, bool)
        or not isinstance(points, int | np.integer)
        or points < 2
        or points & (points - 1)
    ):
        raise ValueError(
            f"points = {points!r} is no power of 2 from 2 on; Sobol' points are balanced only then: pass "
            "e.g. 1024"
        )
    return int(points)


class TaskModel:
    """Tasks ``w ~ N(0, om^2 I)``, tokens ``M n``, ``M = [[A, 0], [w'A, sqrt(tau2)]]``, queries
    ``B n``, n standard normal, as the variant of the experiment draws them.
    """

    def __init__(self, task: RegressionTask, variant: str | Variant) -> None:
        read = read_variant(variant)
        self.A, self.B = read.roots(read_task(task))
        self.d, self.score_scale = task.d, read.score_scale(task.d)
        self.om, self.tau2 = np.sqrt(task.task_variance), task.noise

    def seen(self, w: Floats, a: Floats) -> Floats:
        """``M'a`` for each w (..., d) and a (..., d + 1): how the score a'z depends on n."""
        x = (a[..., :-1] + w * a[..., -1:]) @ self.A
        return np.concatenate(
            [x, np.broadcast_to(np.sqrt(self.tau2) * a[..., -1:], (*x.shape[:-1], 1))], axis=-1
        )

    def means(self, N: Floats, b: Floats) -> Floats:
        """Means over tasks (by a cubature rule) and queries (by traces) of h², h y, y², b'Gb, s and
        s b'Gb, where G is the covariance of the tokens of a task, a the score vector at the query,
        h = b'Ga the answer at the infinite prompt, s = a'Ga the variance of the scores, and y the
        label without noise.
        """
        points, weights = _fifth_degree(len(self.A))
        w = self.om * points
        by_query = self.seen(w[:, None, :], (N @ self.B).T)  # (tasks, d, n): M'a for the columns a of N B
        seen_b = self.seen(w, np.broadcast_to(b, (len(w), len(b))))
        answer, label = (
            np.einsum("tdn,tn->td", by_query, seen_b),
            w @ self.B,
        )  # h and y are linear in the query
        s, b2 = (by_query**2).sum(axis=(1, 2)), (seen_b**2).sum(axis=1)
        squares = [(answer**2).sum(axis=1), (answer * label).sum(axis=1), (label**2).sum(axis=1)]
        return np.array([*squares, b2, s, s * b2]) @ weights

    def linear(self, N: Floats, b: Floats, L: float | None) -> float:
        """Risk of linear attention with a = N x and b, exact."""
        h2, hy, y2, _, _, sb2 = self.means(N, b)
        spread = (
            0.0 if L is None else (h2 + sb2) / L
        )  # the variance of (1/L) sum (a.z)(b.z) given task and query
        return float(h2 - 2 * hy + y2 + spread + self.tau2) / 2

    def softmax(self, N: Floats, b: Floats, L: float, points: int, seed: int) -> tuple[float, float]:
        """Risk of softmax attention, and its standard error."""
        d = self.d
        g = normal_points(d, points, seed)  # (randomisations, points, 2d)
        w, x = self.om * g[..., :d], g[..., d:] @ self.B.T
        error, polynomials = self._given(w, x, N, b, L)
        on_blocks, _ = self._given(
            w, x, np.vstack([N[:d], np.zeros((1, d))]), np.append(np.zeros(d), b[d]), L
        )
        block_mean = 2 * self.field(L)(N[:d], float(b[d])).risk - self.tau2
        # Were the weights constant, the error would be a sum of polynomials; were the parameters on
        # the block manifold, its mean would be known. The first randomisation says how much to take
        # of each, the others sum the rest.
        controls = np.concatenate(
            [polynomials - self.means(N, b), on_blocks[..., None] - block_mean], axis=-1
        )
        design = np.concatenate([np.ones((points, 1)), controls[0]], axis=1)
        coefficients = np.linalg.lstsq(design, error[0], rcond=None)[0][1:]
        means = (error[1:] - controls[1:] @ coefficients).mean(axis=1)
        return float(means.mean() + self.tau2) / 2, float(means.std(ddof=1) / np.sqrt(len(means))) / 2

    def _given(self, w: Floats, x: Floats, N: Floats, b: Floats, L: float) -> tuple[Floats, Floats]:
        """The squared error given task and query, without label noise at the query, and the
        polynomials of `means`.
        """
        seen_a, seen_b = self.seen(w, x @ N.T), self.seen(w, np.broadcast_to(b, (*w.shape[:-1], len(b))))
        s, h, b2, y = (
            np.einsum("...i,...i->...", p, q)
            for p, q in ((seen_a, seen_a), (seen_a, seen_b), (seen_b, seen_b), (w, x))
        )
        if not all(np.isfinite(v).all() for v in (s, h**2, b2)):
            raise ValueError(OVERFLOW)
        m = weight_table(L)(s)
        error = h**2 * m.kept2 + m.P2 * b2 - 2 * m.kept * h * y + y**2
        return error, np.stack([h**2, h * y, y**2, b2, s, s * b2], axis=-1)

    def field(self, L: float) -> RiskField:
        """The exact risk on the block manifold."""
        A, B = self.A, self.B
        return RiskField(
            RegressionTask(A @ A.T, noise=self.tau2, task_variance=self.om**2, query_covariance=B @ B.T), L
        )


def _fifth_degree(d: int) -> tuple[Floats, Floats]:
    """Points (k, d) and weights, exact for polynomials of degree 5 against N(0, I) (Stroud and
    Secrest, Math. Comp. 17, 1963).
    """
    one = np.sqrt(d + 2.0) * np.eye(d)
    i, j = np.triu_indices(d, 1)
    e = np.sqrt((d + 2) / 2) * np.eye(d)
    two = [p * e[i] + q * e[j] for p in (1, -1) for q in (1, -1)]
    points = np.concatenate([np.zeros((1, d)), one, -one, *two])
    weights = [
        np.full(1, 2 / (d + 2)),
        np.full(2 * d, (4 - d) / (2 * (d + 2) ** 2)),
        np.full(4 * len(i), 1 / (d + 2) ** 2),
    ]
    return points, np.concatenate(weights)


@lru_cache(maxsize=2)
def normal_points(d: int, points: int, seed: int) -> Floats:
    """Normal numbers for task and query from scrambled Sobol' points, (randomisations, points, 2d).
    They are kept, since a run asks for the same again and again.
    """
    from scipy.special import ndtri

    streams = np.random.default_rng([0x506F7052, seed]).spawn(RANDOMISATIONS)
    uniform = np.stack([sobol_points(2 * d, points, stream) for stream in streams])
    found = ndtri(np.clip(uniform, 2.0**-60, 1 - 2.0**-53))
    found.setflags(write=False)
    return np.asarray(found)
