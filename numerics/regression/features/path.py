"""What a training of the attention over finitely many features leaves behind, and how a problem is
handed to the compiled kernels.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from numerics.compiled.simd import WIDTH, lined_up
from theory.inputs.arrays import read_arrays
from theory.regression.features.data import FeatureRegression
from theory.shown.colours import COLOURS
from theory.shown.result import Drawn, in_a_table

__all__ = ["AttentionPath", "KernelProblem", "KernelRoom", "read_problem", "room_for"]

Floats = NDArray[np.float64]
#: Relative size of what counts as rounding when exchangeable tasks are recognised.
ROUNDING = 1e-13
#: So many steps are done with a panel of orthonormal features before the next panel has its turn.
TOGETHER = 64


@dataclass(frozen=True, eq=False)
class AttentionPath(Drawn):
    """A training of the attention: its records, k of them."""

    problem: FeatureRegression
    #: Steps of gradient descent, or times of the flow.
    time: Floats
    #: Shape (k,).
    loss: Floats
    #: The matrices W of the parameters ``Q = Q_0 + V W V'``.
    coefficients: Floats
    #: ``Q_0``.
    start: Floats
    #: The number of the step whose loss was not a finite number; the records end before it.
    diverged: int | None = None
    #: What computes `error`.
    estimated: Callable[[], float] | None = None

    @cached_property
    def error(self) -> float | None:
        """For a flow: the estimated relative error of its losses, computed when it is asked for."""
        return None if self.estimated is None else self.estimated()

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
        return (
            np.stack([self.problem.attention(Q) for Q in self.Q])
            if len(self.time)
            else np.empty((0, *self.problem.gram.shape))
        )

    def __repr__(self) -> str:
        end = f"loss {self.loss[-1]:.6g} at {self.time[-1]:.6g}" if len(self.time) else "no record"
        end += f"; diverged at step {self.diverged}" if self.diverged is not None else ""
        return f"AttentionPath({self.problem!r}, {len(self.time)} records, {end})"

    _repr_html_ = in_a_table

    def _draw(self, ax: Any) -> None:
        """The loss, and how much the queries attend to their own class on average."""
        own = np.mean(np.diagonal(self.attention, axis1=1, axis2=2), axis=1)
        ax.plot(self.time, self.loss, color=COLOURS["measured"], label="loss")
        ax.plot(self.time, own, color=COLOURS["theorem"], label="attention on the own class")
        ax.set_xlabel("step or time")
        ax.set_ylabel("loss and attention")


class KernelProblem(NamedTuple):
    """A problem as the compiled kernels take it, see `numerics.regression.features.kernel`."""

    #: Scores at Q_0 and inner products of the features, see `panels`. The parameter is
    #: ``Q = Q_0 + V W V'``.
    S0: Floats
    G: Floats
    #: Whether the features are orthonormal.
    plain: bool
    #: Classes of the queries of a group.
    queries: NDArray[np.int64]
    #: In row r, 1 where the query is of the class r after that of the group's first one, else 0.
    units: Floats
    #: Shares of each class in the prompts of a group.
    shares: Floats
    #: Share of the query's class in the prompt; probability of prompt and query.
    own_shares: Floats
    weights: Floats
    #: Second moments of a task on the features, up to what is the same for all features.
    C: Floats
    #: C at each class and the query, and at the query twice.
    C_queries: Floats
    variances: Floats
    #: sigma_f^2 if all features are alike to the tasks, so that C is that multiple of the identity
    #: up to what is the same for all features; otherwise negative.
    spread: float


class KernelRoom(NamedTuple):
    """The arrays in which the compiled kernels work: W and half, which is G W, for all queries, the
    others for those of a panel; errors of the steps that a panel does together.
    """

    W: Floats
    half: Floats
    S: Floats
    e: Floats
    own: Floats
    H: Floats
    mine: Floats
    w: Floats
    gap: Floats
    errors: Floats


def room_for(given: KernelProblem) -> KernelRoom:
    """The room for a problem."""
    square, K, groups = given.G.shape, given.shares.shape[1], WIDTH // len(given.units)
    of_query, of_class, of_both = (groups, WIDTH), square[1:], (groups, K, WIDTH)
    half = (1, 1, WIDTH) if given.plain else square
    shapes = (
        square,
        half,
        of_class,
        of_both,
        of_query,
        of_both,
        of_query,
        of_class,
        of_class,
        (TOGETHER, WIDTH),
    )
    return KernelRoom(*(lined_up(np.zeros(shape)) for shape in shapes))


def panels(A: Floats) -> Floats:
    """A square matrix, filled up with zeros to a multiple n of eight, as an array (n / 8, n, 8) of
    panels of eight columns.
    """
    filled = np.pad(A, (0, -len(A) % WIDTH))
    return lined_up(filled.reshape(len(filled), -1, WIDTH).transpose(1, 0, 2))


def read_problem(problem: Any, start: ArrayLike | None) -> tuple[KernelProblem, Floats]:
    """The problem for the kernels, and the start ``Q_0``, which is 0 by default. Equal second
    moments of all differences of the values make tasks exchangeable.

    >>> read_problem(FeatureRegression(np.eye(2), [[3, 1], [1, 3]]), None)[0].spread
    2.0
    """
    if not isinstance(problem, FeatureRegression):
        raise TypeError(
            f"problem = {problem!r:.100} is no FeatureRegression; pass "
            "theory.FeatureRegression(features, ...)"
        )
    if problem.exact:
        raise TypeError(
            "the problem consists of SymPy expressions; pass one of numbers, such as floats of them"
        )
    V, d = problem.features, problem.d
    Q0 = np.zeros((d, d)) if start is None else read_arrays(start=(start, "d d"))[0]
    if Q0.shape != (d, d):
        raise ValueError(
            f"start has shape {Q0.shape}, but the features lie in R^{d}; pass a matrix ({d}, {d})"
        )
    G, C, K = V.T @ V, problem.value_covariance, problem.K
    masses, weights = problem.prompts
    # What all features share falls out of every difference, and with it a common part of C.
    centred = C - C.mean(axis=0) - C.mean(axis=1)[:, None] + C.mean()
    spread = float(np.trace(centred)) / (K - 1)
    alike = abs(centred - spread * (np.eye(K) - 1 / K)).max() <= ROUNDING * abs(C).max()
    queries, shares, own_shares, weights = _in_octets(masses.astype(float), weights, problem.probabilities)
    return KernelProblem(
        S0=panels(V.T @ Q0 @ V),
        G=panels(G),
        plain=bool((np.eye(K) == G).all()),
        queries=queries,
        units=lined_up(np.eye(WIDTH) if queries[0, 0] < queries[0, 1] else np.ones((1, WIDTH))),
        shares=lined_up(shares),
        own_shares=lined_up(own_shares),
        weights=lined_up(weights),
        C=panels(centred),
        C_queries=lined_up(centred[queries].transpose(0, 2, 1)),
        variances=lined_up(centred.diagonal()[queries]),
        spread=spread if alike else -1.0,
    ), Q0


def _in_octets(
    masses: Floats, weights: Floats, p: Floats
) -> tuple[NDArray[np.int64], Floats, Floats, Floats]:
    """Queries, shares, own shares and weights of the groups; what fills up an octet weighs 0."""
    (n, K), shares = masses.shape, masses / masses.sum(axis=1, keepdims=True)
    if -(-K // WIDTH) * n < K * -(-n // WIDTH):  # fewer groups with eight queries and one prompt in each
        queries = np.pad(np.arange(K), (0, -K % WIDTH), mode="edge").reshape(-1, WIDTH)
        shares = np.repeat(shares[:, :, None], WIDTH, axis=2)
        all_weights = np.pad(p, (0, -K % WIDTH)).reshape(-1, 1, WIDTH) * weights[:, None]
    else:
        queries = np.repeat(np.arange(K)[:, None], WIDTH, axis=1)
        filled = np.pad(shares, ((0, -n % WIDTH), (0, 0)), mode="edge")
        shares = filled.reshape(-1, WIDTH, K).transpose(0, 2, 1)
        all_weights = p[:, None, None] * np.pad(weights, (0, -n % WIDTH)).reshape(-1, WIDTH)
    own = np.stack([shares[:, row, np.arange(WIDTH)] for row in queries])
    return queries, shares, own, all_weights
