"""Writes a rate report: ``report.html`` for people, ``report.json`` and ``data.csv`` for programs,
and each plot as a file of its own. A report shows one run, or compares several. All of its files
are written together, or none.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from numerics.rates.result import Rates
from proofs_check.reports.pages.formats import FORMATS, replace_with_plots
from proofs_check.reports.pages.pictures import as_files
from proofs_check.reports.rates.report.document import as_csv, as_document
from proofs_check.reports.rates.report.drawing import draw
from proofs_check.reports.rates.report.page import as_html

__all__ = ["FILES", "PLOTS", "schema", "write_report"]

FILES = ("report.html", "report.json", "data.csv")
#: Folder of the plots.
PLOTS = "plots"


def schema() -> dict[str, Any]:
    """The JSON schema of ``report.json``."""
    found: dict[str, Any] = json.loads(
        resources.files(__package__).joinpath("report.schema.json").read_text(encoding="utf-8")
    )
    return found


def write_report(
    runs: Rates | Sequence[Rates], out: Path, source: dict[str, Any], formats: Sequence[str] = FORMATS[:1]
) -> Path:
    """Write the files into a folder; an earlier report there stays whole until the new one is
    complete, and its plots that the new one does not have are removed. Several runs are compared on
    one page.
    """
    runs = [runs] if isinstance(runs, Rates) else list(runs)
    if not runs:
        raise ValueError("no run to report; measure one with `numerics.rates.measure.rates`")
    drawing = draw(runs)
    plots = list(drawing.all())
    document = as_document(runs, source, plots)
    texts = (
        as_html(runs, document, drawing),
        json.dumps(document, indent=1, allow_nan=False) + "\n",
        as_csv(runs),
    )
    earlier = [name.removesuffix(".svg") for name in _plots_of(out / FILES[1])]
    replace_with_plots(
        out,
        {f"{PLOTS}/{plot.name}": as_files(plot, formats) for plot in plots},
        dict(zip(FILES, texts)),
        earlier,
    )
    return out / FILES[0]


def _plots_of(earlier: Path) -> set[str]:
    """The plots that an earlier report in the folder lists, and nothing else that may lie there."""
    try:
        listed = [plot["file"] for plot in json.loads(earlier.read_text(encoding="utf-8"))["plots"]]
    except (OSError, ValueError, KeyError, TypeError):
        return set()
    return {
        name
        for name in listed
        if isinstance(name, str) and re.fullmatch(rf"{PLOTS}/[a-zA-Z0-9_-]+\.svg", name)
    }
