"""Plots in other formats than SVG, for papers and slides: drawn once more, by Matplotlib alone."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from typing import Any

from proofs_check.reports.pages.svg import STAND_INS, WIDTH, Plot, dashed, drawing_settings
from theory.shown.colours import COLOURS

__all__ = ["as_files", "as_picture"]

#: Dots per inch of a picture of dots.
DPI = 300
#: What A key calls differently from Matplotlib.
MARKS = {"dot": "o", "left": "<", "ring": "o", "open": "o", "cross": "x", "triangle": "v"}
#: In inches: the room for the heading, and a line of the key.
HEAD, LINE = 0.5, 0.22


def as_files(plot: Plot, formats: Sequence[str]) -> dict[str, str | bytes]:
    """The contents of the files of a plot, by their formats."""
    return {kind: plot.file if kind == "svg" else as_picture([plot], kind) for kind in formats}


def as_picture(
    plots: Sequence[Plot],
    kind: str,
    heading: str = "",
    titles: Sequence[str] = (),
    keys: Sequence[tuple[str, str, str, str]] = (),
) -> bytes:
    """Plots side by side as one "pdf" or "png", in the colours of daylight on white: a heading
    above them all, a title above each, and below them a key of entries (mark, variable, dashes,
    text).
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure

    width, head, columns = WIDTH * len(plots), HEAD if heading else 0.0, len(plots)
    foot = LINE * (1 + (len(keys) - 1) // columns) + 0.1 if keys else 0.0
    height = max(plot.height for plot in plots)
    with mpl.rc_context(drawing_settings(plots[0].name, COLOURS)):
        page = Figure(figsize=(width, head + height + foot), facecolor="white")
        grid = page.add_gridspec(
            3, len(plots), height_ratios=[head or 1e-6, height, foot or 1e-6], hspace=0, wspace=0
        )
        grid.update(left=0, right=1, bottom=0, top=1)
        for i, plot in enumerate(plots):
            part = page.add_subfigure(grid[1, i])
            part.set_facecolor("none")
            plot.fill(part)
        for i, title in enumerate(titles):
            page.text((i + 0.5) / len(plots), 1 - 0.42 / (head + height + foot), title, ha="center", size=9)
        if heading:
            page.text(0.02, 1 - 0.2 / (head + height + foot), heading, size=10)
        if keys:
            page.legend(
                handles=[_handle(*key) for key in keys],
                loc="lower center",
                ncols=columns,
                frameon=False,
                fontsize=7,
            )
        page.draw_without_rendering()
        _in_daylight(page)
        out = BytesIO()
        undated = {"pdf": {"CreationDate": None}, "png": {"Software": None}}
        page.savefig(out, format=kind, dpi=DPI, metadata=undated[kind])
    return out.getvalue()


def _handle(mark: str, variable: str, dashes: str, text: str) -> Any:
    """An entry of a key for Matplotlib."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    colour = COLOURS[variable]
    if mark == "band":
        return Patch(color=colour, alpha=0.3, label=text)
    if mark == "line":
        return Line2D([], [], color=colour, linestyle=dashed(dashes), label=text)
    hollow: dict[str, Any] = {"markerfacecolor": "none"} if mark in ("ring", "open") else {}
    return Line2D(
        [],
        [],
        color=colour,
        linestyle="none",
        marker=MARKS.get(mark, mark),
        markersize=5,
        label=text,
        **hollow,
    )


def _in_daylight(page: Any) -> None:
    """Give everything that is drawn the colour that its stand-in stands for."""
    from matplotlib.colors import to_rgba, to_rgba_array

    meant = {to_rgba(STAND_INS[name])[:3]: to_rgba(colour)[:3] for name, colour in COLOURS.items()}
    for artist in page.findobj():
        for what in ("color", "facecolor", "edgecolor", "markerfacecolor", "markeredgecolor"):
            get, put = getattr(artist, f"get_{what}", None), getattr(artist, f"set_{what}", None)
            if get is None or put is None:
                continue
            colours = [tuple(c) for c in to_rgba_array(get())]
            if any(c[:3] in meant for c in colours):
                new = [(*meant.get(c[:3], c[:3]), c[3]) for c in colours]
                put(new[0] if len(new) == 1 else new)
