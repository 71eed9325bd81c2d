"""A rate report as data: one JSON document, described by ``report.schema.json``, and one table."""

from __future__ import annotations

import csv
import math
from io import StringIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from numerics.fit import PowerLawFit
from numerics.rates import Rates, Series

__all__ = ["COLUMNS", "as_csv", "as_document", "table"]

#: Columns of ``data.csv``; an empty field means that theory says nothing there.
COLUMNS = ("quantity", "L", "measured", "standard_error", "exact", "theorem_a", "theorem_b", "lemma_c4", "eq_16")
BOUND_OF = {"theorem_a": "Theorem A", "theorem_b": "Theorem B", "lemma_c4": "Lemma C.4", "eq_16": "eq. (16), exponent only"}


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _numbers(values: NDArray[np.float64] | None) -> list[float | None] | None:
    return None if values is None else [_number(v) for v in values.tolist()]


def table(run: Rates) -> list[dict[str, str | float | None]]:
    """The measurements and every curve, one row for each quantity and length.

    Parameters
    ----------
    run : Rates

    Returns
    -------
    list of dict
        With the keys `COLUMNS`.
    """
    rows: list[dict[str, str | float | None]] = []
    for series in run.series:
        values = {bound.name: bound.values for bound in series.bounds}
        for i, L in enumerate(run.lengths.tolist()):
            row: dict[str, str | float | None] = {
                "quantity": series.quantity,
                "L": int(L),
                "measured": _number(series.mean[i]),
                "standard_error": _number(series.standard_error[i]),
                "exact": None if series.exact is None else _number(series.exact[i]),
            }
            rows.append(row | {column: _number(values[name][i]) if name in values else None for column, name in BOUND_OF.items()})
    return rows


def as_csv(run: Rates) -> str:
    """The table as text; numbers keep every digit, so that the same run gives the same bytes."""
    out = StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(table(run))
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


def _series(series: Series) -> dict[str, Any]:
    exact_slopes = series.exact_slopes if series.exact_slopes is not None else np.full(series.slopes.slope.shape, np.nan)
    return {
        "quantity": series.quantity,
        "measured": _numbers(series.mean),
        "standard_error": _numbers(series.standard_error),
        "largest_share": _numbers(series.largest_share),
        "exact": _numbers(series.exact),
        "bounds": [{"name": b.name, "kind": b.kind, "note": b.note, "values": _numbers(b.values)} for b in series.bounds],
        "slopes": [
            {"L": float(L), "slope": float(s), "standard_error": float(e), "exact": _number(x)}
            for L, s, e, x in zip(series.slopes.lengths, series.slopes.slope, series.slopes.standard_error, exact_slopes)
        ],
        "sharp_exponent": series.sharp,
        "fit": _fit(series.fit),
        "pure_fit": _fit(series.pure),
        "trusted": series.trusted,
        "reason": series.reason,
    }


def as_document(run: Rates, provenance: dict[str, Any]) -> dict[str, Any]:
    """The whole report as JSON values.

    Parameters
    ----------
    run : Rates
    provenance : dict
        What `numerics.report.provenance` returns.

    Returns
    -------
    dict
        Valid under ``report.schema.json``; numbers that are not finite are null.
    """
    setting = run.setting
    return {
        "format": 1,
        "holds": run.holds,
        "setting": {
            "name": setting.name,
            "d": setting.d,
            "d_out": int(setting.V.shape[0]),
            "Gamma": setting.Gamma.tolist(),
            "U": setting.U.tolist(),
            "V": setting.V.tolist(),
            "query": "Gaussian" if setting.averaged else "fixed",
            "query_vector": None if setting.averaged else setting.query.tolist(),
            "query_covariance": setting.query.tolist() if setting.averaged else None,
            "sigma2": setting.sigma2,
            "score_variance": setting.score_variance,
        },
        "lengths": [int(L) for L in run.lengths],
        "replicates": run.replicates,
        "seed": run.seed,
        "comparisons": [
            {
                "name": c.name,
                "holds": c.holds,
                "says": c.says,
                "value": _number(c.value),
                "limit": _number(c.limit),
                "error": c.error,
            }
            for c in run.comparisons
        ],
        "warnings": list(run.warnings),
        "series": [_series(series) for series in run.series],
        "far": {
            "lengths": run.far.lengths.tolist(),
            "slope": _numbers(run.far.slope),
            "sharp": run.far.sharp,
            "allowed": run.far.allowed,
            "reaches": run.far.reaches,
        },
        "provenance": provenance,
    }
