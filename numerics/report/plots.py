"""The plots of a rate report as inline SVG: text stays text, and colours are variables of the page that follow its theme."""

from __future__ import annotations

import re
from collections.abc import Callable
from io import StringIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from numerics.curves import FarSlopes
from numerics.rates import Rates, Series

__all__ = ["error_plot", "far_plot", "slope_plot", "style_of"]

Floats = NDArray[np.float64]

# Matplotlib draws in stand-in colours, which become variables of the page afterwards.
INK, MUTED, GRID, MEASURED, EXACT, THEOREM, PAPER = (f"#0{i}0{i}0{i}" for i in range(1, 8))
VARIABLES = {
    INK: "ink",
    MUTED: "muted",
    GRID: "grid",
    MEASURED: "measured",
    EXACT: "exact",
    THEOREM: "theorem",
    PAPER: "paper",
}
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def style_of(name: str) -> tuple[str, str]:
    """Variable and dash pattern of a bound: the paper's are in one colour, ours in another.

    Examples
    --------
    >>> style_of("Lemma C.4"), style_of("Theorem A")
    (('paper', '5 3'), ('theorem', ''))
    """
    return {
        "Theorem A": ("theorem", ""),
        "Theorem B": ("theorem", "7 2 1.5 2"),
        "Lemma C.4": ("paper", "5 3"),
        "eq. (16), exponent only": ("paper", "1.5 2"),
    }[name]


def _power(exponent: int) -> str:
    return "10" + str(exponent).translate(SUPERSCRIPTS) if exponent not in (0, 1) else str(10**exponent)


def _figure(height: float, rows: tuple[float, ...], draw: Callable[..., None], identity: str, title: str) -> str:
    """An SVG element drawn by ``draw(axes...)``, with ids of its own so that several fit on one page."""
    import matplotlib as mpl
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    settings: dict[str, Any] = {
        "svg.fonttype": "none",
        "svg.hashsalt": identity,
        "font.size": 9,
        "text.color": INK,
        "axes.edgecolor": MUTED,
        "axes.labelcolor": INK,
        "xtick.color": MUTED,
        "ytick.color": MUTED,
        "xtick.labelcolor": INK,
        "ytick.labelcolor": INK,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "grid.color": GRID,
        "grid.linewidth": 0.6,
        "axes.axisbelow": True,
        "axes.linewidth": 0.7,
        "lines.linewidth": 1.6,
        "path.simplify": False,
    }
    with mpl.rc_context(settings):
        figure = Figure(figsize=(4.4, height), facecolor="none")
        FigureCanvasSVG(figure)
        # Margins by hand, for labels of at most seven characters: the automatic layout draws everything twice.
        frame = {"left": 0.175, "right": 0.98, "bottom": 0.42 / height, "top": 1 - 0.12 / height, "hspace": 0.1}
        axes = figure.subplots(len(rows), 1, sharex=True, squeeze=False, gridspec_kw={"height_ratios": rows} | frame)[:, 0]
        for ax in axes:
            ax.set_facecolor("none")
        draw(*axes)
        text = StringIO()
        figure.savefig(text, format="svg", transparent=True, metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    return _inline(text.getvalue(), identity, title)


def _inline(svg: str, identity: str, title: str) -> str:
    """The bare element: no prologue, no metadata, unique ids, colours as variables, scaled by the page."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>\s*", "", svg, flags=re.DOTALL)
    svg = re.sub(r'(<svg[^>]*?) width="[^"]*"', r"\1", svg, count=1)
    svg = re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", svg, count=1)
    svg = re.sub(r'\bid="', f'id="{identity}-', svg)
    svg = re.sub(r'(href="#|url\(#)', rf"\g<1>{identity}-", svg)
    svg = re.sub(r"font: ([\d.]+)px [^;\"]*", r"font-size: \1px", svg)
    svg = svg.replace("<svg ", f'<svg role="img" aria-labelledby="{identity}-title" ', 1)
    svg = re.sub(r"(<svg[^>]*>)", rf'\1\n <title id="{identity}-title">{title}</title>', svg, count=1)
    for colour, name in VARIABLES.items():
        svg = svg.replace(colour, f"var(--{name})")
    return svg


def _log_axis(axis: Any, low: float, high: float) -> None:
    """Decades as plain text with superscripts, at most seven of them labelled."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    decades = np.arange(np.ceil(np.log10(low) - 1e-9), np.floor(np.log10(high) + 1e-9) + 1)
    step = max(1, int(np.ceil(len(decades) / 7)))
    axis.set_major_locator(FixedLocator(10.0 ** decades[decades % step == 0]))
    axis.set_major_formatter(FuncFormatter(lambda value, _: _power(round(np.log10(value)))))
    axis.set_minor_locator(NullLocator())


def error_plot(run: Rates, series: Series) -> str:
    """Mean squared error over the length, and below it everything divided by the exact curve."""
    L = run.lengths

    def draw(ax: Any, ratio: Any = None) -> None:
        curves = [b.values for b in series.bounds]
        finite = np.concatenate([c[np.isfinite(c)] for c in [series.mean, *curves]])
        for bound in series.bounds:
            _plot_bound(ax, L, bound.values, bound.name)
        if series.exact is not None:
            ax.plot(L, series.exact, color=EXACT)
        _plot_measured(ax, L, series.mean, series.standard_error)
        ax.set_xscale("log")
        ax.set_yscale("log")
        ax.set_ylabel("mean squared error")
        _log_axis(ax.xaxis, L[0], L[-1])
        low, high = finite.min() / 2, finite.max() * 2
        ax.set_ylim(low, high)
        _log_axis(ax.yaxis, low, high)
        if ratio is None or series.exact is None:
            ax.set_xlabel("prompt length L")
            return
        for bound in series.bounds:
            _plot_bound(ratio, L, bound.values / series.exact, bound.name)
        ratio.plot(L, np.ones_like(L), color=EXACT)
        relative, error = series.mean / series.exact, series.standard_error / series.exact
        _plot_measured(ratio, L, relative, error)
        reach = 1.25 * max(float(np.max(np.abs(relative - 1) + 1.96 * error)), 0.004)
        ratio.set_ylim(1 - reach, 1 + reach)
        ratio.locator_params(axis="y", nbins=3)
        ratio.set_ylabel("÷ exact")
        ratio.set_xlabel("prompt length L")

    rows = (3.0,) if series.exact is None else (3.0, 1.2)
    return _figure(4.1, rows, draw, f"error-{series.quantity}", f"Mean squared error of {series.quantity} over the prompt length")


def _plot_measured(ax: Any, x: Floats, y: Floats, error: Floats) -> None:
    """Points with 95 % intervals."""
    ax.errorbar(x, y, 1.96 * error, fmt="o", ms=3.6, color=MEASURED, elinewidth=1, capsize=2)


def _plot_bound(ax: Any, L: Floats, values: Floats, name: str) -> None:
    variable, dashes = style_of(name)
    colour = {"theorem": THEOREM, "paper": PAPER}[variable]
    style = (0, tuple(float(x) / 1.6 for x in dashes.split())) if dashes else "-"
    ax.plot(L, values, color=colour, linestyle=style)


def slope_plot(run: Rates, series: Series) -> str:
    """Local slopes with their errors, those of the exact curve, the sharp exponent, and the fitted one with its interval."""

    def draw(ax: Any) -> None:
        slopes = series.slopes
        if series.sharp is not None:
            ax.axhline(-series.sharp, color=MUTED, linewidth=1, linestyle=(0, (2, 2)))
        if series.fit is not None:
            low, high = series.fit.interval()
            where = list(series.fit.lengths)
            ax.plot(where, [-series.fit.exponent] * 2, color=THEOREM, linestyle="-" if series.trusted else (0, (4, 2)))
            if series.trusted:
                ax.fill_between(where, [-high] * 2, [-low] * 2, color=THEOREM, alpha=0.25, linewidth=0)
        if series.exact_slopes is not None:
            ax.plot(slopes.lengths, series.exact_slopes, color=EXACT)
        ax.errorbar(
            slopes.lengths, slopes.slope, 1.96 * slopes.standard_error, fmt="o", ms=3.6, color=MEASURED, elinewidth=1, capsize=2
        )
        ax.set_xscale("log")
        _log_axis(ax.xaxis, run.lengths[0], run.lengths[-1])
        ax.set_xlim(run.lengths[0] / 1.2, run.lengths[-1] * 1.2)
        ax.locator_params(axis="y", nbins=5)
        ax.set_ylabel("local slope")
        ax.set_xlabel("prompt length L")

    return _figure(2.6, (1.0,), draw, f"slope-{series.quantity}", f"Local slopes of {series.quantity} over the prompt length")


def far_plot(far: FarSlopes) -> str:
    """The slope of the exact output error up to L = 1e100."""

    def draw(ax: Any) -> None:
        ax.axhline(far.sharp, color=MUTED, linewidth=1, linestyle=(0, (2, 2)))
        ax.plot(far.lengths, far.slope, color=EXACT, marker="o", ms=3)
        ax.set_xscale("log")
        _log_axis(ax.xaxis, far.lengths[0], far.lengths[-1])
        ax.locator_params(axis="y", nbins=5)
        ax.set_ylabel("slope of the exact curve")
        ax.set_xlabel("prompt length L")

    return _figure(2.6, (1.0,), draw, "far", "Slope of the exact output error up to L = 1e100")
