"""The result of a rate experiment: what was measured, what theory says, and every comparison of the
two, as data that the command line and the report show.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from numerics.attention.distance.answer import HowLinear
from numerics.attention.distance.how_linear import how_linear
from numerics.attention.setting import AttentionSetting
from numerics.rates.far_curves import FarSlopes
from numerics.rates.series import NAMES, Series
from theory.shown.colours import COLOURS
from theory.shown.result import FEW, Drawn

__all__ = ["Comparison", "Rates"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Comparison:
    """One statement that a run has to satisfy, with its outcome."""

    #: What is compared with what.
    name: str
    holds: bool
    #: The verdict with its numbers, for people.
    says: str
    #: It holds if ``value <= limit``.
    value: float
    limit: float
    #: Nominal probability of a failure by accident, see `numerics.rates.comparisons.ERROR`; 0 for
    #: deterministic comparisons.
    error: float
    #: The name of the curve that it is compared with; empty against exact values.
    law: str = ""


@dataclass(frozen=True, eq=False, repr=False)
class Rates(Drawn):
    """The result of a run: what was asked, what was measured, and what was compared with what."""

    setting: AttentionSetting
    #: Shape (n,).
    lengths: Floats
    #: Prompts drawn per length.
    replicates: int
    seed: int
    series: tuple[Series, ...]
    #: How it was measured, see `numerics.attention.sampled.estimate.AttentionErrors`.
    method: str
    #: None where there is no exact curve.
    far: FarSlopes | None
    #: The exponents that laws with and without powers of ln L read off the exact output error at L
    #: = 1e20 to 1e100; empty where theory has no such power.
    far_models: tuple[tuple[str, float], ...]
    #: Failures first.
    comparisons: tuple[Comparison, ...]
    #: What a reader has to know before reading an exponent off the plots.
    warnings: tuple[str, ...]

    @cached_property
    def answer(self) -> HowLinear:
        """How close attention on the longest measured prompt is to linear attention; what was
        measured stands in where nothing is exact.
        """
        output = self.series[0]
        return how_linear(
            self.setting, self.lengths[-1:], measured=(output.mean[-1:], output.error[-1:], self.replicates)
        )

    @property
    def holds(self) -> bool:
        """Whether every comparison holds."""
        return all(c.holds for c in self.comparisons)

    def heading(self) -> str:
        kept = sum(c.holds for c in self.comparisons)
        L = self.lengths
        return (
            f"Rates of {self.setting.name}: {len(L)} lengths from {L[0]:g} to {L[-1]:g}, {self.replicates} "
            f"prompts at each, seed {self.seed}; {kept} of {len(self.comparisons)} "
            "comparisons with theory hold"
        )

    def table(self) -> list[list[str]]:
        head = [
            "mean squared error",
            f"at L = {self.lengths[-1]:g}",
            "exact",
            "exponent fitted",
            "exponent of theory",
        ]
        lines = []
        for s in self.series:
            fitted = (
                "-"
                if s.fit is None
                else (
                    f"{s.fit.exponent:.3f} ± "
                    f"{s.fit.standard_error:.1g}{'' if s.trusted else ' (not trusted)'}"
                )
            )
            exact, sharp = (
                "-" if x is None else f"{x:.4g}" for x in (None if s.exact is None else s.exact[-1], s.sharp)
            )
            lines.append(
                [NAMES[s.quantity], f"{s.mean[-1]:.4g} ± {s.standard_error[-1]:.1g}", exact, fitted, sharp]
            )
        return [head, *lines]

    def rows(self) -> list[tuple[str, str]]:
        failed = [("fails", f"{c.name}: {c.says}") for c in self.comparisons if not c.holds]
        more = len(self.warnings) - FEW
        warned = [("warning", text) for text in self.warnings[:FEW]]
        return [
            *failed,
            *warned,
            *([("warning", f"and {more} more, in the attribute warnings")] if more > 0 else []),
        ]

    def _draw(self, ax: Any) -> None:
        colours = {"output": "exact", "grad_V": "theorem", "grad_U": "gradient"}
        for s in self.series:
            name, colour = NAMES[s.quantity], COLOURS[colours[s.quantity]]
            ax.errorbar(
                self.lengths,
                s.mean,
                s.standard_error,
                fmt="o",
                markersize=3,
                color=colour,
                label=f"{name}, measured",
            )
            if s.exact is not None:
                ax.plot(self.lengths, s.exact, color=colour, linewidth=1.4, label=f"{name}, exact")
        ax.set(
            xscale="log",
            yscale="log",
            xlabel="prompt length L",
            ylabel="mean squared error, ± standard error",
        )
