"""The in-context risk at a finite prompt length with its gradient, exactly, at every point (U11, u)
of the block manifold of Assumption 5.1 (our R6): `numerics.exact_risk`.
"""

# With ``x = S_q^{1/2} xi`` the score variance is ``s = |W xi|^2``, ``W = S_p^{1/2} U S_q^{1/2}``,
# S_p and S_q the covariances of prompt and query. In the right singular basis of W every
# ``E[f(s) xi xi']`` is diagonal, and so is what remains of the fourth-order moments in the gradient
# after pairing: one-dimensional integrals in every dimension.

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from numerics.attention.quadrature.query_moments import query_moments
from numerics.attention.quadrature.softmax_weights import LARGEST_LENGTH
from numerics.attention.quadrature.weight_tables import weight_table
from theory.inputs.arrays import read_arrays
from theory.inputs.kinds import check_kind
from theory.inputs.overflow import within_floats
from theory.inputs.spectrum import symmetric_root
from theory.regression.task import RegressionTask, read_task
from theory.shown.result import in_a_line, in_a_table

__all__ = ["ATTENTIONS", "ExactRisk", "RiskField", "exact_risk", "read_length"]

Floats = NDArray[np.float64]
#: Mean score variance from which on the risk is summed up as it is, not as the infinite-prompt risk
#: and a gap, which cancel.
LARGE_SCORES = 1e3
#: Kinds of attention whose risk is known exactly.
ATTENTIONS = ("softmax", "linear")


class ExactRisk(NamedTuple):
    """A risk and its gradient."""

    #: Half the mean squared error, noise of the query's own label included.
    risk: float
    #: Gradient in the query-key block, in the Frobenius inner product.
    grad_U: Floats
    #: Gradient in the value scalar.
    grad_u: float

    def __repr__(self) -> str:
        return in_a_line(self)

    def _repr_html_(self) -> str:
        return in_a_table(self)


class RiskField:
    """The risk and its gradient as a function of (U, u), for integrators: what does not depend on
    the point is read once. `step` is that of the quadrature over the query, as in
    `numerics.attention.quadrature.query_moments`; make it smaller to see the error.
    """

    def __init__(
        self,
        task: RegressionTask,
        prompt_length: float | None,
        *,
        attention: str = "softmax",
        step: float = 0.16,
    ) -> None:
        self.task = task = read_task(task)
        check_kind(str, attention=attention)
        if attention not in ATTENTIONS:
            raise ValueError(f"attention = {attention!r}; the exact risk knows 'softmax' and 'linear'")
        self.S, self.S_q = task.Sigma, task.query_covariance
        self.L = read_length(prompt_length)
        self.root, self.root_q = symmetric_root(self.S), symmetric_root(self.S_q)
        #: Curvature of the risk along its fastest mode, up to a factor: the unit of time of a flow.
        self.rate = task.task_variance * float(np.linalg.norm(self.S, 2)) * float(np.linalg.norm(self.S_q, 2))
        self.level = float(np.trace(self.S)) + task.noise_ratio
        self._bracket = self._softmax if attention == "softmax" and self.L is not None else self._linear
        self._step = step

    def __call__(self, U: Floats, u: float) -> ExactRisk:
        """The risk at a point that is not checked."""
        bracket, to_U, to_u = self._bracket(U, u)
        half = self.task.task_variance / 2
        return ExactRisk(half * bracket + self.task.noise / 2, half * to_U, half * to_u)

    def _infinite(self, U: Floats, u: float) -> tuple[float, Floats, float]:
        """``E|u h - x|^2`` for h = S_p U x, and its gradient."""
        h = self.S @ U @ self.root_q
        residual = u * h - self.root_q
        return (
            float((residual**2).sum()),
            2 * u * self.S @ residual @ self.root_q,
            2 * float((residual * h).sum()),
        )

    def _linear(self, U: Floats, u: float) -> tuple[float, Floats, float]:
        """The prompt's empirical covariance adds ``(u^2/L) E[|h|^2 + (tr S_p + noise) s]``."""
        value, to_U, to_u = self._infinite(U, u)
        if self.L is None:
            return value, to_U, to_u
        more = self.S @ (self.S @ U @ self.S_q) + self.level * (self.S @ U @ self.S_q)
        spread = float((U * more).sum()) / self.L
        return value + u * u * spread, to_U + 2 * u * u / self.L * more, to_u + 2 * u * spread

    def _softmax(self, U: Floats, u: float) -> tuple[float, Floats, float]:
        """The same for softmax attention, whose finite prompt adds moments of the weights."""
        assert self.L is not None
        W = self.root @ U @ self.root_q
        singular, E = np.linalg.svd(W)[1:]
        if not np.isfinite(singular**2).all():
            return np.inf, np.full_like(U, np.inf), np.inf
        query = query_moments(singular**2, log_reach=float(np.log(self.L)), step=self._step)
        m = weight_table(self.L)(query.s)
        turned = E @ W.T  # all of what follows is in the basis of the rows of E
        SW = self.S @ turned.T
        h2, xh = turned @ SW, E @ self.root_q @ self.root @ turned.T
        xh = (xh + xh.T) / 2
        # E[f(s) |h|^2] and E[f(s) x.h] for what stands before them, and the rest of the risk.
        if float((singular**2).sum()) < LARGE_SCORES:
            value, to_U, to_u = self._infinite(U, u)
            before_h, before_x = query.second(-m.b), query.second(-m.P2)
        else:
            value, to_U, to_u = float(np.trace(self.S_q)), np.zeros_like(U), 0.0
            before_h, before_x = query.second(m.kept2), query.second(m.kept)
        P2, by_h, by_x = query.mean(m.P2), float(np.diag(h2) @ before_h), float(np.diag(xh) @ before_x)
        # The same for the derivatives in s, as symmetric matrices F with dE = tr(F d(W'W)).
        first, second = query.fourth(m.dP2), query.fourth(-m.db)
        to_form = u * u * (self.level * np.diag(query.second(m.dP2)) + _paired(second, h2)) + 2 * u * _paired(
            first, xh
        )
        to_W = (2 * turned.T @ to_form + 2 * u * u * SW * before_h) @ E - 2 * u * self.root @ self.root_q @ (
            E.T * before_x
        ) @ E
        return (
            value + u * u * (self.level * P2 + by_h) - 2 * u * by_x,
            to_U + self.root @ to_W @ self.root_q,
            to_u + 2 * u * (self.level * P2 + by_h) - 2 * by_x,
        )


def _paired(fourth: Floats, M: Floats) -> Floats:
    """``E[f xi'M xi xi xi']`` from ``E[f xi_i^2 xi_j^2]``, M symmetric."""
    out = 2 * fourth * M
    np.fill_diagonal(out, fourth @ np.diag(M))
    return np.asarray(out)


def read_length(value: float | None, largest: float = LARGEST_LENGTH) -> float | None:
    """A prompt length that has been checked: a whole number from 1 to the largest, or None for the
    infinite prompt.
    """
    if value is None:
        return None
    (L,) = read_arrays(prompt_length=(value, ""))
    if not (1 <= L <= largest and np.floor(L) == L):
        most = f"{largest:.0e}".replace("+", "")
        raise ValueError(
            f"prompt_length = {value} is no whole number from 1 to {most}; pass None for the infinite prompt"
        )
    return float(L)


@within_floats("the risk")
def exact_risk(
    U11: Any,
    u: float,
    task: RegressionTask | Any,
    prompt_length: float | None,
    noise: float | None = None,
    *,
    attention: str = "softmax",
) -> ExactRisk:
    """The risk of attention with prompts of L tokens and its gradient in (U11, u); no prompt, task
    or query is sampled.

    Parameters
    ----------
    U11 : array (d, d)
        Query-key block ``K'Q``, any matrix.
    u : float
        The value scalar.
    task : RegressionTask, or array (d, d)
        A covariance Sigma stands for the task of Section 5 of Boursier & Boyer with it:
        ``w ~ N(0, I)``.
    prompt_length : float or None
        A whole number L from 1 to 1e100; None is the infinite prompt, where both kinds of attention
        agree.
    noise : float, optional
        Variance of the label noise: needed beside a covariance; a `RegressionTask` has its own.
    attention : {"softmax", "linear"}
        Linear attention is the normalised one, ``(1/L) sum_l <Qz, Kz_l> V z_l``.

    Returns
    -------
    ExactRisk
        Half the mean squared error with the noise of the query's own label, and its gradient.

    Raises
    ------
    TypeError, ValueError
        If shapes do not fit, a covariance or a variance is none, the length is no prompt length, or
        the risk is beyond floats.

    Examples
    --------
    Without scores the prediction is u times the mean label:

    >>> round(exact_risk(np.zeros((2, 2)), 3.0, np.eye(2), 10, noise=0.0).risk, 12)
    1.9
    >>> exact_risk(np.eye(2), 1.0, np.eye(2), None, noise=0.5)
    ExactRisk(risk=0.25, grad_U=2 x 2 array, grad_u=0)

    The point that is perfect for the infinite prompt:

    >>> [round(exact_risk([[1.0]], 1.0, [[1.0]], L, noise=0.0).risk, 4) for L in (10, 100, 1000)]
    [0.1596, 0.0324, 0.0074]
    """
    field = RiskField(_task(task, noise), prompt_length, attention=attention)
    _, U, v = read_arrays(Sigma=(field.S, "d d"), U11=(U11, "d d"), u=(u, ""))
    return field(U, float(v))


def _task(task: Any, noise: float | None) -> RegressionTask:
    """The task of a covariance and a noise, with the task variance 1 of Section 5."""
    if isinstance(task, RegressionTask):
        if noise is not None:
            raise TypeError(
                f"noise = {noise} is given beside a task that has its own, {task.noise}; leave it out"
            )
        return task
    if noise is None:
        raise TypeError(
            "noise is missing beside a covariance; pass the variance of the label noise, or a RegressionTask"
        )
    return RegressionTask(task, noise=noise, task_variance=1.0)
