"""Everything that was measured for Figures 1 to 8, as one object and as JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from numerics.experiments.boursier_boyer.plan import Plan, RunKey
from numerics.experiments.boursier_boyer.run_arrays import ARCHITECTURES, half
from numerics.training.result import Training

__all__ = ["Gaps", "Measurements"]

Floats = NDArray[np.float64]
FORMAT = 2
GAPS = ("lengths", "output", "output_error", "gradient", "gradient_error")


@dataclass(frozen=True, eq=False)
class Gaps:
    """How far apart softmax and linear attention are at the same random parameters (Figures 1 and
    5).
    """

    lengths: NDArray[np.int64]
    #: E |T_soft - T_lin|^2, and the squared distance of the gradients of the two risks in (O, V, K,
    #: Q), at the start of each seed.
    output: Floats
    #: Standard errors.
    output_error: Floats
    gradient: Floats
    gradient_error: Floats


@dataclass(frozen=True, eq=False)
class Measurements:
    """Everything that the figures show. Every risk is half a mean squared error on noisy labels:
    `noise_level`, half the variance of the label noise, is below them all.
    """

    plan: Plan
    #: Diverged runs end where they diverged. Where a coupled run did, the runs of both
    #: architectures alone are here too.
    runs: Mapping[RunKey, Training]
    #: For the data of Figures 1 and 5, if the plan has them.
    gaps: Mapping[tuple[str, str], Gaps]
    #: Population risk at the last parameters, attention "softmax" or "linear" (a coupled run gives
    #: both); diverged runs have none.
    final: Mapping[tuple[str, str, str, int, int], tuple[float, float]]
    #: Risk at which the exact gradient flow from Assumption 5.1 ends.
    exact: Mapping[tuple[str, str, str, int], float]
    #: Risk of the best estimator from the prompt: ridge regression.
    bayes: Mapping[tuple[str, str, int], tuple[float, float]]
    #: Time by the clock that this call of `measure` took.
    seconds: float
    #: Processor time of all jobs, with those that earlier calls computed; of a job that was
    #: interrupted, that of its last part.
    work_seconds: float
    #: For a run that ended early, the population risks in the later half of its steps.
    spread: Mapping[tuple[str, str, str, int, int], tuple[float, float]] = field(default_factory=dict)

    @property
    def noise_level(self) -> float:
        """Half the variance of the label noise: the least risk."""
        return self.plan.noise / 2

    def run(self, covariance: str, variant: str, attention: str, L: int, seed: int) -> Training:
        """A run; of a coupled one also its softmax or linear half, unless they were trained
        alone.
        """
        key = RunKey(covariance, variant, attention, L, seed)
        coupled = key._replace(attention="coupled")
        if key not in self.runs and coupled in self.runs and attention in ARCHITECTURES:
            return half(self.runs[coupled], attention)
        return self.runs[key]

    def as_json(self) -> dict[str, Any]:
        """The numbers behind the figures as described by ``measurements.schema.json``. Of the
        parameters it has those after the last step; a start follows from its seed. Null stands for
        what is not finite.
        """
        return {
            "format": FORMAT,
            "plan": asdict(self.plan)
            | {"steps": {name: self.plan.steps(name) for name in self.plan.variants}},
            "noise_level": self.noise_level,
            "seconds": self.seconds,
            "work_seconds": self.work_seconds,
            "runs": [key._asdict() | _run_as_json(run) for key, run in self.runs.items()],
            "gaps": [
                {"covariance": c, "variant": v} | {name: _numbers(getattr(gaps, name)) for name in GAPS}
                for (c, v), gaps in self.gaps.items()
            ],
            "final": [
                {"covariance": c, "variant": v, "attention": a, "L": L, "seed": seed}
                | _with_error(*found)
                | {
                    "spread": list(self.spread[c, v, a, L, seed])
                    if (c, v, a, L, seed) in self.spread
                    else None
                }
                for (c, v, a, L, seed), found in self.final.items()
            ],
            "exact": [
                {"covariance": c, "variant": v, "attention": a, "L": L, "risk": _number(value)}
                for (c, v, a, L), value in self.exact.items()
            ],
            "bayes": [
                {"covariance": c, "variant": v, "L": L} | _with_error(*found)
                for (c, v, L), found in self.bayes.items()
            ],
        }


def _run_as_json(run: Training) -> dict[str, Any]:
    """Curves and the last parameters, a list entry for each architecture."""
    coupled = run.attention == "coupled"
    parts = [half(run, attention) for attention in ARCHITECTURES] if coupled else [run]
    return {
        "steps": run.steps,
        "every": run.every,
        "diverged": run.diverged,
        "stopped": run.stopped,
        "step": run.step.tolist(),
        "distance": _numbers(run.distance) if coupled else None,
        "architectures": [
            {
                "attention": part.attention,
                "risk": _numbers(part.risk),
                "risk_error": _numbers(part.risk_error),
                "parameters": {name: _numbers(array) for name, array in zip("OVKQ", part.final)},
            }
            for part in parts
        ],
    }


def _with_error(risk: float, error: float) -> dict[str, float | None]:
    return {"risk": _number(risk), "error": _number(error)}


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _numbers(values: NDArray[Any]) -> Any:
    """Nested lists, null where a number is not finite."""
    if values.ndim > 1:
        return [_numbers(row) for row in values]
    return [value if isinstance(value, int) else _number(value) for value in values.tolist()]
