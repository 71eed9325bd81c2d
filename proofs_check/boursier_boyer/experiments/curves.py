"""Figures 7 and 8 of Boursier & Boyer: how regular the curves of distance and risk over the
training steps are on anisotropic data. Full training runs measure it; the reduced runs are too
short, so that the claims are declared open there.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from numerics.evidence import Evidence
from numerics.experiments.boursier_boyer.plan import RunKey
from numerics.experiments.boursier_boyer.results import Measurements
from proofs_check.boursier_boyer.experiments.ends import failures, refuted_by_runs
from proofs_check.boursier_boyer.experiments.training import AS_WRITTEN, ENGINE
from proofs_check.core.claim import claim
from proofs_check.core.experiments import measurements
from proofs_check.instances.outcomes import supported, undecided
from theory.regression.experiment import VARIANTS


def backtracking(distance: Any) -> float:
    """The sum of all falls of a curve over its largest value, 0 if it only rises."""
    falls = -np.diff(np.asarray(distance, dtype=float))
    return float(falls[falls > 0].sum() / np.max(distance))


def spread(step: Any, risk: Any) -> float:
    """The decades of steps between the first tenth and the last tenth of the drop of a curve."""
    r = np.asarray(risk, dtype=float)
    gone = (r[0] - r) / (r[0] - r[-max(1, len(r) // 20) :].mean())
    first, last = (np.asarray(step)[np.argmax(gone >= part)] for part in (0.1, 0.9))
    return float(np.log10(last / first))


def _whole(runs: Measurements, lengths: tuple[int, ...]) -> str:
    """Why the runs are too few for Figures 7 and 8, or nothing if they are enough."""
    if runs.plan.steps(AS_WRITTEN) < VARIANTS[AS_WRITTEN].steps or not set(lengths) <= set(
        runs.plan.curve_lengths
    ):
        return (
            f"needs L = {lengths} and {VARIANTS[AS_WRITTEN].steps} steps; largeprompt figures "
            "--paper BB makes these runs"
        )
    seed = runs.plan.first_seed
    missing = [L for L in lengths if RunKey("anisotropic", AS_WRITTEN, "coupled", L, seed) not in runs.runs]
    return f"no anisotropic run from seed {seed} at L = {missing}" if missing else ""


OPEN_REASON = (
    "the reduced runs are too short and have no L = 1000; largeprompt figures --paper BB judges it on the "
    "full ones"
)


@claim("BB:A.fig7", open=OPEN_REASON, control={"swapped": True})
def distances_are_more_erratic(
    *, longest: int = 1000, swapped: bool = False, measured: Measurements | None = None
) -> Evidence:
    """On anisotropic data, as written and from one seed, the curve of the distance falls by at
    least a tenth of its largest value on its way at $L=10$ or $L=100$, and by less at $L=1000$ than
    at each of them.

    The measure is the sum of all falls between records over the largest value. The control says the
    contrary.
    """
    runs = measurements(measured)
    lengths = (10, 100, longest)
    if reason := _whole(runs, lengths):
        return undecided(ENGINE, reason)
    seed = runs.plan.first_seed
    found = {
        L: backtracking(runs.runs[RunKey("anisotropic", AS_WRITTEN, "coupled", L, seed)].distance)
        for L in lengths
    }
    holds = max(found[10], found[100]) >= 0.1 and found[longest] < min(found[10], found[100])
    failing = [
        L for L in lengths if any(failures(runs).get(("anisotropic", AS_WRITTEN, L, seed), {}).values())
    ]
    says = f"seed {seed}, backtracking " + ", ".join(f"{value:.3g} at L = {L}" for L, value in found.items())
    return _one_run_each(
        holds,
        swapped,
        f"{says}; a run fails at L = {failing or 'none'}",
        {f"L = {L}": x for L, x in found.items()},
    )


@claim("BB:A.fig8", open=OPEN_REASON, control={"swapped": True})
def risks_are_more_irregular(
    *, longest: int = 1000, swapped: bool = False, measured: Measurements | None = None
) -> Evidence:
    """As written, at $L=10,100,1000$, for each architecture and each start from which no run fails,
    the drop of the risk takes more decades of steps on anisotropic than on isotropic data.

    The measure is taken between the first and the last tenth of the drop: one descent takes a part
    of a decade, a descent in stages takes more. The control says the contrary.
    """
    runs = measurements(measured)
    lengths = (10, 100, longest)
    if reason := _whole(runs, lengths):
        return undecided(ENGINE, reason)
    says, found, outcome = [], dict[str, float](), failures(runs)
    for L, seed in ((L, seed) for L in lengths for seed in runs.plan.all_seeds):
        keys = [RunKey(data, AS_WRITTEN, "coupled", L, seed) for data in ("isotropic", "anisotropic")]
        ends = [outcome.get((key.covariance, key.variant, key.L, key.seed), {"": True}) for key in keys]
        if any(key not in runs.runs for key in keys) or any(any(end.values()) for end in ends):
            continue
        for half, attention in enumerate(("softmax", "linear")):
            plain, other = (spread(runs.runs[key].step, runs.runs[key].risk[:, half]) for key in keys)
            says.append(f"{attention} L = {L} seed {seed}: {other:.2f} against {plain:.2f}")
            found[f"{attention}, L = {L}, seed = {seed}"] = other - plain
    missing = [L for L in lengths if not any(f"L = {L}," in name for name in found)]
    if missing:
        return undecided(ENGINE, f"from every start at L = {missing} a run fails, or is undecided")
    return _one_run_each(min(found.values()) > 0, swapped, f"decades of steps: {'; '.join(says)}", found)


def _one_run_each(holds: bool, swapped: bool, says: str, found: dict[str, float]) -> Evidence:
    """One run of each kind refutes only if the opposite of the sentence is shown."""
    if holds and swapped:
        return refuted_by_runs(found)
    if holds:
        return supported(ENGINE, says)
    return undecided(ENGINE, f"not as stated, or not for each: {says}; no law of the runs is known")
