"""The plots of several runs together: their errors in one plot, and the exponent against lambda
with each run as a point.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from numerics.attention.exponents import REGIONS, exponent_curve, paper_curve, paper_exponent
from numerics.attention.setting import Quantity
from numerics.rates.result import Rates
from numerics.rates.series import Series
from proofs_check.reports.pages.svg import Plot, dashed, figure, log_axis, stand_in
from theory.bounds.query_average import exponent as our_exponent
from theory.shown.colours import COLOURS

__all__ = ["overlay_plot", "phase_plot", "run_style"]

Floats = NDArray[np.float64]
#: Markers and colours that tell runs apart.
MARKERS = "os^Dvp"
RUN_COLOURS = tuple(name for name in COLOURS if name.startswith("run-"))
#: Ends of the axis of lambda, unless a run lies beyond.
LEAST_LAMBDA, GREATEST_LAMBDA = 0.04, 25.0
#: Labels of the regions of lambda.
REGION_LABELS = ("shown", "slow", "ln L", "not shown at feasible L")


def run_style(index: int, count: int) -> tuple[str, str]:
    """Variable and marker of one run among several, no two alike among 36; a single one is drawn in
    ink.
    """
    if count == 1:
        return "measured", "o"
    turn = index // len(RUN_COLOURS)  # the colours come again, with other markers
    return RUN_COLOURS[index % len(RUN_COLOURS)], MARKERS[(index + turn) % len(MARKERS)]


def _series(run: Rates, quantity: Quantity) -> Series | None:
    return next((series for series in run.series if series.quantity == quantity), None)


def overlay_plot(runs: Sequence[Rates], quantity: Quantity) -> Plot:
    """The errors of every run, and below them error times L to the sharp exponent, as a share of
    its last value.
    """

    def draw(top: Any, bottom: Any) -> None:
        values, lengths = [], []
        for i, run in enumerate(runs):
            series = _series(run, quantity)
            if series is None:
                continue
            variable, marker = run_style(i, len(runs))
            colour, L = stand_in(variable), run.lengths
            seen = series.mean > 0
            style = {"fmt": marker, "ms": 3.4, "color": colour, "elinewidth": 0.9, "capsize": 1.5}
            top.errorbar(L[seen], series.mean[seen], 1.96 * series.standard_error[seen], **style)
            values.append(series.mean[seen])
            lengths.append(L)
            scale = L**series.sharp if series.sharp is not None else None
            curve = series.mean if series.exact is None else series.exact
            if series.exact is not None:
                top.plot(L, series.exact, color=colour, linewidth=1.2)
            if scale is not None and curve[-1] > 0:
                last = curve[-1] * scale[-1]
                bottom.errorbar(
                    L, series.mean * scale / last, 1.96 * series.standard_error * scale / last, **style
                )
                if series.exact is not None:
                    bottom.plot(L, series.exact * scale / last, color=colour, linewidth=1.2)
        L, y = np.concatenate(lengths), np.concatenate(values)
        top.set_yscale("log")
        log_axis(top.yaxis, y.min() / 2, y.max() * 2)
        top.set_ylim(y.min() / 2, y.max() * 2)
        top.set_ylabel("mean squared error")
        bottom.axhline(1.0, color=stand_in("muted"), linewidth=1, linestyle=(0, (2, 2)))
        bottom.set_xscale("log")
        log_axis(bottom.xaxis, L.min(), L.max())
        bottom.set_xlim(L.min() / 1.2, L.max() * 1.2)
        bottom.locator_params(axis="y", nbins=4)
        bottom.set_ylabel("× L^sharp")
        bottom.set_xlabel("prompt length L")

    title = f"Errors of {quantity} in every run, and times L to the sharp exponent"
    return figure(f"overlay-{quantity}", title, draw, height=4.1, rows=(2.2, 1.3))


def phase_plot(runs: Sequence[Rates], quantity: Quantity) -> Plot:
    """The sharp exponent, ours and the paper's against lambda for tokens N(0, lambda I), U = V = I
    and queries N(0, I).
    """
    # Every run with Gaussian queries stands at its lambda; those at one query, whose exponent is 1
    # for every score variance, stand in a strip to the left. A ring is the sharp exponent of a run;
    # a filled mark is a fit that can be trusted, a hollow one a fit that cannot; a cross is the
    # exact slope at L = 1e100, a triangle the paper's exponent for the setting.
    over_queries = [run for run in runs if run.setting.averaged and run.setting.score_variance > 0]
    aside = [run for run in runs if run not in over_queries]
    lam = [run.setting.score_variance for run in over_queries]
    low, high = min([LEAST_LAMBDA, *(x / 2 for x in lam)]), max([GREATEST_LAMBDA, *(2 * x for x in lam)])

    def draw(*axes: Any) -> None:
        main = axes[-1]
        x = np.geomspace(low, high, 241)
        edges = [low, *(r.low for r in REGIONS[1:]), high]
        for left, right, shade, word in zip(edges, edges[1:], (0.0, 0.35, 0.7, 1.0), REGION_LABELS):
            main.axvspan(left, right, color=stand_in("grid"), alpha=shade, linewidth=0)
            main.text(
                np.sqrt(left * right),
                1.13,
                word,
                ha="center",
                va="center",
                fontsize=6.5,
                color=stand_in("muted"),
            )
        main.plot(x, exponent_curve(x), color=stand_in("exact"), linewidth=2)
        ours = np.array([float(our_exponent(1.0, np.sqrt(v), 32 if quantity == "grad_U" else 16)) for v in x])
        main.plot(x, ours, color=stand_in("theorem"), linestyle=dashed("5 3"))
        main.plot(x, paper_curve(x, quantity), color=stand_in("paper"), linestyle=dashed("1.5 2"))
        main.set_xscale("log")
        main.set_xlim(low, high)
        from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

        ticks = [v for v in (0.01, 0.25, 0.5, 1, 4, 16, 64, 256) if low <= v <= high]
        main.xaxis.set_major_locator(FixedLocator(ticks))
        main.xaxis.set_major_formatter(
            FuncFormatter(lambda value, _: {0.25: "¼", 0.5: "½"}.get(value, f"{value:g}"))
        )
        main.xaxis.set_minor_locator(NullLocator())
        main.set_xlabel("λ")
        if aside:
            strip = axes[0]
            strip.axhline(1.0, color=stand_in("exact"), linewidth=2)
            strip.set_xlim(-1, len(aside))
            strip.set_xticks([])
            strip.set_xlabel("one query")
            main.tick_params(labelleft=False)
        for i, run in enumerate(runs):
            ax = main if run in over_queries else axes[0]
            place = run.setting.score_variance if run in over_queries else float(aside.index(run))
            _point(ax, run, place, quantity, *run_style(i, len(runs)))
        for ax in axes:
            ax.set_ylim(0, 1.2)
            ax.set_yticks([0, 0.25, 0.5, 0.75, 1])
        axes[0].set_ylabel("exponent")

    title = (
        f"Exponent of the error of {quantity} against lambda: sharp, ours, the paper's, "
        "and the runs as points"
    )
    columns = (0.7, 5.0) if aside else (1.0,)
    return figure(f"phase-{quantity}", title, draw, height=2.9, columns=columns, share_x=False)


def _point(ax: Any, run: Rates, place: float, quantity: Quantity, variable: str, marker: str) -> None:
    """Draw the exponents of one run: sharp, fitted, far out, and the paper's."""
    series, colour = _series(run, quantity), stand_in(variable)
    if series is None:
        return
    if series.sharp is not None:
        ax.plot(
            [place],
            [series.sharp],
            marker="o",
            ms=11,
            color=colour,
            markerfacecolor="none",
            markeredgewidth=1,
            linestyle="",
        )
    if series.fit is not None and 0 < series.fit.exponent < 1.2:
        style = {"fmt": marker, "ms": 4.6, "color": colour, "elinewidth": 1, "capsize": 2}
        face = colour if series.trusted else "none"
        ax.errorbar(
            [place], [series.fit.exponent], 1.96 * series.fit.standard_error, markerfacecolor=face, **style
        )
    if run.far is not None and quantity in run.far.slopes and run.setting.averaged:
        ax.plot([place], [-run.far.slopes[quantity][-1]], marker="x", ms=5.5, color=colour, linestyle="")
    paper = paper_exponent(run.setting, quantity)
    if paper is not None:
        ax.plot(
            [place],
            [paper],
            marker="v",
            ms=5,
            color=stand_in("paper") if variable == "measured" else colour,
            linestyle="",
        )
