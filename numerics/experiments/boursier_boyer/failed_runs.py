"""How the measured runs ended. Some have failed: they are finite to the last step, but far above
the risk that the gradient flow from the block start of Assumption 5.1 reaches. Others have settled
there, and ended early.
"""

from __future__ import annotations

from typing import NamedTuple

from numerics.experiments.boursier_boyer.results import Measurements
from numerics.training.result import has_failed
from theory.regression.experiment import VARIANTS

__all__ = ["Failures", "Settled", "failed", "failures", "settled"]


class Failures(NamedTuple):
    """Runs of one architecture on one kind of data."""

    covariance: str
    variant: str
    attention: str
    #: Prompt length: seeds of the runs that failed.
    failed: dict[int, list[int]]
    #: Prompt length: runs that did not diverge.
    runs: dict[int, int]


def failed(
    measurements: Measurements, covariance: str, variant: str, attention: str, L: int, seed: int
) -> bool:
    """Whether a run ended with more than a twentieth of its drop missing: from the risk of
    predicting 0 to the limit of the flow. Where the limit is not known, or the run diverged, it is
    not called so.
    """
    risk = measurements.final.get((covariance, variant, attention, L, seed))
    limit = measurements.exact.get((covariance, variant, attention, L))
    if risk is None or limit is None:
        return False
    drawn = VARIANTS[variant].drawn(measurements.plan.task(covariance))
    return has_failed(risk[0], limit, drawn.null_risk)


def failures(measurements: Measurements) -> list[Failures]:
    """For every kind of data and architecture that was trained: which of the runs failed."""
    found: dict[tuple[str, str, str], Failures] = {}
    for covariance, variant, attention, L, seed in sorted(measurements.final, key=lambda key: key[3:]):
        name = (covariance, variant, attention)
        entry = found.setdefault(name, Failures(*name, {}, {}))
        entry.runs[L] = entry.runs.get(L, 0) + 1
        if failed(measurements, covariance, variant, attention, L, seed):
            entry.failed.setdefault(L, []).append(seed)
    return [
        entry
        for _, entry in sorted(
            found.items(), key=lambda item: (item[0][0] != "isotropic", item[0][1] != "as written")
        )
    ]


class Settled(NamedTuple):
    """How many of the runs of one architecture alone on one kind of data ended early, and after how
    many steps at least and at most.
    """

    covariance: str
    variant: str
    attention: str
    ended: int
    runs: int
    least: int
    most: int


def settled(measurements: Measurements) -> list[Settled]:
    """The runs that ended early, for every kind of data and architecture that was trained alone."""
    found: dict[tuple[str, str, str], list[int | None]] = {}
    for key, run in measurements.runs.items():
        if key.attention != "coupled":
            found.setdefault((key.covariance, key.variant, key.attention), []).append(run.stopped)
    ended = {name: [steps for steps in all_ if steps is not None] for name, all_ in found.items()}
    return [
        Settled(*name, len(ended[name]), len(all_), min(ended[name], default=0), max(ended[name], default=0))
        for name, all_ in found.items()
    ]
