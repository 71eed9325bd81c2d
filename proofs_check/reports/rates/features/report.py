"""The report of times: one page, its data for programs, its table and its plots."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from proofs_check.reports.pages.formats import FORMATS
from proofs_check.reports.rates.features.exponents import Fit, fits
from proofs_check.reports.rates.features.laws import our_lines
from proofs_check.reports.rates.features.plots import draw
from proofs_check.reports.rates.features.printed import SHOWN, printed_lines
from proofs_check.reports.rates.features.times import Table, Time, time_table
from proofs_check.reports.rates.lines.line import Line
from proofs_check.reports.rates.lines.page import as_csv, number, write_page

__all__ = ["TimesReport", "cannot_show", "measure", "write"]


@dataclass(frozen=True)
class TimesReport:
    """What was computed."""

    table: Table
    fits: list[Fit]
    #: Those of the printed laws first, and then of ours.
    lines: list[Line]

    @property
    def holds(self) -> bool:
        """Whether every line comes out as the ledger declares it."""
        return all(line.holds for line in self.lines)


def measure(
    classes: Sequence[int], seed: int, advance: Callable[[int, int], None] = lambda done, total: None
) -> TimesReport:
    """Compute the table of times for even numbers of classes, from 4 on, fit its exponents, and
    judge every law. The seed is that of the random features; `advance` is told how far the table
    is.
    """
    table = time_table(classes, seed, advance)
    return TimesReport(table, fits(table), [*printed_lines(), *our_lines(table.features, seed)])


def cannot_show(report: TimesReport) -> list[str]:
    """What no fit at these sizes shows, in sentences."""
    *near, far = [fit for fit in report.fits if fit.features == "orthonormal"]
    return [
        "That a ratio grows without bound is no matter of a table: the refutations in the ledger prove it "
        "for every constant, and this page shows only that up to K = 2^40 nothing speaks against them.",
        *(
            f"Between K = {fit.window[0]} and {fit.window[1]} the exponent of orthonormal features reads "
            f"{fit.fit.value:.3f}, with local slopes from {fit.fit.low:.3f} to {fit.fit.high:.3f}: beside "
            f"the term 3K ln K the exponent 2 shows only later ({far.fit.value:.4f} from K = 2^12 to 2^40)."
            for fit in near
        ),
        "The cube's factor 1/log K cannot be told from a smaller power of K at K = 1024; nor can a product "
        "of four or five polygons from one of three.",
        "Random features are one draw for each K up to 32, so that no exponent of K is claimed for them.",
        "The exact times are those of the gradient flow. A step of gradient descent follows it where eta is "
        "small, as in the hypotheses; a time below about one step is a number of the flow only.",
        "Prompts are population prompts except where N is named. There a loss below the floor is never "
        "reached, and its time is empty in the table.",
    ]


def write(
    report: TimesReport, out: Path, source: dict[str, Any], formats: Sequence[str] = FORMATS[:1]
) -> Path:
    """Write ``report.html``, ``report.json``, ``data.csv`` and ``plots/*.svg`` into a folder; an
    earlier report there stays whole until the new one is complete.
    """
    table, pictures = report.table, draw(report.table)
    data = {
        "fits": [fit._asdict() | {"fit": fit.fit._asdict()} for fit in report.fits],
        "times": [row._asdict() | {"steps": number(row.steps)} for row in table.rows],
    }
    shown = {"report": report, "shown": list(SHOWN.values()), "variable": "K", "by": "exact times"}
    rows = as_csv(Time._fields, table.rows)
    return write_page(
        __package__,
        out,
        "LDL",
        report.lines,
        cannot_show(report),
        pictures,
        data,
        rows,
        source,
        formats,
        **shown,
    )
