"""A rate report as data for programs: one JSON document, described by ``report.schema.json``, and
one table.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from io import StringIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from numerics.attention.distance.answer import HowLinear
from numerics.attention.exponents import paper_exponent, region, standing
from numerics.attention.setting import AttentionSetting
from numerics.rates.fits.models import Models
from numerics.rates.fits.power_law import PowerLawFit
from numerics.rates.result import Rates
from numerics.rates.series import Series
from proofs_check.reports.pages.svg import Plot
from proofs_check.reports.pages.text import text_cell
from proofs_check.reports.rates.report.names import run_names
from proofs_check.reports.rates.report.slack import slacks
from proofs_check.reports.rates.verdicts import declared

__all__ = ["COLUMNS", "FORMAT", "as_csv", "as_document", "table"]

#: Version of the format of ``report.json``.
FORMAT = 4
#: Columns of the table that hold a curve, and the names that this curve may have.
BOUND_OF = {
    "theorem_a": ("Theorem A",),
    "theorem_b": ("Theorem B", "Theorem B, limit"),
    "r1": ("R1",),
    "average_bound": ("Proposition 3.1, our constants", "Proposition 3.4, our constants"),
    "limit": ("limit",),
    "lemma_c4": ("Lemma C.4",),
    "paper_exponent": ("eq. (16), exponent only", "eq. (18), exponent only"),
}
#: Columns of ``data.csv`` and what they hold; an empty field means that theory says nothing there.
COLUMNS = {
    "run": "name of the run",
    "quantity": "output, grad_V or grad_U",
    "L": "prompt length",
    "measured": "mean squared error over the prompts",
    "standard_error": "of measured",
    "exact": "mean squared error by quadrature",
    **{column: " or ".join(names) for column, names in BOUND_OF.items()},
}


def _number(value: float) -> float | None:
    """A number for JSON, which knows neither nan nor infinity."""
    return float(value) if math.isfinite(value) else None


def _numbers(values: NDArray[np.float64] | None) -> list[float | None] | None:
    return None if values is None else [_number(v) for v in values.tolist()]


def table(runs: Sequence[Rates]) -> list[dict[str, str | float | None]]:
    """The measurements and every curve, one row for each run, quantity and length, with the keys of
    `COLUMNS`, which says what they hold.
    """
    rows: list[dict[str, str | float | None]] = []
    for name, run in zip(run_names(runs), runs):
        for series in run.series:
            values = {bound.name: bound.values for bound in series.bounds}
            columns = {
                c: next((values[n] for n in names if n in values), None) for c, names in BOUND_OF.items()
            }
            for i, L in enumerate(run.lengths.tolist()):
                row: dict[str, str | float | None] = {
                    "run": name,
                    "quantity": series.quantity,
                    "L": int(L),
                    "measured": _number(series.mean[i]),
                    "standard_error": _number(series.standard_error[i]),
                    "exact": None if series.exact is None else _number(series.exact[i]),
                }
                rows.append(row | {c: None if v is None else _number(v[i]) for c, v in columns.items()})
    return rows


def as_csv(runs: Sequence[Rates]) -> str:
    """The table as text; numbers keep every digit, so that the same run gives the same bytes. A
    name that a spreadsheet would run as a formula has an apostrophe in front.
    """
    out = StringIO()
    writer = csv.DictWriter(out, list(COLUMNS), lineterminator="\n")
    writer.writeheader()
    writer.writerows(
        {c: text_cell(x) if isinstance(x, str) else x for c, x in row.items()} for row in table(runs)
    )
    return out.getvalue()


def _fit(fit: PowerLawFit | None) -> dict[str, Any] | None:
    if fit is None:
        return None
    return {
        "exponent": fit.exponent,
        "standard_error": fit.standard_error,
        "interval95": list(fit.interval()),
        "amplitude": _number(fit.amplitude),
        "correction": fit.correction,
        "order": fit.order,
        "chi2": fit.chi2,
        "dof": fit.dof,
        "p_value": fit.p_value,
        "lengths": list(fit.lengths),
        "points": fit.points,
        "warnings": list(fit.warnings),
    }


def _models(models: Models | None) -> dict[str, Any] | None:
    if models is None:
        return None
    return {
        "laws": [
            {
                "law": model.name,
                "exponent": model.fit.exponent,
                "standard_error": model.fit.standard_error,
                "p_value": model.fit.p_value,
                "akaike_weight": model.akaike_weight,
                "bias": None if model.bias is None else _number(model.bias),
                "rejected": bool(model.rejected),
            }
            for model in models.models
        ],
        "shows": models.shows,
        "says": models.says,
    }


def _series(series: Series, run: Rates) -> dict[str, Any]:
    exact_slopes = (
        series.exact_slopes if series.exact_slopes is not None else np.full(series.slopes.slope.shape, np.nan)
    )
    at = lambda pair: {"L": int(pair[0]), "ratio": pair[1]}
    return {
        "quantity": series.quantity,
        "measured": _numbers(series.mean),
        "standard_error": _numbers(series.standard_error),
        "effective_samples": _numbers(series.estimate.effective_samples),
        "largest_share": _numbers(series.largest_share),
        "skewness": _numbers(series.estimate.skewness),
        "kurtosis": _numbers(series.estimate.kurtosis),
        "rare_share": _numbers(series.rare_share),
        "exact": _numbers(series.exact),
        "bounds": [
            {"name": b.name, "kind": b.kind, "note": b.note, "values": _numbers(b.values)}
            for b in series.bounds
        ],
        "slack": [
            {
                "bound": s.bound,
                "against": s.against,
                "shortest": at(s.shortest),
                "tightest": at(s.tightest),
                "longest": at(s.longest),
            }
            for s in slacks(run)
            if s.quantity == series.quantity
        ],
        "slopes": [
            {"L": float(L), "slope": float(s), "standard_error": float(e), "exact": _number(x)}
            for L, s, e, x in zip(
                series.slopes.lengths, series.slopes.slope, series.slopes.standard_error, exact_slopes
            )
        ],
        "sharp_exponent": series.sharp,
        "standing": standing(run.setting, series.quantity),
        "paper_exponent": paper_exponent(run.setting, series.quantity),
        "fit": _fit(series.fit),
        "pure_fit": _fit(series.pure),
        "trusted": series.trusted,
        "reason": series.reason,
        "models": _models(series.models),
    }


def _setting(setting: AttentionSetting) -> dict[str, Any]:
    averaged = setting.averaged
    return {
        "name": setting.name,
        "d": setting.d,
        "d_out": int(setting.V.shape[0]),
        "law": setting.law.name,
        "law_identity": None if setting.law.identity is None else dict(setting.law.identity),
        "Gamma": setting.Gamma.tolist(),
        "U": setting.U.tolist(),
        "V": setting.V.tolist(),
        "query": "Gaussian" if averaged else "fixed",
        "query_vector": None if averaged else setting.query.tolist(),
        "query_covariance": None if setting.query_cov is None else setting.query_cov.tolist(),
        "sigma2": setting.sigma2,
        "score_variance": setting.score_variance,
        "region": region(setting.score_variance).says if averaged and setting.gaussian else None,
    }


def _answer(found: HowLinear) -> dict[str, Any]:
    """How close attention is to linear attention, as JSON values."""
    bound = found.bound
    return {
        "L": int(found.lengths[-1]),
        "sentence": found.sentence,
        "colour": found.grade.colour,
        "says": found.grade.says,
        "error": _number(found.error[-1]),
        "relative_error": _number(found.relative_error[-1]),
        "standard_error": _number(found.standard_error[-1]),
        "to_limit": _number(found.to_limit[-1]),
        "to_limit_error": _number(found.to_limit_error[-1]),
        "off_linear": _number(found.off_linear.value),
        "slope": _number(found.slope[-1]),
        "needed": [{"tolerance": t, "L": _number(L)} for t, L in found.needed.items()],
        "needed_to_limit": [{"tolerance": t, "L": _number(L)} for t, L in found.needed_to_limit.items()],
        "law": None if found.law is None else str(found.law),
        "law_from": _number(found.law_from),
        "bound": None
        if bound is None
        else {
            "name": bound.name,
            "value": _number(bound.values[-1]),
            "needed": [{"tolerance": t, "L": _number(L)} for t, L in bound.needed.items()],
            "note": bound.note,
        },
        "linear": found.linear,
        "limit": found.size.value,
    }


def _run(name: str, run: Rates) -> dict[str, Any]:
    far = run.far
    return {
        "run": name,
        "holds": run.holds,
        "answer": _answer(run.answer),
        "setting": _setting(run.setting),
        "lengths": [int(L) for L in run.lengths],
        "replicates": run.replicates,
        "seed": run.seed,
        "method": run.method,
        "comparisons": [
            asdict(c) | {"value": _number(c.value), "limit": _number(c.limit), "declared": declared(c.law)}
            for c in run.comparisons
        ],
        "warnings": list(run.warnings),
        "series": [_series(series, run) for series in run.series],
        "far": None
        if far is None
        else {
            "lengths": far.lengths.tolist(),
            "sharp": far.sharp,
            "reaches": far.reaches,
            "curves": [
                {
                    "quantity": quantity,
                    "exact": _numbers(far.errors[quantity]),
                    "slope": _numbers(slope),
                    "allowed": far.margins[quantity],
                }
                for quantity, slope in far.slopes.items()
            ],
            "models": [{"law": law, "exponent": exponent} for law, exponent in run.far_models],
        },
    }


def as_document(runs: Sequence[Rates], provenance: dict[str, Any], plots: Iterable[Plot]) -> dict[str, Any]:
    """The whole report as JSON values that are valid under ``report.schema.json``; numbers that are
    not finite are null.
    """
    return {
        "format": FORMAT,
        "holds": all(run.holds for run in runs),
        "runs": [_run(name, run) for name, run in zip(run_names(runs), runs)],
        "plots": [{"file": f"plots/{plot.name}.svg", "title": plot.title} for plot in plots],
        "provenance": provenance,
    }
