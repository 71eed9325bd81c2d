"""Writes a figure of the paper as one file: its panels side by side, and the key below them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

from proofs_check.reports.figures.boursier_boyer.captions import Key
from proofs_check.reports.figures.boursier_boyer.plots import Figure
from proofs_check.reports.pages.pictures import as_picture
from proofs_check.reports.pages.templates import environment
from theory.shown.colours import COLOURS

__all__ = ["as_sheets", "sheet"]

#: In points: the room for the headings, the height of a line of the key, and the width of a letter
#: in it.
HEAD, LINE, LETTER = 42.0, 15.0, 4.6


def sheet(figure: Figure, keys: Sequence[Key]) -> str:
    """The text of the SVG file, in the light colours of the page on white."""
    picture = environment("proofs_check.reports.figures").get_template("keys.html.jinja").module.key
    parts, right, bottom = [], 0.0, 0.0
    for panel in figure.panels:
        svg = panel.plot.file[panel.plot.file.index("<svg") :]
        width, height = (
            float(found) for found in re.findall(r'(?:width|height)="([\d.]+)pt"', svg[: svg.index(">")])
        )
        parts.append(_text(right + width / 2, HEAD - 6, panel.variant, "middle", 11))
        inner = svg.replace(
            f'width="{width:g}pt" height="{height:g}pt"', f'width="{width:g}" height="{height:g}"', 1
        )
        parts.append(inner.replace("<svg ", f'<svg x="{right:g}" y="{HEAD:g}" ', 1))
        right, bottom = right + width, max(bottom, HEAD + height)
    x, y = 12.0, bottom + LINE
    for key in keys:
        length = 36 + LETTER * len(key.text)
        if x + length > right and x > 12:
            x, y = 12.0, y + LINE
        small = str(picture(key.mark, key.variable, key.dashes)).strip()
        parts.append(small.replace("<svg ", f'<svg x="{x:g}" y="{y - 9:g}" width="30" height="12" ', 1))
        parts.append(_text(x + 34, y, key.text, "start", 8.5))
        x += length + 14
    body = "\n".join(parts)
    for variable, colour in COLOURS.items():
        body = body.replace(f"var(--{variable})", colour)
    name, title = f"figure-{figure.number}", _title(figure)
    size = f'width="{right:g}pt" height="{y + 10:g}pt" viewBox="0 0 {right:g} {y + 10:g}"'
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n<svg xmlns="http://www.w3.org/2000/svg" '
        f'xmlns:xlink="http://www.w3.org/1999/xlink" {size} role="img" aria-labelledby="{name}-title" '
        f'font-family="system-ui, sans-serif">\n <title id="{name}-title">{escape(title)}</title>\n <rect '
        f'width="100%" height="100%" fill="#ffffff"/>\n{_text(12, 16, title, "start", 12)}\n{body}\n</svg>\n'
    )


def as_sheets(figure: Figure, keys: Sequence[Key], formats: Sequence[str]) -> dict[str, str | bytes]:
    """The contents of the files of a figure, by their formats
    (`proofs_check.reports.pages.formats.FORMATS`).
    """
    plots, titles = [panel.plot for panel in figure.panels], [panel.variant for panel in figure.panels]
    picture = lambda kind: as_picture(plots, kind, heading=_title(figure), titles=titles, keys=keys)
    return {kind: sheet(figure, keys) if kind == "svg" else picture(kind) for kind in formats}


def _title(figure: Figure) -> str:
    return f"Figure {figure.number}: {figure.title.lower()}, {figure.covariance} covariates"


def _text(x: float, y: float, words: str, anchor: str, size: float) -> str:
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" text-anchor="{anchor}" '
        f'fill="{COLOURS["ink"]}">{escape(words)}</text>'
    )
