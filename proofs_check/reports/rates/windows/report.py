"""The report of windows: one page, its data for programs, its table and its plots."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from proofs_check.reports.pages.formats import FORMATS
from proofs_check.reports.rates.lines.line import Line
from proofs_check.reports.rates.lines.page import as_csv, number, write_page
from proofs_check.reports.rates.windows.best_window import which_window
from proofs_check.reports.rates.windows.exponents import Fit, fits
from proofs_check.reports.rates.windows.laws import our_lines
from proofs_check.reports.rates.windows.monte_carlo import Drawn, drawn_losses
from proofs_check.reports.rates.windows.plots import draw
from proofs_check.reports.rates.windows.printed import SHOWN, printed_lines
from proofs_check.reports.rates.windows.widths import DIMENSIONS, Table, Width, width_table
from theory.attention.window.classes import TaskClass

__all__ = ["WindowsReport", "cannot_show", "measure", "write"]


@dataclass(frozen=True)
class WindowsReport:
    """What was computed."""

    table: Table
    fits: list[Fit]
    drawn: list[Drawn]
    #: Those of the printed laws first, and then of ours.
    lines: list[Line]
    #: The name of the user's class.
    own: str | None = None

    @property
    def holds(self) -> bool:
        """Whether every line comes out as the ledger declares it."""
        return all(line.holds for line in self.lines)


def measure(
    dimensions: Sequence[int],
    seed: int,
    own: TaskClass | None = None,
    advance: Callable[[int, int], None] = lambda done, total: None,
) -> WindowsReport:
    """Compute the table of widths, fit its exponents, draw losses, and judge every law; `own` is
    the user's class. The lines speak of d = 2 ... 8, whatever the dimensions of the table are.
    """
    table, drawn = width_table(dimensions, own, advance), drawn_losses(seed)
    lines = [*printed_lines(), *our_lines(table, drawn, seed)]
    return WindowsReport(table, fits(table), drawn, lines, own.name if own else None)


def cannot_show(report: WindowsReport) -> list[str]:
    """What no fit at these sizes shows, in sentences."""
    relu = [fit for fit in report.fits if fit.tasks == "ReLU"]
    said = [
        "That a ratio grows without bound is no matter of a table: the refutations in the ledger prove it "
        "for every constant, and this page shows only that up to Lambda = 10^13 nothing speaks against them.",
        "A law that is called supported has its constant on this range and these places only. Theorem 3.4 is "
        "no theorem of this suite: its four ends are consequences of our R8 and R14 for long prompts, and at "
        "finite n they are numbers.",
        "Exponents that differ by less than about a hundredth cannot be told apart: for d = "
        f"{DIMENSIONS[-1]} the sketch's 2/(d+4) = {2 / (DIMENSIONS[-1] + 4):.4f} and 2/(d+3) = "
        f"{2 / (DIMENSIONS[-1] + 3):.4f} differ by {2 / 11 - 2 / 12:.4f}, and a fit from few decades would "
        "not decide.",
    ]
    if relu:
        worst = max(relu, key=lambda fit: abs(fit.fit.value / fit.ours - 1))
        said.append(
            f"ReLU tasks approach their law slowly: for d = {worst.d} the exponent from 10^7 on reads "
            f"{worst.fit.value:.4f}, and 2/(d+2) is {worst.ours:.4f}; the last local "
            f"slope is {worst.last:.4f}."
        )
    said += [
        "At theta = 2 the bias has a logarithm, which a fit takes for an exponent up to 4 % larger; just "
        "below 2 the fits are some 3 % off, on either side.",
        "Lambda = 10^13 with sigma = 1 would be a prompt of 10^13 tokens. The curves for n = oo are limits; "
        "at a finite n the width saturates, so that no experiment with a hundred tokens sees these powers "
        "beyond Lambda of about 10^4.",
        "Drawn losses test the exact loss near its minimum; the width itself is drawn nowhere, as the loss "
        "is flat there.",
        "All of this is for tokens that are uniform on the sphere, and one window for all directions; what "
        "gradient descent finds is another question.",
    ]
    if report.own:
        said.append(
            "Your list of coefficients is taken for the whole spectrum, the same in every dimension: a class "
            "that ends is smooth, so that its exponent is 2/(d+3) in the end, whatever the coefficients of a "
            "longer list would make of it."
        )
    return said


def write(
    report: WindowsReport, out: Path, source: dict[str, Any], formats: Sequence[str] = FORMATS[:1]
) -> Path:
    """Write ``report.html``, ``report.json``, ``data.csv`` and ``plots/*.svg`` into a folder; an
    earlier report there stays whole until the new one is complete.
    """
    table, pictures = report.table, draw(report.table, report.fits, report.drawn)
    data = {
        "best_window": which_window(),
        "fits": [fit._asdict() | {"fit": fit.fit._asdict()} for fit in report.fits],
        "drawn": [found._asdict() | {"deviation": found.deviation} for found in report.drawn],
        "smoothness": [found._asdict() for found in table.smoothness],
        "widths": [
            row._asdict() | {"Lambda": number(row.Lambda), "slope": number(row.slope)} for row in table.rows
        ],
    }
    shown = {
        "report": report,
        "shown": list(SHOWN.values()),
        "variable": "Λ",
        "by": "exact widths",
        "window": data["best_window"],
    }
    rows = as_csv(Width._fields, table.rows)
    return write_page(
        __package__,
        out,
        "COL",
        report.lines,
        cannot_show(report),
        pictures,
        data,
        rows,
        source,
        formats,
        **shown,
    )
