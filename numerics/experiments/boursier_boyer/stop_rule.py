"""When a run of one architecture ends early: its population risk, which Figures 2 and 6 draw, is at
the exact limit of the gradient flow and has ceased to fall, so that further steps would only add
more of the same fluctuation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from numerics.training.parameters import Parameters
from numerics.training.result import Training

__all__ = [
    "BAND",
    "FALL",
    "LEAST_LOOKS",
    "LOOKS",
    "POINTS",
    "Watch",
    "has_settled",
    "records_a_look",
    "spread",
]

#: A run is looked at so many times on its way to its last step, and not judged before a few looks
#: are behind it: each mean is then one of two risks at least.
LOOKS, LEAST_LOOKS = 50, 8
#: Of the exact limit: the most by which the mean risks of the third and of the last quarter of the
#: steps may differ from it, and the most by which the risk may still fall from one to the other.
#: The band has room for the excess of SGD with this rate and batch, at most 0.01 in the runs of the
#: paper. A risk that approaches its limit exponentially from where training begins has by then less
#: than the fall left to go; a slower part of the approach that stays unseen is within the band.
BAND, FALL = 0.02, 0.001
#: Sobol' points of a randomisation at a look: the standard error is 1e-4 of the risk, and at most
#: 2e-3, on data whose risk fluctuates by as much; all looks share the points.
POINTS = 2**8
#: Where the mean risk of the last steps exceeds this multiple of the limit, the run is far away,
#: and perhaps on its way to infinity: its population risk is not computed.
FAR = 2.0


def records_a_look(records: int) -> int:
    """Records from one look to the next, of a run that makes so many.

    >>> records_a_look(200), records_a_look(12)
    (4, 1)
    """
    return max(1, records // LOOKS)


def has_settled(excess: Sequence[float]) -> bool:
    """Whether the risk of a run is at its limit and falls no more, judged by its looks so far,
    which are equally many steps apart: the risk less the limit, over the limit, infinite where it
    is far away.
    """
    quarter = len(excess) // 4
    if len(excess) < LEAST_LOOKS:
        return False
    before, last = float(np.mean(excess[-2 * quarter : -quarter])), float(np.mean(excess[-quarter:]))
    return abs(before) <= BAND and abs(last) <= BAND and before - last <= FALL


class Watch:
    """Looks, `every` so many records, at the population risk of a run of one architecture against
    the limit of its gradient flow, and tells when it may end, one look after it has settled: a
    function of the records alone.
    """

    # What has decided is then not what is drawn: a look apart the fluctuations of the risk are
    # uncorrelated in the runs of the paper (at most 0.1).

    def __init__(self, risk: Callable[[Parameters], float], limit: float, every: int) -> None:
        self._risk, self._limit, self._every = risk, limit, every
        self._seen: list[float] = []

    def __call__(self, training: Training) -> bool:
        """Whether the run may end at its last record."""
        records = len(training.step)
        return records % self._every == 0 and has_settled(self._looks(training, records - self._every))

    def _looks(self, training: Training, records: int) -> list[float]:
        """The excess at every look up to so many records; a run that goes on from its checkpoint
        takes the first ones again.
        """
        for record in range(self._every * (len(self._seen) + 1), records + 1, self._every):
            self._seen.append(self._excess(training, record - 1))
        return self._seen

    def _excess(self, training: Training, record: int) -> float:
        if not training.risk[record] <= FAR * self._limit:
            return float("inf")
        return self._risk(training.parameters.at(record)) / self._limit - 1


def spread(training: Training, risk: Callable[[Parameters], float], every: int) -> tuple[float, float]:
    """The least and the greatest population risk at the looks, `every` so many records, in the
    later half of a run.
    """
    looks = len(training.step) // every
    records = [every * look - 1 for look in range(looks - 2 * (looks // 4) + 1, looks + 1)]
    risks = [risk(training.parameters.at(record)) for record in records]
    return min(risks), max(risks)
