"""Writes the page of the trained figures of a paper: ``index.html``, a file for each plot, and the
numbers as ``data.json`` and ``data.csv``.
"""

from __future__ import annotations

import json
import os
import shlex
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, NamedTuple

from numerics.terminal.progress import duration
from proofs_check.reports.figures.boursier_boyer.captions import VERDICTS, Key, sentences
from proofs_check.reports.pages.formats import FORMATS, replace_with_plots
from proofs_check.reports.pages.pictures import as_files
from proofs_check.reports.pages.provenance import provenance
from proofs_check.reports.pages.svg import Plot
from proofs_check.reports.pages.templates import environment
from proofs_check.reports.pages.text import marked

__all__ = ["Figure", "Paper", "Table", "command", "write_page"]


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


class Paper(NamedTuple):
    """What the pages of two papers differ in."""

    key: str
    #: It stands beside this folder, and fills the blocks of ``trained/experiments.html.jinja``.
    template: str
    #: All figures of the paper.
    figures: Sequence[int]
    draw: Callable[[Any], Sequence[Figure]]
    #: The figure that a claim speaks about, None if it speaks about the experiments as a whole.
    figure_of: Callable[[str], int | None]
    #: What becomes ``data.json`` and ``data.csv``.
    as_json: Callable[[Any], Any]
    as_csv: Callable[[Any], str]
    #: What else the template needs.
    context: Callable[[Any], Mapping[str, Any]]


def write_page(
    paper: Paper,
    found: Any,
    claims: Sequence[tuple[str, str, str, str]],
    folder: str | os.PathLike[str],
    *,
    words: Callable[[str], str] = marked,
    formats: Sequence[str] = FORMATS[:1],
) -> Path:
    """Write page, plots and numbers into a folder, each claim (id, says, verdict, sentence) under
    its figure; an earlier page there stays whole until the new one is complete. `words` makes HTML
    of a sentence.
    """
    figures = paper.draw(found)
    said = sentences(claims, paper.figure_of)
    counts = Counter(sentence.verdict for sentence in said)
    pictures = {
        f"plots/{plot.name}": as_files(plot, formats) for figure in figures for _, plot in figure.panels
    }
    document = json.dumps(paper.as_json(found), allow_nan=False)
    files = {"data.json": document + "\n", "data.csv": paper.as_csv(found)}
    files["index.html"] = (
        environment("proofs_check.reports.figures")
        .get_template(paper.template)
        .render(
            found=found,
            choices=found.choices,
            figures=figures,
            drawn={figure.number for figure in figures},
            said=said,
            counts=[(verdict, counts[verdict]) for verdict in VERDICTS if counts[verdict]],
            words=words,
            duration=duration,
            source=provenance(command(paper.key, found, paper.figures), found.seconds),
            **paper.context(found),
        )
    )
    replace_with_plots(Path(folder), pictures, files)
    return Path(folder) / "index.html"
