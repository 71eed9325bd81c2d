"""Starts, times and tasks on which the finite-prompt flow is compared with the infinite-prompt
flow: for Section 4, Appendix E and our transfer theorems.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from numerics.regression.softmax_vs_linear.few_atoms import Gaps, hostile_gaps

#: Starts in units of 1/sqrt(S): a balanced one, near the minimum, on the stable manifold of the
#: saddle, and without a query-key part.
STARTS = ((0.5, 0.5), (0.9, 0.9), (0.5, -0.5), (0.0, 1.0))
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


def worst_case(left: Callable[[Gaps], Any], right: Callable[[Gaps], Any]) -> tuple[float, str]:
    """The largest ratio of the two sides over `hostile_gaps`; a right side of 0 asks for a left
    side of 0.
    """
    worst, where = 0.0, ""
    for case in hostile_gaps():
        small, large = float(left(case.gaps)), float(right(case.gaps))
        ratio = small / large if large > 0 else (0.0 if small < 1e-12 * (1 + case.gaps.risk) else np.inf)
        if ratio > worst:
            worst, where = ratio, case.name
    return worst, where
