"""The one rule by which a run of training has failed: it is finite to its last step, and its risk
is far above the one that the gradient flow from the block start of Assumption 5.1 reaches.
"""

from __future__ import annotations

from typing import NamedTuple

from numerics.figures.results import Measurements

__all__ = ["Failures", "failed", "failures", "has_failed"]

#: A run has failed if more than this part of the drop of its risk is missing at the end. The risk
#: at the critical point off the block manifold falls with the length: at L = 1000 linear attention
#: misses there 0.08 of its drop.
MISSING_PART = 0.05


class Failures(NamedTuple):
    """Runs of one architecture on one kind of data.

    Attributes
    ----------
    covariance, variant, attention : str
    failed : dict of int to list of int
        Prompt length: seeds of the runs that failed.
    runs : dict of int to int
        Prompt length: runs that did not diverge.
    """

    covariance: str
    variant: str
    attention: str
    failed: dict[int, list[int]]
    runs: dict[int, int]


def has_failed(risk: float, limit: float, noise_level: float) -> bool:
    """Whether more than a twentieth of the drop from the risk of predicting 0 to the limit of the
    flow is missing.

    Parameters
    ----------
    risk : float
        At the end of the run.
    limit : float
        The risk at which the exact gradient flow from the block start ends.
    noise_level : float
        Half the variance of the label noise. Above it the risk of predicting 0 is 1/2, for tasks of
        variance 1/d and queries whose covariance has the trace d, as all those of the paper.

    Examples
    --------
    >>> has_failed(0.2, limit=0.1, noise_level=0.05), has_failed(0.12, limit=0.1, noise_level=0.05)
    (True, False)
    """
    return risk - limit > MISSING_PART * (noise_level + 1 / 2 - limit)


def failed(measurements: Measurements, covariance: str, variant: str, attention: str, L: int, seed: int) -> bool:
    """Whether a measured run has failed; a run that diverged, or whose limit is not known, is not
    called so.
    """
    risk = measurements.final.get((covariance, variant, attention, L, seed))
    limit = measurements.exact.get((covariance, variant, attention, L))
    return risk is not None and limit is not None and has_failed(risk[0], limit, measurements.noise_level)


def failures(measurements: Measurements) -> list[Failures]:
    """For every kind of data and architecture that was trained: which of the runs failed."""
    found: dict[tuple[str, str, str], Failures] = {}
    for covariance, variant, attention, L, seed in sorted(measurements.final, key=lambda key: key[3:]):
        name = (covariance, variant, attention)
        entry = found.setdefault(name, Failures(*name, {}, {}))
        entry.runs[L] = entry.runs.get(L, 0) + 1
        if failed(measurements, covariance, variant, attention, L, seed):
            entry.failed.setdefault(L, []).append(seed)
    return [entry for _, entry in sorted(found.items(), key=lambda item: (item[0][0] != "isotropic", item[0][1] != "as written"))]
