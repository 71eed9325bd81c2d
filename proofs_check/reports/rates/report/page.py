"""The HTML page of a rate report, for one run or several: what its templates are filled with."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from numerics.attention.distance.answer import CLOSE, FAR_OFF
from numerics.attention.distance.approach import LAW_SHARE
from numerics.attention.distance.rounded import length, percent
from numerics.attention.exponents import REGIONS, paper_exponent, standing
from numerics.rates.fits.power_law import PowerLawFit
from numerics.rates.result import Rates
from numerics.rates.series import Series
from proofs_check.reports.pages.templates import environment
from proofs_check.reports.pages.text import marked, ratio, sci, spaced
from proofs_check.reports.rates.report.document import COLUMNS, table
from proofs_check.reports.rates.report.drawing import Drawing, RunDrawing, prefixes
from proofs_check.reports.rates.report.names import TITLES, explained, run_names
from proofs_check.reports.rates.report.overlays import run_style
from proofs_check.reports.rates.report.plots import error_limits, style_of
from proofs_check.reports.rates.report.slack import slacks
from proofs_check.reports.rates.report.verdicts import cannot_show, fitted, verdicts, worst_deviation
from proofs_check.reports.rates.verdicts import declared

__all__ = ["as_html"]


def _legend(series: Series, linear: float) -> list[dict[str, str]]:
    """The keys of the error plot, with the distance of each bound from the truth where it is
    tightest; linear attention has the size ``linear``.
    """
    truth = series.mean if series.exact is None else series.exact
    against = "measured" if series.exact is None else "exact"
    entries = [
        {
            "variable": "measured",
            "mark": "dot",
            "dashes": "",
            "name": "measured",
            "note": "bars: 95 % intervals",
        }
    ]
    if series.exact is not None:
        entries.append(
            {"variable": "exact", "mark": "line", "dashes": "", "name": "exact", "note": "quadrature"}
        )
    for bound in series.bounds:
        variable, dashes = style_of(bound.name)
        speaks = np.isfinite(bound.values) & (truth > 0)
        note = bound.note
        if bound.kind == "upper bound" and speaks.any():
            note = f"{ratio(float(np.min(bound.values[speaks] / truth[speaks])))} × {against} at its tightest"
        elif not speaks.any():
            note = "beyond the range of floating point"
        if bound.kind == "upper bound" and speaks.any() and 0 < linear**2 < np.min(bound.values[speaks]):
            note += "; no useful bound, since it is above 100 % of linear attention at all these lengths"
        if speaks.any() and np.min(bound.values[speaks]) > error_limits(series)[1]:
            note += ", above the plot"
        entries.append(
            {"variable": variable, "mark": "line", "dashes": dashes, "name": bound.name, "note": note}
        )
    return entries


def _fit_row(name: str, kind: str, fit: PowerLawFit, series: Series) -> dict[str, Any]:
    """One row of the table of fits."""
    low, high = fit.interval()
    return {
        "quantity": name,
        "kind": kind,
        "exponent": f"{fit.exponent:.4f}",
        "interval": f"[{low:.4f}, {high:.4f}]",
        "sharp": "–" if series.sharp is None else f"{series.sharp:.4g}",
        "covers": None if series.sharp is None else low <= series.sharp <= high,
        "correction": "–"
        if fit.order is None
        else f"{fit.correction:+.3g} / L" + ("" if fit.order == 1 else f"^{fit.order:.3g}"),
        "p": sci(fit.p_value, 2),
        "lengths": f"{fit.lengths[0]:.0f} – {fit.lengths[1]:.0f}",
        "trusted": series.trusted and fit is series.fit,
    }


def _fits(run: Rates) -> list[dict[str, Any]]:
    """The table of fits: for each quantity with the next-order term and without."""
    return [
        row
        for series in run.series
        if series.fit is not None and series.pure is not None
        for row in (
            _fit_row(TITLES[series.quantity][0], "with next-order term", series.fit, series),
            _fit_row("", "straight line", series.pure, series),
        )
    ]


def _models(run: Rates) -> list[dict[str, Any]]:
    """The tables of laws beside each other, one for each quantity."""
    return [
        {
            "title": TITLES[series.quantity][0],
            "shows": series.models.shows,
            "says": series.models.says,
            "sharp": "–" if series.sharp is None else f"{series.sharp:.4g}",
            "laws": [
                {
                    "law": m.name,
                    "exponent": f"{m.fit.exponent:.4f} ± {m.fit.standard_error:.4f}",
                    "bias": "–" if m.bias is None else f"{m.bias:+.4f}",
                    "p": sci(m.fit.p_value, 2),
                    "weight": f"{m.akaike_weight:.2f}",
                    "rejected": m.rejected,
                }
                for m in series.models.models
            ],
        }
        for series in run.series
        if series.models is not None
    ]


def _cards(run: Rates, drawn: RunDrawing) -> list[dict[str, Any]]:
    """One card for each quantity: its plots, its legend and its exponents."""
    return [
        {
            "title": TITLES[series.quantity][0],
            "formula": TITLES[series.quantity][1],
            "plot": drawn.errors[series.quantity].inline,
            "slopes": drawn.slopes[series.quantity].inline,
            "legend": _legend(series, run.answer.linear if series.quantity == "output" else 0.0),
            "exact": series.exact is not None,
            "sharp": series.sharp,
            "standing": standing(run.setting, series.quantity),
            "fit": series.fit,
            "interval": series.fit.interval() if series.fit is not None else (0.0, 0.0),
            "trusted": series.trusted,
            "reason": series.reason,
        }
        for series in run.series
    ]


def _slack_rows(run: Rates) -> list[dict[str, str]]:
    cell = lambda pair: f"{ratio(pair[1])} (L = {pair[0]:.0f})"
    return [
        {
            "quantity": TITLES[s.quantity][0],
            "bound": s.bound,
            "against": s.against,
            "shortest": cell(s.shortest),
            "tightest": cell(s.tightest),
            "longest": cell(s.longest),
        }
        for s in slacks(run)
    ]


def _summary(run: Rates) -> str:
    """One paragraph of HTML: what was asked and what theory says."""
    setting, output = run.setting, run.series[0]
    query = f"averaged over queries N(0, S) with λ = {setting.score_variance:.4g}"
    if not setting.averaged:
        query = f"at one query with score variance s = {setting.score_variance:.4g}"
    tokens = "Gaussian tokens" if setting.gaussian else "independent tokens"
    at = f"at each of {run.lengths.size} lengths" if run.lengths.size > 1 else "of one length"
    text = (
        f"Softmax attention on L {tokens} in dimension {setting.d} is compared with attention on infinitely "
        f"many, {query}: {spaced(run.replicates)} prompts {at}."
    )
    if output.sharp is None:
        return f"{text} For these tokens theory gives bounds, but no sharp exponent of the average."
    law = "1/L" if output.sharp == 1 else f"L<sup>−{output.sharp:.4g}</sup>"
    if setting.averaged and setting.score_variance >= 0.5:
        law += " up to powers of ln L"
    paper = paper_exponent(setting, "output")
    beside = "" if paper is None else f"; the paper's bound falls like L<sup>−{paper:.4g}</sup>"
    start = run.answer.law_from
    since = ""
    if start > run.lengths[-1]:  # nan, where no law with its logarithms is known, is not
        since = (
            f", but only from L {_formulas(length(start))} on"
            if np.isfinite(start)
            else ", but only beyond L = 10¹⁰⁰"
        )
    return f"{text} In theory the error of the output falls like {law}{since}{beside}."


def _formulas(text: str) -> str:
    """A sentence of an answer as HTML, with the signs of the formulas."""
    signs = {
        "Gamma": "Γ",
        "sqrt(": "√(",
        " - T": " − T",
        " - V": " − V",
        "+-": "±",
        "e^(z_k'Uz)": "e^z_k'Uz",
        " %": "\u00a0%",
    }
    for typed, sign in signs.items():
        text = text.replace(typed, sign)
    text = re.sub(r"\b[\d.]+e-?\d+", lambda found: sci(float(found[0])), text)
    text = re.sub(r"\b([Tzk])_([Lk])", r"\1<sub>\2</sub>", marked(text))
    return re.sub(r"√\(E.*?²\)", r'<span class="whole">\g<0></span>', text)


def _answer(run: Rates) -> dict[str, Any]:
    """The box that answers how close attention is to linear attention."""
    found = run.answer
    return {
        "colour": found.grade.colour,
        "says": _formulas(found.grade.says.split(": ", 1)[1]),
        "sentence": _formulas(found.sentence),
        "first": _formulas(found.difference),
        "needs": [[_formulas(text) for text in row] for row in found.needs()],
        "notes": [_formulas(note) for note in found.notes],
    }


def _matrix(values: np.ndarray[Any, Any]) -> list[list[str]]:
    """The entries of a matrix, or of a vector as one row, with four digits."""
    return [[f"{v:.4g}" for v in row] for row in np.atleast_2d(values)]


def _law(run: Rates) -> str:
    return "N(0, Γ)" if run.setting.gaussian else run.setting.law.name.removeprefix("image of ")


def _overview(runs: Sequence[Rates]) -> list[dict[str, Any]]:
    rows = []
    for i, (name, prefix, run) in enumerate(zip(run_names(runs), prefixes(runs), runs)):
        output = run.series[0]
        worst = [
            found for series in run.series if (found := worst_deviation(run, series.quantity)) is not None
        ]
        held = sum(c.holds for c in run.comparisons)
        rows.append(
            {
                "name": name,
                "id": prefix,
                "style": run_style(i, len(runs)),
                "law": _law(run),
                "scores": ("λ = " if run.setting.averaged else "s = ") + f"{run.setting.score_variance:.4g}",
                "sharp": "–" if output.sharp is None else f"{output.sharp:.4g}",
                "fitted": fitted(output),
                "trusted": output.trusted,
                "worst": "–" if not worst else f"{max(value for value, _ in worst):.2f}",
                "holds": run.holds,
                "held": f"{held} of {len(run.comparisons)}",
            }
        )
    return rows


def _run(name: str, prefix: str, run: Rates, drawn: RunDrawing) -> dict[str, Any]:
    setting = run.setting
    inputs = {
        "Γ" if setting.gaussian else "Cov": _matrix(setting.Gamma),
        "U": _matrix(setting.U),
        "V": _matrix(setting.V),
    }
    if setting.query_cov is None:
        inputs["z (query)"] = _matrix(setting.query)
    else:
        inputs["S (query covariance)"] = _matrix(setting.query_cov)
    far = run.far
    return {
        "name": name,
        "id": prefix,
        "run": run,
        "setting": setting,
        "law": _law(run),
        "summary": _summary(run),
        "answer": _answer(run),
        "verdicts": verdicts(run),
        "cannot": cannot_show(run),
        "cards": _cards(run, drawn),
        "fits": _fits(run),
        "models": _models(run),
        "slack": _slack_rows(run),
        "curves": explained([bound.name for series in run.series for bound in series.bounds]),
        "tried": any(series.exact is not None and series.sharp is not None for series in run.series),
        "inputs": inputs,
        "rows": table([run]),
        "failed": [c for c in run.comparisons if not c.holds],
        "far": None if drawn.far is None else drawn.far.inline,
        "far_rows": []
        if far is None
        else [(TITLES[q][0], f"{slope[-1]:.6f}", sci(far.margins[q], 2)) for q, slope in far.slopes.items()],
        "turn": float(np.exp(min(2 * setting.score_variance, 700.0))),
    }


def as_html(runs: Sequence[Rates], document: dict[str, Any], drawing: Drawing) -> str:
    """The self-contained page of at least one run: styles and plots are inside, and nothing is
    fetched.
    """
    comparisons = [c for run in runs for c in run.comparisons]
    return (
        environment("proofs_check.reports.rates.report")
        .get_template("report.html.jinja")
        .render(
            document=document,
            declared=declared,
            runs=[_run(*parts) for parts in zip(run_names(runs), prefixes(runs), runs, drawing.runs)],
            thresholds={"close": percent(CLOSE), "far": percent(FAR_OFF), "share": percent(LAW_SHARE)},
            several=len(runs) > 1,
            overview=_overview(runs),
            overlays={quantity: plot.inline for quantity, plot in drawing.overlays.items()},
            phase={quantity: plot.inline for quantity, plot in drawing.phase.items()},
            regions=REGIONS,
            beyond=any(cannot_show(run) for run in runs),
            columns=COLUMNS,
            titles={quantity: title for quantity, (title, _) in TITLES.items()},
            formulas={quantity: formula for quantity, (_, formula) in TITLES.items()},
            total=len(comparisons),
            failing=sum(not c.holds for c in comparisons),
        )
    )
