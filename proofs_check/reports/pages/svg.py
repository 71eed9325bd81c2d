"""Figures as SVG, drawn by Matplotlib: inside a page, where colours follow its theme, and as files
of their own. Text stays text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from io import StringIO
from typing import Any

import numpy as np

from proofs_check.reports.pages.text import superscript
from theory.shown.colours import COLOURS

__all__ = ["STAND_INS", "WIDTH", "Plot", "dashed", "drawing_settings", "figure", "log_axis", "stand_in"]

#: The width of every figure, in inches.
WIDTH = 4.4
#: Colours in which Matplotlib draws; afterwards each is replaced by its variable of the page.
STAND_INS = {name: f"#0102{i:02x}" for i, name in enumerate(COLOURS, start=16)}


@dataclass(frozen=True)
class Plot:
    """One figure, for a page and as a file."""

    #: The name of its file, without the ending, and the prefix of its ids in the page.
    name: str
    #: What it shows, for readers who do not see it.
    title: str
    #: The element for the page.
    inline: str
    #: The whole file, in the colours of daylight on white.
    file: str
    #: Draws it into a figure of Matplotlib, or a part of one; not compared.
    fill: Callable[[Any], None] = field(default=lambda page: None, compare=False)
    #: In inches.
    height: float = 1.0


def stand_in(variable: str) -> str:
    """The colour in which Matplotlib draws what is to have a colour of the page."""
    return STAND_INS[variable]


def dashed(dashes: str) -> Any:
    """A dash pattern of the page for Matplotlib, which counts in line widths."""
    return (0, tuple(float(x) / 1.6 for x in dashes.split())) if dashes else "-"


def figure(
    name: str,
    title: str,
    draw: Callable[..., None],
    *,
    height: float,
    rows: Sequence[float] = (1.0,),
    columns: Sequence[float] = (1.0,),
    share_x: bool = True,
) -> Plot:
    """A figure drawn by ``draw(axes...)``, row by row, with ids of its own so that several fit on
    one page. `height` is in inches, the width is `WIDTH`; `rows` and `columns` are relative heights
    and widths of the axes.
    """
    import matplotlib as mpl
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    # Margins by hand, for labels of at most seven characters: the automatic layout draws
    # everything twice.
    frame = {
        "left": 0.175,
        "right": 0.98,
        "bottom": 0.42 / height,
        "top": 1 - 0.12 / height,
        "hspace": 0.1,
        "wspace": 0.04,
    }
    grid = {"height_ratios": rows, "width_ratios": columns} | frame

    def fill(page: Any) -> None:
        axes = page.subplots(
            len(rows), len(columns), sharex="col" if share_x else False, squeeze=False, gridspec_kw=grid
        )
        for ax in axes.flat:
            ax.set_facecolor("none")
        draw(*axes.flat)

    with mpl.rc_context(drawing_settings(name, STAND_INS)):
        page = Figure(figsize=(WIDTH, height), facecolor="none")
        FigureCanvasSVG(page)
        fill(page)
        text = StringIO()
        page.savefig(
            text,
            format="svg",
            transparent=True,
            metadata={"Date": None, "Creator": None, "Format": None, "Type": None},
        )
    svg = _bare(text.getvalue(), name, title)
    inline = re.sub(r'(<svg[^>]*?) width="[^"]*" height="[^"]*"', r"\1", svg, count=1)
    for variable, colour in STAND_INS.items():
        inline = inline.replace(colour, f"var(--{variable})")
        svg = svg.replace(colour, COLOURS[variable])
    paper = '<rect width="100%" height="100%" fill="#ffffff"/>'
    alone = svg.replace("</title>", f"</title>\n {paper}", 1).replace(
        "<svg ", '<svg font-family="system-ui, sans-serif" ', 1
    )
    return Plot(name, title, inline, f'<?xml version="1.0" encoding="utf-8"?>\n{alone}', fill, height)


def drawing_settings(name: str, colours: Mapping[str, str]) -> dict[str, Any]:
    """The settings of Matplotlib for a figure of this name, in these colours."""
    ink, muted, grid = colours["ink"], colours["muted"], colours["grid"]
    return {
        "svg.fonttype": "none",
        "svg.hashsalt": name,
        "font.size": 9,
        "text.color": ink,
        "axes.edgecolor": muted,
        "axes.labelcolor": ink,
        "xtick.color": muted,
        "ytick.color": muted,
        "xtick.labelcolor": ink,
        "ytick.labelcolor": ink,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "grid.color": grid,
        "grid.linewidth": 0.6,
        "axes.axisbelow": True,
        "axes.linewidth": 0.7,
        "lines.linewidth": 1.6,
        "path.simplify": False,
    }


def _bare(svg: str, name: str, title: str) -> str:
    """The SVG element alone: no prologue, no metadata, unique ids, a title, fonts left to
    the page.
    """
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>\s*", "", svg, flags=re.DOTALL)
    head, rest = svg.split(">", 1)
    size = dict(
        re.findall(r' (width|height)="([^"]*)"', head)
    )  # Matplotlib writes both, in an order of its own
    head = re.sub(r' (width|height)="[^"]*"', "", head)
    svg = head.replace("<svg", f'<svg width="{size["width"]}" height="{size["height"]}"', 1) + ">" + rest
    svg = re.sub(r'\bid="', f'id="{name}-', svg)
    svg = re.sub(r'(href="#|url\(#)', rf"\g<1>{name}-", svg)
    svg = re.sub(r"font: ([\d.]+)px [^;\"]*", r"font-size: \1px", svg)
    svg = svg.replace("<svg ", f'<svg role="img" aria-labelledby="{name}-title" ', 1)
    return svg.replace(">", f'>\n <title id="{name}-title">{escape(title)}</title>', 1)


def _power(exponent: int) -> str:
    return "10" + superscript(exponent) if exponent not in (0, 1) else str(10**exponent)


def log_axis(axis: Any, low: float, high: float, most: int = 7) -> None:
    """Label the decades of a logarithmic axis as plain text with superscripts, at most `most` of
    them.
    """
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    decades = np.arange(np.ceil(np.log10(low) - 1e-9), np.floor(np.log10(high) + 1e-9) + 1)
    step = max(1, int(np.ceil(len(decades) / most)))
    axis.set_major_locator(FixedLocator(10.0 ** decades[decades % step == 0]))
    axis.set_major_formatter(FuncFormatter(lambda value, _: _power(round(np.log10(value)))))
    axis.set_minor_locator(NullLocator())
