"""How much each bound gives away: the ratio of bound to truth at the shortest prompt, at the
longest, and where the bound is tightest.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from numerics.rates.result import Rates
from numerics.rates.series import Series

__all__ = ["Slack", "slacks"]


class Slack(NamedTuple):
    """Ratios of one bound to the truth."""

    quantity: str
    bound: str
    #: What stands for the truth.
    against: str
    #: Length and ratio at the first and last length where the bound speaks, and at the one where it
    #: is tightest.
    shortest: tuple[float, float]
    tightest: tuple[float, float]
    longest: tuple[float, float]


def slacks(run: Rates) -> list[Slack]:
    """One entry for every upper bound that speaks somewhere."""
    return [found for series in run.series for found in _of(series, run)]


def _of(series: Series, run: Rates) -> list[Slack]:
    """The slack of every upper bound on one quantity."""
    truth = series.mean if series.exact is None else series.exact
    against = "measured" if series.exact is None else "exact"
    out = []
    for bound in series.bounds:
        speaks = np.flatnonzero(np.isfinite(bound.values) & (truth > 0))
        if bound.kind != "upper bound" or not speaks.size:
            continue
        ratio = bound.values[speaks] / truth[speaks]
        pairs = list(zip(run.lengths[speaks].tolist(), ratio.tolist()))
        out.append(
            Slack(series.quantity, bound.name, against, pairs[0], pairs[int(np.argmin(ratio))], pairs[-1])
        )
    return out
