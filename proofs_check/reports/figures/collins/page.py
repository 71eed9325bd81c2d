"""The page of the figures of Collins et al.: its captions, and its numbers as JSON and CSV."""

from __future__ import annotations

import csv
import re
from dataclasses import asdict
from io import StringIO

import numpy as np

from numerics.experiments.collins.settings import FIGURES
from numerics.experiments.collins.training import Experiments
from proofs_check.reports.figures.collins.plots import draw
from proofs_check.reports.figures.trained.page import Paper

__all__ = ["COLUMNS", "PAGE"]

#: Columns of ``data.csv``: the mean over the trials of every curve, at every record.
COLUMNS = {
    "figure": "",
    "panel": "",
    "curve": "",
    "rate": "learning rate",
    "step": "",
    "norm": "spectral norm of M",
    "loss": "squared error, mean over the steps since the record before",
    "rho": "what M has beyond the columns of B; empty but for Figure 9",
    "tested": "squared errors on the classes of the tests, with blanks between",
}


def figure_of(id: str) -> int | None:
    """The figure that a claim speaks about, None if it speaks about the experiments as a whole.

    >>> figure_of("COL:Fig1.cap/window"), figure_of("COL:Fig9"), figure_of("COL:J.setup")
    (1, 9, None)
    """
    found = re.match(r"COL:Fig(\d)", id)
    return int(found[1]) if found else None


def as_json(found: Experiments) -> dict[str, object]:
    """Every trial of every curve, as JSON; null where a number is not finite or not defined."""
    numbers = lambda values: [None if not np.isfinite(x) else float(f"{x:.6g}") for x in values]
    curves = []
    for curve, t in found.curves.items():
        entry: dict[str, object] = {**curve._asdict(), "steps": t.steps.tolist()}
        entry |= {name: [numbers(trial) for trial in getattr(t, name)] for name in ("norm", "loss", "rho")}
        curves.append(entry | {"tested": [[numbers(trial) for trial in test] for test in t.tested]})
    return {"format": 1, "choices": asdict(found.choices), "figures": list(found.figures), "curves": curves}


def as_csv(found: Experiments) -> str:
    """The mean over the trials of every curve; empty where it is not finite."""
    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    number = lambda x: f"{x:.6g}" if np.isfinite(x) else ""
    for curve, t in found.curves.items():
        means = [v.mean(axis=0) for v in (t.norm, t.loss, t.rho)]
        tests = t.tested.mean(axis=1)
        for i, step in enumerate(t.steps):
            writer.writerow(
                (
                    *curve,
                    int(step),
                    *(number(v[i]) for v in means),
                    " ".join(number(test[i]) for test in tests),
                )
            )
    return out.getvalue()


PAGE = Paper(
    key="COL",
    template="collins/experiments.html.jinja",
    figures=FIGURES,
    draw=draw,
    figure_of=figure_of,
    as_json=as_json,
    as_csv=as_csv,
    context=lambda found: {
        "diverged": [curve for curve, t in found.curves.items() if not np.isfinite(t.loss).all()]
    },
)
