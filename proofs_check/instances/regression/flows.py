"""Starts, times and tasks on which the finite-prompt flow is compared with the infinite-prompt
flow: for Section 4, Appendix E and our transfer theorems.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from numerics.counterexamples.drawn.computed import Computed, Decades, OneOf, Share
from numerics.regression.softmax_vs_linear.few_atoms import Gaps, edge_case_gaps
from numerics.regression.softmax_vs_linear.scalar_constants import Transfer, transfers
from numerics.regression.softmax_vs_linear.scalar_flows import ScalarRegression

Floats = NDArray[np.float64]

#: Starts in units of 1/sqrt(S): a balanced one, near the minimum, on the stable manifold of the
#: saddle, without a query-key part, and two where gradients and risks of the prompts differ most.
STARTS = ((0.5, 0.5), (0.9, 0.9), (0.5, -0.5), (0.0, 1.0), (-0.5, 1.07), (0.85, 1.23))
#: Starts on the diagonal, whose risk falls at a known rate.
BALANCED = (0.8, 0.95)


def up_to(time: float) -> np.ndarray:
    """Times at which two flows are compared: 0, and 24 in geometric progression up to `time`."""
    return np.concatenate([[0.0], np.geomspace(time / 1000, time, 24)])


def rate(S: float, start: float) -> tuple[float, float]:
    """(excess, mu) with R(theta(t)) <= excess e^{-mu t} from phi = (start, start): phi grows, and
    d(1 - phi^2)/dt = -2 S^2 phi^2 (..).
    """
    return S / 2 * (1 - start**2) ** 2, 4 * S**2 * start**2


#: Runge-Kutta steps from a start to a time.
STEPS = 16


def _at(model: ScalarRegression, theta: Floats, times: Floats) -> Floats:
    """Many flows at once, each at its time, by the classical method of Runge and Kutta."""
    h = times / STEPS
    for _ in range(STEPS):
        one = -model.gradient(*theta)
        two = -model.gradient(*(theta + h / 2 * one))
        three = -model.gradient(*(theta + h / 2 * two))
        four = -model.gradient(*(theta + h * three))
        theta = theta + h / 6 * (one + 2 * two + 2 * three + four)
    return theta


def drawn_flows(
    distance: Callable[[Transfer, Floats, Floats], Any],
    bound: Callable[[Transfer, Floats], Any],
    until: Callable[[Transfer], float],
    factor: Fraction,
) -> Computed:
    """The bound of a distance of the two flows at drawn starts and times: the distance from a
    transfer and the parameters of the infinite- and finite-prompt flow at one time, the bound from
    a transfer and the time, times `factor`; `until` gives the last time of a transfer.
    """
    lengths = (1.0, 2.0, 1e2, 1e4, 1e6)
    at_length = lambda L: transfers(lengths)[lengths.index(L)]

    def start(size: Any, angle: Any) -> Floats:
        phi: Floats = size * np.array([np.cos(angle), np.sin(angle)])
        return np.where(np.abs(phi[1] ** 2 - phi[0] ** 2) <= 1, phi, np.nan)

    def sides(L: float, size: Floats, angle: Floats, time: Floats) -> tuple[Any, Any]:
        transfer = at_length(L)
        begin, times = start(size, angle) / np.sqrt(transfer.infinite.S), time * until(transfer)
        known = np.isfinite(begin[0])
        begin = np.where(known, begin, 0.0)
        ends = (_at(model, begin, times) for model in (transfer.infinite, transfer.finite))
        return np.where(known, distance(transfer, *ends), np.nan), float(factor) * bound(transfer, times)

    def again(L: float, size: float, angle: float, time: float) -> float:
        transfer, (one, other) = at_length(L), start(size, angle)
        times = np.array([0.0, time * until(transfer)])[: 2 if time else 1]
        if not time:
            ends = [np.array([one, other]) / np.sqrt(transfer.infinite.S)] * 2
        else:
            ends = [path.theta[:, -1] for path in transfer.paths((float(one), float(other)), times, 1e-12)]
        return float(distance(transfer, *ends))

    def shown(L: float, size: float, angle: float, time: float) -> dict[str, Any]:
        return {"L": L, "start": start(size, angle).round(9), "t": float(time * until(at_length(L)))}

    return Computed(
        "d = 1, S = 1/64, every start of the ball whose flow stays in it, every time up to the last "
        "one; L = 1 to 1e6",
        {
            "L": OneOf(lengths),
            "size": Decades(1e-2, 1.5, 1.4),
            "angle": Share(np.pi / 3, 7 * np.pi / 3),
            "time": Decades(1e-4, 1.0, 1e-3, zero=True),
        },
        sides,
        again,
        steps=(128, -128, 1024, -1024, 3072, -3072),
        rounds=6,
        vector=True,
        each=10,
        where=shown,
    )


def worst_case(left: Callable[[Gaps], Any], right: Callable[[Gaps], Any]) -> tuple[float, str]:
    """The largest ratio of the two sides over `edge_case_gaps`; a right side of 0 asks for a left
    side of 0.
    """
    worst, where = 0.0, ""
    for case in edge_case_gaps():
        small, large = float(left(case.gaps)), float(right(case.gaps))
        ratio = small / large if large > 0 else (0.0 if small < 1e-12 * (1 + case.gaps.risk) else np.inf)
        if ratio > worst:
            worst, where = ratio, case.name
    return worst, where
