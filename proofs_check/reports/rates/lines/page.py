"""The page of a report of lines, its data for programs, its table and its plots."""

from __future__ import annotations

import csv
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from io import StringIO
from pathlib import Path
from typing import Any

from proofs_check.reports.pages.formats import replace_with_plots
from proofs_check.reports.pages.pictures import as_files
from proofs_check.reports.pages.templates import environment
from proofs_check.reports.pages.text import marked, superscript, text_cell
from proofs_check.reports.rates.lines.line import Line
from proofs_check.reports.rates.lines.pictures import Picture

__all__ = ["as_csv", "formula", "number", "raised", "write_page"]

#: Version of the format of ``report.json``.
FORMAT = 1
GREEK = {
    **{"eta": "η", "eps": "ε", "delta": "δ", "Delta": "Δ", "gamma": "γ", "kappa": "κ"},
    **{
        "Lambda": "Λ",
        "Gamma": "Γ",
        "sigma": "σ",
        "Sigma": "Σ",
        "theta": "θ",
        "rho": "ρ",
        "pi": "π",
        "oo": "∞",
    },
}
#: What stands in brackets, with brackets in it.
INNER = r"\((?:[^()]|\([^()]*\))*\)"


def formula(text: str) -> str:
    """A sentence with formulas typed on a keyboard, as HTML."""
    text = re.sub(rf"\b({'|'.join(GREEK)})(?![a-z])", lambda found: GREEK[found[1]], text)
    html = re.sub(r"_([A-Z]{2}|\w)", r"<sub>\1</sub>", marked(text)).replace("^*", "*").replace("-&gt;", "→")
    return re.sub(rf"\^\(((?:[^()]|{INNER})*)\)", r"<sup>\1</sup>", html).replace(" - ", " − ")


def raised(text: str) -> str:
    """A number typed on a keyboard, without HTML, for the heads of columns."""
    return re.sub(r"\^(\d+)", lambda found: superscript(int(found[1])), text)


def number(value: float | None) -> float | None:
    """A number for JSON and CSV, which know neither nan nor infinity.

    >>> number(float("inf")), number(2.5)
    (None, 2.5)
    """
    return value if value is not None and math.isfinite(value) else None


def as_csv(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    r"""A table as text, with every digit; nothing stands where a number is not finite, and a name
    that a spreadsheet would run as a formula has an apostrophe in front.

    >>> as_csv(["a", "b"], [[1, float("inf")]])
    'a,b\n1,\n'
    >>> as_csv(["a"], [["=1+1"]])
    "a\n'=1+1\n"
    """
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(
        [text_cell(x) if isinstance(x, str) else number(x) if isinstance(x, float) else x for x in row]
        for row in rows
    )
    return out.getvalue()


def write_page(
    package: str,
    out: Path,
    paper: str,
    lines: Sequence[Line],
    cannot: Sequence[str],
    pictures: Sequence[Picture],
    data: Mapping[str, Any],
    table: str,
    source: dict[str, Any],
    formats: Sequence[str],
    **shown: Any,
) -> Path:
    """Write ``report.html``, ``report.json``, ``data.csv`` and ``plots/*.svg`` into a folder; an
    earlier report there stays whole until the new one is complete. ``report.html.jinja`` lies in
    `package`; `cannot` are sentences on what no fit shows, `data` what else ``report.json`` holds,
    `table` is ``data.csv``, and `shown` what else the page shows.
    """
    document = {
        "format": FORMAT,
        "paper": paper,
        "holds": all(line.holds for line in lines),
        "lines": [asdict(line) for line in lines],
        "cannot_show": list(cannot),
        **data,
        "plots": [{"file": f"plots/{found.plot.name}.svg", "title": found.plot.title} for found in pictures],
        "provenance": source,
    }
    templates = environment(package)
    templates.filters |= {"formula": formula, "raised": raised}
    template = templates.get_template("report.html.jinja")
    page = template.render(lines=lines, pictures=pictures, cannot=cannot, source=source, **shown)
    plots = {f"plots/{found.plot.name}": as_files(found.plot, formats) for found in pictures}
    files = {
        "data.csv": table,
        "report.json": json.dumps(document, indent=1, allow_nan=False) + "\n",
        "report.html": page,
    }
    replace_with_plots(out, plots, files)
    return out / "report.html"
