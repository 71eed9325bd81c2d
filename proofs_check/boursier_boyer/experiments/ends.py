"""How a training run ended, as the claims about the figures of Boursier & Boyer need it: at the
limit of the gradient flow, stuck far above it, or still on its way. The answers come from risks
with standard errors and are wrong with probability at most 1e-9.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from numerics.evidence import Evidence, Verdict
from numerics.experiments.boursier_boyer.results import Measurements
from numerics.training.result import Training, has_failed
from theory.regression.experiment import VARIANTS

__all__ = ["Failures", "Pace", "failed_runs", "failures", "pace", "refuted_by_runs", "shortened", "sure"]

#: For data, reading, length and start: whether each architecture has failed.
Failures = dict[tuple[str, str, int, int], dict[str, bool]]
#: Part of what is missing that a run gains in a tenth of its steps if it is still on its way: two
#: more such runs, and it is there.
PROGRESS_SHARE = 1 / 20
#: Degrees of freedom in the error of a risk at the end: the first of 16 randomisations chooses the
#: controls, and the other 15 are averaged.
DEGREES_OF_FREEDOM = 14


class Pace(NamedTuple):
    """What the last two tenths of a run show of its risk; both are False if they show nothing."""

    #: The mean risk fell by more than errors and `PROGRESS_SHARE` of what is missing allow.
    falls: bool
    #: It fell by less than that, whatever the errors.
    stands: bool


def pace(run: Training, limit: float, sigmas: float) -> Pace:
    """Whether a run was still falling at its end, from its recorded risks and their errors."""
    tenth = len(run.risk) // 10
    if not tenth or not np.isfinite(run.risk_error[-2 * tenth :]).all():
        return Pace(falls=False, stands=False)
    before, last = run.risk[-2 * tenth : -tenth].mean(), run.risk[-tenth:].mean()
    fall, error = float(before - last), sigmas * float(np.linalg.norm(run.risk_error[-2 * tenth :])) / tenth
    share = PROGRESS_SHARE * max(float(last) - limit, 0.0)
    return Pace(falls=fall > max(error, share), stands=fall + error < share)


def sure(comparisons: int, error: float = 1e-9) -> tuple[float, float]:
    """The standard errors, of a risk at the end (Student) and of recorded risks (normal), that are
    needed for so many comparisons of either kind.

    >>> final, recorded = sure(100)
    >>> final > recorded > 6.5
    True
    """
    from scipy.stats import norm, t

    each = error / (2 * max(comparisons, 1))
    return float(t.isf(each, DEGREES_OF_FREEDOM)), float(norm.isf(each))


def failed_runs(measured: Measurements) -> dict[tuple[str, str, str, int, int], bool | None]:
    """Whether each run has failed, which means that it stands still far above the limit of the
    flow; None if it may arrive, or errors hide it. All answers together are wrong with probability
    at most 1e-9.
    """
    final, recorded = sure(len(measured.final))
    found: dict[tuple[str, str, str, int, int], bool | None] = {}
    for key, (risk, error) in measured.final.items():
        limit = measured.exact[key[:4]]
        null = measured.plan.task(key[0]).null_risk  # the traces of all covariances here are d
        above = [has_failed(risk + side * final * error, limit, null) for side in (-1, 1)]
        stuck = above[0] and pace(measured.run(*key), limit, recorded).stands
        found[key] = True if stuck else None if any(above) else False
    return found


def failures(measured: Measurements) -> Failures:
    """Whether each architecture has failed, where both are decided."""
    found: Failures = {}
    for (covariance, reading, attention, L, seed), outcome in failed_runs(measured).items():
        if outcome is not None:
            found.setdefault((covariance, reading, L, seed), {})[attention] = outcome
    return {key: pair for key, pair in found.items() if len(pair) == 2}


def shortened(measured: Measurements) -> list[str]:
    """The readings whose runs are too short; what has not arrived there refutes nothing."""
    return [name for name in measured.plan.variants if measured.plan.steps(name) < VARIANTS[name].steps]


def refuted_by_runs(witness: Mapping[str, Any], engine: str = "Monte Carlo", **fields: Any) -> Evidence:
    """The runs refute it, wrongly with probability at most 1e-9."""
    fields |= {"witness": witness, "witness_by": "statistics", "error": 1e-9}
    return Evidence(verdict=Verdict.REFUTED, engine=engine, **fields)
