"""Computes the curves of Figures 1 to 8: at each point the median, the least and the greatest value
over the runs of several seeds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from numerics.experiments.boursier_boyer.failed_runs import failed
from numerics.experiments.boursier_boyer.plan import RunKey
from numerics.experiments.boursier_boyer.results import Measurements
from numerics.training.result import Training

__all__ = ["KINDS", "Line", "lines"]

Floats = NDArray[np.float64]
#: The rows of Figures 1 to 4, from above; Figures 5 to 8 repeat them for anisotropic covariates.
KINDS = {
    1: ("output gap", "gradient gap"),
    2: ("risk", "risk above ridge"),
    3: ("distance",),
    4: ("risk in training",),
}
#: The colour, dashes and marker of each architecture, and the colours of the prompt lengths, by
#: their names in the style sheet.
STYLES = {"softmax": ("run-1", "", "o"), "linear": ("run-2", "5 3", "s")}
LENGTH_VARIABLES = ("run-3", "run-4", "run-5", "run-6", "run-1", "run-2")


class Line(NamedTuple):
    """One curve."""

    #: A row of `KINDS`.
    quantity: str
    #: Its name in the key.
    curve: str
    #: Name of the colour in the style sheet, dash pattern, and marker; without a marker it is a
    #: line.
    variable: str
    dashes: str
    mark: str
    #: Prompt length, or steps of training.
    x: Floats
    #: Median, least and greatest over the seeds whose runs did not fail; of a run that ended early
    #: the extremes are those in the later half of its steps.
    middle: Floats
    low: Floats
    high: Floats
    #: Standard error of the median from sampling, 0 for what is exact, nan where it is not known.
    error: Floats
    #: Runs behind each point.
    seeds: NDArray[np.int64]
    #: The last points of runs that diverged; drawn at the upper edge if the height is nan.
    lost: tuple[tuple[float, float], ...] = ()
    #: For a curve over the steps, the risk at which the exact flow ends, if that is known.
    limit: float | None = None
    #: A run that failed is a line of its own: this is the name of the curve in which it is left
    #: out.
    failed: str = ""

    @property
    def clear(self) -> NDArray[np.bool_]:
        """Where the median is positive beyond its sampling error."""
        return self.middle > 1.96 * np.nan_to_num(self.error)

    @property
    def ceiling(self) -> Floats:
        """Upper end of the 95 % interval of the median."""
        return self.middle + 1.96 * np.nan_to_num(self.error)


def lines(measurements: Measurements, kind: int, covariance: str, variant: str) -> list[Line]:
    """The curves of one panel of a kind (one of `KINDS`), those without any point included."""
    maker = {1: _gaps, 2: _risks, 3: _distances, 4: _curves}[kind]
    return maker(measurements, covariance, variant)


def _line(
    quantity: str,
    curve: str,
    style: tuple[str, str, str],
    x: ArrayLike,
    values: Floats,
    errors: Floats | None = None,
    lost: Iterable[tuple[float, float]] = (),
    extremes: tuple[Floats, Floats] | None = None,
) -> Line:
    """A curve from the values of several seeds, one in each row, without the points that no run
    reached; each value may have a least and a greatest one around it.
    """
    finite = np.isfinite(values)
    seen = finite.any(0)
    some = values[:, seen]
    least, greatest = (some, some) if extremes is None else (extreme[:, seen] for extreme in extremes)
    parts = ((np.nanmedian, some), (np.nanmin, least), (np.nanmax, greatest))
    middle, low, high = (f(part, axis=0) if seen.any() else np.empty(0) for f, part in parts)
    error = np.full(len(middle), np.nan)
    if errors is not None and seen.any():  # the median has the error of the run that is nearest to it
        nearest = np.argmin(np.where(finite[:, seen], abs(some - middle), np.inf), axis=0)
        error = errors[:, seen][nearest, np.arange(len(middle))]
    x = np.asarray(x, dtype=float)[seen]
    return Line(quantity, curve, *style, x, middle, low, high, error, finite.sum(0)[seen], tuple(lost))


def _gaps(measurements: Measurements, covariance: str, variant: str) -> list[Line]:
    gaps = measurements.gaps.get((covariance, variant))
    if gaps is None:
        return []
    style = ("measured", "", "o")
    return [
        _line("output gap", "softmax minus linear", style, gaps.lengths, gaps.output, gaps.output_error),
        _line(
            "gradient gap", "softmax minus linear", style, gaps.lengths, gaps.gradient, gaps.gradient_error
        ),
    ]


def _risks(measurements: Measurements, covariance: str, variant: str) -> list[Line]:
    plan, found = measurements.plan, []
    seeds = plan.all_seeds
    lengths = sorted(
        {L for c, v, L in measurements.bayes if (c, v) == (covariance, variant)} & set(plan.lengths)
    )
    ridge = np.array([[measurements.bayes[covariance, variant, L] for L in lengths]]).reshape(1, -1, 2)
    for attention, (variable, _, mark) in STYLES.items():
        style = (variable, "", mark)
        keys = [[(covariance, variant, attention, L, seed) for L in lengths] for seed in seeds]
        pairs = np.array(
            [[measurements.final.get(key, (np.nan, np.nan)) for key in row] for row in keys]
        ).reshape(len(keys), -1, 2)
        lost = [
            (float(key[3]), float("nan"))
            for row in keys
            for key in row
            if _diverged(measurements, RunKey(*key))
        ]
        wrong = np.array([[failed(measurements, *key) for key in row] for row in keys], dtype=bool).reshape(
            len(keys), -1
        )
        risks = pairs[..., 0]
        settled = [[measurements.spread.get(key, (np.nan, np.nan)) for key in row] for row in keys]
        low, high = np.moveaxis(np.array(settled).reshape(*risks.shape, 2), -1, 0)
        good, least, greatest = (
            np.where(wrong, np.nan, x) for x in (risks, np.fmin(risks, low), np.fmax(risks, high))
        )
        for quantity, level, errors in (
            ("risk", 0.0, pairs[..., 1]),
            ("risk above ridge", ridge[..., 0], np.hypot(pairs[..., 1], ridge[..., 1])),
        ):
            values, extremes = risks - level, (least - level, greatest - level)
            found.append(_line(quantity, attention, style, lengths, good - level, errors, lost, extremes))
            for i in np.flatnonzero(wrong.any(1)):
                value = np.where(wrong[i], values[i], np.nan)[None]
                line = _line(quantity, _failed(attention, seeds[i]), style, lengths, value, errors[i, None])
                found.append(line._replace(failed=attention))
        exact = np.array(
            [[measurements.exact.get((covariance, variant, attention, L), np.nan) for L in lengths]]
        )
        limit = f"{attention}, limit of the flow"
        for quantity, values in (("risk", exact), ("risk above ridge", exact - ridge[..., 0])):
            found.append(_line(quantity, limit, (style[0], "5 3", ""), lengths, values, 0 * values))
    found.append(_line("risk", "ridge (L-Bayes)", ("ink", "", ""), lengths, ridge[..., 0], ridge[..., 1]))
    return found


def _diverged(measurements: Measurements, key: RunKey) -> bool:
    """Whether the run of one architecture diverged; where a coupled run did, both were trained
    alone.
    """
    try:
        return tuple(key) not in measurements.final and measurements.run(*key).diverged is not None
    except KeyError:
        return False


def _failed(curve: str, seed: int) -> str:
    return f"{curve}, seed {seed}, failed"


def _runs(
    measurements: Measurements, covariance: str, variant: str, attention: str, L: int
) -> tuple[list[Training], list[tuple[int, Training]]]:
    """The runs that did not fail, and those that did, with their seeds. A coupled run fails if
    either half does.
    """
    keys = [RunKey(covariance, variant, "coupled", L, seed) for seed in measurements.plan.seeds_of(L)]
    halves = ("softmax", "linear") if attention == "coupled" else (attention,)
    good, bad = [], []
    for key in keys:
        if key in measurements.runs:
            run = measurements.run(*key._replace(attention=attention))
            if any(failed(measurements, *key._replace(attention=half)) for half in halves):
                bad.append((key.seed, run))
            else:
                good.append(run)
    return good, bad


def _records(
    quantity: str,
    curve: str,
    style: tuple[str, str, str],
    runs: Sequence[Training],
    values: Sequence[Floats],
    errors: Sequence[Floats] = (),
) -> Line:
    """A curve from the records of several seeds, at the steps of the longest run; where a run
    diverged, its last record is marked.
    """
    x = max((run.step for run in runs), key=len, default=np.empty(0, dtype=np.int64))
    rows, spread = np.full((2, len(runs), len(x)), np.nan)
    for into, from_ in ((rows, values), (spread, errors)):
        for row, y in zip(into, from_):
            row[: len(y)] = y
    lost = [
        (float(run.step[-1]), float(y[-1]))
        for run, y in zip(runs, values)
        if run.diverged is not None and len(y)
    ]
    return _line(quantity, curve, style, x, rows, spread if errors else None, lost)


def _distances(measurements: Measurements, covariance: str, variant: str) -> list[Line]:
    found = []
    for i, L in enumerate(measurements.plan.curve_lengths):
        style = (LENGTH_VARIABLES[i % len(LENGTH_VARIABLES)], "", "")
        good, bad = _runs(measurements, covariance, variant, "coupled", L)
        for name, runs, of in [(f"L = {L}", good, "")] + [
            (_failed(f"L = {L}", seed), [run], f"L = {L}") for seed, run in bad
        ]:
            found.append(
                _records("distance", name, style, runs, [run.distance for run in runs])._replace(failed=of)
            )
    return found


def _curves(measurements: Measurements, covariance: str, variant: str) -> list[Line]:
    found = []
    for i, L in enumerate(measurements.plan.curve_lengths):
        for attention, (_, dashes, _) in STYLES.items():
            style, curve = (LENGTH_VARIABLES[i % len(LENGTH_VARIABLES)], dashes, ""), f"{attention}, L = {L}"
            good, bad = _runs(measurements, covariance, variant, attention, L)
            limit = measurements.exact.get((covariance, variant, attention, L)) if good or bad else None
            for name, runs, of in [(curve, good, "")] + [
                (_failed(curve, seed), [run], curve) for seed, run in bad
            ]:
                risks, errors = [run.risk for run in runs], [run.risk_error for run in runs]
                line = _records("risk in training", name, style, runs, risks, errors)
                found.append(line._replace(limit=None if of else limit, failed=of))
    return found
