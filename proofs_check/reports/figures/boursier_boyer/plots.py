"""Draws Figures 1 to 8: one panel for each reading of the experiments, with the same vertical axes
wherever two panels are compared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from numerics.experiments.boursier_boyer.plan import number_of
from numerics.experiments.boursier_boyer.results import Measurements
from proofs_check.reports.figures.boursier_boyer.curves import KINDS, Line, lines
from proofs_check.reports.pages.svg import Plot, dashed, figure, log_axis, stand_in
from proofs_check.reports.pages.text import sci, slug

__all__ = ["Figure", "Panel", "draw"]

#: The label of each row.
LABELS = {
    "output gap": "gap of outputs",
    "gradient gap": "gap of gradients",
    "risk": "risk at the end",
    "risk above ridge": "minus ridge",
    "distance": "squared distance",
    "risk in training": "risk",
}
#: The titles of Figures 1 to 4, which Figures 5 to 8 share.
TITLES = {
    1: "Softmax and linear attention at the same random parameters",
    2: "Risk at the end of training",
    3: "Distance of the trained parameters",
    4: "Risk during training",
}
#: For each kind of figure the shares of its rows in the height, and the height in inches.
SHAPES: Mapping[int, tuple[tuple[float, ...], float]] = {
    1: ((1.0, 1.0), 4.4),
    2: ((1.5, 1.0), 4.6),
    3: ((1.0,), 3.0),
    4: ((1.0,), 3.3),
}
#: Rows with a guide line c / L^p, and its power p.
POWERS = {"output gap": 1.0, "gradient gap": 2.0}
#: Rows that the noise of the labels keeps away from zero.
NOISY = ("risk", "risk in training")
#: The paper says of Figure 4 that the risk has converged at this step.
CONVERGENCE_STEP = 50_000


class Panel(NamedTuple):
    """One plot of a figure: a reading of the experiments, its curves, the ends of the axis of each
    row, and the picture.
    """

    variant: str
    lines: Sequence[Line]
    ends: Mapping[str, tuple[float, float]]
    plot: Plot


class Figure(NamedTuple):
    """A figure of the paper: its number, the kind of `KINDS`, and its panels side by side."""

    number: int
    kind: int
    covariance: str
    title: str
    panels: Sequence[Panel]


def draw(measurements: Measurements) -> list[Figure]:
    """Every figure of the plan, in the order 1, 5, 2, 6, ...: isotropic and anisotropic covariates
    after each other.
    """
    plan, found = measurements.plan, []
    for kind, title in TITLES.items():
        shown = [covariance for covariance in plan.covariances if plan.shows(kind, covariance)]
        data = {(c, v): lines(measurements, kind, c, v) for c in shown for v in plan.variants}
        every = [line for part in data.values() for line in part]
        ends = {}
        for quantity in KINDS[kind]:
            level = measurements.noise_level if quantity in NOISY else 0.0
            ends[quantity] = _ends([line for line in every if line.quantity == quantity], level)
        for covariance in shown:
            number = number_of(kind, covariance)
            panels = []
            for variant in plan.variants:
                curves = data[covariance, variant]
                panels.append(
                    Panel(
                        variant, curves, ends, _panel(measurements, kind, covariance, variant, curves, ends)
                    )
                )
            found.append(Figure(number, kind, covariance, title, panels))
    return found


def _ends(found: Sequence[Line], level: float) -> tuple[float, float]:
    """Ends of a logarithmic axis on which every curve fits, with its limit and the level of the
    noise.
    """
    parts = [np.array([level], dtype=float)]
    for line in found:
        parts += [
            line.middle[line.clear],
            line.high[line.clear],
            line.ceiling[~line.clear],
            np.array([line.limit or np.nan]),
        ]
        parts.append(line.low[line.clear & (line.low > 1.96 * np.nan_to_num(line.error))])
    values = np.concatenate(parts)
    values = values[np.isfinite(values) & (values > 0)]
    if not values.size:
        return 0.1, 1.0
    low, high = float(values.min()), float(values.max())
    common = np.concatenate([line.middle[line.clear] for line in found]) if found else np.empty(0)
    if common.size:  # a run that diverges leaves the plot, so that the others are not pressed together
        high = min(high, 20 * float(np.quantile(common, 0.95)))
    room = max((high / low) ** 0.06, 1.05)
    return low / room, high * room


def _panel(
    measurements: Measurements,
    kind: int,
    covariance: str,
    variant: str,
    curves: Sequence[Line],
    ends: Mapping[str, tuple[float, float]],
) -> Plot:
    rows, height = SHAPES[kind]

    def panel(*axes: Any) -> None:
        for ax, quantity in zip(axes, KINDS[kind]):
            low, high = ends[quantity]
            ax.set_xscale("log")
            ax.set_yscale("log")
            ax.set_ylim(low, high)
            if quantity in NOISY and measurements.noise_level > 0:
                ax.axhline(
                    measurements.noise_level, color=stand_in("muted"), linewidth=1, linestyle=dashed("1.5 2")
                )
            for line in curves:
                if line.quantity == quantity:
                    _draw(ax, line, low, high)
                    if quantity in POWERS:
                        _guide(ax, line)
            _ticks(ax.yaxis, low, high)
            ax.set_ylabel(LABELS[quantity])
        _bottom(axes[-1], measurements, kind, variant)
        if kind == 4:
            _limits(axes[0], curves)

    number = number_of(kind, covariance)
    title = f"Figure {number}, {covariance} covariates, {variant}: {TITLES[kind].lower()}"
    return figure(f"figure-{number}-{slug(variant)}", title, panel, height=height, rows=rows)


def _draw(ax: Any, line: Line, bottom: float, top: float) -> None:
    """Draw a curve with the range of its seeds: a band around a line, bars at points."""
    colour = stand_in(line.variable)
    # A value that sampling does not tell from 0 has no place on a logarithmic axis: the line has a
    # gap there, and a triangle at the upper end of the confidence interval.
    middle, low, high = (
        np.where(line.clear, line.middle, np.nan),
        np.maximum(line.low, bottom),
        np.maximum(line.high, bottom),
    )
    several = (line.high > line.low) & line.clear
    if (line.seeds > 1).all() or not line.mark:
        ax.fill_between(line.x, low, high, where=several, color=colour, alpha=0.2, linewidth=0)
    else:
        ax.vlines(line.x[several], low[several], high[several], color=colour, linewidth=2.6, alpha=0.45)
    ax.plot(
        line.x[~line.clear],
        line.ceiling[~line.clear],
        marker="v",
        ms=3.4,
        linestyle="",
        color=colour,
        alpha=0.5,
    )
    if line.failed:
        hollow = {
            "marker": line.mark or "o",
            "ms": 4.2,
            "markerfacecolor": "none",
            "markeredgewidth": 0.9,
            "linestyle": "",
        }
        last = slice(None) if line.mark else slice(-1, None)
        ax.plot(line.x[last], middle[last], color=colour, **hollow)
        if not line.mark:
            ax.plot(line.x, middle, color=colour, linestyle=dashed(line.dashes), linewidth=0.7, alpha=0.8)
    else:
        style = {"marker": line.mark, "ms": 3.2, "linewidth": 1.0} if line.mark else {"linewidth": 1.4}
        ax.plot(line.x, middle, color=colour, linestyle=dashed(line.dashes), **style)
    for x, y in line.lost:
        style = {"marker": "x", "ms": 5, "markeredgewidth": 1.3, "linestyle": "", "clip_on": False}
        ax.plot([x], [min(y, top) if np.isfinite(y) else top], color=colour, **style)


def _guide(ax: Any, line: Line) -> None:
    """Draw c/L, for gradients c/L^2, with the fitted c: the law for long prompts at fixed
    parameters.
    """
    if line.x.size:
        law = line.x ** -POWERS[line.quantity]
        known = bool(np.all(line.error > 0))
        weight = 1 / line.error**2 if known else 1 / law**2
        c = np.sum(weight * line.middle * law) / np.sum(weight * law**2)
        ax.plot(
            line.x,
            np.where(c > 0, c * law, np.nan),
            color=stand_in("theorem"),
            linestyle=dashed("5 3"),
            linewidth=1.1,
        )


def _limits(ax: Any, curves: Sequence[Line]) -> None:
    """Mark at the right edge where the exact flow ends: filled for softmax, hollow for linear."""
    for line in curves:
        if line.limit is not None:
            colour = stand_in(line.variable)
            style = {
                "marker": "<",
                "ms": 5,
                "linestyle": "",
                "clip_on": False,
                "transform": ax.get_yaxis_transform(),
            }
            ax.plot(
                [1.0], [line.limit], color=colour, markerfacecolor="none" if line.dashes else colour, **style
            )


def _bottom(ax: Any, measurements: Measurements, kind: int, variant: str) -> None:
    """Set the horizontal axis, which is the same for every panel of a kind of figure."""
    plan = measurements.plan
    if kind in (1, 2):
        lengths = plan.gap_lengths if kind == 1 else plan.lengths
        low, high = min(lengths) / 1.15, max(lengths) * 1.15
        ax.set_xlabel("prompt length L")
    else:
        low, high = 0.8 * min(map(plan.every, plan.variants)), 1.06 * max(map(plan.steps, plan.variants))
        ax.set_xlabel("steps of SGD, in thousands")
        if kind == 4 and low < CONVERGENCE_STEP < high:
            ax.axvline(CONVERGENCE_STEP, color=stand_in("muted"), linewidth=0.9, linestyle=dashed("1.5 2"))
            place, side = (
                (1.04 * CONVERGENCE_STEP, "left")
                if high > 2 * CONVERGENCE_STEP
                else (CONVERGENCE_STEP / 1.04, "right")
            )
            style = {"va": "top", "fontsize": 7.5, "color": stand_in("muted")}
            ax.text(place, 0.97, "50 000 steps", ha=side, transform=ax.get_xaxis_transform(), **style)
        if 1.06 * plan.steps(variant) < high:
            ax.axvspan(plan.steps(variant), high, color=stand_in("grid"), alpha=0.5, linewidth=0)
    ax.set_xlim(low, high)
    _ticks(ax.xaxis, low, high, unit=1 if kind in (1, 2) else 1000)


def _ticks(axis: Any, low: float, high: float, unit: float = 1) -> None:
    """Set ticks at the decades, and at 2 and 5 between them where the axis spans few decades."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullLocator

    if high / low >= 500 and unit == 1:
        log_axis(axis, low, high, most=6)
        return
    decades = 10.0 ** np.arange(np.floor(np.log10(low)), np.ceil(np.log10(high)) + 1)
    places = np.outer(decades, (1, 2, 5) if high / low > 3 else (1, 1.5, 2, 3, 4, 5, 6, 8)).ravel()
    inside = [float(place) for place in places if low <= place <= high]
    axis.set_major_locator(FixedLocator(inside) if len(inside) > 1 else MaxNLocator(4))
    axis.set_major_formatter(FuncFormatter(lambda value, _: sci(value / unit)))
    axis.set_minor_locator(NullLocator())
