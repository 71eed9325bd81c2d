"""Writes the page of the trained figures of a paper: ``index.html``, a file for each plot, and the
numbers as ``data.json`` and ``data.csv``.
"""

from __future__ import annotations

import json
import os
import shlex
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, NamedTuple

from numerics.terminal.progress import duration
from proofs_check.reports.figures.boursier_boyer.captions import VERDICTS, Key, sentences
from proofs_check.reports.pages.formats import replace_with_plots
from proofs_check.reports.pages.pictures import as_files
from proofs_check.reports.pages.provenance import provenance
from proofs_check.reports.pages.svg import Plot
from proofs_check.reports.pages.templates import environment

__all__ = ["Figure", "Table", "command", "write_experiments"]


class Table(NamedTuple):
    """A table below a figure: its head, and rows of text; the first column names the row."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]


class Figure(NamedTuple):
    """A figure of the paper: number, title, its plots by their titles, its keys, its caption, and
    its table.
    """

    number: int
    title: str
    panels: Sequence[tuple[str, Plot]]
    keys: Sequence[Key]
    caption: str
    table: Table | None = None


def command(paper: str, found: Any, every: Sequence[int]) -> str:
    """The command line that repeats a measurement: ``found.choices`` is a dataclass whose fields
    are options, `every` are all figures of the paper.
    """
    words, usual = ["largeprompt", "figures", "--paper", paper], type(found.choices)()
    for field in fields(usual):
        value = getattr(found.choices, field.name)
        if value != getattr(usual, field.name):
            told = ",".join(f"{x:g}" for x in value) if isinstance(value, tuple) else str(value)
            words += [f"--{field.name.replace('_', '-')}", told]
    if found.figures != tuple(every):
        words += ["--only", ",".join(map(str, found.figures))]
    return shlex.join(words)


def write_experiments(
    template: str,
    found: Any,
    figures: Sequence[Figure],
    claims: Sequence[tuple[str, str, str, str]],
    figure_of: Callable[[str], int | None],
    folder: str | os.PathLike[str],
    *,
    words: Callable[[str], str],
    repeated_by: str,
    document: Any,
    table: str,
    formats: Sequence[str],
    **context: Any,
) -> Path:
    """Write page, plots and numbers into a folder; an earlier page there stays whole until the new
    one is complete. The template, below ``numerics/figures``, fills the blocks of
    ``trained/experiments.html.jinja`` and may need more `context`; `document` and `table` become
    ``data.json`` and ``data.csv``, and `words` makes HTML of a sentence.
    """
    said = sentences(claims, figure_of)
    counts = Counter(sentence.verdict for sentence in said)
    pictures = {
        f"plots/{plot.name}": as_files(plot, formats) for figure in figures for _, plot in figure.panels
    }
    files = {"data.json": json.dumps(document, allow_nan=False) + "\n", "data.csv": table}
    files["index.html"] = (
        environment("proofs_check.reports.figures")
        .get_template(template)
        .render(
            found=found,
            choices=found.choices,
            figures=figures,
            drawn={figure.number for figure in figures},
            said=said,
            counts=[(verdict, counts[verdict]) for verdict in VERDICTS if counts[verdict]],
            words=words,
            duration=duration,
            source=provenance(repeated_by, found.seconds),
            **context,
        )
    )
    replace_with_plots(Path(folder), pictures, files)
    return Path(folder) / "index.html"
