"""The plots of one run: errors, local slopes, and the exact curve where no simulation reaches."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from numerics.attention.bound_curves import Bound
from numerics.rates.far_curves import FarSlopes
from numerics.rates.result import Rates
from numerics.rates.series import Series
from proofs_check.reports.pages.svg import Plot, dashed, figure, log_axis, stand_in
from proofs_check.reports.pages.text import ratio

__all__ = ["error_limits", "error_plot", "far_plot", "slope_plot", "style_of"]

Floats = NDArray[np.float64]
#: By what factor the axis of errors goes beyond the truth for a bound, at most.
MOST_ABOVE = 1e12
#: Longest prompts that a simulation reaches.
FEASIBLE = 1e6
MUTED, GRID, MEASURED, EXACT, THEOREM = map(stand_in, ("muted", "grid", "measured", "exact", "theorem"))
#: Colour and dashes of a quantity where all three are in one plot.
QUANTITY_STYLES = {"output": ("exact", ""), "grad_V": ("theorem", "5 3"), "grad_U": ("gradient", "")}


def style_of(name: str) -> tuple[str, str]:
    """Variable and dash pattern of a bound: the paper's are in one colour, ours in another.

    >>> style_of("Lemma C.4"), style_of("Theorem A")
    (('paper', '5 3'), ('theorem', ''))
    """
    if name.startswith(("eq.", "Lemma")):
        return "paper", "5 3" if name.startswith("Lemma") else "1.5 2"
    if name.startswith("Proposition"):
        return "paper", "8 3"
    dashes = {
        "Theorem A": "",
        "Theorem B": "7 2 1.5 2",
        "Theorem B, limit": "1.5 2",
        "R1": "5 3",
        "limit": "1.5 2",
    }
    return "theorem", dashes[name]


def _measured_points(ax: Any, x: Floats, y: Floats, error: Floats) -> None:
    """Draw measured points with their 95 % intervals."""
    ax.errorbar(x, y, 1.96 * error, fmt="o", ms=3.6, color=MEASURED, elinewidth=1, capsize=2)


def _plot_bound(ax: Any, L: Floats, values: Floats, name: str) -> None:
    variable, dashes = style_of(name)
    ax.plot(L, values, color=stand_in(variable), linestyle=dashed(dashes))


def _name_beside(ax: Any, L: Floats, bound: Bound, truth: Floats) -> None:
    """The name of one of the paper's bounds at the end of its curve, and by what factor it is above
    the truth at best: so it is read without the legend.
    """
    seen = np.isfinite(bound.values) & (truth > 0)
    if style_of(bound.name)[0] == "paper" and bound.kind == "upper bound" and seen.any():
        factor = ratio(float(np.min(bound.values[seen] / truth[seen])))
        below = L[seen] >= L[-1] * (L[0] / L[-1]) ** 0.3  # the part of the curve below the text
        place = (L[seen][-1], 1.4 * float(np.max(bound.values[seen][below])))
        text = f"{bound.name.split(',')[0]}:\n{factor} × the error"
        ax.text(*place, text, ha="right", va="bottom", fontsize=7, color=stand_in("paper"), clip_on=True)


def _lengths_axis(ax: Any, L: Floats) -> None:
    ax.set_xscale("log")
    log_axis(ax.xaxis, L[0], L[-1])
    ax.set_xlim(L[0] / 1.2, L[-1] * 1.2)


def error_limits(series: Series) -> tuple[float, float]:
    """The ends of the axis of errors: from below the truth to above every bound where it is
    tightest, but not so far up that the truth could not be told from a horizontal line.
    """
    truth = series.mean if series.exact is None else series.exact
    positive = truth[truth > 0]
    low, high = (float(positive.min()) / 2, float(positive.max())) if positive.size else (0.1, 1.0)
    best = [float(np.nanmin(b.values)) for b in series.bounds if np.isfinite(b.values).any()]
    return low, min(300 * max([high, *best]), high * max(MOST_ABOVE, (high / low) ** 5))


def error_plot(run: Rates, series: Series, prefix: str = "run") -> Plot:
    """Mean squared error over the length with all bounds, and below it everything near the exact
    curve divided by it.
    """
    L = run.lengths

    def draw(ax: Any, below: Any = None) -> None:
        for bound in series.bounds:
            _plot_bound(ax, L, bound.values, bound.name)
            _name_beside(ax, L, bound, series.mean if series.exact is None else series.exact)
        if series.exact is not None:
            ax.plot(L, series.exact, color=EXACT)
        _measured_points(ax, L, series.mean, series.standard_error)
        ax.set_yscale("log")
        ax.set_ylabel("mean squared error")
        _lengths_axis(ax, L)
        low, high = error_limits(series)
        ax.set_ylim(low, high)
        log_axis(ax.yaxis, low, high)
        if below is None or series.exact is None:
            ax.set_xlabel("prompt length L")
            return
        for bound in series.bounds:
            _plot_bound(below, L, bound.values / series.exact, bound.name)
        below.plot(L, np.ones_like(L), color=EXACT)
        relative, error = series.mean / series.exact, series.standard_error / series.exact
        _measured_points(below, L, relative, error)
        reach = 1.25 * max(float(np.max(np.abs(relative - 1) + 1.96 * error)), 0.004)
        below.set_ylim(1 - reach, 1 + reach)
        below.locator_params(axis="y", nbins=3)
        below.set_ylabel("÷ exact")
        below.set_xlabel("prompt length L")

    rows = (3.0,) if series.exact is None else (3.0, 1.2)
    title = f"Mean squared error of {series.quantity} over the prompt length"
    return figure(f"{prefix}-error-{series.quantity}", title, draw, height=4.1, rows=rows)


def slope_plot(run: Rates, series: Series, prefix: str = "run") -> Plot:
    """Local slopes with their errors, those of the exact curve, the sharp exponent, and the fitted
    one with its interval.
    """

    def draw(ax: Any) -> None:
        slopes = series.slopes
        if series.sharp is not None:
            ax.axhline(-series.sharp, color=MUTED, linewidth=1, linestyle=(0, (2, 2)))
        if series.fit is not None:
            low, high = series.fit.interval()
            where = list(series.fit.lengths)
            ax.plot(
                where,
                [-series.fit.exponent] * 2,
                color=THEOREM,
                linestyle="-" if series.trusted else (0, (4, 2)),
            )
            if series.trusted:
                ax.fill_between(where, [-high] * 2, [-low] * 2, color=THEOREM, alpha=0.25, linewidth=0)
        if series.exact_slopes is not None and series.exact_slopes.size:
            ax.plot(slopes.lengths, series.exact_slopes, color=EXACT)
        if slopes.slope.size:
            _measured_points(ax, slopes.lengths, slopes.slope, slopes.standard_error)
        _lengths_axis(ax, run.lengths)
        ax.locator_params(axis="y", nbins=5)
        ax.set_ylabel("local slope")
        ax.set_xlabel("prompt length L")

    title = f"Local slopes of {series.quantity} over the prompt length"
    return figure(f"{prefix}-slope-{series.quantity}", title, draw, height=2.6)


def far_plot(far: FarSlopes, prefix: str = "run") -> Plot:
    """The exact errors up to L = 1e100 and their slopes; what a simulation can reach is shaded."""

    def draw(top: Any, bottom: Any) -> None:
        L = far.lengths
        for ax in (top, bottom):
            ax.axvspan(L[0], min(FEASIBLE, L[-1]), color=GRID, alpha=0.7, linewidth=0)
        bottom.axhline(far.sharp, color=MUTED, linewidth=1, linestyle=(0, (2, 2)))
        for quantity, slope in far.slopes.items():
            variable, dashes = QUANTITY_STYLES[quantity]
            style = {"color": stand_in(variable), "linestyle": dashed(dashes)}
            top.plot(L, far.errors[quantity], **style)
            bottom.plot(L, slope, marker="o", ms=2.4, **style)
        top.set_yscale("log")
        values = np.concatenate(list(far.errors.values()))
        log_axis(top.yaxis, values.min() / 2, values.max() * 2, most=5)
        top.set_ylabel("exact error")
        _lengths_axis(bottom, L)
        bottom.locator_params(axis="y", nbins=5)
        bottom.set_ylabel("its slope")
        bottom.set_xlabel("prompt length L")

    title = f"Exact errors and their slopes up to L = {far.lengths[-1]:.0e}"
    return figure(f"{prefix}-far", title, draw, height=3.9, rows=(1.0, 1.1))
