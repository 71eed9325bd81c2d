"""The report of times: one page, its data for programs, its table and its plots."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from io import StringIO
from pathlib import Path
from typing import Any

from numerics.pages.files import replace_together
from numerics.pages.templates import environment
from numerics.rates.features.exponents import Fit, fits
from numerics.rates.features.laws import our_lines
from numerics.rates.features.plots import draw
from numerics.rates.features.printed import Line, printed_lines
from numerics.rates.features.times import Time, time_table
from numerics.terminal.progress import Advance

__all__ = ["TimesReport", "cannot_show", "measure", "write"]

#: Version of the format of ``report.json``.
FORMAT = 1


@dataclass(frozen=True)
class TimesReport:
    """What was computed.

    Attributes
    ----------
    rows : list of Time
    fits : list of Fit
    lines : list of Line
        Of the printed laws first, and then of ours.
    """

    rows: list[Time]
    fits: list[Fit]
    lines: list[Line]

    @property
    def holds(self) -> bool:
        """Whether every line comes out as the ledger declares it."""
        return all(line.holds for line in self.lines)


def measure(classes: Sequence[int], seed: int, advance: Advance = lambda done, total: None) -> TimesReport:
    """Compute the table of times, fit its exponents, and judge every law.

    Parameters
    ----------
    classes : sequence of int
        Even numbers of classes, from 4 on.
    seed : int
        Of the random features.
    advance : callable
        Is told how far the table is.
    """
    rows, given = time_table(classes, seed, advance)
    return TimesReport(rows, fits(rows), [*printed_lines(), *our_lines(given, seed)])


def cannot_show(report: TimesReport) -> list[str]:
    """What no fit at these sizes shows, in sentences."""
    near, far = (next(f for f in fs if f.features == "orthonormal") for fs in (report.fits, report.fits[::-1]))
    return [
        "That a ratio grows without bound is no matter of a table: the refutations in the ledger prove it for every K, and this page "
        "shows only that up to K = 2^40 nothing speaks against them.",
        f"Between K = {near.window[0]:g} and {near.window[1]:g} the exponent of orthonormal features reads {near.fit.value:.3f}, with local "
        f"slopes from {near.fit.low:.3f} to {near.fit.high:.3f}: the term 3K ln K hides the 2, which the closed form shows only later "
        f"({far.fit.value:.4f} from K = 2^12 to 2^40).",
        "The cube's factor 1/log K cannot be told from a smaller power of K at K = 1024; nor can a product of four or five polygons "
        "from one of three.",
        "Random features are one draw for each K up to 32, so that no exponent of K is claimed for them.",
        "The exact times are those of the gradient flow. A step of gradient descent follows it where eta is small, as in the "
        "hypotheses; a time below about one step is a number of the flow only.",
        "Prompts are population prompts except where N is named. There a loss below the floor is never reached, and its time is "
        "empty in the table.",
    ]


def _number(value: float | None) -> float | None:
    """A number for JSON and CSV, which know neither nan nor infinity."""
    return value if value is not None and math.isfinite(value) else None


def _as_csv(rows: Sequence[Time]) -> str:
    """The table as text, with every digit."""
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(Time._fields)
    writer.writerows(row._replace(steps=_number(row.steps)) for row in rows)  # type: ignore[arg-type]
    return out.getvalue()


def write(report: TimesReport, out: Path, source: dict[str, Any]) -> Path:
    """Write ``report.html``, ``report.json``, ``data.csv`` and ``plots/*.svg`` into a folder.

    Parameters
    ----------
    report : TimesReport
    out : Path
        Made if missing. An earlier report there stays whole until the new one is complete.
    source : dict
        What `numerics.pages.provenance.provenance` returns.

    Returns
    -------
    Path
        Of the page.

    Raises
    ------
    OSError
        If the folder cannot be made or written.
    """
    drawn, cannot = draw(report.rows), cannot_show(report)
    document = {
        "format": FORMAT,
        "paper": "LDL",
        "holds": report.holds,
        "lines": [asdict(line) for line in report.lines],
        "fits": [fit._asdict() | {"fit": fit.fit._asdict()} for fit in report.fits],
        "cannot_show": cannot,
        "times": [row._asdict() | {"steps": _number(row.steps)} for row in report.rows],
        "plots": [{"file": f"plots/{name}.svg", "title": plot.title} for name, (plot, *_) in drawn.items()],
        "provenance": source,
    }
    page = environment(__package__).get_template("report.html.jinja").render(report=report, drawn=drawn, cannot=cannot, source=source)
    files = {f"plots/{name}.svg": plot.file for name, (plot, *_) in drawn.items()}
    files |= {"report.html": page, "report.json": json.dumps(document, indent=1, allow_nan=False) + "\n", "data.csv": _as_csv(report.rows)}
    replace_together(out, files)
    return out / "report.html"
