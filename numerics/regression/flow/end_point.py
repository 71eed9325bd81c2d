"""Where training ends at each prompt length (Theorem 5.2 of Boursier & Boyer): the point of least
risk, or that of the gradient flow at a time, and the length L(epsilon) from which on it is good.
"""

# At a long prompt the risk of softmax attention is nearly flat along the valley ``u Sigma U = I``,
# where its slope is of order 1/L. The flow falls into the valley in a time of order 1 and then
# creeps along it for a time of order L. So a number has to say which of the two it is: the point at
# a stated time, or the limit. For softmax attention the limit is taken to be the least risk, which
# is integrated in single cases and not proved.

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from numerics.regression.risk.block_manifold import ExactRisk, RiskField
from theory.inputs.arrays import asymmetric, read_arrays, read_covariance
from theory.inputs.overflow import within_floats
from theory.inputs.spectrum import EPS, ROUNDING, covariance_factor, spectrum
from theory.regression.limit import limit_parameters
from theory.regression.task import RegressionTask, read_task
from theory.regression.valley import best_score_variance

__all__ = ["Trained", "block_start", "least_length", "trained"]

Floats = NDArray[np.float64]
#: Step of the central differences of the gradient, in the logarithms of the parameters.
DIFFERENCE_STEP = 1e-4
#: Newton's method has arrived when its step is this small.
LAST_STEP = 1e-9
#: The largest last step where the risk changes by less than its rounding errors.
FLAT_STEP = 1e-2
#: Relative rounding errors of a risk, and a share of the gain of a step that holds no other part
#: up.
RISK_ROUNDING, LIGHT = 1e-13, 1e-12
#: Beyond it exponentials leave the floats.
MOST_LOGARITHM = 700.0
#: Relative difference of eigenvalues that counts as none, and size of what two covariances that
#: commute leave beside the diagonal in a common basis.
COMMUTING = 1e-9


@dataclass(frozen=True, eq=False)
class Trained:
    """A point that the flow reaches, or the point of least risk."""

    #: Half the mean squared error there, noise of the query's own label included.
    risk: float
    #: The query-key block.
    U11: Floats
    #: The value scalar.
    u: float
    #: Infinite for the limit.
    time: float
    #: Norm of the gradient there.
    speed: float


def block_start(Sigma: Any, alpha: float | None = None) -> tuple[Floats, float]:
    """``(U(0), u(0))`` of Assumption 5.1 with ``Theta Theta' = I/sqrt(d)``. If left out, alpha is
    half of the end ``sqrt(2) / (d^{1/4} |Sigma|_op)`` of the range of Theorem 5.2.
    """
    S = read_covariance("Sigma", Sigma)
    d, size = len(S), float(np.linalg.norm(S, 2))
    if size == 0:
        raise ValueError("Sigma is zero: every start rests; pass a covariance with a positive eigenvalue")
    scale = 2**0.5 / (2 * d**0.25 * size) if alpha is None else float(alpha)
    if not 0 < scale < math.inf:
        raise ValueError(
            f"alpha = {alpha} is not positive; the mirror image of the start serves for a negative one"
        )
    return scale / d**0.5 * np.eye(d), scale


def trained(
    task: RegressionTask,
    prompt_length: int | None,
    *,
    attention: str = "softmax",
    start: tuple[Any, float] | None = None,
    time: float | None = None,
) -> Trained:
    """The point of least risk, or the one that the gradient flow reaches at a time from
    ``(U(0), u(0))`` of Assumption 5.1 (`block_start` by default), U(0) positive semidefinite and
    u(0) > 0. A query covariance of its own has to commute with Sigma and be invertible. If Sigma is
    then singular, U(0) must not mix what the prompt shows with what it does not.
    """
    # The limit for linear attention is a closed form, `theory.limit_parameters`. For softmax
    # attention it is the minimum that Newton's method finds among the positive definite U that
    # commute with Sigma, and does not depend on the start. That no other U does better is searched
    # in the tests, that the flow ends there is integrated in single cases; neither is proved.
    risk = RiskField(task, prompt_length, attention=attention)
    S, query, ratio, (U0, u0) = (
        task.Sigma,
        task.query_covariance,
        task.noise_ratio,
        _read_start(task.Sigma, start),
    )
    if query is not S:
        if spectrum(query).values.size < len(query):
            raise ValueError("query_covariance is singular; use training_flow, which takes any")
        if float(np.abs(S @ query - query @ S).max()) > 1e-9 * float(np.abs(S).max() * np.abs(query).max()):
            raise ValueError(
                "query_covariance does not commute with Sigma; use training_flow, which takes any two"
            )
    if time is None and query is not S and _mixed(S, U0):
        raise ValueError(
            "U(0) mixes directions that only the query has with those of Sigma; use training_flow, which "
            "takes any"
        )
    if time is not None:
        return _at(time, risk, *_flow_to(time, (U0, u0), task, prompt_length, attention))
    if attention == "linear" or prompt_length is None:
        return _at(math.inf, risk, *_linear_limit(S, prompt_length, ratio, (U0, u0)))
    if (
        prompt_length == 1
    ):  # the only token has all the weight: its label is no answer, and U has no influence
        return _at(math.inf, risk, U0, 0.0)
    return _at(math.inf, risk, *_softmax_limit(S, query, ratio, U0, prompt_length))


@within_floats("the risk at the end of training")
def _at(time: float, risk: Callable[[Floats, float], ExactRisk], U: Floats, u: float) -> Trained:
    """A point with its risk and the norm of its gradient."""
    found = risk(U, u)
    return Trained(found.risk, U, u, time, math.hypot(*found.grad_U.ravel(), found.grad_u))


def _mixed(S: Floats, U0: Floats) -> bool:
    """Whether U(0) has entries between the range of S and its kernel."""
    onto = spectrum(S).vectors
    seen = U0 @ onto
    return bool(np.abs(seen - onto @ (onto.T @ seen)).max() > 1e-12 * np.abs(U0).max())


def _read_start(S: Floats, start: tuple[Any, float] | None) -> tuple[Floats, float]:
    """A start that meets Assumption 5.1."""
    if start is None:
        return block_start(S)
    U0, u0 = read_arrays(Sigma=(S, "d d"), U0=(start[0], "d d"), u0=(start[1], ""))[1:]
    rounding = 1e-12 * float(np.abs(U0).max())
    negative = float(np.linalg.eigvalsh(U0 / 2 + U0.T / 2)[0]) < -rounding
    if negative or asymmetric(U0, COMMUTING, EPS) is not None or not u0 > 0 or not (S @ U0).any():
        raise ValueError(
            "start: Assumption 5.1 has U(0) positive semidefinite with Sigma U(0) != 0, and u(0) "
            "> 0; see training_flow"
        )
    return U0, float(u0)


def _flow_to(
    time: float, start: Any, task: RegressionTask, L: int | None, attention: str
) -> tuple[Floats, float]:
    """Where the integrated flow is at a time."""
    from numerics.regression.flow.finite_prompt import training_flow

    if not 0 < time < math.inf:
        raise ValueError(f"time = {time} is not positive and finite; leave it out for the limit")
    flow = training_flow(start, task, L, attention=attention, times=[0.0, float(time)])
    return flow.U[-1], float(flow.u[-1])


def _linear_limit(
    S: Floats, L: int | None, noise: float, start: tuple[Floats, float]
) -> tuple[Floats, float]:
    """The end of linear attention, and of softmax attention for infinite prompts; the query's
    covariance has no say in it.
    """
    law: dict[str, Any] = {} if L is None else {"prompt_length": L, "noise": noise}
    end = limit_parameters(S, U0=start[0], u0=start[1], **law)
    return np.asarray(end.U[:-1, :-1]), float(end.V[-1, -1])


def _common_modes(S: Floats, query: Floats) -> tuple[Floats, Floats]:
    """The positive eigenvalues of Sigma, each with the query's, shape (r, 2), and the common
    eigenvectors; where Sigma has equal ones those of the query decide. The two have to commute.
    """
    modes = spectrum(S)
    l, onto = modes.values, modes.vectors.copy()
    if query is S:
        return np.stack([l, l], axis=1), onto
    for rows in np.split(np.arange(l.size), 1 + np.flatnonzero(np.diff(np.log(l)) > COMMUTING)):
        within = spectrum(onto[:, rows].T @ query @ onto[:, rows]).vectors
        if within.shape[1] < len(rows):
            raise ValueError(
                "query_covariance is singular up to rounding errors where Sigma has equal eigenvalues; give "
                "both in the coordinates of its eigenvectors, where they are diagonal, or use training_flow, "
                "which takes any"
            )
        onto[:, rows] = onto[:, rows] @ within
    seen = covariance_factor(query).T @ onto
    turned = seen.T @ seen
    q, rest = np.diag(turned), np.abs(turned - np.diag(np.diag(turned)))
    gap = np.maximum(np.abs(l[:, None] - l) / (l[:, None] + l), EPS)  # by which eigenvectors are uncertain
    allowed = np.maximum(
        COMMUTING * np.sqrt(np.outer(q, q)), ROUNDING * len(S) * EPS * np.abs(query).max() / gap
    )
    if np.any(rest > allowed):
        raise ValueError(
            "query_covariance does not commute with Sigma; use training_flow, which takes any two"
        )
    return np.stack([l, q], axis=1), onto


@within_floats("the end of training")
@np.errstate(all="ignore")  # trial steps may leave the floats
def _softmax_limit(S: Floats, query: Floats, noise: float, U0: Floats, L: int) -> tuple[Floats, float]:
    """Newton's method in the logarithms of u and of U on each common eigenspace: there the valley
    is a straight line. In the common basis every eigenvalue has its own digits, and in units of
    tokens and of queries none is too small or too large.
    """
    unit, unit_q = (2.0 ** round(math.log2(float(np.linalg.norm(M, 2))) / 2) for M in (S, query))
    pairs, onto = _common_modes(S, query)
    (l, q), noise = (pairs / [unit**2, unit_q**2]).T, noise / unit**2
    task = RegressionTask(np.diag(l), noise=noise, task_variance=1.0, query_covariance=np.diag(q))
    risk, group = (
        RiskField(task, L),
        np.unique(np.log(pairs).round(10), axis=0, return_inverse=True)[1].ravel(),
    )
    across = np.linalg.svd(onto)[0][:, l.size :]
    kept = (
        across @ (across.T @ U0) + onto @ (onto.T @ U0 @ across) @ across.T
    )  # what no query meets stays as it was

    def field(y: Floats) -> tuple[float, Floats]:
        if np.abs(y).max() > MOST_LOGARITHM:
            return math.inf, np.full_like(y, math.nan)
        entries, u = np.exp(y[group]), math.exp(y[-1])
        found = risk(np.diag(entries), u)
        return found.risk, np.append(np.bincount(group, np.diag(found.grad_U) * entries), u * found.grad_u)

    # As linear attention shrinks a direction, and with scores of the variance that is best for
    # queries like the tokens.
    shrunk = l + (l + float(l.sum()) + noise) / L
    lam = best_score_variance(trace=float(l.sum()), d=len(S), noise=noise)
    lam *= (l @ (l / shrunk**2)) / (q @ (l / shrunk**2))
    start = np.bincount(group, np.log(lam**0.5 / shrunk)) / np.bincount(group)
    y = _newton(field, np.append(start, -np.log(lam) / 2))
    if y is None:
        raise RuntimeError(
            f"the least risk, where Theorem 5.2 has training end, was not found at L = {L:g}: eigenvalues of "
            f"Sigma differ by a factor {l.max() / l.min():.3g}, and those of query_covariance over them by "
            f"{(q / l).max() / (q / l).min():.3g}; give covariances of like sizes, or a time, and the flow "
            "is followed up to it"
        )
    return (onto * (np.exp(y[group]) / unit / unit_q)) @ onto.T + kept, math.exp(y[-1]) / unit * unit_q


def _newton(field: Callable[[Floats], tuple[float, Floats]], y: Floats) -> Floats | None:
    """A minimum by damped Newton steps, if they arrive; negative curvature is turned round. Each
    unknown is measured in a unit of its own, as the curvature along one may be any share of that
    along another.
    """
    (value, slope), length = field(y), math.inf
    for _ in range(100):
        H = np.array(
            [
                (field(y + e)[1] - field(y - e)[1]) / (2 * DIFFERENCE_STEP)
                for e in DIFFERENCE_STEP * np.eye(len(y))
            ]
        )
        size = np.abs(np.diag(H))
        H = np.where(
            size[None, :] <= size[:, None], H, H.T
        )  # the smaller slope has the smaller rounding errors
        unit = 1 / np.sqrt(np.maximum(size, np.finfo(float).tiny))
        if not np.isfinite(H).all():
            break
        curvature, basis = np.linalg.eigh(unit[:, None] * H * unit)
        step = -unit * (
            basis @ ((basis.T @ (unit * slope)) / np.maximum(np.abs(curvature), np.finfo(float).tiny))
        )
        gains = np.abs(slope * step)
        gain, heavy = float(gains.sum()), gains > LIGHT * gains.max()
        step = np.clip(
            step / np.where(heavy, max(1.0, float(np.abs(step).max(where=heavy, initial=0.0))), 1.0),
            -1.0,
            1.0,
        )
        while True:
            further, there = field(y + step)
            if further <= value * (1 + RISK_ROUNDING) or float(np.abs(step).max()) < LAST_STEP:
                break
            step /= 4
        y, value, slope = y + step, further, there
        before, length = length, float(np.abs(step).max())
        # along a valley that is flat to rounding, steps no longer become shorter
        if length < LAST_STEP or (before / 2 < length < FLAT_STEP and gain < 1e-6 * LAST_STEP**2 * value):
            return y
    return None


def least_length(task: RegressionTask, epsilon: float) -> int:
    """The L(epsilon) of Theorem 5.2 if the flow ends at the least risk: the least L that brings it,
    taken to fall with L, within epsilon of the infinite prompt's. From half the task variance times
    ``tr(Sigma)`` on a single token is enough. Prompt and query need one covariance.
    """
    (epsilon,) = (float(v) for v in read_arrays(epsilon=(epsilon, "")))
    if not epsilon > 0:
        raise ValueError(f"epsilon = {epsilon} is not positive; no finite prompt reaches the infinite one")
    read_task(task).shared_covariance("the least length")
    excess: Callable[[int], float] = lambda L: trained(task, L).risk - task.noise / 2
    short, L = 1, 2
    if excess(1) <= epsilon:
        return 1
    long = None
    while long is None or long - short > 1:
        found = excess(L)
        short, long = (short, L) if found <= epsilon else (L, long)
        L = math.ceil(L * min(max(found / epsilon, 0.1), 10.0))  # the excess falls like 1/L
        L = max(L, short + 1) if long is None else min(max(L, short + 1), long - 1)
    return long
