"""Writes the page of Figures 1 to 8: ``index.html`` for people, a file for each figure, and the
numbers as ``data.json`` and ``data.csv``.
"""

from __future__ import annotations

import csv
import json
import os
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np

from numerics.experiments.boursier_boyer.failed_runs import Failures, failed, failures, settled
from numerics.experiments.boursier_boyer.plan import FIGURES, Plan
from numerics.experiments.boursier_boyer.results import Measurements
from numerics.experiments.boursier_boyer.run_arrays import ARCHITECTURES
from numerics.experiments.boursier_boyer.stop_rule import BAND, FALL, LEAST_LOOKS, records_a_look
from numerics.terminal.progress import duration
from proofs_check.reports.figures.boursier_boyer.captions import (
    VERDICTS,
    Sentence,
    caption,
    diverged,
    keys,
    left_out,
    sentences,
    where_failed,
)
from proofs_check.reports.figures.boursier_boyer.plots import Figure, draw
from proofs_check.reports.figures.boursier_boyer.svg_file import as_sheets
from proofs_check.reports.pages.formats import FORMATS, replace_with_plots
from proofs_check.reports.pages.provenance import provenance
from proofs_check.reports.pages.templates import environment
from proofs_check.reports.pages.text import marked, text_cell
from theory.regression.experiment import COVARIANCES, VARIANTS

__all__ = ["COLUMNS", "PAGE", "write_page"]

PAGE = "index.html"
#: Columns of ``data.csv``: every point of every curve as it is drawn.
COLUMNS = {
    "figure": "its number in the paper",
    "covariance": "isotropic or anisotropic",
    "variant": "as written or as coded",
    "quantity": "row of the figure",
    "curve": "name in its key; a run that failed is a curve of its own",
    "x": "prompt length, or steps of SGD",
    "median": "over the seeds whose runs did not fail",
    "low": "least over the seeds, and over the later half of a run that ended early",
    "high": "greatest over the same",
    "standard_error": "of the median, from sampling; 0 for what is exact; empty where it is not known",
    "seeds": "runs behind the point",
}


def write_page(
    measurements: Measurements,
    claims: Sequence[tuple[str, str, str, str]],
    folder: str | os.PathLike[str],
    *,
    source: dict[str, Any] | None = None,
    words: Callable[[str], str] = marked,
    formats: Sequence[str] = FORMATS[:1],
) -> Path:
    """Write page, figures and numbers into a folder, each claim (id, says, verdict, sentence) under
    its figure or above them all; an earlier page there stays whole until the new one is complete.
    Figures of an earlier page that the new one does not have are removed; files of other names are
    left alone. `words` makes HTML of a sentence.
    """
    said, figures = sentences(claims), draw(measurements)
    source = source or provenance(_command(measurements.plan), measurements.seconds)
    pictures = {f"figure-{f.number}": as_sheets(f, keys(f, measurements.plan), formats) for f in figures}
    files = {
        "data.json": json.dumps(measurements.as_json(), allow_nan=False) + "\n",
        "data.csv": as_csv(figures),
    }
    files[PAGE] = as_html(measurements, figures, said, source, words)
    replace_with_plots(Path(folder), pictures, files, [f"figure-{number}" for number in FIGURES])
    return Path(folder) / PAGE


def _command(plan: Plan) -> str:
    """The command line that repeats the measurement.

    >>> _command(Plan.usual(seeds=3).only(2, 6)), _command(Plan.full())
    ('largeprompt figures --paper BB --seeds 3 --only 2,6', 'largeprompt figures --paper BB --full')
    """
    known = {"": Plan.usual(plan.seeds), " --full": Plan.full(plan.seeds), " --quick": Plan.quick()}
    option = next((name for name, of in known.items() if replace(of, figures=plan.figures) == plan), None)
    if option is None:
        return "numerics.experiments.boursier_boyer.run_plan.measure, with a plan of its own"
    seeds = f" --seeds {plan.seeds}" if plan.seeds > 1 else ""
    only = f" --only {','.join(map(str, plan.figures))}" if plan.figures != FIGURES else ""
    return f"largeprompt figures --paper BB{option}{seeds}{only}"


def as_csv(figures: Sequence[Figure]) -> str:
    """Every point of every curve; numbers keep every digit. A name that a spreadsheet would run as
    a formula has an apostrophe in front.
    """
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for figure in sorted(figures, key=lambda figure: figure.number):
        for panel in figure.panels:
            for line in panel.lines:
                head = (
                    figure.number,
                    *map(text_cell, (figure.covariance, panel.variant, line.quantity, line.curve)),
                )
                for x, middle, low, high, error, seeds in zip(
                    line.x, line.middle, line.low, line.high, line.error, line.seeds
                ):
                    writer.writerow(
                        (*head, int(x), middle, low, high, "" if np.isnan(error) else error, seeds)
                    )
    return out.getvalue()


def as_html(
    measurements: Measurements,
    figures: Sequence[Figure],
    said: Sequence[Sentence],
    source: dict[str, Any],
    words: Callable[[str], str] = marked,
) -> str:
    """The page, self-contained: styles and plots are inside, nothing is fetched."""
    plan = measurements.plan
    counts = Counter(sentence.verdict for sentence in said)
    seeds = {L: plan.seeds_at(L) for L in sorted({*plan.lengths, *plan.curve_lengths})}
    return str(
        environment("proofs_check.reports.figures")
        .get_template("boursier_boyer/figures.html.jinja")
        .render(
            measurements=measurements,
            plan=plan,
            d=len(next(iter(COVARIANCES.values()))),
            variants=[VARIANTS[name] for name in plan.variants],
            pairs=_pairs(measurements, figures),
            said=said,
            drawn={figure.number for figure in figures},
            duration=duration,
            words=words,
            counts=[(verdict, counts[verdict]) for verdict in VERDICTS if counts[verdict]],
            diverged=diverged(measurements),
            failures=_failures(measurements),
            left_out=left_out(plan),
            settled=settled(measurements) if plan.settle else [],
            rule={
                "looks": plan.records // records_a_look(plan.records),
                "least": LEAST_LOOKS,
                "band": BAND,
                "fall": FALL,
            },
            every_look=sorted(
                {records_a_look(plan.records) * plan.every(name) for name in plan.variants}, reverse=True
            ),
            steps=_steps(measurements),
            more_seeds={
                n: [L for L in seeds if seeds[L] == n] for n in sorted(set(seeds.values()) - {plan.seeds})
            },
            tables=_tables(measurements),
            source=source,
        )
    )


def _steps(measurements: Measurements) -> int:
    """Steps of SGD in all runs; one of a coupled run moves two architectures."""
    runs = [run for run in measurements.runs.values() if len(run.step)]
    return sum(int(run.step[-1]) * (2 if run.attention == "coupled" else 1) for run in runs)


def _pairs(measurements: Measurements, figures: Sequence[Figure]) -> list[dict[str, Any]]:
    """Figures of one kind after each other, with their keys and captions."""
    found: list[dict[str, Any]] = []
    for figure in figures:
        if not found or found[-1]["title"] != figure.title:
            found.append({"title": figure.title, "figures": []})
        words = {"keys": keys(figure, measurements.plan), "caption": caption(figure, measurements)}
        found[-1]["figures"].append({"figure": figure, **words})
    return found


def _failures(measurements: Measurements) -> list[tuple[Failures, int, int, str]]:
    """Architectures of which runs failed: how many, of how many, and where; where the limits are
    known.
    """
    found = [
        (entry, sum(map(len, entry.failed.values())), sum(entry.runs.values()))
        for entry in failures(measurements)
    ]
    return (
        [(entry, n, of, where_failed(entry)) for entry, n, of in found] if any(n for _, n, _ in found) else []
    )


def _tables(measurements: Measurements) -> list[dict[str, Any]]:
    """The numbers of Figures 2 and 6, of the seed that every length has."""
    plan, found = measurements.plan, []
    for covariance in plan.covariances:
        for variant in plan.variants:
            rows = []
            for L in sorted(plan.lengths):
                cells = []
                for attention in ARCHITECTURES:
                    key = (covariance, variant, attention, L, plan.first_seed)
                    cells.append((measurements.final.get(key), failed(measurements, *key)))
                cells.append((measurements.bayes.get((covariance, variant, L)), False))
                rows.append(
                    (L, [("–" if risk is None else f"{risk[0]:.5f}", wrong) for risk, wrong in cells])
                )
            if plan.shows(2, covariance):
                found.append({"covariance": covariance, "variant": variant, "rows": rows})
    return found
