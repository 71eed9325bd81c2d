"""The gradient flow of the in-context risk at a finite prompt length (our R6), of softmax or linear
attention, in (U11, u) or in the factors that stochastic gradient descent moves.
"""

# On the block manifold the population gradient in every other entry of (O, V, K, Q) is an odd
# moment of the task and vanishes, so that the flow stays there: these are the deterministic curves
# that SGD from such a start follows as its learning rate goes to 0.

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from numerics.regression.flow.coordinates import Factors, read_coordinates
from numerics.regression.flow.integrator import check_positive, check_start, follow
from numerics.regression.risk.block_manifold import RiskField
from theory.inputs.arrays import read_arrays
from theory.regression.task import RegressionTask

__all__ = ["TrainingFlow", "training_flow"]

Floats = NDArray[np.float64]
#: Speed relative to that of the fastest mode, times rtol, below which the flow counts as standing
#: still.
STANDSTILL = 1e-3
#: Times of the fastest mode after which the integration ends if nothing else is said.
LAST_TIME = 1e8


@dataclass(frozen=True, eq=False)
class TrainingFlow:
    """A trajectory."""

    #: Times; SGD with step lr on ``factor`` times the risk is at ``lr * factor * step``.
    t: Floats
    #: The query-key block.
    U: Floats
    #: The value scalar.
    u: Floats
    #: Half the mean squared error, noise of the query's own label included.
    risk: Floats
    #: Norm of the gradient at the end, in what the flow moves.
    speed: float
    #: Whether the flow stood still at the end, to 1e-3 rtol. At prompts of 1e10 tokens or more the
    #: creep along the valley (see `numerics.regression.flow.end_point`) is as slow, or not over
    #: when the integration ends.
    converged: bool
    #: With a leading axis of k, if the start was given in factors.
    factors: Factors | None = None


def _times(times: ArrayLike | None, t_max: float | None) -> Floats | None:
    """The times to report, increasing from 0 or later; None for the integrator's own steps."""
    if times is not None and t_max is not None:
        raise ValueError("both times and t_max are given; the last of the times is the end")
    if t_max is not None:
        check_positive(t_max=t_max)
    if times is None:
        return None
    (t,) = read_arrays(times=(times, "k"))
    if t[0] < 0 or (np.diff(t) <= 0).any():
        raise ValueError(
            f"times = {times!r:.100} do not increase from 0 or later; sort them and drop what occurs twice"
        )
    return t


@np.errstate(over="ignore", invalid="ignore")  # the start is checked, and trial steps may leave the floats
def training_flow(
    start: tuple[Any, float] | Factors,
    task: RegressionTask,
    prompt_length: float | None,
    *,
    attention: str = "softmax",
    times: ArrayLike | None = None,
    t_max: float | None = None,
    score_scale: float = 1.0,
    rtol: float = 1e-8,
) -> TrainingFlow:
    """Follow the gradient flow of `exact_risk`: at the given times, or until it stands still, at
    the latest until t_max (by default far beyond the slowest mode). A pair (U11, u) moves as in
    Assumption 5.1; `Factors` move as SGD moves (O, V, K, Q), with ``U11 = score_scale K'Q``.
    """
    field = RiskField(task, prompt_length, attention=attention)
    moving, scale, tolerance = (
        read_coordinates(start, field.S, field.S_q, score_scale),
        field.rate,
        _tolerance(rtol),
    )
    wanted = _times(times, t_max)
    if not scale > 0:
        raise ValueError("Sigma is the zero matrix: the flow stands still; pass a Sigma != 0")

    risks: dict[bytes, float] = {}  # of every state that was asked for: most of them are reported

    def gradient(y: Floats) -> Floats:
        U, u = moving.point(y)
        risks[y.tobytes()], to_U, to_u = field(U, u)
        return moving.pull_back(y, to_U, to_u)

    def still(y: Floats) -> float:
        return float(np.linalg.norm(gradient(y))) / scale - STANDSTILL * tolerance * float(np.linalg.norm(y))

    check_start(scale, gradient(moving.start), 1 / scale)
    end = float(wanted[-1]) * scale if wanted is not None else LAST_TIME if t_max is None else t_max * scale
    if end == 0 or (wanted is None and still(moving.start) <= 0):
        t, y = np.zeros(1), moving.start[None, :]
    else:
        # Time runs in units of the fastest mode, so that no covariance is too small or too large.
        t, y, _ = follow(
            lambda y: -gradient(y) / scale,
            still,
            moving.start,
            end,
            rtol=tolerance,
            size=float(np.abs(moving.start).max()),
            times=None if wanted is None else np.minimum(wanted * scale, end),
            unit=1 / scale,
        )
    points = [moving.point(state) for state in y]
    return TrainingFlow(
        t=t / scale if wanted is None else wanted,
        U=np.array([U for U, _ in points]),
        u=np.array([u for _, u in points]),
        risk=np.array(
            [
                risks[key] if (key := state.tobytes()) in risks else field(*at).risk
                for state, at in zip(y, points)
            ]
        ),
        speed=float(np.linalg.norm(gradient(y[-1]))),
        converged=still(y[-1])
        <= STANDSTILL * tolerance * float(np.linalg.norm(y[-1])),  # the event is found to twice that
        factors=None if moving.factors is None else moving.factors(y),
    )


def _tolerance(rtol: float) -> float:
    """A relative tolerance that floats can meet."""
    (value,) = read_arrays(rtol=(rtol, ""))
    if not 1e-13 <= value < 1:
        raise ValueError(f"rtol = {rtol} is not between 1e-13 and 1; floats have no more digits")
    return float(value)
