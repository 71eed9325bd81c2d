"""The page of Figures 1 to 4 of Li, Duan & Liang: its captions, and its numbers as JSON and CSV."""

from __future__ import annotations

import csv
import re
from dataclasses import asdict
from io import StringIO

import numpy as np

from numerics.experiments.li_duan_liang.training import FIGURES, Choices, Experiments
from proofs_check.reports.figures.li_duan_liang.plots import draw
from proofs_check.reports.figures.trained.page import Paper

__all__ = ["COLUMNS", "PAGE"]

#: Columns of ``data.csv``: every curve that is drawn.
COLUMNS = {
    "tasks": "cosine or polynomial",
    "model": "attention alone or block",
    "L": "",
    "epoch": "",
    "loss": "mean squared error, mean of the runs",
    "attention": "of a query of the first feature on itself; empty for polynomial tasks",
}


def figure_of(id: str) -> int | None:
    """The figure that a claim speaks about, None if it speaks about all of them.

    >>> figure_of("LDL:Sec6.F1s/phases"), figure_of("LDL:A.poly.two"), figure_of("LDL:Sec6.sets")
    (1, 4, None)
    """
    rooms = {r"LDL:Sec6\.(?:F1|mono)": 1, r"LDL:A\.(?:maps|cols)": 2, r"LDL:A\.poly": 4}
    return next((number for pattern, number in rooms.items() if re.match(pattern, id)), None)


def _drawn(found: Experiments) -> list[tuple[str, str, float]]:
    return list(dict.fromkeys(key[:3] for key in found.curves))


def as_json(found: Experiments) -> dict[str, object]:
    """Everything measured, as JSON; null where a run was no longer finite."""
    numbers = lambda values: [None if not np.isfinite(x) else float(x) for x in values]
    curves = []
    for tasks, model, L in _drawn(found):
        entry = {"tasks": tasks, "model": model, "L": L, "loss": numbers(found.loss(tasks, model, L))}
        if tasks == "cosine":
            entry["attention"] = [numbers(at.ravel()) for at in found.attention(model, L)]
        curves.append(entry)
    return {"format": 1, "choices": asdict(found.choices), "figures": list(found.figures), "curves": curves}


def as_csv(found: Experiments) -> str:
    """Every curve that is drawn; empty where a run was no longer finite."""
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    number = lambda x: x if np.isfinite(x) else ""
    for tasks, model, L in _drawn(found):
        own = (
            found.attention(model, L)[:, 0, 0]
            if tasks == "cosine"
            else np.full(found.choices.epochs + 1, np.nan)
        )
        for epoch, (loss, attention) in enumerate(zip(found.loss(tasks, model, L), own)):
            writer.writerow((tasks, model, L, epoch, number(loss), number(attention)))
    return out.getvalue()


PAGE = Paper(
    key="LDL",
    template="li_duan_liang/experiments.html.jinja",
    figures=FIGURES,
    draw=draw,
    figure_of=figure_of,
    as_json=as_json,
    as_csv=as_csv,
    context=lambda found: {"usual": found.choices == Choices(), "diverged": found.diverged()},
)
