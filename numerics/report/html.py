"""The page of a rate report."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from numerics.curves import sharp_exponent
from numerics.fit import PowerLawFit
from numerics.rates import Rates, Series
from numerics.report.document import table
from numerics.report.plots import error_plot, far_plot, slope_plot, style_of

__all__ = ["as_html"]

TITLES = {
    "output": ("Output", "E‖T<sub>L</sub> − T‖²"),
    "grad_V": ("Gradient in V", "E‖∇<sub>V</sub>T<sub>L</sub> − ∇<sub>V</sub>T‖²"),
    "grad_U": ("Gradient in U", "E‖∇<sub>U</sub>T<sub>L</sub> − ∇<sub>U</sub>T‖²"),
}


def sci(value: float | None, digits: int = 4) -> str:
    """A number for people: plain where that is short, with a power of ten elsewhere.

    Examples
    --------
    >>> sci(0.25), sci(1.5e-7), sci(None)
    ('0.25', '1.5·10⁻⁷', '–')
    """
    if value is None or not np.isfinite(value):
        return "–"
    text = f"{value:.{digits}g}"
    if "e" not in text:
        return text
    mantissa, exponent = text.split("e")
    superscript = str(int(exponent)).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"10{superscript}" if mantissa == "1" else f"{mantissa}·10{superscript}"


def _spaced(number: float) -> str:
    """Thousands apart, by a narrow space that does not break."""
    return f"{number:,.0f}".replace(",", "\u202f")


def _ratio(value: float) -> str:
    return f"{value:.5g}" if value < 10 else f"{value:.3g}" if value < 1e4 else sci(value, 2)


def _typeset(text: str) -> str:
    """Signs instead of their spelling on a typewriter."""
    for typed, sign in {" <= ": " ≤\u00a0", " >= ": "\u00a0≥\u00a0", "chi^2": "χ²", "^2": "²", "lambda": "λ", "sigma": "σ"}.items():
        text = text.replace(typed, sign)
    return re.sub(r"(?<![\w.])-(?=\d)", "−", text)


def _legend(series: Series) -> list[dict[str, str]]:
    """Keys of the error plot, with how far each bound is from the truth where it is tightest."""
    truth = series.mean if series.exact is None else series.exact
    against = "measured" if series.exact is None else "exact"
    entries = [{"variable": "measured", "mark": "dot", "dashes": "", "name": "measured", "note": "bars: 95 % intervals"}]
    if series.exact is not None:
        entries.append({"variable": "exact", "mark": "line", "dashes": "", "name": "exact", "note": "quadrature"})
    for bound in series.bounds:
        variable, dashes = style_of(bound.name)
        speaks = np.isfinite(bound.values)
        note = bound.note
        if bound.kind == "upper bound" and speaks.any():
            note = f"{_ratio(float(np.min(bound.values[speaks] / truth[speaks])))} × {against} at its tightest"
        elif not speaks.any():
            note = "beyond the range of floating point"
        entries.append({"variable": variable, "mark": "line", "dashes": dashes, "name": bound.name, "note": note})
    return entries


def _fit_row(name: str, kind: str, fit: PowerLawFit, series: Series) -> dict[str, Any]:
    low, high = fit.interval()
    return {
        "quantity": name,
        "kind": kind,
        "exponent": f"{fit.exponent:.4f}",
        "interval": f"[{low:.4f}, {high:.4f}]",
        "sharp": "–" if series.sharp is None else f"{series.sharp:.4g}",
        "covers": None if series.sharp is None else low <= series.sharp <= high,
        "correction": "–" if fit.order is None else f"{fit.correction:+.3g} / L" + ("" if fit.order == 1 else f"^{fit.order:.3g}"),
        "p": f"{fit.p_value:.2g}",
        "lengths": f"{fit.lengths[0]:.0f} – {fit.lengths[1]:.0f}",
        "trusted": series.trusted and fit is series.fit,
    }


def _cards(run: Rates) -> list[dict[str, Any]]:
    return [
        {
            "title": TITLES[series.quantity][0],
            "formula": TITLES[series.quantity][1],
            "plot": error_plot(run, series),
            "slopes": slope_plot(run, series),
            "legend": _legend(series),
            "exact": series.exact is not None,
            "sharp": series.sharp,
            "fit": series.fit,
            "interval": series.fit.interval() if series.fit is not None else (0.0, 0.0),
            "trusted": series.trusted,
            "reason": series.reason,
        }
        for series in run.series
    ]


def _summary(run: Rates) -> str:
    """One paragraph of HTML: what was asked and what came out."""
    setting = run.setting
    query = f"averaged over queries N(0, S) with λ = {setting.score_variance:.4g}"
    if not setting.averaged:
        query = f"at one query with score variance s = {setting.score_variance:.4g}"
    exponent = sharp_exponent(setting)
    law = "1/L" if exponent == 1 else f"L<sup>−{exponent:.4g}</sup>"
    if setting.averaged and setting.score_variance >= 0.5:
        law += " up to powers of ln L"
    text = (
        f"Softmax attention on L Gaussian tokens in dimension {setting.d} is compared with attention on infinitely many, {query}."
        f" In theory the error of the output falls like {law}."
    )
    output = run.series[0]
    if output.exact is not None:
        deviation = float(np.max(np.abs(output.mean - output.exact) / output.standard_error))
        text += (
            f" The {_spaced(run.replicates)} prompts drawn at each of {run.lengths.size} lengths deviate from the exact curve"
            f" by at most {deviation:.2g} standard errors"
        )
        if output.trusted and output.fit is not None:
            low, high = output.fit.interval()
            text += f", and the fitted exponent is {output.fit.exponent:.4f} with 95 % interval [{low:.4f}, {high:.4f}]"
        text += "."
    proved = next(b for b in output.bounds if b.name == "Theorem A")
    truth = output.mean if output.exact is None else output.exact
    text += f" Theorem A gives away a factor of at most {np.max(proved.values / truth):.3g} here"
    paper = next((b for b in output.bounds if b.name == "Lemma C.4" and np.isfinite(b.values).any()), None)
    if paper is not None:
        speaks = np.isfinite(paper.values)
        text += f", Lemma C.4 a factor of at least {_ratio(float(np.min(paper.values[speaks] / truth[speaks])))}"
    return text + "."


def _matrix(values: np.ndarray[Any, Any]) -> list[list[str]]:
    return [[f"{v:.4g}" for v in row] for row in np.atleast_2d(values)]


def as_html(run: Rates, document: dict[str, Any]) -> str:
    """The page, self-contained: styles and plots are inside, nothing is fetched.

    Parameters
    ----------
    run : Rates
    document : dict
        What `numerics.report.document.as_document` returns.

    Returns
    -------
    str
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

    environment = Environment(
        loader=PackageLoader("numerics.report", "."),
        autoescape=select_autoescape(["html.jinja"]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"sci": sci, "spaced": _spaced, "typeset": _typeset}
    setting = run.setting
    fits = [
        row
        for series in run.series
        if series.fit is not None and series.pure is not None
        for row in (
            _fit_row(TITLES[series.quantity][0], "with next-order term", series.fit, series),
            _fit_row("", "straight line", series.pure, series),
        )
    ]
    inputs = {"Γ": _matrix(setting.Gamma), "U": _matrix(setting.U), "V": _matrix(setting.V)}
    inputs["S (query covariance)" if setting.averaged else "z (query)"] = _matrix(setting.query)
    return environment.get_template("report.html.jinja").render(
        document=document,
        run=run,
        setting=setting,
        summary=_summary(run),
        cards=_cards(run),
        far=far_plot(run.far),
        fits=fits,
        inputs=inputs,
        rows=table(run),
        titles={quantity: title for quantity, (title, _) in TITLES.items()},
        failed=[c for c in run.comparisons if not c.holds],
        turn=float(np.exp(min(2 * setting.score_variance, 700.0))),
    )
