"""All plots of a report, drawn once for the page and for the files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from numerics.attention.setting import QUANTITIES, Quantity
from numerics.rates.result import Rates
from proofs_check.reports.pages.svg import Plot
from proofs_check.reports.pages.text import slug
from proofs_check.reports.rates.report.names import run_names
from proofs_check.reports.rates.report.overlays import overlay_plot, phase_plot
from proofs_check.reports.rates.report.plots import error_plot, far_plot, slope_plot

__all__ = ["Drawing", "RunDrawing", "draw"]


class RunDrawing(NamedTuple):
    """The plots of one run."""

    errors: Mapping[Quantity, Plot]
    slopes: Mapping[Quantity, Plot]
    far: Plot | None


class Drawing(NamedTuple):
    """The plots of a report; overlays only where there are several runs."""

    phase: Mapping[Quantity, Plot]
    overlays: Mapping[Quantity, Plot]
    runs: Sequence[RunDrawing]

    def all(self) -> Iterator[Plot]:
        """Every plot, in the order of the page."""
        yield from self.overlays.values()
        yield from self.phase.values()
        for run in self.runs:
            yield from (plot for pair in zip(run.errors.values(), run.slopes.values()) for plot in pair)
            if run.far is not None:
                yield run.far


def draw(runs: Sequence[Rates]) -> Drawing:
    """Draw all plots of at least one run, each under a name of its own."""
    shown = [q for q in QUANTITIES if any(series.quantity == q for run in runs for series in run.series)]
    return Drawing(
        phase={quantity: phase_plot(runs, quantity) for quantity in shown},
        overlays={quantity: overlay_plot(runs, quantity) for quantity in shown} if len(runs) > 1 else {},
        runs=[_run(run, prefix) for run, prefix in zip(runs, prefixes(runs))],
    )


def prefixes(runs: Sequence[Rates]) -> list[str]:
    """A prefix for the names of the plots of each run, with its number where the names of runs
    differ by signs only.
    """
    found: list[str] = []
    for i, name in enumerate(run_names(runs)):
        prefix = slug(name)
        found.append(
            prefix if prefix not in found and prefix not in ("phase", "overlay") else f"{prefix}-{i + 1}"
        )
    return found


def _run(run: Rates, prefix: str) -> RunDrawing:
    return RunDrawing(
        errors={series.quantity: error_plot(run, series, prefix) for series in run.series},
        slopes={series.quantity: slope_plot(run, series, prefix) for series in run.series},
        far=None if run.far is None else far_plot(run.far, prefix),
    )
